// `beadwork_model::potentials::LennardJones`, prepared as 24 ε, σ² and r_c².
struct LennardJones {
    real scale, square_diameter, square_cutoff;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        const real force = scale * inverse * sixth * (sixth + sixth - real(1));
        return r2 < square_cutoff ? force : real(0);
    }
};
