//! Colours and areas that all parts of a drawing share.

/// Names and values of the colours of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), the
/// yellow last because it is faint on white.
const PALETTE: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"];
const GREY: &str = "#8A8A8A";
/// The size of the labels of ticks.
pub(super) const TICK_SIZE: f64 = 12.0;

/// The colour of a series: one of eight that colour-blind readers can tell apart (Okabe and Ito,
/// 2008), then the same eight dashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The next colour that no other automatic series has.
    #[default]
    Automatic,
    /// The colour of this number.
    Palette(usize),
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
    pub colour: &'static str,
    pub dashes: &'static str,
}

impl Paint {
    pub fn new(colour: Colour) -> Self {
        let Colour::Palette(number) = colour else { return Self { colour: GREY, dashes: "" } };
        let dashes = match number / PALETTE.len() % 3 {
            0 => "",
            1 => " stroke-dasharray=\"6 3\"",
            _ => " stroke-dasharray=\"2 2\"",
        };
        Self { colour: PALETTE[number % PALETTE.len()], dashes }
    }
}

/// Red, green and blue of the palette's colour with this number.
pub(crate) fn colour_of(number: usize) -> [u8; 3] {
    let hex = PALETTE[number % PALETTE.len()];
    [1, 3, 5].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or(0))
}
