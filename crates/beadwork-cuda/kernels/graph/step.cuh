// The graph plan: kernels of a graph make the steps of members that are too large for a block, or whose generator
// blocks do not have. All data between kernels are in device memory.
//
// Forces: four lanes for each bead, as in the block plan. Moves: one thread for each bead. The positions of step n of a
// launch have the time 2 n, the predicted ones 2 n + 1. A member stops at the time of its first error. Schemes with
// velocities move first, then compute the forces of the next time; only at time 0 the forces come before all moves.

#if WIDE
typedef u32 Neighbour;
#else
typedef u16 Neighbour;
#endif

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
    Drive *sample_drives;
    Sums *sample_sums;
    Outcome *outcomes;
};

// Members of one system. Each array holds one member after another.
struct GraphBatch {
    System system;
    u32 members, drives_per_member;
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
    Drive *drives;
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
        return {{at.x, at.y, at.z}, TYPED ? static_cast<u32>(at.w) : 0};
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
// Evaluates the drives with one thread for each member.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_drives(STEP)
{
    const GraphBatch &batch = step.batch;
    const u32 member = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 time = time_of(step);
    if (member >= batch.members || !needs_forces(batch, member, time)) return;
    const Member &record = batch.records[member];
    const u32 first = member * batch.drives_per_member;
    // Only the forces of a step count in the sums: not predicted ones, and not those before all steps.
    const bool counts = !step.is_ahead && !(Scheme::HAS_VELOCITIES && time == 0);
    pull_all<Scheme::LOOKS_AHEAD>(batch.drives + first, record.drives, record.stage_step + time / 2 + step.is_ahead, positions_of(step, member),
                                  batch.shares + 3 * first, 1, counts ? batch.sums + member : nullptr);
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
        const auto add = [&](const Vector &one) { force = force + component(one, me.part); };
        if (share.has && me.part < 3) Terms::Angles::visit(system, me.bead, positions, add);
    }
    real4 *const to = batch.forces + static_cast<u64>(share.member) * system.beads + me.bead;
    if (share.has && me.part < 3) axis_of(*to, me.part) = force;
}

// The bead of a thread in the kernels that move beads.
struct GraphBead {
    typedef Vector Value;
    static constexpr bool HAS_FORCES = true;
    static constexpr u32 now = 0, next = 1;

    const GraphBatch &batch;
    const Member &record;
    const u32 member, bead, flags, time;
    const u64 row;
    const real mobility;
    const real4 here;

    __device__ __forceinline__ GraphBead(const GraphStep &step, const Share &share, u32 time)
        : batch(step.batch), record(step.batch.records[share.member]), member(share.member), bead(share.index), flags(record.flags[bead]), time(time),
          row(static_cast<u64>(share.member) * step.batch.system.beads + share.index), mobility(record.mobility), here(step.batch.positions[row])
    {
    }

    template <typename Act> __device__ __forceinline__ void each(Act act) { act(0); }
    __device__ __forceinline__ bool moves(u32) const { return !(flags & FIXED); }
    __device__ __forceinline__ Vector position(u32) const { return vector_of(here); }
    __device__ __forceinline__ void evaluate(u32, u32, u32) {}

    // The result of the kernels before, plus fields and drives.
    __device__ __forceinline__ Vector force(u32, u32, u32, u32 is_ahead) const
    {
        const u32 first = member * batch.drives_per_member;
        const GlobalPositions positions = {(is_ahead ? batch.ahead : batch.positions) + (row - bead)};
        const Vector force = vector_of(batch.forces[row]);
        typedef TermsOf<typename Terms::Bonded, typename Terms::Pairs, Angles<>, typename Terms::Singles> Others;
        if constexpr (!Others::OUTER) return force;
        return outer_forces<Others>(force, 0, batch.system, batch.drives + first, batch.shares + 3 * first, 1, bead, flags, positions, positions[bead]);
    }

    __device__ __forceinline__ Vector kick(u32, u32 iteration) const
    {
        if (record.amplitude == 0 || ((HYBRID_TAUS || DRAWN_BY_BEAD) && flags & FIXED)) return {0, 0, 0};
        u32 words[WORDS];
#if HYBRID_TAUS
        const uint4 before = batch.noise_states[row];
        u32 state[4] = {before.x, before.y, before.z, before.w};
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = hybrid_taus(state);
        batch.noise_states[row] = make_uint4(state[0], state[1], state[2], state[3]);
#elif DRAWN_BY_BEAD
        const u32 beads = batch.system.beads;
        u32 *const states = batch.generator_states + member * static_cast<u64>(batch.state_words);
        Generator generator;
        generator.load(states, bead, beads);
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = generator.next();
        generator.store(states, bead, beads);
#elif LAGGED_FIBONACCI || MT19937
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = batch.words[row * WORDS + k];
#else
        keyed_words(words, record.key0, record.key1, record.step + iteration, bead);
#endif
        Vector kick;
        normals(words, kick.x, kick.y, kick.z);
        return kick * record.amplitude;
    }

