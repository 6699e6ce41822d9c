//! Displacements of free Brownian points: 6 D t.

use beadwork_analysis::displacements::{diffusion, exponent, lags, mean_squares};
use beadwork_analysis::statistics::{mean, standard_error};

use crate::noise::Noise;

#[test]
fn brownian_points_move_by_six_d_t() {
    let (points, frames, blocks) = (40, 65, 16);
    let (coefficient, interval) = (0.7, 0.2);
    let step = (2.0_f64 * coefficient * interval).sqrt();
    let mut noise = Noise(17);
    let chosen = lags(frames - 1);
    let times: Vec<f64> = chosen.iter().map(|lag| *lag as f64 * interval).collect();
    let mut squares = Vec::new();
    for _ in 0..blocks {
        let mut at = vec![[0.0_f64; 3]; points];
        let frame = |_| {
            at.iter_mut().flatten().for_each(|x| *x += step * noise.normal());
            at.iter().map(|point| point.map(|x| x as f32)).collect()
        };
        let series: Vec<Vec<[f32; 3]>> = (0..frames).map(frame).collect();
        squares.push(mean_squares(&series, &chosen));
    }
    // The errors of 16 blocks are known to a fifth, so that five of them are some four.
    for (lag, time) in times.iter().enumerate() {
        let values: Vec<f64> = squares.iter().map(|block| block[lag]).collect();
        let (found, error) = (mean(&values).unwrap(), standard_error(&values).unwrap());
        assert!((found - 6.0 * coefficient * time).abs() < 5.0 * error, "{time}: {found} {error}");
        // A point has (frames − 1)/lag independent displacements, each with the variance 2/3 of its mean square.
        let expected = found * (2.0 / 3.0 * chosen[lag] as f64 / 64.0 / (16.0 * 40.0)).sqrt();
        assert!((0.4..1.8).contains(&(error / expected)), "{time}: {error} {expected}");
    }
    let found: Vec<f64> = squares.iter().filter_map(|block| diffusion(&times, block)).collect();
    let (value, error) = (mean(&found).unwrap(), standard_error(&found).unwrap());
    assert!((value - coefficient).abs() < 5.0 * error && error < 0.1 * value, "{value} {error}");
    let all: Vec<f64> = (0..times.len())
        .map(|lag| squares.iter().map(|block| block[lag]).sum::<f64>() / blocks as f64)
        .collect();
    assert!((exponent(&times, &all).unwrap() - 1.0).abs() < 0.2);
}
