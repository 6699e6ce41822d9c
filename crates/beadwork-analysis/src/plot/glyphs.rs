//! Text as outlines of the fonts inside the program: a figure looks the same where none of them is installed.

use std::fmt::Write as _;
use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::text::escape;

/// The size of letters in units of an outline, which are whole numbers.
const UNITS: f64 = 1000.0;
/// The size of raised and lowered characters, and how far these go up, in sizes of letters.
const SMALL: f64 = 0.66;
const RAISED: f64 = 0.36;
const LOWERED: f64 = -0.16;

/// The fonts: one for text, one for the few characters that the first lacks.
fn faces() -> &'static [Face<'static>] {
    static FACES: OnceLock<Vec<Face<'static>>> = OnceLock::new();
    FACES.get_or_init(|| {
        let files = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];
        files.into_iter().filter_map(|file| Face::parse(file, 0).ok()).collect()
    })
}

/// A character of a font, or a box where no font has it.
struct Glyph {
    face: &'static Face<'static>,
    id: GlyphId,
    /// The size and how far it goes up, in sizes of letters.
    size: f64,
    raised: f64,
}

impl Glyph {
    fn of(character: char) -> Option<Glyph> {
        let (plain, size, raised) = plain(character);
        let found = |face: &'static Face<'static>| Some((face, face.glyph_index(plain)?));
        let first = || faces().first().map(|face| (face, GlyphId(0)));
        let (face, id) = faces().iter().find_map(found).or_else(first)?;
        Some(Glyph { face, id, size, raised })
    }

    /// The units of an outline in one of the font.
    fn scale(&self) -> f64 {
        self.size * UNITS / f64::from(self.face.units_per_em())
    }

    /// How far the next character is, in units of an outline.
    fn advance(&self) -> f64 {
        f64::from(self.face.glyph_hor_advance(self.id).unwrap_or(0)) * self.scale()
    }
}

/// The character that is drawn for one, its size, and how far it goes up. Fonts have few raised characters, and those of different
/// fonts do not match, so these are small ones of the usual kind.
fn plain(character: char) -> (char, f64, f64) {
    let digit = |zero: u32| char::from_digit(character as u32 - zero, 10).unwrap_or(character);
    match character {
        '¹' => ('1', SMALL, RAISED),
        '²' => ('2', SMALL, RAISED),
        '³' => ('3', SMALL, RAISED),
        '⁰' | '⁴'..='⁹' => (digit(0x2070), SMALL, RAISED),
        '⁺' => ('+', SMALL, RAISED),
        '⁻' => ('−', SMALL, RAISED),
        'ⁿ' => ('n', SMALL, RAISED),
        '₀'..='₉' => (digit(0x2080), SMALL, LOWERED),
        '₊' => ('+', SMALL, LOWERED),
        '₋' => ('−', SMALL, LOWERED),
        other if other.is_whitespace() => (' ', 1.0, 0.0),
        other => match lowered(other) {
            Some(letter) => (letter, SMALL, LOWERED),
            None => (other, 1.0, 0.0),
        },
    }
}

/// The letter of a subscript of Unicode, which has no others.
fn lowered(subscript: char) -> Option<char> {
    const SUBSCRIPTS: &str = "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ";
    const LETTERS: &str = "aehijklmnoprstuvxβγρφχ";
    SUBSCRIPTS.chars().zip(LETTERS.chars()).find_map(|(from, to)| (from == subscript).then_some(to))
}

fn glyphs(text: &str) -> impl Iterator<Item = Glyph> {
    let shown =
        text.chars().filter(|character| character.is_whitespace() || !character.is_control());
    shown.filter_map(Glyph::of)
}

/// The width of a text at this size of letters.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    glyphs(text).map(|glyph| glyph.advance()).sum::<f64>() * size / UNITS
}

/// Which part of a text is at the point where it is drawn.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Draws a text, whose letters stand on the height `y`.
pub(crate) fn draw_text(svg: &mut String, at: (f64, f64), size: f64, anchor: Anchor, text: &str) {
    draw(svg, at, "", size, anchor, text);
}

