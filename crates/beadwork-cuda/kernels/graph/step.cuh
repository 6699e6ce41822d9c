// The graph plan: kernels of a graph make the steps of members that are too large for a block, or whose generator
// blocks do not have. All data between kernels are in device memory.
//
// Forces: four lanes for each bead, as in the block plan. Moves: one thread for each bead. The positions of step n of a
// launch have the time 2 n, the predicted ones 2 n + 1. A member stops at the time of its first error. Schemes with
// velocities move first, then compute the forces of the next time; only at time 0 the forces come before all moves.
#pragma once

#include "externals/pulling.cuh"
#include "groups/quad_forces.cuh"
#include "thermostat.cuh"

// The largest number of threads of a block.
constexpr u32 MOST_THREADS = 256;

// Whether each bead has a generator other than Hybrid Taus, with its states in rows; whether any generator has a state.
#define DRAWN_BY_BEAD (LCG || RAN2 || XORWOW)
#define DRAWN (DRAWN_BY_BEAD || LAGGED_FIBONACCI || MT19937)

// The progress of a member.
struct Progress {
    // The time and number of its first error, or NO_ERROR.
    u64 error;
    // The number of steps in all, the step at which the present segment ends, and the segment.
    u32 steps, end, segment;
    // The time at which a bead was last seen too far from its position at the last build of the list.
    u32 far;
};

// Addresses for the output of a launch.
struct SampleOrders {
    const Segment *segments;
    External *sample_externals;
    Sums *sample_sums;
    Outcome *outcomes;
};

// Members of one system. Each array holds one member after another.
struct GraphBatch {
    System system;
    u32 members, externals_per_member;
    // The number of buckets less one.
    u32 cell_mask;
    // For generators that draw words in sequence: the words of a member's state; for Lagged Fibonacci the lags and how
    // many numbers can be made in parallel.
    u32 state_words, short_lag, long_lag, side_by_side, padding;
    double cells_per_angstrom;
    // Steps that earlier graphs made.
    u32 *iteration;
    // The longest list that did not fit, in entries for each slot.
    u32 *overflow;
    const SampleOrders *orders;
    const Member *records;
    Progress *progress;
    Sums *sums;
    External *externals;
    real *shares;
    // For each bead; the last component of a position is the type of the bead.
    real4 *positions, *ahead, *references;
    real4 *forces, *first_forces, *kicks;
    u64 *square_displacements;
    uint4 *noise_states;
    u32 *neighbour_counts;
    Neighbour *neighbours;
    u32 *cell_heads, *cell_links;
    // The state of each member as on the host (`beadwork_random::States::packed`), and the words of a step.
    u32 *generator_states, *words;
    // For schemes with velocities, which also keep the forces at the beginning of a step in `first_forces`.
    real4 *velocities;
};

struct GraphStep {
    GraphBatch batch;
    // Steps after those of `iteration`, and whether predicted positions are meant.
    u32 ahead, is_ahead;
};

// The host has the same sizes (`src/layout.rs`).
static_assert(sizeof(Progress) == 24 && sizeof(SampleOrders) == 32, "Progress, SampleOrders");
static_assert(sizeof(GraphStep) == sizeof(System) + 8 * 4 + 24 * 8 + 8, "GraphStep");

#define STEP const __grid_constant__ GraphStep step

__device__ __forceinline__ u32 time_of(const GraphStep &step) { return 2 * (*step.batch.iteration + step.ahead) + step.is_ahead; }

// Whether a member makes the step of this time and has no error before it.
__device__ __forceinline__ bool is_running(const GraphBatch &batch, u32 member, u32 time)
{
    const Progress &progress = batch.progress[member];
    return time / 2 < progress.steps && progress.error >> 32 >= time;
}

// Whether the forces at this time belong to the steps of a member: with velocities, also those at the end of its last step.
__device__ __forceinline__ bool has_forces_at(const Progress &progress, u32 time)
{
    if constexpr (Scheme::HAS_VELOCITIES) return progress.steps > 0 && time / 2 <= progress.steps;
    return time / 2 < progress.steps;
}

// Whether a member needs forces at this time and has no error before it.
__device__ __forceinline__ bool needs_forces(const GraphBatch &batch, u32 member, u32 time)
{
    const Progress &progress = batch.progress[member];
    return has_forces_at(progress, time) && progress.error >> 32 >= time;
}

__device__ __forceinline__ void report(const GraphBatch &batch, u32 member, u32 time, u32 what)
{
    atomicMin(&batch.progress[member].error, static_cast<u64>(time) << 32 | what);
}

// The work of a thread: number `index` of `count` items of a member. All threads of a block have one member.
struct Share {
    u32 member, index;
    bool has;
};

__device__ __forceinline__ Share share_of(u32 count)
{
    const u32 blocks = (count + blockDim.x - 1) / blockDim.x;
    const u32 member = blockIdx.x / blocks;
    const u32 index = (blockIdx.x - member * blocks) * blockDim.x + threadIdx.x;
    return {member, index, index < count};
}

