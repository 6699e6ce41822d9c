//! Draws the figures of \[A\] in the book's list of sources from those results of `validation/pulling/measure` that
//! exist: force and temperature of a member (Fig. 3), time and speed-up against the number of trajectories (Fig. 4),
//! time of a step and memory against the number of beads (Fig. 5).
//!
//! `pulling_figures KEPT FOLDER` reads KEPT (tables of members as `member-NNNN.csv`) and writes PNGs to FOLDER.

use std::collections::BTreeMap;
use std::path::Path;

use beadwork_analysis::plot::{Axis, Colour, Figure, Series};
use beadwork_analysis::statistics::running_average;
use beadwork_analysis::table::read_csv;
use beadwork_validation::Failure;
use beadwork_validation::figures::{
    Points, both, figure, folders, logarithmic, points, rows_of_bench, write,
};

/// Rows of a member's table in a running average, as in the paper.
const WINDOW: usize = 500;
/// Members of `ww-pull.toml` that are drawn, with their speed.
const MEMBERS: [(&str, &str); 3] = [
    ("member-0000.csv", "2.5 um/s"),
    ("member-0300.csv", "10 um/s"),
    ("member-0600.csv", "50 um/s"),
];
/// Steps of a trajectory in Fig. 4.
const STEPS: f64 = 1e6;
const MEBIBYTE: f64 = 1_048_576.0;

fn main() -> Result<(), Failure> {
    let [kept, folder] = folders()?;
    let mut figures = Vec::new();
    if kept.join(MEMBERS[0].0).exists() {
        figures.extend(pulling(&kept)?);
    }
    if kept.join("trajectories-cuda.json").exists() {
        figures.extend(trajectories(&kept)?);
    }
    if kept.join("p4-sizes.csv").exists() {
        figures.extend(sizes(&kept.join("p4-sizes.csv"))?);
    }
    write(&folder, figures)
}

/// Running averages of the rows in which the spring pulls: (ms, nm, pN, K).
fn averaged(path: &Path, window: usize) -> Result<Vec<[f64; 4]>, Failure> {
    let table = read_csv(path)?;
    let stages = table.texts("stage")?;
    let begin = stages.iter().position(|stage| *stage == "pull").ok_or("nothing pulls")?;
    let average = |name| -> Result<Vec<f64>, Failure> {
        Ok(running_average(&table.numbers(name)?[begin..], window))
    };
    let times = table.numbers("time_ns")?;
    // A window is assigned to the time in its middle.
    let (start, time) = (times[begin], times.iter().skip(begin + window / 2));
    let (extension, force) = (average("extension_nm")?, average("force_pN")?);
    let temperature = average("temperature_K")?;
    let rows = time.zip(extension).zip(force).zip(temperature);
    Ok(rows.map(|(((t, x), f), temperature)| [(t - start) * 1e-6, x, f, temperature]).collect())
}

fn pulling(kept: &Path) -> Result<Vec<(&'static str, Figure)>, Failure> {
    let mut curves = Vec::new();
    for (number, (file, speed)) in MEMBERS.into_iter().enumerate() {
        if kept.join(file).exists() {
            // Windows cover the same motion of the spring's base, so that curves can be compared.
            let factor = [1, 4, 20][number];
            let rows = averaged(&kept.join(file), WINDOW / factor)?;
            let points = rows.iter().map(|row| (row[1], row[2])).collect();
            let label = format!("{speed}, {} us", 100.0 / factor as f64);
            curves.push(Series::line(label, points));
        }
    }
    let slow = averaged(&kept.join(MEMBERS[0].0), WINDOW)?;
    let noted = |title, axes: [&str; 2], series, note: &str| Figure {
        notes: vec![note.into()],
        ..figure(title, axes.map(Axis::new), series)
    };
    let over_time = |title, y, column: usize| {
        let points = slow.iter().map(|row| (row[0], row[column])).collect();
        let note = "Member 0. Running average over 500 rows, 100 us.";
        noted(title, ["time / ms", y], vec![Series::line("", points)], note)
    };
    let (title, axes) = ("Force and extension, one member each", ["extension / nm", "force / pN"]);
    let temperature = "Temperature from displacements, 2.5 um/s";
    Ok(vec![
        ("force-extension", noted(title, axes, curves, "Running averages over the time named.")),
        ("temperature", over_time(temperature, "temperature / K", 3)),
        ("force-time", over_time("Force, 2.5 um/s", "force / pN", 2)),
    ])
}

/// Trajectories and trajectory-steps/s of each row in a result of `beadwork bench`.
fn rates(path: &Path) -> Result<Points, Failure> {
    points(&rows_of_bench(path, "rows")?, |row| {
        Some((row["replicas"].as_f64()?, row["rate"]["median"].as_f64()?))
    })
}

