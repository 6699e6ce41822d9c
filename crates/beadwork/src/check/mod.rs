//! Explains a request without running it: what is simulated, how this machine would step it, and how long that takes.

mod beads;
mod chains;
mod dynamics;
mod first_steps;
mod json;
mod memory;
mod pace;
mod size;
mod stages;
mod stepping;
mod systems;
mod tips;
mod warnings;
mod words;

use beadwork_engine::{CpuAssignment, Devices, GpuAssignment};
use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_session::Error;
use beadwork_session::device::Choice;
use beadwork_session::part::Part;
use beadwork_session::session::{plan, refuse_what_cannot_run};

pub use size::{estimated_bytes, warning as warning_of_room};
pub use words::of_request;

use pace::{Estimate, Unmeasured};
use stepping::Stepping;

/// What `beadwork check` says of a request.
pub struct Explanation<'a> {
    /// A sentence that says why no GPU would be used, if there is one.
    pub notice: Option<String>,
    /// Why the run fails in the steps that were tried, if it does: `beadwork run` would end with exit code 3.
    pub failure: Option<String>,
    request: &'a Request,
    stepping: Stepping,
    estimate: Result<Estimate, Unmeasured>,
}

impl Explanation<'_> {
    /// Explains a request; some of its members are stepped for a moment, by so many threads, unless one fails at once.
    ///
    /// # Errors
    /// A request of which no run can be made here, or none in its folder; devices that cannot step it.
    pub fn of<'a>(
        request: &'a Request,
        choice: &Choice,
        threads: usize,
    ) -> Result<Explanation<'a>, Error> {
        RunFolder::refuse_unusable(&request.output.folder)?;
        refuse_what_cannot_run(request)?;
        let plan = plan(request, &Part::whole(request));
        let chosen = choice.for_plan(&plan, threads)?;
        let members = plan.members.len();
        let long_list = memory::long_list(request);
        let failure = match long_list {
            Some(_) => None,
            None => first_steps::failure(request, &plan, threads),
        };
        let reason = match failure {
            Some(_) => Some("the run fails in its first steps".to_string()),
            None => long_list,
        };
        let measured = |measure: &dyn Fn() -> Result<Estimate, Unmeasured>| match &reason {
            Some(reason) => Err(Unmeasured::Other(reason.clone())),
            None => measure(),
        };
        let (stepping, estimate) = match &chosen.devices {
            Devices::Cpu => {
                let assignment = CpuAssignment::of(&plan, members, threads);
                let stepping = Stepping::on_cpu(&assignment);
                (stepping, measured(&|| pace::on_cpu(request, &plan, &assignment)))
            }
            Devices::Cuda(cards) => {
                let assignment = GpuAssignment::new(cards, &plan, members, threads);
                let stepping = Stepping::on_gpus(&assignment);
                let on_gpus = || pace::on_gpus(&cards[0], &plan, &assignment);
                (stepping, measured(&|| on_gpus().map_err(Unmeasured::Other)))
            }
        };
        let failure = failure.or_else(|| match &estimate {
            Err(Unmeasured::RunFails(reason)) => Some(reason.clone()),
            _ => None,
        });
        Ok(Explanation { notice: chosen.notice, failure, request, stepping, estimate })
    }

    /// The text that `beadwork check` prints.
    pub fn in_words(&self) -> String {
        let explained = words::in_words(self.request, &self.stepping, &self.estimate);
        match &self.failure {
            // What makes all else vain stands first.
            Some(failure) => format!("Fails        {failure}\n{explained}"),
            None => explained,
        }
    }

    /// What `beadwork check --json` prints.
    pub fn as_json(&self) -> serde_json::Value {
        let mut all = json::as_json(self.request, &self.stepping, &self.estimate);
        all["fails"] = serde_json::json!(self.failure);
        all
    }
}
