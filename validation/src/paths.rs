//! Hamiltonian paths over sites that touch, and the moves that lead from each to others.

/// Turns after which no first path has been found.
const PATIENCE: usize = 10_000_000;

/// Which sites touch.
#[derive(Clone, Debug)]
pub struct Graph {
    touching: Vec<Vec<bool>>,
}

impl Graph {
    /// Sites closer than `reach` touch.
    pub fn of(sites: &[[f64; 3]], reach: f64) -> Graph {
        let square = |a: &[f64; 3], b: &[f64; 3]| -> f64 {
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let row = |a| sites.iter().map(|b| square(a, b) < reach * reach).collect();
        Graph { touching: sites.iter().map(row).collect() }
    }

    /// How many sites there are.
    pub fn sites(&self) -> usize {
        self.touching.len()
    }

    /// Whether two different sites touch.
    pub fn touch(&self, a: usize, b: usize) -> bool {
        self.touching[a][b]
    }

    /// A path through all sites, along pairs that touch: from sites in any order by random turns after which no more
    /// links are broken. None where patience ends first.
    pub fn random_path(&self, word: &mut impl FnMut() -> u32) -> Option<Vec<usize>> {
        let mut path: Vec<usize> = (0..self.sites()).collect();
        for last in (1..path.len()).rev() {
            path.swap(last, below(last + 1, word));
        }
        let mut broken = path.windows(2).filter(|link| !self.touch(link[0], link[1])).count();
        for _ in 0..PATIENCE {
            if broken == 0 {
                return Some(path);
            }
            let (first, last) = part(path.len(), word);
            let [before, after] = self.links(&path, first, last);
            let lost = |links: [Option<(usize, usize)>; 2]| {
                links.into_iter().flatten().filter(|(a, b)| !self.touch(*a, *b)).count()
            };
            if lost(after) <= lost(before) {
                broken = broken + lost(after) - lost(before);
                path[first..=last].reverse();
            }
        }
        None
    }

    /// Turns a random part of a path round if the path still goes along pairs that touch, and says whether it did. Two
    /// links change, or one where the part has an end of the path (the backbite of Mansfield, J. Chem. Phys. 77, 1554,
    /// 1982). The same part turns it back, so that proposals are symmetric.
    pub fn turn(&self, path: &mut [usize], word: &mut impl FnMut() -> u32) -> bool {
        let (first, last) = part(path.len(), word);
        let holds = self.holds_turned(path, first, last);
        if holds {
            path[first..=last].reverse();
        }
        holds
    }

    /// Whether a path with the part from `first` to `last` turned round goes along pairs that touch.
    fn holds_turned(&self, path: &[usize], first: usize, last: usize) -> bool {
        self.links(path, first, last)[1].into_iter().flatten().all(|(a, b)| self.touch(a, b))
    }

    /// The links that tie a part to the rest: as it is, and turned round.
    fn links(&self, path: &[usize], first: usize, last: usize) -> [[Option<(usize, usize)>; 2]; 2] {
        let before = first.checked_sub(1).map(|place| path[place]);
        let after = path.get(last + 1).copied();
        let tied = |head, tail| [before.map(|site| (site, head)), after.map(|site| (tail, site))];
        [tied(path[first], path[last]), tied(path[last], path[first])]
    }
}

/// A part of at least two places out of so many, all alike probable.
fn part(places: usize, word: &mut impl FnMut() -> u32) -> (usize, usize) {
    let a = below(places, word);
    let b = below(places - 1, word);
    let b = b + usize::from(b >= a);
    (a.min(b), a.max(b))
}

/// A whole number below `limit`; unlike by less than limit/2³².
fn below(limit: usize, word: &mut impl FnMut() -> u32) -> usize {
    ((u64::from(word()) * limit as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use beadwork_random::Mt19937;

    use super::*;
    use crate::icosahedron::mackay;

    fn square_of_nine() -> Graph {
        let sites: Vec<[f64; 3]> =
            (0..9).map(|site| [f64::from(site % 3), f64::from(site / 3), 0.0]).collect();
        Graph::of(&sites, 1.1)
    }

    fn is_hamiltonian(graph: &Graph, path: &[usize]) -> bool {
        let different: HashSet<_> = path.iter().collect();
        different.len() == graph.sites()
            && path.len() == graph.sites()
            && path.windows(2).all(|link| graph.touch(link[0], link[1]))
    }

    /// All paths that go on from a beginning.
    fn continued(graph: &Graph, beginning: &mut Vec<usize>, found: &mut HashSet<Vec<usize>>) {
        if beginning.len() == graph.sites() {
            found.insert(beginning.clone());
        }
        for site in 0..graph.sites() {
            let last = beginning.last();
            if !beginning.contains(&site) && last.is_none_or(|last| graph.touch(*last, site)) {
                beginning.push(site);
                continued(graph, beginning, found);
                beginning.pop();
            }
        }
    }

    /// Of 3 × 3 sites there are 20 paths, each in two directions (OEIS A096969).
    #[test]
    fn turns_lead_from_any_path_to_every_other() {
        let graph = square_of_nine();
        let mut all = HashSet::new();
        continued(&graph, &mut Vec::new(), &mut all);
        assert_eq!(all.len(), 40);
        let first = graph.random_path(&mut words(1)).unwrap();
        let (mut reached, mut next) = (HashSet::from([first.clone()]), vec![first]);
        while let Some(path) = next.pop() {
            for (first, last) in (1..9).flat_map(|last| (0..last).map(move |first| (first, last))) {
                if graph.holds_turned(&path, first, last) {
                    let mut turned = path.clone();
                    turned[first..=last].reverse();
                    if reached.insert(turned.clone()) {
                        next.push(turned);
                    }
                }
            }
        }
        assert_eq!(reached, all);
    }

    #[test]
    fn paths_stay_hamiltonian() {
        let graph = Graph::of(&mackay(2, 0.7), 1.25 * 0.7);
        let mut word = words(2);
        let mut path = graph.random_path(&mut word).unwrap();
        let mut turned = 0;
        for _ in 0..20_000 {
            turned += usize::from(graph.turn(&mut path, &mut word));
            assert!(is_hamiltonian(&graph, &path));
        }
        // Turns by themselves are 1 in 1,485; others change the path.
        assert!(turned > 200, "{turned}");
    }

    #[test]
    fn where_there_is_no_path_none_is_found() {
        let apart = Graph::of(&[[0.0; 3], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0]], 1.5);
        assert!(!apart.holds_turned(&[0, 1, 2], 1, 2));
        assert_eq!(apart.random_path(&mut words(3)), None);
    }

    fn words(seed: u32) -> impl FnMut() -> u32 {
        let mut generator = Mt19937::from_seed_number(seed);
        move || generator.next_u32()
    }
}
