//! The atoms and disulfide bonds of mmCIF files.
//!
//! Categories are those of the PDBx/mmCIF dictionary (<https://mmcif.wwpdb.org>).

use std::collections::HashMap;

use crate::error::Error;
use crate::mmcif_table::{Table, Value, read};
use crate::number::cif_number;
use crate::polymer::{Contents, Link, Membership, Partner, Record, leads_to_copy};
use crate::structure::{ReadOptions, choose_model};

pub(crate) fn parse<'a>(
    text: &'a str,
    file: &str,
    options: &ReadOptions,
) -> Result<Contents<'a>, Error> {
    let [atom_site, struct_conn] = read(text, file, ["_atom_site", "_struct_conn"])?;
    let Some(atom_site) = atom_site else {
        let hint = " that this crate can use (an mmCIF file without atoms)";
        return Err(Error::not_a_structure(file, hint));
    };
    let sites = Sites::new(&atom_site, file)?;
    let models = sites.models()?;
    if models.is_empty() {
        return Err(Error::no_alpha_carbon(file, 0, ""));
    }
    let mut warnings = Vec::new();
    let records = sites.records(models[choose_model(&models, options, file)?])?;
    let links = match struct_conn {
        Some(table) => links(&table, &sites, &mut warnings),
        None => Vec::new(),
    };
    Ok(Contents { records, links, models: models.len(), warnings })
}

type ResidueName<'a> = (&'a str, i32, Option<char>);

/// The value of a column in a row; `None` if the column is absent or the value is not known.
pub(crate) fn known<'a>(row: &[Value<'a>], column: Option<usize>) -> Option<&'a str> {
    row.get(column?)?.known()
}

