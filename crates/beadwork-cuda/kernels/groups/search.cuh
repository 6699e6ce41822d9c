// How blocks find near pairs: among all beads of a member, or, in the grid plan, by cells.
#pragma once

#if GRID
#include "groups/cell_lists.cuh"
#else
#include "groups/all_pairs.cuh"
#endif
