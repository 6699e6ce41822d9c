//! The assemblies of mmCIF files.
//!
//! Categories and the grammar of operator expressions are those of the PDBx/mmCIF dictionary
//! (<https://mmcif.wwpdb.org>, `_pdbx_struct_assembly_gen.oper_expression`).

use std::collections::HashMap;

use crate::assembly::{MAXIMUM_RESIDUES, Operator, Row};
use crate::error::Error;
use crate::mmcif_table::{Table, Value, read};
use crate::number::cif_number;

const GENERATORS: &str = "_pdbx_struct_assembly_gen";
const OPERATORS: &str = "_pdbx_struct_oper_list";

/// The rows that describe one assembly. They name chains by `label_asym_id`.
pub(crate) fn find(text: &str, file: &str, wanted: &str) -> Result<Vec<Row>, Error> {
    let categories = ["_atom_site", GENERATORS, OPERATORS];
    let [_, generators, operators] = read(text, file, categories)?;
    let Some(generators) = generators else {
        return Err(Error::no_assembly(file, "table _pdbx_struct_assembly_gen"));
    };
    let [id, expression, chains] =
        columns(&generators, GENERATORS, ["assembly_id", "oper_expression", "asym_id_list"], file)?;
    let mut ids: Vec<String> = Vec::new();
    for id in generators.rows().filter_map(|row| row[id].known()) {
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    if !ids.iter().any(|id| id == wanted) {
        return Err(Error::no_such_assembly(file, wanted, &ids));
    }
    let Some(operators) = operators else {
        let problem = format!("the file has no table {OPERATORS} with the operators");
        return Err(Error::damaged_assembly(file, generators.line, problem));
    };
    let operators = Operators::new(&operators, file)?;
    let mut rows = Vec::new();
    for row in generators.rows().filter(|row| row[id].known() == Some(wanted)) {
        let line = row[id].line;
        let words = row[expression].known().unwrap_or("");
        let names = row[chains].known().unwrap_or("");
        let names = names.split(|letter: char| letter == ',' || letter.is_whitespace());
        let factors = groups(words).and_then(|groups| {
            groups.into_iter().map(|group| operators.named(group)).collect::<Result<_, _>>()
        });
        rows.push(Row {
            factors: factors.map_err(|problem| {
                let problem = format!("the operator expression \"{words}\" {problem}");
                Error::damaged_assembly(file, line, problem)
            })?,
            chains: Some(names.filter(|name| !name.is_empty()).map(str::to_owned).collect()),
            line,
        });
    }
    Ok(rows)
}

fn columns<const N: usize>(
    table: &Table<'_>,
    name: &str,
    wanted: [&str; N],
    file: &str,
) -> Result<[usize; N], Error> {
    let mut found = [0; N];
    for (index, column) in found.iter_mut().zip(wanted) {
        *index = table.column(column).ok_or_else(|| {
            let problem = format!("the table {name} has no column {column}");
            Error::damaged_assembly(file, table.line, problem)
        })?;
    }
    Ok(found)
}

/// The lists whose product an expression such as `(X0)(1-60)` is; `1,2` is one list.
fn groups(expression: &str) -> Result<Vec<&str>, String> {
    let mut groups = Vec::new();
    let mut rest = expression.trim();
    while !rest.is_empty() {
        let (group, after) = match rest.strip_prefix('(') {
            Some(inside) => {
                inside.split_once(')').ok_or("has a parenthesis that is never closed")?
            }
            None => rest.split_at(rest.find('(').unwrap_or(rest.len())),
        };
        if group.contains(['(', ')']) {
            return Err("has parentheses that do not match".to_owned());
        }
        groups.push(group);
        rest = after.trim();
    }
    if groups.is_empty() { Err("is empty".to_owned()) } else { Ok(groups) }
}

struct Operators<'t, 'a> {
    rows: HashMap<&'a str, &'t [Value<'a>]>,
    matrix: [[usize; 3]; 3],
    vector: [usize; 3],
}

impl<'t, 'a> Operators<'t, 'a> {
    fn new(table: &'t Table<'a>, file: &str) -> Result<Self, Error> {
        let [id] = columns(table, OPERATORS, ["id"], file)?;
        let row = |i: u8| {
            let names = [1, 2, 3].map(|j| format!("matrix[{i}][{j}]"));
            columns(table, OPERATORS, names.each_ref().map(String::as_str), file)
        };
        let matrix = [row(1)?, row(2)?, row(3)?];
        let vector = columns(table, OPERATORS, ["vector[1]", "vector[2]", "vector[3]"], file)?;
        let rows = table.rows().filter_map(|row| Some((row[id].known()?, row))).collect();
        Ok(Operators { rows, matrix, vector })
    }

    /// The operators of a list such as `1,2,5-7,P`.
    fn named(&self, list: &str) -> Result<Vec<Operator>, String> {
        let mut operators = Vec::new();
        for item in list.split(',').map(str::trim) {
            if self.rows.contains_key(item) {
                operators.push(self.operator(item)?);
                continue;
            }
            let range = item.split_once('-').and_then(|(first, last)| {
                Some((first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?))
            });
            let (first, last) = range.ok_or_else(|| absent(item))?;
            if first > last {
                return Err(format!("has the range {item}, which runs backwards"));
            }
            for number in first..=last {
                operators.push(self.operator(&number.to_string())?);
            }
            if operators.len() > MAXIMUM_RESIDUES {
                return Err(format!("has more than {MAXIMUM_RESIDUES} operators"));
            }
        }
        Ok(operators)
    }

    fn operator(&self, name: &str) -> Result<Operator, String> {
        let row = self.rows.get(name).ok_or_else(|| absent(name))?;
        let number = |column: usize| {
            row[column].known().and_then(cif_number).ok_or_else(|| {
                format!(
                    "names the operator {name}, in whose row on line {} \"{}\" is not a number",
                    row[column].line, row[column].text
                )
            })
        };
        let numbers = |[x, y, z]: [usize; 3]| Ok::<_, String>([number(x)?, number(y)?, number(z)?]);
        let [a, b, c] = self.matrix;
        Operator::new([numbers(a)?, numbers(b)?, numbers(c)?], numbers(self.vector)?)
            .map_err(|problem| format!("names the operator {name}, which {problem}"))
    }
}

fn absent(name: &str) -> String {
    format!("names the operator \"{name}\", which {OPERATORS} does not have")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_products_of_lists() {
        assert_eq!(groups("1").unwrap(), ["1"]);
        assert_eq!(groups("1,2,5").unwrap(), ["1,2,5"]);
        assert_eq!(groups("(1-60)").unwrap(), ["1-60"]);
        assert_eq!(groups(" (X0) (1-60,P)").unwrap(), ["X0", "1-60,P"]);
        assert_eq!(groups("P(1-5)").unwrap(), ["P", "1-5"]);
        for damaged in ["", " ", "(1-60", "((1)(2))", "1)(2"] {
            assert!(groups(damaged).is_err(), "{damaged}");
        }
    }
}
