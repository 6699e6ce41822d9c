//! Plots of a run.

use std::fs;

use crate::common::{PULL, Place};

/// The words of a drawing, in the order of the file.
fn words_of(svg: &str) -> String {
    let texts = svg.split("<title").skip(1);
    let words = texts.map(|text| text.split_once('>').unwrap().1.split('<').next().unwrap());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn figures_for_a_paper_have_the_width_that_is_asked_for() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let options = "--format pdf,svg --size 85mm --no-title --no-caption";
    let changes = "--labels force-extension.y=F --limits force-extension.x=0,40";
    place.beadwork(&format!("plot run -o paper {options} {changes}")).expect(0);
    let svg = place.read("paper/force-extension.svg");
    assert!(svg.starts_with("<svg") && svg.contains("width=\"85.00mm\""), "{svg}");
    let words = words_of(&svg);
    assert!(words.contains(" F ") && words.contains(" 40 "), "{words}");
    assert!(!words.contains("Force and extension") && !words.contains("Thin"), "{words}");
    let pdf = fs::read(place.path("paper/force-extension.pdf")).unwrap();
    assert_eq!(pdf[..5], *b"%PDF-");
    assert!(!place.path("paper/force-extension.png").exists());
    place.beadwork("plot run -o other --size 85mm --dpi 300 --format png").expect(0);
    let png = fs::read(place.path("other/force-extension.png")).unwrap();
    // The width stands behind the name of the first chunk: 85 mm of 300 pixels an inch.
    assert_eq!(u32::from_be_bytes(png[16..20].try_into().unwrap()), 1004);
    for (option, parts) in [
        ("--size 85", ["--size 85", "85mm"]),
        ("--size 5mm", ["--size 5mm", "60 mm"]),
        ("--dpi 1", ["--dpi 1", "300"]),
        ("--labels x=F", ["--labels x=F", "force-extension.x"]),
        ("--limits force-time.x=3,1", ["--limits force-time.x=3,1", "lower one first"]),
        ("--limits force-time.x=-1e308,1e308", ["analysis/figure-change", "cannot go from -1e308"]),
        ("--labels forces.x=F", ["analysis/figure-change", "force-extension, "]),
    ] {
        place.beadwork(&format!("plot run -o refused {option}")).expect(2).complains(&parts);
    }
    let far = "plot run -o far --limits force-extension.x=1e15,1.000000000000001e15";
    place.beadwork(far).expect(0).complains(&["note: no data of force-extension lie from 1e15"]);
}

/// Other figures of the folder and its answer keep their bytes; `summary.json` lists new files.
#[test]
fn figures_are_drawn_by_name() {
    let place = Place::with_input(PULL).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let changed = |options: &str| -> Vec<String> {
        let before = place.results("run");
        place.beadwork(&format!("plot run --figures {options}")).expect(0);
        let after = place.results("run").into_iter();
        let changed = after.filter(|(name, bytes)| before.get(name) != Some(bytes));
        changed.map(|(name, _)| name).collect()
    };
    assert_eq!(
        changed("force-time,contacts-time --no-title"),
        ["contacts-time", "force-time"]
            .map(|name| ["png", "svg"].map(|ending| format!("plots/{name}.{ending}")))
            .concat()
    );
    let more = changed("force-time --format pdf");
    assert_eq!(more, ["plots/force-time.pdf", "summary.json"]);
    assert!(place.read("run/summary.json").contains("plots/force-time.pdf"));
    // A later answer removes what it does not have.
    place.beadwork("plot run").expect(0);
    assert!(!place.path("run/plots/force-time.pdf").exists());
    // Elsewhere the same files may be drawn again, and stay beside others.
    for figure in ["force-time", "force-time", "unfolding-forces"] {
        place.beadwork(&format!("plot run -o one --format svg --figures {figure}")).expect(0);
    }
    let names: Vec<String> = place.results("one").into_keys().collect();
    assert_eq!(names, ["force-time.svg", "summary.json", "unfolding-forces.svg"]);
    for unknown in ["force-*", "force-time.svg", "forces"] {
        let parts = ["analysis/no-figure", unknown, "there are force-extension, "];
        place.beadwork_of(&["plot", "run", "--figures", unknown]).expect(2).complains(&parts);
    }
    for lacking in ["", ",", "force-time,"] {
        let parts = ["program/arguments", "lacks a name", "--figures force-time,picture"];
        place.beadwork_of(&["plot", "run", "--figures", lacking]).expect(2).complains(&parts);
    }
    let said = place.beadwork("plot run --figures force-time --section x --frame 1").expect(0);
    for option in ["--section", "--frame"] {
        let note = format!("note: {option} has no effect: it is for pictures of bead models");
        assert!(said.stderr.contains(&note), "{}", said.stderr);
    }
}

