//! The JSON schema of inputs: what it is made of, and which inputs it accepts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::{LADDERS, PULL, Place, json_of};

fn schema() -> Value {
    json_of(&Place::new().beadwork("schema").expect(0).stdout)
}

/// Judges a value by the words of JSON Schema that the schema has; returns the places of mistakes.
struct Judge<'a> {
    root: &'a Value,
}

/// What the patterns of the schema say: a number with a unit.
fn is_quantity(text: &str) -> bool {
    let number = text.trim_start().trim_start_matches(['+', '-']);
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || "._".contains(c));
    number != unit && !unit.trim().is_empty()
}

impl Judge<'_> {
    fn mistakes(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let Value::Object(words) = schema else { panic!("{at}: {schema} is no schema") };
        let mut found = Vec::new();
        let mut wrong = |is_right: bool, what: String| {
            if !is_right {
                found.push(format!("{at}: {what}"));
            }
        };
        for (word, says) in words {
            match word.as_str() {
                "type" => wrong(is_of(value, says), format!("{value} is not {says}")),
                "enum" => {
                    wrong(
                        says.as_array().unwrap().contains(value),
                        format!("{value} is not in {says}"),
                    );
                }
                "const" => wrong(value == says, format!("{value} is not {says}")),
                "pattern" => {
                    wrong(value.as_str().is_none_or(is_quantity), format!("{value} has no unit"));
                }
                "required" => {
                    let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                    wrong(says.as_array().unwrap().iter().all(has), format!("not all of {says}"));
                }
                "minItems" => {
                    let count = value.as_array().map(Vec::len);
                    wrong(count != Some(0), format!("{value} is empty"));
                }
                _ => {}
            }
        }
        found.extend(self.mistakes_below(schema, value, at));
        found.extend(self.mistakes_of_several(schema, value, at));
        found
    }

    /// Mistakes in the keys of a table and the items of a list.
    fn mistakes_below(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (key, value) in value.as_object().into_iter().flatten() {
            let at = format!("{at}.{key}");
            if let Some(names) = schema.get("propertyNames") {
                found.extend(self.mistakes(names, &json!(key), &at));
            }
            match schema["properties"].get(key) {
                Some(of_key) => found.extend(self.mistakes(of_key, value, &at)),
                None if schema["additionalProperties"] == json!(false) => {
                    found.push(format!("{at}: unknown"));
                }
                None => {}
            }
        }
        for (place, item) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(items) = schema.get("items") {
                found.extend(self.mistakes(items, item, &format!("{at}[{place}]")));
            }
        }
        found
    }

    /// Mistakes by other schemas that this one names.
    fn mistakes_of_several(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(pointer) = schema["$ref"].as_str() {
            let other = self.root.pointer(pointer.trim_start_matches('#')).unwrap();
            found.extend(self.mistakes(other, value, at));
        }
        for other in schema["allOf"].as_array().into_iter().flatten() {
            found.extend(self.mistakes(other, value, at));
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let all: Vec<_> =
                choices.iter().map(|choice| self.mistakes(choice, value, at)).collect();
            if all.iter().all(|mistakes| !mistakes.is_empty()) {
                found.push(format!("{at}: none of {all:?}"));
            }
        }
        if let Some(condition) = schema.get("if")
            && self.mistakes(condition, value, at).is_empty()
        {
            found.extend(self.mistakes(&schema["then"], value, at));
        }
        found
    }
}

/// Whether a value is of one of some types.
fn is_of(value: &Value, types: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("{other} is no type"),
    };
    types.as_array().map_or_else(|| is(types), |types| types.iter().any(is))
}

fn mistakes(schema: &Value, input: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(input).unwrap();
    Judge { root: schema }.mistakes(schema, &serde_json::to_value(table).unwrap(), "input")
}

/// All inputs in a folder of the checkout.
fn inputs_in(folder: &str) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let folders = entries(&root).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    files
        .filter(|file| {
            let name = file.file_name().unwrap().to_string_lossy();
            name.ends_with(".toml") && name != "Cargo.toml"
        })
        .collect()
}

