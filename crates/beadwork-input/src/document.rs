//! A TOML document as a tree whose values know where they were written. The tree can be written as text again.

use std::fmt::Write as _;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use beadwork_model::advice::plain;
use beadwork_structure::visible;

use crate::error::{Error, Location, SYNTAX};

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Location,
}

/// The values of TOML; dates are texts here.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<TableEntry>,
}

#[derive(Clone, Debug)]
pub(crate) struct TableEntry {
    pub key: String,
    pub place: Location,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
    }

    /// Replaces or appends.
    pub fn set(&mut self, key: &str, place: &Location, node: Node) {
        let new = TableEntry { key: key.to_string(), place: place.clone(), node };
        match self.entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => *entry = new,
            None => self.entries.push(new),
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }
}

impl Node {
    pub fn new(value: Value, place: &Location) -> Node {
        Node { value, place: place.clone() }
    }

    pub fn empty(place: &Location) -> Node {
        Node::new(Value::Table(Table::default()), place)
    }

    /// The value of a key, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.table()?.get(key)
    }

    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// The nodes of a list; empty for any other value.
    pub fn list_mut(&mut self) -> &mut [Node] {
        if let Value::List(list) = &mut self.value { list } else { &mut [] }
    }

    pub fn table(&self) -> Option<&Table> {
        if let Value::Table(table) = &self.value { Some(table) } else { None }
    }

    pub fn table_mut(&mut self) -> Option<&mut Table> {
        if let Value::Table(table) = &mut self.value { Some(table) } else { None }
    }

    pub fn list(&self) -> Option<&[Node]> {
        if let Value::List(list) = &self.value { Some(list) } else { None }
    }

    /// The value as a number, whole or not.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            _ => None,
        }
    }

    /// What was found, for messages: `the number 20`, `a list of 4 numbers`.
    pub fn found(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("the text \"{text}\""),
            Value::Integer(number) => format!("the number {number}"),
            Value::Float(number) if !number.is_finite() => inline(&self.value),
            Value::Float(number) => {
                let digits = plain(*number);
                // 1.0 is no whole number in TOML.
                let point = if digits.contains(['.', 'e']) { "" } else { ".0" };
                format!("the number {digits}{point}")
            }
            Value::Boolean(value) => value.to_string(),
            Value::List(list) if list.is_empty() => "an empty list".to_string(),
            Value::List(list) => {
                let are_numbers = list.iter().all(|item| item.number().is_some());
                let what = if are_numbers { "number" } else { "value" };
                let several = if list.len() == 1 { "" } else { "s" };
                format!("a list of {} {what}{several}", list.len())
            }
            Value::Table(_) => "a table".to_string(),
        }
    }

    /// What was found in place of a list of so many finite numbers: `nan at place 2`, counted from 1.
    pub fn found_in_place_of_numbers(&self, count: usize) -> String {
        let list = self.list().filter(|list| list.len() == count).unwrap_or_default();
        let odd = |item: &Node| !item.number().is_some_and(f64::is_finite);
        match list.iter().position(odd) {
            Some(place) => format!("{} at place {}", list[place].found(), place + 1),
            None => self.found(),
        }
    }

    /// The value without quotes when it is a text, else as TOML.
    pub fn plain(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            value => inline(value),
        }
    }
}

/// Where a table may stand, a text is short for a table with this file.
pub(crate) fn as_table(node: &Node) -> Node {
    if node.text().is_none() {
        return node.clone();
    }
    let mut table = Table::default();
    table.set("file", &node.place, node.clone());
    Node::new(Value::Table(table), &node.place)
}

pub(crate) fn parse(text: &str, name: &str) -> Result<Node, Error> {
    let place = Location::whole(name, text);
    let table = DeTable::parse(text).map_err(|error| syntax(&error, &place, 0))?;
    Ok(Node {
        value: Value::Table(convert_table(table.get_ref(), &place, 0)?),
        place: place.with_span(0..0),
    })
}

/// Reads `path = value` as it is given on a command line: the place of the path, and the value.
///
/// Anything that is no TOML value, such as `1 um/s`, is taken as a text without quotes.
pub(crate) fn parse_assignment(path: &str, value: &str) -> Result<(Location, Node), Error> {
    let offset = path.len() + 3;
    let place = Location::whole("--set", &format!("{path} = {value}"));
    let node = match DeValue::parse(value) {
        Ok(parsed) => convert(parsed.get_ref(), parsed.span(), &place, offset)?,
        // A text that opens a bracket or a quote is TOML with a mistake.
        Err(error) if value.trim_start().starts_with(['[', '{', '"', '\'']) => {
            return Err(syntax(&error, &place, offset));
        }
        Err(_) => Node {
            value: Value::Text(value.trim().to_string()),
            place: place.with_span(offset..offset + value.len()),
        },
    };
    if let Some(text) = node.text() {
        refuse_hidden(text, &node.place)?;
    }
    Ok((place.with_span(0..path.len()), node))
}

fn syntax(error: &toml::de::Error, place: &Location, offset: usize) -> Error {
    let span = error.span().unwrap_or(0..0);
    let message = match slip(&place.text, span.start + offset) {
        Some(hint) => hint.to_string(),
        None => error.message().trim_end_matches('.').replace('\n', "; "),
    };
    place
        .with_span(span.start + offset..span.end + offset)
        .error(SYNTAX, format!("this is not valid TOML: {message}"))
}

