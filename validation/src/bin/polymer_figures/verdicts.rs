//! Compares averages of runs with tables and with each other, and energies of neighbours with their law.

use std::path::Path;
use std::time::Instant;

use beadwork_analysis::table::{Table as Csv, read_csv};
use beadwork_report::data::Summary;
use beadwork_validation::Failure;
use beadwork_validation::agreement::{Comparison, joint_probability};
use beadwork_validation::backend::Backend;
use beadwork_validation::report::{Report, Table};
use serde_json::Value;

/// Averages of the 13-mer by two other programs: two runs of 2×10⁶ sweeps, and four runs with larger moves.
const THIRTEEN_BY_OTHERS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/polymers/thirteen-by-others.csv");
/// For each chain: the folder of its run, the beads, the published place and (if published) height of the highest C/N,
/// each with its error, and the temperature near which the paper finds the collapse.
type Peak = (&'static str, usize, &'static [(f64, f64)], f64);
const PEAKS: [Peak; 2] = [
    ("thirteen", 13, &[(0.332, 0.003), (5.25, 0.08)], 1.0),
    ("fifty-five", 55, &[(0.32, 0.01)], 1.5),
];
/// All runs that `measure` keeps.
const RUNS: [&str; 7] =
    ["thirteen", "fifty-five", "mixing-ladder", "mixing-fixed", "ww-ladder", "ww-fixed", "ww-fine"];
/// Runs whose neighbours are compared. `ww-ladder` is left out: its steps of 20 ps shift energies to those of a
/// temperature 1 % higher, which this test detects.
const JUDGED: [(&str, &str); 4] = [
    ("thirteen", "13 monomers"),
    ("fifty-five", "55 monomers"),
    ("mixing-ladder", "13 monomers, above freezing"),
    ("ww-fine", "WW domain, steps of 5 ps"),
];
/// Runs with and without exchange: prefix of their names, title, and the columns to compare, energies first.
const MIXED: [(&str, &str, [&str; 4]); 2] = [
    (
        "mixing",
        "13 monomers",
        ["energy_per_bead", "heat_capacity_per_bead", "square_radius_of_gyration", "contacts"],
    ),
    (
        "ww",
        "WW domain",
        [
            "energy_per_bead_kcal_per_mol",
            "heat_capacity_per_bead",
            "radius_of_gyration_nm",
            "native_contacts",
        ],
    ),
];

/// C/N of the 13-mer from the second of the other programs.
pub fn heat_capacities_of_thirteen() -> Result<Vec<(f64, f64)>, Failure> {
    let table = read_csv(THIRTEEN_BY_OTHERS)?;
    let heat = table.numbers("heat_capacity_per_bead")?;
    let points = table.numbers("temperature")?.into_iter().zip(heat).zip(table.texts("program")?);
    Ok(points.filter(|(_, program)| *program == "second").map(|(point, _)| point).collect())
}

/// The report on all existing results.
pub fn report(kept: &Path) -> Result<Report, Failure> {
    let is_kept = |name: &str| kept.join(name).exists();
    let mut places = Vec::new();
    for name in RUNS.into_iter().filter(|name| is_kept(name)) {
        let text = std::fs::read_to_string(kept.join(name).join("run.json"))?;
        let record: Value = serde_json::from_str(&text)?;
        let on = record["gpus"][0].as_str().unwrap_or("the processor");
        places.push(format!("{name} ({on})"));
    }
    let mut tables = Vec::new();
    if is_kept("thirteen") {
        let averages = Averages::read(&kept.join("thirteen"))?;
        for program in ["first", "second"] {
            tables.push(beside_other_program(&averages, program)?);
        }
    }
    for (name, monomers, published, collapse) in
        PEAKS.into_iter().filter(|(name, ..)| is_kept(name))
    {
        let names = ["T of the highest C/N", "C/N there"].into_iter();
        let found = peak(&kept.join(name))?.into_iter().zip(published);
        let rows =
            names.zip(found).map(|(name, (found, of))| Comparison::of_mean(name, found, *of));
        let title = format!("{monomers} monomers, the peak where the chain freezes");
        tables.push(Table::of_rows(title, growth(&kept.join(name), collapse)?, 1, rows.collect()));
    }
    for (name, title, columns) in MIXED {
        let runs = ["ladder", "fixed"].map(|what| format!("{name}-{what}"));
        if runs.iter().all(|run| is_kept(run)) {
            let [with, without] = runs.map(|run| Averages::read(&kept.join(run)));
            tables.push(with_and_without(&with?, &without?, title, columns)?);
        }
    }
    for (name, title) in JUDGED.into_iter().filter(|(name, _)| is_kept(name)) {
        tables.push(neighbours(&kept.join(name), title)?);
    }
    let question = "Does replica exchange give the averages of the published chains, those of other programs, and those without exchange?";
    let mut report = Report::new(&Backend::Cpu, "polymers", question, Instant::now(), tables);
    report.device = format!("this machine, from runs {}", places.join(", "));
    Ok(report)
}

