//! The answer, and what it rests on.

use maud::{Markup, html};

use crate::data::{Class, Code, Finding, Group, Summary, TableFile, Value};

/// The columns of values in the table of a sweep.
const MOST_COLUMNS: usize = 6;
/// Rows of the table of a sweep. `answers.csv` has all.
const MOST_ROWS: usize = 500;
/// Points whose values are all shown.
const MOST_WHOLE: usize = 100;

/// The values with errors and units.
pub(super) fn answer(summaries: &[Summary]) -> Markup {
    let has_values = summaries.iter().any(|one| one.groups.iter().any(|of| !of.values.is_empty()));
    html! {
        section id="answer" {
            h2 { "Answer" }
            @if !has_values { p { "There are no values; the findings below say why." } }
            @for summary in summaries { (of_summary(summary)) }
            p.small { "± is the standard error. " code { "summary.json" } " has the same as data." }
            @for summary in summaries { (tables(summary)) }
        }
    }
}

/// The files of curves and single replicas.
fn tables(summary: &Summary) -> Markup {
    let columns = |table: &TableFile| {
        table.columns.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    html! {
        @if !summary.tables.is_empty() {
            details { summary { "Tables with the values, curves and single replicas" }
                div.wide { table { thead { tr { th { "file" } th.number { "rows" } th { "columns" } } }
                    tbody { @for table in &summary.tables { tr { th scope="row" { code { (table.file) } } td.number { (table.rows) } td.small { (columns(table)) } } } }
                } }
            }
        }
    }
}

fn of_summary(summary: &Summary) -> Markup {
    let with_values = summary.groups.iter().filter(|one| !one.values.is_empty());
    let (points, fits): (Vec<&Group>, Vec<&Group>) =
        with_values.partition(|group| group.points.is_empty());
    html! {
        @if let [group] = points.as_slice() {
            @if !group.name.is_empty() { h3 { (group.name) } }
            (values(group))
        } @else {
            @if !points.is_empty() { (sweep(&points)) }
            @if points.len() > MOST_ROWS { (left_out(points.len() - MOST_ROWS, "points")) }
            @for group in points.iter().take(MOST_WHOLE) {
                details { summary { "All values of " (name(group)) } (values(group)) }
            }
            @if points.len() > MOST_WHOLE { (left_out(points.len() - MOST_WHOLE, "points with all of their values")) }
        }
        @for group in &fits { h3 { (name(group)) } (values(group)) }
    }
}

fn left_out(count: usize, of: &str) -> Markup {
    html! { p.thinned { (count) " more " (of) " are not shown; " code { "answers.csv" } " has them." } }
}

fn name(group: &Group) -> &str {
    if group.name.is_empty() { "the run" } else { &group.name }
}

/// The first values of each group, a line a group.
fn sweep(groups: &[&Group]) -> Markup {
    let mut columns: Vec<(&str, &str, &str)> = Vec::new();
    for value in groups.iter().flat_map(|group| &group.values) {
        let column = (value.name.as_str(), value.of.as_str(), value.unit.as_str());
        let is_shown = value.value.is_some() && !value.words.is_empty();
        if is_shown && !columns.contains(&column) {
            columns.push(column);
        }
    }
    let more = columns.len().saturating_sub(MOST_COLUMNS);
    columns.truncate(MOST_COLUMNS);
    let words = |column: &(&str, &str, &str)| {
        let mut values = groups.iter().flat_map(|group| &group.values);
        values.find(|value| is_in(value, *column)).map_or("", |value| value.words.as_str())
    };
    html! {
        div.wide { table {
            thead { tr { th { "point" } th { "replicas" } @for column in &columns {
                th.number { (words(column)) @if !column.1.is_empty() { " of " (column.1) } @if !column.2.is_empty() { " / " (column.2) } }
            } } }
            tbody { @for group in groups.iter().take(MOST_ROWS) { tr {
                th scope="row" { (name(group)) } td.number { (group.replicas) }
                @for column in &columns {
                    td.number { @if let Some(value) = group.values.iter().find(|value| is_in(value, *column)) { (value.number_and_notes("").0) } @else { "–" } }
                }
            } } }
        } }
        @if more > 0 { p.thinned { (more) " more quantities stand among all values of each point." } }
    }
}

fn is_in(value: &Value, (name, of, unit): (&str, &str, &str)) -> bool {
    value.name == name && value.of == of && value.unit == unit
}

/// All values of a group.
fn values(group: &Group) -> Markup {
    let (shown, others): (Vec<&Value>, Vec<&Value>) =
        group.values.iter().partition(|value| !value.words.is_empty());
    html! {
        @if !shown.is_empty() { (table(&shown, |value| value.words.as_str())) }
        @if !others.is_empty() { details { summary { (others.len()) " more value(s), as " code { "answers.csv" } " names them" } (table(&others, |value| value.name.as_str())) } }
    }
}

fn table<'a>(values: &[&'a Value], words: impl Fn(&'a Value) -> &'a str) -> Markup {
    html! {
        div.wide { table.values {
            thead { tr { th { "quantity" } th.number { "value" } th { "unit" } th { "rests on" } } }
            tbody { @for value in values {
                @let (number, notes) = value.number_and_notes(&value.basis);
                tr {
                    th scope="row" { (words(value)) @if !value.of.is_empty() { " of " (value.of) } }
                    td.number { (number) } td { (value.unit) } td.small { (notes.join("; ")) }
                }
            } }
        } }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Bad,
    Care,
    Note,
    Good,
}

impl Weight {
    fn of(finding: &Finding) -> Weight {
        match finding.code.class() {
            Some(Class::Failure | Class::Disagreement) => Weight::Bad,
            Some(Class::Drift | Class::FewValues) => Weight::Care,
            None => match finding.code {
                Code::Agreement => Weight::Good,
                Code::OffBath
                | Code::Unfinished
                | Code::NotCompared
                | Code::Missing
                | Code::FewTimes => Weight::Care,
                _ => Weight::Note,
            },
        }
    }

    fn class(self) -> &'static str {
        match self {
            Weight::Bad => "bad",
            Weight::Care => "care",
            Weight::Note => "note",
            Weight::Good => "good",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Weight::Bad => "against it",
            Weight::Care => "care",
            Weight::Note => "to know",
            Weight::Good => "for it",
        }
    }
}

