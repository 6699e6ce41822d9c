//! Speed-ups and times against the number of replicas, from `beadwork bench polymer --device cuda`.

use std::fmt::Write as _;
use std::path::Path;

use beadwork_analysis::plot::Figure;
use beadwork_validation::Failure;
use beadwork_validation::figures::{Points, both, figure, logarithmic, points, rows_of_bench};
use serde_json::Value;

const SWEEPS: f64 = 4_000.0;
const CHAINS: [u64; 2] = [13, 55];
/// Programs on the GPU and on a core, in the order of their colours.
const OF_CARD: [(&str, &str); 3] =
    [("naive", "published, naive"), ("improved", "published, improved"), ("beadwork", "beadwork")];
const OF_CORE: [(&str, &str); 2] =
    [("whole-energy", "the whole energy (published)"), ("moved-monomer", "what a move changes")];
/// The paper's Table 2, GTX480, 55 monomers: highest speed-ups of the naive and the improved program.
const PUBLISHED: [f64; 2] = [9.0, 130.0];

/// A result of the bench: rows of ladders, and of the programs on one core.
struct Bench {
    ladders: Vec<Value>,
    cores: Vec<Value>,
}

impl Bench {
    fn read(kept: &Path) -> Result<Option<Bench>, Failure> {
        let path = kept.join("polymer-cuda.json");
        if !path.exists() {
            return Ok(None);
        }
        let (ladders, cores) = (rows_of_bench(&path, "rows")?, rows_of_bench(&path, "cores")?);
        Ok(Some(Bench { ladders, cores }))
    }

    /// Moves/s of a program on the GPU against the number of replicas.
    fn of_card(&self, program: &str, monomers: u64) -> Result<Points, Failure> {
        let ladders = self.ladders.iter().filter(|row| row["monomers"] == monomers);
        let rates = ladders.filter_map(|row| {
            let mut others = row["references"].as_array()?.iter();
            let found = others.find(|other| other["name"] == program);
            let found = if program == "beadwork" { Some(row) } else { found };
            Some((row, found?))
        });
        points(rates, |(row, found)| {
            Some((row["replicas"].as_f64()?, found["rate"]["median"].as_f64()?))
        })
    }

    fn of_core(&self, program: &str, monomers: u64) -> Option<f64> {
        let is_it = |row: &&Value| row["monomers"] == monomers && row["name"] == program;
        self.cores.iter().find(is_it)?["rate"]["median"].as_f64()
    }
}

/// Figs. 6 to 9, for each chain with timings.
pub fn figures(kept: &Path) -> Result<Vec<(String, Figure)>, Failure> {
    let Some(bench) = Bench::read(kept)? else { return Ok(Vec::new()) };
    let mut figures = Vec::new();
    for monomers in CHAINS {
        let (mut speed, mut time) = (Vec::new(), Vec::new());
        for (colour, (program, label)) in OF_CARD.into_iter().enumerate() {
            let rates = bench.of_card(program, monomers)?;
            if rates.is_empty() {
                continue;
            }
            let mut add = |label: &str, colour, core| {
                if let Some(core) = bench.of_core(core, monomers) {
                    let over = |(replicas, rate): &(f64, f64)| (*replicas, rate / core);
                    speed.extend(both(label, rates.iter().map(over).collect(), colour));
                }
            };
            add(label, colour, "whole-energy");
            if program == "beadwork" {
                add("beadwork, fair core", colour + 1, "moved-monomer");
            }
            let seconds = |(replicas, rate): &(f64, f64)| {
                (*replicas, SWEEPS * monomers as f64 * replicas / rate)
            };
            time.extend(both(label, rates.iter().map(seconds).collect(), colour));
        }
        let cores =
            "One core computes the whole energy at each move, the fair core only what changes.";
        for (name, y, series, note) in [
            ("speed-up", "speed-up over one core", speed, Some(cores)),
            ("time", "s of 4,000 sweeps", time, None),
        ] {
            if series.is_empty() {
                continue;
            }
            let title = format!("{monomers} monomers, one GPU");
            let notes = note.map(String::from).into_iter().collect();
            let figure = figure(title, ["replicas", y].map(logarithmic), series);
            figures.push((format!("{name}-{monomers}"), Figure { notes, ..figure }));
        }
    }
    Ok(figures)
}

/// Table 2: the highest speed-up of each program, and its number of replicas.
pub fn table(kept: &Path) -> Result<Option<String>, Failure> {
    let Some(bench) = Bench::read(kept)? else { return Ok(None) };
    let mut text = String::from(
        "# Highest speed-ups\n\nTable 2 of Gross, Janke and Bachmann (2011). By `beadwork bench polymer --device cuda` (`benchmarks/results/polymer-gpu.md`): the published protocol, 4,000 sweeps with an exchange every 1,000, copies included, over one chain on one core of the same machine.\n\n| monomers | program | replicas | moves/s |",
    );
    text.extend(OF_CORE.map(|(_, label)| format!(" over a core, {label} |")));
    text.push_str(" published, GTX480 |\n|---|---|---|---|---|---|---|\n");
    for monomers in CHAINS {
        for (number, (program, label)) in OF_CARD.into_iter().enumerate() {
            let rates = bench.of_card(program, monomers)?;
            let Some((replicas, rate)) = rates.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
            else {
                continue;
            };
            let _ = write!(text, "| {monomers} | {label} | {replicas} | {rate:.3e} |");
            let cores = OF_CORE.map(|(name, _)| bench.of_core(name, monomers));
            let over = cores.map(|core| core.map(|core| format!(" {:.1} |", rate / core)));
            text.extend(over.map(|cell| cell.unwrap_or(" |".to_string())));
            let _ = match PUBLISHED.get(number).filter(|_| monomers == 55) {
                Some(theirs) => writeln!(text, " {theirs} |"),
                None => writeln!(text, " |"),
            };
        }
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_ups_on_paper() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert!(figures(folder).unwrap().is_empty() && table(folder).unwrap().is_none());
        let row = |replicas: u32, ours: f64, naive: f64| {
            format!(
                r#"{{"monomers":55,"replicas":{replicas},"rate":{{"median":{ours}}},"references":[{{"name":"naive","rate":{{"median":{naive}}}}}]}}"#
            )
        };
        let json = format!(
            r#"{{"rows":[{},{}],"cores":[{{"monomers":55,"name":"whole-energy","rate":{{"median":1e5}}}}]}}"#,
            row(1, 4e6, 2e4),
            row(100, 2.2e8, 3e6)
        );
        std::fs::write(folder.join("polymer-cuda.json"), json).unwrap();
        let figures = figures(folder).unwrap();
        let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["speed-up-55", "time-55"]);
        // First the naive program, up to 30 times a core, then beadwork, 40 to 2,200 times.
        let [speed, time] = [&figures[0].1.series, &figures[1].1.series];
        assert_eq!(speed[0].points, [(1.0, 0.2), (100.0, 30.0)]);
        assert_eq!(speed[2].points, [(1.0, 40.0), (100.0, 2200.0)]);
        // 4,000 sweeps of 100 chains of 55 are 2.2×10⁷ moves.
        assert!((time[2].points[1].1 - 0.1).abs() < 1e-12);
        let table = table(folder).unwrap().unwrap();
        assert!(table.contains("| 55 | beadwork | 100 | 2.200e8 | 2200.0 | | |"), "{table}");
        assert!(table.contains("| 30.0 | | 9 |"), "{table}");
    }
}
