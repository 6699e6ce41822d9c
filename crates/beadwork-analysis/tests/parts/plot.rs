//! What figures contain, for ordinary and for odd data.

use beadwork_analysis::plot::{
    Axis, Colour, ColourScale, Emphasis, Figure, Look, Mark, Series, Style,
};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

fn figure(points: Vec<(f64, f64)>) -> Figure {
    Figure {
        title: "Pulling <WW> & titin".into(),
        x: Axis::new("extension / nm"),
        y: Axis::new("force / pN"),
        series: vec![Series::line("WW \"domain\"", points)],
        notes: vec!["Running average over 500 points.".into()],
        ..Figure::default()
    }
}

fn count(text: &str, pattern: &str) -> usize {
    text.matches(pattern).count()
}

/// The part of the pixels that is not white.
fn inked(png: &[u8]) -> f64 {
    let pixels = Pixmap::decode_png(png).unwrap();
    let dark = pixels.pixels().iter().filter(|pixel| pixel.red() < 128).count();
    dark as f64 / pixels.pixels().len() as f64
}

#[test]
fn axes_units_legend_ticks_and_notes_are_there() {
    let svg = figure(vec![(0.0, 0.0), (5.0, 120.0), (10.0, 30.0)]).to_svg();
    for text in [
        ">extension / nm</title>",
        ">force / pN</title>",
        ">WW &quot;domain&quot;</title>",
        ">Pulling &lt;WW&gt; &amp; titin</title>",
        ">Running average over 500 points.</title>",
        ">0</title>",
        ">120</title>",
        ">10</title>",
    ] {
        assert!(svg.contains(text), "{text} is not in {svg}");
    }
    assert_eq!(count(&svg, "<polyline"), 1);
    assert!(!svg.contains("no data"));
}

#[test]
fn the_png_is_the_svg_at_twice_the_size() {
    let figure = figure(vec![(0.0, 0.0), (5.0, 120.0), (10.0, 30.0)]);
    let (svg, png) = (figure.to_svg(), figure.to_png().unwrap());
    let pixels = Pixmap::decode_png(&png).unwrap();
    let header = format!("width=\"{}\" height=\"{}\"", pixels.width() / 2, pixels.height() / 2);
    assert!(svg.contains(&header), "{header}");
    assert!(pixels.pixels().iter().all(|pixel| pixel.alpha() == 255));
    let part = inked(&png);
    assert!((0.002..0.2).contains(&part), "{part}");
}

/// What resvg makes of a figure's SVG by one thread.
fn drawn_by_one_thread(svg: &str) -> Vec<u8> {
    let tree = Tree::from_str(svg, &Options::default()).unwrap();
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(2 * size.width(), 2 * size.height()).unwrap();
    resvg::render(&tree, Transform::from_scale(2.0, 2.0), &mut pixels.as_mut());
    pixels.encode_png().unwrap()
}

/// Many faint lines, with and without a range of the axis that cuts them off, under bold lines, discs, dashes and a mark.
#[test]
fn many_lines_are_drawn_by_all_threads_with_the_same_bytes() {
    let line = |number: usize, points: usize| -> Vec<(f64, f64)> {
        let wave = |at: f64| 40.0 * (at * (1.0 + 0.37 * number as f64)).sin() + 3.0 * at;
        (0..points).map(|at| (0.2 * at as f64, wave(0.2 * at as f64))).collect()
    };
    for (lines, range) in [(160, None), (160, Some((-10.0, 30.0))), (70, None)] {
        let mut figure = figure(line(0, 60));
        let faint = |number: usize| Series {
            points: line(number, 60),
            colour: Colour::Palette(number / 60),
            emphasis: Emphasis::Faint,
            ..Series::default()
        };
        figure.series.extend((1..lines).map(faint));
        let (style, emphasis) = (Style::Points, Emphasis::Faint);
        figure.series.push(Series { points: line(7, 20), style, emphasis, ..Series::default() });
        figure.series.extend((1..5).map(faint));
        let (colour, emphasis) = (Colour::Palette(9), Emphasis::Strong);
        figure.series.push(Series { points: line(3, 60), colour, emphasis, ..Series::default() });
        figure.series.push(Series { style: Style::Points, ..Series::line("discs", line(5, 9)) });
        figure.marks.push(Mark { x: 4.0, label: "here".into(), ..Mark::default() });
        figure.y.range = range;
        let svg = figure.to_svg();
        assert!(count(&svg, "<polyline") > lines);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let png = threads.install(|| figure.to_png().unwrap());
        assert!(png == drawn_by_one_thread(&svg), "{lines} {range:?}");
    }
}

