// `beadwork_model::potentials::AshbaughHatch`, prepared as 24 ε, σ², 24 ε λ and the square of the distance with the
// lowest energy.
struct AshbaughHatch {
    real scale, square_diameter, sticky_scale, square_minimum;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real square = square_diameter * inverse;
        const real sixth = square * square * square;
        return (square_minimum < r2 ? sticky_scale : scale) * inverse * sixth * (sixth + sixth - real(1));
    }
};
