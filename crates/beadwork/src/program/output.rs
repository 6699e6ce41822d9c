//! Output for people.

use beadwork::io::{RunFolder, refuse_tilde};
use beadwork::structure::visible;
use std::io::Write;
use std::path::Path;

pub use beadwork::analysis::numbers::grouped;
use serde::Serialize;

use super::failure::Failure;

/// Prints a text, with its characters made visible: names come from files. A closed pipe (`beadwork check … | head`) is no
/// error: its reader has read enough.
pub fn say(text: &str) -> Result<(), Failure> {
    let text = visible(text);
    let mut out = std::io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::machine(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a value as JSON. Characters that steer a terminal are written as escapes.
pub fn say_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value);
    say(&escaped(&text.map_err(|error| Failure::machine(error.to_string()))?))
}

/// JSON has such characters in texts alone, where an escape means the same.
fn escaped(json: &str) -> String {
    let shown = visible(json);
    let mut text = String::with_capacity(json.len());
    for (letter, shown) in json.chars().zip(shown.chars()) {
        match letter == shown {
            true => text.push(letter),
            false => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text
}

/// Prints a remark on standard error, with its characters made visible; a closed pipe is ignored.
pub fn remark(text: &str) {
    remark_as_is(&visible(text));
}

/// As [`remark`], of a text that may have the colours of a terminal and whose names are visible.
pub fn remark_as_is(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Refuses `-`, which other programs take for standard output, and says what to do instead.
pub fn refuse_dash(output: &Path, instead: &str) -> Result<(), Failure> {
    match output == Path::new("-") {
        true => Err(Failure::input(format!(
            "a file named - would be made: {instead}, or write ./- if it is meant"
        ))),
        false => Ok(()),
    }
}

/// Refuses the name of a new file that is taken, by a link that leads nowhere too.
pub fn refuse_existing(file: &Path) -> Result<(), Failure> {
    match file.symlink_metadata() {
        Ok(_) => Err(Failure::input(format!(
            "{} exists and is left as it is: choose another name",
            file.display()
        ))),
        Err(_) => Ok(()),
    }
}

/// Refuses `-` for an output that is never printed, a path that begins with `~`, and one among the files that a run keeps, such as
/// its trajectories.
pub fn refuse_place(output: &Path) -> Result<(), Failure> {
    refuse_dash(output, "give another name")?;
    refuse_tilde(output)?;
    match RunFolder::around(output) {
        Some(run) => Err(Failure::input(format!(
            "{} lies among the files that the run in {} keeps: give --output another place",
            output.display(),
            run.root().display()
        ))),
        None => Ok(()),
    }
}

/// Writes a text into a file that does not exist yet, in a folder that exists. Without a name of a file commands print such texts.
pub fn write_new(file: &Path, text: &str) -> Result<(), Failure> {
    refuse_dash(file, "leave the name out to print")?;
    refuse_tilde(file)?;
    refuse_existing(file)?;
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Failure::input(format!(
                "{} cannot be written: there is no folder {}; make it first",
                file.display(),
                folder.display()
            )))
        }
        _ => Ok(beadwork::io::atomic::write(file, text.as_bytes())?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_escapes_for_what_steers_a_terminal() {
        let json = serde_json::to_string("a\u{9b}\u{202e}\u{1b}\u{7f}\u{e0041}é").unwrap();
        let text = escaped(&json);
        assert_eq!(text, "\"a\\u009b\\u202e\\u001b\\u007f\\udb40\\udc41é\"");
        let back: String = serde_json::from_str(&text).unwrap();
        assert_eq!(back, "a\u{9b}\u{202e}\u{1b}\u{7f}\u{e0041}é");
    }
}
