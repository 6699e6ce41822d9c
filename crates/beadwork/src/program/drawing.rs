//! The options of `beadwork plot` that say how figures are drawn.

use beadwork::analysis::plot::{Look, NARROWEST_MM};
use beadwork::drawing::{Change, Drawing, Format, Part, To};
use clap::{Args, ValueEnum};

use super::failure::Failure;

/// The widest figure, mm, and the most pixels of an inch: more is a mistake, or too much for memory.
const WIDEST_MM: f64 = 1_000.0;
const MOST_DOTS: f64 = 2_400.0;

#[derive(Debug, Args)]
#[command(next_help_heading = "Figures for a paper")]
pub struct DrawingOptions {
    /// Draw these figures and pictures alone, by their file names without the ending: --figures force-time,picture.
    /// Other plots, tables and the report of the folder stay as they are, so an answer there must be of the same stage, window and
    /// rows.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    figures: Vec<String>,
    /// Files of each figure. In the folder of a run they replace those that its answer had before.
    #[arg(long, value_delimiter = ',', default_values_t = [FormatOption::Svg, FormatOption::Png])]
    format: Vec<FormatOption>,
    /// Width of each figure, such as 85mm, 17.8cm or 3.5in; the letters at its ticks then have 7 points. Without it, figures are laid
    /// out for a screen.
    #[arg(long, value_name = "WIDTH")]
    size: Option<String>,
    /// Pixels of an inch in PNGs. By default 247.
    #[arg(long, value_name = "NUMBER")]
    dpi: Option<f64>,
    /// Leave out the titles.
    #[arg(long)]
    no_title: bool,
    /// Leave out the notes below figures and pictures.
    #[arg(long)]
    no_caption: bool,
    /// Another label for an axis or a title, by the figure's file name: "force-extension.x=Extension (nm)".
    #[arg(long, value_name = "FIGURE.AXIS=TEXT")]
    labels: Vec<String>,
    /// The ends of an axis in its unit: "force-extension.x=0,30".
    #[arg(long, value_name = "FIGURE.AXIS=FROM,TO")]
    limits: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatOption {
    Svg,
    Png,
    Pdf,
}

impl std::fmt::Display for FormatOption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FormatOption::Svg => "svg",
            FormatOption::Png => "png",
            FormatOption::Pdf => "pdf",
        })
    }
}

impl DrawingOptions {
    pub fn drawing(&self) -> Result<Drawing, Failure> {
        if self.figures.iter().any(|name| name.trim().is_empty()) {
            return Err(Failure::input(format!(
                "--figures \"{}\" lacks a name: give names with a comma between each two, such as --figures force-time,picture",
                self.figures.join(",")
            )));
        }
        let mut formats = Vec::new();
        for format in &self.format {
            let format = match format {
                FormatOption::Svg => Format::Svg,
                FormatOption::Png => Format::Png,
                FormatOption::Pdf => Format::Pdf,
            };
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        let look = Look {
            width_mm: self.size.as_deref().map(width_in_mm).transpose()?,
            dots_per_inch: self.dots()?,
            without_title: self.no_title,
            without_notes: self.no_caption,
        };
        let labels = self.labels.iter().map(|text| {
            let (figure, part, label) =
                parts("--labels", text, "force-extension.x=Extension (nm)")?;
            Ok(Change { figure, part, to: To::Label(label.to_string()) })
        });
        let limits = self.limits.iter().map(|text| limits(text));
        let changes = labels.chain(limits).collect::<Result<_, Failure>>()?;
        Ok(Drawing { look, formats, figures: self.figures.clone(), changes })
    }

    fn dots(&self) -> Result<Option<f64>, Failure> {
        match self.dpi {
            Some(dots) if !(10.0..=MOST_DOTS).contains(&dots) => Err(Failure::input(format!(
                "--dpi {dots} must be from 10 to {MOST_DOTS} pixels of an inch, such as 300"
            ))),
            dots => Ok(dots),
        }
    }
}

/// A width in mm.
fn width_in_mm(text: &str) -> Result<f64, Failure> {
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4)];
    let width = units.into_iter().find_map(|(unit, size)| {
        let number = text.trim().strip_suffix(unit)?.trim().parse::<f64>().ok()?;
        Some(number * size)
    });
    width.filter(|width| (NARROWEST_MM..=WIDEST_MM).contains(width)).ok_or_else(|| {
        Failure::input(format!(
            "--size {text} must be a width from {NARROWEST_MM} mm to {WIDEST_MM} mm in mm, cm or in, such as 85mm"
        ))
    })
}

/// The figure, the part and the value in `FIGURE.PART=VALUE`.
fn parts<'a>(
    option: &str,
    text: &'a str,
    example: &str,
) -> Result<(String, Part, &'a str), Failure> {
    let wrong = || {
        Failure::input(format!(
            "{option} {text} must name a figure and its x, y or title, such as \"{example}\""
        ))
    };
    let (place, value) = text.split_once('=').ok_or_else(wrong)?;
    let (figure, part) = place.trim().rsplit_once('.').ok_or_else(wrong)?;
    let part = match part {
        "x" => Part::X,
        "y" => Part::Y,
        "title" => Part::Title,
        _ => return Err(wrong()),
    };
    Ok((figure.to_string(), part, value.trim()))
}

fn limits(text: &str) -> Result<Change, Failure> {
    const EXAMPLE: &str = "force-extension.x=0,30";
    let (figure, part, ends) = parts("--limits", text, EXAMPLE)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|end| end.is_finite());
    let ends = ends.split_once(',').and_then(|(low, high)| Some((number(low)?, number(high)?)));
    match ends {
        Some((low, high)) if low < high && part != Part::Title => {
            Ok(Change { figure, part, to: To::Limits(low, high) })
        }
        _ => Err(Failure::input(format!(
            "--limits {text} must be two numbers in the unit of an axis with a comma between them, the lower one first, such as \"{EXAMPLE}\""
        ))),
    }
}
