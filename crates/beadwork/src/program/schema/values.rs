//! Which values a key may have, as its default and its meaning in the reference say.
//!
//! The reference has words for this: a quantity is named by its dimension, a text is a text, a name, a rule or a selection, a
//! count is a number of something. Words that may stand as they are follow at the beginning, behind a semicolon, or behind
//! "or"; examples follow "such as".

use beadwork::model::units::{Dimension, parse};
use serde_json::{Value, json};
use toml::Value as Literal;

use super::page::{Row, code};

/// A quantity begins with a number, and its unit begins neither with a digit nor, but for 1/s, with a sign.
const QUANTITY: &str = r"^\s*[-+]?\.?[0-9][0-9_.]*([eE][-+]?[0-9]+)?(\s+1|\s*[^\s0-9._])";

/// The kinds of values of a key.
#[derive(Clone, Debug, Default)]
pub struct Values {
    pub is_as_above: bool,
    boolean: bool,
    integer: bool,
    number: bool,
    text: bool,
    /// A table.
    pub table: bool,
    /// Whether the table has any keys beside those that are listed.
    pub is_open: bool,
    /// A list of tables.
    pub tables: bool,
    list: bool,
    /// A quantity, and its dimension if it is known.
    quantity: Option<Option<Dimension>>,
    /// Words that may stand as they are.
    words: Vec<String>,
    /// Words of which a list may have any.
    items: Vec<String>,
    pub default: Option<Value>,
}

impl Values {
    pub fn of(row: &Row) -> Values {
        let meaning = without_links(&row.meaning);
        // What follows a semicolon says more about it.
        let bare: String = pieces(head(&meaning)).filter(|piece| !piece.0).map(|p| p.1).collect();
        let said = Said::of(&bare);
        let default = code(&row.default).and_then(literal);
        let mut values = Values {
            is_as_above: said.begins("as above"),
            is_open: said.has("paths"),
            default: default.as_ref().and_then(|value| serde_json::to_value(value).ok()),
            ..Values::default()
        };
        values.add_default(default.as_ref(), &row.default);
        let found = Found::of(&meaning);
        values.add_what_is_said(&said, &found, default.is_some());
        values.items = found.items;
        values.words = found.words;
        if let Some(Literal::String(word)) = &default
            && !is_quantity(word)
        {
            let is_alone = values.words.is_empty() && values.is_empty();
            values.text |= is_alone;
            values.words.insert(0, word.clone());
        }
        // Any text may stand there.
        if values.text {
            values.words.clear();
        }
        let counts = |word: &str| said.has(word);
        if values.is_empty() && (counts("steps") || counts("sweeps") || has_range(&bare)) {
            values.integer = true;
        }
        values
    }

    fn is_empty(&self) -> bool {
        let kinds = [self.boolean, self.integer, self.number, self.text];
        let wholes = [self.table, self.tables, self.list, self.quantity.is_some()];
        !kinds.into_iter().chain(wholes).any(|is| is)
            && self.words.is_empty()
            && self.items.is_empty()
    }

    fn add_default(&mut self, default: Option<&Literal>, cell: &str) {
        self.table = cell == "table below";
        match default {
            Some(Literal::Boolean(_)) => self.boolean = true,
            Some(Literal::Integer(_)) => self.integer = true,
            Some(Literal::Float(_)) => self.number = true,
            Some(Literal::Array(_)) => self.list = true,
            Some(Literal::Table(_)) => self.table = true,
            Some(Literal::String(text)) if is_quantity(text) => {
                let dimension = Dimension::all().find(|one| parse(text, *one).is_ok());
                self.quantity = Some(dimension);
            }
            _ => {}
        }
    }

