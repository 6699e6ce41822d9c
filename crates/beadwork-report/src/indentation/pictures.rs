//! Pictures of what a tip presses: before, at the peak, and after.

use beadwork_analysis::picture::{Ball, Outline, Scene, Stick};
use beadwork_analysis::table::read_columns;
use beadwork_model::observables::{Observable, native_contact_holds};
use beadwork_model::potentials::NativeContact;
use beadwork_model::{System, Units};
use beadwork_session::Error;

use super::replicas::{IndentedGroup, IndentedMember};
use crate::bead_models::{radius_of_beads, unit_of};
use crate::frames::{self, FrameTime};
use crate::rows::{BegunMember, PointMembers};
use crate::words::time_in_words;

/// The groups that have pictures.
const MOST_GROUPS: usize = 4;
/// The names in a legend.
const MOST_NAMES: usize = 12;
/// Shares of lost contacts, and the numbers of their colours in plots: light blue, orange and vermilion.
const LOST: [(&str, usize); 3] =
    [("no native contact lost", 5), ("up to half of them lost", 4), ("more than half lost", 1)];

/// The pictures of groups with the stems of their file names.
pub(crate) fn pictures(groups: &[IndentedGroup]) -> Vec<(String, Scene)> {
    let with: Vec<&IndentedGroup> =
        groups.iter().filter(|group| !group.pictures.is_empty()).take(MOST_GROUPS).collect();
    let mut pictures = Vec::new();
    for (number, group) in with.iter().enumerate() {
        for (stem, scene) in &group.pictures {
            let mut scene = scene.clone();
            let stem = if with.len() > 1 { format!("{stem}-{number}") } else { stem.to_string() };
            if with.len() > 1 {
                scene.caption = format!("{}: {}", group.about.name, scene.caption);
            }
            pictures.push((stem, scene));
        }
    }
    pictures
}

/// Pictures with the stems of their file names.
pub(super) type Pictures = Vec<(&'static str, Scene)>;

/// A moment of which there are pictures.
struct Moment {
    /// The ends of the names of the pictures: of chains, and of lost contacts.
    stems: [&'static str; 2],
    words: String,
    frame: FrameTime,
}

/// Whether a group after these has pictures.
pub(crate) fn have_room(groups: &[IndentedGroup]) -> bool {
    groups.iter().filter(|group| !group.pictures.is_empty()).count() < MOST_GROUPS
}

/// The pictures of the first replica with averaged forces behind contact, passed peak or not, or why there are none. If nothing
/// `draws` them, no frame is read.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    group: &IndentedGroup,
    draws: bool,
) -> Result<(Pictures, Option<String>), Error> {
    let none = |why: &str| {
        let advice = "no pictures of the molecule before, at the peak and after";
        Ok((Vec::new(), Some(format!("{advice}: {why}"))))
    };
    let peak = |member: &IndentedMember| {
        let peaks = member.cycles.iter().filter_map(|cycle| cycle.pressed.peak);
        let highest = peaks.reduce(|one, next| if next.force > one.force { next } else { one })?;
        Some((member.number, member.began + highest.time))
    };
    let Some((number, time)) = group.members.iter().find_map(peak) else {
        // That no tip came into contact, or that no force is averaged, is said by other findings.
        return Ok((Vec::new(), None));
    };
    let Some((_, kind)) = of_point.request.output.trajectory else {
        return none("no frames were written; ask for them by `trajectory` in [output]");
    };
    let member = of_point.members.iter().find(|member| member.number == number);
    let Some(member) = member else { return Ok((Vec::new(), None)) };
    let all = frames::times_of_stages(of_point, member, &group.setup.stages)?;
    let Some(moments) = moments(&all, time, group.setup.units) else {
        return none("the stage of the tip has no frames; write them more often");
    };
    if !draws {
        return Ok((Vec::new(), None));
    }
    let tips = Tips::read(of_point, member)?;
    let system = &of_point.point.system;
    let numbers: Vec<usize> = moments.iter().map(|moment| moment.frame.number).collect();
    let mut chosen = numbers.clone();
    chosen.dedup();
    let mut found = vec![Vec::new(); chosen.len()];
    frames::read(member, kind, &chosen, |place, positions| found[place] = positions.to_vec())?;
    if found.iter().any(|positions| positions.len() != system.beads()) {
        return none("the frames do not hold all beads");
    }
    let colours = Colours { system, names: &of_point.point.chains };
    let mut pictures = Vec::new();
    for moment in &moments {
        let place = chosen.iter().position(|frame| *frame == moment.frame.number).unwrap_or(0);
        let scene =
            Look { group, system, positions: &found[place], tip: tips.at(moment.frame.time) };
        let caption = format!("replica {number}, {}", moment.words);
        pictures.push((moment.stems[0], scene.whole(colours.of_chains(), &caption)));
        let of_section = colours.of_lost_contacts(&found[place]);
        pictures.push((moment.stems[1], scene.cut(of_section, &caption)));
    }
    Ok((pictures, None))
}

/// The first frame, that nearest to the largest force, and the last.
fn moments(all: &[FrameTime], peak: f64, units: Units) -> Option<[Moment; 3]> {
    let in_words = |time: f64| match units {
        Units::Real => time_in_words(time),
        Units::Reduced => format!("time {time}"),
    };
    let nearest = all
        .iter()
        .min_by(|one, other| (one.time - peak).abs().total_cmp(&(other.time - peak).abs()))?;
    let moment = |stems, what: String, frame: &FrameTime| Moment {
        stems,
        words: format!(
            "{what}: frame {}, step {}, {}",
            frame.number,
            frame.step,
            in_words(frame.time)
        ),
        frame: *frame,
    };
    Some([
        moment(["shell-before", "section-before"], "before".to_string(), all.first()?),
        moment(
            ["shell-peak", "section-peak"],
            format!("nearest to the largest force ({})", in_words(peak)),
            nearest,
        ),
        moment(["shell-after", "section-after"], "after".to_string(), all.last()?),
    ])
}

/// Where the tip was at the rows of a table.
struct Tips {
    times: Vec<f64>,
    places: [Vec<f64>; 3],
}

impl Tips {
    fn read(of_point: &PointMembers<'_>, member: &BegunMember<'_>) -> Result<Tips, Error> {
        let units = of_point.point.system.units;
        let axes = [Observable::TipX, Observable::TipY, Observable::TipZ];
        let columns = axes.map(|axis| axis.column_in(units));
        let path = member.folder.table(member.place);
        let time = units.time_column();
        let table = read_columns(&path, |name| name == time || columns.contains(&name))?;
        let numbers = |column| table.numbers(column);
        let [x, y, z] = columns.map(numbers);
        Ok(Tips { times: numbers(time)?, places: [x?, y?, z?] })
    }

    /// Its centre at the row nearest to a time, in the unit of tables.
    fn at(&self, time: f64) -> Option<[f64; 3]> {
        let off = |row: &usize| (self.times[*row] - time).abs();
        let known = |row: &usize| self.places.iter().all(|axis| axis[*row].is_finite());
        let rows = (0..self.times.len()).filter(known);
        let row = rows.min_by(|one, other| off(one).total_cmp(&off(other)))?;
        Some(self.places.each_ref().map(|axis| axis[row]))
    }
}

/// The number of each bead's colour, and the names of colours.
struct Coloured {
    beads: Vec<usize>,
    names: Vec<(String, usize)>,
}

struct Colours<'a> {
    system: &'a System,
    /// The identifiers of chains, by molecule; copies of a chain share one.
    names: &'a [String],
}

