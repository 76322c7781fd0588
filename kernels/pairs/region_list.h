// Regions: the places where two shapes may touch at the same time, each a contact of its own. A pair enumerates its
// regions in ascending order. The numbering is defined in geometry/; a region keeps its number while it lasts.
// Candidates, contacts and rows hold that number as `feature`, which is also its name in files.
#ifndef CLACK_PAIRS_REGION_LIST_H
#define CLACK_PAIRS_REGION_LIST_H

#include "geometry/manifold_points.h"
#include "geometry/narrow_phase.h"
#include "pairs/pair_kinematics.h"

// Which regions of two solids with many are enumerated. Of other pairs all are.
#define REGIONS_REACHABLE 0u // those that can touch after both have moved by up to the margin together
#define REGIONS_NEAR 1u      // those within the margin now, whose gap is a distance

typedef struct RegionList {
    SolidPair solids; // where has_many is set
    real margin_m;
    u32 which; // REGIONS_*
    u32 has_many;
    u32 number; // of the region enumerated last
    u32 next, end;
} RegionList;

/// Have two shapes several regions, not all of which are enumerated?
FN u32 region_has_many(const SceneView *view, u32 shape_a, u32 shape_b) {
    GLOBAL const Shape *a = &view->shapes[shape_a], *b = &view->shapes[shape_b];
    return narrow_feature_count(a, b, pair_flags(view, shape_a, shape_b)) > 1 ? manifold_has_several(a, b) : 0u;
}

/// The regions of two shapes at these places; which: REGIONS_*.
FN RegionList region_list(const SceneView *view, u32 shape_a, u32 shape_b, const PlacedPair *placed, real margin_m,
                          u32 which) {
    GLOBAL const Shape *a = &view->shapes[shape_a], *b = &view->shapes[shape_b];
    RegionList list;
    list.margin_m = margin_m;
    list.which = which;
    list.number = list.next = 0;
    list.end = narrow_feature_count(a, b, pair_flags(view, shape_a, shape_b));
    list.has_many = list.end > 1 ? manifold_has_several(a, b) : 0u;
    if (policy_has_regions(view->scene->flags)) { // all numbers that regions may have (region_match.h)
        list.end = view->room.regions;
        list.has_many = 0;
    }
    if (list.has_many) list.solids = pair_of_solids(view, shape_a, shape_b, placed);
    return list;
}

/// The next region, as list->number. 0: no more.
FN u32 region_next(RegionList *list) {
    while (list->next < list->end) {
        list->number = list->next++;
        if (!list->has_many) return 1;
        if (list->which == REGIONS_NEAR) {
            if (manifold_is_near(&list->solids, list->number, list->margin_m)) return 1;
        } else if (manifold_bound(&list->solids, list->number, list->margin_m) <= 0.0) {
            return 1;
        }
    }
    return 0;
}

#endif