#[test]
fn examples_and_templates_are_valid() {
    let schema = schema();
    let valid = |name: &str, input: &str| {
        let mistakes = mistakes(&schema, input);
        assert!(mistakes.is_empty(), "{name}:\n{}", mistakes.join("\n"));
    };
    let files = inputs_in("examples");
    assert!(files.len() >= 10, "{files:?}");
    for file in files.into_iter().chain(inputs_in("validation")) {
        valid(&file.display().to_string(), &fs::read_to_string(&file).unwrap());
    }
    let place = Place::new();
    for model in [
        "sop",
        "indentation",
        "residues",
        "beads",
        "dpd",
        "melt",
        "chain",
        "fluid",
        "oscillators",
        "elastic-polymer",
    ] {
        let template = place.beadwork(&format!("new {model}")).expect(0).stdout;
        valid(model, &template);
        // What a template becomes with all its defaults is an input too.
        let read = beadwork::input::parse(&template, "NAME.toml", &place.path(""), &[]);
        if let Ok(request) = read {
            valid(&format!("resolved {model}"), &request.resolved);
        }
    }
    for input in [PULL, LADDERS] {
        let request = beadwork::input::parse(input, "NAME.toml", &place.path(""), &[]).unwrap();
        valid("resolved", &request.resolved);
        valid("written", input);
    }
}

#[test]
fn mistakes_are_marked_at_their_place() {
    let schema = schema();
    let sop = "[system]\nstructure = \"a.pdb\"\n[[stage]]\nsteps = 1\n";
    let cases = [
        ("[systems]\n", "input.systems: unknown"),
        ("[dynamics]\ntemperatur = \"300 K\"\n", "input.dynamics.temperatur: unknown"),
        ("[dynamics]\ntemperature = \"300\"\n", "\"300\" has no unit"),
        ("[dynamics]\nintegrator = \"verlet\"\n", "\"verlet\" is not in"),
        ("[random]\nseed = \"20101\"\n", "is not \"integer\""),
        ("[random]\naccept_flaws = \"yes\"\n", "is not \"boolean\""),
        ("[output]\ntable = { every_step = 5 }\n", "input.output.table.every_step: unknown"),
        ("[output]\ntable = { format = \"xtc\" }\n", "input.output.table.format: unknown"),
        (
            "[ensemble.sweep]\n\"pull.speed\" = [\"1 um/s\"]\nmode = \"all\"\n",
            "input.ensemble.sweep.mode",
        ),
        ("[[stage]]\nsteps = 1.5\n", "input.stage[1].steps"),
        ("[[stage]]\nminimise = { step = 1 }\n", "input.stage[1].minimise.step: unknown"),
        ("[[stage]]\ndrives = [ { kind = \"force\", speed = \"1 um/s\" } ]\n", "drives[0].speed"),
        ("[[stage]]\ndrives = [ { kind = \"pull\" } ]\n", "drives[0].kind"),
        ("[[stage]]\ndrives = [ { fixed = \"first\" } ]\n", "not all of [\"kind\"]"),
    ];
    assert_eq!(mistakes(&schema, sop), Vec::<String>::new());
    for range in ["[\"0 nm\", \"3 nm\"]", "\"0 nm, 3 nm\""] {
        let input = format!("{sop}[analysis]\nslope = {range}\nhertz = {range}\n");
        assert_eq!(mistakes(&schema, &input), Vec::<String>::new(), "{range}");
    }
    for prominence in ["\"40 pN\"", "\"automatic\"", "1.5"] {
        let input = format!("{sop}[analysis]\nprominence = {prominence}\n");
        assert_eq!(mistakes(&schema, &input), Vec::<String>::new(), "{prominence}");
    }
    for (part, expected) in cases {
        let found = mistakes(&schema, &format!("{sop}{part}")).join("\n");
        assert!(found.contains(expected), "{part}: no \"{expected}\" in {found}");
    }
    // The model decides which keys of [system] there are.
    let stage = "[[stage]]\nsteps = 1\n";
    for (system, expected) in [
        ("model = \"bead\"", "input.system.model"),
        ("structure = \"a.pdb\"\nparticles = 5", "input.system.particles: unknown"),
        (
            "model = \"oscillators\"\nparticles = 5\nstructure = \"a.pdb\"",
            "input.system.structure: unknown",
        ),
        ("structure = { file = \"a.pdb\", chain = \"A\" }", "input.system.structure"),
        ("model = \"beads\"\nstart = \"a.xyz\"\npairs = [ { kind = \"lj\" } ]", "pairs[0].kind"),
        ("model = \"beads\"\nstart = \"a.xyz\"\nexclude = { bond = 1 }", "input.system.exclude"),
    ] {
        let found = mistakes(&schema, &format!("[system]\n{system}\n{stage}")).join("\n");
        assert!(found.contains(expected), "{system}: no \"{expected}\" in {found}");
    }
    assert!(!mistakes(&schema, stage).is_empty(), "an input without [system]");
}

