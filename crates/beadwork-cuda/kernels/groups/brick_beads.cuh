// The beads in and around a brick of cells, in shared memory.
#pragma once

#include "groups/cells.cuh"

// Division by a number of cells along a side of a brick and its surroundings, for numbers below 4,096.
struct CellDivision {
    u32 by, inverse;

    explicit __device__ __forceinline__ CellDivision(u32 by) : by(by), inverse(65536 / by + 1) {}

    __device__ __forceinline__ u32 quotient(u32 number) const { return number * inverse >> 16; }
};

// The numbers of cells along each axis of a brick with its surroundings, which begin a cell before the brick.
struct CellCounts {
    u32 x, y, z;
};

// The part of a cell's side at which a coordinate lies.
__device__ __forceinline__ float part_of_cell(real coordinate, u32 sides)
{
#if DOUBLE
    const u32 part = static_cast<u32>(bits_of(coordinate) * sides >> 32);
#else
    const u32 part = bits_of(coordinate) * sides;
#endif
    return static_cast<float>(part) * 2.3283064e-10f;
}

// Coarse positions: x, y and z in bytes 1 to 3 of a word, byte 0 is zero. 256 units are a period, which is as long as two sides of a
// cell and the radius of the search. Beads of neighbouring cells are less than two sides apart along each axis, so a difference that
// wraps around is not within the radius.
struct CoarseSpace {
    // The lengths of a cell in these units.
    float lengths[3];
    // The square of a distance: beads that are nearer may be within the radius.
    int square;

    __device__ __forceinline__ CoarseSpace(const float (&cell)[3], float radius)
    {
        const float units = 256 / (2 * fmaxf(cell[0], fmaxf(cell[1], cell[2])) + radius);
        for (u32 k = 0; k < 3; ++k) lengths[k] = cell[k] * units;
        // Rounding down changes a difference by less than a unit along each axis. In y and z a borrow from the byte below takes another
        // unit. So the distance changes by less than the root of 1 + 4 + 4.
        const float far = radius * units + 3.125f;
        square = static_cast<int>(far * far) + 1;
    }

    // The position of a bead in a cell, whose coordinates are packed; the box has `cells` along each axis.
    __device__ __forceinline__ u32 position(const real4 &at, u32 packed_cell, const u32 *cells) const
    {
        const u32 x = (static_cast<float>(packed_cell & 255) + part_of_cell(at.x, cells[0])) * lengths[0];
        const u32 y = (static_cast<float>(packed_cell >> 8 & 255) + part_of_cell(at.y, cells[1])) * lengths[1];
        const u32 z = (static_cast<float>(packed_cell >> 16) + part_of_cell(at.z, cells[2])) * lengths[2];
        return (x & 255) << 8 | (y & 255) << 16 | z << 24;
    }

    static __device__ __forceinline__ bool are_near(u32 a, u32 b, int square)
    {
        const int apart = a - b;
        return __dp4a(apart, apart, 0) < square;
    }
};

__device__ __forceinline__ u64 *shared_memory()
{
    extern __shared__ __align__(16) u64 memory[];
    return memory;
}

// An array in shared memory, after the records: an offset takes one register, a pointer two.
template <typename Item> struct SharedArray {
    u32 offset;

    __device__ __forceinline__ Item *begin() const { return reinterpret_cast<Item *>(reinterpret_cast<u8 *>(shared_memory()) + offset); }
    __device__ __forceinline__ Item &operator[](u32 k) const { return begin()[k]; }
};

// Data of the beads in and around a brick, in the order of cells: where the host places it (`Launch::places`).
struct BrickMemory {
    // Coordinates with the bead's number, velocities with its type.
    SharedArray<real4> positions, velocities;
    // Coarse positions, to find neighbours.
    SharedArray<u32> coarse;
    // The number of each cell in the box; its coordinates in the surroundings, eight bits for x and y each, then z.
    SharedArray<u32> cells, packed_cells;
    // The first bead of each cell, and of each cell of the brick itself, and one more.
    SharedArray<u32> starts, own_starts;
    // The cells of the brick itself in the order in which they are visited; the brick's own beads, by index; the cell of each bead.
    SharedArray<u16> path, own, cell_of;
    // Neighbours that a thread found.
    SharedArray<u16> neighbours;
    // Tables by types.
    SharedArray<u8> tables;
};

// A brick: its number, the number of cells in and around it, and of those in it alone.
struct MappedBrick {
    u32 number, cells, own_cells;
    CellCounts around;
};

