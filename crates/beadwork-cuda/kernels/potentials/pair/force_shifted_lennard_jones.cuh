// `beadwork_model::potentials::ForceShiftedLennardJones`, prepared as 24 ε, σ², r_c² and F_c.
struct ForceShiftedLennardJones {
    real scale, square_diameter, square_cutoff, force_at_cutoff;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        const real force = scale * inverse * sixth * (sixth + sixth - real(1));
        return r2 < square_cutoff ? force - quotient(force_at_cutoff, root(r2)) : real(0);
    }
};
