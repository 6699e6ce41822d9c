// `beadwork_model::potentials::SixthPowerRepulsion` with 6 ε σ⁶.
__device__ __forceinline__ real repulsion_over_distance(real scale, real r2)
{
    const real inverse = reciprocal(r2);
    const real fourth = inverse * inverse;
    return scale * (fourth * fourth);
}
