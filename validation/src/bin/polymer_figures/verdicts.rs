//! Averages of runs beside tables, beside each other, and neighbours' energies beside their law.

use std::path::Path;
use std::time::Instant;

use beadwork_analysis::table::read_csv;
use beadwork_validation::Failure;
use beadwork_validation::agreement::{
    Comparison, joint_probability, joint_probability_of_correlated,
};
use beadwork_validation::backend::Backend;
use beadwork_validation::moments::{Moments, Run};
use beadwork_validation::report::{Report, Table};
use serde_json::Value;

const MONOMERS: f64 = 13.0;
/// ⟨E⟩/N and C/N of the 13-mer with their errors in units of the last digit's place, where they are stated, by two other
/// programs: two runs of 2×10⁶ sweeps, and four runs with larger moves.
type Line = (f64, [Option<(f64, f64)>; 4]);
const TABLE: [Line; 9] = [
    (0.15, [None, Some((1.553, 0.005)), Some((-3.0988, 0.0002)), Some((1.560, 0.011))]),
    (0.2806, [None, Some((3.36, 0.05)), Some((-2.838, 0.002)), Some((3.28, 0.08))]),
    (
        0.3242,
        [Some((-2.646, 0.002)), Some((5.23, 0.04)), Some((-2.649, 0.004)), Some((5.19, 0.02))],
    ),
    (0.3677, [None, Some((4.33, 0.04)), Some((-2.434, 0.001)), Some((4.386, 0.025))]),
    (0.4113, [None, Some((3.06, 0.03)), Some((-2.274, 0.001)), Some((3.080, 0.016))]),
    (0.4984, [None, Some((2.230, 0.007)), Some((-2.0520, 0.0005)), Some((2.240, 0.007))]),
    (
        0.7161,
        [
            Some((-1.618, 0.001)),
            Some((1.793, 0.005)),
            Some((-1.6172, 0.0007)),
            Some((1.806, 0.005)),
        ],
    ),
    (0.9339, [None, Some((1.378, 0.003)), Some((-1.2700, 0.0006)), Some((1.379, 0.002))]),
    (1.5, [None, Some((0.611, 0.002)), Some((-0.7450, 0.0006)), Some((0.610, 0.002))]),
];
/// Backend and height of the peak of the 13-mer, the place of that of the 55-mer.
const PEAK_OF_13: [(f64, f64); 2] = [(0.332, 0.003), (5.25, 0.08)];
const PEAK_OF_55: (f64, f64) = (0.32, 0.01);

/// C/N of the table's second program.
pub fn heat_capacities_of_the_table() -> Vec<(f64, f64)> {
    TABLE.iter().filter_map(|(t, [.., heat])| Some((*t, (*heat)?.0))).collect()
}

