//! The members of a run, from `members.csv`.

use beadwork_analysis::table::{Table, read_csv};
use beadwork_io::RunFolder;
use beadwork_session::Error;
use maud::{Markup, html};

use super::Run;

/// The members of a run in a page; `members.csv` has all.
const MOST: usize = 2_000;

/// The list, with a field that searches it.
pub(super) fn section(run: &Run<'_>, has_names: bool) -> Result<Markup, Error> {
    let mut tables = Vec::new();
    for folder in run.folders {
        if folder.members_csv().exists() {
            tables.push((folder, read_csv(folder.members_csv())?));
        }
    }
    let Some((_, first)) = tables.first() else {
        return Ok(html! {
            @if has_names { h3 { (run.name) } }
            p { "The list of members is written when the first process of a run ends." }
        });
    };
    let columns = shown_columns(first, &tables)?;
    let mut rows = Vec::new();
    for (_, table) in &tables {
        let cells = columns.iter().map(|name| table.texts(name)).collect::<Result<Vec<_>, _>>()?;
        rows.extend(
            (0..table.rows()).map(|row| cells.iter().map(|one| one[row]).collect::<Vec<_>>()),
        );
    }
    let empty = first.columns.len() - columns.len();
    Ok(html! {
        @if has_names { h3 { (run.name) } }
        (list(&columns, &rows))
        @if empty > 0 { p.small { (empty) " column(s) without an entry are left out." } }
    })
}

/// The columns that have an entry in some row of some part.
fn shown_columns<'a>(
    first: &'a Table,
    tables: &[(&RunFolder, Table)],
) -> Result<Vec<&'a str>, Error> {
    let mut shown = Vec::new();
    for name in &first.columns {
        let mut has_entry = false;
        for (_, table) in tables {
            has_entry |= table.texts(name)?.iter().any(|cell| !cell.is_empty());
        }
        if has_entry {
            shown.push(name.as_str());
        }
    }
    Ok(shown)
}

fn list(columns: &[&str], rows: &[Vec<&str>]) -> Markup {
    let is_number = |column: usize| {
        rows.iter().all(|row| row[column].is_empty() || row[column].parse::<f64>().is_ok())
    };
    let numbers: Vec<bool> = (0..columns.len()).map(is_number).collect();
    html! {
        div.listed {
            // Shown by the script that searches.
            p.search hidden { label { "Search " input type="search" placeholder="member = 7"; } " " span.count role="status" {} " " span.small { "A click on a column sorts." } }
            div.wide.tall { table.members {
                thead { tr { @for (name, is_number) in columns.iter().zip(&numbers) { th.number[*is_number] scope="col" { (name.replace('_', " ")) } } } }
                tbody { @for row in rows.iter().take(MOST) {
                    tr { @for ((cell, name), is_number) in row.iter().zip(columns).zip(&numbers) {
                        td.number[*is_number] { @if *name == "status" { span.badge.(status_class(cell)) { (cell) } } @else { (cell) } }
                    } }
                } }
            } }
            @if rows.len() > MOST { p.thinned { (rows.len() - MOST) " more members are not shown; members.csv has all." } }
        }
    }
}

fn status_class(status: &str) -> &'static str {
    match status {
        "finished" => "good",
        "failed" => "bad",
        _ => "care",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_escaped_and_sorted_by_kind() {
        let rows = [vec!["0", "<i>x</i>", "failed"], vec!["1", "", "finished"]];
        let text = list(&["member", "message", "status"], &rows).into_string();
        assert!(text.contains("&lt;i&gt;x") && !text.contains("<i>x"), "{text}");
        assert!(text.contains("<th class=\"number\" scope=\"col\">member"), "{text}");
        assert!(text.contains("badge bad") && text.contains("badge good"));
        // The hint names a column that every list has.
        assert!(text.contains("placeholder=\"member = 7\""), "{text}");
    }

    #[test]
    fn a_long_list_says_what_it_leaves_out() {
        let rows = vec![vec!["7"]; MOST + 5];
        let text = list(&["member"], &rows).into_string();
        assert!(text.contains("5 more members are not shown"));
        assert_eq!(text.matches("<tr>").count(), MOST + 1);
    }
}
