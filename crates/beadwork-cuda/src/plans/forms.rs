//! Forms of blocks that may suit members on a card, and the times that they take. No bit of a trajectory depends on the form.

use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use beadwork_cpu::Member;
use beadwork_model::Boundary;
use beadwork_simulation::SamplePoint;

use crate::batch::records::{MOST_MASKED, PARTIAL_SUMS};
use crate::compile::cache_folder;
use crate::plans::shape::MOST_THREADS;
use crate::plans::{
    Ensemble, Job, LaunchOverrides, Plan, bricks, is_pushed, minimises, most_steps_together,
    plan_of,
};
use crate::tables::TermNames;
use crate::{Device, Error};

/// The time that the measured steps should take.
const MEASURED: Duration = Duration::from_millis(60);

/// Measurements of a form, of which the shortest counts: other work can only make a launch longer.
const REPEATS: usize = 3;

/// The most steps of a measured launch.
const MOST_STEPS: u64 = 1 << 20;

/// The file of forms that were found to be the fastest, in the folder of compiled kernels.
const FILE: &str = "forms.txt";

/// `lanes=no cluster=4`, or `usual` if nothing is fixed.
impl fmt::Display for LaunchOverrides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |is: bool| if is { "yes" } else { "no" }.to_string();
        let words = [
            ("lanes", self.lanes.map(yes)),
            ("cluster", self.cluster.map(|number| number.to_string())),
            ("members", self.members.map(|number| number.to_string())),
            ("threads", self.threads.map(|number| number.to_string())),
            ("blocks", self.blocks.map(|number| number.to_string())),
            ("slot-lanes", self.slot_lanes.map(|number| number.to_string())),
            ("lists", self.lists.map(yes)),
            ("shared-lists", self.shared_lists.map(yes)),
            ("helpers", self.helpers.map(yes)),
            ("brick", self.brick.map(|[x, y, z]| format!("{x}x{y}x{z}"))),
        ];
        let said = words.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let said: Vec<String> = said.collect();
        f.write_str(if said.is_empty() { "usual" } else { "" })?;
        f.write_str(&said.join(" "))
    }
}

/// Reads what [`LaunchOverrides`] are displayed as; commas may stand for spaces.
impl FromStr for LaunchOverrides {
    type Err = String;

    fn from_str(text: &str) -> Result<LaunchOverrides, String> {
        let mut form = LaunchOverrides::default();
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        for word in words.filter(|&word| word != "usual") {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let number = || {
                let number =
                    value.parse::<usize>().ok().filter(|number| (1..=1_024).contains(number));
                number
                    .ok_or_else(|| format!("{name} takes a number from 1 to 1024, not \"{value}\""))
            };
            let is = || match value {
                "yes" => Ok(true),
                "no" => Ok(false),
                _ => Err(format!("{name} takes yes or no, not \"{value}\"")),
            };
            match name {
                "lanes" => form.lanes = Some(is()?),
                "cluster" => form.cluster = Some(number()?),
                "members" => form.members = Some(number()?),
                "threads" => form.threads = Some(number()?),
                "blocks" => form.blocks = Some(number()?),
                "slot-lanes" => form.slot_lanes = Some(number()?),
                "lists" => form.lists = Some(is()?),
                "shared-lists" => form.shared_lists = Some(is()?),
                "helpers" => form.helpers = Some(is()?),
                "brick" => {
                    let sides: Option<Vec<u32>> =
                        value.split('x').map(|side| side.parse().ok()).collect();
                    let sides = sides.and_then(|sides| <[u32; 3]>::try_from(sides).ok());
                    let sides = sides.filter(|sides| sides.iter().all(|side| *side > 0));
                    form.brick = Some(sides.ok_or_else(|| {
                        format!(
                            "brick takes cells along x, y and z, such as 4x4x4, not \"{value}\""
                        )
                    })?);
                }
                _ => {
                    return Err(format!(
                        "a form has no \"{name}\": it may fix lanes, cluster, members, threads, blocks, slot-lanes, lists, shared-lists, helpers and brick, such as \"lanes=no cluster=4\""
                    ));
                }
            }
        }
        Ok(form)
    }
}

