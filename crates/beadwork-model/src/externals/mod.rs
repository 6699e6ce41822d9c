//! What acts on beads from outside: one file for each kind.
//!
//! Externals are evaluated in f64 in either precision: a base that moves 5e-7 Å a step would not move at all in f32.
//! All act after the fields of a bead, in the order of their list.

mod cantilever;
mod contact;
mod force;
mod force_ramp;
mod nearest;
mod plane;
mod pulled;
mod reaction;
mod restrain;
mod spring;
mod state;
mod surface;
mod tip;
mod vectors;

pub use cantilever::{BasePath, Cantilever, MoveSchedule, Pressing};
pub use contact::Contact;
pub use force::Force;
pub use force_ramp::ForceRamp;
pub use nearest::{FirstStep, NearestBead, Throw, nearest_bead, way_back};
pub use plane::{Plane, SurfacePlace};
pub use pulled::{Ends, Pulling, nearness_in_words};
pub use reaction::ReactionUnit;
pub use restrain::Restrain;
pub use spring::Spring;
pub use state::{ExternalState, LastPoint, MovingState, RowPoint};
pub use surface::{Surface, SurfacePoints};
pub use tip::{Tip, TipPlace};
pub use vectors::{centre, dot, unit};

use std::ops::{Deref, DerefMut};

use crate::observables::Observable;

/// A step of a stage; by default its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// The step, counted from the beginning of the stage.
    pub step: u64,
    /// ps.
    pub timestep: f64,
}

/// Three standard normal numbers of a moment and an external, the same whenever they are asked for.
pub type Noise<'a> = &'a dyn Fn() -> [f64; 3];

/// Why an external cannot act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExternalProblem {
    /// A bead is at its surface, behind it, or so near that the force is beyond all bounds.
    TooNear {
        /// The bead.
        bead: usize,
    },
    /// The external would move too far at once.
    Jumped {
        /// Å.
        distance: f64,
    },
}

/// As what tables count the energy of an external.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExternalEnergy {
    /// Among that of traps and restraints.
    Trap,
    /// As the energy of a tip.
    Tip,
    /// As the energy of a surface.
    Surface,
}

/// How far a tip has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Indentation {
    /// Å: the centre of the tip.
    pub tip: [f64; 3],
    /// Å: the way of the tip along its direction since it began.
    pub tip_travel: f64,
    /// Å: the way of the base.
    pub base_travel: f64,
    /// Å: the way of the tip since it came into contact.
    pub deformation: Option<f64>,
    /// kcal/(mol Å): the force with which the beads push the tip back, at the last step.
    pub tip_force: f64,
}

/// A kind of external: what acts on some beads by a law of its own, and may itself move. What only those have that pull, or
/// that beads push, is absent by default.
pub trait Law {
    /// Laws of this kind for a molecule of so many beads, at least six, some Å apart, with which tests and `beadwork doctor` step
    /// it. Each acts on some of them within its first steps, none is named, and none goes on.
    fn examples(beads: usize) -> Vec<Self>
    where
        Self: Sized;

    /// The beads on which it acts; where it reads their centre, they are summed in this order.
    fn beads(&self) -> &[usize];

    /// The plane from which it acts, where it is when a stage begins.
    fn plane(&self) -> Option<Plane> {
        None
    }

    /// The potential at a distance from its surface, if it has one.
    fn contact(&self) -> Option<Contact> {
        self.plane().map(|plane| plane.contact)
    }

    /// The cantilever that presses it on its beads, which push it back.
    fn cantilever(&self) -> Option<&Cantilever> {
        None
    }

    /// The cantilever, so that it can be given another path or noise.
    fn cantilever_mut(&mut self) -> Option<&mut Cantilever> {
        None
    }

