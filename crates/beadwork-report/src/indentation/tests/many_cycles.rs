use beadwork_analysis::plot::Figure;

use super::super::figures;
use super::*;
use crate::data::Setting;
use crate::many_points::ManyPoints;

/// Cycles that are too many for colours of their own have a scale, and each point a panel. Against time a point has one colour.
#[test]
fn many_cycles_of_several_points_have_a_scale_and_panels() {
    let sixteen = twice(&twice(&twice(&twice(&curve(30.0, 60, true)))));
    let groups = [280, 300].map(|temperature| {
        let mut group = group(std::slice::from_ref(&sixteen), true);
        let value = format!("{temperature} K");
        group.about.name = format!("temperature = {value}");
        group.about.settings =
            vec![Setting { key: "dynamics.temperature".into(), value, ..Setting::default() }];
        group
    });
    let about = groups.iter().map(|group| (group.about.name.as_str(), &group.about));
    let points = ManyPoints::new(about);
    let arranged = figures(&groups).into_iter().map(|figure| points.arrange(figure));
    let figures: Vec<(String, Figure)> = arranged.collect();
    let figure = |stem: &str| &figures.iter().find(|(own, _)| own == stem).unwrap().1;
    let of_cycles = figure("force-deformation");
    assert_eq!(of_cycles.panels, ["temperature = 280 K", "temperature = 300 K"]);
    assert_eq!(of_cycles.scale.as_ref().unwrap().range, (1.0, 16.0));
    let last = of_cycles.series.iter().rfind(|one| one.style == Style::Line).unwrap();
    assert_eq!((last.colour, last.panel), (Colour::Value(16.0), Some(1)));
    let labels: Vec<&str> = of_cycles.series.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels.iter().filter(|label| !label.is_empty()).count(), 2);
    let of_time = figure("cantilever-force-time");
    let colours: Vec<Colour> = of_time.series.iter().map(|one| one.colour).collect();
    assert_eq!((colours, of_time.panels.len()), ([0, 1].map(Colour::Palette).into(), 0));
}
