//! What a person may choose of an answer.

/// Choices that replace those of the input. Quantities are in Å, kcal/mol and ps, or in the run's reduced units.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The names of the stages that are answered for; if empty, each kind of run answers for its own. `None` takes those of the
    /// input.
    pub stages: Option<Vec<String>>,
    /// The window of the averaged force.
    pub window: Option<f64>,
    /// The least fall of the averaged force that counts as a peak.
    pub prominence: Option<f64>,
    /// The deformations between which a slope is found.
    pub slope: Option<(f64, f64)>,
    /// The deformations between which Hertz's law is fitted.
    pub hertz: Option<(f64, f64)>,
    /// The direction of a cross-section through bead models. `None` takes that of an ordered structure, if there is one.
    pub section: Option<[f64; 3]>,
    /// What pictures of bead models show.
    pub picture: PictureChoice,
    /// Whether pictures of beads are left out, because nothing draws the answer: then no frames are read for them.
    pub without_pictures: bool,
}

/// What a picture of a bead model shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureChoice {
    /// The number of the replica over ensemble and sweep, whose point alone has a picture then. `None` takes the first replica of
    /// each point that has the frame.
    pub member: Option<u64>,
    /// The number of the frame, from 0. `None` takes the last one.
    pub frame: Option<usize>,
    /// Whether the edges of a box are left out, so that the picture fits the beads.
    pub without_box: bool,
}
