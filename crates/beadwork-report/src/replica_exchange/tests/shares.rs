//! Figures of shares, in which each family of ladders has a curve.

use beadwork_analysis::plot::Colour;

use super::*;

/// Each point has one colour in figures of shares, and the families of its ladders have more.
#[test]
fn points_have_colours_in_figures_of_shares() {
    let figures = figures(&[group(1, 3, 40), group(2, 3, 40)]);
    let of = |stem: &str| figures.iter().find(|figure| figure.stem == stem).unwrap();
    // Ladders of the second point have temperatures of their own.
    let exchanges = of("exchanges");
    let colours: Vec<Colour> = exchanges.figure.series.iter().map(|one| one.colour).collect();
    assert_eq!((exchanges.each, of("size").each), (2, 1));
    assert_eq!(colours, [0, 2, 3].map(Colour::Palette));
}

/// Notes are sentences, also without the name of a point before them.
#[test]
fn ladders_that_are_not_drawn_are_noted() {
    let figures = figures(&[group(9, 3, 40)]);
    let exchanges = figures.iter().find(|one| one.stem == "exchanges").unwrap();
    assert_eq!(exchanges.figure.series.len(), 8);
    let last = exchanges.figure.notes.last().map(String::as_str);
    assert_eq!(last, Some("The first 8 of 9 ladders are drawn."));
}
