//! `stop` of a stage: rules that end it early.

use beadwork_model::StopRule;
use beadwork_model::externals::External;
use beadwork_model::observables::{MeasuredColumn, PullColumn};
use beadwork_model::units::{self, Units};

use super::context::StageContext;
use crate::document::Value;
use crate::error::{BAD_VALUE, Error, UNKNOWN_KEY, WRONG_TYPE};
use crate::numbers::Bound;
use crate::section::Section;
use crate::steps;
use crate::words::meant;

/// Steps between tests of the stop rules.
pub(crate) const STOP_EVERY: u32 = 1000;

/// Reads `stop` and `stop_every`. Rules may watch columns that the stage has by its externals, and those of its named drives.
pub(super) fn read_stops(
    section: &mut Section<'_>,
    context: &StageContext<'_>,
    externals: &[External],
) -> Result<Vec<StopRule>, Error> {
    let own = externals.iter().flat_map(|external| external.columns());
    let whole = context.observables.iter().chain(own).copied().map(MeasuredColumn::Whole);
    let pulls = PullColumn::of_externals(externals).into_iter().map(MeasuredColumn::OfPull);
    let known: Vec<MeasuredColumn> = whole.chain(pulls).collect();
    let units = context.timestep.units;
    let Some(node) = section.node("stop") else {
        section.keep("stop", Value::List(Vec::new()));
        steps::number_or(section, "stop_every", STOP_EVERY, "steps")?;
        return Ok(Vec::new());
    };
    let single = std::slice::from_ref(node);
    let rules = node.list().unwrap_or(single);
    let mut stops = Vec::new();
    for rule in rules {
        let Value::Text(text) = &rule.value else {
            let problem = format!(
                "must be a text such as \"{}\", or a list of such, found {}",
                example(units),
                rule.found()
            );
            return Err(section.fault(WRONG_TYPE, "stop", &problem));
        };
        let stop = parse_stop(text, &known, units).map_err(|(code, problem)| {
            rule.place.error(code, format!("{}: `stop`: {problem}", section.name))
        })?;
        stops.push(stop);
    }
    section.keep("stop", node.value.clone());
    let every = steps::number_or(section, "stop_every", STOP_EVERY, "steps")?;
    Ok(stops.into_iter().map(|stop| StopRule { every, ..stop }).collect())
}

/// A rule, for messages.
fn example(units: Units) -> &'static str {
    match units {
        Units::Real => "extension > 25 nm",
        Units::Reduced => "radius_of_gyration > 3",
    }
}

/// `WORD < QUANTITY` or `WORD > QUANTITY`.
fn parse_stop(
    text: &str,
    known: &[MeasuredColumn],
    units: Units,
) -> Result<StopRule, (&'static str, String)> {
    if let Some(beginning) = units::beginning_of_long(text) {
        let problem = format!(
            "\"{beginning}\" is too long for a rule: write for example \"{}\"",
            example(units)
        );
        return Err((BAD_VALUE, problem));
    }
    let Some(at) = text.find(['<', '>']) else {
        let problem =
            format!("\"{text}\" has neither < nor >; write for example \"{}\"", example(units));
        return Err((BAD_VALUE, problem));
    };
    let (word, rest) = (text[..at].trim(), text[at + 1..].trim());
    if rest.starts_with('=') {
        let problem = format!("\"{text}\" has an = that is not needed: write < or > alone");
        return Err((BAD_VALUE, problem));
    }
    let Some(column) = known.iter().find(|one| one.word() == word) else {
        let words: Vec<String> = known.iter().map(MeasuredColumn::word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let meant = meant(word, &words, '"');
        let problem = format!("nothing is called \"{word}\"{meant} Known: {}", words.join(", "));
        return Err((UNKNOWN_KEY, problem));
    };
    if column.quantity().is_average() {
        let problem = format!(
            "{word} is an average between rows of the table, which must not decide where a stage ends: watch another one, such as force or extension"
        );
        return Err((BAD_VALUE, problem));
    }
    let unit = column.unit_in(units);
    let quantity = units::parse(rest, unit.dimension());
    let quantity = quantity.map_err(|error| (error.code(), error.to_string()))?;
    if let Some(problem) = Bound::Any.problem(quantity.value) {
        return Err((BAD_VALUE, format!("the number in \"{text}\" {problem}")));
    }
    Ok(StopRule {
        text: text.to_string(),
        column: column.clone(),
        above: text[at..].starts_with('>'),
        threshold: unit.convert(quantity.value),
        every: STOP_EVERY.into(),
    })
}
