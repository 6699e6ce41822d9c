// What acts on a bead, for either plan: the terms in their order, and what comes from outside.
//
// `Positions` has the beads of one member by their numbers.

// Partial sums of a bead.
constexpr u32 LANES = 4;

struct Point {
    real x, y, z;
};

// The first thing that a lane found wrong, by when and what: at the positions of an iteration or at those predicted from
// there, the number of a bond or of a bead.
struct Trouble {
    u32 when, what;
    float length;

    __device__ __forceinline__ void report(u32 time, u32 number, real distance)
    {
        if (time > when || (time == when && number > what)) return;
        when = time;
        what = number;
        length = static_cast<float>(distance);
    }

    __device__ __forceinline__ u64 order() const { return static_cast<u64>(when) << 32 | what; }
};

constexpr u32 NO_TIME = 0xffffffffu;

struct Place {
    u32 bead, part, place, places;
};

struct Force {
    real x, y, z;
};

__device__ __forceinline__ void add_pair(Force &sum, real factor, real x, real y, real z)
{
    sum.x = multiply_add(factor, x, sum.x);
    sum.y = multiply_add(factor, y, sum.y);
    sum.z = multiply_add(factor, z, sum.z);
}

// A bond to a bead that is nowhere is that bead's trouble.
__device__ __forceinline__ bool are_finite(real x, real y, real z) { return is_finite(x) && is_finite(y) && is_finite(z); }

#define APART(at, other)                                                                                             \
    const real x = (at).x - (other).x, y = (at).y - (other).y, z = (at).z - (other).z;                               \
    const real r2 = multiply_add(z, z, multiply_add(y, y, x * x))

__device__ __forceinline__ NativeContact read(const NativeContact *contact)
{
#if DOUBLE
    return *contact;
#else
    const uint4 words = __ldg(reinterpret_cast<const uint4 *>(contact));
    return {words.x, words.y, __uint_as_float(words.z), __uint_as_float(words.w)};
#endif
}

__device__ __forceinline__ u32 most_of_warp(u32 count)
{
    for (u32 apart = 16; apart > 0; apart /= 2) count = max(count, __shfl_xor_sync(0xffffffffu, count, apart));
    return count;
}

// Adds a repelling pair if it is nearer than the cutoff and `acts`.
__device__ __forceinline__ void repel(const Topology &topology, Point at, Point other, bool acts, Force &sum)
{
    APART(at, other);
    const real factor = repulsion_over_distance(topology.repulsion_scale, r2);
    if (acts && r2 < topology.square_cutoff) add_pair(sum, factor, x, y, z);
}

// Looks at the bonds of a place.
template <typename Positions>
__device__ __forceinline__ void verify(const Topology &topology, const Place &me, const Positions positions, Point at, u32 time,
                                       Trouble &trouble)
{
#if FENE_BONDS
    for (u32 k = 0, count = topology.fene_bonds.counts[me.place]; k < count; ++k) {
        const FeneBond bond = topology.fene_bonds.entries[k * me.places + me.place];
        APART(at, positions[bond.partner]);
        const real r = root(r2);
        if (!holds(bond, r) && are_finite(x, y, z)) trouble.report(time, bond.number, r);
    }
#endif
}

// A square of a displacement in the member's units (`layout::square_unit`). The sum of a number and of one whose last place
// is the unit has the square, rounded, in its last bits. Squares of 2²³ units and more count for less than they are.
__device__ __forceinline__ u32 in_units(real shift, real base)
{
#if DOUBLE
    return __double2loint(fma(shift, shift, base));
#else
    return __float_as_uint(fmaf(shift, shift, base)) - __float_as_uint(base);
#endif
}

// Traps of the system, then the drives in their order, for one axis of a bead at `at`.
__device__ __forceinline__ real outer_forces(real force, const Topology &topology, const Drive *drives, const real *shares, u32 stride,
                                             u32 bead, u32 axis, u32 flags, real at)
{
#if TRAPS
    for (u32 t = topology.trap_starts[bead]; t < topology.trap_starts[bead + 1]; ++t) {
        const Trap trap = topology.traps[t];
        force += trap.stiffness * ((axis == 0 ? trap.x : axis == 1 ? trap.y : trap.z) - at);
    }
#endif
#if PULLED
    u32 acting = flags & ~FIXED;
    while (acting) {
        const u32 number = __ffs(acting) - 1;
        acting &= acting - 1;
        if (drives[number].kind == RESTRAIN) {
            const double apart = drives[number].anchors[3 * bead + axis] - static_cast<double>(at);
            force += static_cast<real>(drives[number].stiffness * apart);
        } else {
            force += shares[(3 * number + axis) * stride];
        }
    }
#endif
    return force;
}

