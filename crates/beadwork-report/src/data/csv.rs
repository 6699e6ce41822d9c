//! How tables of an answer are written.

use beadwork_io::table::quoted;

use super::summary::{Group, Summary};
use super::sweep::Swept;
use super::table::{Cell, Table, TableColumn, TableFile};

impl Table {
    /// What `summary.json` says of it.
    pub fn described(&self, groups: &[Group]) -> TableFile {
        let names = Naming::of(groups).columns();
        let columns = names.into_iter().map(TableColumn::new).chain(self.columns.iter().cloned());
        TableFile { file: self.file.clone(), columns: columns.collect(), rows: self.rows.len() }
    }

    /// The file's text: a line for each row, which begins with the group, with the stage where a person asked for stages and,
    /// where the groups are points of a sweep, with the number of the point and the swept values, as written and as numbers in the
    /// unit of the first.
    pub fn to_csv(&self, groups: &[Group]) -> String {
        let naming = Naming::of(groups);
        let names =
            naming.columns().into_iter().chain(self.columns.iter().map(|one| one.name.clone()));
        let mut text = names.map(|name| quoted(&name)).collect::<Vec<_>>().join(",");
        text.push('\n');
        for (group, cells) in &self.rows {
            text.push_str(&naming.cells(*group, &groups[*group]));
            for cell in cells {
                text.push(',');
                match cell {
                    Cell::Text(name) => text.push_str(&quoted(name)),
                    Cell::Number(number) => text.push_str(&number.to_string()),
                    Cell::Whole(number) => text.push_str(&number.to_string()),
                    Cell::Empty => {}
                }
            }
            text.push('\n');
        }
        text
    }
}

/// How a row names its group.
struct Naming<'a> {
    /// The swept keys of all groups, in the order in which they first appear.
    keys: Vec<&'a str>,
    /// For each key whose values are quantities with a unit, the unit and the number at each group in it.
    numbers: Vec<Option<Swept<'a>>>,
    /// Whether groups are of stages that a person asked for.
    has_stages: bool,
}

impl<'a> Naming<'a> {
    fn of(groups: &'a [Group]) -> Naming<'a> {
        let mut keys: Vec<&str> = Vec::new();
        for setting in groups.iter().flat_map(|group| &group.settings) {
            if !keys.contains(&setting.key.as_str()) {
                keys.push(&setting.key);
            }
        }
        let with_unit =
            |key: &&'a str| Swept::of(groups, key).filter(|swept| !swept.unit.is_empty());
        let numbers = keys.iter().map(with_unit).collect();
        let has_stages = groups.iter().any(|group| !group.stage.is_empty());
        Naming { keys, numbers, has_stages }
    }

    fn columns(&self) -> Vec<String> {
        let point = (!self.keys.is_empty()).then_some("point");
        let stage = self.has_stages.then_some("stage");
        let names = ["group"].into_iter().chain(stage).chain(point).map(str::to_string);
        let of_key = |(key, number): (&&str, &Option<Swept<'_>>)| {
            let number = number.as_ref().map(|swept| format!("{key} / ({})", swept.unit));
            [Some(key.to_string()), number]
        };
        names.chain(self.keys.iter().zip(&self.numbers).flat_map(of_key).flatten()).collect()
    }

    fn cells(&self, place: usize, group: &Group) -> String {
        let mut text = quoted(&group.name);
        if self.has_stages {
            text.push_str(&format!(",{}", quoted(&group.stage)));
        }
        if !self.keys.is_empty() {
            text.push_str(&format!(",{}", group.point));
        }
        for (key, number) in self.keys.iter().zip(&self.numbers) {
            let setting = group.settings.iter().find(|setting| setting.key == *key);
            text.push(',');
            text.push_str(&setting.map_or_else(String::new, |one| quoted(&one.value)));
            if let Some(swept) = number {
                text.push(',');
                text.extend(swept.at[place].map(|number| number.to_string()));
            }
        }
        text
    }
}

impl Summary {
    /// The files of tables, each with its text; `summary.json` describes them.
    pub fn describe(&mut self, tables: &[Table]) {
        self.tables = tables.iter().map(|table| table.described(&self.groups)).collect();
    }

    /// `answers.csv`: a line for each value that is a number, so that sweeps can be drawn and compared.
    pub fn answers(&self) -> Table {
        let mut table = Table::new(
            "answers.csv",
            &["quantity", "of", "unit", "value", "standard_error", "standard_deviation"],
        );
        table.columns.extend(["independent_values", "degrees_of_freedom"].map(TableColumn::new));
        for (place, group) in self.groups.iter().enumerate() {
            for value in group.values.iter().filter(|value| value.value.is_some()) {
                let cells = [
                    Cell::from(value.name.as_str()),
                    Cell::from(value.of.as_str()),
                    Cell::from(value.unit.as_str()),
                    Cell::from(value.value),
                    Cell::from(value.error),
                    Cell::from(value.deviation),
                    Cell::from(value.independent_values),
                    Cell::from(value.degrees_of_freedom),
                ];
                table.push(place, cells);
            }
        }
        table
    }
}
