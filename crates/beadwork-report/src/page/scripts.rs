//! The style and the scripts of a page, and the policy that allows these and nothing else.

use std::io::Read as _;

use beadwork_session::Error;
use flate2::read::GzDecoder;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::packed::base64;

pub(super) const STYLE: &str = include_str!("assets/page.css");

/// Enlarges figures, searches members, opens what is closed before printing.
const PAGE: &str = include_str!("assets/page.js");
/// Moves beads.
const MOVING: &str = include_str!("assets/moving.js");
/// `build/3Dmol-min.js` of 3Dmol.js 2.5.5, packed.
const THREE_D_MOL: &[u8] = include_bytes!("assets/3Dmol-min.js.gz");
/// The licence of that, which asks to stand in what is passed on.
pub(super) const LICENCE: &str = include_str!("assets/3Dmol.txt");

/// A script of a page.
pub(super) enum Script {
    /// One that is run as it stands.
    Plain(&'static str),
    /// One that another unpacks before it is run.
    Packed { id: &'static str, bytes: &'static [u8], text: String },
}

impl Script {
    /// The element of the page that holds it.
    pub(super) fn element(&self) -> Markup {
        match self {
            Script::Plain(text) => html! { script { (PreEscaped(text)) } },
            Script::Packed { id, bytes, .. } => {
                html! { script type="application/gzip" id=(id) { (PreEscaped(base64(bytes))) } }
            }
        }
    }

    fn text(&self) -> &str {
        match self {
            Script::Plain(text) => text,
            Script::Packed { text, .. } => text,
        }
    }
}

/// The scripts of a page; those that move beads only on request. The one that unpacks another stands behind it.
pub(super) fn scripts(moves: bool) -> Result<Vec<Script>, Error> {
    let mut scripts = vec![Script::Plain(PAGE)];
    if moves {
        let mut text = String::new();
        GzDecoder::new(THREE_D_MOL).read_to_string(&mut text).map_err(|source| {
            beadwork_io::Error::Read { path: "3Dmol-min.js.gz".into(), source }
        })?;
        scripts.push(Script::Packed { id: "three-d-mol", bytes: THREE_D_MOL, text });
        scripts.push(Script::Plain(MOVING));
    }
    Ok(scripts)
}

/// The policy of a page: nothing is loaded; scripts run whose digest is listed, and pictures are those in the page.
pub(super) fn policy(scripts: &[Script]) -> String {
    let digest = |script: &Script| format!("'{}'", source_digest(script.text()));
    let digests: Vec<String> = scripts.iter().map(digest).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        digests.join(" ")
    )
}

/// The digest of a script as policies name it (W3C Content Security Policy Level 3, section 2.3.1).
fn source_digest(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of the npm package 3dmol 2.5.5 and no other.
    #[test]
    fn the_viewer_is_the_published_file() {
        let scripts = scripts(true).unwrap();
        let Script::Packed { text, .. } = &scripts[1] else { panic!("no viewer") };
        let digest: String =
            Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "f7cc78921ae72e7623e89cdd111434f58c2efddd2ffda1cd212644b406fb8016");
    }

    /// The digest of the empty text, as `openssl dgst -sha256 -binary /dev/null | base64` prints it.
    #[test]
    fn digests_are_in_base64() {
        assert_eq!(source_digest(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    /// A script that is not allowed would not run, and one that is not in the page would be allowed for nothing.
    #[test]
    fn the_policy_allows_the_scripts_of_the_page_alone() {
        for moves in [false, true] {
            let scripts = scripts(moves).unwrap();
            let policy = policy(&scripts);
            assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
            assert_eq!(policy.matches("'sha256-").count(), scripts.len());
            for script in scripts.iter().filter(|script| matches!(script, Script::Plain(_))) {
                let element = script.element().into_string();
                let text = element.strip_prefix("<script>").unwrap();
                let text = text.strip_suffix("</script>").unwrap();
                assert!(policy.contains(&source_digest(text)));
            }
        }
    }

    #[test]
    fn own_scripts_and_style_load_nothing() {
        for text in [PAGE, MOVING, STYLE] {
            for word in ["http", "url(", "@import", "fetch(", "import(", "XMLHttpRequest"] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }

    /// A text in a script ends at the first `</script`, and `<!--` changes how the rest is read.
    #[test]
    fn scripts_and_style_stay_whole_in_a_page() {
        for script in scripts(true).unwrap() {
            if let Script::Plain(text) = script {
                assert!(!text.contains("</script") && !text.contains("<!--"));
            }
        }
        assert!(!STYLE.contains("</"));
    }
}
