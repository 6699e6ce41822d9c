//! Pictures of beads: shaded spheres, bonds and the box, as PNG.
//!
//! The projection is parallel, so that sizes can be compared, and what is far fades into the white of the page.

mod legend;
mod rendering;
mod smaller;

use crate::Error;
use crate::plot;

pub use smaller::half_size;

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// The centre of the sphere.
    pub position: [f64; 3],
    /// Its radius.
    pub radius: f64,
    /// The number of its colour, as in plots.
    pub colour: usize,
}

/// A straight stick between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stick {
    /// Its ends.
    pub ends: [[f64; 3]; 2],
    /// Its radius.
    pub radius: f64,
    /// The number of its colour; grey if there is none.
    pub colour: Option<usize>,
}

/// The outline of a sphere that is not drawn itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outline {
    /// The centre of the sphere.
    pub centre: [f64; 3],
    /// The radius of the sphere.
    pub radius: f64,
}

/// What is in a picture, all lengths in one unit.
///
/// ```
/// use beadwork_analysis::picture::{Ball, Scene};
///
/// let ball = |x: f64| Ball { position: [x, 0.5, 0.5], radius: 0.2, colour: 0 };
/// let scene = Scene {
///     balls: vec![ball(0.25), ball(0.75)],
///     sides: Some([1.0; 3]),
///     names: vec![("A".to_string(), 0)],
///     ..Scene::default()
/// };
/// assert!(scene.to_png()?.starts_with(b"\x89PNG"));
/// # Ok::<(), beadwork_analysis::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The spheres.
    pub balls: Vec<Ball>,
    /// The sticks.
    pub sticks: Vec<Stick>,
    /// Circles over all else. The picture shows at least the side of each that faces the beads.
    pub outlines: Vec<Outline>,
    /// How long a unit of the scale bar is, and its symbol, which may be empty. Without one there is no bar.
    pub unit: Option<(f64, String)>,
    /// The sides of a box from 0, whose edges are drawn.
    pub sides: Option<[f64; 3]>,
    /// The direction of a cross-section. What lies before the plane through the middle is cut away, and the picture is seen
    /// from there along this direction. Without one, all is seen from a corner.
    pub section: Option<[f64; 3]>,
    /// Red, green and blue of the colours by their numbers; numbers beyond have the colours of plots.
    pub colours: Vec<[u8; 3]>,
    /// Names and numbers of colours in the legend.
    pub names: Vec<(String, usize)>,
    /// A line below the picture.
    pub caption: String,
}

/// The width and height of the picture without its legend, pixels.
const SIZE: usize = 1000;
/// How much of an outline is seen at least, in sizes of what is drawn.
const OF_OUTLINES: f64 = 0.2;
/// The direction from which scenes without a section are seen: from the front, a little from the right and from above.
const VIEW: [f64; 3] = [0.42, -0.84, 0.34];

/// Directions of length 1: to the right, up, and to the viewer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct View {
    axes: [[f64; 3]; 3],
    /// The point in the middle of the picture.
    centre: [f64; 3],
}

impl View {
    fn new(toward: [f64; 3], centre: [f64; 3]) -> View {
        let toward = unit(toward);
        // Up is z, or y where one looks along z.
        let upright = if toward[2].abs() > 0.9 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let right = unit(cross(upright, toward));
        View { axes: [right, cross(toward, right), toward], centre }
    }

    /// To the right, up and to the viewer from the middle.
    fn seen(&self, position: [f64; 3]) -> [f64; 3] {
        let from = [0, 1, 2].map(|axis| position[axis] - self.centre[axis]);
        self.axes.map(|axis| axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2])
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    vector.map(|x| x / length)
}

impl Scene {
    /// The picture as PNG. The same scene gives the same bytes on any number of threads.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let corners = self.corners();
        let centre = [0, 1, 2].map(|axis| 0.5 * (corners[0][axis] + corners[1][axis]));
        let view = View::new(self.section.unwrap_or(VIEW), centre);
        // The whole box fits, with a margin.
        let reach = (0..8)
            .map(|corner| [0, 1, 2].map(|axis| corners[corner >> axis & 1][axis]))
            .flat_map(|corner| view.seen(corner).into_iter().take(2))
            .fold(f64::MIN_POSITIVE, |reach, x| reach.max(x.abs()));
        // Beads on the faces of a box reach beyond it.
        let beyond = self.balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        let reach = 1.04 * reach + beyond;
        let image = rendering::image(self, &view, reach, SIZE);
        let scale = SIZE as f64 / (2.0 * reach);
        plot::png_under(&image, SIZE, &legend::svg(self, &view, scale, SIZE), "picture")
    }

    /// Red, green and blue of the colour with a number.
    fn colour(&self, number: usize) -> [u8; 3] {
        self.colours.get(number).copied().unwrap_or_else(|| plot::colour_of(number))
    }

    /// The lowest and the highest corner of the box, or of what is drawn.
    fn corners(&self) -> [[f64; 3]; 2] {
        if let Some(sides) = self.sides {
            return [[0.0; 3], sides];
        }
        let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for Ball { position, radius, .. } in &self.balls {
            low = [0, 1, 2].map(|axis| low[axis].min(position[axis] - radius));
            high = [0, 1, 2].map(|axis| high[axis].max(position[axis] + radius));
        }
        if self.balls.is_empty() {
            return [[0.0; 3], [1.0; 3]];
        }
        let middle = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
        for Outline { centre, radius } in &self.outlines {
            let across = [0, 1, 2].map(|axis| middle[axis] - centre[axis]);
            if across == [0.0; 3] {
                continue;
            }
            let toward = unit(across);
            // The point next to the beads, and one farther in.
            for from in [*radius, radius - (2.0 * radius).min(OF_OUTLINES * size)] {
                let point = [0, 1, 2].map(|axis| centre[axis] + from * toward[axis]);
                low = [0, 1, 2].map(|axis| low[axis].min(point[axis]));
                high = [0, 1, 2].map(|axis| high[axis].max(point[axis]));
            }
        }
        [low, high]
    }

    /// The sticks of the bonds and of the edges of the box.
    fn all_sticks(&self, pixel: f64) -> Vec<Stick> {
        let mut sticks = self.sticks.clone();
        let Some(sides) = self.sides else { return sticks };
        for axis in 0..3 {
            for corner in 0..4 {
                let mut ends = [[0.0; 3]; 2];
                let others = [(axis + 1) % 3, (axis + 2) % 3];
                for (bit, other) in others.into_iter().enumerate() {
                    let place = if corner >> bit & 1 == 1 { sides[other] } else { 0.0 };
                    ends.iter_mut().for_each(|end| end[other] = place);
                }
                ends[1][axis] = sides[axis];
                sticks.push(Stick { ends, radius: 1.2 * pixel, colour: None });
            }
        }
        sticks
    }
}
