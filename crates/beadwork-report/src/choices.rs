//! What a person may choose of an answer.

/// Choices that replace those of the input.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The names of the stages that are answered for; if empty, each kind of run answers for its own. `None` takes those of the
    /// input.
    pub stages: Option<Vec<String>>,
    /// The window of the averaged force, ps.
    pub window: Option<f64>,
    /// The least fall of the averaged force that counts as a peak, pN.
    pub prominence: Option<f64>,
    /// The deformations between which a slope is found, Å.
    pub slope: Option<(f64, f64)>,
    /// The deformations between which Hertz's law is fitted, Å.
    pub hertz: Option<(f64, f64)>,
    /// The direction of a cross-section through bead models. `None` takes that of an ordered structure, if there is one.
    pub section: Option<[f64; 3]>,
    /// Whether pictures of beads are left out, because nothing draws the answer: then no frames are read for them.
    pub without_pictures: bool,
}
