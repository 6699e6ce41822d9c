//! The steps that a member has made, and its stage.

use beadwork_simulation::MemberState;

/// Numbers of steps, and the present stage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    step: u64,
    dynamics_step: u64,
    stage: usize,
    stage_step: u64,
    stage_over: bool,
}

impl Clock {
    /// The clock of a state.
    pub fn restore(state: &MemberState) -> Clock {
        let &MemberState { step, dynamics_step, stage, stage_step, stage_over, .. } = state;
        Clock { step, dynamics_step, stage, stage_step, stage_over }
    }

    /// Steps since the run began.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Steps of dynamics since the run began.
    pub fn dynamics_step(&self) -> u64 {
        self.dynamics_step
    }

    /// The number of the present stage.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// Steps since the present stage began.
    pub fn stage_step(&self) -> u64 {
        self.stage_step
    }

    /// Whether the present stage has ended before its last step.
    pub fn is_stage_over(&self) -> bool {
        self.stage_over
    }

    pub fn begin_stage(&mut self, stage: usize) {
        self.stage = stage;
        self.stage_step = 0;
        self.stage_over = false;
    }

    pub fn end_stage(&mut self, is_over: bool) {
        self.stage_over = is_over;
    }

    /// Counts steps of any kind.
    pub fn count_steps(&mut self, steps: u64) {
        self.step += steps;
        self.stage_step += steps;
    }

    /// Counts steps of dynamics, which [`Clock::count_steps`] counts too.
    pub fn count_dynamics(&mut self, steps: u64) {
        self.dynamics_step += steps;
    }

    /// Takes back the last step.
    pub fn go_back(&mut self, is_dynamics: bool) {
        self.step -= 1;
        self.stage_step -= 1;
        if is_dynamics {
            self.dynamics_step -= 1;
        }
    }
}