/// An explanation of a comma or a semicolon in a line, where the parser's own message does not help.
fn slip(text: &str, at: usize) -> Option<&'static str> {
    let before = text.get(..at)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next()?;
    let (_, value) = line.split_once('=')?;
    let mut value = value.split('#').next().unwrap_or_default().trim();
    if let Some(before) = value.strip_suffix(';') {
        if DeValue::parse(before.trim_end()).is_ok() {
            return Some("nothing may follow a value: leave out the semicolon");
        }
        value = before;
    }
    let is_number = |part: &str| {
        let part = part.trim().trim_start_matches(['+', '-']);
        part.starts_with(|first: char| first.is_ascii_digit())
            && part.chars().all(|one| one.is_ascii_alphanumeric() || one == '.')
    };
    (value.contains(',') && value.split(',').all(is_number)).then_some(
        "numbers take no comma: write 10_000 or 1.5, and several values in brackets, [1, 2]",
    )
}

fn convert_table(table: &DeTable<'_>, place: &Location, offset: usize) -> Result<Table, Error> {
    let mut entries = Vec::new();
    for (key, value) in table.iter() {
        let span = key.span();
        refuse_hidden(key.get_ref(), &place.with_span(span.start + offset..span.end + offset))?;
        entries.push(TableEntry {
            key: key.get_ref().to_string(),
            place: place.with_span(span.start + offset..span.end + offset),
            node: convert(value.get_ref(), value.span(), place, offset)?,
        });
    }
    // The parser sorts keys by name; messages and sweeps keep the order of the text.
    entries.sort_by_key(|entry| entry.place.span.start);
    Ok(Table { entries })
}

/// Refuses texts with characters that steer a terminal or hide: texts become names in tables, messages and folders.
fn refuse_hidden(text: &str, place: &Location) -> Result<(), Error> {
    let shown = visible(text);
    let Some((hidden, _)) = text.chars().zip(shown.chars()).find(|(one, other)| one != other)
    else {
        return Ok(());
    };
    let problem = format!(
        "the text has the character U+{:04X}, which steers a terminal or cannot be seen: leave it out",
        u32::from(hidden)
    );
    Err(place.error(SYNTAX, problem))
}

fn convert(
    value: &DeValue<'_>,
    span: Range<usize>,
    place: &Location,
    offset: usize,
) -> Result<Node, Error> {
    let place = place.with_span(span.start + offset..span.end + offset);
    let unfit = |text: &str| {
        let problem = format!("the number {text} does not fit into 64 bits: write a smaller one");
        place.error(SYNTAX, problem)
    };
    let value = match value {
        DeValue::String(text) => {
            refuse_hidden(text, &place)?;
            Value::Text(text.to_string())
        }
        DeValue::Integer(number) => Value::Integer(
            i64::from_str_radix(number.as_str(), number.radix())
                .map_err(|_| unfit(number.as_str()))?,
        ),
        DeValue::Float(number) => {
            Value::Float(number.as_str().parse().map_err(|_| unfit(number.as_str()))?)
        }
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(list) => Value::List(
            list.iter()
                .map(|item| convert(item.get_ref(), item.span(), &place, offset))
                .collect::<Result<_, _>>()?,
        ),
        DeValue::Table(table) => Value::Table(convert_table(table, &place, offset)?),
    };
    Ok(Node { value, place })
}

/// A value on one line.
pub(crate) fn inline(value: &Value) -> String {
    match value {
        Value::Text(text) => toml::Value::String(text.clone()).to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => toml::Value::Float(*number).to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|node| inline(&node.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(table) if table.entries.is_empty() => "{}".to_string(),
        Value::Table(table) => {
            let item = |entry: &TableEntry| {
                format!("{} = {}", written_key(&entry.key), inline(&entry.node.value))
            };
            let items: Vec<String> = table.entries.iter().map(item).collect();
            format!("{{ {} }}", items.join(", "))
        }
    }
}

fn written_key(key: &str) -> String {
    let bare =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { key.to_string() } else { toml::Value::String(key.to_string()).to_string() }
}

/// A document as text: tables become sections, lists of tables repeated sections, and all other values one line each.
pub(crate) fn write(root: &Table) -> String {
    let mut text = String::new();
    for entry in &root.entries {
        match &entry.node.value {
            Value::Table(table) => write_section(&mut text, &entry.key, false, table),
            Value::List(list) => {
                for table in list.iter().filter_map(Node::table) {
                    write_section(&mut text, &entry.key, true, table);
                }
            }
            _ => {}
        }
    }
    text
}

fn write_section(text: &mut String, name: &str, repeated: bool, table: &Table) {
    if !text.is_empty() {
        text.push('\n');
    }
    // Writing to a String cannot fail.
    let _ = if repeated { writeln!(text, "[[{name}]]") } else { writeln!(text, "[{name}]") };
    let mut sections = Vec::new();
    for entry in &table.entries {
        match &entry.node.value {
            Value::Table(inner) if entry.key == "sweep" => sections.push((&entry.key, inner)),
            Value::List(list)
                if list.len() > 1 && list.iter().all(|node| node.table().is_some()) =>
            {
                let _ = writeln!(text, "{} = [", written_key(&entry.key));
                for node in list {
                    let _ = writeln!(text, "    {},", inline(&node.value));
                }
                text.push_str("]\n");
            }
            value => {
                let _ = writeln!(text, "{} = {}", written_key(&entry.key), inline(value));
            }
        }
    }
    for (key, inner) in sections {
        write_section(text, &format!("{name}.{key}"), false, inner);
    }
}