    fn add_what_is_said(&mut self, said: &Said, found: &Found, has_default: bool) {
        let is_list_of_tables = said.has("list of tables");
        self.tables = is_list_of_tables || said.has("list of such");
        self.table |= !is_list_of_tables && (said.has("table") || found.table);
        let is_file = (said.begins("a") && said.has("file")) || said.has("csv list");
        let is_list = said.has("list") || said.has("lists");
        let several =
            ["three numbers", "three lengths", "three sides", "two deformations", "two selections"];
        let has_several = several.iter().any(|words| said.has(words));
        if !self.tables {
            self.list |= (is_list && !is_file && !has_default) || found.list || has_several;
        }
        let is_text = ["selection", "text", "a name", "a rule"].iter().any(|word| said.has(word));
        self.text = is_file || is_text || found.has_example;
        if said.has("number of") || said.has("how many") {
            self.integer |= !self.number;
        } else if said.has("a number") {
            self.number = true;
        }
        if self.is_empty() {
            self.quantity = said.dimension().map(Some);
        }
        let has_other = self.text || self.integer || self.list || self.table;
        if found.quantity && self.quantity.is_none() && !has_other {
            self.quantity = Some(None);
        }
    }

    /// The schema of a value. `nested` is that of the table, or of each table of the list; `by_types` says that a value for each
    /// type may stand in a table.
    pub fn schema(&self, nested: Option<Value>, by_types: bool) -> Value {
        let nested = nested.unwrap_or_else(|| json!({ "type": "object" }));
        let mut all = Vec::new();
        if let Some(dimension) = self.quantity {
            all.push(quantity(dimension));
        }
        for (is, name) in [
            (self.boolean, "boolean"),
            (self.integer, "integer"),
            (self.number, "number"),
            (self.text, "string"),
        ] {
            if is {
                all.push(json!({ "type": name }));
            }
        }
        if !self.words.is_empty() {
            let mut words: Vec<&String> = Vec::new();
            for word in &self.words {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
            all.push(json!({ "enum": words }));
        }
        let is_of_values = self.quantity.is_some() || self.number;
        if self.table {
            all.push(nested.clone());
        } else if by_types && is_of_values {
            all.push(json!({ "type": "object", "description": "a value for each type or pair of types" }));
        }
        if !self.items.is_empty() {
            all.push(json!({ "type": "array", "items": { "enum": self.items } }));
        } else if self.tables {
            all.push(json!({ "type": "array", "items": nested }));
        } else if self.list {
            all.push(json!({ "type": "array" }));
        }
        match all.len() {
            1 => all.remove(0),
            _ => json!({ "anyOf": all }),
        }
    }
}

/// A text with a unit, or a number where units are reduced.
fn quantity(dimension: Option<Dimension>) -> Value {
    let mut schema = json!({ "type": ["string", "number"], "pattern": QUANTITY });
    if let Some(dimension) = dimension {
        let words = dimension.expectation();
        let examples: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
        schema["examples"] = json!(examples);
        schema["title"] = json!(name_of(dimension));
    }
    schema
}

/// `length`, `coefficient of diffusion`.
fn name_of(dimension: Dimension) -> &'static str {
    let words = dimension.expectation();
    let name = words.split(" such as").next().unwrap_or(words);
    name.split_once(' ').map_or(name, |(_, name)| name)
}

/// The words of a text in small letters, with a blank around each.
struct Said(String);

impl Said {
    fn of(text: &str) -> Said {
        let words = text.split(|letter: char| !letter.is_alphabetic());
        let words: Vec<String> =
            words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        Said(format!(" {} ", words.join(" ")))
    }

    fn has(&self, words: &str) -> bool {
        self.0.contains(&format!(" {words} "))
    }

    fn begins(&self, words: &str) -> bool {
        self.0.starts_with(&format!(" {words} "))
    }

    /// The dimension that is named, the longest name first: an inverse length is no length.
    fn dimension(&self) -> Option<Dimension> {
        let named = Dimension::all().filter(|dimension| self.has(name_of(*dimension)));
        named.max_by_key(|dimension| name_of(*dimension).len())
    }
}

