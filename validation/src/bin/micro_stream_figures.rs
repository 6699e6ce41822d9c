//! Draws Figs. 1 and 2 of \[K\] in the book's list of sources from the results of `beadwork bench micro-streams` and
//! `pair-streams`, and compares the paper's claims with them.
//!
//! `micro_stream_figures KEPT FOLDER` reads `micro-streams-gpu.json` and `pair-streams-gpu.json` from KEPT, where they
//! exist, and writes figures (PNG and SVG) and `claims.md` to FOLDER.
#![allow(clippy::print_stdout, reason = "a program that people watch")]

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::Path;

use beadwork_analysis::numbers::significant;
use beadwork_analysis::plot::{Figure, Series};
use beadwork_validation::Failure;
use beadwork_validation::figures::{
    Points, both, figure, folders, logarithmic, points, rows_of_bench, write_with_svg,
};
use serde_json::Value;

const PER_THREAD: &str = "pT Saru";
const XORWOW: &str = "pT XORWOW";
/// The paper's own seeding.
const SARU: &str = "pK-pT SaruSaru, published";
const SARU_TEA: &str = "pK-pT SaruTEA, published";
const PHILOX: &str = "Philox4x32-10";
const HALF_LISTS: &str = "SaruSaru, half lists";
/// The curves of the figures with their colours. Those of SaruSaru have one; the dashes let the curve below be seen.
const CURVES: [(&str, usize); 6] =
    [(PER_THREAD, 0), (XORWOW, 1), (SARU, 2), (SARU_TEA, 3), (PHILOX, 4), (HALF_LISTS, 10)];
/// The sizes of the paper.
const SIZES: RangeInclusive<f64> = 1e4..=1e5;
const FROM_ONE: f64 = f64::INFINITY;

/// Rows of a benchmark; sizes are in the column of this name.
struct Bench {
    rows: Vec<Value>,
    size: &'static str,
}

impl Bench {
    fn read(path: &Path, size: &'static str) -> Result<Option<Bench>, Failure> {
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Bench { rows: rows_of_bench(path, "rows")?, size }))
    }

    /// The rows with these neighbours.
    fn with_neighbours(&self, neighbours: &str) -> Bench {
        let rows = self.rows.iter().filter(|row| row["neighbours"] == neighbours);
        Bench { rows: rows.cloned().collect(), size: self.size }
    }

    /// Microseconds of a call against the size.
    fn times(&self, variant: &str) -> Result<Points, Failure> {
        points(self.rows.iter().filter(|row| row["variant"] == variant), |row| {
            Some((row[self.size].as_f64()?, row["microseconds"]["median"].as_f64()?))
        })
    }

    /// The time of `slower` over that of `faster` against the size.
    fn ratios(&self, slower: &str, faster: &str) -> Result<Points, Failure> {
        let times = self.times(slower)?.into_iter().zip(self.times(faster)?);
        Ok(times.map(|((size, slower), (_, faster))| (size, slower / faster)).collect())
    }

    fn figure(&self, title: &str, y: &str) -> Result<Figure, Failure> {
        let mut series: Vec<Series> = Vec::new();
        for (variant, colour) in CURVES {
            let times = self.times(variant)?;
            if !times.is_empty() {
                series.extend(both(variant, times, colour));
            }
        }
        Ok(figure(title, [logarithmic(self.size), logarithmic(y)], series))
    }
}

/// A claim of the paper on a ratio of times, and what was found.
struct Claim {
    figure: u8,
    words: &'static str,
    /// The published ratios; above 1 without a bound up to [`FROM_ONE`].
    published: [f64; 2],
    /// The found ratios against the size.
    found: Points,
}

impl Claim {
    fn new(figure: u8, words: &'static str, published: [f64; 2], found: Points) -> Claim {
        Claim { figure, words, published, found }
    }

    /// The lowest and the highest of the found ratios at the sizes of the paper.
    fn extremes(&self) -> [f64; 2] {
        let inside = self.found.iter().filter(|(size, _)| SIZES.contains(size));
        let extend =
            |[low, high]: [f64; 2], (_, ratio): &(f64, f64)| [ratio.min(low), ratio.max(high)];
        inside.fold([f64::INFINITY, f64::NEG_INFINITY], extend)
    }

    fn verdict(&self) -> &'static str {
        let ([low, high], [least, most]) = (self.extremes(), self.published);
        if low > high {
            "not measured"
        } else if low >= least && high <= most {
            "holds"
        } else if high < least {
            if most == FROM_ONE { "fails" } else { "less" }
        } else if low > most {
            "more"
        } else {
            "holds in part"
        }
    }

    fn line(&self) -> String {
        let [least, most] = self.published;
        let published =
            if most == FROM_ONE { format!("above {least}") } else { format!("{least} to {most}") };
        let [low, high] = self.extremes().map(significant);
        let found = if low == high { low } else { format!("{low} to {high}") };
        let beyond = self.found.iter().filter(|(size, _)| size > SIZES.end());
        let beyond: Vec<String> =
            beyond.map(|(size, ratio)| format!("{} at {size:e}", significant(*ratio))).collect();
        format!(
            "| {} | {} | {published} | {found} | {} | {} |\n",
            self.figure,
            self.words,
            beyond.join(", "),
            self.verdict()
        )
    }
}

