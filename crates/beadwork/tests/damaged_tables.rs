//! Tables with unreadable or empty cells: every cell that the answer leaves out is reported.

use crate::common::{LADDERS, PULL, Place, Said, Table};

const OSCILLATORS: &str = r#"
[system]
model = "oscillators"
particles = 8
stiffness = "0.01 kcal/(mol A^2)"

[dynamics]
timestep = "100 ps"
temperature = "300 K"
friction = "1.0e5 pN ps/nm"

[[stage]]
name = "relax"
steps = 4000

[output]
table = { every_steps = 20 }
"#;

/// A run of each kind, the changed line of its first table, and the columns that its answer needs.
const KINDS: [(&str, &str, usize, &[&str]); 3] = [
    (
        "pull",
        PULL,
        150,
        &[
            "stage",
            "time_ns",
            "extension_nm",
            "force_pN",
            "mean_force_pN",
            "native_contacts",
            "temperature_K",
            "radius_of_gyration_nm",
        ],
    ),
    (
        "ladders",
        LADDERS,
        120,
        &[
            "stage",
            "sweep",
            "rung",
            "temperature",
            "energy",
            "square_radius_of_gyration",
            "contacts",
        ],
    ),
    ("wells", OSCILLATORS, 90, &["stage", "step", "mean_nm", "mean_square_nm2"]),
];

/// A table with one cell replaced, on a line counted from 1.
fn with_cell(text: &str, line: usize, column: &str, cell: &str) -> String {
    let place = Table::parse(text).columns.iter().position(|name| name == column).unwrap();
    let change = |(number, row): (usize, &str)| {
        let mut cells: Vec<&str> = row.split(',').collect();
        if number + 1 == line {
            cells[place] = cell;
        }
        cells.join(",") + "\n"
    };
    text.lines().enumerate().map(change).collect()
}

/// Runs an input and removes its checkpoints, which would reveal a shorter table or another `exchange.csv` at once.
fn run(place: &Place, name: &str, input: &str) -> Said {
    place.write(&format!("{name}.toml"), input);
    let said = place.beadwork(&format!("run {name}.toml -o {name} --quiet")).expect(0);
    std::fs::remove_dir_all(place.path(&format!("{name}/checkpoints"))).unwrap();
    said
}

#[test]
fn unreadable_cells_are_named() {
    let place = Place::new();
    for (name, input, line, columns) in KINDS {
        run(&place, name, input);
        let path = format!("{name}/tables/member-0000.csv");
        let whole = place.read(&path);
        for column in columns {
            place.write(&path, &with_cell(&whole, line, column, "1;5"));
            let said = place.beadwork(&format!("plot {name}")).expect(2);
            let (line, cell) = (format!("Line {line} of the table"), "is \"1;5\", which");
            said.complains(&["member-0000.csv", &line, &format!("its {column} {cell}")]);
        }
        let dropped = whole.replacen(columns[1], "other", 1);
        place.write(&path, &dropped);
        let missing = format!("member-0000.csv has no column `{}`", columns[1]);
        place.beadwork(&format!("plot {name}")).expect(2).complains(&[&missing]);
        place.write(&path, &whole);
        place.beadwork(&format!("plot {name}")).expect(0);
    }
    let rung = with_cell(&place.read("ladders/tables/member-0000.csv"), 120, "rung", "4");
    place.write("ladders/tables/member-0000.csv", &rung);
    let beyond = "its rung is 4, and the ladder has 4, from 0";
    place.beadwork("plot ladders").expect(2).complains(&["Line 120", beyond]);
}

/// Neither steps nor times fall.
#[test]
fn rows_out_of_order_are_refused() {
    let place = Place::new();
    for (kind, column) in [(0, "step"), (0, "time_ns"), (1, "sweep")] {
        let (name, input, line, _) = KINDS[kind];
        if !place.path(name).exists() {
            run(&place, name, input);
        }
        let path = format!("{name}/tables/member-0000.csv");
        let whole = place.read(&path);
        for (cell, at) in [("-5", line), ("1e30", line + 1)] {
            place.write(&path, &with_cell(&whole, line, column, cell));
            let said = place.beadwork(&format!("plot {name}")).expect(2);
            said.complains(&[&format!("Line {at} of the table"), &format!("its {column} is")]);
        }
        place.write(&path, &whole);
    }
}

/// An empty list of members is written anew.
#[test]
fn a_list_of_members_is_written_anew() {
    let place = Place::with_input(LADDERS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let whole = place.read("run/members.csv");
    place.write("run/members.csv", "");
    let said = place.beadwork("plot run").expect(2);
    said.complains(&[
        "members.csv has no complete first line",
        "`beadwork resume run` writes it anew",
    ]);
    place.beadwork("resume run --quiet").expect(0);
    assert_eq!(place.read("run/members.csv"), whole);
    place.beadwork("plot run").expect(0);
}

/// The lists beside the tables are checked too.
#[test]
fn unreadable_lists_are_named() {
    let place = Place::new();
    run(&place, "run", LADDERS);
    for (list, column, cell) in [
        ("members.csv", "status", "ended"),
        ("exchange.csv", "rung", "x"),
        ("exchange.csv", "rung", "4"),
        ("exchange.csv", "first_replica", ""),
        ("exchange.csv", "accepted", "many"),
    ] {
        let path = format!("run/{list}");
        let whole = place.read(&path);
        place.write(&path, &with_cell(&whole, 3, column, cell));
        let said = place.beadwork("plot run").expect(2);
        said.complains(&["Line 3 of the table", list, &format!("its {column} is")]);
        place.write(&path, &whole);
    }
}

/// An empty cell is a value that could not be measured. The answer counts the rows that it leaves out.
#[test]
fn rows_without_a_number_are_counted() {
    let place = Place::new();
    for ((name, input, line, _), (column, note)) in KINDS.into_iter().zip([
        ("extension_nm", "1 row(s) of 1 replica(s) have no time, extension or force"),
        ("energy", "1 row(s) of 1 replica(s) have no energy or other quantity"),
        ("mean_nm", "1 row(s) of 1 replica(s) have no mean or mean square"),
    ]) {
        let said = run(&place, name, input);
        assert!(!said.stdout.contains("left out"), "{}", said.stdout);
        let path = format!("{name}/tables/member-0000.csv");
        place.write(&path, &with_cell(&place.read(&path), line, column, ""));
        let said = place.beadwork(&format!("plot {name}")).expect(0);
        assert!(
            said.stdout.contains(&format!("note: {note} and are left out\n")),
            "{}",
            said.stdout
        );
    }
}

/// The answer uses the forces of one stage.
#[test]
fn later_stages_that_pull_are_named() {
    let externals = PULL.lines().find(|line| line.contains("kind = \"spring\"")).unwrap();
    let again =
        format!("[[stage]]\nname = \"again\"\nsteps = 400\ndrives = [{externals}]\n\n[ensemble]");
    let place = Place::new();
    let said = run(&place, "run", &PULL.replace("[ensemble]", &again));
    let note = "note: the answer is of stage \"pull\" alone; later stages have no part in it: \"again\"; ask for these by --stage\n";
    assert!(said.stdout.contains(note), "{}", said.stdout);
}
