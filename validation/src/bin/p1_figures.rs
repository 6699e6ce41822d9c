//! Draws Figs. 5 and 6 of P1 from what `validation/p1/measure` keeps: time of 10³ steps and memory of the states over the
//! number of particles; and of Hybrid Taus and Lagged Fibonacci full steps, steps without random numbers, the numbers
//! alone, and the ratio of a core's time to the card's.
//!
//! `p1_figures KEPT FOLDER`: `oscillators-speed-cuda.json` and `oscillators-speed-cpu.json` are read from the first, PNGs
//! are written into the second.
#![allow(clippy::print_stdout, reason = "a program that people watch")]

use std::error::Error;
use std::path::{Path, PathBuf};

use beadwork_analysis::plot::{Axis, Colour, Figure, Series, Style};
use serde_json::Value;

type Points = Vec<(f64, f64)>;

/// In the order of their colours.
const GENERATORS: [&str; 5] = ["lcg", "ran2", "hybrid-taus", "lagged-fibonacci", "philox4x32-10"];
/// Those whose parts P1 shows.
const TAKEN_APART: [&str; 2] = ["hybrid-taus", "lagged-fibonacci"];
const PARTS: [(&str, &str); 3] = [
    ("langevin", "Langevin dynamics"),
    ("without_numbers", "dynamics without numbers"),
    ("numbers", "numbers"),
];
const MEGABYTE: f64 = 1e6;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [kept, folder] = folders.as_slice() else {
        return Err("name the folder that is read and the one that is written".into());
    };
    std::fs::create_dir_all(folder)?;
    for (name, figure) in figures(kept)? {
        let path = folder.join(format!("{name}.png"));
        std::fs::write(&path, figure.to_png()?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// A result of `beadwork bench oscillators`.
struct Bench(Vec<Value>);

impl Bench {
    fn read(path: &Path) -> Result<Bench, Box<dyn Error>> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let report: Value = serde_json::from_str(&text)?;
        let rows = report["rows"].as_array().ok_or("a result without rows")?.clone();
        Ok(Bench(rows))
    }

    /// What `of` finds in the rows of a generator, over the number of particles.
    fn curve(
        &self,
        generator: &str,
        of: impl Fn(&Value) -> Option<f64>,
    ) -> Result<Points, Box<dyn Error>> {
        let rows = self.0.iter().filter(|row| row["generator"] == generator);
        let point = |row: &Value| Some((row["particles"].as_f64()?, of(row)?));
        let points: Option<Points> = rows.map(point).collect();
        let mut points = points.ok_or("a row without its numbers")?;
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(points)
    }

    /// ms of 10³ steps, which are us of one.
    fn times(&self, generator: &str, part: &str) -> Result<Points, Box<dyn Error>> {
        self.curve(generator, |row| row[part]["microseconds"]["median"].as_f64())
    }
}

fn figures(kept: &Path) -> Result<Vec<(String, Figure)>, Box<dyn Error>> {
    let card = Bench::read(&kept.join("oscillators-speed-cuda.json"))?;
    let core = Bench::read(&kept.join("oscillators-speed-cpu.json"))?;
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for (colour, generator) in GENERATORS.into_iter().enumerate() {
        times.extend(both(generator, card.times(generator, "langevin")?, colour));
        let states = card.curve(generator, |row| row["state_bytes"].as_f64())?;
        // What has no state is not on a logarithmic axis.
        let states = states.into_iter().filter(|(_, bytes)| *bytes > 0.0);
        let states: Points = states.map(|(count, bytes)| (count, bytes / MEGABYTE)).collect();
        if !states.is_empty() {
            memory.extend(both(generator, states, colour));
        }
    }
    times.extend(both("ran2, one core", core.times("ran2", "langevin")?, GENERATORS.len()));
    let time = "time of 1000 steps / ms";
    let mut all = vec![
        ("fig5a-time".to_string(), figure("Steps of oscillators on the GPU", time, times)),
        (
            "fig5b-memory".to_string(),
            Figure {
                notes: vec!["philox4x32-10 has no states.".into()],
                ..figure("States of the generators", "memory / MB", memory)
            },
        ),
    ];
    let mut ratios = Vec::new();
    for (place, generator) in TAKEN_APART.into_iter().enumerate() {
        let mut parts = Vec::new();
        for (colour, (part, label)) in PARTS.into_iter().enumerate() {
            parts.extend(both(label, card.times(generator, part)?, colour));
        }
        let panel = ["a", "b"][place];
        all.push((format!("fig6{panel}-{generator}"), figure(generator, time, parts)));
        let langevin = card.times(generator, "langevin")?;
        let gain = ratio(&core.times(generator, "langevin")?, &langevin);
        ratios.extend(both(generator, gain, place));
    }
    let title = "One core's time by the GPU's, Langevin dynamics";
    all.push(("fig6-speed-up".to_string(), figure(title, "speed-up", ratios)));
    Ok(all)
}

/// Of each number of particles that both have.
fn ratio(core: &[(f64, f64)], card: &[(f64, f64)]) -> Points {
    let of = |(particles, time): &(f64, f64)| {
        let (_, other) = card.iter().find(|(count, _)| count == particles)?;
        Some((*particles, time / other))
    };
    core.iter().filter_map(of).collect()
}

/// A line with a disc at each point.
fn both(label: &str, points: Points, colour: usize) -> [Series; 2] {
    let colour = Colour::Palette(colour);
    let discs = Series { style: Style::Points, colour, ..Series::line("", points.clone()) };
    [Series { colour, ..Series::line(label, points) }, discs]
}

fn figure(title: &str, y: &str, series: Vec<Series>) -> Figure {
    let axis = |label: &str| Axis { logarithmic: true, ..Axis::new(label) };
    Figure { title: title.into(), x: axis("particles"), y: axis(y), series, ..Figure::default() }
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
        let folder = std::env::temp_dir().join(format!("p1-figures-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
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
        assert!(figures(&folder).unwrap_err().to_string().contains("oscillators-speed-cpu"));
        write("oscillators-speed-cpu.json", &[1_000, 3_000], 30.0);
        let figures = figures(&folder).unwrap();
        let points = |figure: usize, series: usize| &figures[figure].1.series[series].points;
        // A line and its discs each: five generators and the core's Ran2.
        assert_eq!(figures[0].1.series.len(), 12);
        assert_eq!(points(0, 2), &[(1e3, 2.0), (1e4, 2.0)]);
        assert_eq!(points(0, 10), &[(1e3, 60.0), (3e3, 60.0)]);
        // Philox has no memory to draw.
        assert_eq!(figures[1].1.series.len(), 8);
        assert_eq!(points(1, 0), &[(1e3, 0.004), (1e4, 0.04)]);
        // Lagged Fibonacci's numbers alone.
        assert_eq!(points(3, 4), &[(1e3, 1.0), (1e4, 1.0)]);
        // Only 1,000 particles were stepped on both.
        assert_eq!(points(4, 0), &[(1e3, 30.0)]);
        assert!(figures[4].1.to_png().is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
