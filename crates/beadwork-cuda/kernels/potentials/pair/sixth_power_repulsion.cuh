// `beadwork_model::potentials::SixthPowerRepulsion`, prepared as 6 ε σ⁶.
struct SixthPowerRepulsion {
    real scale;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real inverse = reciprocal(r2);
        const real fourth = inverse * inverse;
        return scale * (fourth * fourth);
    }
};