/// Draws a text that goes upwards, with its middle at a point.
pub(super) fn draw_text_upwards(svg: &mut String, at: (f64, f64), size: f64, text: &str) {
    draw(svg, at, " rotate(-90)", size, Anchor::Middle, text);
}

fn draw(svg: &mut String, (x, y): (f64, f64), turn: &str, size: f64, anchor: Anchor, text: &str) {
    let mut outline = Outline::default();
    for glyph in glyphs(text) {
        outline.scale = glyph.scale();
        outline.up = glyph.raised * UNITS;
        glyph.face.outline_glyph(glyph.id, &mut outline);
        outline.across += glyph.advance();
    }
    let shift = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * outline.across,
        Anchor::End => -outline.across,
    };
    let (path, scale) = (outline.path, size / UNITS);
    let _ = writeln!(
        svg,
        r#"<path transform="translate({x:.1} {y:.1}){turn} scale({scale}) translate({shift:.0} 0)" d="{path}"><title>{}</title></path>"#,
        escape(text)
    );
}

/// Collects outlines as the path of an SVG, in which heights go down.
#[derive(Default)]
struct Outline {
    path: String,
    across: f64,
    up: f64,
    scale: f64,
}

impl Outline {
    fn add(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (number, (x, y)) in points.iter().enumerate() {
            let space = if number > 0 { " " } else { "" };
            let (x, y) =
                (self.across + f64::from(*x) * self.scale, self.up + f64::from(*y) * self.scale);
            let _ = write!(self.path, "{space}{:.0} {:.0}", x, 0.0 - y);
        }
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_have_the_characters_of_figures() {
        for character in "azAZ09.,:;()[]/%+−-–×·±≤≥≈→∞√ÅµμαβγδεηλρστφχωΔΓΣΩ⟨⟩°′".chars()
        {
            let glyph = Glyph::of(character).unwrap();
            assert_ne!(glyph.id, GlyphId(0), "{character} is in no font");
        }
    }

    #[test]
    fn raised_characters_are_small_and_of_one_font() {
        let of_one_font =
            glyphs("nm⁻¹⁰²³⁴").all(|glyph| std::ptr::eq(glyph.face, &raw const faces()[0]));
        assert!(of_one_font);
        assert!((width("⁴", 12.0) - SMALL * width("4", 12.0)).abs() < 1e-9);
        let mut svg = String::new();
        draw_text(&mut svg, (0.0, 0.0), 12.0, Anchor::Start, "¹");
        let heights =
            svg.split(['M', 'L', 'Q', ' ', '"', 'Z']).filter_map(|word| word.parse::<f64>().ok());
        assert!(heights.fold(0.0, f64::min) < -700.0, "{svg}");
    }

    #[test]
    fn lowered_characters_are_small_and_below_the_line() {
        for (subscript, letter) in ["ₑe", "ₓx", "ᵢi", "₋−", "₂2", "ᵪχ"].map(|pair| {
            let mut both = pair.chars();
            (both.next().unwrap(), both.next().unwrap())
        }) {
            let (drawn, size, raised) = plain(subscript);
            assert_eq!(drawn, letter);
            assert!(size < 1.0 && raised < 0.0, "{subscript}");
            assert_ne!(Glyph::of(subscript).unwrap().id, GlyphId(0), "{subscript}");
        }
        assert_eq!(plain('e'), ('e', 1.0, 0.0));
    }

    #[test]
    fn a_text_begins_where_its_anchor_says() {
        let drawn = |anchor| {
            let mut svg = String::new();
            draw_text(&mut svg, (10.0, 20.0), 10.0, anchor, "a<b");
            svg
        };
        assert!(drawn(Anchor::Start).contains("translate(10.0 20.0) scale(0.01) translate(0 0)"));
        let half = format!("translate(-{:.0} 0)", 0.5 * 100.0 * width("a<b", 10.0));
        assert!(drawn(Anchor::Middle).contains(&half), "{half}");
        assert!(drawn(Anchor::End).contains("<title>a&lt;b</title>"));
    }
}