    /// The cantilever of the law, with the contact and the unit of the forces between the law and its beads.
    fn pressing(&self) -> Option<Pressing<'_>> {
        let (cantilever, contact) = (self.cantilever()?, self.contact()?);
        let terms = (self.beads().len() as u64).saturating_mul(cantilever.moves_every);
        let unit = ReactionUnit::of(contact.largest_force(), terms);
        Some(Pressing { cantilever, contact, unit })
    }

    /// The state when a stage begins with beads at `positions`, Å: with its plane, and its anchors where these beads are.
    fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        let mut state = ExternalState::default();
        if let Some(plane) = self.plane() {
            state.origin = plane.origin(self.beads(), positions);
            state.direction = plane.normal;
        }
        if self.anchors_each_bead() {
            state.anchors = self.beads().iter().map(|&bead| positions[bead]).collect();
        }
        state
    }

    /// Whether [`Law::renew`] reads the centre of its beads.
    fn reads_centre(&self) -> bool {
        false
    }

    /// Whether its forces on beads that rest depend on the step, by [`Moment`] or by its state.
    fn moves(&self) -> bool {
        self.cantilever().is_some()
    }

    /// Brings the state to a step, before the forces on beads are read; `centre`, Å, is that of its beads if it reads one.
    /// A second call at the same step changes nothing.
    ///
    /// # Errors
    /// If it would move too far; the state then is as before.
    fn renew(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        _centre: [f64; 3],
        noise: Noise<'_>,
    ) -> Result<(), ExternalProblem> {
        self.pressing().map_or(Ok(()), |pressing| pressing.renew(state, moment, noise))
    }

    /// Whether it begins where its like in the stage before has come to: the one of its kind that has as many of its kind
    /// before it.
    fn goes_on(&self) -> bool {
        self.cantilever().is_some_and(|cantilever| cantilever.goes_on)
    }

    /// The state with which an external that goes on begins, if this one's stage ends at a moment, before a step there.
    ///
    /// # Errors
    /// If it would move too far in the steps since its last move.
    fn close(
        &self,
        state: &ExternalState,
        moment: Moment,
        noise: Noise<'_>,
    ) -> Result<ExternalState, ExternalProblem> {
        let standing = || Ok(state.clone());
        self.pressing().map_or_else(standing, |pressing| pressing.close(state, moment, noise))
    }

    /// Force, kcal/(mol Å), at a moment, to which the state was brought, on number `entry` of its beads, which is at `at`, Å; not
    /// a number where it cannot be.
    fn force(&self, state: &ExternalState, moment: Moment, entry: usize, at: [f64; 3]) -> [f64; 3];

    /// Energy, kcal/mol, of which this force is the slope; 0 if it pulls.
    fn energy(&self, state: &ExternalState, moment: Moment, entry: usize, at: [f64; 3]) -> f64;

    /// Å: how far a bead at `at` is from its surface when a stage begins, less than 0 inside or behind it; `None` if it has none.
    fn clearance(&self, state: &ExternalState, at: [f64; 3]) -> Option<f64> {
        self.plane().map(|_| state.height(at))
    }

    /// Å: how far it must go back, against the direction of its state, until a bead at `at` has room before its surface: σ of
    /// its contact, so many times. Less than 0 if it may go forward; −∞ if it never meets the bead.
    fn way_back(&self, state: &ExternalState, at: [f64; 3], sigmas: f64) -> f64 {
        let way = |plane: Plane| sigmas * plane.contact.sigma - state.height(at);
        self.plane().map_or(f64::NEG_INFINITY, way)
    }

    /// The force along its direction, kcal/(mol Å), that tables call the force; `None` if it does not pull or push.
    fn along(&self, state: &ExternalState, moment: Moment) -> Option<f64> {
        self.pressing()?.along(state, moment)
    }

    /// The work that it, or what drives it, has done since the stage began, kcal/mol; of one that goes on, since the first of
    /// the stages through which it went on began.
    fn work(&self, state: &ExternalState, moment: Moment) -> f64 {
        self.pressing().map_or(0.0, |pressing| pressing.work(state, moment))
    }

    /// Its mean force along its direction, kcal/(mol Å), over the steps from the last row of the table, or from the beginning
    /// of the stage, up to this one, whose force does not count. `None` without such steps, and if it does not follow from the
    /// state.
    fn mean_along(&self, _: &ExternalState, _: Moment) -> Option<f64> {
        None
    }

    /// Å: the way of its base along its direction since the stage began, if it has a base.
    fn base_travel(&self, _: Moment) -> Option<f64> {
        None
    }

    /// How far a tip has come; `None` for all others. `reaction` is the sum of the forces of the beads on it at this moment, in its unit.
    fn indentation(
        &self,
        state: &ExternalState,
        moment: Moment,
        reaction: [i64; 3],
    ) -> Option<Indentation> {
        self.pressing()?.indentation(state, moment, reaction)
    }

    /// How it pulls at the ends of a chain.
    fn pulling(&self) -> Pulling {
        Pulling::None
    }

    /// The ends at which it pulls.
    fn ends(&self) -> Option<&Ends> {
        None
    }

    /// The ends of an external that pulls, so that a reader of inputs can give it a name.
    fn ends_mut(&mut self) -> Option<&mut Ends> {
        None
    }

    /// k, kcal/(mol Å²), with which a bead is held: it limits the time step.
    fn stiffness(&self) -> f64 {
        0.0
    }

    /// Å: how far it can move the beads at which it pulls in a time, ps, for advice on rules about the extension.
    fn travel(&self, _time: f64) -> f64 {
        0.0
    }

    /// The unit of the forces between it and its beads, if they push it back.
    fn reaction_unit(&self) -> Option<ReactionUnit> {
        Some(self.pressing()?.unit)
    }

    /// As what tables count its energy.
    fn energy_of(&self) -> ExternalEnergy {
        match (self.cantilever(), self.plane()) {
            (Some(_), _) => ExternalEnergy::Tip,
            (None, Some(_)) => ExternalEnergy::Surface,
            (None, None) => ExternalEnergy::Trap,
        }
    }

    /// The steps between its moves, if beads push it.
    fn moves_every(&self) -> Option<u64> {
        Some(self.cantilever()?.moves_every)
    }

    /// Whether its state has an anchor for each of its beads.
    fn anchors_each_bead(&self) -> bool {
        false
    }

    /// The positions that its state holds beside those of the system.
    fn anchors(&self) -> usize {
        if self.anchors_each_bead() { self.beads().len() } else { 0 }
    }

    /// Columns that tables of a run with it have.
    fn columns(&self) -> &'static [Observable] {
        match (self.cantilever(), self.plane()) {
            (Some(_), _) => Cantilever::COLUMNS,
            (None, Some(_)) => &[Observable::SurfaceEnergy],
            (None, None) => &[],
        }
    }

    /// The numbers of its struct in kernels, in their order, with steps of `timestep`, ps.
    fn parameters(&self, timestep: f64) -> [f64; PARAMETERS];

    /// Å²: beads farther from its centre than the root of this feel nothing of one that beads push.
    fn square_reach(&self) -> f64 {
        f64::INFINITY
    }

    /// Further numbers, which its struct in kernels reads from the beginning of `External::numbers`, before the anchors; those of
    /// what beads push stand in a struct of its own.
    fn more_parameters(&self, timestep: f64) -> Vec<f64> {
        let of_cantilever =
            |pressing: Pressing<'_>| pressing.cantilever.numbers(timestep, pressing.unit);
        self.pressing().map_or_else(Vec::new, of_cantilever)
    }
}

