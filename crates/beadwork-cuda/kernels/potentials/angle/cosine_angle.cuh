// `beadwork_model::potentials::CosineAngle`.
struct CosineAngle {
    real stiffness;

    // dV/d(cos θ).
    __device__ __forceinline__ real slope(real) const { return stiffness; }
};
