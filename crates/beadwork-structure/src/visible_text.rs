//! Text of files with every character visible.

use std::borrow::Cow;

/// The text with a visible character in place of each that steers a terminal or hides: control characters but for line ends
/// and tabs become their pictures (`␛`), marks of the direction of writing and characters without width become `�`.
///
/// Each character becomes one, so fixed columns stay. A carriage return stays where it belongs to the end of a line.
///
/// Names in files reach terminals, tables and messages. There, such a character could change the title of a window, hide a
/// part of a message, or show text in another order.
///
/// ```
/// use beadwork_structure::visible;
/// assert_eq!(visible("chain A"), "chain A");
/// assert_eq!(visible("A\u{1b}[31mB\u{7}\u{202e}\r\n"), "A␛[31mB␇�\r\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    // Most files are plain ASCII.
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let hidden = |(index, letter): (usize, char)| match letter {
        '\r' => !text[index + 1..].starts_with('\n'),
        letter => replacement(letter).is_some(),
    };
    if !text.char_indices().any(hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.char_indices().map(|(index, letter)| match hidden((index, letter)) {
        true => replacement(letter).unwrap_or(letter),
        false => letter,
    });
    Cow::Owned(shown.collect())
}

/// The text with a line feed in place of each carriage return that no line feed follows: old systems end lines so, and files of
/// several sources mix line ends.
///
/// ```
/// use beadwork_structure::with_line_feeds;
/// assert_eq!(with_line_feeds("a\rb\r\nc\n"), "a\nb\r\nc\n");
/// ```
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let is_followed = |(index, _): (usize, &str)| text[index + 1..].starts_with('\n');
    if text.match_indices('\r').all(is_followed) {
        return Cow::Borrowed(text);
    }
    let mut lines = String::with_capacity(text.len());
    for (index, piece) in text.split('\r').enumerate() {
        if index > 0 {
            lines.push(if piece.starts_with('\n') { '\r' } else { '\n' });
        }
        lines.push_str(piece);
    }
    Cow::Owned(lines)
}

/// The text of a file without a byte order mark, with every character visible and lines that end as others do.
pub(crate) fn text_of_file(text: &str) -> Cow<'_, str> {
    match with_line_feeds(text.trim_start_matches('\u{feff}')) {
        Cow::Borrowed(text) => visible(text),
        Cow::Owned(text) => Cow::Owned(visible(&text).into_owned()),
    }
}

/// What stands for a character that is not visible; `None` for all others.
fn replacement(letter: char) -> Option<char> {
    match letter {
        '\n' | '\t' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(letter)),
        '\u{7f}' => Some('␡'),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => Some('\u{fffd}'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_that_steers_is_left() {
        for number in (0..=0x10_ffff).filter_map(char::from_u32) {
            let shown = visible(number.encode_utf8(&mut [0; 4])).into_owned();
            assert_eq!(shown.chars().count(), 1);
            let steers = shown.chars().any(|one| one.is_control() && !"\n\t".contains(one));
            assert!(!steers, "{:x}", u32::from(number));
        }
        let marks = "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}";
        assert_eq!(visible(marks), "\u{fffd}".repeat(12));
    }

    #[test]
    fn line_ends_stay() {
        assert_eq!(visible("é\r\n\tb"), "é\r\n\tb");
        assert_eq!(visible("a\rb\r\n"), "a␍b\r\n");
        assert_eq!(text_of_file("\u{feff}a\rb\r\nc\n\u{7}\r"), "a\nb\r\nc\n␇\n");
    }
}
