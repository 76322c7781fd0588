// A pair of solids as narrow_clack asks both libraries about it, and libccd's side of that: a file of its own
// (narrow_ccd.cc), so that it is compiled as its users would, without what suits our kernels.
#ifndef CLACK_BENCH_NARROW_CASE_H
#define CLACK_BENCH_NARROW_CASE_H

#include <ccd/ccd.h>

#include "../../tests/support/narrow_scenes.h"
#include "ccd_support.h"

struct Case {
    Vec3 offset;
    scenes::Placed a, b;
};

struct CcdCase { // the same as the files have it; apart, so that neither library's pairs are in the other's way
    CcdSolid a, b;
};

struct Ccd {
    ccd_t settings;
    Ccd(bool is_file, double tolerance, unsigned long iterations);
    void ask(const Case &c, ::Answer *answer) const;
    void ask(const CcdCase &c, ::Answer *answer) const;
};

#endif
