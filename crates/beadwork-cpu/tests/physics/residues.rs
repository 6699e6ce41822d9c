//! Forces on chains of residues against those of another program.

use std::fs;
use std::sync::Arc;

use beadwork_cpu::{CpuPath, Instructions, Member};
use beadwork_model::force_fields::residues::{Chain, ChargedEnds, ResidueModel, Solution, build};
use beadwork_model::{Integrator, Precision};
use beadwork_testing::shared_data;

use crate::support::{dynamics, protocol, stage};

/// kJ/(mol nm) in one kcal/(mol Å).
const FORCE: f64 = 41.84;

/// Forces on each bead of random chains: within 10⁻⁸ kJ/(mol nm), for a table with nine digits after the point, and in
/// single precision within 10⁻⁵ of the largest, on each path.
#[test]
fn forces_on_random_chains_are_those_of_another_program() {
    let folder = "residue/single_points";
    let Some(forces) = shared_data(&format!("{folder}/calvados_forces.csv")) else { return };
    let Some(positions) = shared_data(&format!("{folder}/calvados_positions.csv")) else { return };
    let [forces, positions] = [forces, positions].map(|file| fs::read_to_string(file).unwrap());
    let rows = |text: &str| -> Vec<Vec<String>> {
        text.lines().skip(1).map(|line| line.split(',').map(String::from).collect()).collect()
    };
    let (forces, positions) = (rows(&forces), rows(&positions));
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    let mut compared = 0;
    for block in forces.chunk_by(|a, b| a[..6] == b[..6]) {
        let key = &block[0];
        let chain = positions.iter().filter(|row| row[..2] == key[..2]);
        let (letters, beads): (String, Vec<[f64; 3]>) =
            chain.map(|row| (row[3].as_str(), [4, 5, 6].map(|k| 10.0 * number(&row[k])))).unzip();
        let solution = Solution {
            temperature: number(&key[3]),
            ionic_strength: number(&key[4]),
            ph: number(&key[5]),
        };
        let chain = Chain::disordered(&key[0], letters);
        let model = match key[2].as_str() {
            "2" => ResidueModel::Calvados2,
            _ => ResidueModel::Calvados3,
        };
        let system = build(&[chain], model, &solution, ChargedEnds::default()).unwrap();
        let system = Arc::new(system);
        let expected: Vec<[f64; 3]> =
            block.iter().map(|row| [7, 8, 9].map(|k| number(&row[k]))).collect();
        let largest = expected.iter().flatten().fold(0.0, |most: f64, f| most.max(f.abs()));
        let vectors = Instructions::ALL.into_iter().filter(|one| one.is_available());
        for path in vectors.map(CpuPath::PairSimd).chain([CpuPath::Reference]) {
            for (precision, bound) in
                [(Precision::Double, 1e-8), (Precision::Single, 1e-5 * largest)]
            {
                let dynamics = dynamics((Integrator::Langevin, precision), 0.01);
                let protocol = Arc::new(protocol(dynamics, vec![stage(1, vec![])]));
                let mut member = Member::new(system.clone(), protocol, 0, &beads).with_path(path);
                let found = member.interaction_forces().unwrap();
                for (bead, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    for axis in 0..3 {
                        let error = (FORCE * found[axis] - expected[axis]).abs();
                        assert!(error < bound, "{key:?}, bead {bead}, {path:?}: {error:e}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 0);
}
