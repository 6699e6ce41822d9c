// The beads in and around a brick of cells, in shared memory.

// Division by a number of cells along a side of a brick and its surroundings, for numbers below 4,096.
struct CellDivision {
    u32 by, inverse;

    explicit __device__ __forceinline__ CellDivision(u32 by) : by(by), inverse(65536 / by + 1) {}

    __device__ __forceinline__ u32 quotient(u32 number) const { return number * inverse >> 16; }
};

// A cell of a brick and its surroundings, whose first cell lies before the brick along each axis.
struct CellPlace {
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

__device__ __forceinline__ u64 *shared_memory()
{
    extern __shared__ __align__(16) u64 memory[];
    return memory;
}

// An array in shared memory, after the records: an offset takes one register, a pointer two.
template <typename Item> struct SharedArray {
    u32 offset;

    // Takes room for some items.
    __device__ __forceinline__ void take(u32 &free, u32 count)
    {
        offset = free;
        free += (count * sizeof(Item) + 15) / 16 * 16;
    }

    __device__ __forceinline__ Item *begin() const { return reinterpret_cast<Item *>(reinterpret_cast<u8 *>(shared_memory()) + offset); }
    __device__ __forceinline__ Item &operator[](u32 k) const { return begin()[k]; }
};

// Data of the beads in and around a brick, in the order of cells.
struct BrickMemory {
    // Coordinates with the bead's number, velocities with its type.
    SharedArray<real4> places, velocities;
    // Positions from a corner of the surroundings, with the place of the cell; to find neighbours.
    SharedArray<float4> from_corner;
    // The number of each cell in the box, and its place.
    SharedArray<u32> cells, cell_places;
    // The first bead of each cell, and of each cell of the brick itself, and one more.
    SharedArray<u32> starts, own_starts;
    // The cells of the brick itself, along a path; its beads, by their place among all; the cell of each bead.
    SharedArray<u16> path, own, cell_of;
    // Neighbours that a thread found.
    SharedArray<u16> neighbours;
};

// A brick: its number, the cells in and around it, and those in it.
struct MappedBrick {
    u32 number, cells, own_cells;
    CellPlace around;
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
};

__device__ __forceinline__ BrickRecords &records() { return *reinterpret_cast<BrickRecords *>(shared_memory()); }

// No brick.
constexpr u32 NO_BRICK = 0xffffffffu;

// The beads in and around the brick of a block.
struct BrickBeads {
    const System &system;
    const GridMember &grid;
    const Bricks &bricks;
    const BrickMemory &memory;
    const MappedBrick &mapped;
    // The number of barriers that followed moves: beads are in the cells of this number and enter those of the next one. Beads
    // have two copies, counts three, one of which is cleared meanwhile.
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
        const CellPlace around = {own[0] + 2, own[1] + 2, own[2] + 2};
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
            memory.cell_places[cell] = x | y << 8 | z << 16;
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
        const Vector &parts = space_of(system).part;
        const float lengths[3] = {side_of_cell(parts.x, 0), side_of_cell(parts.y, 1), side_of_cell(parts.z, 2)};
        const real4 *const all = rows(generation), *const moving = velocity_rows(generation);
        const u32 beads = memory.starts[mapped.cells];
        for (u32 bead = threadIdx.x; bead < beads; bead += blockDim.x) {
            const u32 cell = memory.cell_of[bead], place = memory.cell_places[cell];
            const u64 row = static_cast<u64>(memory.cells[cell]) * capacity() + bead - memory.starts[cell];
            const real4 at = all[row];
            memory.velocities[bead] = moving[row];
            memory.places[bead] = at;
            float4 corner;
            corner.x = (static_cast<float>(place & 255) + part_of_cell(at.x, grid.cells.sides[0])) * lengths[0];
            corner.y = (static_cast<float>(place >> 8 & 255) + part_of_cell(at.y, grid.cells.sides[1])) * lengths[1];
            corner.z = (static_cast<float>(place >> 16) + part_of_cell(at.z, grid.cells.sides[2])) * lengths[2];
            corner.w = __uint_as_float(place);
            memory.from_corner[bead] = corner;
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
                    if (beads > bricks.room) atomicMax(&flags()->overflow, (4 * beads + cells - 1) / cells);
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

    // The length of a cell along an axis.
    __device__ __forceinline__ float side_of_cell(real part, u32 k) const
    {
        const float parts = DOUBLE ? 18446744073709551616.0f : 4294967296.0f;
        return static_cast<float>(part * parts) / static_cast<float>(grid.cells.sides[k]);
    }
};
