//! Maps values to pixels; chooses ranges, ticks and their labels.

use super::axis::Axis;
use super::glyphs::width;
use super::ink::TICK_SIZE;
use crate::numbers::{rounded, unsigned_zero};

/// The least space between the labels of two ticks of a logarithmic axis, pixels.
const LABEL_GAP: f64 = 6.0;
/// A logarithmic axis with fewer labels at 1, 2 and 5 times powers of ten has the ticks of a linear one.
const FEWEST_LABELS: usize = 3;

/// A position on an axis with a grid line; a tick without a label is a minor one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: Option<String>,
}

/// An axis with its ends in units of the data and in pixels.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
    pub start_pixel: f64,
    pub end_pixel: f64,
    pub ticks: Vec<Tick>,
    /// The power of ten that multiplies all labels.
    pub power: i32,
}

/// The range of the data along an axis, and the space around them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
    /// Whether the axis ends exactly at zero when the data come close to it from above.
    pub touches_zero: bool,
    /// Space beyond the data at each end, as a part of their range.
    pub margin: f64,
}

impl Scale {
    /// Builds the axis; `pixels_per_tick` is about the least distance of two labels.
    pub fn new(axis: &Axis, extent: Extent, pixels: (f64, f64), pixels_per_tick: f64) -> Self {
        let chosen = axis.range.filter(|range| axis.takes(*range));
        let (low, high) = chosen.unwrap_or_else(|| match axis.logarithmic {
            true => logarithmic_range(extent),
            false => linear_range(extent),
        });
        let most = ((pixels.1 - pixels.0).abs() / pixels_per_tick).max(2.0);
        let most = if axis.whole_numbers { most.min((high - low).max(1.0)) } else { most };
        let (ticks, power) = match axis.logarithmic {
            true => (logarithmic_ticks(low, high, most), 0),
            false => linear_ticks(low, high, most),
        };
        let mut scale = Self {
            low,
            high,
            logarithmic: axis.logarithmic,
            start_pixel: pixels.0,
            end_pixel: pixels.1,
            ticks,
            power,
        };
        if axis.logarithmic {
            scale.part_labels(pixels_per_tick);
        }
        scale
    }

    /// Leaves out labels that would run into the one before. Labels so many pixels apart do not.
    fn part_labels(&mut self, enough: f64) {
        let pixels: Vec<f64> = self.ticks.iter().map(|tick| self.pixel(tick.value)).collect();
        // Where the last label is, and how wide.
        let mut last: Option<(f64, f64)> = None;
        for (tick, pixel) in self.ticks.iter_mut().zip(pixels) {
            let Some(label) = &tick.label else { continue };
            let own = width(label, TICK_SIZE);
            let collides = last.is_some_and(|(before, other)| {
                (pixel - before).abs() < enough.min(0.5 * (own + other) + LABEL_GAP)
            });
            if collides {
                tick.label = None;
            } else {
                last = Some((pixel, own));
            }
        }
    }

    /// This axis, so many pixels farther right or down.
    pub fn moved(&self, pixels: f64) -> Self {
        let (start_pixel, end_pixel) = (self.start_pixel + pixels, self.end_pixel + pixels);
        Self { start_pixel, end_pixel, ..self.clone() }
    }

    /// What multiplies all labels, `×10³`; empty for 1.
    pub fn factor(&self) -> String {
        if self.power == 0 { String::new() } else { format!("×{}", power_of_ten(self.power)) }
    }

    /// The label of any value, with three digits.
    pub fn label_of(&self, value: f64) -> String {
        let value = value / 10f64.powi(self.power);
        if !self.logarithmic || (1e-3..1e5).contains(&value) {
            return signed(rounded(value, 3));
        }
        let power = (value.log10() + 1e-9).floor() as i32;
        match rounded(value / 10f64.powi(power), 2).as_str() {
            "1" => power_of_ten(power),
            mantissa => format!("{mantissa}×{}", power_of_ten(power)),
        }
    }

    /// The pixel of a value.
    pub fn pixel(&self, value: f64) -> f64 {
        let part = match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        // Positions far outside the plot are clamped: they are invisible, and rasterisers fail on huge numbers.
        self.start_pixel + (self.end_pixel - self.start_pixel) * part.clamp(-20.0, 20.0)
    }
}

fn linear_range(extent: Extent) -> (f64, f64) {
    let Extent { mut low, mut high, touches_zero, margin } = extent;
    let size = low.abs().max(high.abs());
    if high - low <= 1e-11 * size || high - low < 1e-290 {
        // Constant data get a range that has them in the middle.
        let half = if size > 1e-290 { 0.05 * size } else { 1.0 };
        return (low - half, high + half);
    }
    let space = margin * (high - low);
    let close = touches_zero && low >= 0.0 && low < 0.4 * high;
    low = if close { 0.0 } else { low - space };
    high += space;
    (low, high)
}

