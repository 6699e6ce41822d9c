// Arithmetic, as `beadwork-arithmetic` has it on the host.
//
// A program is compiled without contraction (`--fmad=false`): fused operations are written as `multiply_add`. With
// FUSED 0 every operation is rounded as the host's reference path rounds it, so that both give the same bits; with
// FUSED 1 sums of products are fused and quotients are products with reciprocals, which is faster and no less accurate.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#if DOUBLE
typedef double real;
struct alignas(16) real4 { real x, y, z, w; };
#else
typedef float real;
typedef float4 real4;
#endif

__device__ __forceinline__ real number(double value) { return static_cast<real>(value); }

__device__ __forceinline__ real multiply_add(real a, real b, real c)
{
#if FUSED
    return fma(a, b, c);
#else
    return a * b + c;
#endif
}

// 1/y of a normal number whose reciprocal is normal, correctly rounded: one step of Newton on the hardware's estimate.
// The IEEE division computes the same after a check for other numbers.
__device__ __forceinline__ real reciprocal(real y)
{
#if DOUBLE
    return 1.0 / y;
#else
    float estimate;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(y));
    return fmaf(estimate, fmaf(-y, estimate, 1.0f), estimate);
#endif
}

__device__ __forceinline__ real quotient(real a, real b)
{
#if FUSED
    return a * reciprocal(b);
#else
    return a / b;
#endif
}

// The square root of a normal number well inside the range, correctly rounded: the estimate of 1/√x and one step, as
// the IEEE root computes it there.
__device__ __forceinline__ real root(real x)
{
#if DOUBLE
    return sqrt(x);
#else
    float estimate;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
    const float near = x * estimate;
    return fmaf(fmaf(-near, near, x), 0.5f * estimate, near);
#endif
}

// Bit k of `bits`, in all places of a word.
__device__ __forceinline__ u32 spread_bit(u32 bits, u32 k) { return static_cast<u32>(static_cast<int>(bits << (31 - k)) >> 31); }

// All bits if k < count, else none; for numbers below 2³¹.
__device__ __forceinline__ u32 mask_below(u32 k, u32 count) { return static_cast<u32>(static_cast<int>(k - count) >> 31); }

// x if all bits of the mask are set, +0 if none is. A mask needs no predicate: a thread has six, and selections by them
// make computations that could overlap run one after another.
__device__ __forceinline__ real masked(real x, u32 mask)
{
#if DOUBLE
    return __longlong_as_double(__double_as_longlong(x) & static_cast<int>(mask));
#else
    return __uint_as_float(__float_as_uint(x) & mask);
#endif
}

__device__ __forceinline__ bool is_finite(real x) { return fabs(x) < static_cast<real>(__longlong_as_double(0x7ff0000000000000ll)); }

