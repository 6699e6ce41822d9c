//! Selections: words that select beads, with one grammar for the whole program.
//!
//! ```text
//! selection = and-part { "or" and-part }
//! and-part  = unary { "and" unary }
//! unary     = "not" unary | "first" [ "of" unary ] | "last" [ "of" unary ]
//!           | "(" selection ")" | "all" | "none"
//!           | "index" range... | "residue" range...
//!           | "chain" word... | "segment" word... | "resname" word... | "type" word...
//! ```
//!
//! Words are separated by blanks or commas. A word in double quotes is never a keyword: `chain ""` is the chain without
//! identifier, `chain "or"` a chain named or. In unquoted identifiers of chains and segments, `*` matches any text:
//! `chain A A-*` selects A and its copies. For a bead without a segment, `segment` also matches the name of its chain,
//! as in the files for viewers.

mod unmatched;

use crate::error::Error;
use crate::label::Label;

/// A parsed selection.
///
/// A residue number without a letter means the residue without insertion code; ranges follow the
/// order 12 < 12A < 12B < 13, so `residue 12-13` includes 12A and `residue 11-12` does not.
///
/// ```
/// use beadwork_structure::{Label, Selection};
/// let bead = |chain: &str, residue_number| Label {
///     name: "CA".into(),
///     residue_name: "GLY".into(),
///     residue_number,
///     insertion: None,
///     chain: chain.into(),
///     segment: "".into(),
/// };
/// let beads = [bead("A", 1), bead("A", 2), bead("B", 1)];
/// assert_eq!(Selection::parse("chain A and not residue 1")?.indices(&beads), [1]);
/// assert_eq!(Selection::parse("last of chain A or chain B")?.indices(&beads), [1, 2]);
/// # Ok::<(), beadwork_structure::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    text: String,
    expression: Expression,
}

impl Selection {
    /// Parses a selection, or returns [`Error::BadSelection`], which points at the offending word.
    pub fn parse(text: &str) -> Result<Selection, Error> {
        let words = words(text)?;
        let mut parser = Parser { text, words: &words, next: 0, depth: 0 };
        let expression = parser.selection()?;
        match parser.peek() {
            None => Ok(Selection { text: text.to_owned(), expression }),
            Some(word) => Err(parser.unexpected(Some(word), "and, or, or the end")),
        }
    }

    /// Indices of the selected beads, ascending; may be empty.
    pub fn indices(&self, beads: &[Label]) -> Vec<usize> {
        let mask = self.expression.mask(beads);
        (0..beads.len()).filter(|&index| mask[index]).collect()
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A residue number with its insertion code; no code sorts first.
type ResidueNumber = (i32, Option<char>);

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    All,
    None,
    Index(Vec<(usize, usize)>),
    Residue(Vec<(ResidueNumber, ResidueNumber)>),
    Chain(Vec<Pattern>),
    Segment(Vec<Pattern>),
    ResidueName(Vec<Word>),
    Type(Vec<Word>),
    First(Box<Expression>),
    Last(Box<Expression>),
    Not(Box<Expression>),
    /// At least two terms. They form a list, since a tree of 40,000 terms would overflow the stack.
    And(Vec<Expression>),
    Or(Vec<Expression>),
}

impl Expression {
    fn mask(&self, beads: &[Label]) -> Vec<bool> {
        let each = |test: &dyn Fn(&Label) -> bool| beads.iter().map(test).collect::<Vec<_>>();
        let only =
            |index: Option<usize>| (0..beads.len()).map(|bead| Some(bead) == index).collect();
        match self {
            Expression::All => vec![true; beads.len()],
            Expression::None => vec![false; beads.len()],
            Expression::Index(ranges) => (0..beads.len())
                .map(|index| ranges.iter().any(|(first, last)| (first..=last).contains(&&index)))
                .collect(),
            Expression::Residue(ranges) => each(&|bead| {
                let number = (bead.residue_number, bead.insertion);
                ranges.iter().any(|(first, last)| (first..=last).contains(&&number))
            }),
            Expression::Chain(names) => {
                each(&|bead| names.iter().any(|name| name.matches(&bead.chain)))
            }
            Expression::Segment(names) => each(&|bead| {
                let is = |segment: &str| names.iter().any(|name| name.matches(segment));
                is(&bead.segment) || bead.segment.is_empty() && is(&bead.chain)
            }),
            Expression::ResidueName(names) => {
                each(&|bead| names.iter().any(|name| bead.residue_name == name.text))
            }
            Expression::Type(names) => {
                each(&|bead| names.iter().any(|name| bead.name == name.text))
            }
            Expression::First(inner) => {
                only(inner.mask(beads).iter().position(|&selected| selected))
            }
            Expression::Last(inner) => {
                only(inner.mask(beads).iter().rposition(|&selected| selected))
            }
            Expression::Not(inner) => inner.mask(beads).iter().map(|selected| !selected).collect(),
            Expression::And(terms) => fold(terms, beads, |a, b| a & b),
            Expression::Or(terms) => fold(terms, beads, |a, b| a | b),
        }
    }
}

fn fold(terms: &[Expression], beads: &[Label], join: fn(bool, bool) -> bool) -> Vec<bool> {
    let joined = terms.iter().map(|term| term.mask(beads)).reduce(|mut joined, mask| {
        joined.iter_mut().zip(mask).for_each(|(a, b)| *a = join(*a, b));
        joined
    });
    joined.unwrap_or_default()
}

/// A name, or the pieces of a name between `*` signs.
#[derive(Clone, Debug, PartialEq)]
struct Pattern {
    first: String,
    /// The piece after each `*`.
    rest: Vec<String>,
}

impl Pattern {
    fn new(word: &Word) -> Pattern {
        if word.quoted {
            return Pattern { first: word.text.clone(), rest: Vec::new() };
        }
        let mut pieces = word.text.split('*').map(str::to_owned);
        Pattern { first: pieces.next().unwrap_or_default(), rest: pieces.collect() }
    }

