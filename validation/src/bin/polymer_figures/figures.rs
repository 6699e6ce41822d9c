//! Specific heat, size and minima over the temperature; chains that are folded.

use std::path::Path;

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};
use beadwork_analysis::table::{Table, read_csv};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_validation::Failure;
use beadwork_validation::figures::{Points, line_and_discs, logarithmic};
use beadwork_validation::icosahedron::{Build, picture};
use beadwork_validation::moments::Run;

use crate::verdicts::heat_capacities_of_the_table;

const CHAINS: [(&str, usize); 2] = [("thirteen", 13), ("fifty-five", 55)];

/// Columns of a table as points.
fn points(table: &Table, x: &str, y: &str) -> Result<Points, Failure> {
    Ok(table.numbers(x)?.into_iter().zip(table.numbers(y)?).collect())
}

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
            let of = |table: &Table| points(table, "temperature", column);
            Ok(line_and_discs(&label, colour, of(&curve)?, of(&at)?))
        };
        heat.extend(drawn("heat_capacity_per_bead")?);
        growth.extend(drawn("square_radius_of_gyration_derivative")?);
        let line = points(&at, "temperature", "square_radius_of_gyration_fluctuation")?;
        let line =
            line.into_iter().map(|(t, value)| (t, value / monomers as f64)).collect::<Points>();
        fluctuation.extend(line_and_discs(&label, colour, line.clone(), line));
    }
    if !heat.is_empty() {
        heat.push(Series {
            style: Style::Points,
            colour: Colour::Grey,
            emphasis: Emphasis::Strong,
            ..Series::line("13 monomers, another program", heat_capacities_of_the_table())
        });
        let figure = |title: &str, y: Axis, series| Figure {
            title: title.into(),
            x: logarithmic("temperature"),
            y,
            series,
            notes: vec!["Discs: samples of a temperature. Lines: reweighted from all.".into()],
            ..Figure::default()
        };
        figures.push(("specific-heat".into(), figure("Specific heat", Axis::new("C/N"), heat)));
        let title = "Growth with temperature";
        figures.push(("size-growth".into(), figure(title, Axis::new("d<r_g^2>/dT"), growth)));
        let title = "Fluctuation of the squared radius of gyration";
        let axis = logarithmic("(<r_g^4> - <r_g^2>^2)/N");
        let mut fluctuations = figure(title, axis, fluctuation);
        fluctuations.notes.clear();
        figures.push(("size-fluctuation".into(), fluctuations));
    }
    for (_, monomers) in CHAINS {
        let path = kept.join(format!("minima-{monomers}.csv"));
        if path.exists() {
            let minima = points(&read_csv(path)?, "energy", "quenches")?;
            figures.push((format!("minima-{monomers}"), depths(monomers, &minima)));
        }
    }
    if kept.join("ww-ladder").exists() && kept.join("ww-fixed").exists() {
        figures.push(("ww-contacts".into(), contacts_of_ww(kept)?));
    }
    Ok(figures)
}

/// The share of quenches that ended no higher than so far above the deepest minimum.
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
    Figure {
        title: format!("Minima below {all} cold configurations, {monomers} monomers"),
        x: logarithmic("energy above the deepest"),
        y: Axis::new("share of quenches"),
        series: vec![Series { style: Style::Steps, ..Series::line("", points) }],
        notes: vec![format!("The deepest, {lowest:.4}, is not drawn.")],
        ..Figure::default()
    }
}

fn contacts_of_ww(kept: &Path) -> Result<Figure, Failure> {
    let read = |name: &str| -> Result<Points, Failure> {
        let run = Run::read(&kept.join(name).join("moments.csv"))?;
        let place = run.place("native_contacts").ok_or("no contacts")?;
        let mean = |at: &beadwork_validation::moments::AtTemperature| {
            let values = at.values(|moments| moments.mean(place));
            (at.temperature, values.iter().sum::<f64>() / values.len() as f64)
        };
        Ok(run.at.iter().map(mean).collect())
    };
    let line = Series::line("with exchange", read("ww-ladder")?);
    let discs = Series { style: Style::Points, ..Series::line("without", read("ww-fixed")?) };
    Ok(Figure {
        title: "WW domain, native contacts that hold of 75".into(),
        x: Axis::new("temperature / K"),
        y: Axis::new("contacts"),
        series: vec![line, discs],
        ..Figure::default()
    })
}

/// The deepest configurations, of runs and over paths, seen along a fivefold axis.
pub fn ground_states(kept: &Path) -> Result<Vec<(String, String)>, Failure> {
    let mut pictures = Vec::new();
    let of_chain = |(_, monomers)| {
        ["ground-state", "ground-path"].map(|name| (format!("{name}-{monomers}"), monomers))
    };
    for (name, monomers) in CHAINS.into_iter().flat_map(of_chain) {
        let path = kept.join(format!("{name}.csv"));
        if !path.exists() {
            continue;
        }
        let table = read_csv(path)?;
        let axes = [table.numbers("x")?, table.numbers("y")?, table.numbers("z")?];
        let positions: Vec<[f64; 3]> =
            (0..table.rows()).map(|row| axes.each_ref().map(|axis| axis[row])).collect();
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
