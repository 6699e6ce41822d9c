//! Text in a figure: escaping, lines.

use super::glyphs::width;

/// Escapes text for the inside of an XML element or attribute; leaves out characters that XML 1.0
/// forbids.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

pub(super) fn wrap(text: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_control_characters_vanish() {
        assert_eq!(escape("a<b> & \"c\"'\u{7}\n"), "a&lt;b&gt; &amp; &quot;c&quot;&apos; ");
    }

    #[test]
    fn lines_fit() {
        let lines = wrap("one two three four five six seven", 10.0, 60.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 10.0) <= 60.0));
        assert_eq!(lines.join(" "), "one two three four five six seven");
        assert!(wrap("", 10.0, 60.0).is_empty());
    }
}
