// All schemes. A program uses one of them.
#pragma once

#include "integrators/brownian.cuh"
#include "integrators/brownian_second_order.cuh"
#include "integrators/fire.cuh"
#include "integrators/langevin.cuh"
#include "integrators/langevin_middle.cuh"
#include "integrators/velocity_verlet.cuh"
