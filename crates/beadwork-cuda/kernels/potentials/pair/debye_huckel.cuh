// `beadwork_model::potentials::DebyeHuckel`, without the shift of its energy.
struct DebyeHuckel {
    real strength, inverse_length;

    __device__ __forceinline__ real force_over_distance(real r2) const
    {
        const real r = root(r2), inverse = reciprocal(r);
        const real screened = strength * exponential(-(inverse_length * r));
        return screened * (inverse + inverse_length) * (inverse * inverse);
    }
};
