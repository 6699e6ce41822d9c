//! The first steps of a minimisation, which separate beads that overlap by soft repulsions.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use beadwork_model::{StageKind, System, push_off};
use beadwork_random::Normal;

use super::descent::Descent;
use super::force_path::ForcePath;
use super::stepper::Stepper;

impl<T: Normal> Stepper<T> {
    /// Makes ready for the next step of a minimisation: in a push-off with the soft repulsions of its level, and with beads at
    /// rest where other potentials begin to act.
    pub fn prepare(&mut self) {
        if !self.minimises() {
            return;
        }
        let level = self.level_at(self.clock.stage_step());
        if self.begins_level() {
            self.descent = None;
            // A step that fails with the new potentials goes back no further than here.
            self.beads.set_moved(false);
        }
        self.descent.get_or_insert_with(|| Descent::new(self.beads.count()));
        match level {
            None => self.forces.soften(None),
            Some(level) if self.forces.level() == Some(level) => {}
            Some(level) => {
                let system = softened(&self.system, level);
                let skin = self.protocol.dynamics.skin;
                let (path, ranges) = (self.threads.path(), self.threads.ranges());
                let soft = ForcePath::new(path, &system, skin, ranges);
                self.forces.soften(Some((level, soft)));
            }
        }
    }

    /// Whether the next step has what [`Stepper::prepare`] makes: velocities, and in a push-off the soft repulsions of its level.
    /// Always true outside minimisations.
    pub(crate) fn is_prepared(&self) -> bool {
        let is_at_level = || self.forces.level() == self.level_at(self.clock.stage_step());
        !self.minimises() || (self.descent.is_some() && is_at_level())
    }

    /// Whether other potentials begin to act with the next step.
    pub(crate) fn begins_level(&self) -> bool {
        let before = self.clock.stage_step().checked_sub(1).map(|step| self.level_at(step));
        before != Some(self.level_at(self.clock.stage_step()))
    }

    /// The level of the push-off at a step of the stage; `None` after it.
    fn level_at(&self, step: u64) -> Option<u32> {
        match self.stage().kind {
            StageKind::Minimise { push_off, .. } => {
                (step < push_off).then(|| push_off::level(step, push_off))
            }
            _ => None,
        }
    }

    /// How many of the next steps of a minimisation have the same potentials.
    pub fn steps_alike(&self) -> u64 {
        let StageKind::Minimise { push_off, .. } = self.stage().kind else {
            return self.remaining();
        };
        let step = self.clock.stage_step();
        let end = push_off::end_of_level(step, push_off);
        end.map_or(u64::MAX, |end| end - step).min(self.remaining())
    }
}

/// A system with the soft repulsions of a level. Members of one system share it, as long as one of them needs it.
fn softened(system: &Arc<System>, level: u32) -> Arc<System> {
    /// A system, the level, and the system with soft repulsions.
    type Softened = (Weak<System>, u32, Weak<System>);
    static KNOWN: Mutex<Vec<Softened>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(of, _, soft)| of.strong_count() > 0 && soft.strong_count() > 0);
    let is_this = |of: &Weak<System>| std::ptr::eq(of.as_ptr(), Arc::as_ptr(system));
    let found = known.iter().find(|(of, at, _)| is_this(of) && *at == level);
    if let Some(soft) = found.and_then(|(_, _, soft)| soft.upgrade()) {
        return soft;
    }
    let soft = Arc::new(system.softened(level));
    known.push((Arc::downgrade(system), level, Arc::downgrade(&soft)));
    soft
}