/// What there is to say of what was kept.
pub fn report(kept: &Path) -> Result<Report, Failure> {
    let mut tables = Vec::new();
    let mut places = Vec::new();
    let runs = [
        "thirteen",
        "fifty-five",
        "mixing-ladder",
        "mixing-fixed",
        "ww-ladder",
        "ww-fixed",
        "ww-fine",
    ];
    for name in runs.iter().filter(|name| kept.join(name).exists()) {
        let text = std::fs::read_to_string(kept.join(name).join("run.json"))?;
        let record: Value = serde_json::from_str(&text)?;
        let on = record["gpus"][0].as_str().unwrap_or("the processor");
        places.push(format!("{name} ({on})"));
    }
    let is_kept = |name: &str| kept.join(name).exists();
    if is_kept("thirteen") {
        let run = Run::read(&kept.join("thirteen/moments.csv"))?;
        tables.push(beside_table(&run, "its first program", 0)?);
        tables.push(beside_table(&run, "its second program", 2)?);
        let peak = peak(&kept.join("thirteen"))?;
        let names = ["T of the highest C/N", "C/N there"];
        let rows = (0..2).map(|n| Comparison::of_mean(names[n], peak[n], PEAK_OF_13[n])).collect();
        let words = growth(&kept.join("thirteen"), 1.0)?;
        tables.push(Table::of_rows(
            "13 monomers, the peak where the chain freezes",
            words,
            1,
            rows,
        ));
    }
    if is_kept("fifty-five") {
        let peak = peak(&kept.join("fifty-five"))?;
        let rows = vec![Comparison::of_mean("T of the highest C/N", peak[0], PEAK_OF_55)];
        let words = growth(&kept.join("fifty-five"), 1.5)?;
        tables.push(Table::of_rows(
            "55 monomers, the peak where the chain freezes",
            words,
            1,
            rows,
        ));
    }
    if is_kept("mixing-ladder") && is_kept("mixing-fixed") {
        let quantities = ["square_radius_of_gyration", "contacts"];
        tables.push(with_and_without(kept, "mixing", "13 monomers", &quantities)?);
    }
    if is_kept("ww-ladder") && is_kept("ww-fixed") {
        let quantities = ["radius_of_gyration_nm", "native_contacts"];
        tables.push(with_and_without(kept, "ww", "WW domain", &quantities)?);
    }
    for (name, title) in [
        ("thirteen", "13 monomers"),
        ("fifty-five", "55 monomers"),
        ("mixing-ladder", "13 monomers, above freezing"),
        // With the steps of 20 ps of the other runs energies are by a hundredth those of a higher temperature, which shows.
        ("ww-fine", "WW domain, steps of 5 ps"),
    ] {
        if is_kept(name) {
            tables.push(neighbours(&kept.join(name), title)?);
        }
    }
    let question = "Does replica exchange give the averages of the published chains, those of other programs, and those without exchange?";
    let mut report = Report::new(&Backend::Cpu, "polymers", question, Instant::now(), tables);
    report.device = format!("this machine, from runs {}", places.join(", "));
    Ok(report)
}

/// A table of rows that come from the same ladders, with what its conditions say of them. A matrix of correlations needs
/// several times as many ladders as it has rows; with fewer, rows are taken as independent.
fn of_ladders(
    title: String,
    conditions: impl Fn(&str) -> String,
    rows: Vec<Comparison>,
    values: &[Vec<f64>],
) -> Table {
    const LADDERS_A_ROW: usize = 4;
    let ladders = values.last().map_or(0, Vec::len);
    let enough = values.iter().all(|of| of.len() >= LADDERS_A_ROW * rows.len());
    let (joint_probability, how) = match enough {
        true => (
            joint_probability_of_correlated(&rows, values),
            "their correlations are in the joint χ²",
        ),
        false => {
            (joint_probability(&rows), "too few for their correlations, rows count as independent")
        }
    };
    let conditions = conditions(&format!("left out one by one ({how})"));
    Table { joint_probability, ..Table::of_rows(title, conditions, ladders, rows) }
}

fn heat_capacity(temperature: f64) -> impl Fn(&Moments) -> f64 {
    move |moments| moments.energy_variance() / (temperature * temperature * MONOMERS)
}

fn beside_table(run: &Run, by: &str, from: usize) -> Result<Table, Failure> {
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    let mut samples = 0.0;
    for (temperature, line) in TABLE {
        let at = run.near(temperature).ok_or("a temperature of the table is missing")?;
        samples = at.ladders.iter().map(|ladder| ladder.rows).sum::<f64>();
        let numbers = [
            ("⟨E⟩/N", at.values(|moments| moments.energy[0] / MONOMERS)),
            ("C/N", at.values(heat_capacity(temperature))),
        ];
        for ((name, found), reference) in numbers.into_iter().zip(&line[from..]) {
            let Some((mean, error)) = *reference else { continue };
            rows.push(Comparison::new(
                &format!("{name} at T = {temperature}"),
                &found,
                mean,
                error,
            ));
            values.push(found);
        }
    }
    Ok(of_ladders(
        format!("13 monomers, beside a table by two other programs: {by}"),
        |how| format!("{samples} rows at each temperature; ladders are {how}."),
        rows,
        &values,
    ))
}

