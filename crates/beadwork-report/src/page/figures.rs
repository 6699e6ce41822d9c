//! The figures and the pictures of an answer.

use std::path::{Path, PathBuf};

use beadwork_analysis::picture::half_size;
use beadwork_analysis::plot::{Emphasis, Figure, Series, Style, thin};
use beadwork_files::LARGEST_TEXT;
use beadwork_session::Error;
use maud::{Markup, PreEscaped, html};

use super::packed::base64;
use crate::answer::Answer;

/// The points of all lines of all figures in a page, and the least and the most of a figure; with more, each line is thinned. A point
/// takes some fifteen bytes.
const ALL_POINTS: usize = 60_000;
const FEWEST_OF_FIGURE: usize = 3_000;
const MOST_OF_FIGURE: usize = 12_000;
/// The fewest points to which a line is thinned.
const FEWEST_OF_LINE: usize = 30;
/// Lines that are not faint keep more, if there are few of them.
const FEW_LINES: usize = 8;
const FEWEST_OF_CLEAR_LINE: usize = 600;
/// The bytes of figures and of pictures in a page. Those behind are left out.
const MOST_FIGURE_BYTES: usize = 2_000_000;
const MOST_PICTURE_BYTES: usize = 1_000_000;

/// What is drawn, or why it is not.
pub(super) enum Drawn {
    /// A figure, as the text of an SVG.
    Svg(String),
    /// A picture, as the bytes of a PNG.
    Png(Vec<u8>),
    /// There is no room in the page for so many bytes of this kind of file.
    TooLarge(usize, &'static str),
}

/// A figure or a picture of a page.
pub(super) struct Shown {
    /// The name of its file without the ending.
    pub stem: String,
    /// Its title.
    pub title: String,
    /// What it shows.
    pub drawn: Drawn,
    /// The points of each line, if lines were thinned.
    pub thinned: Option<usize>,
    /// Whether it is a map, whose colours count.
    pub is_map: bool,
    /// Whether it is a file of the folder of plots too.
    pub is_file: bool,
}

/// The figures of all answers, then the pictures. `plots` are files that have been drawn of the answers.
/// `folder` is that of the plots of the run, if the page is of one.
pub(super) fn shown(
    answers: &[&Answer],
    plots: &[PathBuf],
    folder: Option<&Path>,
) -> Result<Vec<Shown>, Error> {
    let is_file = |stem: &str, ending: &str| {
        folder.is_some_and(|folder| folder.join(format!("{stem}.{ending}")).is_file())
    };
    let (mut shown, mut bytes) = (Vec::new(), 0);
    let figures: Vec<_> = answers.iter().flat_map(|answer| answer.figures()).collect();
    let most = (ALL_POINTS / figures.len().max(1)).clamp(FEWEST_OF_FIGURE, MOST_OF_FIGURE);
    for (stem, mut figure) in figures {
        let thinned = thin_lines(&mut figure, most);
        let prefix = format!("f{}-", shown.len());
        let svg = own_names(&figure.to_svg(), &prefix);
        bytes += svg.len();
        let drawn = match bytes <= MOST_FIGURE_BYTES {
            true => Drawn::Svg(svg),
            false => Drawn::TooLarge(svg.len(), "svg"),
        };
        let is_file = is_file(&stem, "svg");
        let is_map = figure.map.is_some();
        shown.push(Shown { stem, title: figure.title, drawn, thinned, is_map, is_file });
    }
    let mut bytes = 0;
    for (stem, scene) in answers.iter().flat_map(|answer| answer.pictures()) {
        let file = plots.iter().find(|path| is_png_of(path, &stem));
        let png = match file {
            Some(path) => beadwork_files::read(path, LARGEST_TEXT)
                .map_err(|source| beadwork_io::Error::Read { path: path.clone(), source })?,
            None => scene.to_png()?,
        };
        let png = half_size(&png)?;
        bytes += png.len();
        let drawn = match bytes <= MOST_PICTURE_BYTES {
            true => Drawn::Png(png),
            false => Drawn::TooLarge(png.len(), "png"),
        };
        let (title, is_file) = (scene.caption, is_file(&stem, "png"));
        shown.push(Shown { stem, title, drawn, thinned: None, is_map: false, is_file });
    }
    Ok(shown)
}

fn is_png_of(path: &Path, stem: &str) -> bool {
    path.extension().is_some_and(|kind| kind == "png")
        && path.file_stem().is_some_and(|name| name == stem)
}

/// Thins the lines of a figure that has too many points; returns to how many at least.
fn thin_lines(figure: &mut Figure, most: usize) -> Option<usize> {
    let lines = figure.series.iter().filter(|series| series.style == Style::Line);
    let (count, points) =
        lines.fold((0, 0), |(count, points), line| (count + 1, points + line.points.len()));
    if points <= most {
        return None;
    }
    let most = (most / count).max(FEWEST_OF_LINE);
    let is_faint = |series: &Series| series.emphasis == Emphasis::Faint;
    let clear = figure.series.iter().filter(|one| one.style == Style::Line && !is_faint(one));
    let has_few_clear = clear.count() <= FEW_LINES;
    let mut is_thinned = false;
    for line in figure.series.iter_mut().filter(|series| series.style == Style::Line) {
        let is_clear = has_few_clear && !is_faint(line);
        let most = if is_clear { most.max(FEWEST_OF_CLEAR_LINE) } else { most };
        // Gaps separate error bars and pieces of lines, which stay as they are.
        if line.points.len() > most
            && line.points.iter().all(|(x, y)| x.is_finite() && y.is_finite())
        {
            line.points = thin(&line.points, most);
            is_thinned = true;
        }
    }
    is_thinned.then_some(most)
}

/// An SVG whose names begin with `prefix`: several in one page may not share names.
fn own_names(svg: &str, prefix: &str) -> String {
    let mut text = svg.to_string();
    for before in [" id=\"", "url(#", "href=\"#"] {
        text = text.replace(before, &format!("{before}{prefix}"));
    }
    text
}

/// The section of the page.
pub(super) fn section(shown: &[Shown]) -> Markup {
    html! {
        section id="figures" {
            h2 { "Figures" }
            @if shown.is_empty() { p { "There is nothing to draw yet." } }
            @else {
                p.small {
                    span.screen { "A click enlarges a figure; then the wheel zooms, dragging moves, a double click shows all. " }
                    @if shown.iter().any(|one| one.thinned.is_some()) {
                        "Lines that are thinned here keep their extremes; the plots that " code { "beadwork plot" } " draws have more points. "
                    }
                    @if shown.iter().any(|one| matches!(one.drawn, Drawn::Png(_))) {
                        "Pictures have half the size of those."
                    }
                }
            }
            div.figures { @for one in shown { (figure(one)) } }
        }
    }
}

fn figure(shown: &Shown) -> Markup {
    let ending = match &shown.drawn {
        Drawn::Svg(_) => "svg",
        Drawn::Png(_) => "png",
        Drawn::TooLarge(_, ending) => ending,
    };
    html! {
        figure {
            @match &shown.drawn {
                Drawn::Svg(svg) => div.plot.map[shown.is_map] role="img" aria-label=(shown.title) { (PreEscaped(svg)) },
                Drawn::Png(bytes) => div.plot.picture { img alt=(shown.title) src={ "data:image/png;base64," (base64(bytes)) }; },
                Drawn::TooLarge(bytes, _) => p.thinned {
                    "This page has no room for the " (bytes / 1000) " kB of " q { (shown.title) } "; "
                    code { "beadwork plot" } " draws it."
                },
            }
            figcaption.small {
                @if shown.is_file { code { "plots/" (shown.stem) "." (ending) } } @else { code { (shown.stem) } }
                @if let Some(points) = shown.thinned { span.thinned { " · thinned to " (points) " points a line or more" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_figures_differ_from_those_of_others() {
        let svg = r##"<clipPath id="plot"/><g clip-path="url(#plot)"/><use href="#plot"/>"##;
        let other = own_names(svg, "f1-");
        assert_eq!(other.matches("f1-plot").count(), 3, "{other}");
        let figure = Figure {
            series: vec![Series::line("a", vec![(0.0, 1.0), (1.0, 2.0)])],
            ..Figure::default()
        };
        let own = own_names(&figure.to_svg(), "f7-");
        assert!(own.contains("id=\"f7-plot\"") && own.contains("url(#f7-plot)"));
    }

    #[test]
    fn many_points_are_thinned_and_few_are_left() {
        let line = |points: usize| {
            Series::line("a", (0..points).map(|x| (x as f64, (x % 7) as f64)).collect())
        };
        let mut few = Figure { series: vec![line(100)], ..Figure::default() };
        let before = few.clone();
        assert_eq!(thin_lines(&mut few, 10_000), None);
        assert_eq!(few, before);
        let mut many = Figure { series: vec![line(2_000); 100], ..Figure::default() };
        assert_eq!(thin_lines(&mut many, 10_000), Some(100));
        let points: usize = many.series.iter().map(|series| series.points.len()).sum();
        assert!(points <= 10_000, "{points}");
        // A bold line among faint ones keeps more.
        let mut faint = vec![Series { emphasis: Emphasis::Faint, ..line(2_000) }; 100];
        faint.push(line(2_000));
        let mut bold = Figure { series: faint, ..Figure::default() };
        assert_eq!(thin_lines(&mut bold, 10_000), Some(99));
        let points: Vec<usize> = bold.series.iter().map(|series| series.points.len()).collect();
        assert!(points[0] <= 99 && points[100] > 500, "{points:?}");
    }

    #[test]
    fn what_has_no_room_is_named() {
        let shown = Shown {
            stem: "picture".into(),
            title: "a <b>".into(),
            drawn: Drawn::TooLarge(3_000_000, "png"),
            thinned: None,
            is_map: false,
            is_file: true,
        };
        let text = section(&[shown]).into_string();
        assert!(
            text.contains("no room for the 3000 kB") && text.contains("plots/picture.png"),
            "{text}"
        );
        assert!(text.contains("a &lt;b&gt;"));
    }
}