/// The usual form, and two to four others that may be faster, for a member among `together` on a card.
pub fn candidates(device: &Device, member: &Member, together: usize) -> Vec<LaunchOverrides> {
    let usual = LaunchOverrides::default();
    let threads = |threads| LaunchOverrides { threads: Some(threads), ..usual };
    let cluster = |blocks| LaunchOverrides { cluster: Some(blocks), ..usual };
    let lanes = |lanes| LaunchOverrides { lanes: Some(lanes), ..usual };
    let slot_lanes = |slot_lanes| LaunchOverrides { slot_lanes: Some(slot_lanes), ..usual };
    let lists = |lists| LaunchOverrides { lists: Some(lists), ..usual };
    let shared = |shared| LaunchOverrides { shared_lists: Some(shared), ..usual };
    let card = device.properties();
    // Whether two lanes of each slot fit on the card at once.
    let lanes_of_card = MOST_THREADS * card.multiprocessors as usize;
    let has_few_beads = 2 * PARTIAL_SUMS * member.system().beads() * together <= lanes_of_card;
    let others = match plan_of(device, None, member, Some(together)) {
        Plan::Independent => vec![threads(128), threads(256)],
        Plan::Block if member.system().beads() <= MOST_MASKED && together > 1 => {
            vec![lanes(true), lanes(false)]
        }
        Plan::Block if together < card.multiprocessors as usize => {
            let clusters =
                [1, 4, 8, 16].into_iter().filter(|&blocks| blocks <= card.blocks_per_cluster);
            clusters.map(cluster).collect()
        }
        Plan::Block => vec![threads(256), threads(1_024)],
        Plan::Grid => {
            let externals = member.stage().externals.len();
            match member.system().boundary {
                Boundary::Open if has_few_beads => {
                    vec![slot_lanes(1), slot_lanes(2), slot_lanes(4)]
                }
                Boundary::Open => vec![threads(768), threads(512)],
                Boundary::Periodic { .. }
                    if bricks::can_step(member.system(), member.protocol(), externals) =>
                {
                    vec![lists(true), lists(false)]
                }
                Boundary::Periodic { .. } => vec![shared(true), shared(false)],
            }
        }
    };
    std::iter::once(usual).chain(others).collect()
}

/// A form, and the time that a step of all members takes with it.
#[derive(Clone, Copy, Debug)]
pub struct FormTime {
    /// What the form fixes.
    pub form: LaunchOverrides,
    /// The time of a step, s.
    pub seconds: f64,
}

