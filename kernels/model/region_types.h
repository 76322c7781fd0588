// Contact regions of closed surfaces: what the kernels work with and what they hand over.
#ifndef CLACK_MODEL_REGION_TYPES_H
#define CLACK_MODEL_REGION_TYPES_H

#include "base/vec3.h"

#define REGION_OPEN_CONTOUR 1u // a contour did not close, nor did it with the pose moved a little: closed straight
#define REGION_ENGULFED 2u     // one surface lies within the other: there is no contour, no area, no normal
#define REGION_COARSE_MESH 4u  // the contact radius is less than COARSE_RATIO edges of the mesh
#define REGION_PIERCED 8u      // one solid goes through the other: its contours are regions of their own
#define REGION_JITTERED 16u    // found with the pose moved by REGION_JITTER_SHARE, as the contour would not close
#define REGION_HOLE 32u        // contours of a cavity that crosses: a hole of another region's overlap, its volume < 0

// Contour points are named by integers: an edge of one surface and a triangle of the other (NONE: a plane).
#define REGION_NAME_SET ((u64)0x40000000u << 32)    // so that no name is 0
#define REGION_NAME_SECOND ((u64)0x80000000u << 32) // the edge is one of the second surface

// Where a triangle of the first surface and one of the second cross. Along the cross product of their outward normals,
// so that what lies within the other solid is to the left, seen from outside of the first surface.
typedef struct RegionSegment { // (n_slot, room.segments)
    Vec3 from_m, to_m;         // in the frame of the second
    u64 from, to;              // names
    real share;                // where `from` is along its edge, 0 at the lower vertex to 1
    u32 is_low_inside;         // right before `from`, seen from that vertex
    u32 triangle_first, triangle_second;
    u32 next; // segment that starts at `to`; NONE: the contour is open there
    u32 loop;
    u32 is_start;      // of an open contour; no segment ends at `from`
    u32 beyond;        // segment that starts at the next crossing of the same edge, by `share`; NONE: the last
    float share_error; // of `share`, by rounding: a bound
} RegionSegment;
ASSERT_SIZE(RegionSegment, 104);

typedef struct RegionLoop { // (n_slot, room.segments)
    Vec3 area_m2;           // half the sum of p x q over its segments, about its first point
    u32 first, count;       // segment, how many
    u32 parent;             // loop of the same region; of a region's lowest loop itself
    u32 is_open;
} RegionLoop;
ASSERT_SIZE(RegionLoop, 40);

typedef struct RegionCell { // (n_slot, cells of the room): of a hash table; key 0: empty
    u64 key;
    u32 value, last; // segments: the crossings of an edge nearest to its ends
    i32 net;         // crossings of an edge that lead in less those that lead out, from the lower vertex
    u32 reserved;
} RegionCell;
ASSERT_SIZE(RegionCell, 24);

typedef struct RegionInside { // (n_slot, room.vertices): a vertex within the other solid
    u32 vertex, is_second;
    u32 loop;
    u32 cell;       // where it is in the table
    u32 is_crossed; // an edge from it is
    u32 reserved;
} RegionInside;
ASSERT_SIZE(RegionInside, 24);

// Triangles of two surfaces that may cross before one has moved by a margin against the other (regions/near_pairs.h).
typedef struct RegionNear { // (n_slot, pairs of surfaces)
    Mat3 turn;              // pose of the first in the second's frame when they were listed
    Vec3 place_m;
    real margin_m;
    u32 shape_a, shape_b;
    u32 count; // NONE: none are listed, or there was no room
    u32 uses;  // queries since
} RegionNear;
ASSERT_SIZE(RegionNear, 120);

typedef struct RegionRoom { // rows of each slot's lists; powers of 2
    u32 segments, vertices;
} RegionRoom;
ASSERT_SIZE(RegionRoom, 8);

typedef struct RegionQuery { // (n_configuration, n_pair): what became of a pair
    u32 segment_count;
    u32 vertex_count; // within the other solid
    u32 region_count;
    u32 is_short; // of room: the counts above say how much is wanted at least
} RegionQuery;
ASSERT_SIZE(RegionQuery, 16);

typedef struct RegionRow { // (n_row), in any order
    real area_m2;
    real volume_m3;     // of the overlap; NaN of an engulfed surface, and where a contour is open
    real indentation_m; // depth_a_m + depth_b_m; NaN where there is no normal
    real thickness_m;   // of the overlap at most (region_thickness_m); NaN likewise, and of a hole
    real depth_a_m;     // how far A reaches beyond the centroid, into B
    real depth_b_m;
    real perimeter_m;
    real approach_m_per_s; // of the bodies at the centroid, along the normal; > 0 closing
    Vec3 normal;           // unit, from A to B; 0 where there is none
    Vec3 centroid_m;       // world
    u32 configuration;
    u32 body_a, body_b, shape_a, shape_b, region; // region: number within its pair
    u32 flags;                                    // REGION_*
    u32 loop_count, segment_count;
    u32 reserved;
} RegionRow;
ASSERT_SIZE(RegionRow, 152);

// A contour runs from point to point and back to its first one, counter-clockwise seen against the region's normal;
// around a hole clockwise.
typedef struct RegionPoint { // (n_point): those of a row side by side, rows in any order
    Vec3 at_m;               // world
    u32 row;                 // among the RegionRows as they were found
    u32 contour;             // number within the region
} RegionPoint;
ASSERT_SIZE(RegionPoint, 32);

// (n_slot, room.candidates): of a pair of surfaces that is stepped, the region with a candidate's number in the trial
// states. World axes.
typedef struct FoundRegion {
    Vec3 normal;    // unit, from A to B
    Vec3 lever_b_m; // centroid from the centre of mass of B
    real depth_m, area_m2, volume_m3;
    real reach_m; // of the contour, from the centroid
    real arm_m; // of the volume's centre from the plane of the contour, where one surface lies in that plane; else < 0
    // When it was found: depth, area, volume; the centroid in the principal frames of both bodies.
    real found_depth_m, found_area_m2, found_volume_m3;
    Vec3 place_a_m, place_b_m;
    u32 is_there;
    u32 carrier; // the contact whose law and stretch it has: its own, or that from which it has split; NONE: it is new
    u32 flags;   // REGION_*
    u32 reserved;
} FoundRegion;
ASSERT_SIZE(FoundRegion, 176);

// Slot.regions_are: how contacts take their regions when forces are evaluated.
#define REGIONS_SOUGHT 0u // from the surfaces in the trial states
#define REGIONS_KNOWN 1u  // as they have been found: the poses are still these
#define REGIONS_MOVED 2u  // as they have been found, moved with their bodies

typedef struct RegionSettings { // (1)
    RegionRoom room;
    u32 slot_count; // work-items, each with lists of its own
    u32 pair_count, body_count;
    u32 configuration_first, configuration_count;
    u32 row_room;    // rows that fit
    u32 point_room;  // points of contours that fit; 0: none are wanted
    u32 fits_planes; // 1: normals are those of planes fitted to contour points
} RegionSettings;
ASSERT_SIZE(RegionSettings, 40);

#endif
