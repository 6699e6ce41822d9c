// What the host chooses for a program (`src/plans/key.rs`): the terms of the system, the thermostat, the scheme, and how near pairs
// are found.
#pragma once

#include "forces.cuh"
#include "integrators/integrators.cuh"
#include "potentials/potentials.cuh"
#include "thermostat.cuh"

typedef CHOSEN_TERMS Terms;
typedef CHOSEN_THERMOSTAT Thermostat;
typedef CHOSEN_SCHEME Scheme;

enum class Search : u32 { NONE, MASK, BITS, LIST, BRICKS };
constexpr Search SEARCH = static_cast<Search>(CHOSEN_SEARCH);
