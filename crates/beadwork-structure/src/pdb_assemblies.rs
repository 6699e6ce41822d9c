//! The assemblies of PDB files: the operators of REMARK 350.
//!
//! The layout is that of the "PDB File Format, version 3.3" (wwPDB, 2012), remark 350.

use crate::assembly::{Operator, Row};
use crate::error::Error;
use crate::number::plain_decimal;

pub(crate) fn find(text: &str, file: &str, wanted: &str) -> Result<Vec<Row>, Error> {
    let mut reader = Reader { file, wanted, ids: Vec::new(), current: true, rows: Vec::new() };
    let mut found = false;
    let mut last_line = 0;
    let mut matrix = Matrix::default();
    for (index, line) in text.lines().enumerate() {
        let Some(content) = line.strip_prefix("REMARK 350").map(str::trim) else { continue };
        let number = index + 1;
        if let Some(ids) = content.strip_prefix("BIOMOLECULE:") {
            reader.begin(ids);
        } else if let Some(chains) = content.strip_prefix("APPLY THE FOLLOWING TO CHAINS:") {
            if reader.current {
                reader.rows.push(Row {
                    factors: vec![Vec::new()],
                    chains: Some(names(chains)),
                    line: number,
                });
            }
        } else if let Some(chains) = content.strip_prefix("AND CHAINS:") {
            reader.more_chains(chains, number)?;
        } else if content.starts_with("BIOMT") {
            found = true;
            // Files of other programs may contain operators only; they describe one assembly of all chains.
            if reader.ids.is_empty() {
                reader.begin("1");
            }
            if reader.current {
                last_line = number;
                let operator = matrix.take(content);
                let damaged = |problem| Error::damaged_assembly(file, number, problem);
                if let Some(operator) = operator.map_err(damaged)? {
                    if reader.rows.is_empty() {
                        let factors = vec![Vec::new()];
                        reader.rows.push(Row { factors, chains: None, line: number });
                    }
                    let last = reader.rows.last_mut().and_then(|row| row.factors.last_mut());
                    last.into_iter().for_each(|list| list.push(operator));
                }
            }
        }
    }
    if !found {
        return Err(Error::no_assembly(file, "remarks 350 with BIOMT operators"));
    }
    if !reader.ids.iter().any(|id| id == wanted) {
        return Err(Error::no_such_assembly(file, wanted, &reader.ids));
    }
    if !matrix.rows.is_empty() {
        let problem = "the file has not all three rows BIOMT1, BIOMT2 and BIOMT3 of this operator";
        return Err(Error::damaged_assembly(file, last_line, problem));
    }
    for row in &reader.rows {
        if row.factors.iter().any(Vec::is_empty) {
            let problem = format!("no BIOMT operator follows these chains of assembly {wanted}");
            return Err(Error::damaged_assembly(file, row.line, problem));
        }
    }
    Ok(reader.rows)
}

/// Parses a list such as `A, B,`; `NULL` is the chain without identifier.
fn names(list: &str) -> Vec<String> {
    let names = list.split([',', ' ']).filter(|name| !name.is_empty());
    names.map(|name| if name == "NULL" { String::new() } else { name.to_owned() }).collect()
}

struct Reader<'a> {
    file: &'a str,
    wanted: &'a str,
    /// The identifiers of all assemblies so far.
    ids: Vec<String>,
    /// Whether the current lines belong to the wanted assembly.
    current: bool,
    rows: Vec<Row>,
}

impl Reader<'_> {
    /// One block may describe several assemblies: `BIOMOLECULE: 1, 2`.
    fn begin(&mut self, list: &str) {
        self.current = false;
        for id in list.split([',', ' ']).filter(|id| !id.is_empty()) {
            self.current |= id == self.wanted;
            if !self.ids.iter().any(|known| known == id) {
                self.ids.push(id.to_owned());
            }
        }
    }

    fn more_chains(&mut self, chains: &str, line: usize) -> Result<(), Error> {
        if !self.current {
            return Ok(());
        }
        let row = self.rows.last_mut().filter(|row| row.factors.iter().all(Vec::is_empty));
        let list = row.and_then(|row| row.chains.as_mut()).ok_or_else(|| {
            let problem = "\"AND CHAINS:\" continues no list of chains";
            Error::damaged_assembly(self.file, line, problem)
        })?;
        list.extend(names(chains));
        Ok(())
    }
}

/// The rows of an operator so far, and its number.
#[derive(Default)]
struct Matrix<'a> {
    number: &'a str,
    rows: Vec<[f64; 4]>,
}

impl<'a> Matrix<'a> {
    /// Adds the next row; returns the operator once it is complete.
    fn take(&mut self, content: &'a str) -> Result<Option<Operator>, String> {
        let fields: Vec<&str> = content.split_whitespace().collect();
        let [name, number, numbers @ ..] = fields.as_slice() else {
            return Err(format!("\"{content}\" is no row of an operator"));
        };
        let expected = format!("BIOMT{}", self.rows.len() + 1);
        if *name != expected || (!self.rows.is_empty() && *number != self.number) {
            return Err(format!(
                "{name} of operator {number} stands where {expected} was expected: each operator \
                 has rows BIOMT1, BIOMT2 and BIOMT3 in this order"
            ));
        }
        let values: Option<Vec<f64>> = numbers.iter().map(|text| plain_decimal(text)).collect();
        let Some(Ok(row)) = values.map(<[f64; 4]>::try_from) else {
            return Err(format!(
                "{name} of operator {number} must have four plain decimal numbers, but reads \"{}\"",
                numbers.join(" ")
            ));
        };
        self.number = number;
        self.rows.push(row);
        let &[a, b, c] = self.rows.as_slice() else { return Ok(None) };
        self.rows.clear();
        let rotation = [a, b, c].map(|row| [row[0], row[1], row[2]]);
        Operator::new(rotation, [a[3], b[3], c[3]])
            .map(Some)
            .map_err(|problem| format!("operator {number} {problem}"))
    }
}