impl Colours<'_> {
    /// By the identifiers of chains.
    fn of_chains(&self) -> Coloured {
        let molecules = &self.system.particles.molecules;
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        let number = |molecule: u32| match self.names.get(molecule as usize) {
            Some(name) => names.binary_search(&name.as_str()).unwrap_or_default(),
            None => molecule as usize,
        };
        let named = names.iter().enumerate().take(MOST_NAMES);
        Coloured {
            beads: molecules.iter().map(|molecule| number(*molecule)).collect(),
            names: named.map(|(number, name)| (format!("chain {name}"), number)).collect(),
        }
    }

    /// By the share of native contacts of each bead that do not hold; by chains where there are none.
    fn of_lost_contacts(&self, positions: &[[f64; 3]]) -> Coloured {
        let contacts = self.system.interactions.bonded_by::<NativeContact>();
        if contacts.is_empty() {
            return self.of_chains();
        }
        let mut counts = vec![[0_u32; 2]; positions.len()];
        for contact in contacts {
            let is_lost = !native_contact_holds(contact, positions, self.system.boundary);
            for bead in [contact.i, contact.j] {
                counts[bead][0] += 1;
                counts[bead][1] += u32::from(is_lost);
            }
        }
        let place = |[all, lost]: &[u32; 2]| match (*all, *lost) {
            (_, 0) => 0,
            (all, lost) if 2 * lost <= all => 1,
            _ => 2,
        };
        Coloured {
            beads: counts.iter().map(|counts| LOST[place(counts)].1).collect(),
            names: LOST.map(|(name, colour)| (name.to_string(), colour)).to_vec(),
        }
    }
}

/// What is seen at a moment, turned so that the tip comes from above.
struct Look<'a> {
    group: &'a IndentedGroup,
    system: &'a System,
    /// Å or reduced units.
    positions: &'a [[f64; 3]],
    /// In the unit of tables.
    tip: Option<[f64; 3]>,
}

