//! Unfolding forces of made-up groups, and means of lines.

mod several_springs;

use beadwork_analysis::bell_evans::BellEvans;
use beadwork_analysis::plot::Figure;
use beadwork_analysis::unfolding::{Criteria, Curve, Peak, Unfolding};

use super::loading_rates::Loading;
use super::mean_line::MeanLine;
use super::replicas::{Points, PulledMember};
use super::*;
use crate::data;
use crate::many_points::{ManyPoints, PointFigure};

/// A group of replicas with these unfolding forces and a row every 20 ns.
fn group(name: &str, forces_pn: &[Option<f64>]) -> PulledGroup {
    let criteria = Criteria { window_points: 500, prominence_pn: 10.0, taut_extension_nm: None };
    let mut group = PulledGroup::new(name.into(), Pulling::Spring, criteria, 20.0);
    let peak = |force_pn| Peak {
        force_pn,
        extension_nm: 4.8,
        time_ns: 40.0,
        contacts: 60.0,
        fall_pn: 80.0,
        index: 2,
    };
    group.members.extend(forces_pn.iter().zip(0..).map(|(force, number)| {
        let rupture = force.map(peak);
        let peaks = rupture.into_iter().collect();
        let unfolding = Unfolding { rupture, peaks, ..Unfolding::default() };
        PulledMember {
            number,
            unfolding,
            lines: Default::default(),
            clamp: None,
            is_running: false,
        }
    }));
    group
}

fn answer(group: &PulledGroup) -> data::Group {
    let mut answer = data::Group::default();
    describe(group, &mut answer);
    answer
}

#[test]
fn a_group_in_one_line() {
    // Mean 121, deviations −1, 1, 0: standard deviation 1, error 1/√3.
    let forces = [Some(120.0), None, Some(122.0), Some(121.0)];
    assert_eq!(
        group("", &forces).summary().in_words(),
        "unfolding force: 121.00 ± 0.58 pN (standard error of 3 independent values; standard deviation 1.0000; \
         3 of 4 replicas unfolded; window 500 points = 10 µs; unfolded: the averaged force falls by 10 pN or more)"
    );
    let answer = answer(&group("", &forces));
    let share = answer.value("unfolded_share").unwrap();
    // √(¾ · ¼ / 4).
    assert_eq!((share.value, share.error), (Some(0.75), Some(0.1875f64.sqrt() / 2.0)));
    let [finding] = answer.findings.as_slice() else { panic!("{answer:?}") };
    assert_eq!(finding.code, data::Code::LeftOut);
    let said = "1 of 4 replicas did not unfold and have no part in the mean unfolding force; if";
    assert!(finding.text.starts_with(said), "{finding}");
}

/// Where the chain is taut, forces rise without an unfolding.
#[test]
fn the_criterion_has_the_end_of_the_curve() {
    let criteria =
        Criteria { window_points: 1, prominence_pn: 40.0, taut_extension_nm: Some(25.337) };
    let group = PulledGroup::new(String::new(), Pulling::Spring, criteria, 1.0);
    assert!(group.summary().in_words().ends_with("falls by 40 pN or more before 25.3 nm"));
}

/// A replica that still runs has not stayed folded.
#[test]
fn replicas_that_still_run_have_no_part_in_the_share() {
    let running = |forces: &[Option<f64>], which: usize| {
        let mut group = group("", forces).with_not_begun(7);
        group.members[which].is_running = true;
        group
    };
    let two = running(&[Some(120.0), None, None], 1);
    let words = two.summary().in_words();
    assert!(words.contains("1 unfolded, 1 did not, 1 still run, 7 not begun;"), "{words}");
    assert!(answer(&two).value("unfolded_share").is_none());
    assert_eq!(two.summary().not_unfolded(), 1);
    // What has unfolded stays so, however long it runs on.
    let unfolded = running(&[Some(120.0), None], 0);
    assert_eq!(answer(&unfolded).value("unfolded_share").unwrap().value, Some(0.5));
    let words = running(&[None], 0).summary().in_words();
    let expected = "none of 1 replica(s) unfolded: 1 still run, 7 not begun (";
    assert!(words.starts_with(expected), "{words}");
}

