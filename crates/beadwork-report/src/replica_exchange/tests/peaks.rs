//! The peaks of the specific heat and of the growth of the size, and their errors.

use super::*;

/// Adds a state higher by `gap`, so degenerate that both are equally frequent at T = √2. For a gap of 12, C rises by
/// 12²/4T² = 18 there and by less than 5 at the ends. The size is 1 in the lower state, 3 in the higher.
fn make_two_states(ladder: &mut Ladder, gap: f64) {
    for (rows, temperature) in ladder.rows.iter_mut().zip(&ladder.temperatures) {
        let odds = (gap / 2_f64.sqrt() - gap / temperature).exp();
        for row in rows {
            // Low digits of the energy serve as random numbers.
            let is_high = (row.values[0] * 1e4).fract() < odds / (1.0 + odds);
            row.values[0] += if is_high { gap } else { 0.0 };
            row.values[1] = if is_high { 3.0 } else { 1.0 };
        }
    }
}

/// The peak gets its error from ladders with rows of the last stage, once there are eight of them.
#[test]
fn ladders_before_the_last_stage_give_the_peak_no_error() {
    let said = |arrived: u64| {
        let mut late = at_given_temperatures(10, 4, 12);
        (0..arrived).for_each(|number| make_two_states(late.ladder(number), 12.0));
        for number in arrived..10 {
            late.ladder(number).rows.iter_mut().for_each(Vec::clear);
        }
        words(late)
    };
    let peak = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("highest specific heat C/N: "));
        line.unwrap_or_else(|| panic!("no peak in\n{text}")).to_string()
    };
    let few = said(2);
    assert!(peak(&few).ends_with(" (without an error)"), "{few}");
    assert!(few.contains("there are too few rows for an error"), "{few}");
    let enough = said(8);
    assert!(
        peak(&enough).contains(" ± ") && !enough.contains("too few rows for an error"),
        "{enough}"
    );
}

/// The line on where the size grows fastest.
fn growth_in(text: &str) -> &str {
    let line = text.lines().find(|line| line.contains("square radius of gyration grows fastest"));
    line.unwrap_or_else(|| panic!("no growth in\n{text}"))
}

/// With two states the size follows p = 1/(1 + e^{Δ/T − Δ/√2}); dp/dT = p (1 − p) Δ/T² peaks below √2.
#[test]
fn the_size_grows_fastest_at_the_temperature_of_the_law() {
    let gap = 12.0;
    let growth = |t: f64| {
        let odds = (gap / 2_f64.sqrt() - gap / t).exp();
        odds / ((1.0 + odds) * t).powi(2)
    };
    let grid = (0..10_000).map(|step| 1.0 + 1e-4 * f64::from(step));
    let exact = grid.max_by(|a, b| growth(*a).total_cmp(&growth(*b))).unwrap();
    let said = |ladders: u64, rows| {
        let mut group = at_given_temperatures(ladders, 6, rows);
        (0..ladders).for_each(|number| make_two_states(group.ladder(number), gap));
        words(group)
    };
    for text in [said(10, 100), said(2, 2_000)] {
        let [place, error] = place_and_error(growth_in(&text).split_once(": ").unwrap().1);
        assert!((place - exact).abs() < 4.0 * error && error < 0.03, "{exact}\n{text}");
        let (highest, growth) = (text.find("highest specific"), text.find(growth_in(&text)));
        assert!(highest < growth && !text.contains("no peak"), "{text}");
    }
    let few = said(2, 12);
    assert!(growth_in(&few).ends_with(" (without an error)"), "{few}");
}

/// The numbers of `0.3320 ± 0.0003 (…)`.
fn place_and_error(text: &str) -> [f64; 2] {
    let (place, error) = text.split_once(" ± ").unwrap();
    [place, error.split(' ').next().unwrap()].map(|number| number.parse().unwrap())
}

/// If two peaks are equally high, both are reported, each with the error of its own place.
#[test]
fn the_size_grows_as_fast_at_two_temperatures() {
    // Gap, temperature of equal frequency, size s, and the digits of the energy that serve as random numbers. The sizes
    // make s Δ/4T² equal.
    let states = [(30.0, 1.2, 1.0, 1e4), (40.0, 1.7, 1.505, 1e6)];
    let odds = |gap: f64, middle: f64, t: f64| (gap / middle - gap / t).exp();
    let mut group = at_given_temperatures(10, 8, 400);
    for number in 0..10 {
        let ladder = group.ladder(number);
        for (rows, &temperature) in ladder.rows.iter_mut().zip(&ladder.temperatures) {
            for row in rows {
                let digits = row.values[0];
                for (gap, middle, size, digit) in states {
                    let odds = odds(gap, middle, temperature);
                    if (digits * digit).fract() < odds / (1.0 + odds) {
                        row.values[0] += gap;
                        row.values[1] += size;
                    }
                }
            }
        }
    }
    let text = words(group);
    let starts = [
        "temperature at which square radius of gyration grows fastest: ",
        "temperature at which square radius of gyration grows as fast within a 95 % confidence interval: ",
    ];
    let mut found = starts.map(|start| {
        let place = text.lines().find_map(|line| line.strip_prefix(start));
        place_and_error(place.unwrap_or_else(|| panic!("no {start} in\n{text}")))
    });
    found.sort_by(|one, other| one[0].total_cmp(&other[0]));
    for ([place, error], (gap, middle, ..)) in found.into_iter().zip(states) {
        let growth = |t: f64| odds(gap, middle, t) / ((1.0 + odds(gap, middle, t)) * t).powi(2);
        let grid = (0..10_000).map(|step| 1.0 + 1e-4 * f64::from(step));
        let exact = grid.max_by(|a, b| growth(*a).total_cmp(&growth(*b))).unwrap();
        assert!((place - exact).abs() < 5.0 * error && error < 0.02, "{exact}\n{text}");
    }
}

