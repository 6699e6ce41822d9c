//! Round trips of replicas between the ends of a ladder.

/// The expected number of round trips, bottom → top → bottom, of all replicas of a ladder, from the acceptance between
/// each two neighbours: attempts/(2 + 2 Σ r/(1 − r)), r the rejected part (\[H\]).
///
/// It holds for attempts that pair rungs (0, 1), (2, 3) … and (1, 2), (3, 4) … in turn, and for energies that are
/// independent between attempts (Syed, Bouchard-Côté, Deligiannidis and Doucet, J. R. Stat. Soc. B 84, 321, 2022).
/// Correlated energies, as at a transition, give fewer round trips.
pub fn expected(attempts: f64, acceptance: &[f64]) -> f64 {
    let resistance: f64 = acceptance.iter().map(|accepted| (1.0 - accepted) / accepted).sum();
    attempts / (2.0 + 2.0 * resistance)
}