#[test]
fn rings_are_hollow() {
    let mut figure = figure(vec![(0.0, 0.0), (5.0, 120.0)]);
    figure.series[0].style = Style::Rings;
    assert_eq!(count(&figure.to_svg(), "fill=\"#FFFFFF\" stroke=\"#0072B2\""), 2);
    figure.series[0].style = Style::Points;
    assert_eq!(count(&figure.to_svg(), "fill=\"#FFFFFF\" stroke=\"#0072B2\""), 0);
}

/// The area goes along one line and back along the other, and the axes have room for both.
#[test]
fn a_band_lies_between_two_lines() {
    let mut figure = figure(vec![(0.0, 50.0), (10.0, 60.0)]);
    let outline = vec![(0.0, 40.0), (10.0, 50.0), (10.0, 900.0), (0.0, 600.0)];
    let band = Series { style: Style::Band, ..Series::line("most of them", outline) };
    figure.series.insert(0, band);
    let svg = figure.to_svg();
    let polygon = svg.split_once("<polygon points=\"").unwrap().1;
    let points: Vec<&str> = polygon.split('"').next().unwrap().split(' ').collect();
    let across: Vec<&str> = points.iter().map(|point| point.split_once(',').unwrap().0).collect();
    assert!(across[0] == across[3] && across[1] == across[2] && across[0] != across[1]);
    let area = svg.split_once("<clipPath").unwrap().1;
    let highest: f64 = points[2].split_once(',').unwrap().1.parse().unwrap();
    assert!(highest > number(area, " y"), "{highest}");
    assert!(svg.find("<polygon") < svg.find("<polyline") && svg.contains(">most of them<"));
}

/// The number after the first `name="` in a text.
fn number(text: &str, name: &str) -> f64 {
    let rest = text.split_once(&format!("{name}=\"")).unwrap().1;
    rest.split('"').next().unwrap().parse().unwrap()
}

/// Lines may begin at the axis.
#[test]
fn markers_at_zero_stand_clear_of_the_axes() {
    let mut figure = figure(vec![(0.0, 0.0), (5.0, 120.0), (10.0, 30.0)]);
    for style in [Style::Line, Style::Points, Style::Rings] {
        figure.series[0].style = style;
        let svg = figure.to_svg();
        let area = svg.split_once("<clipPath").unwrap().1;
        let (left, bottom) = (number(area, " x"), number(area, " y") + number(area, " height"));
        if style == Style::Line {
            let line = svg.split_once("<polyline points=\"").unwrap().1;
            assert!(line.starts_with(&format!("{left:.1},{bottom:.1} ")), "{left} {bottom}");
            continue;
        }
        let circle = svg.split_once("<circle").unwrap().1;
        let (across, up) = (number(circle, "cx") - left, bottom - number(circle, "cy"));
        assert!(across > 5.0 && up > 5.0, "{style:?}: {across} {up}");
    }
}

/// A bar much shorter than a marker, and one that is longer.
#[test]
fn error_bars_have_caps_and_may_lie_over_markers() {
    let mut figure = figure(vec![(1.0, 50.0), (2.0, 60.0)]);
    figure.series[0].style = Style::Points;
    // The legend has markers too.
    figure.series[0].label.clear();
    let bar = |x: f64, low: f64, high: f64| [(x, low), (x, high), (x, f64::NAN)];
    let bars = [bar(1.0, 49.99, 50.01), bar(2.0, 50.0, 70.0)].concat();
    figure.series.push(Series { style: Style::ErrorBars, ..Series::line("", bars) });
    let svg = figure.to_svg();
    assert_eq!(count(&svg, "<polyline"), 2);
    assert!(svg.rfind("<circle") < svg.find("<polyline"));
    let across = number(svg.split_once("<circle").unwrap().1, "cx");
    let points = svg.split_once("points=\"").unwrap().1;
    let left: f64 = points.split(',').next().unwrap().parse().unwrap();
    // Markers have a radius of 2.8.
    assert!(across - left > 4.0, "{across} {left}");
}

#[test]
fn letters_are_drawn_without_installed_fonts() {
    let plain = Figure::default();
    let titled =
        Figure { title: "Temperature µ ± × − ⁻³ ² Å".into(), ..Figure::default() };
    // The title adds white space above the plot; its letters must add more ink than that.
    assert!(inked(&titled.to_png().unwrap()) > inked(&plain.to_png().unwrap()));
}