/// Averages at each temperature with their errors, from the `thermodynamics.csv` of a run.
struct Averages {
    table: Csv,
    temperatures: Vec<f64>,
}

impl Averages {
    fn read(folder: &Path) -> Result<Averages, Failure> {
        let table = read_csv(folder.join("thermodynamics.csv"))?;
        let temperatures = table.numbers(temperature_of(&table))?;
        Ok(Averages { table, temperatures })
    }

    /// The average in a column and its error, at this temperature within a thousandth of it.
    fn at(&self, temperature: f64, column: &str) -> Result<(f64, f64), Failure> {
        let is_near = |other: &f64| (other / temperature - 1.0).abs() < 1e-3;
        let row = self.temperatures.iter().position(is_near);
        let row = row.ok_or_else(|| format!("there are no averages at T = {temperature}"))?;
        let error = self.table.numbers(&format!("{column}_error"))?[row];
        Ok((self.table.numbers(column)?[row], error))
    }
}

/// The column of temperatures; those of proteins are in K.
fn temperature_of(table: &Csv) -> &'static str {
    if table.has("temperature") { "temperature" } else { "temperature_K" }
}

fn beside_other_program(averages: &Averages, program: &str) -> Result<Table, Failure> {
    let table = read_csv(THIRTEEN_BY_OTHERS)?;
    let (temperatures, programs) = (table.numbers("temperature")?, table.texts("program")?);
    let mut rows = Vec::new();
    for (name, column) in [("⟨E⟩/N", "energy_per_bead"), ("C/N", "heat_capacity_per_bead")] {
        let means = table.numbers(column)?;
        let errors = table.numbers(&format!("{column}_error"))?;
        // An empty cell means that the value was not published.
        let given =
            (0..means.len()).filter(|row| programs[*row] == program && means[*row].is_finite());
        for row in given {
            let found = averages.at(temperatures[row], column)?;
            let name = format!("{name} at T = {}", temperatures[row]);
            rows.push(Comparison::of_mean(&name, found, (means[row], errors[row])));
        }
    }
    let title = format!("13 monomers, beside a table by two other programs: its {program} program");
    Ok(Table::of_rows(title, "The joint χ² takes the rows as independent.", 1, rows))
}

/// Compares averages with and without exchange at common temperatures.
fn with_and_without(
    with: &Averages,
    without: &Averages,
    title: &str,
    columns: [&str; 4],
) -> Result<Table, Failure> {
    let (mut rows, mut energies) = (Vec::new(), Vec::new());
    for &temperature in &without.temperatures {
        for column in columns {
            let name = format!("{column} at T = {temperature}");
            let reference = without.at(temperature, column)?;
            rows.push(Comparison::of_mean(&name, with.at(temperature, column)?, reference));
        }
        energies.push(rows[rows.len() - columns.len()].clone());
    }
    let conditions = "Here: with exchange; reference: replicas at single temperatures. The quantities at a temperature are correlated, so the joint χ² is that of the energies.";
    let table = Table::of_rows(format!("{title}, with exchange and without"), conditions, 1, rows);
    let joint_probability = joint_probability(&energies);
    Ok(Table { joint_probability, joint_rows: energies.len(), ..table })
}

/// Compares the slope of ln[P₁(E)/P₂(E)] of all neighbours of a ladder with β₂ − β₁.
fn neighbours(folder: &Path, title: &str) -> Result<Table, Failure> {
    let pairs = read_csv(folder.join("neighbours.csv"))?;
    let column = |name: &str| pairs.numbers(name);
    let name = temperature_of(&pairs);
    let (lower, upper) = (column(name)?, column(&format!("next_{name}"))?);
    let off = column("slope_standard_errors_off")?;
    let rows: Vec<Comparison> = (0..pairs.rows())
        .filter(|pair| off[*pair].is_finite())
        .map(|pair| {
            let name = format!("slope between T = {} and {}", lower[pair], upper[pair]);
            Comparison::of_mean(&name, (off[pair], 1.0), (0.0, 0.0))
        })
        .collect();
    let swaps =
        column("accepted")?.into_iter().zip(column("attempted")?).map(|(made, tried)| made / tried);
    let rarest = swaps.fold(1.0, f64::min);
    let conditions = format!(
        "How many standard errors the slope of ln[P₁(E)/P₂(E)] is off β₂ − β₁; at least {:.1} % of the attempts to exchange succeed. That a wrong rule of exchange shows in this is tested in `beadwork-analysis` (`wrong_rules_and_labels_show`).",
        100.0 * rarest
    );
    let missing = pairs.rows() - rows.len();
    let mut table = Table::of_rows(format!("{title}, energies of neighbours"), conditions, 1, rows);
    if missing > 0 {
        let sentence = format!("Each pair has rows enough for an error; {missing} have not.");
        table.statements.push((sentence, false));
    }
    Ok(table)
}

