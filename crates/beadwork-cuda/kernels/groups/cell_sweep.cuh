// Neighbours found anew at each step of the grid plan, for terms of short range: a list with a skin would have more beads beyond
// the cutoff than within it, and fast beads cross the skin in a few steps. When a bead moves it enters the cell of its new place,
// which has room for as many beads as a slot's list; so no step waits for a sort.

// The cells along an axis around one: `count` of them, the first of which is `first`.
struct CellsAround {
    u32 first, count, sides;

    __device__ __forceinline__ u32 operator[](u32 k) const { return first + k < sides ? first + k : first + k - sides; }
};

__device__ __forceinline__ CellsAround cells_around(u32 cell, u32 sides)
{
    if (sides < 4) return {0, sides, sides};
    return {cell > 0 ? cell - 1 : sides - 1, 3, sides};
}

// The cells of a plane among those around a bead.
constexpr u32 PLANE = 9;

// Candidates of a lane that are loaded together.
constexpr u32 AT_ONCE = 2;

// Words of shared memory of the four lanes of a bead: its candidates, then its neighbours. `Shape` has the same numbers; four more
// words each keep the lanes of a warp in different banks.
__device__ __forceinline__ u32 candidate_words(u32 capacity) { return PLANE * capacity + 4; }
__device__ __forceinline__ u32 neighbour_words(u32 capacity) { return PARTIAL_SUMS * capacity + 4; }

struct NeighbourSearch : BeadOrder {
    // The beads of a cell, and of each of the four slots of a bead, that there is room for.
    const u32 capacity;
    // Of the four lanes of a bead.
    u32 *const candidates, *const neighbours;
    // The number of barriers that followed moves: beads are in the cells of this number and enter those of the next one. Beads
    // have two copies, counts three, one of which is cleared meanwhile.
    u32 generation;

    __device__ __forceinline__ u32 *counts(u32 of) const { return grid.cells.entered + of % 3 * grid.cells.count; }
    __device__ __forceinline__ real4 *rows(u32 of) const { return grid.cells.sorted + static_cast<u64>(of % 2) * grid.cells.count * capacity; }

    static __device__ __forceinline__ u32 words_of_bead(u32 capacity) { return candidate_words(capacity) + neighbour_words(capacity); }

    template <typename Group> __device__ __forceinline__ void sort(Group &, const real4 *) const {}

    // Enters a bead into the cell of its next place; each lane has a coordinate. All lanes of the warp take part.
    __device__ __forceinline__ void enter(const Slot &me, bool has, real coordinate, u32 *most) const
    {
        real4 at = {};
        at.x = __shfl_sync(0xffffffffu, coordinate, 0, PARTIAL_SUMS);
        at.y = __shfl_sync(0xffffffffu, coordinate, 1, PARTIAL_SUMS);
        at.z = __shfl_sync(0xffffffffu, coordinate, 2, PARTIAL_SUMS);
        const u32 cell = CellSort<false>{grid.cells, flags}.cell_of(at);
        u32 place = 0;
        if (has && me.part == 0) place = atomicAdd(counts(generation + 1) + cell, 1u);
        place = __shfl_sync(0xffffffffu, place, 0, PARTIAL_SUMS);
        if (!has) return;
        if (place < capacity) {
            axis_of(rows(generation + 1)[static_cast<u64>(cell) * capacity + place], me.part) = me.part < 3 ? coordinate : of_bits(me.bead);
        } else {
            atomicMax(most, place + 1);
        }
    }

    // After a barrier that followed moves. No thread enters the cells that this one clears before the next barrier.
    __device__ __forceinline__ void turn_over(u32 rank, u32 blocks)
    {
        ++generation;
        u32 *const free = counts(generation + 2);
        for (u32 cell = rank * blockDim.x + threadIdx.x; cell < grid.cells.count; cell += blocks * blockDim.x) free[cell] = 0;
    }