    fn matches(&self, name: &str) -> bool {
        let Some((last, middle)) = self.rest.split_last() else { return name == self.first };
        let Some(mut left) = name.strip_prefix(self.first.as_str()) else { return false };
        // Matching each piece as early as possible leaves the most text for the next pieces.
        for piece in middle {
            let Some(at) = left.find(piece.as_str()) else { return false };
            left = &left[at + piece.len()..];
        }
        left.ends_with(last.as_str())
    }
}

/// Words that begin a selection.
const STARTS: &[&str] = &[
    "all", "none", "first", "last", "index", "chain", "segment", "residue", "resname", "type",
    "not",
];

/// Words that join or close selections, and so end a list of values.
const JOINTS: &[&str] = &["and", "or", "of"];

/// Deeper parentheses are refused, since they could overflow the stack.
const DEPTH_LIMIT: usize = 100;

#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: String,
    quoted: bool,
    /// The column in characters, counted from 0.
    column: usize,
    length: usize,
}

impl Word {
    fn is(&self, keyword: &str) -> bool {
        !self.quoted && self.text == keyword
    }

    fn is_value(&self) -> bool {
        let text = self.text.as_str();
        self.quoted
            || !(STARTS.contains(&text) || JOINTS.contains(&text) || text == "(" || text == ")")
    }
}

fn words(text: &str) -> Result<Vec<Word>, Error> {
    let letters: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut column = 0;
    while let Some(&letter) = letters.get(column) {
        let start = column;
        if letter.is_whitespace() || letter == ',' {
            column += 1;
            continue;
        }
        let quoted = letter == '"';
        let word: String = if quoted {
            letters[start + 1..].iter().take_while(|&&letter| letter != '"').collect()
        } else if matches!(letter, '(' | ')') {
            letter.to_string()
        } else {
            let ends =
                |letter: char| letter.is_whitespace() || matches!(letter, ',' | '(' | ')' | '"');
            letters[start..].iter().take_while(|&&letter| !ends(letter)).collect()
        };
        column += word.chars().count() + if quoted { 2 } else { 0 };
        if column > letters.len() {
            return Err(Error::BadSelection {
                text: text.to_owned(),
                column: start + 1,
                length: letters.len() - start,
                problem: "the quotation mark is never closed".to_owned(),
            });
        }
        words.push(Word { text: word, quoted, column: start, length: column - start });
    }
    Ok(words)
}

