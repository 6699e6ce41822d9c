//! Places the temperatures between the ends of a ladder by the record of its exchanges.
//!
//! Trajectories depend on them, so only sums, quotients and square roots are used, which have the same bits everywhere.
//! No rung moves beyond its neighbours' old temperatures: the record has no data on larger gaps.

/// The weight of a uniform flow that is mixed in, so that every interval gets temperatures.
const EVEN: f64 = 0.01;

/// Temperatures between the same ends at which all neighbours should reject the same share of attempts.
///
/// Rejections are additive over the parts of an interval where the parts are small (Syed, Bouchard-Côté, Deligiannidis
/// and Doucet, J. R. Stat. Soc. B 84, 321, 2022). So their sum from the lowest rung on, linear in T between rungs, is
/// cut into equal parts. The share of k rejections among n attempts is estimated as (k + ½)/(n + 1), which is never 0.
pub(super) fn by_acceptance(temperatures: &[f64], attempted: &[u64], accepted: &[u64]) -> Vec<f64> {
    let rejected =
        |(tried, made): (&u64, &u64)| ((tried - made) as f64 + 0.5) / (*tried as f64 + 1.0);
    let rejections: Vec<f64> = attempted.iter().zip(accepted).map(rejected).collect();
    held(temperatures, &evenly(temperatures, &rejections))
}

/// Temperatures between the same ends on which replicas travel fastest, by the counts of replicas on each rung that
/// came from either end.
///
/// Of replicas on a rung, the part f came from the lowest. The best density of temperatures goes as √(Δf/ΔT/ΔT)
/// (Katzgraber, Trebst, Huse and Troyer, J. Stat. Mech. P03018, 2006), so an interval gets temperatures by √Δf.
pub(super) fn by_flow(temperatures: &[f64], upward: &[u64], downward: &[u64]) -> Vec<f64> {
    let part = |(up, down): (&u64, &u64)| (*up as f64 + 0.5) / ((up + down) as f64 + 1.0);
    let flow: Vec<f64> = upward.iter().zip(downward).map(part).collect();
    held(temperatures, &evenly(temperatures, &lengths(&flow)))
}

/// √Δf of each interval, after f was made to fall.
fn lengths(flow: &[f64]) -> Vec<f64> {
    let last = flow.len() - 1;
    let falling = falling(flow);
    let mixed =
        |rung: usize| (1.0 - EVEN) * falling[rung] + EVEN * (1.0 - rung as f64 / last as f64);
    (0..last).map(|rung| (mixed(rung) - mixed(rung + 1)).sqrt()).collect()
}

/// f as a function that never rises and has 1 and 0 at its ends. Runs of rungs where it rises are replaced by their
/// mean (pool adjacent violators); straight lines join the middles of runs.
fn falling(flow: &[f64]) -> Vec<f64> {
    let last = flow.len() - 1;
    // Runs of rungs: the sum of f, the number of rungs, and the sum of their indices.
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

/// As many temperatures between the same ends, such that the `lengths` (all positive) between neighbours are equal.
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

/// Each wanted temperature, limited to the old temperatures of the rung's neighbours. The result rises: limits and
/// wanted temperatures both rise with the rung.
fn held(temperatures: &[f64], wanted: &[f64]) -> Vec<f64> {
    let last = temperatures.len() - 1;
    let hold = |(rung, wanted): (usize, &f64)| match rung {
        0 => temperatures[0],
        _ if rung == last => temperatures[last],
        _ => wanted.clamp(temperatures[rung - 1], temperatures[rung + 1]),
    };
    wanted.iter().enumerate().map(hold).collect()
}

/// Linear interpolation of y at `at`; `x` rises.
fn interpolate(x: &[f64], y: &[f64], at: f64) -> f64 {
    let above = x.partition_point(|x| *x < at).clamp(1, x.len() - 1);
    let part = (at - x[above - 1]) / (x[above] - x[above - 1]);
    y[above - 1] + part * (y[above] - y[above - 1])
}

#[cfg(test)]
mod tests;
