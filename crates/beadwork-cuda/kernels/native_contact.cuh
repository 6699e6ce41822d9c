// `beadwork_model::potentials::NativeContact` with 12 ε and r₀².
struct alignas(DOUBLE ? 8 : 16) NativeContact {
    u32 partner, padding;
    real scale, square_length;
};

__device__ __forceinline__ real force_over_distance(const NativeContact &contact, real r2)
{
    const real inverse = reciprocal(r2);
    const real square = contact.square_length * inverse;
    const real sixth = square * square * square;
    return contact.scale * inverse * sixth * (sixth - real(1));
}
