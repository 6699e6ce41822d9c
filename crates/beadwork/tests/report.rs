//! Reports: one page that loads nothing, with all that its folder says.

use std::fs;

use crate::common::{PULL, Place};

/// The elements that name something to load, or to go to, each from `name="` on.
fn references(page: &str) -> Vec<String> {
    let names = ["src=\"", "href=\"", "action=\"", "url(", "@import", "srcset=\"", "poster=\""];
    // Data and scripts are no elements; a policy decides what these may do.
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, behind)) = rest.split_once("<script") {
        text.push_str(before);
        rest = behind.split_once("</script>").unwrap().1;
    }
    text.push_str(rest);
    let found = names.iter().flat_map(|name| text.match_indices(name));
    found.map(|(place, name)| text[place + name.len()..].chars().take(30).collect()).collect()
}

#[test]
fn a_run_leaves_a_page_that_loads_nothing() {
    let place = Place::with_input(PULL).with_plots();
    let run = ["run", "input.toml", "--quiet", "-o", "a <b>&\"c\""];
    let answer = place.beadwork_of(&run).expect(0).stdout;
    let page = place.read("a <b>&\"c\"/report.html");
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-";
    let (head, _) = page.split_once("<title>").unwrap();
    assert!(head.contains(policy), "{head}");
    let references = references(&page);
    assert!(references.len() > 12, "{references:?}");
    for one in &references {
        let is_inside = ["#", "data:image/png;base64,"].iter().any(|begin| one.starts_with(begin));
        assert!(is_inside, "{one}");
    }
    // Paper and readers without scripts have a picture of the beads.
    assert_eq!(page.matches("<img class=\"print\" alt=\"beads of replica 0\"").count(), 1);
    // The program and the viewer have 0.3 MB, figures most of the rest.
    assert!((300_000..2_000_000).contains(&page.len()), "{}", page.len());
    // What stands in it is escaped, and the answer is that of the program.
    assert!(page.contains("a &lt;b&gt;&amp;") && !page.contains("a <b>"));
    let force =
        answer.split("highest averaged force: ").nth(1).unwrap().split(" pN").next().unwrap();
    for part in [
        format!(">{force}</td>").as_str(),
        "stop = &quot;extension &gt; 3.5 nm&quot;",
        "minimise",
        "spring of 100 pN/nm",
        "philox4x32-10",
        "finished",
        "<dt>threads of the last process</dt><dd>",
        "<dt>seconds of stepping, all processes</dt><dd>",
        "SHA-256",
        "Structure 14, 1633 (2006)",
        "beadwork run 'a &lt;b&gt;&amp;&quot;c&quot;/resolved.toml' --output again --device cpu",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Made anew it has the same bytes.
    place.beadwork_of(&["report", "a <b>&\"c\""]).expect(0);
    assert!(page == place.read("a <b>&\"c\"/report.html"));
    // Its command repeats the run.
    let again = ["run", "a <b>&\"c\"/resolved.toml", "--output", "again", "--device", "cpu"];
    place.beadwork_of(&again).expect(0);
    for name in ["tables/member-0002.csv", "trajectories/member-0002.xtc"] {
        let bytes = |run: &str| fs::read(place.path(&format!("{run}/{name}"))).unwrap();
        assert!(bytes("a <b>&\"c\"") == bytes("again"), "{name}");
    }
}

/// A page beside another answer would be taken for its page.
#[test]
fn an_older_page_does_not_stay_beside_a_new_answer() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    assert!(!place.path("run/report.html").exists());
    assert!(place.beadwork("report run").expect(0).stdout.contains("run/report.html"));
    let said = place.beadwork("resume run --quiet").expect(0);
    said.complains(&["note: removed of the earlier answer: report.html, since --no-plots or"]);
    assert!(!place.path("run/report.html").exists());
    place.beadwork("plot run --stage equilibrate").expect(0);
    assert!(place.read("run/report.html").contains("<h2>Answer</h2>"));
    let said = place.beadwork("resume run --quiet").expect(0);
    said.complains(&["report.html and ", " file(s) in plots, since", "`beadwork plot run` does"]);
    assert_eq!(place.beadwork("resume run --quiet").expect(0).stderr, "");
    // A page of a person stays.
    place.write("run/report.html", "<p>mine");
    place.beadwork("report run").expect(2).complains(&["run/report.html", "run/foreign-file"]);
    place.beadwork("resume run --quiet").expect(0);
    place.beadwork("plot run").expect(2).complains(&["run/foreign-file", "move it away"]);
    place.beadwork("plot run --figures force-time --format svg").expect(0);
    let place = place.with_plots();
    place.beadwork("resume run --quiet").expect(2).complains(&["run/foreign-file"]);
    assert_eq!(place.read("run/report.html"), "<p>mine");
}