/// The claims on Brownian dynamics.
fn claims_of_beads(bench: &Bench) -> Result<Vec<Claim>, Failure> {
    let largest = |slower, faster| -> Result<Points, Failure> {
        let mut found = bench.ratios(slower, faster)?;
        found.retain(|(size, _)| size >= SIZES.end());
        Ok(found)
    };
    let claim = |words, published, found| Claim::new(1, words, published, found);
    Ok(vec![
        claim(
            "SaruSaru a call is faster than Saru a thread at all sizes",
            [1.0, FROM_ONE],
            bench.ratios(PER_THREAD, SARU)?,
        ),
        claim(
            "SaruTEA a call is faster than Saru a thread at all sizes",
            [1.0, FROM_ONE],
            bench.ratios(PER_THREAD, SARU_TEA)?,
        ),
        claim(
            "SaruSaru a call is 16 % faster than Saru a thread at 10⁵",
            [1.155, 1.165],
            largest(PER_THREAD, SARU)?,
        ),
        claim(
            "SaruTEA a call is 7 % faster than Saru a thread at 10⁵",
            [1.065, 1.075],
            largest(PER_THREAD, SARU_TEA)?,
        ),
        claim(
            "XORWOW a thread takes 3 times as long as Saru a thread at 10⁵",
            [2.5, 3.5],
            largest(XORWOW, PER_THREAD)?,
        ),
    ])
}

/// The claims on dissipative particle dynamics.
fn claims_of_pairs(bench: &Bench) -> Result<Vec<Claim>, Failure> {
    let [near, random] = ["near", "random"].map(|neighbours| bench.with_neighbours(neighbours));
    let claim = |words, published, found| Claim::new(2, words, published, found);
    Ok(vec![
        claim(
            "near: SaruSaru a pair is 3 to 4 times faster than Saru a thread",
            [3.0, 4.0],
            near.ratios(PER_THREAD, SARU)?,
        ),
        claim(
            "random: SaruSaru a pair is 2 to 7 times faster than Saru a thread",
            [2.0, 7.0],
            random.ratios(PER_THREAD, SARU)?,
        ),
        claim(
            "near: SaruTEA a pair is faster than Saru a thread at all sizes",
            [1.0, FROM_ONE],
            near.ratios(PER_THREAD, SARU_TEA)?,
        ),
        claim(
            "random: SaruTEA a pair is faster than Saru a thread at all sizes",
            [1.0, FROM_ONE],
            random.ratios(PER_THREAD, SARU_TEA)?,
        ),
        claim(
            "near: SaruTEA is 60 to 70 % slower than SaruSaru",
            [1.6, 1.7],
            near.ratios(SARU_TEA, SARU)?,
        ),
        claim(
            "random: SaruTEA is as fast as SaruSaru",
            [0.95, 1.05],
            random.ratios(SARU_TEA, SARU)?,
        ),
        claim(
            "near: XORWOW a thread is as fast as Saru a thread",
            [0.95, 1.05],
            near.ratios(XORWOW, PER_THREAD)?,
        ),
        claim(
            "random: XORWOW a thread is as fast as Saru a thread",
            [0.95, 1.05],
            random.ratios(XORWOW, PER_THREAD)?,
        ),
        claim(
            "near: Saru a thread is as slow as SaruSaru a pair with half lists, which shares its atomic operations alone",
            [0.95, 1.05],
            near.ratios(PER_THREAD, HALF_LISTS)?,
        ),
        claim(
            "random: Saru a thread is as slow as SaruSaru a pair with half lists",
            [0.95, 1.05],
            random.ratios(PER_THREAD, HALF_LISTS)?,
        ),
        claim(
            "half lists with a state a thread move 15 % fewer bytes",
            [0.845, 0.855],
            bytes(&near)?,
        ),
    ])
}

/// Bytes of a bead with Saru a thread over those with SaruSaru a pair.
fn bytes(bench: &Bench) -> Result<Points, Failure> {
    let of = |variant: &str| {
        points(bench.rows.iter().filter(|row| row["variant"] == variant), |row| {
            Some((row[bench.size].as_f64()?, row["published_bytes"].as_f64()?))
        })
    };
    let pairs = of(PER_THREAD)?.into_iter().zip(of(SARU)?);
    Ok(pairs.map(|((size, thread), (_, pair))| (size, thread / pair)).collect())
}

