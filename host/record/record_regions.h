// The groups /regions and /contours of a file of contacts: contact regions of meshes, and what bounds them.
#ifndef CLACK_RECORD_REGIONS_H
#define CLACK_RECORD_REGIONS_H

#include "row_table.h"

/// Of rows ClackRegion.
extern const RowTableKind record_regions;
/// Of rows ClackContourPoint.
extern const RowTableKind record_contours;

#endif
