//! Words of messages: what was probably meant, lists of words, digits in groups.

use beadwork_model::units::beginning_of_long;

use crate::foreign_words;

/// The longest path and the longest name of a file that systems take, a name with a quote on both sides.
const LONGEST_PATH: usize = 4096;
const LONGEST_NAME: usize = 257;

/// The most punctuation at the end of a word of a sentence: a quote, a bracket, a colon.
const MOST_PUNCTUATION: usize = 4;

/// A message with the beginnings of words that no person has written, such as a key of 50,000 letters, and with the punctuation
/// behind them. Paths of files stay whole.
pub(crate) fn in_short(message: String) -> String {
    let is_path =
        |word: &str| word.len() <= LONGEST_NAME || word.contains('/') && word.len() <= LONGEST_PATH;
    let beginning = |word: &str| beginning_of_long(word).filter(|_| !is_path(word));
    if message.split_whitespace().all(|word| beginning(word).is_none()) {
        return message;
    }
    let mut short = String::new();
    for piece in message.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let Some(beginning) = beginning(word) else {
            short.push_str(piece);
            continue;
        };
        let letters = word.trim_end_matches(|letter: char| letter.is_ascii_punctuation());
        let end = &word[letters.len()..];
        short.push_str(&beginning);
        short.push_str(if end.len() <= MOST_PUNCTUATION { end } else { "" });
        short.push_str(&piece[word.len()..]);
    }
    short
}

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
