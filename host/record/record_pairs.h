// The groups /nearest and /net of a file of `clack evaluate`: a row for each pair of bodies.
#ifndef CLACK_RECORD_PAIRS_H
#define CLACK_RECORD_PAIRS_H

#include "row_table.h"

/// Of rows ClackPair.
extern const RowTableKind record_nearest;
extern const RowTableKind record_net;

#endif