/// The most numbers of a law in kernels.
pub const PARAMETERS: usize = 5;

/// The numbers of a law in kernels, with zeros after them.
fn padded<const N: usize>(numbers: [f64; N]) -> [f64; PARAMETERS] {
    let mut all = [0.0; PARAMETERS];
    all[..N].copy_from_slice(&numbers);
    all
}

/// Defines the list of externals.
macro_rules! externals {
    ($($(#[$documentation:meta])* $kind:ident called $name:literal,)+) => {
        /// An external of a stage.
        #[derive(Clone, Debug, PartialEq)]
        pub enum External {
            $($(#[$documentation])* $kind($kind),)+
        }

        /// The places of the kinds in the list.
        #[derive(Clone, Copy)]
        enum Place { $($kind,)+ }

        impl External {
            /// The names of the kinds' types, in the order of the list; structs in kernels have them too.
            pub const TYPES: &'static [&'static str] = &[$(stringify!($kind)),+];

            /// The [`Law::examples`] of each kind, in the order of the list.
            pub fn examples(beads: usize) -> Vec<External> {
                let mut all = Vec::new();
                $(all.extend($kind::examples(beads).into_iter().map(External::$kind));)+
                all
            }

            /// The name of its kind in an input.
            pub fn kind(&self) -> &'static str {
                match self { $(External::$kind(_) => $name,)+ }
            }

            /// The name of an external that pulls and has columns of its own.
            pub fn name(&self) -> Option<&str> {
                self.ends().map(|ends| ends.name.as_str()).filter(|name| !name.is_empty())
            }

            /// Whether it has a part in the columns of force and work: it pulls beads, or they push it.
            pub fn has_force(&self) -> bool {
                self.pulling() != Pulling::None || self.reaction_unit().is_some()
            }

            /// The place of its kind in the list of kinds, from 0.
            pub fn number(&self) -> u32 {
                match self { $(External::$kind(_) => Place::$kind as u32,)+ }
            }
        }

        // An external is asked as its law is.
        impl Deref for External {
            type Target = dyn Law;

            fn deref(&self) -> &(dyn Law + 'static) {
                match self { $(External::$kind(law) => law,)+ }
            }
        }

        impl DerefMut for External {
            fn deref_mut(&mut self) -> &mut (dyn Law + 'static) {
                match self { $(External::$kind(law) => law,)+ }
            }
        }
    };
}

externals! {
    /// A cantilever whose base moves.
    Spring called "spring",
    /// A constant force.
    Force called "force",
    /// A force that grows in proportion to time.
    ForceRamp called "force-ramp",
    /// Harmonic wells that hold beads near their positions at the beginning of the stage.
    Restrain called "restrain",
    /// A sphere that a cantilever presses on beads.
    Tip called "tip",
    /// A plane below beads, or points in it.
    Surface called "surface",
}
