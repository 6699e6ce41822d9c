//! Code shared by the programs that draw: series, axes, results of `beadwork bench`, and their command line.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use beadwork_analysis::plot::{Axis, Colour, Figure, Series, Style};
use beadwork_analysis::table::Table;
use serde_json::Value;

use crate::Failure;

/// Points of a curve.
pub type Points = Vec<(f64, f64)>;

/// A line, and discs at points that may differ from those of the line.
pub fn line_and_discs(label: &str, colour: usize, line: Points, discs: Points) -> [Series; 2] {
    let colour = Colour::Palette(colour);
    let discs = Series { style: Style::Points, colour, ..Series::line("", discs) };
    [Series { colour, ..Series::line(label, line) }, discs]
}

/// A line with a disc at each point.
pub fn both(label: &str, points: Points, colour: usize) -> [Series; 2] {
    line_and_discs(label, colour, points.clone(), points)
}

/// A logarithmic axis.
pub fn logarithmic(label: &str) -> Axis {
    Axis { logarithmic: true, ..Axis::new(label) }
}

/// A figure with these axes.
pub fn figure(title: impl Into<String>, [x, y]: [Axis; 2], series: Vec<Series>) -> Figure {
    Figure { title: title.into(), x, y, series, ..Figure::default() }
}

/// A list of rows in a result of `beadwork bench`.
pub fn rows_of_bench(path: &Path, list: &str) -> Result<Vec<Value>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let report: Value = serde_json::from_str(&text)?;
    Ok(report[list].as_array().cloned().unwrap_or_default())
}

/// The points that `point` finds in the rows, ascending.
pub fn points<T>(
    rows: impl IntoIterator<Item = T>,
    point: impl Fn(T) -> Option<(f64, f64)>,
) -> Result<Points, Failure> {
    let points: Option<Points> = rows.into_iter().map(point).collect();
    let mut points = points.ok_or("a row of a result lacks its numbers")?;
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    Ok(points)
}

/// Two columns of a table.
pub fn columns(table: &Table, x: &str, y: &str) -> Result<Points, Failure> {
    Ok(table.numbers(x)?.into_iter().zip(table.numbers(y)?).collect())
}

/// The folder to read and the folder to write, from the command line; creates the latter.
pub fn folders() -> Result<[PathBuf; 2], Failure> {
    let folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let folders: [PathBuf; 2] = folders
        .try_into()
        .map_err(|_| "name the folder that is read and the one that is written")?;
    std::fs::create_dir_all(&folders[1])?;
    Ok(folders)
}

/// Writes figures as `NAME.png` and prints their names.
#[allow(clippy::print_stdout, reason = "people watch the programs")]
pub fn write(
    folder: &Path,
    figures: impl IntoIterator<Item = (impl Display, Figure)>,
) -> Result<(), Failure> {
    for (name, figure) in figures {
        let path = folder.join(format!("{name}.png"));
        std::fs::write(&path, figure.to_png()?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Writes figures as `NAME.png` and `NAME.svg`.
pub fn write_with_svg(
    folder: &Path,
    figures: impl IntoIterator<Item = (String, Figure)>,
) -> Result<(), Failure> {
    for (name, figure) in figures {
        std::fs::write(folder.join(format!("{name}.svg")), figure.to_svg())?;
        write(folder, [(name, figure)])?;
    }
    Ok(())
}
