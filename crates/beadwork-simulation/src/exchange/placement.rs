//! Where the temperatures between the ends of a ladder are best, by what was counted on it.
//!
//! Sums, quotients and square roots alone, which have the same bits everywhere: trajectories follow from them. A rung never
//! goes beyond where its neighbours were, since nothing was measured of how far it could.

/// The part of even flow that is mixed in, so that no interval is without temperatures.
const EVEN: f64 = 0.01;

/// Temperatures between the same ends of whose neighbours equally many attempts should be rejected.
///
/// Rejections of an interval's parts add up to those of the interval where the parts are small (Syed, Bouchard-Côté,
/// Deligiannidis and Doucet, J. R. Stat. Soc. B 84, 321, 2022): their sum from the lowest rung on, linear in T between
/// rungs, is cut into equal parts. A share of k rejections among n attempts is taken as (k + ½)/(n + 1), which no scarcity
/// of attempts makes 0.
pub(super) fn by_acceptance(temperatures: &[f64], attempted: &[u64], accepted: &[u64]) -> Vec<f64> {
    let rejected =
        |(tried, made): (&u64, &u64)| ((tried - made) as f64 + 0.5) / (*tried as f64 + 1.0);
    let rejections: Vec<f64> = attempted.iter().zip(accepted).map(rejected).collect();
    held(temperatures, &evenly(temperatures, &rejections))
}

/// Temperatures between the same ends on which replicas travel fastest, by how many replicas on each rung came from the
/// lowest rung and from the highest.
///
/// The density of temperatures is to go with √(Δf/ΔT/ΔT) in each interval ΔT, f the part that came from the lowest
/// (Katzgraber, Trebst, Huse and Troyer, J. Stat. Mech. P03018, 2006), so that each interval gets temperatures by √Δf.
pub(super) fn by_flow(temperatures: &[f64], upward: &[u64], downward: &[u64]) -> Vec<f64> {
    let part = |(up, down): (&u64, &u64)| (*up as f64 + 0.5) / ((up + down) as f64 + 1.0);
    let flow: Vec<f64> = upward.iter().zip(downward).map(part).collect();
    held(temperatures, &evenly(temperatures, &lengths(&flow)))
}

/// √Δf of each interval, once f is made to fall.
fn lengths(flow: &[f64]) -> Vec<f64> {
    let last = flow.len() - 1;
    let falling = falling(flow);
    let mixed =
        |rung: usize| (1.0 - EVEN) * falling[rung] + EVEN * (1.0 - rung as f64 / last as f64);
    (0..last).map(|rung| (mixed(rung) - mixed(rung + 1)).sqrt()).collect()
}

/// f with 1 and 0 at its ends that nowhere rises: runs of rungs where it does are replaced by their mean (pool adjacent
/// violators), with straight lines between the middles of runs.
fn falling(flow: &[f64]) -> Vec<f64> {
    let last = flow.len() - 1;
    // Runs of rungs: sum, number, and the sum of their places.
    let mut runs: Vec<[f64; 3]> = Vec::new();
    for (rung, f) in flow.iter().enumerate() {
        let f = match rung {
            0 => 1.0,
            _ if rung == last => 0.0,
            _ => *f,
        };
        let mut run = [f, 1.0, rung as f64];
        while let Some(before) = runs.pop_if(|before| before[0] * run[1] <= run[0] * before[1]) {
            (0..3).for_each(|part| run[part] += before[part]);
        }
        runs.push(run);
    }
    let (mut places, mut values) = (vec![0.0], vec![1.0]);
    for [sum, number, rungs] in runs {
        let place = rungs / number;
        if place > 0.0 && place < last as f64 {
            places.push(place);
            values.push(sum / number);
        }
    }
    places.push(last as f64);
    values.push(0.0);
    (0..=last).map(|rung| interpolate(&places, &values, rung as f64)).collect()
}

/// As many temperatures between the same ends, between each two of them the same of the intervals' lengths, all positive.
fn evenly(temperatures: &[f64], lengths: &[f64]) -> Vec<f64> {
    let mut reached = vec![0.0];
    let mut sum = 0.0;
    for length in lengths {
        sum += length;
        reached.push(sum);
    }
    let last = lengths.len();
    let place = |rung: usize| match rung {
        0 => temperatures[0],
        _ if rung == last => temperatures[last],
        _ => interpolate(&reached, temperatures, sum * (rung as f64 / last as f64)),
    };
    (0..=last).map(place).collect()
}

/// Each rung as near to where it is wanted as where its neighbours are allows. What rises stays so: the middle one of
/// three numbers rises where all of them do.
fn held(temperatures: &[f64], wanted: &[f64]) -> Vec<f64> {
    let last = temperatures.len() - 1;
    let hold = |(rung, wanted): (usize, &f64)| match rung {
        0 => temperatures[0],
        _ if rung == last => temperatures[last],
        _ => wanted.clamp(temperatures[rung - 1], temperatures[rung + 1]),
    };
    wanted.iter().enumerate().map(hold).collect()
}

/// y at x between points whose x rise.
fn interpolate(x: &[f64], y: &[f64], at: f64) -> f64 {
    let above = x.partition_point(|x| *x < at).clamp(1, x.len() - 1);
    let part = (at - x[above - 1]) / (x[above] - x[above - 1]);
    y[above - 1] + part * (y[above] - y[above - 1])
}

#[cfg(test)]
mod tests;