// ln x of a positive normal number; `beadwork_arithmetic::natural_logarithm` explains the method.
__device__ __forceinline__ real natural_logarithm(real x)
{
    const real one = 1;
#if DOUBLE
    const u64 above_root = __double_as_longlong(x) - 0x3fe6a09e667f3bcdull + 0x8000000000000000ull;
    const real mantissa = __longlong_as_double((above_root & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
    const real exponent = __longlong_as_double((above_root >> 52) | 0x4330000000000000ull) - 4503599627372544.0;
#else
    const u32 above_root = __float_as_uint(x) - 0x3f3504f3u + 0x80000000u;
    const real mantissa = __uint_as_float((above_root & 0x7fffffu) + 0x3f3504f3u);
    const real exponent = __uint_as_float((above_root >> 23) | 0x4b000000u) - 8388864.0f;
#endif
    const real f = mantissa - one;
    const real half_square = real(0.5) * f * f;
    const real s = quotient(f, mantissa + one);
    const real w = s * s;
#if DOUBLE
    real sum = number(2.0 / 21.0);
    sum = multiply_add(sum, w, number(2.0 / 19.0));
    sum = multiply_add(sum, w, number(2.0 / 17.0));
    sum = multiply_add(sum, w, number(2.0 / 15.0));
    sum = multiply_add(sum, w, number(2.0 / 13.0));
    sum = multiply_add(sum, w, number(2.0 / 11.0));
    sum = multiply_add(sum, w, number(2.0 / 9.0));
    const real high = 0.6931471805598903, low = 5.497923018708371e-14;
#else
    real sum = number(2.0 / 9.0);
    const real high = number(0.693145751953125), low = number(1.4286068203094173e-6);
#endif
    sum = multiply_add(sum, w, number(2.0 / 7.0));
    sum = multiply_add(sum, w, number(2.0 / 5.0));
    sum = multiply_add(sum, w, number(2.0 / 3.0));
#if FUSED
    const real rest = fma(w, sum, half_square);
    const real correction = half_square - fma(s, rest, exponent * low);
    return fma(exponent, high, f - correction);
#else
    const real rest = w * sum;
    const real correction = half_square - (s * (half_square + rest) + exponent * low);
    return exponent * high - (correction - f);
#endif
}

// sin and cos of an angle of u turns in [0, 1]: `beadwork_arithmetic::sine_cosine_of_turns`.
__device__ __forceinline__ void sine_cosine_of_turns(real u, real &sine, real &cosine)
{
#if DOUBLE
    const real rounding = 6755399441055744.0;
    const real two_pi = 6.283185307179586, two_pi_rest = 2.4492935982947064e-16;
#else
    const real rounding = 12582912.0f;
    const real two_pi = number(6.2831854820251465), two_pi_rest = number(-1.748455600074497e-7);
#endif
    const real counted = multiply_add(real(4), u, rounding);
    const real r = multiply_add(real(-0.25), counted - rounding, u);
    const real w = r * r;
#if DOUBLE
    real odd = 0.10422916220813984;
    odd = multiply_add(odd, w, -0.7181223017785006);
    odd = multiply_add(odd, w, 3.819952584848282);
    odd = multiply_add(odd, w, -15.09464257682299);
    odd = multiply_add(odd, w, 42.058693944897654);
    real even = 0.28200596845579123;
    even = multiply_add(even, w, -1.714390711088672);
    even = multiply_add(even, w, 7.903536371318469);
    even = multiply_add(even, w, -26.4262567833744);
#else
    real odd = number(42.058693944897654);
    real even = number(-26.4262567833744);
#endif
    odd = multiply_add(odd, w, number(-76.70585975306139));
    odd = multiply_add(odd, w, number(81.60524927607506));
    odd = multiply_add(odd, w, number(-41.34170224039976));
    even = multiply_add(even, w, number(60.24464137187666));
    even = multiply_add(even, w, number(-85.45681720669373));
    even = multiply_add(even, w, number(64.9393940226683));
    even = multiply_add(even, w, number(-19.739208802178716));
#if FUSED
    const real s = fma(r, two_pi, r * fma(w, odd, two_pi_rest));
    const real c = fma(w, even, real(1));
#else
    const real s = r * two_pi + r * (two_pi_rest + w * odd);
    const real c = real(1) + w * even;
#endif
    // Quarter turns swap and negate: odd numbers swap sine and cosine; bit 1 of the number negates the sine, and bit 1
    // of the number plus one the cosine.
#if DOUBLE
    const u64 quarters = __double_as_longlong(counted);
    const bool swap = quarters & 1;
    const u64 a = __double_as_longlong(swap ? c : s), b = __double_as_longlong(swap ? s : c);
    sine = __longlong_as_double(a ^ ((quarters & 2) << 62));
    cosine = __longlong_as_double(b ^ (((quarters + 1) & 2) << 62));
#else
    const u32 quarters = __float_as_uint(counted);
    const bool swap = quarters & 1;
    const u32 a = __float_as_uint(swap ? c : s), b = __float_as_uint(swap ? s : c);
    sine = __uint_as_float(a ^ ((quarters & 2) << 30));
    cosine = __uint_as_float(b ^ (((quarters + 1) & 2) << 30));
#endif
}

// ±1 with the sign of x.
__device__ __forceinline__ real sign_of(real x)
{
#if DOUBLE
    return __longlong_as_double(0x3ff0000000000000ull | (__double_as_longlong(x) & 0x8000000000000000ull));
#else
    return __uint_as_float(0x3f800000u | (__float_as_uint(x) & 0x80000000u));
#endif
}

// eˣ: `beadwork_arithmetic::exponential`.
__device__ __forceinline__ real exponential(real x)
{
#if DOUBLE
    const real rounding = 6755399441055744.0;
    const real least = -708.3964185322641, greatest = 709.782712893384;
    const real high = 0.6931471805598903, low = 5.497923018708371e-14;
#else
    const real rounding = 12582912.0f;
    const real least = number(-87.33654022216797), greatest = number(88.72283172607422);
    const real high = number(0.693145751953125), low = number(1.4286068203094173e-6);
#endif
    const real bounded = x < greatest ? x : greatest;
    const real counted = multiply_add(bounded, number(1.4426950408889634), rounding);
    const real n = counted - rounding;
    const real near = multiply_add(-n, high, bounded);
    const real rest = n * low;
    const real r = near - rest;
#if DOUBLE
    real sum = 2.0812829067730766e-9;
    sum = multiply_add(sum, r, 2.5105968810992393e-8);
    sum = multiply_add(sum, r, 2.755759850945439e-7);
    sum = multiply_add(sum, r, 2.755725448271813e-6);
    sum = multiply_add(sum, r, 2.4801586958534106e-5);
    sum = multiply_add(sum, r, 0.0001984126987378887);
    sum = multiply_add(sum, r, 0.0013888888889054425);
    sum = multiply_add(sum, r, 0.008333333333327845);
    sum = multiply_add(sum, r, 0.0416666666666664);
    sum = multiply_add(sum, r, 0.16666666666666666);
    sum = multiply_add(sum, r, 0.5);
#else
    real sum = number(0.001383890281431377);
    sum = multiply_add(sum, r, number(0.008369192481040955));
    sum = multiply_add(sum, r, number(0.04166810214519501));
    sum = multiply_add(sum, r, number(0.16666516661643982));
    sum = multiply_add(sum, r, number(0.4999999403953552));
#endif
    const real power = real(1) + (near + multiply_add(r * r, sum, -rest));
#if DOUBLE
    const u64 exponent = static_cast<u64>(__double_as_longlong(counted)) << 52;
    const real scaled = __longlong_as_double(__double_as_longlong(power) + exponent);
#else
    const real scaled = __uint_as_float(__float_as_uint(power) + (__float_as_uint(counted) << 23));
#endif
    return x < least ? real(0) : scaled;
}

// arccos x: `beadwork_arithmetic::arc_cosine`.
__device__ __forceinline__ real arc_cosine(real x)
{
    const real one = 1, half = 0.5;
    const real magnitude = fabs(x) < one ? fabs(x) : one;
    const bool outer = half < magnitude;
    const real side = sign_of(x);
    const real half_gap = multiply_add(-half, magnitude, half);
    // `root` is not for zero.
    const real sine = real(0) < half_gap ? root(half_gap) : real(0);
    const real w = outer ? half_gap : x * x;
    const real v = outer ? real(-2) * side * sine : x;
    const real q = outer ? one - side : one;
#if DOUBLE
    const real high = 1.5707963267948966, low = 6.123233995736766e-17;
    real sum = 0.03271603143425993;
    sum = multiply_add(sum, w, -0.021135863646482823);
    sum = multiply_add(sum, w, 0.021801368102628966);
    sum = multiply_add(sum, w, 0.0036691584622002248);
    sum = multiply_add(sum, w, 0.010789716404561337);
    sum = multiply_add(sum, w, 0.011397297370764607);
    sum = multiply_add(sum, w, 0.01398100938441716);
    sum = multiply_add(sum, w, 0.01735159684819508);
    sum = multiply_add(sum, w, 0.022372215812204242);
    sum = multiply_add(sum, w, 0.030381942678534495);
    sum = multiply_add(sum, w, 0.04464285717523599);
    sum = multiply_add(sum, w, 0.0749999999997013);
    sum = multiply_add(sum, w, 0.16666666666666763);
#else
    const real high = number(0.25 * 6.2831854820251465), low = number(0.25 * -1.748455600074497e-7);
    real sum = number(0.042211804538965225);
    sum = multiply_add(sum, w, number(0.024152090772986412));
    sum = multiply_add(sum, w, number(0.0454760417342186));
    sum = multiply_add(sum, w, number(0.07495252043008804));
    sum = multiply_add(sum, w, number(0.16666753590106964));
#endif
    const real rest = w * sum;
    // q · high is exact.
    return multiply_add(q, high, -(v - multiply_add(-v, rest, q * low)));
}
