//! Constants of nature, and factors between units.

/// Thermochemical kilocalorie per mole in pN nm: 4184 J / (6.02214076×10²³) (CODATA 2018, exact).
pub const PICONEWTON_NANOMETRES_PER_KCAL_MOL: f64 = 4184.0 / 602.214_076;
/// Piconewtons in one kcal/(mol Å): 69.477.
pub const PICONEWTONS_PER_FORCE: f64 = 10.0 * PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// bar in one kcal/(mol Å³): 1 pN/nm² is 10 bar.
pub const BAR_PER_PRESSURE: f64 = 1e4 * PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// Boltzmann's constant, kcal/(mol K): 1.380649×10⁻²³ J/K (CODATA 2018, exact).
pub const BOLTZMANN: f64 = 1.380_649e-2 / PICONEWTON_NANOMETRES_PER_KCAL_MOL;
/// e²/(4πε₀), kcal Å/mol: 138.93545764 kJ nm/mol (CODATA 2018).
pub const COULOMB: f64 = 1_389.354_576_4 / 4.184;
/// Å in one nm.
pub const ANGSTROMS_PER_NANOMETRE: f64 = 10.0;
/// ps in one ns.
pub const PICOSECONDS_PER_NANOSECOND: f64 = 1000.0;

/// Å³ in one litre.
pub(super) const CUBIC_ANGSTROMS_PER_LITRE: f64 = 1e27;
/// Beads in 1 Å³ of one mol/L (CODATA 2018, exact).
pub const BEADS_PER_MOLARITY: f64 = 6.022_140_76e23 / CUBIC_ANGSTROMS_PER_LITRE;