fn logarithmic_range(extent: Extent) -> (f64, f64) {
    let (low, high) = (extent.low.max(1e-290), extent.high.max(1e-290));
    let factor = (high / low).powf(extent.margin);
    let factor = if factor < 1.000_001 { 2.0 } else { factor };
    (low / factor, high * factor)
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, most: f64) -> (Vec<Tick>, i32) {
    let least_step = (high - low) / most;
    let mut exponent = least_step.log10().floor() as i32;
    let mantissa = match least_step / 10f64.powi(exponent) {
        rest if rest <= 1.0 => 1,
        rest if rest <= 2.0 => 2,
        rest if rest <= 5.0 => 5,
        _ => {
            exponent += 1;
            1
        }
    };
    let step = f64::from(mantissa) * 10f64.powi(exponent);
    let first = (low / step - 1e-6).ceil() as i64;
    let last = (high / step + 1e-6).floor() as i64;

    let largest = first.unsigned_abs().max(last.unsigned_abs()) as f64 * step;
    let mut power = 0;
    // Where zero is the only tick there is no power to take out.
    if largest > 0.0 && !(0.02..1e5).contains(&largest) {
        let factored = (largest.log10() + 1e-9).div_euclid(3.0) as i32 * 3;
        // Large values in a narrow range need all their digits with or without a factor.
        if factored - exponent <= 4 {
            power = factored;
        }
    }
    let decimals = (power - exponent).max(0) as usize;
    let ticks = (first..=last)
        .map(|multiple| {
            let value = multiple as f64 * step;
            let shown = (multiple * i64::from(mantissa)) as f64 * 10f64.powi(exponent - power);
            Tick { value, label: Some(signed(format!("{shown:.decimals$}"))) }
        })
        .collect();
    (ticks, power)
}

fn logarithmic_ticks(low: f64, high: f64, most: f64) -> Vec<Tick> {
    let first = (low.log10() - 1e-9).ceil() as i32;
    let last = (high.log10() + 1e-9).floor() as i32;
    let decades = last - first + 1;
    if decades < 2 {
        let ticks = ticks_within_decades(low, high);
        if ticks.iter().filter(|tick| tick.label.is_some()).count() >= FEWEST_LABELS {
            return ticks;
        }
        let (mut ticks, power) = linear_ticks(low, high, most);
        for tick in &mut ticks {
            if let (Some(label), true) = (&mut tick.label, power != 0) {
                label.push_str(&format!("×{}", power_of_ten(power)));
            }
        }
        return ticks.into_iter().filter(|tick| tick.value > 0.0).collect();
    }
    let stride = (f64::from(decades) / most).ceil().max(1.0) as i32;
    // An axis has plain numbers or powers, never both.
    let plain = first >= -2 && last <= 4;
    let mut ticks = Vec::new();
    for exponent in first - 1..=last {
        let decade = 10f64.powi(exponent);
        if exponent >= first {
            let label = (exponent.rem_euclid(stride) == 0).then(|| match exponent {
                2.. | ..=-1 if !plain => power_of_ten(exponent),
                _ => format!("{decade:.*}", (-exponent).max(0) as usize),
            });
            ticks.push(Tick { value: decade, label });
        }
        if stride == 1 {
            for mantissa in 2..10 {
                let value = f64::from(mantissa) * decade;
                if (low..=high).contains(&value) {
                    ticks.push(Tick { value, label: None });
                }
            }
        }
    }
    ticks
}

/// All digits times powers of ten, with labels at 1, 2 and 5.
fn ticks_within_decades(low: f64, high: f64) -> Vec<Tick> {
    // An axis has plain numbers or powers, never both.
    let plain = low >= 1e-2 && high < 1e5;
    let mut ticks = Vec::new();
    let [first, last] = [low, high].map(|end| end.log10().floor() as i32);
    for exponent in first..=last {
        let power = power_of_ten(exponent);
        for mantissa in 1..10 {
            let value = f64::from(mantissa) * 10f64.powi(exponent);
            if !(low..=high).contains(&value) {
                continue;
            }
            let label = [1, 2, 5].contains(&mantissa).then(|| match mantissa {
                _ if plain => format!("{value:.*}", (-exponent).max(0) as usize),
                1 => power.clone(),
                _ => format!("{mantissa}×{power}"),
            });
            ticks.push(Tick { value, label });
        }
    }
    ticks
}

pub(super) fn power_of_ten(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |character: char| character.to_digit(10).map_or('⁻', |n| RAISED[n as usize]);
    let raised: String = exponent.to_string().chars().map(raise).collect();
    format!("10{raised}")
}