fn table(claims: &[Claim]) -> String {
    let mut text = String::from(
        "# Claims on micro-streams\n\nFigs. 1 and 2 of Phillips, Anderson and Glotzer (2011), [K] in the book's list of sources, by `micro_stream_figures`. Ratios of times at the paper's sizes, 10⁴ to 10⁵; \"as fast\" is taken as within 5 %, a percentage as within half of one. *Holds*: all found ratios are in the published range; *in part*: some are; *less*, *more*, *fails*: none is.\n\n| figure | claim | published | here | beyond | verdict |\n|---|---|---|---|---|---|\n",
    );
    claims.iter().for_each(|claim| {
        let _ = write!(text, "{}", claim.line());
    });
    text
}

fn main() -> Result<(), Failure> {
    let [kept, folder] = folders()?;
    let (mut figures, mut claims) = (Vec::new(), Vec::new());
    if let Some(bench) = Bench::read(&kept.join("micro-streams-gpu.json"), "particles")? {
        let title = "Brownian dynamics, a kernel for each step";
        figures.push(("fig1-time".to_string(), bench.figure(title, "time of a step / us")?));
        claims.extend(claims_of_beads(&bench)?);
    }
    if let Some(bench) = Bench::read(&kept.join("pair-streams-gpu.json"), "beads")? {
        for neighbours in ["near", "random"] {
            let bench = bench.with_neighbours(neighbours);
            let title = format!("Pair thermostat, 50 partners with {neighbours} numbers");
            let drawn = bench.figure(&title, "time of a call / us")?;
            figures.push((format!("fig2-{neighbours}"), drawn));
        }
        claims.extend(claims_of_pairs(&bench)?);
    }
    if claims.is_empty() {
        return Err(format!("{} has no result of these benchmarks", kept.display()).into());
    }
    write_with_svg(&folder, figures)?;
    let text = table(&claims);
    std::fs::write(folder.join("claims.md"), &text)?;
    println!("{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of all variants at 10⁴, 10⁵ and 10⁶, the first with Saru a thread.
    fn bench() -> Bench {
        let times = [(PER_THREAD, [7.0, 30.0, 300.0]), (XORWOW, [7.1, 30.5, 310.0])]
            .into_iter()
            .chain([(SARU, [2.0, 8.0, 60.0]), (SARU_TEA, [2.0, 13.0, 96.0])])
            .chain([(HALF_LISTS, [9.0, 40.0, 400.0])]);
        let row = |neighbours: &str, variant: &str, size: f64, time: f64| {
            let bytes = if variant.starts_with("pT") { 1572 } else { 1856 };
            serde_json::json!({
                "variant": variant, "neighbours": neighbours, "beads": size,
                "microseconds": { "median": time }, "published_bytes": bytes,
            })
        };
        let rows = times.flat_map(|(variant, times)| {
            [1e4, 1e5, 1e6].into_iter().zip(times).flat_map(move |(size, time)| {
                ["near", "random"].map(|neighbours| row(neighbours, variant, size, time))
            })
        });
        Bench { rows: rows.collect(), size: "beads" }
    }

    #[test]
    fn claims_are_judged_by_the_ratios_at_the_sizes_of_the_paper() {
        let claims = claims_of_pairs(&bench()).unwrap();
        assert_eq!(claims[0].found, [(1e4, 3.5), (1e5, 3.75), (1e6, 5.0)]);
        let verdicts: Vec<&str> = claims.iter().map(Claim::verdict).collect();
        let expected = [
            "holds",
            "holds",
            "holds",
            "holds",
            "holds in part",
            "holds in part",
            "holds",
            "holds",
            "less",
            "less",
            "holds",
        ];
        // SaruTEA takes 1 and 1.625 times as long as SaruSaru.
        assert_eq!(claims[4].extremes(), [1.0, 1.625]);
        assert_eq!(verdicts, expected);
        assert!(table(&claims).contains("| 3 to 4 | 3.5 to 3.75 | 5 at 1e6 | holds |"));
        let missing = Claim::new(2, "", [1.0, 2.0], Vec::new());
        assert_eq!(missing.verdict(), "not measured");
        assert_eq!(Claim::new(2, "", [1.0, 2.0], vec![(2e4, 2.5)]).verdict(), "more");
        assert_eq!(Claim::new(2, "", [1.0, FROM_ONE], vec![(2e4, 0.9)]).verdict(), "fails");
    }

    #[test]
    fn figures_have_a_curve_for_each_variant_with_results() {
        let drawn = bench().with_neighbours("near").figure("", "").unwrap();
        // A line and discs for each of five.
        assert_eq!(drawn.series.len(), 10);
        assert_eq!(drawn.series[0].points, [(1e4, 7.0), (1e5, 30.0), (1e6, 300.0)]);
    }
}