/// Figures of another stage, window or run would be taken for those of the answer beside them.
#[test]
fn figures_by_name_lie_beside_their_own_answer() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let stiff =
        ["run", "input.toml", "-o", "stiff", "--quiet", "--set", "pull.stiffness=200 pN/nm"];
    place.beadwork_of(&stiff).expect(0);
    place.beadwork("plot run --format svg").expect(0);
    place.beadwork("plot run --format svg -o all").expect(0);
    let before = ["run", "all"].map(|folder| place.results(folder));
    let figure = ["--figures", "extension-time"];
    for options in [
        ["plot", "run", "--stage", "equilibrate"].as_slice(),
        &["plot", "run", "--window", "100 ns"],
        &["plot", "run", "--prominence", "20 pN"],
        &["plot", "run", "--output", "all", "--window", "100 ns"],
        &["plot", "stiff", "--output", "all"],
    ] {
        let said = place.beadwork_of(&[options, figure.as_slice()].concat()).expect(2);
        said.complains(&["analysis/other-answer", "/summary.json", "another folder by --output"]);
    }
    assert!(before == ["run", "all"].map(|folder| place.results(folder)));
    place.beadwork("plot run --figures extension-time --format svg -o all").expect(0);
    // A folder without an answer may have figures of several; the list of their files has no values.
    for options in ["run --stage equilibrate", "run", "stiff"] {
        let command = format!("plot {options} --figures extension-time --format svg -o paper");
        place.beadwork(&command).expect(0);
    }
    assert!(place.read("paper/summary.json").contains("\"groups\": []"));
    // So has a run whose answer is still to come, which removes what it does not have.
    fs::remove_file(place.path("run/summary.json")).unwrap();
    place.beadwork("plot run --figures force-time --format pdf").expect(0);
    assert!(place.path("run/plots/force-time.pdf").exists());
    place.beadwork("plot run --format svg").expect(0);
    assert!(!place.path("run/plots/force-time.pdf").exists());
}

#[test]
fn plots_have_axes_units_and_legends() {
    let place = Place::with_input(PULL).with_plots();
    let answer = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    // The spring's base takes 125 ns for 2.5 Å at 2000 µm/s: 31 rows of 4 ns.
    assert!(answer.contains("window 31 points = 124 ns"), "{answer}");
    assert!(answer.contains("tables, trajectories and 6 plots are in run"), "{answer}");
    assert!(answer.starts_with(&place.read("run/summary.txt")));
    let figures = [
        ("force-extension", ["extension / nm", "force / pN", "one of 3"]),
        ("force-time", ["time / ", "force / pN", "one of 3"]),
        ("extension-time", ["time / ", "extension / nm", "mean of 3"]),
        ("temperature-time", ["time / ", "temperature / K", "mean of 3"]),
        ("contacts-time", ["time / ", "native contacts", "mean of 3"]),
        ("unfolding-forces", ["unfolding force / pN", "number of replicas", "3"]),
    ];
    for (name, parts) in figures {
        let svg = place.read(&format!("run/plots/{name}.svg"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        let words = words_of(&svg);
        for part in parts {
            assert!(words.contains(part), "{name}: no {part} in {words}");
        }
        let png = fs::read(place.path(&format!("run/plots/{name}.png"))).unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    }
    // Every figure exists as SVG and as PNG, and the folder holds nothing else.
    let files: Vec<_> =
        fs::read_dir(place.path("run/plots")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in &files {
        let twin = if file.extension().unwrap() == "svg" { "png" } else { "svg" };
        assert!(files.contains(&file.with_extension(twin)), "{}", file.display());
    }
    assert!(answer.contains(&format!(" {} plots are in run", files.len() / 2)), "{answer}");

    // Another window: 100 ns are 25 rows.
    let words = place.beadwork_of(&["plot", "run", "--window", "100 ns"]).expect(0).stdout;
    assert!(words.contains("window 25 points = 100 ns"), "{words}");
    assert!(words.contains("run/plots/force-extension.svg"), "{words}");
    let words = words_of(&place.read("run/plots/force-extension.svg"));
    assert!(words.contains("window 25 points"), "{words}");
    for (option, value, part) in [
        ("--window", "100 pN", "--window: \"100 pN\" is a force; expected a time"),
        ("--window", "0 ns", "must be above zero"),
        ("--prominence", "40", "has no unit"),
    ] {
        place.beadwork_of(&["plot", "run", option, value]).expect(2).complains(&[part]);
    }

    // Two runs side by side.
    place
        .beadwork_of(&[
            "run",
            "input.toml",
            "-o",
            "stiff",
            "--quiet",
            "--set",
            "pull.stiffness=200 pN/nm",
        ])
        .expect(0);
    let before = [place.results("run"), place.results("stiff")];
    let words = place.beadwork("plot run stiff").expect(0).stdout;
    assert!(words.contains("comparison/force-extension.png"), "{words}");
    for name in ["force-extension", "force-time"] {
        let words = words_of(&place.read(&format!("comparison/{name}.svg")));
        for part in ["run (one of 3)", "stiff (one of 3)"] {
            assert!(words.contains(part), "no {part} in {words}");
        }
    }
    assert!(before == [place.results("run"), place.results("stiff")], "runs stay as they are");
}
