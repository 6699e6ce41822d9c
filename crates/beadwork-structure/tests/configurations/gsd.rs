//! GSD files: one that HOOMD's package wrote, and others made chunk by chunk.

use beadwork_structure::{Configuration, parse_configuration_bytes, read_configuration};

use super::{DAMAGED, types};

/// An array of a frame: its name, the code of its type, its columns and its bytes.
#[derive(Clone)]
struct Array(u64, &'static str, u8, u32, Vec<u8>);

const U32: u8 = 3;
const I8: u8 = 5;
const I32: u8 = 7;
const F32: u8 = 9;
const F64: u8 = 10;

fn f32s(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn f64s(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn i32s(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A file with these arrays, which are sorted by frame and by their first occurrence.
fn file(arrays: &[Array]) -> Vec<u8> {
    let mut names: Vec<&str> = Vec::new();
    for Array(_, name, ..) in arrays {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut list = names.join("\0").into_bytes();
    list.resize((list.len() + 2).next_multiple_of(64), 0);
    let index = 256 + list.len() as u64;
    let entries = arrays.len() as u64 + 1;
    let mut bytes = Vec::new();
    for number in [0x65DF_65DF_65DF_65DF, index, entries, 256, list.len() as u64 / 64] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([4, 0, 1, 0, 1, 0, 2, 0]);
    bytes.extend([b"by hand".as_slice(), &[0; 57], b"hoomd", &[0; 59], &[0; 80]].concat());
    bytes.extend(list);
    let mut place = index + 32 * entries;
    let mut data: Vec<u8> = Vec::new();
    for Array(frame, name, kind, columns, of_array) in arrays {
        let size = match *kind {
            I8 | 1 => 1,
            F64 => 8,
            _ => 4,
        };
        let rows = of_array.len() as u64 / u64::from(*columns) / size;
        for number in [*frame, rows, place] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(columns.to_le_bytes());
        let number = names.iter().position(|known| known == name).unwrap() as u16;
        bytes.extend(number.to_le_bytes());
        bytes.extend([*kind, 0]);
        place += of_array.len() as u64;
        data.extend(of_array);
    }
    bytes.resize(bytes.len() + 32, 0);
    bytes.extend(data);
    bytes
}

fn arrays() -> Vec<Array> {
    vec![
        Array(0, "configuration/box", F32, 1, f32s(&[5.3, 6.0, 7.0, 0.0, 0.0, 0.0])),
        Array(0, "particles/N", U32, 1, u32s(&[3])),
        Array(0, "particles/types", I8, 3, b"A\0\0BB\0C\0\0".to_vec()),
        Array(0, "particles/typeid", U32, 1, u32s(&[0, 1, 0])),
        Array(0, "particles/mass", F32, 1, f32s(&[0.1, 2.0, 0.1])),
        Array(0, "particles/charge", F32, 1, f32s(&[0.3, -1.0, 0.0])),
        Array(
            0,
            "particles/position",
            F32,
            3,
            f32s(&[0.5, 1.0, 2.0, -1.0, 0.0, 1.0, 2.0, 2.0, 2.0]),
        ),
        Array(0, "particles/image", I32, 3, i32s(&[0, 0, 0, 1, 0, 0, 0, 0, -1])),
        Array(0, "bonds/N", U32, 1, u32s(&[2])),
        Array(0, "bonds/types", I8, 2, b"x\0y\0".to_vec()),
        Array(0, "bonds/typeid", U32, 1, u32s(&[1, 0])),
        Array(0, "bonds/group", U32, 2, u32s(&[0, 1, 2, 1])),
        Array(0, "angles/N", U32, 1, u32s(&[1])),
        Array(0, "angles/group", U32, 3, u32s(&[0, 1, 2])),
        Array(
            1,
            "particles/position",
            F64,
            3,
            f64s(&[0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]),
        ),
        Array(
            1,
            "particles/velocity",
            F32,
            3,
            f32s(&[0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, -1.0]),
        ),
    ]
}

pub(crate) fn full() -> Vec<u8> {
    file(&arrays())
}

fn read(bytes: &[u8], frame: i64) -> Configuration {
    parse_configuration_bytes(bytes, "in.gsd", frame).unwrap()
}

#[test]
fn frames_have_beads_terms_and_a_box() {
    let first = read(&full(), 0);
    assert_eq!(types(&first), ["A", "BB", "A"]);
    assert_eq!(first.type_names, ["A", "BB", "C"]);
    // Single precision is read as the decimal number that was meant, except in positions and velocities.
    assert_eq!(first.masses, [Some(0.1), Some(2.0), None]);
    assert_eq!(first.charges.as_deref(), Some(&[0.3, -1.0, 0.0][..]));
    assert_eq!(first.positions, [[0.5, 1.0, 2.0], [-1.0, 0.0, 1.0], [2.0, 2.0, 2.0]]);
    assert_eq!(first.velocities, None);
    assert_eq!(first.images.as_deref(), Some(&[[0, 0, 0], [1, 0, 0], [0, 0, -1]][..]));
    assert_eq!(first.bounds, Some([[-2.65, 2.65], [-3.0, 3.0], [-3.5, 3.5]]));
    assert_eq!(first.bonds, [([0, 1], 2), ([2, 1], 1)]);
    assert_eq!(first.angles, [([0, 1, 2], 1)]);
    assert_eq!((first.dihedrals, first.impropers, &first.molecules), (0, 0, &None));
    assert!(first.warnings.is_empty());
    // What a frame lacks is that of the first one.
    let last = read(&full(), -1);
    assert_eq!(last.positions[0], [0.1, 0.0, 0.0]);
    assert_eq!(last.velocities.as_ref().unwrap()[2], [2.0, 0.0, -1.0]);
    assert_eq!([first.frame, last.frame, first.frames, last.frames], [0, 1, 2, 2]);
    let positions = first.positions.clone();
    let as_first = Configuration { positions, velocities: None, frame: 0, ..last };
    assert_eq!(as_first, first);
}

#[test]
fn arrays_that_are_missing_have_their_defaults() {
    let few = [
        Array(0, "particles/N", U32, 1, u32s(&[2])),
        Array(0, "particles/position", F32, 3, f32s(&[0.0; 6])),
        Array(0, "particles/diameter", F32, 1, f32s(&[2.0; 2])),
        Array(0, "dihedrals/N", U32, 1, u32s(&[4])),
        Array(0, "constraints/N", U32, 1, u32s(&[1])),
        // Another number of beads, so nothing of the first frame is left.
        Array(3, "particles/N", U32, 1, u32s(&[1])),
        Array(3, "particles/position", F32, 3, f32s(&[1.0; 3])),
    ];
    let beads = read(&file(&few), 0);
    assert_eq!((types(&beads), &beads.masses[..]), (vec!["A", "A"], &[None][..]));
    assert_eq!((beads.charges, beads.images, beads.bounds), (None, None, None));
    assert_eq!((beads.bonds.len(), beads.dihedrals), (0, 4));
    assert_eq!(
        beads.warnings,
        [
            "the properties diameter of particles are not read; beads are points with mass and charge",
            "the 1 constraints of the file are not read"
        ]
    );
    // Frames without arrays of their own repeat the first one.
    assert_eq!(read(&file(&few), 2).positions, [[0.0; 3]; 2]);
    assert_eq!(read(&file(&few), -1).positions, [[1.0; 3]]);
}

/// Written by version 5.0.1 of the `gsd` package: two frames of three particles with a bond.
#[test]
fn a_file_of_the_gsd_package_is_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/configurations/hoomd.gsd");
    let [first, last] = [0, -1].map(|frame| read_configuration(path.as_ref(), frame).unwrap());
    assert_eq!(types(&first), ["A", "BB", "A"]);
    assert_eq!(first.masses, [Some(1.0), Some(2.0)]);
    assert_eq!(first.charges.as_deref(), Some(&[0.0, 0.5, 0.0][..]));
    assert_eq!(first.bounds, Some([[-2.5, 2.5], [-3.0, 3.0], [-3.5, 3.5]]));
    assert_eq!(first.bonds, [([0, 1], 1)]);
    assert_eq!(first.images.as_deref(), Some(&[[0, 0, 0], [1, 0, 0], [0, 0, -1]][..]));
    let vectors = [[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [2.0, 2.0, 2.0]];
    assert_eq!(
        (&first.positions[..], first.velocities.as_deref()),
        (&vectors[..], Some(&vectors[..]))
    );
    assert_eq!(last.positions[0], [0.5, 1.0, 2.0]);
    assert_eq!(
        (last.positions[1..].to_vec(), last.velocities),
        (first.positions[1..].to_vec(), first.velocities)
    );
}

#[test]
fn mistakes_in_gsd_files_are_explained() {
    // What replaces an array of the file, and the message.
    let with = |name: &str, kind, columns, bytes: Vec<u8>| {
        let replaced = arrays().into_iter().map(|array| match array {
            Array(0, known, ..) if known == name => Array(0, known, kind, columns, bytes.clone()),
            other => other,
        });
        file(&replaced.collect::<Vec<_>>())
    };
    let without = |name: &str| {
        file(&arrays().into_iter().filter(|array| array.1 != name).collect::<Vec<_>>())
    };
    let nan = f32s(&[0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 0.0]);
    let cases = [
        (without("particles/N"), "the frame has no particles"),
        (without("particles/position"), "frame 0 has no particles/position"),
        (
            with("particles/position", F32, 3, nan),
            "particles/position: row 1, counted from 0, has a number that is not finite",
        ),
        (
            with("particles/position", F32, 3, f32s(&[0.0; 6])),
            "particles/position: there are 2 rows for 3 particles",
        ),
        (with("particles/position", F32, 1, f32s(&[0.0; 3])), "there are 1 columns instead of 3"),
        (
            with("particles/position", U32, 3, u32s(&[0; 9])),
            "the type of its numbers has the code 3, not numbers in single or double precision",
        ),
        (
            with("particles/typeid", U32, 1, u32s(&[0, 3, 0])),
            "particles/typeid: row 1 has the type 3, but there are 3, counted from 0",
        ),
        (with("particles/types", I8, 3, b"A\0\0A\0\0C\0\0".to_vec()), "two types have the name A"),
        (with("particles/types", I8, 3, b"A\0\0\xFF\0\0C\0\0".to_vec()), "a name is not UTF-8"),
        (with("particles/types", I8, 1, b"A\0C".to_vec()), "type 1 has no name"),
        (
            with("particles/mass", F32, 1, f32s(&[1.0, 2.0, 3.0])),
            "bead 2 of type A has the mass 3, but those before it have 1",
        ),
        (
            with("particles/mass", F32, 1, f32s(&[1.0, 0.0, 1.0])),
            "bead 1: the mass 0 is not above zero",
        ),
        (
            with("bonds/group", U32, 2, u32s(&[0, 1, 2, 3])),
            "bonds/group: row 1 has bead 3, but there are 3",
        ),
        (with("bonds/group", U32, 2, u32s(&[0, 0, 2, 1])), "bonds/group: row 0 has a bead twice"),
        (without("bonds/group"), "there are 2 bonds, but no bonds/group"),
        (
            with("configuration/box", F32, 1, f32s(&[5.0, 5.0, 0.0, 0.0, 0.0, 0.0])),
            "the side 0 is not above zero",
        ),
        (b"x,y,z\n".to_vec(), "byte 6: the file ends after 6 bytes, within its header"),
        (vec![b' '; 300], "byte 0: this is no GSD file"),
        (file(&[]), "the file has no frames"),
        (
            full()[..full().len() - 1].to_vec(),
            "the chunk particles/velocity of frame 1 would end beyond the file",
        ),
    ];
    for (bytes, part) in cases {
        let error = parse_configuration_bytes(&bytes, "in.gsd", 0).unwrap_err();
        let said = error.to_string();
        assert_eq!(error.code(), DAMAGED, "{said}");
        assert!(said.starts_with("in.gsd, byte ") && said.contains(part), "{part}: {said}");
    }
    let tilted = with("configuration/box", F32, 1, f32s(&[5.0, 5.0, 5.0, 0.0, 0.5, 0.0]));
    for (bytes, frame, code) in [
        (tilted, 0, "structure/tilted-box"),
        (full(), 2, "structure/no-such-frame"),
        (Vec::new(), 0, "structure/empty-file"),
    ] {
        let error = parse_configuration_bytes(&bytes, "in.gsd", frame).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
    }
}

#[test]
fn names_of_types_that_steer_a_terminal_become_visible() {
    let mut arrays = arrays();
    arrays[2].4 = b"A\x1b\0BB\0C\0\0".to_vec();
    let beads = parse_configuration_bytes(&file(&arrays), "in.gsd", 0).unwrap();
    assert_eq!(beads.type_names[0], "A␛");
}

/// A plane has a box with a third side of any length, so the number of dimensions decides.
#[test]
fn systems_in_a_plane_are_refused() {
    const U8: u8 = 1;
    let with = |dimensions: u8| {
        let mut all = arrays();
        all.push(Array(0, "configuration/dimensions", U8, 1, vec![dimensions]));
        all.sort_by_key(|array| array.0);
        parse_configuration_bytes(&file(&all), "in.gsd", -1)
    };
    assert_eq!(with(3).unwrap().len(), 3);
    for (dimensions, expected) in
        [(2, "has two dimensions, and beads move in three"), (1, "not 2 or 3")]
    {
        let message = with(dimensions).unwrap_err().to_string();
        assert!(message.contains("configuration/dimensions"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

/// The Python package `gsd` writes the beads of bonds and angles as numbers with a sign.
#[test]
fn bonds_of_numbers_with_a_sign_are_read() {
    let with = |numbers: &[i32]| {
        let mut all = arrays();
        for array in all.iter_mut().filter(|array| array.1 == "bonds/group") {
            *array = Array(0, "bonds/group", I32, 2, i32s(numbers));
        }
        parse_configuration_bytes(&file(&all), "in.gsd", 0)
    };
    assert_eq!(with(&[0, 1, 2, 1]).unwrap().bonds, read(&full(), 0).bonds);
    let message = with(&[0, 1, 2, -1]).unwrap_err().to_string();
    assert!(
        message.contains("bonds/group: row 1, counted from 0, has a number below zero"),
        "{message}"
    );
}
