//! The first line of LAMMPS data files, which is free text.

/// Unit styles of LAMMPS.
const STYLES: [&str; 8] = ["lj", "real", "metal", "si", "cgs", "electron", "micro", "nano"];

/// The unit style that the first line names; empty if it names none.
///
/// LAMMPS writes `units = lj`, with any word behind the sign. Elsewhere `units` may be a word of prose, so only known styles
/// beside it count: `units real`, `metal units`.
pub(super) fn unit_style(text: &str) -> String {
    let title = text.lines().next().unwrap_or_default();
    let written = title.match_indices("units").find_map(|(place, word)| {
        let rest = title[place + word.len()..].trim_start().strip_prefix('=')?;
        rest.split([' ', '\t', ',', ';']).find(|word| !word.is_empty())
    });
    if let Some(style) = written {
        return style.to_owned();
    }
    let letters = |letter: char| !letter.is_ascii_alphanumeric();
    let words: Vec<String> =
        title.split(letters).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    let is_style = |word: &&String| STYLES.contains(&word.as_str());
    let beside =
        words.iter().enumerate().filter(|(_, word)| *word == "units").find_map(|(place, _)| {
            let after = words.get(place + 1).filter(is_style);
            // "LJ units" are what a file without a style is taken for, and that is said.
            let before = words[..place].last().filter(is_style).filter(|style| *style != "lj");
            after.or(before)
        });
    beside.cloned().unwrap_or_default()
}