/// The findings, those that matter most first, under a sentence that sums them up.
pub(super) fn trust(summaries: &[Summary]) -> Markup {
    let mut findings: Vec<(Weight, &str, &Finding)> = Vec::new();
    for summary in summaries {
        let of_groups = summary.groups.iter().flat_map(|group| {
            group.findings.iter().map(move |finding| (group.name.as_str(), finding))
        });
        let of_runs = summary.findings.iter().map(|finding| ("", finding));
        findings.extend(of_groups.chain(of_runs).map(|(of, one)| (Weight::of(one), of, one)));
    }
    // Findings of one weight keep the order of their points.
    findings.sort_by_key(|(weight, ..)| *weight);
    html! {
        section id="trust" {
            h2 { "What to trust, and why" }
            p.verdict { (verdict(&findings)) }
            ul.findings { @for (weight, of, finding) in &findings {
                li.(weight.class()) {
                    span.badge.(weight.class()) { (weight.words()) } " "
                    @if !of.is_empty() { strong { (of) ": " } }
                    (finding.text) " " code.small { (finding.code.text()) }
                }
            } }
        }
    }
}

/// What the weightiest findings mean; they are the first.
fn verdict(findings: &[(Weight, &str, &Finding)]) -> String {
    let text = match findings.first().map(|(weight, ..)| *weight) {
        Some(Weight::Bad) => {
            "Something speaks against this answer: read the first findings before you use a value."
        }
        Some(Weight::Care) => {
            let mut doubts: Vec<&str> = Vec::new();
            for (_, _, finding) in findings.iter().filter(|(weight, ..)| *weight == Weight::Care) {
                let doubt = doubt(finding.code);
                if !doubts.contains(&doubt) {
                    doubts.push(doubt);
                }
            }
            return format!("Values can be used with care: {}.", doubts.join("; "));
        }
        Some(Weight::Note) => {
            "No check of drift, errors or failures found a fault. These findings say what the values rest on."
        }
        Some(Weight::Good) => "The run agrees with the law that it must follow.",
        None => {
            "No finding: no replica failed, and no check of drift, errors and laws that the model has found a fault."
        }
    };
    text.to_string()
}

