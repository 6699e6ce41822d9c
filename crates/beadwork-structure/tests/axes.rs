//! Axes of made assemblies and of capsids, and structures that are turned along them.

use std::fmt::Write as _;

use beadwork_structure::{
    Assembly, Axis, Orientation, ReadOptions, Structure, parse_assembly, read_assembly,
};
use beadwork_testing::shared_data;

type Vector = [f64; 3];
type Matrix = [Vector; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn times(matrix: &Matrix, vector: Vector) -> Vector {
    matrix.map(|row| dot(row, vector))
}

fn product(one: &Matrix, other: &Matrix) -> Matrix {
    let column = |index: usize| times(one, [0, 1, 2].map(|row| other[row][index]));
    let columns = [column(0), column(1), column(2)];
    [0, 1, 2].map(|row| columns.map(|column| column[row]))
}

/// The rotation about a direction by an angle in degrees.
fn rotation(direction: Vector, angle: f64) -> Matrix {
    let length = dot(direction, direction).sqrt();
    let [x, y, z] = direction.map(|component| component / length);
    let (s, c) = angle.to_radians().sin_cos();
    let d = 1.0 - c;
    [
        [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
        [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
        [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
    ]
}

/// All products of some rotations.
fn group(generators: &[Matrix]) -> Vec<Matrix> {
    let mut found = vec![rotation([1.0, 0.0, 0.0], 0.0)];
    let mut next = 0;
    while next < found.len() {
        for generator in generators {
            let new = product(generator, &found[next]);
            let is_same = |known: &Matrix| {
                let pairs = known.as_flattened().iter().zip(new.as_flattened());
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-6
            };
            if !found.iter().any(is_same) {
                found.push(new);
            }
        }
        next += 1;
    }
    found
}

/// The rotations of an icosahedron with 2-fold axes along x, y and z, in a frame that is turned a little.
fn icosahedral() -> Vec<Matrix> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let frame = rotation([1.0, 2.0, 3.0], 20.0);
    let turned = |direction, angle| rotation(times(&frame, direction), angle);
    group(&[turned([0.0, 1.0, golden], 72.0), turned([1.0, 1.0, 1.0], 120.0)])
}

/// Twelve positions about a point, without any symmetry.
fn body(at: Vector) -> Vec<Vector> {
    let position = |n: u32| {
        let n = f64::from(n);
        [at[0] + 0.7 * n, at[1] + n * n % 7.0, at[2] + 3.0 * n % 5.0]
    };
    (0..12).map(position).collect()
}

/// A file with chains of positions, and an assembly whose operators turn them about a centre.
fn file(chains: &[Vec<Vector>], operators: &[Matrix], centre: Vector) -> String {
    let mut text = String::from(
        "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B, C\n",
    );
    for (number, operator) in operators.iter().enumerate() {
        let moved = times(operator, centre);
        for (row, [x, y, z]) in operator.iter().enumerate() {
            let shift = centre[row] - moved[row];
            writeln!(
                text,
                "REMARK 350   BIOMT{} {:3}{x:10.6}{y:10.6}{z:10.6}{shift:15.5}",
                row + 1,
                number + 1
            )
            .unwrap();
        }
    }
    for (chain, positions) in ['A', 'B', 'C'].into_iter().zip(chains) {
        for (index, position) in positions.iter().enumerate() {
            let [x, y, z] = [0, 1, 2].map(|axis| position[axis] + centre[axis]);
            writeln!(
                text,
                "ATOM  {:5}  CA  GLY {chain}{:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           C",
                index + 1,
                index + 1
            )
            .unwrap();
        }
    }
    text
}

const CENTRE: Vector = [30.0, -20.0, 10.0];

fn parsed(text: &str) -> (Structure, Assembly) {
    parse_assembly(text, "made.pdb", &ReadOptions::default(), "1").unwrap()
}

fn axis((unit, assembly): &(Structure, Assembly), wanted: &str) -> Axis {
    assembly.axis(unit, |_| true, Orientation::named(wanted).unwrap()).unwrap()
}

fn refusal((unit, assembly): &(Structure, Assembly), wanted: &str) -> String {
    let wanted = Orientation::named(wanted).unwrap();
    let error = assembly.axis(unit, |_| true, wanted).unwrap_err();
    assert_eq!(error.code(), "structure/no-such-axis");
    error.to_string()
}

/// The largest distance of an atom, turned about +z through the centre, from the nearest atom.
fn asymmetry(structure: &Structure, order: u32, centre: Vector) -> f64 {
    let turn = rotation([0.0, 0.0, 1.0], 360.0 / f64::from(order));
    let relative = |position: Vector| [0, 1, 2].map(|axis| position[axis] - centre[axis]);
    let positions: Vec<Vector> =
        structure.atoms.iter().map(|atom| relative(atom.position)).collect();
    let distance = |position: &Vector| {
        let turned = times(&turn, *position);
        let squares = positions
            .iter()
            .map(|other| (0..3).map(|axis| (turned[axis] - other[axis]).powi(2)).sum::<f64>());
        squares.fold(f64::INFINITY, f64::min).sqrt()
    };
    positions.iter().map(distance).fold(0.0, f64::max)
}

#[test]
fn names_of_axes() {
    assert_eq!(Orientation::named("2-fold"), Some(Orientation::Fold(2)));
    assert_eq!(Orientation::named("quasi-6-fold"), Some(Orientation::QuasiFold(6)));
    for unknown in
        ["", "fold", "-fold", "1-fold", "0-fold", "two-fold", "2fold", "quasi-fold", "2-fold "]
    {
        assert_eq!(Orientation::named(unknown), None, "{unknown}");
    }
}

#[test]
fn an_icosahedron_has_its_axes_and_turns_along_them() {
    let operators = icosahedral();
    assert_eq!(operators.len(), 60);
    let made = parsed(&file(&[body([20.0, 12.0, 31.0])], &operators, CENTRE));
    for (order, count) in [(2, 15), (3, 10), (5, 6)] {
        let found = axis(&made, &format!("{order}-fold"));
        assert_eq!((found.equivalent, &found.quasi), (count, &None));
        // No axis of this order is nearer to +z.
        let fixed = |operator: &&Matrix| {
            let trace = operator[0][0] + operator[1][1] + operator[2][2];
            (trace - 1.0 - 2.0 * (360.0 / f64::from(order)).to_radians().cos()).abs() < 1e-6
        };
        let stays = |operator: &Matrix| {
            let moved = times(operator, found.direction);
            (0..3).all(|axis| (moved[axis] - found.direction[axis]).abs() < 1e-5)
        };
        assert_eq!(
            operators.iter().filter(fixed).filter(|one| stays(one)).count(),
            if order == 2 { 1 } else { 2 }
        );
        let nearest = operators.iter().map(|operator| times(operator, found.direction)[2]);
        assert!(nearest.fold(f64::NEG_INFINITY, f64::max) <= found.direction[2] + 1e-4);
        let mut whole = made.1.build(&made.0, |_| true).unwrap();
        assert!(asymmetry(&whole, order, CENTRE) > 1.0);
        assert!(whole.turn_to_z(found.direction));
        assert!(asymmetry(&whole, order, CENTRE) < 0.01);
    }
    let said = refusal(&made, "4-fold");
    let expected = "made.pdb: assembly 1 has no 4-fold axis; it has these: 2-fold, 3-fold, 5-fold. Write one of them, or a vector such as [0, 0, 1].";
    assert_eq!(said, expected);
}

/// Half a turn about a 4-fold axis does not make it a 2-fold axis, and a screw is no axis.
#[test]
fn axes_have_their_highest_order() {
    let around_x = |order: u32| group(&[rotation([1.0, 0.0, 0.0], 360.0 / f64::from(order))]);
    for order in [2, 3, 4, 6, 12, 17] {
        let made = parsed(&file(&[body([3.0, 25.0, 9.0])], &around_x(order), CENTRE));
        let found = axis(&made, &format!("{order}-fold"));
        assert_eq!(found.equivalent, 1);
        assert!((found.direction[0] - 1.0).abs() < 1e-9, "{found:?}");
        let said = refusal(&made, "5-fold");
        assert!(said.contains(&format!("it has these: {order}-fold. Write")), "{said}");
    }
    let single = parsed(&file(&[body([3.0, 25.0, 9.0])], &around_x(1), CENTRE));
    let said = refusal(&single, "2-fold");
    assert!(said.contains("has no 2-fold axis; it has none at all. Write a vector"), "{said}");
    let text = file(&[body([3.0, 25.0, 9.0])], &around_x(3), CENTRE);
    let second = text.lines().find(|line| line.contains("BIOMT1   2")).unwrap();
    let shifted = format!("{}        5.00000", &second[..second.len() - 15]);
    let third = text.lines().find(|line| line.contains("BIOMT1   3")).unwrap();
    let again = format!("{}       10.00000", &third[..third.len() - 15]);
    let screw = text.replace(second, &shifted).replace(third, &again);
    assert!(refusal(&parsed(&screw), "3-fold").contains("none at all"));
}

/// Axes are looked for among a thousand operators at most; a vector needs none.
#[test]
fn very_many_operators_have_no_named_axes() {
    let turn = |number: u32| rotation([1.0, 0.0, 0.0], 0.3 * f64::from(number));
    let operators: Vec<Matrix> = (0..1001).map(turn).collect();
    let made = parsed(&file(&[body([3.0, 25.0, 9.0])], &operators, CENTRE));
    let said = refusal(&made, "2-fold");
    assert!(said.contains("assembly 1 has 1001 operators, and axes are looked for among 1000"));
    let along = Orientation::Along([0.0, 3.0, 0.0]);
    assert_eq!(made.1.axis(&made.0, |_| true, along).unwrap().direction, [0.0, 3.0, 0.0]);
}

/// Three chains about an axis of no operator, a little off their places.
#[test]
fn neighbours_of_one_sequence_have_quasi_axes() {
    let axis_of_chains = [0.3, 0.25, 0.92];
    let length = dot(axis_of_chains, axis_of_chains).sqrt();
    let site = axis_of_chains.map(|component| 60.0 * component / length);
    let first = body([site[0] + 3.0, site[1] + 2.0, site[2] - 3.0]);
    let turned = |angle: f64| -> Vec<Vector> {
        let turn = rotation(axis_of_chains, angle);
        first.iter().map(|&position| times(&turn, position)).collect()
    };
    let chains = [first.clone(), turned(118.0), turned(240.0)];
    // One of the positions is 1 Å off.
    let mut moved = chains.clone();
    moved[1][4][0] += 1.0;
    let operators = icosahedral();
    let made = parsed(&file(&moved, &operators, CENTRE));
    let found = axis(&made, "quasi-3-fold");
    let quasi = found.quasi.unwrap();
    // A and C are nearest to a third of a turn.
    assert_eq!(quasi.chains, ["A", "C"]);
    assert_eq!((quasi.residues, found.equivalent), (12, 60));
    assert!((quasi.angle - 120.0).abs() < 0.01 && quasi.deviation < 0.002, "{quasi:?}");
    assert!(quasi.tilt < 0.05, "{quasi:?}");
    let direction = axis_of_chains.map(|component| component / length);
    let images = operators.iter().map(|operator| times(operator, direction));
    let nearest = images.max_by(|a, b| a[2].total_cmp(&b[2])).unwrap();
    assert!(dot(nearest, found.direction) > 0.99999, "{nearest:?} {:?}", found.direction);
    assert!(refusal(&made, "quasi-6-fold").contains("2-fold, 3-fold, 5-fold, quasi-3-fold. Write"));
    // Chains of another sequence are not superposed.
    let text = file(&moved, &operators, CENTRE).replace("GLY B", "ALA B").replace("GLY C", "SER C");
    assert!(refusal(&parsed(&text), "quasi-3-fold").contains("2-fold, 3-fold, 5-fold. Write"));
}

#[test]
fn a_structure_turns_about_its_centre() {
    let made = parsed(&file(&[body([0.0; 3])], &group(&[]), CENTRE));
    let built = made.1.build(&made.0, |_| true).unwrap();
    let mut turned = built.clone();
    // A direction that lies along +z already changes no bit.
    assert!(turned.turn_to_z([0.0, 0.0, 7.0]));
    assert_eq!(turned, built);
    for none in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 1.0]] {
        assert!(!turned.turn_to_z(none));
    }
    assert_eq!(turned, built);
    let centre = |structure: &Structure| {
        let count = structure.atoms.len() as f64;
        [0, 1, 2]
            .map(|axis| structure.atoms.iter().map(|atom| atom.position[axis]).sum::<f64>() / count)
    };
    let before = centre(&built);
    assert!(turned.turn_to_z([2.0, 0.0, 0.0]));
    let after = centre(&turned);
    for (old, new) in built.atoms.iter().zip(&turned.atoms) {
        let [x, y, z] = [0, 1, 2].map(|axis| old.position[axis] - before[axis]);
        let expected = [-z, y, x];
        for axis in 0..3 {
            assert!((new.position[axis] - after[axis] - expected[axis]).abs() < 1e-12);
            assert!((before[axis] - after[axis]).abs() < 1e-12);
        }
    }
}

/// Axes of capsids: of triangulation number 1, and 3 with a tilt of the trimers that differs between viruses.
#[test]
fn axes_of_capsids() {
    for (file, sites, tilt) in [
        ("5cvz.pdb", &[][..], 0.0),
        ("1cwp_repaired.pdb", &[(2, 60), (3, 60), (6, 20)], 5.1),
        ("1f2n.pdb", &[(2, 60), (3, 60), (6, 20)], 17.1),
    ] {
        let Some(path) = shared_data(&format!("capsids/{file}")) else { return };
        let made = read_assembly(&path, &ReadOptions::default(), "1").unwrap();
        for (order, count) in [(2, 15), (3, 10), (5, 6)] {
            assert_eq!(axis(&made, &format!("{order}-fold")).equivalent, count, "{file}");
        }
        for (order, count) in sites {
            let found = axis(&made, &format!("quasi-{order}-fold"));
            let quasi = found.quasi.unwrap();
            assert_eq!(found.equivalent, *count, "{file} {order}");
            assert!(quasi.deviation < 1.5 && quasi.residues >= 149, "{file} {quasi:?}");
            if *order == 3 {
                assert!((quasi.tilt - tilt).abs() < 0.1, "{file} {quasi:?}");
            }
        }
        if sites.is_empty() {
            assert!(refusal(&made, "quasi-3-fold").contains("2-fold, 3-fold, 5-fold. Write"));
        }
    }
}
