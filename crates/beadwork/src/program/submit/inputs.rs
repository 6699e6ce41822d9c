//! Whether the parts have one input: `beadwork extend` makes each part longer by itself.

use std::fmt::Write as _;

/// So many parts are named that differ.
const PARTS_NAMED: usize = 8;

/// The resolved inputs of parts, each with the numbers of its parts.
#[derive(Debug, Default)]
pub(super) struct Inputs(Vec<(String, Vec<usize>)>);

impl Inputs {
    /// Adds a part with the input that it goes on with.
    pub fn add(&mut self, number: usize, resolved: &str) {
        // Runs that differ in their folder alone have one input.
        let lines = resolved.lines().filter(|line| !line.starts_with("folder = "));
        let resolved = lines.collect::<Vec<_>>().join("\n");
        match self.0.iter_mut().find(|(known, _)| *known == resolved) {
            Some((_, parts)) => parts.push(number),
            None => self.0.push((resolved, vec![number])),
        }
    }

    /// A line for each input beside that of most parts; empty if all have one.
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        let Some((most, others)) = self.0.iter().max_by_key(|(_, parts)| parts.len()) else {
            return text;
        };
        for (input, parts) in self.0.iter().filter(|(input, _)| input != most) {
            let mut lines = input.lines().zip(most.lines()).filter(|(one, other)| one != other);
            let difference = match lines.next() {
                Some((one, other)) => format!("`{one}`, not `{other}`"),
                None => "more lines or fewer".to_string(),
            };
            let _ = writeln!(
                text,
                "{}: another input than part-{}: resolved.toml has {difference}; the join fails until `beadwork extend` has made all parts equally long",
                names(parts),
                others[0]
            );
        }
        text
    }
}

/// `part-1, part-3 and 7 more`.
fn names(parts: &[usize]) -> String {
    let named: Vec<_> =
        parts.iter().take(PARTS_NAMED).map(|number| format!("part-{number}")).collect();
    match parts.len().saturating_sub(PARTS_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_another_length_are_named() {
        let mut inputs = Inputs::default();
        assert_eq!(inputs.in_words(), "");
        let of = |steps: u64, folder: &str| format!("folder = \"{folder}\"\nsteps = {steps}\n");
        for number in 0..3 {
            inputs.add(number, &of(200, &number.to_string()));
        }
        assert_eq!(inputs.in_words(), "");
        for number in [3, 4] {
            inputs.add(number, &of(100, "a"));
        }
        inputs.add(5, "");
        let words = inputs.in_words();
        let other = "part-3, part-4: another input than part-0: resolved.toml has `steps = 100`, not `steps = 200`; ";
        assert!(words.starts_with(other), "{words}");
        assert!(
            words.contains("\npart-5: another input than part-0: resolved.toml has more lines")
        );
        assert_eq!(words.lines().count(), 2);
        assert_eq!(
            names(&(0..9).collect::<Vec<_>>()[..]),
            format!("{} and 1 more", names(&[0, 1, 2, 3, 4, 5, 6, 7]))
        );
    }
}
