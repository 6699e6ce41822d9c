//! `[output] parquet`: the tables of a run in one file, or a message that explains how to get it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

mod common;

use common::{PULL, Place};

fn input() -> String {
    let sweep = "[ensemble]\nreplicas = 2\n\n[ensemble.sweep]\n\"pull.stiffness\" = [\"100 pN/nm\", \"150 pN/nm\"]";
    PULL.replace("[ensemble]\nreplicas = 3", sweep)
        .replace("80_000", "4_000")
        .replace("kind = \"spring\"", "kind = \"spring\", name = \"right\"")
        .replace("[output]", "[output]\nparquet = true")
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_is_refused_with_advice() {
    let place = Place::with_input(&input());
    let parts = [
        "io/no-parquet",
        "`parquet = true` needs a beadwork that was built with Parquet",
        "cargo install --path crates/beadwork --features parquet",
        "or take the key out: all tables are written as",
    ];
    for command in ["check input.toml", "run input.toml -o run"] {
        place.beadwork(command).expect(2).complains(&parts);
    }
    assert!(!place.path("run").exists(), "a refused run leaves no folder");
    place.beadwork("run input.toml -o run --quiet --set output.parquet=false").expect(0);
    assert!(!place.path("run/tables.parquet").exists());
}

#[cfg(feature = "parquet")]
mod with_the_feature {
    use std::fs::{self, File};

    use beadwork::parquet::parquet::file::reader::{FileReader, SerializedFileReader};
    use beadwork::parquet::parquet::record::Field;

    use super::{Place, input};
    use crate::common::Table;

    /// Reads the names of the columns, and all rows.
    fn read(place: &Place, name: &str) -> (Vec<String>, Vec<Vec<Field>>) {
        let reader = SerializedFileReader::new(File::open(place.path(name)).unwrap()).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr().clone();
        let names = schema.columns().iter().map(|column| column.name().to_string()).collect();
        let rows = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect());
        (names, rows.collect())
    }

    /// Whether a cell equals that of the comma-separated table, to the bit.
    fn is(field: &Field, written: &str) -> bool {
        match field {
            Field::Null => written.is_empty(),
            Field::Long(number) => number.to_string() == written,
            Field::Double(number) => {
                written.parse().is_ok_and(|other: f64| other.to_bits() == number.to_bits())
            }
            Field::Str(text) => text == written,
            other => panic!("{other:?}"),
        }
    }

    fn assert_equals_the_tables(place: &Place, file: &str, run: &str, members: &[usize]) {
        let (names, rows) = read(place, file);
        let tables: Vec<Table> = members.iter().map(|member| place.table(run, *member)).collect();
        assert_eq!(names[..2], ["replica", "pull.stiffness"]);
        assert_eq!(names[2..], tables[0].columns);
        let mut expected = Vec::new();
        for (member, table) in members.iter().zip(&tables) {
            let stiffness = ["100 pN/nm", "150 pN/nm"][member / 2].to_string();
            for row in &table.rows {
                let mut cells = vec![member.to_string(), stiffness.clone()];
                cells.extend(row.iter().cloned());
                expected.push(cells);
            }
        }
        assert_eq!(rows.len(), expected.len());
        for (row, cells) in rows.iter().zip(&expected) {
            assert_eq!(row.len(), cells.len());
            assert!(
                row.iter().zip(cells).all(|(field, cell)| is(field, cell)),
                "{row:?} {cells:?}"
            );
        }
        // A quantity that is undefined is null, not a number.
        let force = names.iter().position(|name| name == "force_pN").unwrap();
        assert_eq!(rows[0][force], Field::Null);
        let contacts = names.iter().position(|name| name == "native_contacts").unwrap();
        assert!(matches!(rows[0][contacts], Field::Long(25)));
    }

    #[test]
    fn the_file_has_the_cells_of_all_tables() {
        let place = Place::with_input(&input());
        place.beadwork("run input.toml -o run --quiet").expect(0);
        assert_equals_the_tables(&place, "run/tables.parquet", "run", &[0, 1, 2, 3]);
        // `plot` and `resume` write the same bytes again.
        let bytes = fs::read(place.path("run/tables.parquet")).unwrap();
        for command in ["plot run", "resume run --quiet"] {
            fs::remove_file(place.path("run/tables.parquet")).unwrap();
            place.beadwork(command).expect(0);
            assert_eq!(fs::read(place.path("run/tables.parquet")).unwrap(), bytes, "{command}");
        }
        // Parts are written into one file.
        for part in ["0..1", "1..4"] {
            let run = format!("run input.toml -o p{part} --replicas {part} --quiet");
            place.beadwork(&run).expect(0);
        }
        place.beadwork("plot p1..4 p0..1").expect(0);
        assert_eq!(fs::read(place.path("together/tables.parquet")).unwrap(), bytes);
        assert_equals_the_tables(&place, "p1..4/tables.parquet", "run", &[1, 2, 3]);
        // Beside an answer without such a file, one is a person's; beside one that has it, it goes with it.
        place.beadwork("plot run --output mine").expect(0);
        place.write("mine/tables.parquet", "of a person");
        let said = place.beadwork("plot p1..4 p0..1 --output mine").expect(2);
        said.complains(&["run/foreign-file", "mine/tables.parquet is there"]);
        assert_eq!(place.read("mine/tables.parquet"), "of a person");
        place.beadwork("plot p1..4 p0..1").expect(0);
        place.beadwork("plot run --output together").expect(0);
        assert!(!place.path("together/tables.parquet").exists());
        // Without `parquet = true` there is no file.
        place.beadwork("run input.toml -o none --quiet --set output.parquet=false").expect(0);
        assert!(!place.path("none/tables.parquet").exists());
    }

    #[test]
    fn a_continued_run_writes_the_file_at_its_end() {
        let place = Place::with_input(&input());
        place.beadwork("run input.toml -o whole --quiet").expect(0);
        place.interrupt("run", "--quiet --threads 1");
        assert!(!place.path("run/tables.parquet").exists());
        // During a run, `plot` writes the rows so far.
        place.beadwork("plot run").expect(0);
        assert!(place.path("run/tables.parquet").exists());
        place.beadwork("resume run --quiet").expect(0);
        crate::common::assert_same(&place.results("whole"), &place.results("run"));
    }
}
