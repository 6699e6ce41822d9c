// The terms of the measured system, as the host chooses them (`src/observables/program.rs`).
#pragma once

#include "observables/warp.cuh"
#include "potentials/potentials.cuh"

struct Terms {
    typedef ::Bonded<CHOSEN_BONDED> Bonded;
    typedef ::Pairs<CHOSEN_PAIRS> Pairs;
    typedef ::Angles<CHOSEN_ANGLES> Angles;
    typedef ::Singles<CHOSEN_SINGLES> Singles;
};