#[test]
fn groups_without_a_force_say_so() {
    let [none, one] = [group("", &[None; 2]), group("", &[Some(121.0)])].map(|group| {
        let answer = answer(&group);
        data::Summary { groups: vec![answer], ..Default::default() }.in_words()
    });
    assert!(
        none.starts_with(
            "none of 2 replica(s) unfolded (window 500 points = 10 µs); unfolded: the averaged force falls by 10 pN or more\n"
        ),
        "{none}"
    );
    assert!(
        one.contains("unfolding force: 121 pN (one value, so without an error; one replica;"),
        "{one}"
    );
    let summary = group("", &[None; 2]).summary();
    assert_eq!((summary.mean_pn, summary.not_unfolded()), (None, 2));
}

/// The force of a spring that pushes only falls along its direction, by more than any prominence.
#[test]
fn a_spring_that_pushes_has_no_unfolding_force() {
    let criteria = Criteria { window_points: 1, prominence_pn: 40.0, taut_extension_nm: None };
    let along = |slope: f64| (0..10).map(|row| slope * f64::from(row)).collect::<Vec<f64>>();
    let curve = Curve {
        time_ns: along(1.0),
        extension_nm: along(-0.1),
        force_pn: along(-10.0),
        contacts: Vec::new(),
    };
    let group = |pushes| {
        let group = PulledGroup::new(String::new(), Pulling::Spring, criteria, 1.0);
        let mut group = group.of_drive("back").pushing(pushes);
        group.add(group.analyse(0, &curve, &[], true));
        group
    };
    let pulling = answer(&group(false));
    assert!(pulling.values.iter().any(|value| value.name == "unfolding_force"), "{pulling:?}");
    let pushing = group(true);
    let said = answer(&pushing);
    let [finding] = said.findings.as_slice() else { panic!("{said:?}") };
    assert!(said.values.is_empty() && finding.code == data::Code::NotMeasured);
    let expected = "no unfolding force of drive back, since its `speed` is below 0";
    assert!(finding.text.starts_with(expected), "{finding}");
    assert!(tables(&[(0, &pushing)]).iter().all(data::Table::is_empty));
    let stems = |group: &PulledGroup| -> Vec<&str> {
        figures(&[group]).into_iter().map(|(stem, _)| stem).collect()
    };
    assert!(stems(&group(false)).contains(&"unfolding-forces"));
    assert!(!stems(&pushing).contains(&"unfolding-forces"));
    assert!(stems(&pushing).contains(&"force-extension"));
}

#[test]
fn tables_have_a_line_for_each_replica_and_each_peak() {
    let about = [data::Group { name: "a, b".into(), ..Default::default() }];
    let [unfolding, peaks] = tables(&[(0, &group("a, b", &[None, Some(121.5)]))]);
    let rows = unfolding.to_csv(&about);
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(rows, ["\"a, b\",0,,,,,", "\"a, b\",1,121.5,4.8,40,60,80"]);
    assert_eq!(peaks.to_csv(&about).lines().nth(1), Some(rows[1]));
}

fn mean_line(lines: &[Points]) -> Points {
    let mut mean = MeanLine::new();
    lines.iter().for_each(|line| mean.add(line, true));
    mean.points()
}

#[test]
fn the_mean_ends_where_half_of_the_lines_have_ended() {
    let lines = [
        vec![(0.0, 1.0), (1.0, 3.0)],
        vec![(0.0, 3.0), (1.0, 5.0), (2.0, 5.0)],
        vec![(0.0, f64::NAN), (1.0, 4.0), (2.0, 7.0)],
        vec![(0.0, 5.0)],
    ];
    assert_eq!(mean_line(&lines), [(0.0, 3.0), (1.0, 4.0), (2.0, 6.0)]);
    assert_eq!(mean_line(&lines[2..]), [(0.0, 5.0), (1.0, 4.0), (2.0, 7.0)]);
    assert_eq!(mean_line(&[vec![(0.0, 1.0)], lines[3].clone(), lines[1].clone()]), [(0.0, 3.0)]);
    assert!(mean_line(&[]).is_empty());
    let ends = |lines: &[Points], has_stopped: bool| {
        let mut mean = MeanLine::new();
        lines.iter().for_each(|line| mean.add(line, has_stopped));
        mean.first_end()
    };
    assert_eq!([&lines, &lines[1..3], &[]].map(|lines| ends(lines, true)), [Some(0.0), None, None]);
    // Replicas that are behind in an unfinished run have not stopped.
    assert_eq!(ends(&lines, false), None);
}