/// What the pieces of code in a meaning say.
#[derive(Debug, Default)]
struct Found {
    words: Vec<String>,
    items: Vec<String>,
    has_example: bool,
    quantity: bool,
    list: bool,
    table: bool,
}

/// What a series of words is.
#[derive(Clone, Copy)]
enum Series {
    Words,
    Items,
    Examples,
}

impl Found {
    fn of(meaning: &str) -> Found {
        let pieces: Vec<(bool, &str)> = pieces(meaning).collect();
        let mut found = Found::default();
        let mut series = None;
        for place in (1..pieces.len()).step_by(2) {
            let Some(value) = literal(pieces[place].1) else { continue };
            let before = without_parentheses(pieces[place - 1].1);
            let before = before.trim();
            let after = pieces.get(place + 1).map_or("", |piece| piece.1.trim());
            let Literal::String(word) = value else {
                found.list |= value.is_array();
                found.table |= value.is_table();
                series = None;
                continue;
            };
            if is_quantity(&word) {
                found.quantity |= !after.starts_with("by default");
                continue;
            }
            series = series_of(before, place == 1, series);
            match series {
                Some(Series::Words) => found.words.push(word),
                Some(Series::Items) => found.items.push(word),
                Some(Series::Examples) => found.has_example = true,
                None => {}
            }
        }
        found
    }
}

/// The series of a word from the text before it. `earlier` is that of the word before.
fn series_of(before: &str, is_first: bool, earlier: Option<Series>) -> Option<Series> {
    if before.ends_with("such as") {
        return Some(Series::Examples);
    }
    if before.ends_with("any of") {
        return Some(Series::Items);
    }
    if earlier.is_some() && [",", "or", "and", ", and", ", or"].contains(&before) {
        return earlier;
    }
    let tail = before.rsplit([',', ';', ':', '.']).next().unwrap_or_default().trim();
    let is_plain = |words: &str| words.chars().all(|c| c.is_ascii_lowercase() || c == ' ');
    let is_other = tail == "or" || tail.strip_prefix("or ").is_some_and(is_plain);
    let begins = (is_first && before.is_empty()) || before.ends_with(';');
    (begins || is_other).then_some(Series::Words)
}

/// A value as TOML has it.
fn literal(code: &str) -> Option<Literal> {
    let table: toml::Table = toml::from_str(&format!("value = {code}")).ok()?;
    table.get("value").cloned()
}

/// Whether a text is a number with a unit behind a blank.
fn is_quantity(text: &str) -> bool {
    let number = text.trim_start_matches(['+', '-']);
    let is_of_number = |c: char| c.is_ascii_digit() || "._eE+-".contains(c);
    let unit = number.trim_start_matches(is_of_number);
    number.starts_with(|c: char| c.is_ascii_digit()) && unit.starts_with(' ')
}

/// Whether there are two numbers with "to" between them.
fn has_range(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut parts = text.split(" to ");
    let mut earlier = parts.next().unwrap_or_default();
    parts.any(|part| {
        let is = earlier.ends_with(is_digit) && part.starts_with(is_digit);
        earlier = part;
        is
    })
}

/// The pieces of a text between backticks, and whether each is code.
fn pieces(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').enumerate().map(|(place, piece)| (place % 2 == 1, piece))
}

/// What stands before the first semicolon outside of code.
fn head(text: &str) -> &str {
    let mut is_code = false;
    let end = text.find(|letter: char| {
        is_code ^= letter == '`';
        letter == ';' && !is_code
    });
    end.map_or(text, |end| &text[..end])
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0;
    let mut kept = String::new();
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept
}

/// A text of the page with the words of its links alone, and without the backslashes of Markdown.
pub fn without_links(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, target)) = rest.split_once("](") {
        let (text, words) = before.rsplit_once('[').unwrap_or((before, ""));
        kept.push_str(text);
        kept.push_str(words);
        rest = target.split_once(')').map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    kept.replace('\\', "")
}
