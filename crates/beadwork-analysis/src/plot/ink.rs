//! Colours and areas that all parts of a drawing share.

use super::colour_scale::ColourScale;

/// Seven colours of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), and the wine of Paul Tol's muted scheme
/// (<https://personal.sron.nl/~pault/>) in place of their yellow, which is faint on white.
const PALETTE: [&str; COLOURS] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255"];
/// The colours that readers can tell apart without dashes.
pub const COLOURS: usize = 8;
const GREY: &str = "#8A8A8A";
/// Dashes of lines, after those without.
const DASHES: [&str; 4] = ["6 3", "2 2", "8 3 2 3", "12 4"];
/// The size of the labels of ticks.
pub(super) const TICK_SIZE: f64 = 12.0;

/// The colour of a series: one of eight that colour-blind readers can tell apart, then the same eight dashed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Colour {
    /// The next colour that no other automatic series has.
    #[default]
    Automatic,
    /// The colour of this number.
    Palette(usize),
    /// The colour of a value on the figure's scale of colours; grey without a scale.
    Value(f64),
    /// Grey, for background series.
    Grey,
}

/// An area, such as that between the axes, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// The colour of a series and the dashes of its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paint {
    pub colour: String,
    /// The attribute of the dashes; empty without.
    pub dashes: String,
}

impl Paint {
    /// A colour with dashes of some number; 0 leaves them to the colour.
    pub fn new(colour: Colour, dash: usize, scale: Option<&ColourScale>) -> Self {
        let (name, round) = match (colour, scale) {
            (Colour::Palette(number), _) => {
                (PALETTE[number % COLOURS].to_owned(), number / COLOURS % 3)
            }
            (Colour::Value(value), Some(scale)) => (scale.colour_of(value), 0),
            _ => (GREY.to_owned(), 0),
        };
        let dash = if dash == 0 { round } else { (dash - 1) % DASHES.len() + 1 };
        let dashes = match dash {
            0 => String::new(),
            dash => format!(" stroke-dasharray=\"{}\"", DASHES[dash - 1]),
        };
        Self { colour: name, dashes }
    }
}

/// Red, green and blue of the palette's colour with this number.
pub(crate) fn colour_of(number: usize) -> [u8; 3] {
    let hex = PALETTE[number % COLOURS];
    [1, 3, 5].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue as shares of light (IEC 61966-2-1).
    fn light(number: usize) -> [f64; 3] {
        colour_of(number).map(|part| match f64::from(part) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        })
    }

    /// Lightness and two differences of hue in CIE 1976 L*a*b* of light, with the white of D65.
    fn seen([r, g, b]: [f64; 3]) -> [f64; 3] {
        let part = |t: f64| {
            if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
        };
        let x = part((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
        let y = part(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
        let z = part((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Without one kind of cones, by Machado, Oliveira and Fernandes, IEEE Trans. Vis. Comput. Graph. 15, 1291 (2009), for
    /// all of the deficiency; the first reader has all cones.
    const READERS: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ];

    /// Yellow (#F0E442) differs by 10 from the lightness of white. A difference of about 2.3 between two colours is just seen
    /// where they touch; lines are thin and apart.
    #[test]
    fn all_readers_tell_colours_apart_and_see_them_on_white() {
        for reader in READERS {
            let of = |light: [f64; 3]| {
                let cones = reader.map(|row| (0..3).map(|at| row[at] * light[at]).sum::<f64>());
                seen(cones.map(|part| part.clamp(0.0, 1.0)))
            };
            let apart = |a: [f64; 3], b: [f64; 3]| {
                (0..3).map(|at| (a[at] - b[at]).powi(2)).sum::<f64>().sqrt()
            };
            let all: Vec<[f64; 3]> = (0..COLOURS).map(|number| of(light(number))).collect();
            for (number, colour) in all.iter().enumerate() {
                assert!(of([1.0; 3])[0] - colour[0] > 25.0, "{number} is faint: {colour:?}");
                for (other, second) in all.iter().enumerate().skip(number + 1) {
                    let distance = apart(*colour, *second);
                    assert!(distance > 15.0, "{number} and {other}: {distance}");
                }
            }
        }
    }

    #[test]
    fn dashes_are_those_of_the_series_or_of_the_round() {
        let dashes = |number, dash| Paint::new(Colour::Palette(number), dash, None).dashes;
        assert_eq!(dashes(0, 0), "");
        assert_eq!(dashes(9, 0), dashes(1, 1));
        assert!(dashes(9, 2) == dashes(1, 2) && dashes(1, 2) != dashes(1, 1));
    }
}