__device__ __forceinline__ Slot slot_of(const System &system, u32 number)
{
    return {number / PARTIAL_SUMS, number % PARTIAL_SUMS, number, PARTIAL_SUMS * system.beads};
}

// The beads of a member, in memory that the kernel only reads.
struct GlobalPositions {
    const real4 *rows;

    __device__ __forceinline__ real4 row(u32 bead) const
    {
#if DOUBLE
        const double2 *halves = reinterpret_cast<const double2 *>(rows + bead);
        const double2 first = __ldg(halves), second = __ldg(halves + 1);
        return {first.x, first.y, second.x, second.y};
#else
        return __ldg(rows + bead);
#endif
    }

    __device__ __forceinline__ Vector operator[](u32 bead) const
    {
        const real4 at = row(bead);
        return {at.x, at.y, at.z};
    }

    __device__ __forceinline__ Particle particle(u32 bead) const
    {
        const real4 at = row(bead);
        return {{at.x, at.y, at.z}, TYPED ? static_cast<u32>(at.w) : 0, bead, bead};
    }
};

__device__ __forceinline__ GlobalPositions positions_of(const GraphStep &step, u32 member)
{
    const GraphBatch &batch = step.batch;
    return {(step.is_ahead ? batch.ahead : batch.positions) + static_cast<u64>(member) * batch.system.beads};
}

__device__ __forceinline__ Neighbour *neighbours_of(const GraphBatch &batch, u32 member)
{
    return batch.neighbours + static_cast<u64>(member) * batch.system.list_capacity * PARTIAL_SUMS * batch.system.beads;
}

__device__ __forceinline__ real4 row_of(const Vector &at, real w)
{
    real4 row;
    row.x = at.x;
    row.y = at.y;
    row.z = at.z;
    row.w = w;
    return row;
}

__device__ __forceinline__ Vector vector_of(const real4 &row) { return {row.x, row.y, row.z}; }

#if PULLED
// Evaluates the externals with one thread for each member.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_externals(STEP)
{
    const GraphBatch &batch = step.batch;
    const u32 member = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 time = time_of(step);
    if (member >= batch.members || !needs_forces(batch, member, time)) return;
    const Member &record = batch.records[member];
    const u32 first = member * batch.externals_per_member;
    // Only the forces of a step count in the sums: not predicted ones, and not those before all steps.
    const bool counts = !step.is_ahead && !(Scheme::HAS_VELOCITIES && time == 0);
    StepError unused = {NO_TIME, NO_TIME, 0};
    pull_all<Scheme::LOOKS_AHEAD>(batch.externals + first, record.externals, record.stage_step + time / 2 + step.is_ahead, positions_of(step, member),
                                  batch.shares + 3 * first, 1, counts ? batch.sums + member : nullptr, time, unused);
}
#endif

// Sums of all slots, four lanes for each bead, and their tree; then angles, which need other beads before they move.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_forces(STEP)
{
    const GraphBatch &batch = step.batch;
    const System &system = batch.system;
    const Share share = share_of(PARTIAL_SUMS * system.beads);
    const u32 time = time_of(step);
    if (!needs_forces(batch, share.member, time)) return;
    const Slot me = slot_of(system, share.has ? share.index : share.index % PARTIAL_SUMS);
    const GlobalPositions positions = positions_of(step, share.member);
    const Particle here = positions.particle(me.bead);
    Vector sum = {0, 0, 0};
    StepError error = {NO_TIME, NO_TIME, 0};
    Terms::Bonded::add_all(system, me, positions, here.at, time, sum, error);
    if (share.has && error.time != NO_TIME) report(batch, share.member, time, error.what);
    if constexpr (Terms::Pairs::TERMS > 0) {
        typename Terms::Pairs pairs;
        pairs.find(system);
        const u32 types = TYPED ? here.type * system.types : 0;
        const Neighbour *const list = neighbours_of(batch, share.member) + me.number;
        const u32 count = batch.neighbour_counts[static_cast<u64>(share.member) * me.count + me.number];
#pragma unroll 4
        for (u32 k = 0; k < count; ++k) {
            const Particle other = positions.particle(list[static_cast<u64>(k) * me.count]);
            const Separation pair = separation(here.at, other.at);
            real factor;
            if (pairs.evaluate(pair.r2, types + other.type, factor)) add_force(sum, factor, pair.apart);
        }
    }
    real force = gather(sum, me.part);
    if constexpr (Terms::Angles::TERMS > 0) {
        const auto add = [&](const AngleForces &forces, const u32 *, u32 role) { force = force + component(force_of_role(forces, role), me.part); };
        if (share.has && me.part < 3) Terms::Angles::visit(system, me.bead, positions, add);
    }
    real4 *const to = batch.forces + static_cast<u64>(share.member) * system.beads + me.bead;
    if (share.has && me.part < 3) axis_of(*to, me.part) = force;
}
