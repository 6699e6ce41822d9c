//! `beadwork bench tune`: the fastest form of blocks for the members of an input on this card, which later runs take.

use std::fmt::Write as _;
use std::path::PathBuf;

use beadwork_cuda::forms::{keep, situation, time_forms};
use beadwork_engine::GpuAssignment;
use beadwork_engine::gpu_forms::{fastest, kind_of, members_of};
use beadwork_session::device::Choice;
use beadwork_session::part::Part;
use beadwork_session::session::plan;
use clap::Args;
use serde_json::json;

use crate::options::one_card;
use crate::{Error, Outcome};

/// The options of the benchmark.
#[derive(Debug, Args)]
pub struct Tune {
    /// The input of a run.
    input: PathBuf,
    /// Replace a setting, as for `beadwork run`.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<String>,
    /// The GPU.
    #[arg(long, default_value = "cuda", value_name = "cuda[:i]")]
    device: Choice,
    /// Threads of the run; each GPU is fed by up to eight, which share its members.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Print JSON instead of words.
    #[arg(long)]
    json: bool,
}

impl Tune {
    /// Times the forms, and keeps the fastest one.
    ///
    /// # Errors
    /// An input that cannot be read, or whose members cannot be timed; errors of the GPU.
    pub fn run(&self) -> Result<Outcome, Error> {
        let settings = self.settings.iter().map(|setting| {
            let parts = setting.split_once('=').map(|(path, value)| (path.into(), value.into()));
            parts.ok_or_else(|| Error::Arguments(format!("--set {setting} has no \"=\"")))
        });
        let settings: Vec<(String, String)> = settings.collect::<Result<_, Error>>()?;
        let request = beadwork_input::load(&self.input, &settings)?;
        let plan = plan(&request, &Part::whole(&request));
        let card = one_card(&self.device, "tune")?;
        let cards = std::slice::from_ref(&card);
        let members = plan.members.len();
        let assignment = GpuAssignment::new(cards, &plan, members, self.threads.into());
        let on_card = assignment.members_on_card();
        let untimed = |reason: &str| {
            Error::Arguments(format!("{} has no form to choose: {reason}", self.input.display()))
        };
        kind_of(&plan).ok_or_else(|| {
            untimed("its members are of several kinds, are sampled, or begin with a minimisation")
        })?;
        let members = members_of(&plan, on_card.max(1));
        let times = time_forms(&card, &members, on_card, |_| false)?;
        let best = fastest(&times).ok_or_else(|| {
            untimed("a member fails in its first steps, so no time has a meaning")
        })?;
        keep(&situation(&card, &members[0], on_card), best.form)
            .map_err(|why| Error::Machine(format!("the form {} is not kept: {why}", best.form)))?;
        let rows = times
            .iter()
            .map(|time| json!({ "form": time.form.to_string(), "seconds_a_step": time.seconds }));
        let text = if self.json {
            let rows: Vec<_> = rows.collect();
            let name = &card.properties().name;
            let chosen = best.form.to_string();
            let beads = members[0].system().beads();
            format!(
                "{:#}",
                json!({ "card": name, "members": on_card, "beads": beads, "forms": rows, "chosen": chosen })
            )
        } else {
            let mut text = format!(
                "{on_card} members of {} beads at a time on {}\n\n| form | us a step |\n|---|---|\n",
                members[0].system().beads(),
                card.properties().name
            );
            for time in &times {
                let _ = writeln!(text, "| {} | {:.3} |", time.form, 1e6 * time.seconds);
            }
            let _ = write!(text, "\nRuns of such members on such a card take: {}", best.form);
            text
        };
        Ok(Outcome { text, holds: true })
    }
}