/// A number with a proper minus sign, and none before zero.
fn signed(number: String) -> String {
    let number = unsigned_zero(number);
    match number.strip_prefix('-') {
        Some(rest) => format!("−{rest}"),
        None => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, logarithmic: bool) -> (Vec<String>, i32) {
        let axis = Axis { range: Some((low, high)), logarithmic, ..Axis::default() };
        let extent = Extent { low, high, touches_zero: false, margin: 0.0 };
        let scale = Scale::new(&axis, extent, (0.0, 500.0), 70.0);
        let labels = scale.ticks.iter().filter_map(|tick| tick.label.clone()).collect();
        (labels, scale.power)
    }

    #[test]
    fn a_short_axis_may_have_zero_alone() {
        assert_eq!(linear_ticks(-1.0, 1.0, 0.9).0.len(), 1);
        assert_eq!(linear_ticks(-3e-7, 4e-7, 0.5).1, 0);
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(0.0, 12.3, false).0, ["0", "2", "4", "6", "8", "10", "12"]);
        assert_eq!(labels(-0.7, 0.4, false).0, ["−0.6", "−0.4", "−0.2", "0.0", "0.2", "0.4"]);
        assert_eq!(labels(100.0, 104.0, false).0, ["100", "101", "102", "103", "104"]);
    }

    #[test]
    fn very_large_and_small_numbers_share_a_power_of_ten() {
        assert_eq!(
            labels(0.0, 3e6, false),
            (["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"].map(String::from).into(), 6)
        );
        assert_eq!(
            labels(0.0, 6e-9, false),
            (["0", "1", "2", "3", "4", "5", "6"].map(String::from).into(), -9)
        );
        // A narrow range far from zero keeps its digits.
        assert_eq!(labels(1e9, 1e9 + 2.0, false).0[1], "1000000000.5");
    }

    #[test]
    fn logarithmic_ticks_are_decades() {
        assert_eq!(labels(0.01, 1e6, true).0, ["10⁻²", "1", "10²", "10⁴", "10⁶"]);
        assert_eq!(
            labels(0.01, 10_000.0, true).0,
            ["0.01", "0.1", "1", "10", "100", "1000", "10000"]
        );
        assert_eq!(labels(1.0, 1000.0, true).0, ["1", "10", "100", "1000"]);
        assert_eq!(labels(2.0, 6.0, true).0, ["2", "3", "4", "5", "6"]);
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }

    #[test]
    fn short_logarithmic_axes_have_labels_at_1_2_and_5() {
        assert_eq!(labels(4.5e6, 4.4e7, true).0, ["5×10⁶", "10⁷", "2×10⁷"]);
        assert_eq!(labels(0.3, 7.0, true).0, ["0.5", "1", "2", "5"]);
        assert_eq!(labels(5.5e6, 9.5e6, true).0, ["6×10⁶", "7×10⁶", "8×10⁶", "9×10⁶"]);
        // Ticks come nearer to each other, and some labels have no room.
        let axis = Axis { range: Some((1.1e6, 9.9e6)), logarithmic: true, ..Axis::default() };
        let extent = Extent { low: 1.1e6, high: 9.9e6, touches_zero: false, margin: 0.0 };
        let scale = Scale::new(&axis, extent, (0.0, 200.0), 40.0);
        let labelled: Vec<&Tick> = scale.ticks.iter().filter(|tick| tick.label.is_some()).collect();
        for two in labelled.windows(2) {
            let apart = scale.pixel(two[1].value) - scale.pixel(two[0].value);
            let text = two[0].label.as_deref().unwrap();
            assert!(apart > width(text, TICK_SIZE), "{labelled:?}");
        }
    }

    #[test]
    fn constant_data_lie_in_the_middle() {
        for value in [0.0, 5.0, -3e200, 1e-200] {
            let extent = Extent { low: value, high: value, touches_zero: true, margin: 0.05 };
            for logarithmic in [false, true] {
                if logarithmic && value <= 0.0 {
                    continue;
                }
                let axis = Axis { logarithmic, ..Axis::default() };
                let scale = Scale::new(&axis, extent, (0.0, 100.0), 20.0);
                assert!((scale.pixel(value) - 50.0).abs() < 1e-6, "{value} {logarithmic}");
                assert!(!scale.ticks.is_empty() && scale.ticks.len() < 20);
            }
        }
    }

    #[test]
    fn ranges_that_make_no_axis_fit_the_data() {
        let extent = Extent { low: 0.0, high: 10.0, touches_zero: true, margin: 0.1 };
        for range in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            let axis = Axis { range: Some(range), ..Axis::default() };
            let scale = Scale::new(&axis, extent, (0.0, 100.0), 20.0);
            assert_eq!((scale.low, scale.high), (0.0, 11.0));
        }
    }
}
