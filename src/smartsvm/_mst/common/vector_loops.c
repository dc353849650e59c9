/* The loops of vector_loops.h for one kind of processor. */
#include "common/vector_loops.h"

#include "common/improve_fringe.h"
#include "kd/leaf_loops.h"
#include "small/grow_pair.h"

#define PASTE(a, b) a##_##b
#define NAME(a, b) PASTE(a, b)

const VectorLoops NAME(vector_loops, KIND) = {
    .fringe_block = WIDTH,
    .improve_fringe = fringe_improve,
    .kd = {leaf_distances, leaf_near_rows, leaf_screen},
    .pair = {pair_fill, pair_grow},
};
