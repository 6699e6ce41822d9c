//! Made cycles with a known slope, peak, modulus and hysteresis.

use std::ops::Range;

use super::*;

/// A tip that moves with its base: 0.01 a sample out for `out` samples, then back. In contact from 1 on. The force out is
/// `force` of the deformation, that back half of it, and 0 before contact.
fn curve(out: usize, force: impl Fn(f64) -> f64) -> Curve {
    let mut curve = Curve::default();
    let mut work = 0.0;
    let mut before = (0.0, 0.0);
    for sample in 0..=2 * out {
        let is_out = sample <= out;
        let base = 0.01 * if is_out { sample } else { 2 * out - sample } as f64;
        let depth = base - 1.0;
        let here = if depth > 0.0 { force(depth) } else { 0.0 };
        let here = if is_out { here } else { 0.5 * here };
        work += 0.5 * (here + before.1) * (base - before.0);
        before = (base, here);
        curve.time.push(sample as f64);
        curve.base.push(base);
        curve.deformation.push(depth);
        curve.force.push(here);
        curve.tip_force.push(here - 1.0);
        curve.work.push(work);
        curve.energy.push(-100.0 + 7.0 * base);
        // Ten contacts are lost by each unit of deformation, and none comes back.
        let lost = if is_out { 10.0 * depth.max(0.0) } else { 10.0 * (0.01 * out as f64 - 1.0) };
        curve.contacts.push(200.0 - lost);
        curve.contacts_between.push(50.0 - 0.2 * lost);
    }
    touched(curve)
}

/// With the first sample of a deformation as that of the first contact.
fn touched(curve: Curve) -> Curve {
    Curve { contact: curve.deformation.iter().position(|depth| *depth >= 0.0), ..curve }
}

/// Two cycles of a tip that goes with its base to a deformation of 3, on a half space of 80 d^(3/2) that keeps a dent of `dent` after
/// the first; no force on the way back.
fn dented(dent: f64) -> Curve {
    let mut curve = Curve::default();
    for sample in 0..1600 {
        let (cycle, place) = (sample / 800, sample % 800);
        let base = 0.01 * if place <= 400 { place } else { 800 - place } as f64;
        let depth = base - 1.0 - if cycle == 0 { 0.0 } else { dent };
        let force = if place <= 400 { 80.0 * depth.max(0.0).powf(1.5) } else { 0.0 };
        curve.time.push(sample as f64);
        curve.base.push(base);
        curve.deformation.push(base - 1.0);
        curve.force.push(force);
        curve.tip_force.push(force);
        curve.work.push(0.0);
        curve.energy.push(0.0);
        curve.contacts.push(f64::NAN);
        curve.contacts_between.push(0.0);
    }
    touched(curve)
}

/// Up to a deformation of 3 the force grows by 30 a unit, then it falls by 60.
fn shell(depth: f64) -> f64 {
    if depth <= 3.0 { 30.0 * depth } else { 90.0 - 60.0 * (depth - 3.0) }
}

const CRITERIA: Criteria = Criteria {
    window_points: 1,
    prominence: 10.0,
    contact_force: 5.0,
    radius: 9.0,
    tip_friction: 0.0,
    slope: None,
    hertz: None,
};

fn near(found: Option<f64>, expected: f64, tolerance: f64) {
    assert!(
        found.is_some_and(|found| (found - expected).abs() < tolerance),
        "{found:?} {expected}"
    );
}