struct Parser<'a> {
    text: &'a str,
    words: &'a [Word],
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Word> {
        self.words.get(self.next)
    }

    fn accept(&mut self, keyword: &str) -> bool {
        let accepted = self.peek().is_some_and(|word| word.is(keyword));
        self.next += usize::from(accepted);
        accepted
    }

    fn bad(&self, word: Option<&Word>, problem: String) -> Error {
        let (column, length) =
            word.map_or((self.text.chars().count(), 0), |word| (word.column, word.length));
        Error::BadSelection { text: self.text.to_owned(), column: column + 1, length, problem }
    }

    fn unexpected(&self, word: Option<&Word>, expected: &str) -> Error {
        let Some(Word { text, quoted, .. }) = word else {
            return self.bad(None, format!("the selection ends where {expected} was expected"));
        };
        let suggestion = match (of_other_programs(text), nearest_keyword(text)) {
            _ if *quoted => String::new(),
            (Some((same, example)), _) if same == example => format!("; write {example}"),
            (Some((same, example)), _) => {
                format!("; perhaps {same} was meant, as in \"{example}\"")
            }
            (None, Some(keyword)) => format!("; perhaps {keyword} was meant"),
            (None, None) => String::new(),
        };
        self.bad(word, format!("\"{text}\" stands where {expected} was expected{suggestion}"))
    }

    fn selection(&mut self) -> Result<Expression, Error> {
        self.terms("or", Self::and_part, Expression::Or)
    }

    fn and_part(&mut self) -> Result<Expression, Error> {
        self.terms("and", Self::unary, Expression::And)
    }

    fn terms(
        &mut self,
        joint: &str,
        term: fn(&mut Self) -> Result<Expression, Error>,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, Error> {
        let first = term(self)?;
        let mut terms = vec![first];
        while self.accept(joint) {
            terms.push(term(self)?);
        }
        Ok(if terms.len() > 1 { join(terms) } else { terms.remove(0) })
    }

    fn unary(&mut self) -> Result<Expression, Error> {
        let word = self.peek();
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(self.bad(word, format!("more than {DEPTH_LIMIT} levels are nested")));
        }
        let expression = self.primary()?;
        self.depth -= 1;
        Ok(expression)
    }

    fn primary(&mut self) -> Result<Expression, Error> {
        let word = self.peek();
        let keyword = word.filter(|word| !word.quoted).map_or("", |word| word.text.as_str());
        self.next += 1;
        match keyword {
            "all" => Ok(Expression::All),
            "none" => Ok(Expression::None),
            "not" => Ok(Expression::Not(Box::new(self.unary()?))),
            "first" => Ok(Expression::First(Box::new(self.of()?))),
            "last" => Ok(Expression::Last(Box::new(self.of()?))),
            "index" => self.ranges("an index such as 0 or 0-9", index_range).map(Expression::Index),
            "residue" => {
                let expected = "a residue number such as 12, -3, 12A or 12-40";
                self.ranges(expected, residue_range).map(Expression::Residue)
            }
            "chain" => Ok(Expression::Chain(self.patterns("a chain identifier")?)),
            "segment" => Ok(Expression::Segment(self.patterns("a segment identifier")?)),
            "resname" => Ok(Expression::ResidueName(self.values("a residue name")?.to_vec())),
            "type" => Ok(Expression::Type(self.values("a bead type")?.to_vec())),
            "(" => {
                let inner = self.selection()?;
                let closed = self.accept(")").then_some(inner);
                let expected = "and, or, or a closing parenthesis";
                closed.ok_or_else(|| self.unexpected(self.peek(), expected))
            }
            _ => {
                let expected = format!("one of {} or a parenthesis", STARTS.join(", "));
                Err(self.unexpected(word, &expected))
            }
        }
    }

    /// The operand of `first` and `last`: all beads unless `of` follows.
    fn of(&mut self) -> Result<Expression, Error> {
        if self.accept("of") { self.unary() } else { Ok(Expression::All) }
    }

    /// The words up to the next keyword or parenthesis, at least one.
    fn values(&mut self, expected: &str) -> Result<&'a [Word], Error> {
        let rest = self.words.get(self.next..).unwrap_or(&[]);
        let count = rest.iter().take_while(|word| word.is_value()).count();
        let values = &rest[..count];
        let Some(last) = values.last() else {
            return Err(self.unexpected(self.peek(), expected));
        };
        self.next += count;
        // In `chain A adn residue 5`, the list of chains takes the misspelt word.
        let goes_on =
            self.peek().is_some_and(|word| !word.quoted && STARTS.contains(&word.text.as_str()));
        if goes_on && !last.quoted && count > 1 {
            let nearest = nearest_keyword(&last.text);
            if nearest.is_some_and(|keyword| JOINTS.contains(&keyword)) {
                return Err(self.unexpected(Some(last), "and, or, or the end"));
            }
        }
        Ok(values)
    }

    fn patterns(&mut self, expected: &str) -> Result<Vec<Pattern>, Error> {
        Ok(self.values(expected)?.iter().map(Pattern::new).collect())
    }

    fn ranges<T: PartialOrd>(
        &mut self,
        expected: &str,
        range: impl Fn(&str) -> Option<(T, T)>,
    ) -> Result<Vec<(T, T)>, Error> {
        let words = self.values(expected)?;
        let read = |word: &Word| {
            let text = &word.text;
            let (start, end) = range(text).ok_or_else(|| self.unexpected(Some(word), expected))?;
            let problem =
                || format!("the range {text} runs backwards; write the smaller end first");
            if start > end { Err(self.bad(Some(word), problem())) } else { Ok((start, end)) }
        };
        words.iter().map(read).collect()
    }
}