#[test]
fn a_figure_without_data_says_so() {
    let nothing = f64::NAN;
    for points in [vec![], vec![(nothing, 1.0), (1.0, f64::INFINITY), (1e301, 0.0)]] {
        let mut figure = figure(points);
        figure.marks.push(Mark { x: 3.0, label: "limit".into(), ..Mark::default() });
        let svg = figure.to_svg();
        assert!(svg.contains(">no data</title>") && svg.contains("extension / nm"));
        assert_eq!(count(&svg, "<polyline"), 0);
        figure.to_png().unwrap();
    }
    assert!(Figure::default().to_svg().contains("no data"));
    // Neither panels nor a scale of colours.
    let mut many = figure(Vec::new());
    many.panels = vec!["one".into(), "two".into()];
    many.scale = Some(ColourScale { label: "speed".into(), range: (1.0, 9.0), logarithmic: false });
    assert_eq!(many.to_svg(), figure(Vec::new()).to_svg());
}

#[test]
fn one_point_is_a_disc() {
    let svg = figure(vec![(2.0, 50.0)]).to_svg();
    assert_eq!((count(&svg, "<circle"), count(&svg, "<polyline")), (1, 0));
    assert!(svg.contains(">2.00</title>") || svg.contains(">2.0</title>"), "{svg}");
}

#[test]
fn a_gap_interrupts_the_line() {
    let mut points: Vec<(f64, f64)> = (0..10).map(|x| (f64::from(x), 1.0)).collect();
    points[4].1 = f64::NAN;
    assert_eq!(count(&figure(points).to_svg(), "<polyline"), 2);
}

#[test]
fn odd_ranges_make_finite_figures() {
    for scale in [1e-299, 1e-30, 1e-9, 1.0, 1e9, 1e30, 9e299] {
        for points in [
            vec![(0.0, scale), (1.0, -scale)],
            vec![(0.0, scale), (scale, scale)],
            vec![(scale, scale), (scale * (1.0 + 1e-15), scale)],
        ] {
            for logarithmic in [false, true] {
                let mut figure = figure(points.clone());
                figure.y.logarithmic = logarithmic;
                figure.x.logarithmic = logarithmic;
                let svg = figure.to_svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{scale}: {svg}");
                // Letters are outlines, so their number tells how much a figure says.
                let titles = svg.split("<title>").skip(1);
                let letters: usize = titles.filter_map(|title| title.find("</title>")).sum();
                assert!(letters < 1_000, "{scale}: {letters}");
                figure.to_png().unwrap();
            }
        }
    }
}

#[test]
fn logarithmic_axes_leave_out_zero_and_show_decades() {
    let mut figure = figure(vec![(0.0, 1.0), (1.0, 0.0), (10.0, 1.0), (1e6, 1e3)]);
    (figure.x.logarithmic, figure.y.logarithmic) = (true, true);
    let svg = figure.to_svg();
    assert!(svg.contains(">10⁶</title>") && svg.contains(">1000</title>"), "{svg}");
    assert_eq!(count(&svg, "<polyline"), 1);
}

#[test]
fn a_given_range_is_kept() {
    let mut figure = figure(vec![(0.0, 0.0), (10.0, 1000.0)]);
    figure.y.range = Some((0.0, 250.0));
    let svg = figure.to_svg();
    assert!(svg.contains(">250</title>") && !svg.contains(">1000</title>"));
    assert!(svg.contains("clip-path"));
}

#[test]
fn a_figure_of_a_thousand_replicas_stays_small() {
    let series = (0..1000).map(|replica| Series {
        points: (0..10_000)
            .map(|step| (f64::from(step), f64::from(replica) + f64::from(step % 7)))
            .collect(),
        emphasis: Emphasis::Faint,
        colour: Colour::Palette(0),
        ..Series::default()
    });
    let figure = Figure { series: series.collect(), ..figure(Vec::new()) };
    let svg = figure.to_svg();
    assert_eq!(count(&svg, "<polyline"), 1000);
    assert!(svg.len() < 2_500_000, "{}", svg.len());
    // Half way from #0072B2 to white, with an opacity of 3/√1000.
    assert!(svg.contains("#7FB8D8") && svg.contains("opacity=\"0.095\""));
}

#[test]
fn bars_start_at_zero_and_steps_have_corners() {
    let mut figure = figure(vec![(1.0, 3.0), (2.0, 0.0), (3.0, 7.0)]);
    figure.series[0].label.clear();
    figure.series[0].style = Style::Bars { width: 1.0 };
    // The background, the clipping area and two bars; an empty bar is not drawn.
    assert_eq!(count(&figure.to_svg(), "<rect"), 4);
    figure.series[0].style = Style::Steps;
    let svg = figure.to_svg();
    let line = svg.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    assert_eq!(line.split(' ').count(), 5);
}