#[test]
fn a_shell_that_yields_has_slope_peak_and_hysteresis() {
    let curve = curve(450, shell);
    let cycles = cycles(&curve.base);
    let [cycle] = cycles.as_slice() else { panic!("{cycles:?}") };
    let found = analyse(&curve, cycle, &Criteria { slope: Some((1.0, 2.0)), ..CRITERIA });
    let peak = found.peak.unwrap();
    near(Some(peak.force), 90.0, 1e-9);
    near(Some(peak.tip_force), 89.0, 1e-9);
    near(Some(peak.deformation), 3.0, 1e-9);
    assert!(peak.is_passed);
    near(found.tip_peak, 89.0, 1e-9);
    let initial = found.initial.unwrap();
    near(Some(initial.cantilever.slope), 30.0, 1e-6);
    near(Some(initial.tip.slope), 30.0, 1e-6);
    near(Some(initial.to), 1.5, 1e-9);
    near(found.slope.map(|slope| slope.cantilever.slope), 30.0, 1e-6);
    // Out: 30 · 3²/2 + (90 + 60)/2 · 0.5 = 172.5; half of it comes back, but for the corner at the turn of (60 + 30)/2 · 0.01.
    near(found.work_out, 172.5, 0.1);
    near(found.work_back, 86.25, 0.3);
    near(found.dissipated(), 86.25, 0.3);
    near(found.energy_change, 31.5, 1e-9);
    near(found.deepest, 3.5, 1e-9);
    near(found.at_start, 200.0, 1e-9);
    near(found.between_at_start, 50.0, 1e-9);
    near(found.lost_at_peak, 30.0, 1e-9);
    near(found.lost_at_end, 35.0, 1e-9);
    near(found.between_lost_at_peak, 6.0, 1e-9);
    near(found.between_lost_at_end, 7.0, 1e-9);
}

/// The dent of 1.5 is empty in the second approach: its force passes 5 where 80 x^(3/2) does, 0.157 behind it.
#[test]
fn each_cycle_is_judged_from_its_own_contact() {
    let curve = dented(1.5);
    let cycles = cycles(&curve.base);
    let asked = Criteria { slope: Some((0.0, 2.5)), ..CRITERIA };
    let [first, second] = [0, 1].map(|cycle| analyse(&curve, &cycles[cycle], &asked));
    assert_eq!(first.contact, Some(0.0));
    near(second.contact, 1.66, 1e-9);
    let initial = [&first, &second].map(|found| found.initial.unwrap());
    assert_eq!([initial[0].from, initial[1].from], [0.0, second.contact.unwrap()]);
    // Half of the rise from 5 to 80 · 1.5^(3/2) = 147 is at 80 x^(3/2) = 76, so x = 0.97.
    near(Some(initial[1].to), 2.47, 0.011);
    // Between 1.66 and 2.5 the force grows by 120 √x, with x from 0.16 to 1.
    assert!((60.0..110.0).contains(&second.slope.unwrap().cantilever.slope), "{second:?}");
    for (found, zero) in [(&first, 0.0), (&second, 1.5)] {
        let (law, range) = found.hertz.unwrap();
        near(Some(law.modulus), 20.0, 0.05);
        near(Some(law.zero), zero, 5e-3);
        assert!(range.0 == found.contact.unwrap() && range.1 - range.0 <= 2.25, "{range:?}");
    }
    // No part has contacts with another one.
    assert_eq!((second.between_lost_at_peak, second.between_lost_at_end), (None, None));
    // A dent that is deeper than the tip goes leaves no contact, so there is nothing to fit.
    let deep = dented(3.5);
    let second = analyse(&deep, &self::cycles(&deep.base)[1], &asked);
    assert!(!second.has_contact() && second.peak.is_none());
    assert!(second.initial.is_none() && second.slope.is_none() && second.hertz.is_none());
}

/// The fit ends at a quarter of the radius, 2.25. A law that begins behind its middle has few of its forces.
#[test]
fn forces_that_begin_late_have_no_modulus() {
    let law_from = |zero: f64| {
        let mut curve = curve(600, |depth| 80.0 * depth.powf(1.5));
        let forces =
            curve.deformation.iter().map(|depth| 200.0 * (depth - zero).max(0.0).powf(1.5));
        curve.tip_force = forces.collect();
        analyse(&curve, &cycles(&curve.base)[0], &CRITERIA).hertz
    };
    near(law_from(0.5).map(|(law, _)| law.modulus), 50.0, 0.05);
    assert_eq!(law_from(1.5), None);
}