// In shared memory, what threads of a block have in common: registers are scarce.
struct BrickRecords {
    SharedFlags flags;
    Sums sums;
    System system;
    Member member;
    GridMember grid;
    BrickMemory memory;
    MappedBrick mapped;
    CoarseSpace coarse;
};

// The host has the same sizes (`src/plans/shared_memory.rs`).
static_assert(sizeof(BrickMemory) == 48 && sizeof(BrickMemory) + sizeof(MappedBrick) + sizeof(CoarseSpace) == 88, "BrickMemory");
static_assert(sizeof(BrickRecords) == sizeof(SharedFlags) + sizeof(Sums) + sizeof(System) + sizeof(Member) + sizeof(GridMember) + 88, "BrickRecords");

__device__ __forceinline__ BrickRecords &records() { return *reinterpret_cast<BrickRecords *>(shared_memory()); }

// No brick.
constexpr u32 NO_BRICK = 0xffffffffu;

// Too many beads lie in and around a brick: the mean number of beads in a cell is added to this.
constexpr u32 CROWDED = 0x80000000u;

// The beads in and around the brick of a block.
struct BrickBeads {
    const System &system;
    const GridMember &grid;
    const Bricks &bricks;
    const BrickMemory &memory;
    const MappedBrick &mapped;
    // The number of barriers that followed moves. Beads are read from copy `generation` of two and written to the next. Counts of
    // cells have three copies: one is read, one is written, one is cleared.
    u32 generation;
    // The beads of the brick.
    u32 beads_here;

    __device__ __forceinline__ BrickBeads()
        : system(records().system), grid(records().grid), bricks(records().grid.bricks), memory(records().memory), mapped(records().mapped), generation(0)
    {
    }

    __device__ __forceinline__ SharedFlags *flags() const { return &records().flags; }
    __device__ __forceinline__ u32 capacity() const { return system.list_capacity; }

    __device__ __forceinline__ u32 *counts(u32 of) const { return grid.cells.entered + of % 3 * grid.cells.count; }
    __device__ __forceinline__ real4 *rows(u32 of) const { return grid.cells.sorted + static_cast<u64>(of % 2) * 2 * grid.cells.count * capacity(); }
    __device__ __forceinline__ real4 *velocity_rows(u32 of) const { return rows(of) + grid.cells.count * capacity(); }

    // Finds the cells in and around a brick, and those of the brick on a path whose steps lead to the next cell, so that beads of a
    // warp are near each other.
    __device__ __forceinline__ void map(u32 brick)
    {
        const u32 plane = bricks.counts[0] * bricks.counts[1];
        const u32 at[3] = {brick % bricks.counts[0], brick % plane / bricks.counts[0], brick / plane};
        u32 first[3], own[3];
#pragma unroll
        for (u32 k = 0; k < 3; ++k) {
            first[k] = at[k] * bricks.sides[k];
            own[k] = min(bricks.sides[k], grid.cells.sides[k] - first[k]);
        }
        const CellCounts around = {own[0] + 2, own[1] + 2, own[2] + 2};
        const u32 cells = around.x * around.y * around.z, own_cells = own[0] * own[1] * own[2];
        __syncthreads();
        if (threadIdx.x == 0) records().mapped = {brick, cells, own_cells, around};
        const CellDivision along_x(around.x), along_y(around.y), own_x(own[0]), own_y(own[1]);
        const auto wrapped = [&](u32 k, u32 place) {
            const u32 sides = grid.cells.sides[k], along = first[k] + place + sides - 1;
            return along >= 2 * sides ? along - 2 * sides : along >= sides ? along - sides : along;
        };
        for (u32 cell = threadIdx.x; cell < cells; cell += blockDim.x) {
            const u32 line = along_x.quotient(cell), z = along_y.quotient(line), x = cell - line * around.x, y = line - z * around.y;
            memory.cells[cell] = CellSort<false>{grid.cells, flags()}.number(wrapped(0, x), wrapped(1, y), wrapped(2, z));
            memory.packed_cells[cell] = x | y << 8 | z << 16;
        }
        for (u32 step = threadIdx.x; step < own_cells; step += blockDim.x) {
            const u32 line = own_x.quotient(step), layer = own_y.quotient(line);
            u32 x = step - line * own[0], y = line - layer * own[1];
            if (line & 1) x = own[0] - 1 - x;
            if (layer & 1) y = own[1] - 1 - y;
            memory.path[step] = static_cast<u16>(((layer + 1) * around.y + y + 1) * around.x + x + 1);
        }
        __syncthreads();
    }

