use beadwork_analysis::plot::{Mark, Style};

use super::*;
use crate::data::Setting;
use crate::words::group_name;

fn group(settings: &[(&str, String)]) -> Group {
    of_run("", settings)
}

fn of_run(run: &str, settings: &[(&str, String)]) -> Group {
    let setting = |(key, value): &(&str, String)| Setting {
        key: key.to_string(),
        value: value.clone(),
        ..Setting::default()
    };
    let settings: Vec<Setting> = settings.iter().map(setting).collect();
    Group { name: group_name(run, &settings, None), settings, ..Group::default() }
}

/// A thin line and a named bold one of each group, and the law of all.
fn figure(groups: &[Group], style: Style) -> Figure {
    let mut figure = Figure::default();
    for (number, group) in groups.iter().enumerate() {
        let colour = Colour::Palette(number);
        let points = vec![(0.0, number as f64), (1.0, 2.0)];
        figure.series.push(Series { colour, style, points: points.clone(), ..Series::default() });
        let label = format!("{} (mean of 4)", group.name);
        figure.series.push(Series { colour, style, ..Series::line(label, points) });
        figure.marks.push(Mark { x: number as f64, colour, ..Mark::default() });
    }
    let of_last = Some(groups.len() - 1);
    figure.series.push(Series { colour: Colour::Grey, panel: of_last, ..Series::default() });
    let law = Series::line("law", vec![(0.0, 1.0)]);
    figure.series.push(Series { colour: Colour::Grey, ..law });
    figure
}

fn points(groups: &[Group]) -> ManyPoints<'_> {
    ManyPoints::new(groups.iter().map(|group| (group.name.as_str(), group)))
}

fn arranged(groups: &[Group], style: Style) -> Figure {
    points(groups).arrange(PointFigure::new("stem", figure(groups, style))).1
}

/// A line of each kind of each group.
fn of_kinds(groups: &[Group], kinds: usize) -> Figure {
    let line = |number: usize| Series {
        colour: Colour::Palette(number),
        ..Series::line("", vec![(0.0, number as f64), (1.0, 2.0), (2.0, 0.0)])
    };
    let series = (0..groups.len() * kinds).map(line).collect();
    let kinds = (0..kinds).map(|kind| format!("A-{kind}")).collect();
    let figure = PointFigure::new("stem", Figure { series, ..Figure::default() });
    points(groups).arrange(PointFigure { kinds, ..figure }).1
}

fn labels(figure: &Figure) -> Vec<&str> {
    let labels = figure.series.iter().map(|one| one.label.as_str());
    labels.filter(|label| !label.is_empty()).collect()
}

/// `count` speeds at each of these temperatures.
fn speeds_and_temperatures(count: usize, temperatures: &[&str]) -> Vec<Group> {
    let of = |temperature: &str| -> Vec<Group> {
        let group = |speed: usize| {
            group(&[
                ("pull.speed", format!("{speed} um/s")),
                ("dynamics.temperature", temperature.to_string()),
            ])
        };
        (1..=count).map(group).collect()
    };
    temperatures.iter().flat_map(|temperature| of(temperature)).collect()
}

/// Zipped keys change together, so the first one is a name; what is the same at all points is said once.
#[test]
fn names_have_what_tells_points_apart() {
    let groups: Vec<Group> = (1..4)
        .map(|number| {
            group(&[
                ("pull.speed", format!("{number} um/s")),
                ("dynamics.timestep", format!("{} ps", 0.1 / f64::from(number))),
                ("dynamics.temperature", "300 K".to_string()),
            ])
        })
        .collect();
    let figure = arranged(&groups, Style::Line);
    let of_groups = ["1", "2", "3"].map(|number| format!("speed = {number} µm/s (mean of 4)"));
    assert_eq!(labels(&figure)[..3], of_groups);
    assert_eq!(
        figure.notes,
        [
            "All points: temperature = 300 K.",
            "Points are told apart by speed; timestep changes with it."
        ]
    );
    assert!(figure.panels.is_empty() && figure.scale.is_none());
}