/// The fit ends at a depth of 2.25, a quarter of which is 0.56. With a zero of −0.8 the law has 57 at contact.
#[test]
fn forces_that_begin_far_before_contact_have_no_modulus() {
    let law_from = |zero: f64, contact_force: f64| {
        let mut curve = curve(600, |depth| 80.0 * depth.powf(1.5));
        let forces = curve.deformation.iter().map(|depth| 80.0 * (depth - zero).max(0.0).powf(1.5));
        curve.tip_force = forces.collect();
        analyse(&curve, &cycles(&curve.base)[0], &Criteria { contact_force, ..CRITERIA }).hertz
    };
    near(law_from(-0.5, 5.0).map(|(law, _)| law.modulus), 20.0, 0.05);
    assert_eq!(law_from(-0.8, 5.0), None);
    // The law has less than twice the force of a contact there, so that contact came late.
    near(law_from(-0.8, 30.0).map(|(law, _)| law.modulus), 20.0, 0.05);
    // A force that grows ever more slowly is near the law, if its zero may lie anywhere.
    let mut slow = curve(600, |depth| 80.0 * depth.powf(1.5));
    slow.tip_force = slow.deformation.iter().map(|depth| 80.0 * depth.max(0.0).sqrt()).collect();
    assert_eq!(analyse(&slow, &cycles(&slow.base)[0], &CRITERIA).hertz, None);
}

/// The tip takes up speed from contact on, 0.5 for each unit of depth. Its drag is 20 times that, and the body has 30 a unit.
#[test]
fn the_drag_of_a_tip_that_takes_up_speed_has_a_slope() {
    let mut curve = curve(300, |depth| 30.0 * depth);
    let mut time = 0.0;
    for sample in 1..curve.time.len() {
        let depth = curve.deformation[sample];
        let way = depth - curve.deformation[sample - 1];
        let speed = 0.1 + 0.5 * depth.max(0.0);
        time += way.abs() / speed;
        curve.time[sample] = time;
        curve.force[sample] += 20.0 * speed * way.signum();
    }
    let friction = Criteria { tip_friction: 20.0, ..CRITERIA };
    let initial = analyse(&curve, &cycles(&curve.base)[0], &friction).initial.unwrap();
    near(Some(initial.cantilever.slope), 40.0, 1e-6);
    near(Some(initial.tip.slope), 30.0, 1e-6);
    near(Some(initial.drag), 10.0, 1e-6);
}

/// Neighbouring samples lie 150 above and below the law, whose force at the end of the fit is 270. Pairs of them lie on it.
#[test]
fn forces_far_from_the_law_have_no_modulus() {
    let mut curve = curve(600, |depth| 80.0 * depth.powf(1.5));
    for (sample, force) in curve.tip_force.iter_mut().enumerate() {
        *force += if sample.is_multiple_of(2) { 151.0 } else { -149.0 };
    }
    let cycles = cycles(&curve.base);
    let found = analyse(&curve, &cycles[0], &CRITERIA);
    assert_eq!(found.hertz, None);
    let refused = found.refused.unwrap();
    assert!(refused.is_far && !refused.is_late && !refused.is_early, "{refused:?}");
    near(Some(refused.law.deviation), 150.0, 5.0);
    let averaged = Criteria { window_points: 2, ..CRITERIA };
    let (law, _) = analyse(&curve, &cycles[0], &averaged).hertz.unwrap();
    near(Some(law.modulus), 20.0, 0.3);
}

#[test]
fn a_curve_that_ends_before_its_peak_says_so() {
    let curve = curve(350, shell);
    let found = analyse(&curve, &cycles(&curve.base)[0], &CRITERIA);
    assert!(!found.peak.unwrap().is_passed);
    near(found.peak.map(|peak| peak.force), 75.0, 1e-9);
    // A window of eleven samples ends half a window earlier.
    let wide =
        analyse(&curve, &cycles(&curve.base)[0], &Criteria { window_points: 11, ..CRITERIA });
    near(wide.peak.map(|peak| peak.force), 75.0 - 5.0 * 0.3, 1e-9);
    // A small fall is no peak.
    let yields = self::curve(405, shell);
    let found = analyse(&yields, &cycles(&yields.base)[0], &CRITERIA);
    assert!(!found.peak.unwrap().is_passed);
}

