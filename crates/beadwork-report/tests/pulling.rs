//! The figures of made-up pulling runs. The files stay in Cargo's temporary folder for tests
//! (`target/tmp/figures-*`), so that people can inspect them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

#[path = "../../beadwork-analysis/tests/parts/noise.rs"]
mod noise;

use beadwork_analysis::plot::{Emphasis, Figure, Series};
use beadwork_analysis::unfolding::{Criteria, Curve, noise_fall, noise_floor};
use beadwork_report::pulling::{PulledGroup, Pulling, figures};
use noise::Noise;

const STIFFNESS: f64 = 35.0;
const CRITERIA: Criteria =
    Criteria { window_points: 500, prominence_pn: 20.0, taut_extension_nm: Some(11.5) };

/// Time between samples, ns.
const INTERVAL: f64 = 20.0;

/// Curve and temperature of a domain that softens, has a small force peak near 1.5 nm, unfolds at `rupture_pn` near 4.8
/// nm and is taut at 12.5 nm. It is pulled by a spring of 35 pN/nm whose base moves by `step_nm` per sample.
fn pulled(noise: &mut Noise, rupture_pn: f64, samples: usize) -> (Curve, Vec<f64>) {
    let step_nm = 22.0 / 150_000.0;
    let mut curve = Curve::default();
    let (mut broken, mut extension) = (false, 1.0);
    let mut temperature_k = Vec::new();
    let (mut jitter, mut warmth) = (0.0, 0.0);
    for sample in 0..samples {
        let base = 1.0 + step_nm * sample as f64;
        // The chain approaches the balance with the spring with a delay of about a hundred samples.
        let tension = |at: f64| {
            let entropic = 3.0 / (1.0 - (at / 12.6).min(0.985)).powi(2) - 3.0;
            let fold = rupture_pn * ((at - 1.0) / 3.8).max(0.0).powf(0.8);
            let bump = 16.0 * (-((at - 1.6) / 0.25).powi(2)).exp();
            if broken { entropic } else { fold + bump }
        };
        let force = STIFFNESS * (base - extension);
        extension += 0.0002 * (force - tension(extension));
        broken |= extension > 4.8;
        jitter = 0.6 * jitter + 0.8 * 12.04 / STIFFNESS * noise.normal();
        let seen = extension + jitter;
        curve.time_ns.push(INTERVAL * sample as f64);
        curve.extension_nm.push(seen);
        curve.force_pn.push(STIFFNESS * (base - seen));
        let held = if broken { 64.0 * (-(extension - 4.8) / 2.0).exp() } else { 72.0 - extension };
        curve.contacts.push((held + 1.5 * noise.normal()).round().clamp(0.0, 75.0));
        let dip = if broken && extension < 9.0 { 6.0 } else { 0.0 };
        warmth += 0.001 * (-dip - warmth);
        // The first row has no temperature.
        let measured = if sample == 0 { f64::NAN } else { 300.0 + warmth + 42.0 * noise.normal() };
        temperature_k.push(measured);
    }
    (curve, temperature_k)
}

/// Groups of `replicas` replicas, each group with a window of its own.
fn run(groups: &[(&str, f64, usize)], replicas: u64, samples: usize) -> Vec<PulledGroup> {
    let mut noise = Noise(17);
    let group = |(name, force, window_points): &(&str, f64, usize)| {
        let criteria = Criteria { window_points: *window_points, ..CRITERIA };
        let mut group = PulledGroup::new((*name).into(), Pulling::Spring, criteria, INTERVAL);
        for replica in 0..replicas {
            let rupture = force + 6.0 * noise.normal();
            let (curve, temperature) = pulled(&mut noise, rupture, samples);
            group.add(group.analyse(replica, &curve, &temperature, true));
        }
        group
    };
    groups.iter().map(group).collect()
}

fn write(folder: &str, figures: &[(&str, Figure)]) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (stem, figure) in figures {
        std::fs::write(folder.join(format!("{stem}.svg")), figure.to_svg()).unwrap();
        std::fs::write(folder.join(format!("{stem}.png")), figure.to_png().unwrap()).unwrap();
    }
}

fn svg(figures: &[(&str, Figure)], stem: &str) -> String {
    figures.iter().find(|figure| figure.0 == stem).unwrap().1.to_svg()
}

