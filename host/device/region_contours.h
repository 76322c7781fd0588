// Contours of regions as a device hands them over, put in the order of their regions.
#ifndef CLACK_REGION_CONTOURS_H
#define CLACK_REGION_CONTOURS_H

#include "clack.h"
#include "model/region_types.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Appends points of contours to those of `contacts`. found (found_count): as the device has them. regions
/// (region_count): the last ones of `contacts`, in their final order; `reserved` of each is the number that it had on
/// the device, and becomes 0. Errors: CLACK_MEMORY.
ClackStatus region_contours_append(const RegionPoint *found, size_t found_count, ClackRegion *regions,
                                   size_t region_count, ClackContacts *contacts, ClackReport *report);

#ifdef __cplusplus
}
#endif
#endif
