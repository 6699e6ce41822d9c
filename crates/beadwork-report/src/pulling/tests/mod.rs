//! Unfolding forces of made-up groups, and means of lines.

use beadwork_analysis::unfolding::Peak;

use super::*;

/// A group of replicas with these unfolding forces and a row every 20 ns.
fn group(name: &str, forces_pn: &[Option<f64>]) -> Group {
    let criteria = Criteria { window_points: 500, prominence_pn: 10.0, taut_extension_nm: None };
    let mut group = Group::new(name.into(), Pulling::Spring, criteria, 20.0);
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
        Member { number, unfolding, lines: Default::default() }
    }));
    group
}

#[test]
fn a_group_in_one_line() {
    // Mean 121, deviations −1, 1, 0: standard deviation 1, error 1/√3.
    let forces = [Some(120.0), None, Some(122.0), Some(121.0)];
    assert_eq!(
        in_words(&[group("", &forces)]),
        "unfolding force 121.0 ± 1.0 pN (mean ± standard deviation of 3; standard error 0.6; \
         window 500 points = 10 µs); 1 of 4 not unfolded\n"
    );
}

#[test]
fn groups_keep_their_order() {
    let groups = [group("5 µm/s", &[None; 2]), group("2.5 µm/s", &[Some(121.0)])];
    assert_eq!(
        in_words(&groups),
        "5 µm/s: none of 2 unfolded (window 500 points = 10 µs)\n\
         2.5 µm/s: unfolding force 121.0 pN (one replica; window 500 points = 10 µs); all of 1 unfolded\n"
    );
    assert_eq!(in_words(&[]), "");
    let summary = groups[0].summary();
    assert_eq!((summary.mean_pn, summary.not_unfolded()), (None, 2));
}

#[test]
fn tables_have_a_line_for_each_replica_and_each_peak() {
    let groups = [group("a, b", &[None, Some(121.5)])];
    let rows = unfolding_csv(&groups);
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(rows, ["\"a, b\",0,,,,,", "\"a, b\",1,121.5,4.8,40,60,80"]);
    assert_eq!(peaks_csv(&groups).lines().nth(1), Some(rows[1]));
}

fn mean_line(lines: &[Points]) -> Points {
    let mut mean = MeanLine::new();
    lines.iter().for_each(|line| mean.add(line));
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
}