#[test]
fn sixteen_replicas() {
    let groups = run(&[("", 121.0, 500)], 16, 150_000);
    // Noise with a correlation of 0.6 between samples averages out √((1 + 0.6)/(1 − 0.6)) = 2 times
    // less than independent noise.
    assert!(CRITERIA.prominence_pn > noise_fall(2.0 * noise_floor(STIFFNESS, 300.0, 500), 150_000));
    for unfolding in groups[0].unfolding() {
        let rupture = unfolding.rupture.unwrap();
        assert!((3.9..5.2).contains(&rupture.extension_nm), "{rupture:?}");
        assert_eq!(unfolding.peaks.len(), 1, "{:?}", unfolding.peaks);
    }
    let summary = groups[0].summary();
    let text = summary.in_words();
    assert!(
        text.contains("standard error of 16 independent values")
            && text.contains("window 500 points = 10 µs")
    );

    let figures = figures(&groups);
    write("figures-sixteen", &figures);
    let stems: Vec<&str> = figures.iter().map(|figure| figure.0).collect();
    let expected = [
        "force-extension",
        "force-time",
        "unfolding-forces",
        "extension-time",
        "temperature-time",
        "contacts-time",
    ];
    assert_eq!(stems, expected);
    // Sixteen thin lines, one bold line and its rim.
    for stem in
        ["force-extension", "force-time", "extension-time", "temperature-time", "contacts-time"]
    {
        assert_eq!(svg(&figures, stem).matches("<polyline").count(), 18, "{stem}");
    }
    assert_eq!(svg(&figures, "force-extension").matches("<circle").count(), 16);
    assert!(svg(&figures, "force-extension").contains(">taut from here</title>"));
    assert!(svg(&figures, "force-time").contains(">time / ms</title>"));
    let histogram = svg(&figures, "unfolding-forces");
    assert!(histogram.contains(&format!(
        ">mean {:.1} ± {:.1} pN</title>",
        summary.mean_pn.unwrap(),
        summary.standard_deviation_pn.unwrap()
    )));
    assert!(figures[2].1.notes[0].contains("window 500 points = 10 µs"));
}

#[test]
fn groups_have_colours_and_names() {
    let groups = run(&[("2.5 µm/s", 121.0, 500), ("25 µm/s", 142.0, 500)], 5, 150_000);
    let figures = figures(&groups);
    write("figures-two-groups", &figures);
    let force = svg(&figures, "force-extension");
    assert!(force.contains(">2.5 µm/s (median of 5)</title>"));
    assert!(force.contains("#0072B2") && force.contains("#D55E00"));
    assert!(svg(&figures, "unfolding-forces").contains(">25 µm/s, n = 5</title>"));
    assert!(svg(&figures, "contacts-time").contains(">25 µm/s (mean of 5)</title>"));
}

#[test]
fn a_single_run_that_has_only_begun() {
    let groups = run(&[("", 121.0, 500)], 1, 20_000);
    assert!(groups[0].unfolding().all(|unfolding| unfolding.rupture.is_none()));
    let figures = figures(&groups);
    write("figures-begun", &figures);
    assert!(svg(&figures, "force-time").contains(">replica 0</title>"));
    assert!(svg(&figures, "unfolding-forces").contains(">no data</title>"));
    assert!(groups[0].summary().in_words().starts_with("none of 1 replica(s) unfolded"));
}

#[test]
fn figures_without_groups() {
    let bare = PulledGroup::new(String::new(), Pulling::Spring, CRITERIA, INTERVAL);
    for (groups, count) in [(vec![], 3), (vec![bare], 6)] {
        let figures = figures(&groups);
        assert_eq!(figures.len(), count);
        for (stem, figure) in &figures {
            assert!(figure.to_svg().contains(">no data</title>"), "{stem}");
        }
    }
}

/// A group without a force takes no thin lines from the one that has forces.
#[test]
fn groups_with_a_force_share_the_thin_lines() {
    let mut groups = run(&[("pulled", 121.0, 5)], 60, 50);
    groups.push(PulledGroup::new("free".into(), Pulling::None, CRITERIA, INTERVAL));
    let figures = figures(&groups);
    let force = &figures[1].1;
    let is_thin = |one: &&Series| one.emphasis == Emphasis::Faint && !one.points.is_empty();
    assert_eq!(force.series.iter().filter(is_thin).count(), 60);
    assert!(force.notes[0].starts_with("Thin: single replicas; bold: "), "{:?}", force.notes);
}

#[test]
fn each_group_has_its_own_window() {
    let groups = run(&[("2.5 µm/s", 121.0, 500), ("25 µm/s", 142.0, 50)], 2, 20_000);
    let summary: String = groups.iter().map(|group| group.summary().in_words()).collect();
    assert!(
        summary.contains("window 500 points") && summary.contains("window 50 points"),
        "{summary}"
    );
    let force = svg(&figures(&groups), "force-time");
    assert!(force.contains("Running averages"), "{force}");
}

/// Averages are over whole windows: the first is at the middle of the first 500 samples.
#[test]
fn lines_begin_half_a_window_late() {
    let groups = run(&[("", 121.0, 500)], 1, 3_000);
    for (stem, figure) in figures(&groups).iter().filter(|(stem, _)| stem.ends_with("-time")) {
        let line = &figure.series.iter().find(|series| !series.points.is_empty()).unwrap().points;
        // Times in µs.
        let ends = [line[0].0, line[line.len() - 1].0];
        assert_eq!(ends, [250.0 * INTERVAL / 1e3, (2_999.0 - 249.0) * INTERVAL / 1e3], "{stem}");
    }
}
