//! `stop` of a stage: rules that end it early.

use beadwork_model::StopRule;
use beadwork_model::externals::External;
use beadwork_model::observables::Observable;
use beadwork_model::units::{self, Units};

use super::context::StageContext;
use crate::document::Value;
use crate::error::{BAD_VALUE, Error, UNKNOWN_KEY, WRONG_TYPE};
use crate::section::Section;
use crate::words::meant;

/// Steps between tests of the stop rules.
const STOP_EVERY: u32 = 1000;

/// Reads `stop` and `stop_every`. Rules may watch columns that the stage has by its externals.
pub(super) fn read_stops(
    section: &mut Section<'_>,
    context: &StageContext<'_>,
    externals: &[External],
) -> Result<Vec<StopRule>, Error> {
    let own = externals.iter().flat_map(|external| external.columns());
    let known: Vec<Observable> = context.observables.iter().chain(own).copied().collect();
    let Some(node) = section.node("stop") else {
        section.keep("stop", Value::List(Vec::new()));
        section.integer_or("stop_every", 1, STOP_EVERY)?;
        return Ok(Vec::new());
    };
    let single = std::slice::from_ref(node);
    let rules = node.list().unwrap_or(single);
    let mut stops = Vec::new();
    for rule in rules {
        let Value::Text(text) = &rule.value else {
            let problem = format!(
                "must be a text such as \"extension > 25 nm\", or a list of such, found {}",
                rule.found()
            );
            return Err(section.fault(WRONG_TYPE, "stop", &problem));
        };
        let stop =
            parse_stop(text, &known, context.timestep.units).map_err(|(code, problem)| {
                rule.place.error(code, format!("{}: `stop`: {problem}", section.name))
            })?;
        stops.push(stop);
    }
    section.keep("stop", node.value.clone());
    let every = section.integer_or("stop_every", 1, STOP_EVERY)?.value;
    Ok(stops.into_iter().map(|stop| StopRule { every, ..stop }).collect())
}

/// `WORD < QUANTITY` or `WORD > QUANTITY`.
fn parse_stop(
    text: &str,
    known: &[Observable],
    units: Units,
) -> Result<StopRule, (&'static str, String)> {
    let Some(at) = text.find(['<', '>']) else {
        let problem =
            format!("\"{text}\" has neither < nor >; write for example \"extension > 25 nm\"");
        return Err((BAD_VALUE, problem));
    };
    let (word, rest) = (text[..at].trim(), text[at + 1..].trim());
    if rest.starts_with('=') {
        let problem = format!("\"{text}\" has an = that is not needed: write < or > alone");
        return Err((BAD_VALUE, problem));
    }
    let Some(&observable) = known.iter().find(|one| one.word() == word) else {
        let words: Vec<&str> = known.iter().map(|one| one.word()).collect();
        let meant = meant(word, &words, '"');
        let problem = format!("nothing is called \"{word}\"{meant} Known: {}", words.join(", "));
        return Err((UNKNOWN_KEY, problem));
    };
    if observable.is_average() {
        let problem = format!(
            "{word} is an average between rows of the table, which must not decide where a stage ends: watch another one, such as force or extension"
        );
        return Err((BAD_VALUE, problem));
    }
    let unit = observable.unit_in(units);
    let quantity = units::parse(rest, unit.dimension());
    let quantity = quantity.map_err(|error| (error.code(), error.to_string()))?;
    Ok(StopRule {
        text: text.to_string(),
        observable,
        above: text[at..].starts_with('>'),
        threshold: unit.convert(quantity.value),
        every: STOP_EVERY.into(),
    })
}
