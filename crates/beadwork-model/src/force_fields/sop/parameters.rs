//! Parameters of the model.

use std::collections::BTreeMap;

/// The source of the depth of native contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactDepth {
    /// The same depth for all contacts, kcal/mol.
    Constant(f64),
    /// The square root of the product of the two C-alphas' occupancy columns, kcal/mol.
    Occupancy,
    /// The square root of the product of the two C-alphas' temperature-factor columns, kcal/mol.
    Beta,
}

/// Depths of contacts between chains, where they differ from those of other contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthsBetweenChains {
    /// kcal/mol: of contacts between any two chains.
    pub any: Option<f64>,
    /// kcal/mol: of contacts between two chains with these identifiers in the file, in their order. All copies of a chain
    /// in an assembly have one identifier there; twice the same stands for two chains that share it, such as two copies.
    pub pairs: BTreeMap<[String; 2], f64>,
}

/// A contact that a list names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedContact {
    /// One bead.
    pub i: usize,
    /// The other bead.
    pub j: usize,
    /// Å; without one, the distance in the structure.
    pub length: Option<f64>,
    /// kcal/mol; without one, that of [`Parameters`].
    pub depth: Option<f64>,
}

/// How contacts are found.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactRule {
    /// By distance.
    Distance {
        /// Å: C-alphas closer than this touch; nothing touches at 0.
        cutoff: f64,
        /// Å: residues touch too when any two atoms not named CA, N, C or O are closer.
        side_chain_cutoff: Option<f64>,
        /// Whether hydrogens in the file count as side-chain atoms.
        side_chain_hydrogens: bool,
    },
    /// By name.
    List(Vec<ListedContact>),
}

/// Parameters of the model; [`Parameters::default`] has those of \[A\].
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// How contacts are found.
    pub contacts: ContactRule,
    /// How deep they are.
    pub depth: ContactDepth,
    /// How deep they are between chains; first the entry of the pair counts, then that of any two, then `depth`.
    pub between_chains: DepthsBetweenChains,
    /// k, kcal/(mol Å²).
    pub bond_stiffness: f64,
    /// R₀, Å.
    pub bond_limit: f64,
    /// ε_r, kcal/mol.
    pub repulsion_strength: f64,
    /// σ, Å.
    pub repulsion_diameter: f64,
    /// Å.
    pub repulsion_cutoff: f64,
    /// Whether to bond the disulfides that the structure lists.
    pub disulfides: bool,
    /// Further bonds between beads.
    pub extra_bonds: Vec<(usize, usize)>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            contacts: ContactRule::Distance {
                cutoff: 8.0,
                side_chain_cutoff: None,
                side_chain_hydrogens: true,
            },
            depth: ContactDepth::Constant(1.5),
            between_chains: DepthsBetweenChains::default(),
            bond_stiffness: 20.0,
            bond_limit: 2.0,
            repulsion_strength: 1.0,
            repulsion_diameter: 3.8,
            repulsion_cutoff: 20.0,
            disulfides: true,
            extra_bonds: Vec::new(),
        }
    }
}