/// The temperatures of the highest d⟨r_g²⟩/dT below and above a temperature between freezing and collapse.
fn growth(folder: &Path, collapse: f64) -> Result<String, Failure> {
    const BETWEEN: f64 = 0.6;
    let curves = read_csv(folder.join("curves.csv"))?;
    let temperatures = curves.numbers("temperature")?;
    let growth = curves.numbers("square_radius_of_gyration_derivative")?;
    let points = temperatures.iter().zip(&growth);
    let highest = |above: bool| {
        let side = points.clone().filter(|(t, _)| (**t > BETWEEN) == above);
        side.max_by(|a, b| a.1.total_cmp(b.1)).map_or(f64::NAN, |(t, _)| *t)
    };
    Ok(format!(
        "d⟨r_g²⟩/dT is highest at T = {:.3} and, above {BETWEEN}, at {:.3}; the paper sees the collapse near {collapse}.",
        highest(false),
        highest(true)
    ))
}

/// Place and height of the highest specific heat with their errors, from the summary of a run.
fn peak(folder: &Path) -> Result<[(f64, f64); 2], Failure> {
    let text = std::fs::read_to_string(folder.join("summary.json"))?;
    let summary = Summary::from_json(&text)?;
    let value = |name: &str| {
        let value = summary.groups.first()?.value(name)?;
        Some((value.value?, value.error?))
    };
    let both = ["temperature_of_highest_specific_heat", "highest_specific_heat"].map(value);
    match both {
        [Some(place), Some(height)] => Ok([place, height]),
        _ => Err("the answer names no peak with its errors".into()),
    }
}

#[cfg(test)]
mod tests {
    use beadwork_report::data;

    use super::*;

    #[test]
    fn the_peak_is_read_from_the_answer() {
        let value = |name: &str, value, error| data::Value {
            error,
            ..data::Value::new(name, name, "", value)
        };
        let read = |error| {
            let folder = tempfile::tempdir().unwrap();
            let values = vec![
                value("highest_specific_heat", 5.2598, Some(0.0159)),
                value("temperature_of_highest_specific_heat", 0.3320, error),
            ];
            let group = data::Group { values, ..Default::default() };
            let summary = Summary { groups: vec![group], ..Default::default() };
            std::fs::write(folder.path().join("summary.json"), summary.to_json()).unwrap();
            peak(folder.path()).ok()
        };
        assert_eq!(read(Some(0.0003)), Some([(0.3320, 0.0003), (5.2598, 0.0159)]));
        assert_eq!(read(None), None);
    }

    #[test]
    fn averages_that_differ_without_exchange_spoil_the_verdict() {
        let folder = tempfile::tempdir().unwrap();
        let averages = |energy: &str| {
            let text = format!(
                "group,temperature,a,a_error,b,b_error,c,c_error,d,d_error\n,0.4,{energy},0.1,1,0.1,2,0.1,3,0.1\n"
            );
            std::fs::write(folder.path().join("thermodynamics.csv"), text).unwrap();
            Averages::read(folder.path()).unwrap()
        };
        let with = averages("-5");
        let judge = |energy: &str| {
            let table = with_and_without(&with, &averages(energy), "x", ["a", "b", "c", "d"]);
            table.unwrap().agrees()
        };
        assert!(judge("-5.2"));
        assert!(!judge("-5.8"));
        assert!(!judge(""));
        assert!(with.at(0.5, "a").is_err());
    }

    #[test]
    fn growth_has_a_peak_on_either_side() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let text =
            "temperature,square_radius_of_gyration_derivative\n0.3,1\n0.4,3\n0.9,1\n1.1,2\n1.5,1\n";
        std::fs::write(folder.join("curves.csv"), text).unwrap();
        let words = growth(folder, 1.0).unwrap();
        assert!(words.contains("T = 0.400 and, above 0.6, at 1.100"), "{words}");
    }

    #[test]
    fn a_slope_that_is_off_spoils_the_verdict() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let judge = |off: &str| {
            let text = format!(
                "group,temperature,next_temperature,attempted,accepted,overlap,slope_standard_errors_off\n,0.1,0.2,10,4,0.5,{off}\n"
            );
            std::fs::write(folder.join("neighbours.csv"), text).unwrap();
            neighbours(folder, "x").unwrap().agrees()
        };
        assert!(judge("1.5"));
        assert!(!judge("-4.5"));
        assert!(!judge(""));
    }
}
