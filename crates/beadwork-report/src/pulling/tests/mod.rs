//! Unfolding forces of made-up groups, and means of lines.

use beadwork_analysis::unfolding::{Criteria, Peak, Unfolding};

use super::mean_line::MeanLine;
use super::replicas::{Points, PulledMember};
use super::*;
use crate::data;

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
        let unfolding = Unfolding { rupture, peaks: rupture.into_iter().collect() };
        PulledMember { number, unfolding, lines: Default::default() }
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
         3 of 4 replicas unfolded; window 500 points = 10 µs)"
    );
    let answer = answer(&group("", &forces));
    let share = answer.value("unfolded_share").unwrap();
    // √(¾ · ¼ / 4).
    assert_eq!((share.value, share.error), (Some(0.75), Some(0.1875f64.sqrt() / 2.0)));
}

#[test]
fn groups_without_a_force_say_so() {
    let [none, one] = [group("", &[None; 2]), group("", &[Some(121.0)])].map(|group| {
        let answer = answer(&group);
        data::Summary { groups: vec![answer], ..Default::default() }.in_words()
    });
    assert!(
        none.starts_with("none of 2 replica(s) unfolded (window 500 points = 10 µs)\n"),
        "{none}"
    );
    assert!(
        one.contains("unfolding force: 121 pN (one value, so without an error; one replica;"),
        "{one}"
    );
    let summary = group("", &[None; 2]).summary();
    assert_eq!((summary.mean_pn, summary.not_unfolded()), (None, 2));
}

#[test]
fn tables_have_a_line_for_each_replica_and_each_peak() {
    let about = [data::Group { name: "a, b".into(), ..Default::default() }];
    let [unfolding, peaks] = tables(&[group("a, b", &[None, Some(121.5)])]);
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
