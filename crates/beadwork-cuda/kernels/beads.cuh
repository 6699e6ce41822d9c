// The beads plan, for beads on which nothing acts but traps: each is stepped on its own, by a thread that keeps all that it
// knows of it for the steps of a launch. No thread waits for another.
//
// The sums of samples are added to what the host wrote there: those since the row before. An outcome's `step` is the order
// (`Trouble`) of the first bead that was nowhere; the host makes the outcome of it.

// A bead, and what acts on it.
struct Bead {
    const Topology *topology;
    u32 number, next_trap, last_trap;
    // Most beads have one trap at most; without one it pulls with nothing.
    Trap trap;
    real at[3];

    __device__ __forceinline__ void pull(const Trap &well, const real there[3], real force[3]) const
    {
        force[0] += well.stiffness * (well.x - there[0]);
        force[1] += well.stiffness * (well.y - there[1]);
        force[2] += well.stiffness * (well.z - there[2]);
    }

    __device__ __forceinline__ void find_force(const real there[3], real force[3]) const
    {
        force[0] = force[1] = force[2] = 0;
#if TRAPS
        pull(trap, there, force);
#pragma unroll 1
        for (u32 t = next_trap; t < last_trap; ++t) pull(topology->traps[t], there, force);
#endif
    }
};

__device__ __forceinline__ Bead bead_of(const Member &member, u32 number)
{
    Bead bead = {member.topology, number, 0, 0, {0, 0, 0, 0}, {0, 0, 0}};
#if TRAPS
    bead.next_trap = member.topology->trap_starts[number];
    bead.last_trap = member.topology->trap_starts[number + 1];
    if (bead.next_trap < bead.last_trap) bead.trap = member.topology->traps[bead.next_trap++];
#endif
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) bead.at[axis] = member.positions[3 * number + axis];
    return bead;
}

// What moves beads, the same for all of a member.
struct Motion {
    real mobility, amplitude, square_base;
    u32 key0, key1;
};

// Makes a step; returns the squares of the displacements, in units. `predicted` is where a step of second order looked ahead.
__device__ __forceinline__ u64 make_step(Bead &bead, const Motion &motion, Generator &generator, bool draws, u64 step, real predicted[3])
{
    real push[3] = {0, 0, 0};
    if (draws) {
        u32 words[WORDS];
        generator.begin(motion.key0, motion.key1, step, bead.number);
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k) words[k] = generator.next();
        normals(words, push[0], push[1], push[2]);
#pragma unroll
        for (u32 axis = 0; axis < 3; ++axis) push[axis] *= motion.amplitude;
    }
    real force[3];
    bead.find_force(bead.at, force);
#if SECOND_ORDER
    real second_force[3];
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) predicted[axis] = bead.at[axis] + multiply_add(force[axis], motion.mobility, push[axis]);
    bead.find_force(predicted, second_force);
#endif
    u64 squares = 0;
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
#if !TRAPS
        const real shift = push[axis];
#elif SECOND_ORDER
        const real shift = multiply_add(force[axis] + second_force[axis], real(0.5) * motion.mobility, push[axis]);
#else
        const real shift = multiply_add(force[axis], motion.mobility, push[axis]);
#endif
        bead.at[axis] += shift;
        squares += in_units(shift, motion.square_base);
    }
    return squares;
}

__device__ __forceinline__ bool is_somewhere(const real at[3]) { return is_finite(at[0]) && is_finite(at[1]) && is_finite(at[2]); }

// When a bead was first nowhere, as `Trouble` counts: it stays there, so that it is noticed late and looked for again.
__device__ __noinline__ u32 time_of_trouble(const Member &member, const Motion &motion, u32 number, bool draws, u32 steps)
{
    Bead bead = bead_of(member, number);
    Generator generator;
    generator.load(member.noise_states, number, member.topology->beads);
    for (u32 k = 0; k < steps; ++k) {
        real predicted[3] = {0, 0, 0};
        if (!is_somewhere(bead.at)) return 2 * k;
        make_step(bead, motion, generator, draws, member.step + k, predicted);
        if (!is_somewhere(predicted)) return 2 * k + 1;
    }
    return 2 * steps;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) beadwork_beads(const __grid_constant__ Launch launch)
{
    // Members of a launch have as many beads.
    const u32 beads = launch.members[0].topology->beads;
    const u32 blocks = (beads + THREADS - 1) / THREADS;
    const Member &member = launch.members[blockIdx.x / blocks];
    Outcome &outcome = launch.outcomes[blockIdx.x / blocks];
    const u32 place = blockIdx.x % blocks * THREADS + threadIdx.x;
    const bool has = place < beads;
    // A thread beyond the last bead stands still.
    const u32 number = has ? place : 0;

    Bead bead = bead_of(member, number);
    const Motion motion = {member.mobility, member.amplitude, member.square_base, member.key0, member.key1};
    const bool moves = has && !(member.flags[number] & FIXED), draws = motion.amplitude != 0;
    Generator generator;
    generator.load(member.noise_states, number, beads);

    u64 squares = 0, step = member.step;
    u32 made = 0;
    bool told = false;
    for (u32 segment = 0; segment < member.segments; ++segment) {
        const Segment now = launch.segments[member.first_segment + segment];
        made += now.steps;
        if (moves) {
            real predicted[3];
#pragma unroll 2
            for (u32 k = 0; k < now.steps; ++k, ++step) squares += make_step(bead, motion, generator, draws, step, predicted);
        }
        const u32 slot = member.first_slot + segment;
        if (has) {
            if (!told && !is_somewhere(bead.at)) {
                told = true;
                const u32 time = time_of_trouble(member, motion, number, draws, made);
                atomicMin(&outcome.step, static_cast<u64>(time) << 32 | NOT_FINITE | number);
            }
            const u64 row = static_cast<u64>(segment) * beads;
#pragma unroll
            for (u32 axis = 0; axis < 3; ++axis) member.sample_positions[3 * (row + number) + axis] = bead.at[axis];
            generator.store(member.sample_noise_states + row * Generator::STATE_WORDS, number, beads);
        }
        u64 sum = squares;
        for (u32 apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
        if (threadIdx.x % 32 == 0) atomicAdd(&launch.sample_sums[slot].square_displacements, sum);
        if (now.row) squares = 0;
    }
}