/// The times of the [`candidates`], or of as many as `is_enough` asks for when it has seen those before. `members` are stepped
/// from their states, which they keep, among `on_card` on the card; the stage of none may minimise. A form that a card cannot
/// have is left out. Empty if a member fails.
///
/// # Errors
/// Those of [`Ensemble::advance`] in the usual form.
pub fn time_forms(
    device: &Device,
    members: &[Member],
    on_card: usize,
    is_enough: impl Fn(&[FormTime]) -> bool,
) -> Result<Vec<FormTime>, Error> {
    let Some(first) = members.first().filter(|first| !first.system().is_sampled()) else {
        return Ok(Vec::new());
    };
    if members.iter().any(minimises) {
        return Ok(Vec::new());
    }
    let mut times: Vec<FormTime> = Vec::new();
    for form in candidates(device, first, on_card) {
        if is_enough(&times) {
            break;
        }
        match seconds_a_step(device, members, on_card, form) {
            Ok(Some(seconds)) => times.push(FormTime { form, seconds }),
            Ok(None) => return Ok(Vec::new()),
            Err(error) if times.is_empty() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(times)
}

/// The time of a step of all members; `None` if one fails. It is the difference of launches of n and of 2 n steps, since a launch
/// also copies the states of its members.
fn seconds_a_step(
    device: &Device,
    members: &[Member],
    on_card: usize,
    form: LaunchOverrides,
) -> Result<Option<f64>, Error> {
    let mut ensemble = Ensemble::new(device)?.with_overrides(form).with_members_on_device(on_card);
    let mut launch = |steps: u64| -> Result<Option<f64>, Error> {
        let points = [SamplePoint { steps: steps as u32, row: false }];
        let jobs: Vec<Job<'_>> =
            members.iter().map(|member| Job { member, points: &points }).collect();
        let began = Instant::now();
        let results = ensemble.advance(&jobs)?;
        let is_sound = results.iter().all(|result| result.samples() == 1);
        Ok(is_sound.then(|| began.elapsed().as_secs_f64()))
    };
    let left = members.iter().map(Member::steps_alike).min().unwrap_or(0);
    let most = left.min(MOST_STEPS).min(most_steps_together(members.iter()));
    if most < 2 {
        return Ok(None);
    }
    let mut steps = 8.min(most / 2);
    // The first launch compiles.
    if launch(steps)?.is_none() {
        return Ok(None);
    }
    // Other work may have lengthened any launch, so the quickest of each length count.
    let (mut shorter, mut longer) = (f64::INFINITY, f64::INFINITY);
    let mut measured = 0;
    while measured < REPEATS {
        let Some((one, two)) = launch(steps)?.zip(launch(2 * steps)?) else { return Ok(None) };
        if two - one < MEASURED.as_secs_f64() && 4 * steps <= most {
            steps *= 2;
            (shorter, longer, measured) = (f64::INFINITY, f64::INFINITY, 0);
            continue;
        }
        measured += 1;
        (shorter, longer) = (shorter.min(one), longer.min(two));
    }
    Ok((longer > shorter).then(|| (longer - shorter) / steps as f64))
}

/// What a form was found for: cards of one kind, a plan, steps that compute the same, and numbers of beads and members within a
/// factor of two.
pub fn situation(device: &Device, member: &Member, on_card: usize) -> String {
    let (system, protocol) = (member.system(), member.protocol());
    let card = device.properties();
    let drives = match (is_pushed(member), member.stage().externals.is_empty()) {
        (true, _) => " tip",
        (false, false) => " drives",
        (false, true) => "",
    };
    format!(
        "{} {}.{}; {}; {} {} {} {} {}{}{drives}; {} beads, {} members",
        card.name,
        card.compute_capability.0,
        card.compute_capability.1,
        env!("CARGO_PKG_VERSION"),
        plan_of(device, None, member, Some(on_card)).name(),
        member.precision().name(),
        TermNames::of(system).words(),
        protocol.randomness.generator().name(),
        protocol.dynamics.integrator.name(),
        if system.boundary == Boundary::Open { "" } else { " box" },
        system.beads().next_power_of_two(),
        on_card.next_power_of_two()
    )
}

/// The form that was found to be the fastest in a situation.
pub fn kept(situation: &str) -> Option<LaunchOverrides> {
    read(&cache_folder()?, situation)
}

/// Keeps a form for a situation, beside the compiled kernels.
///
/// # Errors
/// Why the folder cannot be written, as a sentence. Later runs then do not know the form.
pub fn keep(situation: &str, form: LaunchOverrides) -> Result<(), String> {
    let Some(folder) = cache_folder() else {
        return Err(
            "the environment names no folder for compiled kernels: set BEADWORK_CACHE".into()
        );
    };
    write(&folder, situation, form)
        .map_err(|error| format!("{} cannot be written: {error}", path(&folder).display()))
}

fn read(folder: &Path, situation: &str) -> Option<LaunchOverrides> {
    let text = fs::read_to_string(path(folder)).ok()?;
    let found = text.lines().filter_map(|line| line.split_once('\t'));
    let (_, form) = found.into_iter().find(|(known, _)| *known == situation)?;
    form.parse().ok()
}

fn write(folder: &Path, situation: &str, form: LaunchOverrides) -> std::io::Result<()> {
    let before = fs::read_to_string(path(folder)).unwrap_or_default();
    let others = before
        .lines()
        .filter(|line| line.split_once('\t').is_some_and(|(known, _)| known != situation));
    let mut text: String = others.map(|line| format!("{line}\n")).collect();
    text += &format!("{situation}\t{form}\n");
    // Another process may read the file meanwhile.
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path(folder))?;
    Ok(())
}

fn path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

#[cfg(test)]
#[path = "../../tests/unit/forms.rs"]
mod tests;
