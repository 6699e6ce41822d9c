//! Draws spheres and sticks into an image with a buffer of depths.
//!
//! Each pixel keeps what is nearest, and colours are computed once for what is seen, so that hidden beads cost a comparison for
//! each of their pixels. Bands of rows are drawn in parallel.

use rayon::prelude::*;

use super::{Scene, Stick, View};

/// Points of the finer grid on which a pixel is the mean of, along each side.
const FINER: usize = 2;
/// Rows of the finer grid that a thread draws at a time.
const ROWS: usize = 50;
/// The direction to the light, from the upper left: right, up, to the viewer.
const LIGHT: [f64; 3] = [-0.42, 0.51, 0.75];
/// The part of light that comes from everywhere.
const AMBIENT: f64 = 0.42;
/// The part of white in the colour of what is farthest.
const MOST_FADED: f64 = 0.6;
/// Colours of what has none.
const GREY: [u8; 3] = [0x6B; 3];
const WHITE: f64 = 255.0;

/// A sphere, or a stick between two points, in points of the finer grid: right, down, to the viewer.
#[derive(Clone, Copy, Debug)]
struct Body {
    ends: [[f32; 3]; 2],
    radius: f32,
    colour: [u8; 3],
}

/// What is seen at a point: its depth and the number of its body.
type Seen = (f32, u32);
const NOTHING: Seen = (f32::NEG_INFINITY, u32::MAX);

/// The picture in red, green and blue, `size` rows of `size` pixels; `reach` is the distance from the middle to an edge.
pub(super) fn image(scene: &Scene, view: &View, reach: f64, size: usize) -> Vec<u8> {
    let width = size * FINER;
    let scale = width as f64 / (2.0 * reach);
    let bodies = bodies(scene, view, scale, width);
    let depths = bodies.iter().flat_map(|body| body.ends.map(|end| end[2]));
    let (far, near) =
        depths.fold((f32::INFINITY, f32::NEG_INFINITY), |(far, near), z| (far.min(z), near.max(z)));
    // Edges of the box may reach beyond the plane of a section.
    let near = if scene.section.is_some() { near.min(0.0) } else { near };
    let bands = width.div_ceil(ROWS);
    let mut of_bands: Vec<Vec<u32>> = vec![Vec::new(); bands];
    for (number, body) in bodies.iter().enumerate() {
        let [top, bottom] = body.rows();
        if bottom >= 0.0 && (top as usize) < width {
            let last = (bottom as usize / ROWS).min(bands - 1);
            let band = top.max(0.0) as usize / ROWS..=last;
            of_bands[band].iter_mut().for_each(|band| band.push(number as u32));
        }
    }
    let draw = |(band, numbers): (usize, &Vec<u32>)| {
        let first = band * ROWS;
        let mut seen = vec![NOTHING; ROWS.min(width - first) * width];
        for &number in numbers {
            bodies[number as usize].draw(number, first, width, &mut seen);
        }
        let rows = seen.chunks_exact(FINER * width).enumerate();
        let colour = |(row, seen): (usize, &[Seen])| -> Vec<u8> {
            let pixel = |column: usize| {
                let mut sum = [0.0; 3];
                for point in 0..FINER * FINER {
                    let (x, y) = (column * FINER + point % FINER, point / FINER);
                    let (depth, number) = seen[y * width + x];
                    let colour = bodies.get(number as usize).map_or([WHITE; 3], |body| {
                        let at = [x as f32 + 0.5, (first + row * FINER + y) as f32 + 0.5, depth];
                        let faded = (near - depth) / (near - far).max(1e-3);
                        body.shade(at, f64::from(faded))
                    });
                    sum.iter_mut().zip(colour).for_each(|(sum, part)| *sum += part);
                }
                sum.map(|sum| (sum / (FINER * FINER) as f64).round() as u8)
            };
            (0..size).flat_map(pixel).collect()
        };
        rows.flat_map(colour).collect::<Vec<u8>>()
    };
    of_bands.par_iter().enumerate().map(draw).collect::<Vec<_>>().concat()
}

