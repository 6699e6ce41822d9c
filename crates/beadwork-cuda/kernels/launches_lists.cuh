// The launches plan's lists of neighbours, made anew for members of which a bead went far.

#if REPULSION

// Whether the list of a member is to be made at the positions of this time.
__device__ __forceinline__ bool is_due(const Fleet &fleet, u32 member, u32 time)
{
    const Course &course = fleet.courses[member];
    return course.far == time && time / 2 < course.steps && course.trouble == NO_TROUBLE;
}

// The list of a place while it grows.
struct Growing {
    Neighbour *list;
    u32 found, passed, excluded, next;

    __device__ __forceinline__ Growing(const Fleet &fleet, u32 member, const Place &me)
    {
        const Topology &topology = fleet.topology;
        list = const_cast<Neighbour *>(neighbours_of(fleet, member)) + me.place;
        found = passed = 0;
        excluded = topology.excluded.counts[me.place];
        next = excluded > 0 ? topology.excluded.entries[me.place] : 0xffffffffu;
    }

    __device__ __forceinline__ void add(const Topology &topology, const Place &me, u32 partner)
    {
        if (found < topology.list_capacity) list[static_cast<u64>(found) * me.places] = static_cast<Neighbour>(partner);
        ++found;
    }

    __device__ __forceinline__ void finish(const Fleet &fleet, u32 member, const Place &me, Point at)
    {
        if (found > fleet.topology.list_capacity) {
            atomicMax(fleet.overflow, found);
            found = fleet.topology.list_capacity;
        }
        fleet.neighbour_counts[static_cast<u64>(member) * me.places + me.place] = found;
        if (me.place == 0) fleet.courses[member].pairs = 0;
        if (me.part == 0) {
            fleet.references[static_cast<u64>(member) * fleet.topology.beads + me.bead] = row_of(at.x, at.y, at.z, 0);
        }
    }
};

#if !CELLS

// Beads in shared memory at a time.
constexpr u32 TILE = 256;

// The partners of each place within the list's radius, ascending, from all beads, some at a time in shared memory.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_neighbours(ROUND)
{
    __shared__ real4 tile[TILE];
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    // All threads of a block have the same member.
    if (!is_due(fleet, seat.member, time_of(round))) return;
    const Place me = place_of(topology, seat.has ? seat.index : 0);
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[me.bead];
    Growing growing(fleet, seat.member, me);
    for (u32 first = 0; first < topology.beads; first += TILE) {
        const u32 count = min(TILE, topology.beads - first);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += blockDim.x) {
            const Point other = positions[first + k];
            tile[k] = row_of(other.x, other.y, other.z, 0);
        }
        __syncthreads();
        if (!seat.has) continue;
        for (u32 k = me.part; k < count; k += LANES) {
            const u32 j = first + k;
            if (j == growing.next) {
                ++growing.passed;
                growing.next = growing.passed < growing.excluded ? topology.excluded.entries[growing.passed * me.places + me.place]
                                                                 : 0xffffffffu;
                continue;
            }
            APART(at, tile[k]);
            if (r2 < topology.square_list && j != me.bead) growing.add(topology, me, j);
        }
    }
    if (seat.has) growing.finish(fleet, seat.member, me, at);
}

#else

// Cells as long as the list's radius and a little more; their beads are linked from the bucket that the cell falls in.
struct Cell {
    int x, y, z;

    __device__ __forceinline__ u32 bucket(u32 mask) const
    {
        return (static_cast<u32>(x) * 73856093u ^ static_cast<u32>(y) * 19349663u ^ static_cast<u32>(z) * 83492791u) & mask;
    }

    __device__ __forceinline__ bool operator==(const Cell &other) const { return x == other.x && y == other.y && z == other.z; }
};

__device__ __forceinline__ Cell cell_of(const Fleet &fleet, Point at)
{
    const double scale = fleet.cells_per_angstrom;
    return {__double2int_rd(at.x * scale), __double2int_rd(at.y * scale), __double2int_rd(at.z * scale)};
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_clear_cells(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Seat seat = seat_of(fleet.cell_mask + 1);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    fleet.cell_heads[static_cast<u64>(seat.member) * (fleet.cell_mask + 1) + seat.index] = 0xffffffffu;
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_fill_cells(ROUND)
{
    const Fleet &fleet = round.fleet;
    const u32 beads = fleet.topology.beads;
    const Seat seat = seat_of(beads);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    u32 *const heads = fleet.cell_heads + static_cast<u64>(seat.member) * (fleet.cell_mask + 1);
    const u32 bucket = cell_of(fleet, positions_of(round, seat.member)[seat.index]).bucket(fleet.cell_mask);
    fleet.cell_links[static_cast<u64>(seat.member) * beads + seat.index] = atomicExch(heads + bucket, seat.index);
}

// The partners of each place within the list's radius, from the 27 cells around it, brought into ascending order.
extern "C" __global__ void __launch_bounds__(MOST_THREADS) beadwork_neighbours(ROUND)
{
    const Fleet &fleet = round.fleet;
    const Topology &topology = fleet.topology;
    const Seat seat = seat_of(LANES * topology.beads);
    if (!seat.has || !is_due(fleet, seat.member, time_of(round))) return;
    const Place me = place_of(topology, seat.index);
    const Positions positions = positions_of(round, seat.member);
    const Point at = positions[me.bead];
    const Cell mine = cell_of(fleet, at);
    const u32 *const heads = fleet.cell_heads + static_cast<u64>(seat.member) * (fleet.cell_mask + 1);
    const u32 *const links = fleet.cell_links + static_cast<u64>(seat.member) * topology.beads;
    Growing growing(fleet, seat.member, me);
    for (u32 number = 0; number < 27; ++number) {
        const Cell cell = {mine.x + static_cast<int>(number % 3) - 1, mine.y + static_cast<int>(number / 3 % 3) - 1,
                           mine.z + static_cast<int>(number / 9) - 1};
        for (u32 j = heads[cell.bucket(fleet.cell_mask)]; j != 0xffffffffu; j = links[j]) {
            if (j % LANES != me.part || j == me.bead) continue;
            const Point other = positions[j];
            APART(at, other);
            // Two cells may share a bucket.
            if (!(r2 < topology.square_list) || !(cell_of(fleet, other) == cell)) continue;
            bool excluded = false;
            for (u32 k = 0; k < growing.excluded; ++k) excluded |= topology.excluded.entries[k * me.places + me.place] == j;
            if (!excluded) growing.add(topology, me, j);
        }
    }
    const u32 kept = min(growing.found, topology.list_capacity);
    for (u32 k = 1; k < kept; ++k) {
        const Neighbour partner = growing.list[static_cast<u64>(k) * me.places];
        u32 to = k;
        for (; to > 0; --to) {
            const Neighbour before = growing.list[static_cast<u64>(to - 1) * me.places];
            if (before < partner) break;
            growing.list[static_cast<u64>(to) * me.places] = before;
        }
        growing.list[static_cast<u64>(to) * me.places] = partner;
    }
    growing.finish(fleet, seat.member, me, at);
}

#endif

#endif