impl Look<'_> {
    /// All beads.
    fn whole(&self, coloured: Coloured, caption: &str) -> Scene {
        let axes = upright(self.group.setup.direction);
        let bonds = self.system.bonds();
        let radius = radius_of_beads(self.system, self.positions, &bonds);
        let ball = |(bead, &at): (usize, &[f64; 3])| Ball {
            position: turned(axes, at),
            radius,
            colour: coloured.beads[bead],
        };
        let half = |from: usize, to: usize| {
            let ends = [self.positions[from], self.positions[to]];
            let middle = [0, 1, 2].map(|axis| 0.5 * (ends[0][axis] + ends[1][axis]));
            let ends = [turned(axes, ends[0]), turned(axes, middle)];
            Stick { ends, radius: 0.4 * radius, colour: Some(coloured.beads[from]) }
        };
        Scene {
            balls: self.positions.iter().enumerate().map(ball).collect(),
            sticks: bonds.iter().flat_map(|&(i, j)| [half(i, j), half(j, i)]).collect(),
            names: coloured.names,
            caption: match self.tip {
                Some(_) => format!("{caption} (circle: tip)"),
                None => caption.to_string(),
            },
            outlines: self.tip_outline().into_iter().collect(),
            unit: Some(unit_of(self.system.units)),
            ..Scene::default()
        }
    }

    /// The sphere of the tip.
    fn tip_outline(&self) -> Option<Outline> {
        // Tables have nm.
        let each = Observable::TipX.unit_in(self.group.setup.units).convert(1.0);
        let axes = upright(self.group.setup.direction);
        let centre = turned(axes, self.tip?.map(|x| x / each));
        Some(Outline { centre, radius: self.group.setup.criteria.radius / each })
    }

    /// Cut open along the way of the tip.
    fn cut(&self, coloured: Coloured, caption: &str) -> Scene {
        let mut scene = self.whole(coloured, caption);
        scene.section = Some([0.0, -1.0, 0.0]);
        scene.caption += ", cut open";
        scene
    }
}

/// Axes of which the last one points against the way of a tip.
fn upright(direction: [f64; 3]) -> [[f64; 3]; 3] {
    let up = direction.map(|x| -x);
    // For a tip that comes from +z, the axes are x, y and z.
    let from = if up[0].abs() > 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
    let along: f64 = (0..3).map(|axis| from[axis] * up[axis]).sum();
    let flat = [0, 1, 2].map(|axis| from[axis] - along * up[axis]);
    let length = flat.iter().map(|x| x * x).sum::<f64>().sqrt();
    let x = flat.map(|part| part / length);
    let y = [up[1] * x[2] - up[2] * x[1], up[2] * x[0] - up[0] * x[2], up[0] * x[1] - up[1] * x[0]];
    [x, y, up]
}

fn turned(axes: [[f64; 3]; 3], at: [f64; 3]) -> [f64; 3] {
    axes.map(|axis| (0..3).map(|k| axis[k] * at[k]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tip_comes_from_above() {
        assert_eq!(upright([0.0, 0.0, -1.0]), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        for direction in [[0.0, 0.6, -0.8], [-1.0, 0.0, 0.0], [0.6, 0.8, 0.0]] {
            let axes = upright(direction);
            let seen = turned(axes, direction);
            assert!(seen[0].abs() + seen[1].abs() < 1e-12 && (seen[2] + 1.0).abs() < 1e-12);
            let dot = |a: usize, b: usize| (0..3).map(|k| axes[a][k] * axes[b][k]).sum::<f64>();
            assert!(dot(0, 1).abs() + dot(0, 2).abs() + dot(1, 2).abs() < 1e-12);
            assert!((dot(0, 0) - 1.0).abs() + (dot(1, 1) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn beads_that_lose_contacts_change_their_colour() {
        let system = beadwork_model::made_systems::helix().unwrap();
        let colours = Colours { system: &system, names: &["A".to_string()] };
        let mut positions = system.particles.positions.clone();
        assert!(
            colours.of_lost_contacts(&positions).beads.iter().all(|colour| *colour == LOST[0].1)
        );
        // A bead far away has lost all of its contacts, and its partners some of theirs.
        positions[8][0] += 50.0;
        let found = colours.of_lost_contacts(&positions).beads;
        assert_eq!((found[8], found[0]), (LOST[2].1, LOST[0].1));
        assert!(found.contains(&LOST[1].1), "{found:?}");
        assert_eq!(colours.of_chains().names, [("chain A".to_string(), 0)]);
    }

    #[test]
    fn the_frame_nearest_to_the_peak_is_chosen() {
        let frame = |number: usize| FrameTime {
            number,
            step: 100 * number as u64,
            time: 2.0 * number as f64,
        };
        let all: Vec<FrameTime> = (3..9).map(frame).collect();
        let chosen = moments(&all, 11.2, Units::Real).unwrap();
        assert_eq!(chosen.each_ref().map(|moment| moment.frame.number), [3, 6, 8]);
        assert_eq!(
            chosen[1].words,
            "nearest to the largest force (11.2 ns): frame 6, step 600, 12 ns"
        );
        assert!(moments(&[], 11.2, Units::Real).is_none());
    }
}
