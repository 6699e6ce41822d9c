//! `beadwork schema`: a JSON schema of inputs, by which editors complete and check them.
//!
//! It is made from the tables of the input reference, which tests hold to the keys and defaults of the readers.

mod page;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value, json};

use super::Failure;
use super::output::{remark, say, write_new};
use page::{Keys, Row, tables};
use values::{Values, without_links};

const EXAMPLES: &str = "\
Examples:
  beadwork schema --output beadwork.schema.json
and as the first line of an input beside it:
  #:schema ./beadwork.schema.json";

/// What begins the title of a schema; by it one of an earlier version is known.
const TITLE: &str = "Input of beadwork";

/// Write a JSON schema of inputs, by which editors complete keys, show what they mean, and mark mistakes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Schema {
    /// The file to write; without one the schema is printed. A schema of an earlier version is replaced.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

impl Schema {
    pub fn run(self) -> Result<u8, Failure> {
        let mut text = serde_json::to_string_pretty(&schema())
            .map_err(|error| Failure::machine(error.to_string()))?;
        text.push('\n');
        let Some(file) = self.output else {
            say(&text)?;
            return Ok(0);
        };
        match is_schema(&file) {
            true => beadwork::io::atomic::write(&file, text.as_bytes())?,
            false => write_new(&file, &text)?,
        }
        remark(&format!(
            "wrote {}; an input beside it names it in its first line: #:schema ./{}",
            file.display(),
            file.file_name().unwrap_or_default().to_string_lossy()
        ));
        Ok(0)
    }
}

/// Whether a file is a schema that this command wrote.
fn is_schema(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let schema: Option<Value> = serde_json::from_str(&text).ok();
    schema.is_some_and(|schema| {
        schema["title"].as_str().is_some_and(|title| title.starts_with(TITLE))
    })
}