/// Forces drawn evenly from the law of Bell and Evans at some speeds, of a spring of 35 pN/nm.
fn swept(law: &BellEvans, rates: &[f64], replicas: u64) -> Vec<PulledGroup> {
    let at_rate = |(rate, point): (&f64, u64)| {
        let force = |k| law.quantile((k as f64 + 0.5) / replicas as f64, *rate);
        let forces: Vec<Option<f64>> = (0..replicas).map(|k| Some(force(k))).collect();
        let loading = Loading {
            rate: *rate,
            thermal_energy: 4.142,
            run: String::new(),
            stage: String::new(),
            settings: Vec::new(),
            point,
            failed: 1,
            together: Vec::new(),
        };
        let mut group = group(&format!("speed {point}"), &forces).loaded(Some(loading));
        for member in &mut group.members {
            // The molecule gives way a little, so that the force grows at half the rate of the spring; pN/ns.
            member.unfolding.loading_rate = Some(0.5e-9 * rate);
        }
        group
    };
    rates.iter().zip(0..).map(at_rate).collect()
}

fn placed(groups: &[PulledGroup]) -> Vec<(usize, &PulledGroup)> {
    groups.iter().enumerate().collect()
}

#[test]
fn a_sweep_over_loading_rates_gives_the_barrier() {
    let law = BellEvans::new(0.4, 1e-3, 4.142);
    let groups = swept(&law, &[1e3, 1e4, 1e5, 1e6], 40);
    let answers = loading_rates::answers(&placed(&groups));
    let [answer] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!((answer.points.as_slice(), answer.replicas), (&[0, 1, 2, 3][..], 160));
    assert_eq!(answer.failed, 4);
    let found = |name: &str, of: &str| {
        let mut values = answer.values.iter();
        let value = values.find(|value| value.name == name && value.of == of).unwrap();
        (value.value.unwrap(), value.error.unwrap_or_default())
    };
    for of in ["", "measured dF/dt", "most probable forces"] {
        let (distance, error) = found("barrier_distance", of);
        assert!((distance - 0.4).abs() < 3.0 * error && error < 0.04, "{of}: {distance} {error}");
    }
    let (rate, error) = found("log10_intrinsic_rate", "");
    assert!((rate + 3.0).abs() < 3.0 * error && error < 0.5, "{rate} {error}");
    // Half the loading rate with the same forces is half the rate of escape.
    let (measured, _) = found("log10_intrinsic_rate", "measured dF/dt");
    assert!((rate - measured - 2_f64.log10()).abs() < 1e-6, "{rate} {measured}");
    assert!(found("lack_of_fit", "").0 > 0.05);
    let text = data::Summary { groups: vec![answer.clone()], ..Default::default() }.in_words();
    assert!(text.contains("4 loading rates κν, κν from 1000.00 to 1.0000e6 pN/s"), "{text}");
    let table = loading_rates::table(&placed(&groups)).unwrap();
    let about = [0, 1, 2, 3].map(|point| data::Group { point, ..Default::default() });
    let csv = table.to_csv(&about);
    let row: Vec<f64> =
        csv.lines().nth(2).unwrap().split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
    assert_eq!((row[0], row[2], row[3]), (1e4, 40.0, 40.0));
    assert!((row[1] - 0.5e4).abs() < 1e-6, "{row:?}");
    assert!((row[8] / law.mean(1e4) - 1.0).abs() < 0.02, "{row:?}");
    let (stem, figure) = loading_rates::figure(&placed(&groups)).unwrap();
    assert!(stem == "loading-rates" && figure.x.logarithmic);
    assert_eq!(figure.series.len(), 3);
}

