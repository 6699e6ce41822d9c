// `beadwork_model::potentials::FeneBond`.
struct alignas(DOUBLE ? 8 : 16) FeneBond {
    u32 partner, number;
    real stiffness, limit, length;
    real padding[3];
};

__device__ __forceinline__ bool holds(const FeneBond &bond, real r) { return fabs(r - bond.length) < bond.limit; }

__device__ __forceinline__ real force_over_distance(const FeneBond &bond, real r)
{
    const real stretch = r - bond.length;
    const real ratio = quotient(stretch, bond.limit);
    const real remaining = multiply_add(-ratio, ratio, real(1));
    return quotient(-(bond.stiffness * stretch), remaining * r);
}
