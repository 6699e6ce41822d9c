//! The mean of the lines of replicas.

use super::replicas::Points;

/// The mean of lines sampled at the same x, up to where half of the lines end.
#[derive(Clone, Debug)]
pub(crate) struct MeanLine {
    pub(crate) lines: usize,
    /// The number of points of the line that ends first, of replicas that have stopped.
    pub(crate) shortest: Option<usize>,
    pub(crate) x: Vec<f64>,
    pub(crate) sums: Vec<(f64, usize)>,
}

impl MeanLine {
    pub(crate) const fn new() -> MeanLine {
        MeanLine { lines: 0, shortest: None, x: Vec::new(), sums: Vec::new() }
    }

    pub(crate) fn add(&mut self, line: &[(f64, f64)], has_stopped: bool) {
        self.lines += 1;
        // A replica that has not come so far is in no mean.
        if has_stopped && !line.is_empty() {
            let shortest = self.shortest.map_or(line.len(), |shortest| shortest.min(line.len()));
            self.shortest = Some(shortest);
        }
        self.x.extend(line.iter().skip(self.x.len()).map(|point| point.0));
        self.sums.resize(self.x.len(), (0.0, 0));
        for (sum, (_, value)) in self.sums.iter_mut().zip(line) {
            if value.is_finite() {
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
    }

    /// Where the first line ends, if others go on.
    pub(crate) fn first_end(&self) -> Option<f64> {
        let end = self.shortest.filter(|shortest| *shortest < self.x.len())?;
        end.checked_sub(1).map(|last| self.x[last])
    }

    pub(crate) fn points(&self) -> Points {
        self.x
            .iter()
            .zip(&self.sums)
            .take_while(|(_, (_, count))| *count > 0 && 2 * count >= self.lines)
            .map(|(&x, &(sum, count))| (x, sum / count as f64))
            .collect()
    }
}