#[test]
fn many_numbers_have_a_scale_of_colours() {
    let value = |number: i32| 0.1 * f64::from(number + 1);
    let groups: Vec<Group> =
        (0..50).map(|number| group(&[("pull.speed", format!("{} um/s", value(number)))])).collect();
    let figure = arranged(&groups, Style::Line);
    let scale = figure.scale.as_ref().unwrap();
    assert_eq!((scale.label.as_str(), scale.logarithmic), ("speed / (µm/s)", true));
    assert_eq!((scale.range.0, labels(&figure)), (0.1, vec!["law"]));
    assert_eq!(figure.series[5].colour, Colour::Value(value(2)));
    assert_eq!(figure.marks[2].colour, Colour::Value(value(2)));
    assert!(figure.panels.is_empty());
}

/// Four speeds at three temperatures: speeds have colours, temperatures panels.
#[test]
fn two_keys_are_colours_and_panels() {
    let groups = speeds_and_temperatures(4, &["280 K", "300 K", "320 K"]);
    let figure = arranged(&groups, Style::Line);
    assert_eq!(
        figure.panels,
        ["temperature = 280 K", "temperature = 300 K", "temperature = 320 K"]
    );
    let of_speeds = ["1", "2", "3", "4"].map(|speed| format!("speed = {speed} µm/s"));
    assert_eq!(labels(&figure)[1..], of_speeds);
    let tenth = &figure.series[2 * 9];
    assert_eq!((tenth.colour, tenth.panel), (Colour::Palette(1), Some(2)));
    // What is of the last group is in its panel, and the law of all in every one.
    assert_eq!(figure.series[24].panel, Some(2));
    assert!(figure.series.iter().any(|series| series.label == "law" && series.panel.is_none()));
}

#[test]
fn names_without_an_order_and_histograms_have_panels() {
    let groups: Vec<Group> =
        (0..9).map(|number| group(&[("force_field", format!("\"number{number}\""))])).collect();
    let figure = arranged(&groups, Style::Line);
    assert_eq!((figure.panels.len(), figure.panels[3].as_str()), (9, "force_field = \"number3\""));
    assert_eq!((figure.series[6].panel, figure.series[6].colour), (Some(3), Colour::Palette(0)));
    assert_eq!(figure.series[18].panel, Some(8));
    // What is the same in all panels is said once.
    assert_eq!(labels(&figure), ["mean of 4", "law"]);
    let bars = Style::Bars { width: 1.0 };
    let of_bars = |count: usize| arranged(&groups[..count], bars).panels;
    assert_eq!((of_bars(3).len(), of_bars(4).len()), (0, 4));
    assert_eq!(of_bars(4)[1], "force_field = \"number1\" (mean of 4)");
}

#[test]
fn more_points_than_panels_are_said_to_be_left_out() {
    let groups: Vec<Group> =
        (0..80).map(|number| group(&[("name", format!("\"a{number}\""))])).collect();
    let is_shown = |series: &Series| series.panel.is_none_or(|panel| panel < MOST_PANELS);
    for figure in [arranged(&groups, Style::Line), of_kinds(&groups, 2)] {
        assert_eq!(figure.panels.len(), MOST_PANELS);
        assert!(figure.series.iter().all(is_shown));
        assert_eq!(figure.notes, ["The first 60 of 80 points are drawn."]);
    }
}

#[test]
fn one_point_stays_as_it_is() {
    let groups = [group(&[("pull.speed", "1 um/s".to_string())])];
    assert_eq!(arranged(&groups, Style::Line), figure(&groups, Style::Line));
}

/// Each of several points has a panel beside its law.
#[test]
fn laws_are_not_mixed() {
    let groups = speeds_and_temperatures(2, &["300 K"]);
    let figure =
        PointFigure { shows: Shows::Laws, ..PointFigure::new("a", figure(&groups, Style::Line)) };
    let (_, figure) = points(&groups).arrange(figure);
    assert_eq!(figure.panels, ["speed = 1 µm/s", "speed = 2 µm/s"]);
    assert_eq!((figure.series[4].colour, figure.series[4].panel), (Colour::Grey, Some(1)));
}

