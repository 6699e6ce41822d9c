// `beadwork_model::potentials::DpdConservative`, prepared as a, r_c and 1/r_c.
struct DpdConservative {
    real strength, cutoff, inverse_cutoff;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        // Beads at one point have no direction.
        const bool apart = r2 > 0;
        const real r = root(apart ? r2 : real(1));
        const real force = strength * (reciprocal(r) - inverse_cutoff);
        return apart && r < cutoff ? force : real(0);
    }
};
