//! Draws Figs. 5 and 6 of \[C\] in the book's list of sources from the results of `validation/oscillators/measure`:
//! time of 10³ steps and memory of states against the number of particles; for Hybrid Taus and Lagged Fibonacci also
//! steps without random numbers, the numbers alone, and a core's time over the GPU's.
//!
//! `oscillator_figures KEPT FOLDER` reads `oscillators-speed-cuda.json` and `oscillators-speed-cpu.json` from KEPT and
//! writes PNGs to FOLDER.

use std::path::Path;

use beadwork_analysis::plot::{Figure, Series};
use beadwork_validation::Failure;
use beadwork_validation::figures::{
    Points, both, figure, folders, logarithmic, points, rows_of_bench, write,
};
use serde_json::Value;

/// The generators in the order of their colours.
const GENERATORS: [&str; 5] = ["lcg", "ran2", "hybrid-taus", "lagged-fibonacci", "philox4x32-10"];
/// Generators whose parts the paper shows.
const TAKEN_APART: [&str; 2] = ["hybrid-taus", "lagged-fibonacci"];
const PARTS: [(&str, &str); 3] = [
    ("langevin", "Langevin dynamics"),
    ("without_numbers", "dynamics without numbers"),
    ("numbers", "numbers"),
];
const MEGABYTE: f64 = 1e6;

fn main() -> Result<(), Failure> {
    let [kept, folder] = folders()?;
    write(&folder, figures(&kept)?)
}

/// The values that `of` finds in the rows of a generator, against the number of particles.
fn curve(
    rows: &[Value],
    generator: &str,
    of: impl Fn(&Value) -> Option<f64>,
) -> Result<Points, Failure> {
    let rows = rows.iter().filter(|row| row["generator"] == generator);
    points(rows, |row| Some((row["particles"].as_f64()?, of(row)?)))
}

/// Times of 10³ steps in ms, which are those of one step in µs.
fn times(rows: &[Value], generator: &str, part: &str) -> Result<Points, Failure> {
    curve(rows, generator, |row| row[part]["microseconds"]["median"].as_f64())
}

fn figures(kept: &Path) -> Result<Vec<(String, Figure)>, Failure> {
    let card = rows_of_bench(&kept.join("oscillators-speed-cuda.json"), "rows")?;
    let core = rows_of_bench(&kept.join("oscillators-speed-cpu.json"), "rows")?;
    let (mut steps, mut memory) = (Vec::new(), Vec::new());
    for (colour, generator) in GENERATORS.into_iter().enumerate() {
        steps.extend(both(generator, times(&card, generator, "langevin")?, colour));
        let states = curve(&card, generator, |row| row["state_bytes"].as_f64())?;
        // Generators without a state cannot be on a logarithmic axis.
        let states = states.into_iter().filter(|(_, bytes)| *bytes > 0.0);
        let states: Points = states.map(|(count, bytes)| (count, bytes / MEGABYTE)).collect();
        if !states.is_empty() {
            memory.extend(both(generator, states, colour));
        }
    }
    steps.extend(both("ran2, one core", times(&core, "ran2", "langevin")?, GENERATORS.len()));
    let time = "time of 1000 steps / ms";
    let mut all = vec![
        ("fig5a-time".to_string(), over_particles("Steps of oscillators on the GPU", time, steps)),
        (
            "fig5b-memory".to_string(),
            Figure {
                notes: vec!["philox4x32-10 has no states.".into()],
                ..over_particles("States of the generators", "memory / MB", memory)
            },
        ),
    ];
    let mut ratios = Vec::new();
    for (number, generator) in TAKEN_APART.into_iter().enumerate() {
        let mut parts = Vec::new();
        for (colour, (part, label)) in PARTS.into_iter().enumerate() {
            parts.extend(both(label, times(&card, generator, part)?, colour));
        }
        let panel = ["a", "b"][number];
        all.push((format!("fig6{panel}-{generator}"), over_particles(generator, time, parts)));
        let langevin = times(&card, generator, "langevin")?;
        let gain = ratio(&times(&core, generator, "langevin")?, &langevin);
        ratios.extend(both(generator, gain, number));
    }
    let title = "One core's time by the GPU's, Langevin dynamics";
    all.push(("fig6-speed-up".to_string(), over_particles(title, "speed-up", ratios)));
    Ok(all)
}

/// The ratio for each number of particles that both have.
fn ratio(core: &[(f64, f64)], card: &[(f64, f64)]) -> Points {
    let of = |(particles, time): &(f64, f64)| {
        let (_, other) = card.iter().find(|(count, _)| count == particles)?;
        Some((*particles, time / other))
    };
    core.iter().filter_map(of).collect()
}

fn over_particles(title: &str, y: &str, series: Vec<Series>) -> Figure {
    figure(title, [logarithmic("particles"), logarithmic(y)], series)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(generator: &str, particles: u32, times: [f64; 3], bytes: u32) -> Value {
        let time = |time: f64| serde_json::json!({ "microseconds": { "median": time } });
        serde_json::json!({
            "generator": generator, "particles": particles, "state_bytes": bytes,
            "langevin": time(times[0]), "without_numbers": time(times[1]), "numbers": time(times[2]),
        })
    }

    #[test]
    fn figures_are_drawn_from_the_result_of_the_benchmark() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let write = |name: &str, sizes: &[u32], factor: f64| {
            let of_size = |&size: &u32| {
                let each = |(place, generator): (usize, &&str)| {
                    let bytes = [4, 140, 16, 12, 0][place] * size;
                    let time = factor * (place + 1) as f64;
                    row(generator, size, [time, time / 2.0, time / 4.0], bytes)
                };
                GENERATORS.iter().enumerate().map(each).collect::<Vec<_>>()
            };
            let rows: Vec<Value> = sizes.iter().flat_map(of_size).collect();
            let text = serde_json::json!({ "rows": rows }).to_string();
            std::fs::write(folder.join(name), text).unwrap();
        };
        write("oscillators-speed-cuda.json", &[10_000, 1_000], 1.0);
        assert!(figures(folder).unwrap_err().to_string().contains("oscillators-speed-cpu"));
        write("oscillators-speed-cpu.json", &[1_000, 3_000], 30.0);
        let figures = figures(folder).unwrap();
        let points = |figure: usize, series: usize| &figures[figure].1.series[series].points;
        // A line and its discs for each of five generators and for Ran2 on a core.
        assert_eq!(figures[0].1.series.len(), 12);
        assert_eq!(points(0, 2), &[(1e3, 2.0), (1e4, 2.0)]);
        assert_eq!(points(0, 10), &[(1e3, 60.0), (3e3, 60.0)]);
        // Philox has no states whose memory could be drawn.
        assert_eq!(figures[1].1.series.len(), 8);
        assert_eq!(points(1, 0), &[(1e3, 0.004), (1e4, 0.04)]);
        // The numbers of Lagged Fibonacci alone.
        assert_eq!(points(3, 4), &[(1e3, 1.0), (1e4, 1.0)]);
        // Both devices stepped only the system of 1,000 particles.
        assert_eq!(points(4, 0), &[(1e3, 30.0)]);
        assert!(figures[4].1.to_png().is_ok());
    }
}