#[test]
fn a_half_space_has_its_modulus_within_a_quarter_of_the_radius() {
    // (4/3) · 20 · √9 = 80, and a force on the tip that is smaller by 1.
    let mut curve = curve(600, |depth| 80.0 * depth.powf(1.5));
    curve.tip_force.iter_mut().for_each(|force| *force += 1.0);
    let found = analyse(&curve, &cycles(&curve.base)[0], &CRITERIA);
    let (law, range) = found.hertz.unwrap();
    near(Some(law.modulus), 20.0, 0.01);
    near(Some(law.zero), 0.0, 1e-3);
    assert_eq!(range, (0.0, 2.25));
    let asked = Criteria { hertz: Some((0.5, 1.0)), ..CRITERIA };
    let (law, range) = analyse(&curve, &cycles(&curve.base)[0], &asked).hertz.unwrap();
    near(Some(law.modulus), 20.0, 0.01);
    assert_eq!((range, law.points), ((0.5, 1.0), 51));
}

#[test]
fn without_contact_there_is_only_work() {
    // The base turns before contact.
    let mut early = curve(90, shell);
    let found = analyse(&early, &cycles(&early.base)[0], &CRITERIA);
    assert!(!found.has_contact() && found.peak.is_none() && found.initial.is_none());
    near(found.work_out, 0.0, 1e-12);
    // This tip never came into contact.
    early.deformation.iter_mut().for_each(|depth| *depth = f64::NAN);
    assert!(!analyse(&early, &cycles(&early.base)[0], &CRITERIA).has_contact());
}

/// Some samples of a curve.
fn part(whole: &Curve, samples: Range<usize>) -> Curve {
    let cut = |values: &[f64]| values[samples.clone()].to_vec();
    Curve {
        time: cut(&whole.time),
        base: cut(&whole.base),
        deformation: cut(&whole.deformation),
        force: cut(&whole.force),
        tip_force: cut(&whole.tip_force),
        work: cut(&whole.work),
        energy: cut(&whole.energy),
        contacts: cut(&whole.contacts),
        contacts_between: cut(&whole.contacts_between),
        contact: whole.contact.map(|contact| contact - samples.start),
    }
}

#[test]
fn work_of_a_way_back_that_is_not_over_is_unknown() {
    let whole = curve(300, shell);
    let of_first = |samples: usize| {
        let part = part(&whole, 0..samples);
        analyse(&part, &cycles(&part.base)[0], &CRITERIA)
    };
    // The last of 601 samples is at the beginning. A stage may end anywhere before its next row.
    for samples in [500, 599] {
        let found = of_first(samples);
        assert_eq!((found.work_back, found.dissipated()), (None, None), "{samples}");
        near(found.work_out, 60.0, 0.1);
    }
    for samples in [600, 601] {
        near(of_first(samples).work_back, 30.0, 0.3);
    }
}

/// The base goes 0.5 beyond its beginning, against a force of 3 from 0.01 before it on. No sample is at the beginning.
#[test]
fn work_of_a_way_back_ends_where_the_cycle_began() {
    let mut beyond = curve(300, shell);
    let back = analyse(&beyond, &cycles(&beyond.base)[0], &CRITERIA).work_back.unwrap();
    let all = [
        &mut beyond.time,
        &mut beyond.deformation,
        &mut beyond.force,
        &mut beyond.tip_force,
        &mut beyond.energy,
        &mut beyond.contacts,
        &mut beyond.contacts_between,
    ];
    all.into_iter().for_each(|values| values.resize(650, 0.0));
    beyond.base.truncate(600);
    beyond.work.truncate(600);
    let before = beyond.work[599];
    for number in 0..50 {
        let base = -0.005 - 0.01 * f64::from(number);
        beyond.base.push(base);
        beyond.work.push(before + 3.0 * (0.01 - base));
    }
    let found = analyse(&beyond, &cycles(&beyond.base)[0], &CRITERIA);
    near(found.work_back, back - 0.03, 1e-9);
}

/// A force of 2 acts before contact too. The first sample lies 0.1 behind the beginning of the base.
#[test]
fn work_counts_from_where_the_base_began() {
    let mut whole = curve(300, shell);
    for (work, base) in whole.work.iter_mut().zip(&whole.base) {
        *work += 2.0 * base;
    }
    let later = part(&whole, 10..601);
    let [whole, later] =
        [&whole, &later].map(|curve| analyse(curve, &cycles(&curve.base)[0], &CRITERIA));
    near(later.work_out, whole.work_out.unwrap(), 1e-9);
    near(later.work_back, whole.work_back.unwrap(), 1e-9);
}
