// Contours of regions: points lie side by side on the device, row by row, but rows as they were found.
#include "region_contours.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Where the points of each row go: places (region_count), by the rows' numbers on the device.
static void contours_place(const RegionPoint *found, size_t found_count, const ClackRegion *regions,
                           size_t region_count, size_t *places) {
    size_t at = 0;
    for (size_t i = 0; i < found_count; i++) places[found[i].row]++;
    for (size_t i = 0; i < region_count; i++) {
        const size_t count = places[regions[i].reserved];
        places[regions[i].reserved] = at;
        at += count;
    }
}

ClackStatus region_contours_append(const RegionPoint *found, size_t found_count, ClackRegion *regions,
                                   size_t region_count, ClackContacts *contacts, ClackReport *report) {
    const size_t first = contacts->contour_point_count, region_first = (size_t)(regions - contacts->regions);
    size_t *places = calloc(region_count + 1, sizeof *places), at = 0;
    ClackContourPoint *points = realloc(contacts->contour_points, (first + found_count + 1) * sizeof *points);
    if (points != NULL) contacts->contour_points = points;
    if (places == NULL || points == NULL) {
        free(places);
        return report_add(report, CLACK_MEMORY, "no memory for %zu points of contours", found_count);
    }
    points += first;
    contours_place(found, found_count, regions, region_count, places);
    for (size_t i = 0; i < found_count; i++) {
        ClackContourPoint *point = &points[places[found[i].row]++];
        memcpy(point->at_m, &found[i].at_m, sizeof point->at_m);
        point->contour = found[i].contour;
    }
    for (size_t i = 0; i < region_count; i++) { // places are now where the points of each row end
        for (; at < places[regions[i].reserved]; at++) points[at].region = (uint32_t)(region_first + i);
        regions[i].reserved = 0;
    }
    assert(at == found_count);
    contacts->contour_point_count += found_count;
    free(places);
    return CLACK_OK;
}
