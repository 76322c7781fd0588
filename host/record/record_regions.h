// The group /regions of a file of contacts: contact regions of meshes.
#ifndef CLACK_RECORD_REGIONS_H
#define CLACK_RECORD_REGIONS_H

#include "row_table.h"

/// Of rows ClackRegion.
extern const RowTableKind record_regions;

#endif