/// A report takes neither the place of another run's nor one among a run's files.
#[test]
fn reports_of_other_runs_stay() {
    let place = Place::with_input(PULL);
    place.beadwork("run input.toml -o one --quiet --replicas 0..1").expect(0);
    place.beadwork("run input.toml -o two --quiet --replicas 1..3").expect(0);
    place.beadwork("report two").expect(0);
    let whole = place.read("two/report.html");
    for command in ["report one --output two/report.html", "report one two -o two/report.html"] {
        place.beadwork(command).expect(2).complains(&["is the report of another run"]);
    }
    let inside = "report one --output two/tables/report.html";
    place.beadwork(inside).expect(2).complains(&["among the files that the run in"]);
    place.beadwork("report one --output -").expect(2).complains(&["a file named -"]);
    assert_eq!(place.read("two/report.html"), whole);
    place.beadwork("report two --output two/report.html").expect(0);
}

#[test]
fn several_runs_have_one_page() {
    let place = Place::with_input(PULL);
    for (run, part) in [("one", "0..1"), ("two", "1..3")] {
        place.beadwork(&format!("run input.toml -o {run} --quiet --replicas {part}")).expect(0);
    }
    place.beadwork("report one two --output whole.html").expect(0);
    let whole = place.read("whole.html");
    assert!(whole.contains("3 members") && whole.contains("beadwork verify one two"));
    assert!(
        whole.contains("<h1>input</h1>"),
        "{}",
        whole.split("<main>").next().unwrap_or_default()
    );
    let digest = "<th scope=\"row\"><code>resolved.toml</code></th>";
    assert_eq!(whole.matches(digest).count(), 1);
    assert!(whole.contains("<dt>members</dt><dd>3</dd>"));
    assert_eq!(whole.matches("<span class=\"badge good\">finished</span></td>").count(), 3);
    place.beadwork("run input.toml -o other --quiet --set random.seed=7").expect(0);
    place.write("wells.toml", crate::oscillators::WELLS);
    place.beadwork("run wells.toml -o wells --quiet").expect(0);
    place.beadwork("report other one wells").expect(0);
    let page = place.read("report.html");
    for name in ["other", "one", "wells"] {
        assert!(page.contains(&format!("<h3>{name}</h3>")), "{name}");
    }
    assert!(page.contains("1 of 3 members") && page.contains("missing-replicas"));
    assert!(page.contains("<dt>members</dt><dd>1 of 3: 0</dd>"));
    place.beadwork("report one one").expect(2).complains(&["there twice"]);
}

/// A run that goes on has a page, which says how to go on.
#[test]
fn a_run_that_was_stopped_says_how_to_go_on() {
    let place = Place::with_input(PULL);
    place.interrupt("run", "--quiet --threads 1");
    place.beadwork("report run").expect(0);
    let page = place.read("run/report.html");
    for part in ["interrupted", "beadwork resume run", "unfinished"] {
        assert!(page.contains(part), "{part}");
    }
}