#[test]
fn kinds_of_few_points_have_dashes_or_panels() {
    let one = of_kinds(&[Group::default()], 3);
    assert_eq!(labels(&one), ["A-0", "A-1", "A-2"]);
    assert_eq!((one.series[2].colour, one.panels.len()), (Colour::Palette(2), 0));
    let many = of_kinds(&[Group::default()], 70);
    assert_eq!((many.panels.len(), many.series.len()), (60, 60));
    assert_eq!(
        many.notes,
        ["Of 70 curves of each point the first 60 are drawn; the table has all."]
    );
    let groups = speeds_and_temperatures(2, &["280 K", "300 K"]);
    let few = of_kinds(&groups, 3);
    assert_eq!((few.series[5].colour, few.series[5].dash), (Colour::Palette(1), 2));
    assert_eq!(labels(&few)[3..], ["speed = 2 µm/s, temperature = 300 K", "A-0", "A-1", "A-2"]);
    let more = of_kinds(&groups, 4);
    assert_eq!(more.panels, ["A-0", "A-1", "A-2", "A-3"]);
    assert_eq!((more.series[6].colour, more.series[6].panel), (Colour::Palette(1), Some(2)));
    assert_eq!(labels(&more).len(), 4);
}

/// 70 speeds at three temperatures: a scale of colours, and a panel for each kind and temperature.
#[test]
fn kinds_of_many_points_have_panels_of_their_own() {
    let groups = speeds_and_temperatures(70, &["280 K", "300 K", "320 K"]);
    let figure = of_kinds(&groups, 4);
    assert_eq!((figure.panels.len(), figure.columns), (12, 3));
    assert_eq!(figure.panels[4], "A-1, temperature = 300 K");
    assert_eq!((figure.series.len(), labels(&figure).len()), (840, 0));
    assert_eq!(figure.scale.as_ref().unwrap().range, (1.0, 70.0));
    // Kind 1 of the third speed at 300 K.
    let curve = &figure.series[4 * 72 + 1];
    assert_eq!((curve.colour, curve.panel), (Colour::Value(3.0), Some(4)));
    // Six temperatures are no row, so that kinds are columns.
    let temperatures = ["280 K", "290 K", "300 K", "310 K", "320 K", "330 K"];
    let figure = of_kinds(&speeds_and_temperatures(9, &temperatures), 2);
    assert_eq!((figure.panels.len(), figure.columns), (12, 2));
    assert_eq!(figure.panels[3], "A-1, temperature = 290 K");
    assert_eq!(figure.series[2 * 9 + 1].panel, Some(3));
    let many = of_kinds(&groups, 21);
    assert_eq!((many.panels.len(), many.series.len()), (60, 20 * 210));
    assert_eq!(
        many.notes,
        ["Of 21 curves of each point the first 20 are drawn; the table has all."]
    );
    let one = of_kinds(&groups, 1);
    assert_eq!((one.panels.len(), one.notes.len()), (3, 1));
    assert_eq!(one.notes[0], "Curves are of A-0.");
}

#[test]
fn kinds_of_points_without_an_order_have_colours() {
    let groups: Vec<Group> =
        (0..9).map(|number| group(&[("name", format!("\"a{number}\""))])).collect();
    let figure = of_kinds(&groups, 10);
    assert_eq!((figure.panels.len(), figure.series[11].panel), (9, Some(1)));
    assert_eq!(labels(&figure).len(), COLOURS);
    assert_eq!(
        figure.notes,
        ["Of 10 curves of each point the first 8 are drawn; the table has all."]
    );
}

/// A run that sweeps two keys together needs one of them, also where another run needs both.
#[test]
fn each_run_has_the_names_that_it_needs() {
    let setting = |temperature: usize, stiffness: usize| {
        [
            ("dynamics.temperature", temperature.to_string()),
            ("system.stiffness", stiffness.to_string()),
        ]
    };
    let mut groups = Vec::new();
    for number in 0..6 {
        groups.push(of_run("product", &setting(1 + number % 3, 2 + number / 3)));
        groups.push(of_run("zip", &setting(1 + number, 20 + number / 3)));
    }
    let figure = arranged(&groups, Style::Line);
    assert_eq!(figure.panels, ["product: stiffness = 2", "zip", "product: stiffness = 3"]);
    assert_eq!(
        figure.notes,
        ["zip: points are told apart by temperature; stiffness changes with it."]
    );
}
