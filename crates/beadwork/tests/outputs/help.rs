//! Help, completions and manual pages.

use crate::common::Place;

/// The subcommands.
const NAMES: [&str; 14] = [
    "new",
    "check",
    "run",
    "resume",
    "extend",
    "submit",
    "plot",
    "export",
    "import",
    "doctor",
    "random",
    "completions",
    "man",
    "schema",
];

#[test]
fn shells_complete_every_subcommand() {
    let place = Place::new();
    let help = place.beadwork("--help").expect(0).stdout;
    let shown = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let listed: Vec<&str> = shown
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(NAMES.iter().all(|name| listed.contains(name)), "{listed:?}");
    for (shell, beginning) in
        [("bash", "_beadwork() {"), ("zsh", "#compdef beadwork"), ("fish", "# Print an optspec")]
    {
        let script = place.beadwork(&format!("completions {shell}")).expect(0).stdout;
        assert!(script.starts_with(beginning), "{shell}: {}", &script[..200]);
        for name in &listed {
            assert!(script.contains(name), "{shell} does not know {name}");
        }
        for option in ["max-time", "replicas", "prominence"] {
            assert!(script.contains(option), "{shell} does not know --{option}");
        }
    }
    place.beadwork("completions tcsh").expect(2).complains(&["tcsh", "bash, elvish, fish"]);
    // Bash accepts the script, and completes a word with it.
    let test = "source <(\"$1\" completions bash) && COMP_WORDS=(beadwork ext) && COMP_CWORD=1 && _beadwork beadwork ext beadwork && echo \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", test, "bash", env!("CARGO_BIN_EXE_beadwork")]);
    let Ok(output) = bash.output() else {
        println!("skipped: no bash");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim(), "extend", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn help_has_examples() {
    let place = Place::new();
    let all = place.beadwork("--help").expect(0).stdout;
    for name in NAMES {
        assert!(all.contains(&format!("\n  {name} ")), "{all}");
        let help = place.beadwork(&format!("{name} --help")).expect(0).stdout;
        assert!(help.contains("Usage: beadwork"), "{help}");
        assert!(help.contains("Example"), "{help}");
        assert!(help.contains(&format!("\n  beadwork {name} ")), "{help}");
    }
    assert!(all.contains("Exit codes: 0 done, 2 bad input"), "{all}");
    let version = place.beadwork("--version").expect(0).stdout;
    assert_eq!(version.trim(), format!("beadwork {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    place.beadwork("man --output share/man1").expect(0).complains(&["pages into share/man1"]);
    let page = |name: &str| place.read(&format!("share/man1/{name}.1"));
    let all = page("beadwork");
    assert!(all.contains(".TH beadwork 1"), "{all}");
    for name in NAMES {
        assert!(all.contains(&format!("beadwork\\-{name}(1)")), "no {name} in {all}");
        let text = page(&format!("beadwork-{name}"));
        let uses = [".SH NAME", ".SH SYNOPSIS", "beadwork"];
        assert!(uses.iter().all(|part| text.contains(part)), "{text}");
    }
    // Subcommands of subcommands, and the examples behind the options.
    let certify = page("beadwork-random-certify");
    assert!(certify.contains("\\-\\-battery") && certify.contains("TestU01"), "{certify}");
    assert!(page("beadwork-plot").contains("Examples"), "no examples");
    // Pages of an earlier version are replaced.
    place.write("share/man1/beadwork-run.1", "old");
    place.beadwork("man --output share/man1").expect(0);
    assert!(page("beadwork-run").contains(".SH SYNOPSIS"));
    place.beadwork("man --output helix.pdb/pages").expect(2).complains(&["cannot be made"]);
    place.beadwork("man").expect(2).complains(&["--output"]);
}