    __device__ __forceinline__ TypeInertia constants() const { return record.inertia[batch.system.type_of[bead]]; }
    __device__ __forceinline__ Inertia inertia(u32) const
    {
        const TypeInertia of_type = constants();
        return {record.half_step, of_type.half_kick, of_type.drag};
    }
    __device__ __forceinline__ Vector noise(u32, u32 iteration) const { return kick(0, iteration) * constants().noise; }
    __device__ __forceinline__ Vector velocity(u32) const { return vector_of(batch.velocities[row]); }
    __device__ __forceinline__ Vector known_force(u32) const { return vector_of(batch.first_forces[row]); }

    __device__ __forceinline__ void place(u32, const Moving<Vector> &to) const
    {
        batch.positions[row] = row_of(to.position, here.w);
        batch.velocities[row] = row_of(to.velocity, 0);
    }

    __device__ __forceinline__ void know(u32, const Vector &velocity, const Vector &force) const
    {
        batch.velocities[row] = row_of(velocity, 0);
        batch.first_forces[row] = row_of(force, 0);
    }

    // Keeps the forces before all steps, unless the host knew them.
    __device__ __forceinline__ void begin_forces() const
    {
        if (record.forces == nullptr) batch.first_forces[row] = row_of(force(0, now, 0, 0), 0);
    }

    __device__ __forceinline__ void keep(u32, const Acting<Vector> &acting) const
    {
        batch.first_forces[row] = row_of(acting.force, 0);
        batch.kicks[row] = row_of(acting.kick, 0);
    }

    __device__ __forceinline__ Acting<Vector> kept(u32) const
    {
        return {vector_of(batch.first_forces[row]), {0, 0, 0}, vector_of(batch.kicks[row]), mobility};
    }

    __device__ __forceinline__ void move(u32, const Vector &to, const Vector &shift) const
    {
        batch.positions[row] = row_of(to, here.w);
        batch.square_displacements[row] += in_units(shift, record.square_base);
    }

    __device__ __forceinline__ void publish(u32 buffer, u32, const Vector &to) const
    {
        if (Scheme::LOOKS_AHEAD && buffer == next) batch.ahead[row] = row_of(to, here.w);
    }

    // Records the time of the next positions if the list may miss a pair within the cutoff there.
    __device__ __forceinline__ bool went_far(u32, const Vector &to) const
    {
        if constexpr (Terms::Pairs::TERMS > 0) {
            const u32 then = Scheme::LOOKS_AHEAD ? time + 1 : time + 2;
            if (separation(to, vector_of(batch.references[row])).r2 > batch.system.square_shift) batch.progress[member].far = then;
        }
        return false;
    }

    __device__ __forceinline__ bool segment_ends(u32) const { return false; }
    __device__ __forceinline__ void swap() {}
};

// Whether to move a bead in a running member: not if an earlier kernel found an error, since the length of a broken bond is
// computed at the positions of the error.
__device__ __forceinline__ bool is_to_move(const GraphStep &step, const Share &share, u32 time, bool runs)
{
    const GraphBatch &batch = step.batch;
    if (!share.has || !runs) return false;
    if (!is_finite(positions_of(step, share.member)[share.index])) report(batch, share.member, time, NOT_FINITE | share.index);
    return batch.progress[share.member].error >> 32 > time;
}

template <typename Scheme> __device__ __forceinline__ void begin(GraphBead &bead, u32 time)
{
    if constexpr (Scheme::HAS_VELOCITIES) {
        begin_motion<Scheme>(bead, time / 2);
    } else {
        begin_step<Scheme>(bead, time / 2);
    }
}

template <typename Scheme> __device__ __forceinline__ void finish(GraphBead &bead, u32 time)
{
    if constexpr (Scheme::LOOKS_AHEAD) end_step<Scheme>(bead, time / 2);
    if constexpr (Scheme::HAS_VELOCITIES) {
        if (time == 0) {
            bead.begin_forces();
        } else {
            end_motion<Scheme>(bead, time / 2 - 1);
        }
    }
}

// The step of a bead, or its first part.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_move(STEP)
{
    const Share share = share_of(step.batch.system.beads);
    const u32 time = time_of(step);
    if (!is_to_move(step, share, time, is_running(step.batch, share.member, time))) return;
    GraphBead bead(step, share, time);
    begin<Scheme>(bead, time);
}

// The second part of the step of a bead, after the forces.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_finish(STEP)
{
    const Share share = share_of(step.batch.system.beads);
    const u32 time = time_of(step);
    if (!is_to_move(step, share, time, needs_forces(step.batch, share.member, time))) return;
    GraphBead bead(step, share, time);
    finish<Scheme>(bead, time);
}

// Counts the steps of a graph.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_count(STEP) { *step.batch.iteration += step.ahead; }
