//! The samples of one ladder.

use beadwork_analysis::Samples;

/// The energies of a rung and its three quantities, in the order of time.
pub(super) type Series = [Vec<f64>; 4];

/// A replica in the order of time: its rung, with energy and quantities there.
pub(super) type RungHistory = Vec<(usize, [f64; 4])>;

#[derive(Clone, Debug)]
pub(super) struct LadderSample {
    pub(super) step: u64,
    /// The number of its replica in the ladder.
    pub(super) replica: usize,
    /// Energy and quantities.
    pub(super) values: [f64; 4],
}

/// A ladder in one stage.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub(super) temperatures: Vec<f64>,
    /// Samples by rung, in any order.
    pub(super) rows: Vec<Vec<LadderSample>>,
    /// Attempted and accepted exchanges of each lower rung, from `exchange.csv`.
    pub(super) swaps: Vec<(f64, f64)>,
    /// For each rung, visits of replicas that came from the lowest rung and from the highest, from `exchange.csv`.
    pub(super) flow: Vec<(f64, f64)>,
    pub(super) round_trips: f64,
    /// The rule that placed its temperatures last, from `exchange.csv`.
    pub(super) placed_by: String,
    /// Whether a replica failed before it had a row of the stage.
    pub(super) failed_early: bool,
}

impl Ladder {
    pub(super) fn new(temperatures: &[f64]) -> Ladder {
        let rungs = temperatures.len();
        Ladder {
            temperatures: temperatures.to_vec(),
            rows: vec![Vec::new(); rungs],
            swaps: vec![(0.0, 0.0); rungs - 1],
            flow: vec![(0.0, 0.0); rungs],
            round_trips: 0.0,
            placed_by: String::new(),
            failed_early: false,
        }
    }

    pub(super) fn has_rows(&self) -> bool {
        self.rows.iter().any(|rows| !rows.is_empty())
    }

    pub(super) fn series(&self) -> Vec<Series> {
        let in_order = |rows: &Vec<LadderSample>| {
            let mut rows: Vec<&LadderSample> = rows.iter().collect();
            rows.sort_by_key(|row| row.step);
            [0, 1, 2, 3].map(|which| rows.iter().map(|row| row.values[which]).collect())
        };
        self.rows.iter().map(in_order).collect()
    }

    pub(super) fn histories(&self) -> Vec<RungHistory> {
        let mut histories = vec![Vec::new(); self.rows.len()];
        for (rung, rows) in self.rows.iter().enumerate() {
            for row in rows {
                histories[row.replica].push((row.step, rung, row.values));
            }
        }
        let in_order = |mut history: Vec<(u64, usize, [f64; 4])>| {
            history.sort_by_key(|(step, ..)| *step);
            history.into_iter().map(|(_, rung, values)| (rung, values)).collect()
        };
        histories.into_iter().map(in_order).collect()
    }
}

/// A ladder with its samples in the order of time.
pub(super) struct Sampled<'a> {
    pub number: u64,
    pub ladder: &'a Ladder,
    /// The samples of each rung.
    pub series: Vec<Series>,
}

/// The columns of a ladder at one temperature.
pub(super) fn samples_of([energies, observables @ ..]: &Series) -> Samples<'_> {
    Samples { energies, observables: observables.iter().map(Vec::as_slice).collect() }
}