/// Each key says what it means and what it may be, and has the default of the reference.
#[test]
fn keys_have_words_values_and_defaults() {
    let schema = schema();
    let mut count = 0;
    let mut open = vec![(String::from("input"), &schema)];
    while let Some((at, part)) = open.pop() {
        for (key, of_key) in part["properties"].as_object().into_iter().flatten() {
            let at = format!("{at}.{key}");
            let kinds = ["type", "enum", "const", "anyOf", "$ref"];
            assert!(kinds.iter().any(|word| of_key.get(word).is_some()), "{at} may be anything");
            let choices = of_key["anyOf"].as_array();
            assert!(choices.is_none_or(|choices| choices.len() > 1), "{at}: {of_key}");
            let is_key = at.matches('.').count() > 1 && of_key.get("const").is_none();
            let words = of_key["description"].as_str().unwrap_or_default();
            assert!(!is_key || !words.is_empty(), "{at} says nothing");
            assert!(!words.contains("]("), "{at}: {words}");
            count += 1;
            open.push((at, of_key));
        }
        for word in ["anyOf", "oneOf"] {
            for choice in part[word].as_array().into_iter().flatten() {
                open.push((at.clone(), choice));
            }
        }
        if let Some(items) = part.get("items") {
            open.push((at.clone(), items));
        }
        for (name, definition) in part["$defs"].as_object().into_iter().flatten() {
            open.push((format!("{at}.{name}"), definition));
        }
    }
    assert!(count > 250, "only {count} keys");
    let at = |pointer: &str| schema.pointer(pointer).unwrap_or(&Value::Null).clone();
    let dynamics = "/properties/dynamics/properties";
    assert_eq!(at(&format!("{dynamics}/temperature/default")), "300 K");
    assert_eq!(at(&format!("{dynamics}/timestep/examples/0")), "20 ps");
    assert_eq!(at(&format!("{dynamics}/precision/enum")), json!(["single", "double"]));
    let models = json!(["sop", "residues", "beads", "oscillators", "elastic-polymer"]);
    assert_eq!(at("/properties/system/properties/model/enum"), models);
    let drives = "/properties/stage/items/properties/drives";
    let kinds = json!(["force", "force-ramp", "restrain", "spring", "surface", "tip"]);
    let items = at(&format!("{drives}/items"));
    assert_eq!(items["properties"]["kind"]["enum"], kinds);
    assert_eq!(at("/properties/output/properties/table/default"), json!({ "every_steps": 1000 }));
}

#[test]
fn a_schema_replaces_an_earlier_one_alone() {
    let place = Place::new();
    let write = || place.beadwork("schema --output beadwork.schema.json");
    write().expect(0).complains(&["#:schema ./beadwork.schema.json"]);
    let text = place.read("beadwork.schema.json");
    let earlier = text.replace(env!("CARGO_PKG_VERSION"), "0.0.1");
    place.write("beadwork.schema.json", &earlier);
    write().expect(0);
    assert_eq!(place.read("beadwork.schema.json"), text);
    place.write("beadwork.schema.json", "mine");
    write().expect(2).complains(&["exists and is left as it is"]);
    // The line that editors read is a comment.
    place.write("input.toml", &format!("#:schema ./beadwork.schema.json\n{PULL}"));
    place.beadwork("check input.toml").expect(0);
}
