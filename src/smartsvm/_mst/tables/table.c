/* The table of compiled.h for one kind of processor. */
#include "compiled.h"

#include "common/improve_fringe.h"

#define PASTE(a, b) a##_##b
#define NAME(a, b) PASTE(a, b)

const Compiled NAME(compiled, TABLE) = {
    .fringe_block = WIDTH == 1 ? 1 : FRINGE_BLOCK,
    .improve_fringe = fringe_improve,
};