/// What is in the picture. A section leaves out all whose middle is before the plane.
fn bodies(scene: &Scene, view: &View, scale: f64, width: usize) -> Vec<Body> {
    let middle = 0.5 * width as f64;
    let place = |position: [f64; 3]| {
        let [right, up, near] = view.seen(position);
        [middle + scale * right, middle - scale * up, scale * near].map(|x| x as f32)
    };
    let is_behind = |body: &Body| body.ends[0][2] + body.ends[1][2] <= 0.0;
    let is_shown = |body: &Body| scene.section.is_none() || is_behind(body);
    // No bond hangs in front of the plane from a bead that is cut away.
    let is_whole = |(body, stick): &(Body, &Stick)| {
        let is_behind = |end: &[f32; 3]| end[2] <= 0.0;
        scene.section.is_none() || stick.colour.is_none() || body.ends.iter().all(is_behind)
    };
    let balls = scene.balls.iter().map(|ball| Body {
        ends: [place(ball.position); 2],
        radius: (scale * ball.radius) as f32,
        colour: scene.colour(ball.colour),
    });
    let sticks = scene.all_sticks(1.0 / scale);
    let sticks = sticks.iter().map(|stick| {
        let body = Body {
            ends: stick.ends.map(place),
            radius: (scale * stick.radius) as f32,
            colour: stick.colour.map_or(GREY, |number| scene.colour(number)),
        };
        (body, stick)
    });
    let sticks = sticks.filter(is_whole).map(|(body, _)| body);
    balls.chain(sticks).filter(is_shown).collect()
}

impl Body {
    /// Its uppermost and its lowest row.
    fn rows(&self) -> [f32; 2] {
        let [a, b] = self.ends.map(|end| end[1]);
        [a.min(b) - self.radius, a.max(b) + self.radius]
    }

    /// The point of its axis that is next to a point of the picture.
    fn axis_at(&self, x: f32, y: f32) -> [f32; 3] {
        let [a, b] = self.ends;
        let along = [b[0] - a[0], b[1] - a[1]];
        let square = along[0] * along[0] + along[1] * along[1];
        if square < 1e-6 {
            return if a[2] >= b[2] { a } else { b };
        }
        let part = ((x - a[0]) * along[0] + (y - a[1]) * along[1]) / square;
        let part = part.clamp(0.0, 1.0);
        [0, 1, 2].map(|axis| a[axis] + part * (b[axis] - a[axis]))
    }

    /// Enters itself where it is nearer than what is there, in rows from `first` on.
    fn draw(&self, number: u32, first: usize, width: usize, seen: &mut [Seen]) {
        let rows = seen.len() / width;
        let [top, bottom] = self.rows();
        let [a, b] = self.ends.map(|end| end[0]);
        let from = |low: f32| (low - 0.5).ceil().max(0.0) as usize;
        let to = |high: f32, most: usize| ((high + 0.5).floor().max(0.0) as usize).min(most);
        let columns = from(a.min(b) - self.radius)..to(a.max(b) + self.radius, width);
        let square = self.radius * self.radius;
        let is_ball = self.ends[0] == self.ends[1];
        for row in from(top).max(first)..to(bottom, first + rows) {
            let y = row as f32 + 0.5;
            let places = &mut seen[(row - first) * width..][..width];
            for column in columns.clone() {
                let x = column as f32 + 0.5;
                let axis = if is_ball { self.ends[0] } else { self.axis_at(x, y) };
                let rest = square - (x - axis[0]).powi(2) - (y - axis[1]).powi(2);
                // Hidden points are passed over before their root is taken.
                let nearest = &mut places[column];
                if rest > 0.0 && axis[2] + self.radius > nearest.0 {
                    let depth = axis[2] + rest.sqrt();
                    if depth > nearest.0 {
                        *nearest = (depth, number);
                    }
                }
            }
        }
    }