    // Finds the neighbours of a bead, whose four lanes share the work; returns their number. All lanes of the warp take part.
    __device__ __forceinline__ u32 find(const System &system, const Slot &me, bool has, const Vector &here, u32 *most) const
    {
        const u32 shift = threadIdx.x % 32 / PARTIAL_SUMS * PARTIAL_SUMS;
        // Most beads have no excluded partners: their lanes do not look for any.
        const bool excludes = (__ballot_sync(0xffffffffu, has && system.excluded.counts[me.number] > 0) >> shift & 15) != 0;
        const real4 *const all = rows(generation);
        const CellSort<false> cells = {grid.cells, flags};
        const u32 *const sides = grid.cells.sides;
        const CellsAround x = cells_around(cells.along(here.x, 0), sides[0]);
        const CellsAround y = cells_around(cells.along(here.y, 1), sides[1]);
        const CellsAround z = cells_around(cells.along(here.z, 2), sides[2]);
        const u32 lanes_before = (1u << me.part) - 1;
        u32 found = 0;
#pragma unroll 1
        for (u32 plane = 0; plane < z.count; ++plane) {
            const u32 count = gather(cells, x, y, z[plane], has, me.part);
            // Several candidates of a lane are loaded before the first is tested, to hide latency.
            const u32 each = (count + PARTIAL_SUMS - 1) / PARTIAL_SUMS, rounds = most_of_warp((each + AT_ONCE - 1) / AT_ONCE);
#pragma unroll 1
            for (u32 round = 0; round < rounds; ++round) {
                real4 others[AT_ONCE];
                bool near[AT_ONCE];
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; ++k) {
                    const u32 candidate = (AT_ONCE * round + k) * PARTIAL_SUMS + me.part;
                    near[k] = candidate < count;
                    others[k] = {};
                    if (near[k]) others[k] = all[candidates[candidate]];
                }
#pragma unroll
                for (u32 k = 0; k < AT_ONCE; ++k) {
                    const u32 bead = static_cast<u32>(bits_of(others[k].w));
                    // Terms test their own cutoffs by types.
                    near[k] = near[k] && square_distance(system, here, others[k]) < system.square_list && bead != me.bead;
                    if (excludes && near[k]) near[k] = !is_excluded(system, me, bead);
                    const u32 hits = __ballot_sync(0xffffffffu, near[k]) >> shift & 15;
                    const u32 place = found + __popc(hits & lanes_before);
                    if (near[k] && place < PARTIAL_SUMS * capacity) neighbours[place] = bead;
                    found += __popc(hits);
                }
            }
            __syncwarp();
        }
        if (found > PARTIAL_SUMS * capacity && me.part == 0) atomicMax(most, (found + PARTIAL_SUMS - 1) / PARTIAL_SUMS);
        return min(found, PARTIAL_SUMS * capacity);
    }

    // Gathers the beads of a plane of cells; returns their number. All lanes of the warp take part.
    __device__ __forceinline__ u32 gather(const CellSort<false> &cells, const CellsAround &x, const CellsAround &y, u32 z, bool has, u32 part) const
    {
        constexpr u32 TURNS = (PLANE + PARTIAL_SUMS - 1) / PARTIAL_SUMS;
        // Multiplied by this and divided by 32, the number of a cell is that of its line.
        const u32 per_line = x.count == 3 ? 11 : 32 / x.count;
        u32 of_cell[TURNS], first[TURNS], mine = 0;
#pragma unroll
        for (u32 turn = 0; turn < TURNS; ++turn) {
            const u32 k = turn * PARTIAL_SUMS + part, line = k * per_line / 32;
            of_cell[turn] = first[turn] = 0;
            if (has && k < x.count * y.count) {
                const u32 cell = cells.number(x[k - line * x.count], y[line], z);
                of_cell[turn] = min(counts(generation)[cell], capacity);
                first[turn] = cell * capacity;
            }
            mine += of_cell[turn];
        }
        u32 sum = mine;
#pragma unroll
        for (u32 apart = 1; apart < PARTIAL_SUMS; apart *= 2) {
            const u32 other = __shfl_up_sync(0xffffffffu, sum, apart, PARTIAL_SUMS);
            if (part >= apart) sum += other;
        }
        u32 *to = candidates + (sum - mine);
#pragma unroll
        for (u32 turn = 0; turn < TURNS; ++turn) {
            for (u32 k = 0; k < of_cell[turn]; ++k) *to++ = first[turn] + k;
        }
        __syncwarp();
        return __shfl_sync(0xffffffffu, sum, PARTIAL_SUMS - 1, PARTIAL_SUMS);
    }
};

__device__ __forceinline__ NeighbourSearch search_of(const Launch &launch, SharedFlags *flags, const System &system, u32 *memory)
{
    const u32 capacity = system.list_capacity, bead = threadIdx.x / PARTIAL_SUMS, beads = blockDim.x / PARTIAL_SUMS;
    return {{grid_of(launch), flags, nullptr},
            capacity,
            memory + bead * candidate_words(capacity),
            memory + beads * candidate_words(capacity) + bead * neighbour_words(capacity),
            0};
}
