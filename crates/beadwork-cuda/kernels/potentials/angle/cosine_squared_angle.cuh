// `beadwork_model::potentials::CosineSquaredAngle`.
struct CosineSquaredAngle {
    real stiffness, cosine;

    // dV/d(cos θ).
    __device__ __forceinline__ real slope(real here) const { return stiffness * (here - cosine); }
};