fn trajectories(kept: &Path) -> Result<Vec<(&'static str, Figure)>, Failure> {
    let mut card = rates(&kept.join("trajectories-cuda.json"))?;
    let many = kept.join("trajectories-cuda-many.json");
    if many.exists() {
        card.extend(rates(&many)?);
    }
    let core = rates(&kept.join("trajectories-cpu.json"))?;
    let alone = core.iter().find(|(runs, _)| *runs == 1.0).ok_or("no trajectory alone")?.1;
    let most = card.iter().map(|(runs, _)| *runs).fold(1.0, f64::max);
    let time = |rate: f64, runs: f64| (runs, runs * STEPS / rate);
    let of_card = card.iter().map(|(runs, rate)| time(*rate, *runs)).collect();
    let mut series = both("one GPU", of_card, 0).to_vec();
    let gains = card.iter().map(|(runs, rate)| (*runs, rate / alone)).collect();
    let mut gain = both("over one core, one at a time", gains, 0).to_vec();
    for (number, (lanes, rate)) in core.iter().enumerate() {
        let each = if *lanes == 1.0 { "one trajectory" } else { &lanes.to_string() };
        let label = format!("one core, {each} at a time");
        let points = vec![time(*rate, *lanes), time(*rate, most.max(*lanes))];
        series.push(Series { colour: Colour::Palette(number + 1), ..Series::line(label, points) });
        if *lanes != 1.0 {
            let filled = card.iter().filter(|(runs, _)| runs >= lanes);
            let points = filled.map(|(runs, gpu)| (*runs, gpu / rate)).collect();
            gain.extend(both(&format!("over one core, {lanes} at a time"), points, number + 1));
        }
    }
    let axes = |y: &str| ["trajectories", y].map(logarithmic);
    let title = "WW domain, a million steps of 40 ps";
    Ok(vec![
        ("trajectories-time", figure(title, axes("time / s"), series)),
        ("trajectories-speed-up", figure("WW domain, one GPU", axes("speed-up"), gain)),
    ])
}

fn sizes(path: &Path) -> Result<Vec<(&'static str, Figure)>, Failure> {
    let table = read_csv(path)?;
    let plans = table.texts("plan")?;
    let beads = table.numbers("beads")?;
    let drawn = |values: &[f64], factor: f64| {
        let mut of_plans: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for ((plan, beads), value) in plans.iter().zip(&beads).zip(values) {
            of_plans.entry(plan).or_default().push((*beads, value * factor));
        }
        let mut series = Vec::new();
        for (colour, (plan, mut points)) in of_plans.into_iter().enumerate() {
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            series.extend(both(plan, points, colour));
        }
        series
    };
    let of_beads = |y: &str, series| {
        figure("One trajectory on the GPU", ["beads", y].map(logarithmic), series)
    };
    let time = drawn(&table.numbers("microseconds_a_step")?, 1e-6);
    let memory = drawn(&table.numbers("bytes")?, 1.0 / MEBIBYTE);
    Ok(vec![
        ("sizes-time", of_beads("time of a step / s", time)),
        ("sizes-memory", of_beads("memory / MiB", memory)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_drawn_from_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        let result = |rows: &[(u32, f64)]| {
            let rows: Vec<String> = rows
                .iter()
                .map(|(runs, rate)| format!(r#"{{"replicas":{runs},"rate":{{"median":{rate}}}}}"#))
                .collect();
            format!(r#"{{"rows":[{}]}}"#, rows.join(","))
        };
        write("trajectories-cuda.json", &result(&[(1, 1e6), (100, 1e8)]));
        write("trajectories-cpu.json", &result(&[(1, 5e5), (32, 2e6)]));
        let figures = trajectories(folder).unwrap();
        // 100 trajectories of a million steps at 10⁸ steps/s take 1 s, with 200 times the rate of a core.
        assert_eq!(figures[0].1.series[0].points, [(1.0, 1.0), (100.0, 1.0)]);
        assert_eq!(figures[1].1.series[0].points, [(1.0, 2.0), (100.0, 200.0)]);
        // A core that steps 32 trajectories at a time has no rate for one.
        assert_eq!(figures[1].1.series[2].points, [(100.0, 50.0)]);
        write(
            "p4-sizes.csv",
            "beads,plan,microseconds_a_step,bytes\n89,block,3,1048576\n34,block,1,0\n",
        );
        let figures = sizes(&folder.join("p4-sizes.csv")).unwrap();
        assert_eq!(figures[0].1.series[0].points, [(34.0, 1e-6), (89.0, 3e-6)]);
        assert_eq!(figures[1].1.series[0].points[1], (89.0, 1.0));
        write(
            "member-0000.csv",
            "time_ns,stage,extension_nm,force_pN,temperature_K\n0,equilibrate,1,,\n200,pull,1,0,300\n400,pull,2,10,310\n",
        );
        let rows = averaged(&folder.join("member-0000.csv"), 1).unwrap();
        assert_eq!((rows.len(), rows[1][1], rows[1][2], rows[1][3]), (2, 2.0, 10.0, 310.0));
        assert_eq!(pulling(folder).unwrap().len(), 3);
    }
}
