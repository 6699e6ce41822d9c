// `beadwork_model::potentials::HarmonicBond`.
struct HarmonicBond {
    u32 partner, padding;
    real stiffness, length;
};

__device__ __forceinline__ real force_over_distance(const HarmonicBond &bond, real r2)
{
    // Beads in one place have no direction.
    const real relative = r2 > 0 ? quotient(bond.length, root(r2)) : real(0);
    return bond.stiffness * (relative - real(1));
}
