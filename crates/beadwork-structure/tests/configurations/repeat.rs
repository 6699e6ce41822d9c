//! Copies of a box side by side.

use super::{lammps, read};

#[test]
fn copies_have_the_beads_bonds_and_angles_of_the_box() {
    let one = read(lammps::FULL, "a.data");
    let beads = one.len();
    let all = one.repeated([1, 3, 2]).unwrap();
    assert_eq!(all.len(), 6 * beads);
    assert_eq!(all.images, None);
    let ([x, y, z], [small_x, small_y, small_z]) = (all.bounds.unwrap(), one.bounds.unwrap());
    assert_eq!([x, y], [small_x, [small_y[0], small_y[0] + 3.0 * (small_y[1] - small_y[0])]]);
    assert_eq!(z, [small_z[0], small_z[0] + 2.0 * (small_z[1] - small_z[0])]);
    let images = one.images.as_ref().unwrap();
    assert!(images.iter().any(|image| *image != [0; 3]));
    for (bead, at) in all.positions.iter().enumerate() {
        let (of, copy) = (bead % beads, bead / beads);
        for (axis, steps) in [0, copy % 3, copy / 3].into_iter().enumerate() {
            let [low, high] = one.bounds.unwrap()[axis];
            let sides = f64::from(images[of][axis]) + steps as f64;
            let expected = one.positions[of][axis] + sides * (high - low);
            assert!((at[axis] - expected).abs() < 1e-12, "bead {bead}");
        }
        assert_eq!(all.types[bead], one.types[of]);
        assert_eq!(all.labels[bead].name, one.labels[of].name);
    }
    let moved = |copy: usize, beads_of: &[usize]| -> Vec<usize> {
        beads_of.iter().map(|bead| bead + copy * beads).collect()
    };
    for (number, (pair, kind)) in all.bonds.iter().enumerate() {
        let (of, copy) = (number % one.bonds.len(), number / one.bonds.len());
        assert_eq!((pair.to_vec(), *kind), (moved(copy, &one.bonds[of].0), one.bonds[of].1));
    }
    for (number, (triple, kind)) in all.angles.iter().enumerate() {
        let (of, copy) = (number % one.angles.len(), number / one.angles.len());
        assert_eq!((triple.to_vec(), *kind), (moved(copy, &one.angles[of].0), one.angles[of].1));
    }
    assert_eq!((all.dihedrals, all.masses), (6 * one.dihedrals, one.masses));
}

/// Where a format has molecule 0 for none, it stays none; the chains of others are named by their numbers, which begin at 1 though the file's are near the largest.
#[test]
fn molecules_of_copies_have_numbers_of_their_own() {
    let text = "x,y,z,molecule\n0,0,0,4294967295\n1,0,0,4294967295\n2,0,0,0\n3,0,0,1\n";
    let one = read(text, "a.csv");
    assert_eq!(one.repeated([2, 1, 1]), None);
    let bounds = Some([[0.0, 4.0]; 3]);
    let boxed = beadwork_structure::Configuration { bounds, no_molecule: Some(0), ..one };
    // In a CSV file 0 is a molecule as any other.
    let numbered = beadwork_structure::Configuration { no_molecule: None, ..boxed.clone() };
    let numbered = numbered.repeated([2, 1, 1]).unwrap().molecules.unwrap();
    assert_eq!(numbered, [1, 1, 2, 3, 4, 4, 5, 6]);
    let all = boxed.repeated([2, 1, 1]).unwrap();
    assert_eq!(all.molecules.unwrap(), [1, 1, 0, 2, 3, 3, 0, 4]);
    let chains: Vec<&str> = all.labels.iter().map(|label| label.chain.as_str()).collect();
    assert_eq!(chains, ["1", "1", "0", "2", "3", "3", "0", "4"]);
}
