//! Words of messages: what was probably meant, lists of words, digits in groups.

use crate::foreign_words;

/// A whole number as TOML groups it: `1_000_000`.
pub(crate) fn underscored(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

/// The known word that was probably meant: that of another program's word, or the most similar one, if it is close, or one
/// that begins with `word`.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if let Some(same) = foreign_words::own(word, known) {
        return Some(same);
    }
    let lower = word.to_lowercase();
    let length = lower.chars().count();
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, candidate), *candidate))
        .min()
        .filter(|(distance, candidate)| *distance * 3 <= candidate.chars().count().max(3))
        // Words that share no letter are not similar, however short.
        .filter(|(distance, candidate)| *distance < length.max(candidate.chars().count()))
        .map(|(_, candidate)| candidate)
        .or_else(|| known.iter().find(|candidate| begins(candidate, &lower)).copied())
}

/// Whether a word of several parts begins with `first`: `every_sweeps` begins with `every`.
fn begins(word: &str, first: &str) -> bool {
    word.strip_prefix(first).is_some_and(|rest| rest.starts_with(['_', '-']))
}

/// The end of a message about an unknown word: `; did you mean "pull"?` or a full stop.
pub(crate) fn meant(word: &str, known: &[&str], quote: char) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean {quote}{near}{quote}?"),
        None => ".".to_string(),
    }
}

/// Words in quotes, separated by commas.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}