    // Copies the beads in and around a brick to shared memory.
    __device__ __forceinline__ void load(u32 brick)
    {
        if (brick != mapped.number) map(brick);
        count_beads();
        scatter();
        const CoarseSpace coarse = records().coarse;
        const real4 *const all = rows(generation), *const moving = velocity_rows(generation);
        const u32 beads = memory.starts[mapped.cells];
        for (u32 bead = threadIdx.x; bead < beads; bead += blockDim.x) {
            const u32 cell = memory.cell_of[bead];
            const u64 row = static_cast<u64>(memory.cells[cell]) * capacity() + bead - memory.starts[cell];
            const real4 at = all[row];
            memory.velocities[bead] = moving[row];
            memory.positions[bead] = at;
            memory.coarse[bead] = coarse.position(at, memory.packed_cells[cell], grid.cells.sides);
        }
        __syncthreads();
    }

    // Finds the first bead of each cell, and of each cell on the path. The number of beads in the brick is in the upper half of sums.
    __device__ __forceinline__ void count_beads()
    {
        const u32 *const entered = counts(generation);
        const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, cells = mapped.cells, own_cells = mapped.own_cells;
        u32 before = 0;
        for (u32 begin = 0; begin < cells; begin += blockDim.x) {
            const u32 cell = begin + threadIdx.x;
            // Warps without cells only wait.
            const bool counts_cells = cell - lane < cells;
            u32 here = 0, sum = 0;
            if (counts_cells) {
                if (cell < cells) here = min(entered[memory.cells[cell]], capacity());
                if (cell < own_cells) here += min(entered[memory.cells[memory.path[cell]]], capacity()) << 16;
                sum = sum_up_to_lane(here);
                if (lane == 31) flags()->warps[warp] = sum;
            }
            __syncthreads();
            if (counts_cells) {
                u32 first = before + sum - here;
#pragma unroll 1
                for (u32 other = 0; other < warp; ++other) first += flags()->warps[other];
                if (cell < cells) memory.starts[cell] = min(first & 0xffff, bricks.room);
                if (cell < own_cells) memory.own_starts[cell] = first >> 16;
                if (cell == cells - 1) {
                    const u32 beads = (first + here) & 0xffff;
                    memory.starts[cells] = min(beads, bricks.room);
                    memory.own_starts[own_cells] = beads > bricks.room ? 0 : (first + here) >> 16;
                    if (beads > bricks.room) atomicMax(&flags()->overflow, CROWDED + (beads + cells - 1) / cells);
                }
            }
            if (begin + blockDim.x >= cells) break;
            for (u32 other = 0; other < blockDim.x / 32; ++other) before += flags()->warps[other];
            __syncthreads();
        }
        __syncthreads();
        beads_here = memory.own_starts[own_cells];
    }

    // Notes the cell of each bead, and the beads of the brick in the order of the path.
    __device__ __forceinline__ void scatter()
    {
        for (u32 cell = threadIdx.x; cell < mapped.cells; cell += blockDim.x) {
            for (u32 bead = memory.starts[cell], end = memory.starts[cell + 1]; bead < end; ++bead) memory.cell_of[bead] = static_cast<u16>(cell);
        }
        if (beads_here > 0) {
            for (u32 step = threadIdx.x; step < mapped.own_cells; step += blockDim.x) {
                const u32 cell = memory.path[step], start = memory.starts[cell], count = memory.starts[cell + 1] - start, to = memory.own_starts[step];
                for (u32 k = 0; k < count; ++k) memory.own[to + k] = static_cast<u16>(start + k);
            }
        }
        __syncthreads();
    }

    __device__ __forceinline__ CoarseSpace coarse_space() const
    {
        const Vector &parts = space_of(system).part;
        const float lengths[3] = {side_of_cell(parts.x, 0), side_of_cell(parts.y, 1), side_of_cell(parts.z, 2)};
        return CoarseSpace(lengths, sqrtf(static_cast<float>(system.square_list)));
    }

    // The length of a cell along an axis.
    __device__ __forceinline__ float side_of_cell(real part, u32 k) const
    {
        const float parts = DOUBLE ? 18446744073709551616.0f : 4294967296.0f;
        return static_cast<float>(part * parts) / static_cast<float>(grid.cells.sides[k]);
    }
};
