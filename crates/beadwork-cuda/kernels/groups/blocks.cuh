// The blocks that share a member: those of a cluster, or, in the grid plan, those that fill the card.
#pragma once

#if GRID
#include "groups/grid.cuh"
#else
#include "groups/cluster.cuh"
#endif