#[test]
fn automatic_colours_differ_and_no_legend_is_cut() {
    let series = (0..30).map(|number| {
        Series::line(format!("series {number}"), vec![(0.0, f64::from(number)), (1.0, 0.0)])
    });
    let figure = Figure { series: series.collect(), ..figure(Vec::new()) };
    let svg = figure.to_svg();
    for colour in ["#0072B2", "#D55E00", "#009E73", "#CC79A7"] {
        assert!(svg.contains(colour));
    }
    assert!((0..30).all(|number| svg.contains(&format!(">series {number}</title>"))));
    assert!(svg.contains("stroke-dasharray=\"6 3\""));
}

#[test]
fn the_same_data_give_the_same_bytes() {
    let make = || {
        let mut figure = figure((0..5000).map(|x| (f64::from(x), f64::from(x).sin())).collect());
        figure.marks.push(Mark { x: 3.0, label: "limit".into(), ..Mark::default() });
        (figure.to_svg(), figure.to_png().unwrap())
    };
    assert!(make() == make());
}

#[test]
fn counts_have_no_fractions() {
    let mut figure = figure(vec![(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
    assert!(figure.to_svg().contains(">0.5</title>") || figure.to_svg().contains(">1.5</title>"));
    figure.y.whole_numbers = true;
    figure.x.whole_numbers = true;
    let svg = figure.to_svg();
    assert!(svg.contains(">2</title>") && !svg.contains(".5</title>"));
}

/// Five panels in rows of three, which share axes: labels of y stand in the first column, those of x below the last panel of each column.
#[test]
fn panels_share_their_axes() {
    let series = (0..5).map(|panel| Series {
        panel: Some(panel),
        ..Series::line("", vec![(0.0, 10.0 * panel as f64), (10.0, 20.0 * panel as f64)])
    });
    let mut figure = figure(Vec::new());
    figure.series = series.collect();
    figure.series.push(Series {
        colour: Colour::Grey,
        ..Series::line("law", vec![(0.0, 1.0), (10.0, 4.0)])
    });
    figure.marks.push(Mark { x: 4.0, panel: Some(2), ..Mark::default() });
    figure.panels = (0..5).map(|panel| format!("point {panel}")).collect();
    let svg = figure.to_svg();
    assert_eq!(count(&svg, "<clipPath"), 5);
    // A line of its own in each, and the law in all.
    assert_eq!((count(&svg, "<polyline"), count(&svg, "stroke-dasharray=\"5 4\"")), (10, 1));
    assert!((0..5).all(|panel| svg.contains(&format!(">point {panel}</title>"))));
    // 10 at the end of x stands three times, 50 of y twice.
    assert_eq!((count(&svg, ">10</title>"), count(&svg, ">50</title>")), (3, 2));
    assert_eq!((count(&svg, ">extension / nm</title>"), count(&svg, ">law</title>")), (1, 1));
    let narrow = figure.to_svg_as(&Look { width_mm: Some(85.0), ..Look::default() });
    assert!(narrow.contains("width=\"85.00mm\"") && count(&narrow, "<clipPath") == 5);
    figure.to_png().unwrap();
}

#[test]
fn values_have_the_colours_of_their_scale() {
    let line = |value: f64| Series {
        colour: Colour::Value(value),
        ..Series::line("", vec![(0.0, value), (1.0, 1.0)])
    };
    let mut figure = figure(Vec::new());
    figure.series = [1.0, 10.0, 100.0].map(line).into();
    let grey = figure.to_svg();
    assert_eq!(count(&grey, "stroke=\"#8A8A8A\""), 3);
    let label = "speed / (µm/s)".to_string();
    figure.scale = Some(ColourScale { label, range: (1.0, 100.0), logarithmic: true });
    let svg = figure.to_svg();
    assert!(svg.contains(">speed / (µm/s)</title>") && svg.contains(">100</title>"), "{svg}");
    let lines: Vec<&str> = svg.split("<polyline").skip(1).collect();
    assert!(lines[0].contains("stroke=\"#440154\"") && !lines[1].contains("stroke=\"#440154\""));
    // The lightest colour is that of no line.
    assert!(!svg.contains("#FDE725"));
}

#[test]
fn dashes_and_long_names_are_in_the_legend() {
    let name =
        "speed = 2.5 µm/s, temperature = 300 K, stiffness = 100 pN/nm, friction = 8.685e6 pN ps/nm";
    let mut figure = figure(vec![(0.0, 0.0), (1.0, 2.0)]);
    figure.series[0].label = name.to_string();
    figure.series[0].dash = 2;
    let svg = figure.to_svg();
    assert_eq!(count(&svg, "stroke-dasharray=\"2 2\""), 2);
    assert!(!svg.contains('…'));
    let shown: Vec<&str> = name.split(' ').filter(|word| svg.contains(*word)).collect();
    assert_eq!(shown.join(" "), name);
}