pub(crate) fn line(row: &[Value<'_>]) -> usize {
    row.first().map_or(0, |value| value.line)
}

pub(crate) struct Sites<'t, 'a> {
    table: &'t Table<'a>,
    file: &'t str,
    group: Option<usize>,
    coordinates: [usize; 3],
    atom: usize,
    residue: usize,
    auth_chain: Option<usize>,
    label_chain: Option<usize>,
    auth_number: Option<usize>,
    label_number: Option<usize>,
    insertion: Option<usize>,
    alternate: Option<usize>,
    occupancy: Option<usize>,
    beta: Option<usize>,
    element: Option<usize>,
    model: Option<usize>,
}

impl<'t, 'a> Sites<'t, 'a> {
    pub(crate) fn new(table: &'t Table<'a>, file: &'t str) -> Result<Self, Error> {
        let needed = |names: &[&str]| {
            names.iter().find_map(|name| table.column(name)).ok_or_else(|| {
                let message = format!(
                    "{file}, line {}: the table _atom_site has no column {}. Export the structure \
                     again with this column, or give a PDB file.",
                    table.line,
                    names.join(" or ")
                );
                Error::new("structure/missing-column", message)
            })
        };
        needed(&["auth_asym_id", "label_asym_id"])?;
        needed(&["auth_seq_id", "label_seq_id"])?;
        // Some programs do not number the sequence and fill the column with `?` or `.`.
        let is_filled =
            |column: &usize| table.rows().any(|row| known(row, Some(*column)).is_some());
        let label_number = table.column("label_seq_id").filter(is_filled);
        Ok(Self {
            table,
            file,
            group: table.column("group_PDB"),
            coordinates: [needed(&["Cartn_x"])?, needed(&["Cartn_y"])?, needed(&["Cartn_z"])?],
            atom: needed(&["label_atom_id", "auth_atom_id"])?,
            residue: needed(&["label_comp_id", "auth_comp_id"])?,
            auth_chain: table.column("auth_asym_id"),
            label_chain: table.column("label_asym_id"),
            auth_number: table.column("auth_seq_id"),
            label_number,
            insertion: table.column("pdbx_PDB_ins_code"),
            alternate: table.column("label_alt_id"),
            occupancy: table.column("occupancy"),
            beta: table.column("B_iso_or_equiv"),
            element: table.column("type_symbol"),
            model: table.column("pdbx_PDB_model_num"),
        })
    }

    fn damaged(
        &self,
        row: &[Value<'a>],
        what: &str,
        column: &str,
        text: &str,
        expected: &str,
    ) -> Error {
        let place = format!("item _atom_site.{column}");
        Error::damaged_number((self.file, line(row)), what, place, text, expected)
    }

    fn model_of(&self, row: &[Value<'a>]) -> Result<u32, Error> {
        let Some(text) = known(row, self.model) else { return Ok(1) };
        let expected = "a whole number";
        text.parse()
            .map_err(|_| self.damaged(row, "model number", "pdbx_PDB_model_num", text, expected))
    }

    /// The numbers of the models in the order of their first atoms.
    pub(crate) fn models(&self) -> Result<Vec<u32>, Error> {
        let mut models = Vec::new();
        for row in self.table.rows() {
            let model = self.model_of(row)?;
            if models.last() != Some(&model) && !models.contains(&model) {
                models.push(model);
            }
        }
        Ok(models)
    }

    /// The residue to which a row belongs; `None` without a number, which only non-polymers may lack.
    fn partner(&self, row: &[Value<'a>]) -> Result<Option<ResidueName<'a>>, Error> {
        let auth = known(row, self.auth_number).map(|text| (text, "auth_seq_id"));
        let label = || known(row, self.label_number).map(|text| (text, "label_seq_id"));
        let Some((text, column)) = auth.or_else(label) else { return Ok(None) };
        let number = text
            .parse()
            .map_err(|_| self.damaged(row, "residue number", column, text, "an integer"))?;
        let insertion = known(row, self.insertion).and_then(|code| code.chars().next());
        Ok(Some((self.chain(row), number, insertion)))
    }

    fn chain(&self, row: &[Value<'a>]) -> &'a str {
        let chain = known(row, self.auth_chain).or_else(|| known(row, self.label_chain));
        chain.unwrap_or("")
    }

    /// The records of a model that have a residue number.
    fn records(&self, model: u32) -> Result<Vec<Record<'a>>, Error> {
        let mut records = Vec::new();
        self.each(model, |row, record| {
            if self.partner(row)?.is_some() {
                records.push(record);
            }
            Ok(())
        })?;
        Ok(records)
    }

    /// All records of a model with their lines; those without a residue number have the number 0.
    pub(crate) fn all(&self, model: u32) -> Result<Vec<(usize, Record<'a>)>, Error> {
        let mut records = Vec::new();
        self.each(model, |row, record| {
            records.push((line(row), record));
            Ok(())
        })?;
        Ok(records)
    }

    fn each(
        &self,
        model: u32,
        mut take: impl FnMut(&[Value<'a>], Record<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut section = 0;
        let mut entity_chain = None;
        for row in self.table.rows() {
            if self.model_of(row)? != model {
                continue;
            }
            if entity_chain.is_some_and(|last| last != known(row, self.label_chain)) {
                section += 1;
            }
            entity_chain = Some(known(row, self.label_chain));
            take(row, self.record(row, section)?)?;
        }
        Ok(())
    }

    fn record(&self, row: &[Value<'a>], section: usize) -> Result<Record<'a>, Error> {
        let mut position = [0.0; 3];
        let axes = [("x", "Cartn_x"), ("y", "Cartn_y"), ("z", "Cartn_z")];
        for ((coordinate, column), (axis, item)) in
            position.iter_mut().zip(self.coordinates).zip(axes)
        {
            let (text, line) = row.get(column).map_or(("", 0), |value| (value.text, value.line));
            *coordinate = cif_number(text).ok_or_else(|| {
                let place = format!("item _atom_site.{item}");
                Error::damaged_coordinate((self.file, line), axis, place, text)
            })?;
        }
        let optional = |column, what, item: &str, default| match known(row, column) {
            None => Ok(default),
            Some(text) => {
                cif_number(text).ok_or_else(|| self.damaged(row, what, item, text, "a number"))
            }
        };
        let occupancy = optional(self.occupancy, "occupancy", "occupancy", 1.0)?;
        let beta = optional(self.beta, "temperature factor", "B_iso_or_equiv", 0.0)?;
        let (chain, number, insertion) =
            self.partner(row)?.unwrap_or_else(|| (self.chain(row), 0, None));
        let hetero =
            known(row, self.group).is_some_and(|group| group.eq_ignore_ascii_case("HETATM"));
        let sequence = known(row, self.label_number);
        let membership = match (self.label_number, sequence) {
            (Some(_), Some(_)) => Membership::Polymer,
            (Some(_), None) => Membership::Other,
            (None, _) if hetero => Membership::IfBackboneOrNear,
            (None, _) => Membership::Polymer,
        };
        Ok(Record {
            hetero,
            name: known(row, Some(self.atom)).unwrap_or(""),
            left_aligned: false,
            alternate: known(row, self.alternate).and_then(|letter| letter.chars().next()),
            residue_name: known(row, Some(self.residue)).unwrap_or(""),
            chain,
            instance: known(row, self.label_chain).unwrap_or(chain),
            segment: "",
            number,
            insertion,
            sequence: sequence.unwrap_or(""),
            element: known(row, self.element),
            position,
            occupancy,
            beta,
            section,
            membership,
        })
    }
}

/// The disulfide bonds of `_struct_conn` that lie within one copy of the structure.
fn links(table: &Table<'_>, sites: &Sites<'_, '_>, warnings: &mut Vec<String>) -> Vec<Link> {
    let mut by_label: HashMap<(&str, &str), Partner> = HashMap::new();
    if table.column("ptnr1_auth_seq_id").is_none() {
        for row in sites.table.rows() {
            let label = known(row, sites.label_chain).zip(known(row, sites.label_number));
            if let (Some(label), Ok(Some((chain, number, insertion)))) = (label, sites.partner(row))
            {
                let partner = Partner { chain: chain.to_owned(), number, insertion };
                by_label.entry(label).or_insert(partner);
            }
        }
    }
    let item = |row: &[Value<'_>], name: &str| known(row, table.column(name)).map(str::to_owned);
    let partner = |row: &[Value<'_>], end: u8| {
        let auth_chain = item(row, &format!("ptnr{end}_auth_asym_id"));
        let label_chain = item(row, &format!("ptnr{end}_label_asym_id"));
        if let Some(number) = item(row, &format!("ptnr{end}_auth_seq_id")) {
            return Some(Partner {
                chain: auth_chain.or(label_chain)?,
                number: number.parse().ok()?,
                insertion: item(row, &format!("pdbx_ptnr{end}_PDB_ins_code"))
                    .and_then(|code| code.chars().next()),
            });
        }
        let label_number = item(row, &format!("ptnr{end}_label_seq_id"))?;
        by_label.get(&(label_chain?.as_str(), label_number.as_str())).cloned()
    };
    let mut links = Vec::new();
    for row in table.rows() {
        if !item(row, "conn_type_id").is_some_and(|kind| kind.eq_ignore_ascii_case("disulf")) {
            continue;
        }
        let place = format!("_struct_conn on line {}", line(row));
        let symmetry = |end: u8| {
            item(row, &format!("ptnr{end}_symmetry")).unwrap_or_else(|| "1_555".to_owned())
        };
        let (one, other) = (symmetry(1), symmetry(2));
        if one != other {
            warnings.push(leads_to_copy(&place, &one, &other));
        } else if let (Some(first), Some(second)) = (partner(row, 1), partner(row, 2)) {
            links.push(Link { first, second, place });
        } else {
            warnings.push(format!(
                "{place}: the residues of the disulfide bond cannot be read; it is left out"
            ));
        }
    }
    links
}