/// The schema, draft 2020-12. It uses what earlier drafts have too, which some editors know alone.
fn schema() -> Value {
    let tables = tables();
    let mut properties = Map::new();
    let mut definitions = Map::new();
    for main in tables.iter().filter(|table| table.of.is_empty() && table.model.is_none()) {
        let models: Vec<&Keys> = tables
            .iter()
            .filter(|table| table.of.is_empty() && table.section == main.section)
            .collect();
        let section = match models.as_slice() {
            [only] => object(&tables, only),
            several => of_models(&tables, several, &mut definitions),
        };
        let section = match main.is_list {
            true => json!({ "type": "array", "minItems": 1, "items": section }),
            false => section,
        };
        properties.insert(main.section.clone(), section);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{TITLE} {}", env!("CARGO_PKG_VERSION")),
        "type": "object",
        "properties": properties,
        "required": ["system", "stage"],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// A section whose keys depend on `model`. All keys stand in `properties`, from which editors complete; the model then decides.
fn of_models(tables: &[Keys], models: &[&Keys], definitions: &mut Map<String, Value>) -> Value {
    let mut keys_of_all: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    let mut conditions = Vec::new();
    let mut usual = String::new();
    for keys in models {
        let mut schema = object(tables, keys);
        if keys.model.is_none() {
            let default = schema["properties"]["model"]["default"].as_str();
            usual = default.unwrap_or_default().to_string();
        }
        let name = keys.model.as_ref().unwrap_or(&usual).clone();
        for (key, value) in schema["properties"].as_object().into_iter().flatten() {
            keys_of_all.entry(key.clone()).or_default().push((name.clone(), value.clone()));
        }
        schema["properties"]["model"] = json!({ "const": name });
        // A section without the key has the usual model.
        let mut condition = json!({ "properties": { "model": { "const": name } } });
        if name != usual {
            condition["required"] = json!(["model"]);
        }
        let definition = format!("{}-{name}", keys.section);
        let then = json!({ "$ref": format!("#/$defs/{definition}") });
        conditions.push(json!({ "if": condition, "then": then }));
        definitions.insert(definition, schema);
    }
    let all: Map<String, Value> =
        keys_of_all.into_iter().map(|(key, values)| (key, any_of(values))).collect();
    json!({ "type": "object", "properties": all, "additionalProperties": false, "allOf": conditions })
}

/// What a key is in any of several models.
fn any_of(values: Vec<(String, Value)>) -> Value {
    if let [(_, only)] = values.as_slice() {
        return only.clone();
    }
    let mut choices: Vec<Value> = Vec::new();
    let mut descriptions = Vec::new();
    for (model, value) in &values {
        let said = value["description"].as_str().unwrap_or_default();
        descriptions.push(format!("{model}: {said}"));
        let choice = without_words(value);
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    let mut schema = match choices.len() {
        1 => choices.remove(0),
        _ => json!({ "anyOf": choices }),
    };
    schema["description"] = json!(descriptions.join("\n\n"));
    schema
}

/// A schema without its description and default, which differ between models.
fn without_words(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        map.remove("description");
        map.remove("default");
    }
    schema
}

/// The schema of a table with these keys.
fn object(tables: &[Keys], keys: &Keys) -> Value {
    let mut properties = Map::new();
    for row in keys.rows.iter().filter(|row| row.within.is_empty()) {
        properties.insert(row.key.clone(), property(tables, keys, row));
    }
    let mut schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let intro = without_links(&keys.intro);
    let description = intro.split(" The other keys").next().unwrap_or_default();
    if !description.is_empty() && keys.of.is_empty() {
        schema["description"] = json!(description);
    }
    let kinds: Vec<&String> = keys.rows.iter().flat_map(|row| &row.kinds).collect();
    if !kinds.is_empty() {
        decide_by_kind(keys, &kinds, &mut schema);
    }
    schema
}

/// Lets `kind` decide which keys a table has.
fn decide_by_kind(keys: &Keys, kinds: &[&String], schema: &mut Value) {
    let mut kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let condition = |kind: &&str| {
        let is_of = |row: &&Row| row.kinds.is_empty() || row.kinds.iter().any(|of| of == *kind);
        let names: Vec<&str> = keys.rows.iter().filter(is_of).map(|row| &*row.key).collect();
        json!({
            "if": { "properties": { "kind": { "const": kind } }, "required": ["kind"] },
            "then": { "propertyNames": { "enum": names } },
        })
    };
    schema["allOf"] = kinds.iter().map(condition).collect();
    schema["required"] = json!(["kind"]);
    schema["properties"]["kind"]["enum"] = json!(kinds);
}

/// The schema of a key.
fn property(tables: &[Keys], keys: &Keys, row: &Row) -> Value {
    let values = Values::of(row);
    let mut schema = match values.is_as_above.then(|| above(tables, keys, &row.key)).flatten() {
        Some((earlier, row)) => without_words(&property(tables, earlier, row)),
        None => {
            let has_tables = values.table || values.tables;
            let nested =
                has_tables.then(|| nested(tables, keys, &row.key, values.is_open)).flatten();
            let by_types = keys.intro.contains("depend on the") || row.meaning.contains("by types");
            values.schema(nested, by_types)
        }
    };
    if schema == json!({ "anyOf": [] }) {
        schema = json!({});
    }
    schema["description"] = json!(without_links(&row.meaning));
    if let Some(default) = values.default {
        schema["default"] = default;
    }
    schema
}

/// The nearest key of this name before these keys.
fn above<'a>(tables: &'a [Keys], keys: &Keys, key: &str) -> Option<(&'a Keys, &'a Row)> {
    let before = tables.iter().take_while(|table| !std::ptr::eq(*table, keys));
    let of_name = before
        .filter(|table| table.of.is_empty())
        .filter_map(|table| Some((table, table.rows.iter().find(|row| row.key == key)?)));
    of_name.last()
}

/// The schema of the table, or of each of the tables, that a key has: that of its own model, or else the first of the section.
fn nested(tables: &[Keys], keys: &Keys, key: &str, is_open: bool) -> Option<Value> {
    let within: Vec<&Row> =
        keys.rows.iter().filter(|row| row.within.iter().any(|of| of == key)).collect();
    if !within.is_empty() {
        let properties: Map<String, Value> =
            within.iter().map(|row| (row.key.clone(), property(tables, keys, row))).collect();
        return Some(json!({
            "type": "object", "properties": properties, "additionalProperties": is_open,
        }));
    }
    let of_key =
        |table: &&Keys| table.section == keys.section && table.of.iter().any(|of| of == key);
    let own = tables.iter().filter(of_key).find(|table| table.model == keys.model);
    own.or_else(|| tables.iter().find(of_key)).map(|table| object(tables, table))
}
