// The elastic chain: `beadwork_cpu::monte_carlo::Chain`, energies in units of 4ε.
#pragma once

#include "arithmetic.cuh"

struct Chain {
    // σ², r_c², V_c, r₀, 1/R and −K R²/2.
    real square_diameter, square_cutoff, shift, length, inverse_limit, bond_scale;
};

// s³(s³ − 1), s = σ²/r².
__device__ __forceinline__ real unshifted(real s)
{
    const real sixth = s * s * s;
#if FUSED
    return fma(sixth, sixth, -sixth);
#else
    return sixth * (sixth - real(1));
#endif
}

__device__ __forceinline__ real inside(const Chain &chain, real energy, real r2) { return r2 < chain.square_cutoff ? energy : real(0); }

// The energy of a pair.
__device__ __forceinline__ real pair(const Chain &chain, real r2)
{
#if FUSED
    // Beyond the cutoff the energy is that at the cutoff; the shift is computed the same way, so the difference is 0.
    const real near = min(r2, chain.square_cutoff);
    return unshifted(quotient(chain.square_diameter, near)) - unshifted(quotient(chain.square_diameter, chain.square_cutoff));
#else
    return inside(chain, unshifted(chain.square_diameter / r2) - chain.shift, r2);
#endif
}

// The change of a pair's energy from one squared distance to another; one division serves both.
__device__ __forceinline__ real pair_change(const Chain &chain, real to, real from)
{
#if FUSED
    // Limits the distance to the cutoff: this needs one comparison less, and no shift. Coinciding monomers give a NaN.
    to = min(to, chain.square_cutoff);
    from = min(from, chain.square_cutoff);
    const real both = quotient(chain.square_diameter, to * from);
    return unshifted(both * from) - unshifted(both * to);
#else
    const real both = chain.square_diameter / (to * from);
    return inside(chain, unshifted(both * from) - chain.shift, to) - inside(chain, unshifted(both * to) - chain.shift, from);
#endif
}

// 1 − ((r − r₀)/R)², which is positive as long as the bond holds.
__device__ __forceinline__ real slack(const Chain &chain, real r2)
{
    const real stretch = (root(r2) - chain.length) * chain.inverse_limit;
    return multiply_add(-stretch, stretch, real(1));
}

__device__ __forceinline__ real infinity() { return static_cast<real>(__longlong_as_double(0x7ff0000000000000ll)); }

// The energy of a bond; infinite if it is broken.
__device__ __forceinline__ real bond(const Chain &chain, real r2)
{
    const real left = slack(chain, r2);
    const real energy = chain.bond_scale * natural_logarithm(left);
    return real(0) < left ? energy : infinity();
}

// The change of a bond's energy from a squared distance at which it holds to another one; infinite if the bond breaks
// there.
__device__ __forceinline__ real bond_change(const Chain &chain, real to, real from)
{
    const real left = slack(chain, to);
    const real change = chain.bond_scale * natural_logarithm(quotient(left, slack(chain, from)));
    return real(0) < left ? change : infinity();
}

// |a − b|², summed from x to z.
__device__ __forceinline__ real square_distance(const real4 &a, const real4 &b)
{
    const real x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return multiply_add(z, z, multiply_add(y, y, x * x));
}