    /// The colour of a point of its surface, faded by how far away it is, from 0 to 1.
    fn shade(&self, at: [f32; 3], far: f64) -> [f64; 3] {
        let axis = self.axis_at(at[0], at[1]);
        let radius = f64::from(self.radius).max(1e-6);
        let normal = [0, 1, 2].map(|axis_of| f64::from(at[axis_of] - axis[axis_of]) / radius);
        // Rows go down, the light goes up.
        let normal = [normal[0], -normal[1], normal[2]];
        let facing = (0..3).map(|axis| normal[axis] * LIGHT[axis]).sum::<f64>().max(0.0);
        let light = AMBIENT + (1.0 - AMBIENT) * facing;
        // A highlight, and a darker rim that sets a bead off from those behind it.
        let shine = 0.35 * facing.powi(24);
        let rim = if normal[2] < 0.35 { 0.55 + 0.45 * normal[2].max(0.0) / 0.35 } else { 1.0 };
        let white = MOST_FADED * far.clamp(0.0, 1.0);
        self.colour.map(|part| {
            let lit = f64::from(part) * light * rim;
            let lit = lit + (WHITE - lit) * shine;
            lit + (WHITE - lit) * white
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Ball;
    use super::*;

    fn drawn(scene: &Scene) -> Vec<u8> {
        image(scene, &View::new([0.0, 0.0, 1.0], [0.0; 3]), 2.0, 100)
    }

    /// The colour of a pixel: across and down from the middle.
    fn at(image: &[u8], across: i32, down: i32) -> [u8; 3] {
        let place = |from: i32| (50 + from) as usize;
        let first = 3 * (place(down) * 100 + place(across));
        [image[first], image[first + 1], image[first + 2]]
    }

    fn ball(position: [f64; 3], colour: usize) -> Ball {
        Ball { position, radius: 1.0, colour }
    }

    /// The blue of the first colour has more blue than red, the vermilion of the second more red than blue.
    fn is_blue([red, _, blue]: [u8; 3]) -> bool {
        blue > red
    }

    #[test]
    fn near_beads_hide_those_behind_them() {
        for depths in [[1.0, -1.0], [-1.0, 1.0]] {
            let balls = vec![ball([0.0, 0.0, depths[0]], 0), ball([0.5, 0.0, depths[1]], 1)];
            let image = drawn(&Scene { balls, ..Scene::default() });
            assert_eq!(is_blue(at(&image, 10, 0)), depths[0] > depths[1]);
            // Seen on one side alone.
            assert!(is_blue(at(&image, -20, 0)) && !is_blue(at(&image, 33, 0)));
            assert_eq!(at(&image, -40, -40), [255; 3]);
        }
    }

    /// Upper left faces the light, and what is far is paler.
    #[test]
    fn beads_are_shaded_and_fade() {
        let balls = vec![ball([-1.0, 0.0, 5.0], 1), ball([1.0, 0.0, -5.0], 1)];
        let image = drawn(&Scene { balls, ..Scene::default() });
        let sum = |colour: [u8; 3]| colour.iter().map(|part| i32::from(*part)).sum::<i32>();
        assert!(sum(at(&image, -31, -7)) > sum(at(&image, -19, 7)) + 50);
        assert!(sum(at(&image, 25, 0)) > sum(at(&image, -25, 0)) + 100);
    }

    #[test]
    fn a_scene_may_have_colours_of_its_own() {
        let balls = vec![ball([-1.0, 0.0, 0.0], 0), ball([1.0, 0.0, 0.0], 1)];
        let colours = vec![[200, 20, 20]];
        let image = drawn(&Scene { balls, colours, ..Scene::default() });
        // The second number has the vermilion of plots.
        assert!(!is_blue(at(&image, -25, 0)) && !is_blue(at(&image, 25, 0)));
        assert_ne!(at(&image, -25, 0), at(&image, 25, 0));
    }

    #[test]
    fn a_section_leaves_out_what_is_before_it() {
        let balls = vec![ball([0.0, 0.0, 0.5], 0), ball([0.0, 0.0, -0.5], 1)];
        let sticks =
            vec![Stick { ends: [[-1.9, 1.5, 0.5], [1.9, 1.5, 0.5]], radius: 0.2, colour: Some(0) }];
        let mut scene = Scene { balls, sticks, ..Scene::default() };
        let image = drawn(&scene);
        assert!(is_blue(at(&image, 0, 0)) && is_blue(at(&image, 30, -37)));
        scene.section = Some([0.0, 0.0, 1.0]);
        let image = drawn(&scene);
        assert!(!is_blue(at(&image, 0, 0)));
        assert_eq!(at(&image, 30, -37), [255; 3]);
    }
}