/// What a finding that asks for care says of values.
fn doubt(code: Code) -> &'static str {
    match code {
        Code::OffBath => "temperatures are more than 1 % off the set ones",
        Code::Drift => "values still change",
        Code::FewValues => "errors are missing or lower bounds, or averages have few rows",
        Code::FewRoundTrips | Code::NoMixing => "temperatures have hardly mixed",
        Code::NoValues | Code::NoContact => "some values are missing",
        Code::Unfinished => "replicas have steps left",
        Code::NotCompared => "files could not be compared with what was written",
        Code::Missing => "replicas are missing",
        Code::FewTimes => "diffusion coefficients are no slopes",
        _ => "the first findings say why",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(values: Vec<Value>, findings: Vec<Finding>) -> Summary {
        let group = Group { name: "a < b".into(), values, findings, ..Group::default() };
        Summary { groups: vec![group], ..Summary::default() }
    }

    #[test]
    fn values_stand_with_error_unit_and_basis() {
        let force = Value::new("unfolding_force", "unfolding force", "pN", 182.34);
        let force = force.with_error(Some(1.8)).from("window <10 us>");
        let text = answer(&[summary(vec![force], Vec::new())]).into_string();
        for part in ["unfolding force", "182.3 ± 1.8", ">pN<", "window &lt;10 us&gt;"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("<10"));
    }

    #[test]
    fn the_weightiest_finding_comes_first() {
        let findings = [Code::FromStart, Code::Drift, Code::Failed]
            .map(|code| Finding::new(code, format!("<{}>", code.text())));
        let text = trust(&[summary(Vec::new(), findings.to_vec())]).into_string();
        let place = |word: &str| text.find(word).unwrap();
        assert!(place("&lt;failed&gt;") < place("&lt;drift&gt;"));
        assert!(place("&lt;drift&gt;") < place("&lt;from-start&gt;"));
        assert!(text.contains("speaks against this answer") && text.contains("a &lt; b: "));
        assert!(trust(&[summary(Vec::new(), Vec::new())]).into_string().contains("No finding"));
    }

    #[test]
    fn only_doubts_that_apply_are_named() {
        let of = |codes: &[Code]| {
            let findings = codes.iter().map(|code| Finding::new(*code, "because")).collect();
            trust(&[summary(Vec::new(), findings)]).into_string()
        };
        let errors = of(&[Code::FromStart, Code::FewValues, Code::FewValues]);
        let expected = "with care: errors are missing or lower bounds, or averages have few rows.<";
        assert!(errors.contains(expected), "{errors}");
        let text = of(&[Code::Drift, Code::Missing]);
        assert!(text.contains("with care: values still change; replicas are missing.<"), "{text}");
        // Each code that asks for care has words of its own.
        for code in Code::ALL {
            let is_doubt = Weight::of(&Finding::new(code, "")) == Weight::Care;
            assert_eq!(is_doubt, doubt(code) != doubt(Code::Agreement), "{code:?}");
        }
    }

    #[test]
    fn points_of_a_sweep_share_a_table() {
        let group = |name: &str, force: f64| Group {
            name: name.into(),
            values: vec![Value::new("f", "force", "pN", force).with_error(Some(2.0))],
            ..Group::default()
        };
        let groups = vec![group("slow", 100.0), group("fast", 150.0)];
        let text = answer(&[Summary { groups, ..Summary::default() }]).into_string();
        assert!(text.contains("force / pN") && text.contains("150.0 ± 2.0"), "{text}");
    }
}