/// Each reason for which there is no law, and notes on one that there is.
#[test]
fn rates_that_give_no_barrier_say_why() {
    let law = BellEvans::new(0.4, 1e-3, 4.142);
    let answer = |groups: &[PulledGroup]| -> Option<data::Group> {
        loading_rates::answers(&placed(groups)).pop()
    };
    assert!(answer(&swept(&law, &[1e4], 20)).is_none());
    assert!(answer(&swept(&law, &[1e4, 1e4], 20)).is_none());
    let codes = |answer: &data::Group| -> Vec<data::Code> {
        answer.findings.iter().map(|finding| finding.code).collect()
    };
    let said = |groups: &[PulledGroup], part: &str| {
        let answer = answer(groups).unwrap();
        assert!(answer.values.is_empty() && codes(&answer) == [data::Code::NotMeasured]);
        assert!(answer.findings[0].text.contains(part), "{answer:?}");
    };
    said(&swept(&law, &[1e4, 1e5], 20), "2 loading rate(s) have two unfolding forces or more");
    said(&swept(&law, &[1.0e4, 1.1e4, 1.2e4], 20), "a factor of 1.2");
    let mut flat = swept(&law, &[1e3, 1e4, 1e5], 20);
    for place in 1..3 {
        let forces = flat[0].members.clone();
        flat[place].members = forces;
    }
    said(&flat, "do not grow with the loading rate");
    let mut bent = swept(&law, &[1e3, 1e4, 1e5, 1e6], 20);
    for member in bent[3].members.iter_mut() {
        member.unfolding.rupture.as_mut().unwrap().force_pn += 60.0;
    }
    said(&bent, "forces do not follow it");
    // Replicas that did not unfold may be why.
    bent[3].members[0].unfolding = Unfolding::default();
    let bent = answer(&bent).unwrap();
    assert_eq!(codes(&bent), [data::Code::NotMeasured, data::Code::LeftOut]);
    // A narrow range, and replicas that did not unfold.
    let mut narrow = swept(&law, &[1e4, 2e4, 6e4], 60);
    narrow[0].members[0].unfolding = Unfolding::default();
    let narrow = answer(&narrow).unwrap();
    assert_eq!(codes(&narrow), [data::Code::NarrowRates, data::Code::LeftOut]);
    assert!(narrow.value("barrier_distance").is_some());
    // A replica that still runs may unfold.
    let mut running = swept(&law, &[1e3, 1e4, 1e5], 20);
    running[0].members[0].unfolding = Unfolding::default();
    running[0].members[1].unfolding = Unfolding::default();
    running[0].members[0].is_running = true;
    let running = answer(&running).unwrap();
    let left_out = running.findings.iter().find(|finding| finding.code == data::Code::LeftOut);
    let text = left_out.map(|finding| finding.text.as_str()).unwrap_or_default();
    assert!(text.starts_with("1 of 59 replicas did not unfold"), "{text}");
}

/// The other rates have their fit to the measured dF/dt too.
#[test]
fn a_rate_at_which_nothing_unfolded_is_left_out_of_all_fits() {
    let law = BellEvans::new(0.4, 1e-3, 4.142);
    let mut groups = swept(&law, &[1e2, 1e3, 1e4, 1e5], 40);
    for member in &mut groups[0].members {
        member.unfolding = Unfolding::default();
    }
    let answer = loading_rates::answers(&placed(&groups)).pop().unwrap();
    let codes: Vec<data::Code> = answer.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [data::Code::LeftOut; 2], "{answer:?}");
    let is_measured = |value: &&data::Value| value.of == "measured dF/dt";
    assert!(answer.values.iter().find(is_measured).is_some_and(|value| value.value.is_some()));
}

/// Where colours are a scale, labels with laws would be lost.
#[test]
fn laws_of_many_series_are_in_notes() {
    let law = BellEvans::new(0.4, 1e-3, 4.142);
    let at_temperature = |kelvin: usize| {
        let mut groups = swept(&law, &[1e3, 1e4, 1e5, 1e6], 20);
        for loading in groups.iter_mut().filter_map(|group| group.loading.as_mut()) {
            loading.settings = vec![data::Setting {
                key: "dynamics.temperature".into(),
                value: format!("{kelvin} K"),
                ..data::Setting::default()
            }];
        }
        groups
    };
    let drawn = |count: usize| {
        let groups: Vec<PulledGroup> = (280..280 + count).flat_map(at_temperature).collect();
        let (stem, figure) = loading_rates::figure(&placed(&groups)).unwrap();
        let about = loading_rates::points(&placed(&groups));
        let points = ManyPoints::new(about.iter().map(|one| (one.name.as_str(), one)));
        points.arrange(PointFigure::new(stem, figure)).1
    };
    let labels = |figure: &Figure| {
        figure.series.iter().filter(|series| series.label.contains("x‡ = ")).count()
    };
    let notes = |figure: &Figure| -> Vec<String> {
        figure.notes.iter().filter(|note| note.contains("x‡ = ")).cloned().collect()
    };
    let (few, many) = (drawn(2), drawn(9));
    assert_eq!((labels(&few), notes(&few).len()), (2, 0));
    assert_eq!((labels(&many), notes(&many).len()), (0, 8));
    assert!(many.scale.is_some());
    assert!(notes(&many)[1].starts_with("temperature = 281 K: x‡ = 0."), "{:?}", many.notes);
    assert!(many.notes.contains(&"And 1 group more: answers.csv has all.".to_string()));
}
