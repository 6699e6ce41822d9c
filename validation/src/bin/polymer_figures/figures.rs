//! Specific heat, size and minima against the temperature; pictures of folded chains.

use std::path::Path;

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};
use beadwork_analysis::table::{Table, read_csv};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_validation::Failure;
use beadwork_validation::figures::{Points, columns, figure, line_and_discs, logarithmic};
use beadwork_validation::icosahedron::{Build, picture, read as read_positions};

use crate::verdicts::heat_capacities_of_thirteen;

const CHAINS: [(&str, usize); 2] = [("thirteen", 13), ("fifty-five", 55)];

/// Figs. 4 and 5, minima, and the WW domain.
pub fn of_runs(kept: &Path) -> Result<Vec<(String, Figure)>, Failure> {
    let (mut heat, mut growth, mut fluctuation) = (Vec::new(), Vec::new(), Vec::new());
    let mut figures = Vec::new();
    for (colour, (name, monomers)) in CHAINS.into_iter().enumerate() {
        if !kept.join(name).exists() {
            continue;
        }
        let label = format!("{monomers} monomers");
        let read = |table: &str| read_csv(kept.join(name).join(format!("{table}.csv")));
        let (at, curve) = (read("thermodynamics")?, read("curves")?);
        let drawn = |column: &str| -> Result<[Series; 2], Failure> {
            let of = |table: &Table| columns(table, "temperature", column);
            Ok(line_and_discs(&label, colour, of(&curve)?, of(&at)?))
        };
        heat.extend(drawn("heat_capacity_per_bead")?);
        growth.extend(drawn("square_radius_of_gyration_derivative")?);
        let line = columns(&at, "temperature", "square_radius_of_gyration_fluctuation")?;
        let line =
            line.into_iter().map(|(t, value)| (t, value / monomers as f64)).collect::<Points>();
        fluctuation.extend(line_and_discs(&label, colour, line.clone(), line));
    }
    if !heat.is_empty() {
        heat.push(Series {
            style: Style::Points,
            colour: Colour::Grey,
            emphasis: Emphasis::Strong,
            ..Series::line("13 monomers, another program", heat_capacities_of_thirteen()?)
        });
        let over =
            |title: &str, y: Axis, series| figure(title, [logarithmic("temperature"), y], series);
        let note = "Discs: samples of a temperature. Lines: reweighted from all.";
        let noted = |figure| Figure { notes: vec![note.into()], ..figure };
        let heat = noted(over("Specific heat", Axis::new("C/N"), heat));
        let growth = noted(over("Growth with temperature", Axis::new("d<r_g^2>/dT"), growth));
        let (title, y) =
            ("Fluctuation of the squared radius of gyration", "(<r_g^4> - <r_g^2>^2)/N");
        figures.push(("specific-heat".into(), heat));
        figures.push(("size-growth".into(), growth));
        figures.push(("size-fluctuation".into(), over(title, logarithmic(y), fluctuation)));
    }
    for (_, monomers) in CHAINS {
        let path = kept.join(format!("minima-{monomers}.csv"));
        if path.exists() {
            let minima = columns(&read_csv(path)?, "energy", "quenches")?;
            figures.push((format!("minima-{monomers}"), depths(monomers, &minima)));
        }
    }
    if kept.join("ww-ladder").exists() && kept.join("ww-fixed").exists() {
        figures.push(("ww-contacts".into(), contacts_of_ww(kept)?));
    }
    Ok(figures)
}

/// The share of minimisations that ended within a given distance of the deepest minimum.
fn depths(monomers: usize, minima: &[(f64, f64)]) -> Figure {
    let mut minima = minima.to_vec();
    minima.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = minima.iter().map(|(_, count)| count).sum();
    let lowest = minima.first().map_or(f64::NAN, |(energy, _)| *energy);
    let mut below = 0.0;
    let share = |(energy, count): &(f64, f64)| {
        below += count;
        (energy - lowest, below / all)
    };
    let points: Points = minima.iter().map(share).collect();
    let title = format!("Minima below {all} cold configurations, {monomers} monomers");
    let axes = [logarithmic("energy above the deepest"), Axis::new("share of quenches")];
    let series = vec![Series { style: Style::Steps, ..Series::line("", points) }];
    let notes = vec![format!("The deepest, {lowest:.4}, is not drawn.")];
    Figure { notes, ..figure(title, axes, series) }
}

fn contacts_of_ww(kept: &Path) -> Result<Figure, Failure> {
    let read = |name: &str| {
        let table = read_csv(kept.join(name).join("thermodynamics.csv"))?;
        columns(&table, "temperature_K", "native_contacts")
    };
    let line = Series::line("with exchange", read("ww-ladder")?);
    let discs = Series { style: Style::Points, ..Series::line("without", read("ww-fixed")?) };
    let axes = ["temperature / K", "contacts"].map(Axis::new);
    Ok(figure("WW domain, native contacts that hold of 75", axes, vec![line, discs]))
}

/// The deepest configurations of the runs, seen along a fivefold axis.
pub fn ground_states(kept: &Path) -> Result<Vec<(String, String)>, Failure> {
    let mut pictures = Vec::new();
    for (_, monomers) in CHAINS {
        let name = format!("ground-state-{monomers}");
        let path = kept.join(format!("{name}.csv"));
        if !path.exists() {
            continue;
        }
        let positions = read_positions(&path)?;
        let polymer = ElasticPolymer::new(monomers);
        let energy = polymer.build().energies(&positions).total();
        let build = Build::of(&positions, polymer.bonds.length);
        let title = format!("{monomers} monomers, E = {energy:.4}");
        pictures.push((name, picture(&positions, &build, &title)));
    }
    Ok(pictures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_shares_of_all_quenches() {
        let figure = depths(13, &[(-42.0, 2.0), (-43.0, 1.0), (-40.0, 1.0)]);
        assert_eq!(figure.series[0].points, [(0.0, 0.25), (1.0, 0.75), (3.0, 1.0)]);
    }

    #[test]
    fn each_figure_is_drawn_from_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join("thirteen")).unwrap();
        assert!(of_runs(&folder.join("nothing")).unwrap().is_empty());
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        let columns = "temperature,heat_capacity_per_bead,square_radius_of_gyration_derivative,square_radius_of_gyration_fluctuation";
        for name in ["thirteen/thermodynamics.csv", "thirteen/curves.csv"] {
            write(name, &format!("{columns}\n0.3,5,1,13\n0.4,3,2,26\n"));
        }
        write("ground-state-13.csv", "x,y,z\n0,0,0\n0.7,0,0\n0.7,0.7,0\n");
        let figures = of_runs(folder).unwrap();
        assert_eq!(figures.len(), 3);
        assert_eq!(figures[0].1.series[0].points, [(0.3, 5.0), (0.4, 3.0)]);
        assert_eq!(figures[2].1.series[0].points, [(0.3, 1.0), (0.4, 2.0)]);
        assert!(figures[0].1.to_png().is_ok());
    }
}