/// Averages with exchange beside those without, at the temperatures that both have.
fn with_and_without(
    kept: &Path,
    name: &str,
    title: &str,
    quantities: &[&str],
) -> Result<Table, Failure> {
    let read = |what: &str| Run::read(&kept.join(format!("{name}-{what}")).join("moments.csv"));
    let (with, without) = (read("ladder")?, read("fixed")?);
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for alone in &without.at {
        let together = with.near(alone.temperature).ok_or("a temperature is missing")?;
        let mut compare = |name: &str, number: &dyn Fn(&Run, &Moments) -> f64| {
            let with: Vec<f64> = together.values(|moments| number(&with, moments));
            let without = alone.values(|moments| number(&without, moments));
            let (mean, error) = beadwork_testing::mean_and_standard_error(&without);
            let name = format!("{name} at T = {}", alone.temperature);
            rows.push(Comparison::new(&name, &with, mean, error));
            values.push(with);
        };
        compare("⟨E⟩", &|_, moments| moments.energy[0]);
        compare("⟨E²⟩ − ⟨E⟩²", &|_, moments| moments.energy_variance());
        let both = |name: &&&str| [&with, &without].iter().all(|run| run.place(name).is_some());
        for quantity in quantities.iter().filter(both) {
            let mean = |run: &Run, moments: &Moments| {
                run.place(quantity).map_or(f64::NAN, |place| moments.mean(place))
            };
            compare(quantity, &mean);
        }
    }
    Ok(of_ladders(
        format!("{title}, with exchange and without"),
        |how| {
            format!(
                "Here: with exchange; reference: replicas at single temperatures. Ladders and replicas are {how}."
            )
        },
        rows,
        &values,
    ))
}

/// The slope of ln[P₁(E)/P₂(E)] of all neighbours of a ladder against β₂ − β₁.
fn neighbours(folder: &Path, title: &str) -> Result<Table, Failure> {
    let pairs = read_csv(folder.join("neighbours.csv"))?;
    let column = |name: &str| pairs.numbers(name);
    let name = if pairs.has("temperature") { "temperature" } else { "temperature_K" };
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
        "How many standard errors the slope of ln[P₁(E)/P₂(E)] is off β₂ − β₁; at least {:.1} % of the attempts to exchange succeed. That a wrong rule of exchange shows in this is tested in `beadwork-analysis` (`overlap::tests::wrong_rules_and_labels_show`).",
        100.0 * rarest
    );
    let missing = pairs.rows() - rows.len();
    let mut table = Table::of_rows(format!("{title}, energies of neighbours"), conditions, 1, rows);
    if missing > 0 {
        table.statements.push((format!("{missing} pairs have rows enough for an error."), false));
    }
    Ok(table)
}

/// Where d⟨r_g²⟩/dT is highest below and above a temperature between freezing and collapse.
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

/// Backend and height of the highest specific heat with their errors, from the words of a run's answer.
pub fn peak(folder: &Path) -> Result<[(f64, f64); 2], Failure> {
    let words = std::fs::read_to_string(folder.join("summary.txt"))?;
    Ok(peak_in(&words).ok_or("the answer names no peak with its errors")?)
}

/// Of `highest specific heat C/N = 5.2598 ± 0.0159 at T = 0.3320 ± 0.0003`.
fn peak_in(words: &str) -> Option<[(f64, f64); 2]> {
    let after = words.split_once("highest specific heat C/N = ")?.1;
    let (height, place) = after.lines().next()?.split_once(" at T = ")?;
    let both = |text: &str| -> Option<(f64, f64)> {
        let (value, error) = text.split_once(" ± ")?;
        Some((value.parse().ok()?, error.split(' ').next()?.parse().ok()?))
    };
    Some([both(place)?, both(height)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_answer() {
        let words = "x\nhighest specific heat C/N = 5.2598 ± 0.0159 at T = 0.3320 ± 0.0003\ny\n";
        assert_eq!(peak_in(words), Some([(0.3320, 0.0003), (5.2598, 0.0159)]));
        assert_eq!(peak_in("highest specific heat C/N = 5.2598 at T = 0.3320\n"), None);
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