/// The error of the place also needs blocks that are long enough for the size.
#[test]
fn growth_of_a_slow_size_has_no_error() {
    let mut slow = at_given_temperatures(2, 4, 2_000);
    for number in [0, 1] {
        make_two_states(slow.ladder(number), 12.0);
        for row in slow.ladder(number).rows.iter_mut().flatten() {
            row.values[1] += (row.step as f64 / 400.0 + row.replica as f64).sin();
        }
    }
    let text = words(slow);
    assert!(growth_in(&text).ends_with(" (without an error)"), "{text}");
    let highest = text.lines().find(|line| line.starts_with("highest specific heat"));
    assert!(highest.is_some_and(|line| line.contains(" ± ")), "{text}");
    assert!(text.contains("rows for an error of square_radius_of_gyration"), "{text}");
}

/// ⟨E²⟩ = 20 T² grows fastest at the warm end; ⟨−E⟩ and a constant never grow.
#[test]
fn growth_without_a_peak() {
    let said = |size: fn(f64) -> f64| {
        let mut group = at_given_temperatures(10, 4, 100);
        for number in 0..10 {
            for row in group.ladder(number).rows.iter_mut().flatten() {
                row.values[1] = size(row.values[0]);
            }
        }
        words(group)
    };
    let line = "note: square radius of gyration grows fastest at an end of the temperatures, 2.0000, and its growth has no peak between them";
    let grows = said(|energy| energy * energy);
    assert_eq!(growth_in(&grows), line, "{grows}");
    for size in [|energy: f64| -energy, |_| 0.0] {
        let text = said(size);
        assert!(!text.contains("grows fastest"), "{text}");
    }
}

/// The peak exceeds the ends by more than one standard error, but by less than the 2.26 that a 95 % interval with nine
/// degrees of freedom requires.
#[test]
fn doubtful_peaks_are_noted() {
    let mut low = at_given_temperatures(10, 4, 40);
    (0..10).for_each(|number| make_two_states(low.ladder(number), 5.0));
    let text = words(low);
    let after = |what: &str| -> Vec<f64> {
        let line = text.lines().find_map(|line| line.split_once(what)).expect(&text).1;
        line.split(' ').filter_map(|word| word.parse().ok()).collect()
    };
    let (error, above) = (after("C/N: ")[1], after("note: the highest specific heat is ")[0]);
    assert!((error..2.2622 * error).contains(&above), "{text}");
    let said = " more than at an end of the temperatures, within its 95 % confidence interval, so that it may be no peak\n";
    assert!(text.contains(said), "{text}");
    let mut low = at_given_temperatures(10, 4, 40);
    (0..10).for_each(|number| make_two_states(low.ladder(number), 4.5));
    let text = words(low);
    assert!(growth_in(&text).contains(" ± "), "{text}");
    let said = "note: square radius of gyration grows by no more than its 95 % confidence interval faster there than at an end of the temperatures, so that it may be no peak\n";
    assert!(text.contains(said), "{text}");
}

/// Text, tables and plots state the degrees of freedom of errors: seven for eight ladders.
#[test]
fn errors_of_eight_ladders_have_seven_degrees_of_freedom() {
    let mut given = at_given_temperatures(8, 6, 100);
    (0..8).for_each(|number| make_two_states(given.ladder(number), 12.0));
    let all = [given];
    let text = in_words(&all);
    let of = "(standard error with 7 degrees of freedom; from the spread of 8 ladders)";
    let highest = text.lines().find(|line| line.starts_with("highest specific heat")).expect(&text);
    assert!(highest.ends_with(of), "{text}");
    let folder = tempfile::tempdir().unwrap();
    for table in tables(&all) {
        let text = table.to_csv(&[data::Group::default()]);
        std::fs::write(folder.path().join(&table.file), text).unwrap();
    }
    let averages = read_csv(folder.path().join("thermodynamics.csv")).unwrap();
    for column in ["degrees_of_freedom", "contacts_degrees_of_freedom"] {
        assert_eq!(averages.numbers(column).unwrap(), [7.0; 6]);
    }
    let curves = read_csv(folder.path().join("curves.csv")).unwrap();
    assert!(curves.numbers("degrees_of_freedom").unwrap().iter().all(|freedom| *freedom == 7.0));
    for name in ["specific-heat", "size", "size-growth"] {
        assert!(svg(&all, name).contains("7 degrees of freedom"), "{name}");
    }
}