fn index_range(text: &str) -> Option<(usize, usize)> {
    let index = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
    };
    match text.split_once('-') {
        None => index(text).map(|index| (index, index)),
        Some((first, last)) => index(first).zip(index(last)),
    }
}

/// `12`, `-3`, `12A`, `12-40`, `-5--1`, `12A-12C`.
fn residue_range(text: &str) -> Option<(ResidueNumber, ResidueNumber)> {
    let (first, rest) = residue(text)?;
    if rest.is_empty() {
        return Some((first, first));
    }
    let (last, rest) = residue(rest.strip_prefix('-')?)?;
    rest.is_empty().then_some((first, last))
}

/// A residue number at the start of the text, and the text after it.
fn residue(text: &str) -> Option<(ResidueNumber, &str)> {
    let sign = usize::from(text.starts_with('-'));
    let digits = text[sign..].bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..sign + digits].parse().ok()?;
    let rest = &text[sign + digits..];
    let insertion = rest.chars().next().filter(char::is_ascii_alphabetic);
    let rest = rest.get(insertion.map_or(0, char::len_utf8)..)?;
    Some(((number, insertion), rest))
}

/// Words that select in other programs, the words here that say the same, and an example.
const FOREIGN: &[(&[&str], &str, &str)] = &[
    (&["name", "atomname", "element"], "type", "type CA"),
    (&["resid", "resi", "resnum", "resseq", "resindex"], "residue", "residue 5-20"),
    (&["resn", "restype"], "resname", "resname GLY"),
    (&["segid", "segname", "segi"], "segment", "segment PROA"),
    (&["chainid", "chainname", "molecule"], "chain", "chain A"),
    (&["serial", "atom", "bynum", "id", "bead"], "index", "index 0-9"),
    (&["protein", "everything", "backbone", "system", "*"], "all", "all"),
];

/// What a word of another program is called here.
fn of_other_programs(word: &str) -> Option<(&'static str, &'static str)> {
    let lower = word.to_lowercase();
    let (_, same, example) = FOREIGN.iter().find(|(words, ..)| words.contains(&lower.as_str()))?;
    Some((same, example))
}

/// The keyword within two edits of a word, if there is one.
fn nearest_keyword(word: &str) -> Option<&'static str> {
    // Upper case instead of lower case does not count as an edit.
    let lower = word.to_lowercase();
    let limit = if word.chars().count() < 4 { 1 } else { 2 };
    STARTS
        .iter()
        .chain(JOINTS)
        .filter(|keyword| **keyword != word)
        .map(|&keyword| (strsim::osa_distance(&lower, keyword), keyword))
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, keyword)| keyword)
}
