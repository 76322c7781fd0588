// Contact regions of surfaces in many configurations of one scene. A slot's lists serve one pair after the other.
#include "base/build.h"
#include "model/content.h"
#include "model/evaluate_types.h"
#include "model/region_types.h"
#include "pairs/surface_pair.h"

#if BUILD_PROGRAMS & PROGRAM_REGIONS

#define COUNTER_ITEM 0   // next pair of a configuration to be taken up
#define COUNTER_ROWS 1   // rows that were found
#define COUNTER_POINTS 2 // points of their contours

// A pair, and its bodies.
typedef struct PosedPair {
    SurfacePair surfaces;
    GLOBAL const BodyState *state_a, *state_b;
    u32 flags_a, flags_b; // BODY_*
} PosedPair;

FN PosedPair evaluate_region_pair(const SceneView *view, const MeshTables *tables, ShapePair shapes,
                                  GLOBAL const BodyState *states) {
    u32 a = view->shapes[shapes.shape_a].body, b = view->shapes[shapes.shape_b].body;
    PosedPair out;
    out.state_a = &states[a];
    out.state_b = &states[b];
    out.flags_a = view->bodies[a].flags;
    out.flags_b = view->bodies[b].flags;
    out.surfaces = surface_pair(view, tables, shapes.shape_a, shapes.shape_b, out.state_a, out.state_b);
    return out;
}

FN Vec3 evaluate_region_velocity(GLOBAL const BodyState *state, u32 flags, Vec3 at_m) {
    Vec3 spin = spin_to_world(flags, COPY(state->orientation), COPY(state->spin_rad_per_s));
    return vec3_add(state->velocity_m_per_s, vec3_cross(spin, vec3_sub(at_m, state->position_m)));
}

/// Where the volume is not known the depth stands for it; a hole of another region's overlap has no thickness.
FN_SHORT real evaluate_region_thickness_m(const RegionShape *shape, real depth_m) {
    if (shape->volume_m3 < 0.0) return region_not_a_number();
    return shape->volume_m3 >= 0.0 ? region_thickness_m(depth_m, shape->volume_m3 / shape->area_m2) : depth_m;
}

/// From the frame of the second, and first to second, to the world and A to B.
FN RegionRow evaluate_region_row(const PosedPair *posed, const RegionShape *shape) {
    RegionRow row = ALL_ZERO;
    const SurfacePair *surfaces = &posed->surfaces;
    row.normal = surface_normal(surfaces, COPY(shape->normal));
    row.centroid_m = vec3_add(surfaces->place_m, mat3_rotate(surfaces->turn, shape->centroid_m));
    row.area_m2 = shape->area_m2;
    row.volume_m3 = shape->volume_m3;
    row.perimeter_m = shape->perimeter_m;
    row.depth_a_m = surfaces->is_swapped ? shape->depth_second_m : shape->depth_first_m;
    row.depth_b_m = surfaces->is_swapped ? shape->depth_first_m : shape->depth_second_m;
    row.indentation_m = row.depth_a_m + row.depth_b_m;
    row.thickness_m = evaluate_region_thickness_m(shape, row.indentation_m);
    Vec3 velocity = vec3_sub(evaluate_region_velocity(posed->state_a, posed->flags_a, row.centroid_m),
                             evaluate_region_velocity(posed->state_b, posed->flags_b, row.centroid_m));
    row.approach_m_per_s = vec3_dot(row.normal, velocity);
    row.loop_count = shape->loop_count;
    row.segment_count = shape->segment_count;
    return row;
}

/// Of a surface within the other solid there is a place and nothing else: the middle of the box about it, or, of one of
/// several components, its first vertex.
FN RegionRow evaluate_region_engulfed(const PosedPair *posed, u32 is_second, u32 part) {
    RegionRow row = ALL_ZERO;
    const SurfacePair *surfaces = &posed->surfaces;
    const MeshView *mesh = is_second ? &surfaces->pair.second : &surfaces->pair.first;
    Vec3 at = mesh->part_count == 1 ? tree_centre_m(mesh->nodes) : mesh->vertices[mesh->parts[part]].at_m;
    if (!is_second) at = mesh_pair_place(&surfaces->pair, at);
    row.centroid_m = vec3_add(surfaces->place_m, mat3_rotate(surfaces->turn, at));
    row.indentation_m = region_not_a_number();
    row.thickness_m = row.indentation_m;
    row.volume_m3 = row.indentation_m;
    row.depth_a_m = row.indentation_m;
    row.depth_b_m = row.indentation_m;
    row.flags = REGION_ENGULFED;
    return row;
}

// Where rows go.
typedef struct RegionOutput {
    GLOBAL RegionRow *rows;
    GLOBAL RegionPoint *points;
    GLOBAL u32 *counters;
    u32 row_room, point_room;
    u32 configuration;
    ShapePair shapes;
    u32 body_a, body_b;
    u32 count; // of this pair
} RegionOutput;

/// Which row it is.
FN u32 evaluate_region_put(RegionOutput *output, RegionRow row) {
    row.configuration = output->configuration;
    row.shape_a = output->shapes.shape_a;
    row.shape_b = output->shapes.shape_b;
    row.body_a = output->body_a;
    row.body_b = output->body_b;
    row.region = output->count++;
    u32 at = (u32)next_of(&output->counters[COUNTER_ROWS]);
    if (at < output->row_room) output->rows[at] = row;
    return at;
}

// Points of one contour.
typedef struct ContourOutput {
    RegionPoint point; // all but its place
    u32 first, count;
} ContourOutput;

/// The number-th point of a contour, counted as it is walked; of swapped shapes that is clockwise about the normal.
FN void evaluate_contour_put(RegionOutput *output, const ContourOutput *contour, const SurfacePair *surfaces,
                             u32 number, Vec3 at_m) {
    RegionPoint point = contour->point;
    u32 at = contour->first + (surfaces->is_swapped ? contour->count - 1u - number : number);
    point.at_m = vec3_add(surfaces->place_m, mat3_rotate(surfaces->turn, at_m));
    if (at < output->point_room) output->points[at] = point;
}

/// Of an open contour the end of the last segment is a point, too.
FN void evaluate_contour(RegionOutput *output, const RegionWork *work, const SurfacePair *surfaces, u32 loop,
                         ContourOutput *contour) {
    u32 at = work->loops[loop].first, last = at;
    contour->count = work->loops[loop].count + work->loops[loop].is_open;
    contour->first = (u32)next_block_of(&output->counters[COUNTER_POINTS], contour->count);
    for (u32 i = 0; i < work->loops[loop].count; i++) {
        evaluate_contour_put(output, contour, surfaces, i, COPY(work->segments[at].from_m));
        last = at;
        at = work->segments[at].next;
    }
    if (work->loops[loop].is_open)
        evaluate_contour_put(output, contour, surfaces, contour->count - 1u, COPY(work->segments[last].to_m));
}

/// All contours of a region.
FN void evaluate_contours(RegionOutput *output, const RegionWork *work, const SurfacePair *surfaces,
                          RegionChoice choice, u32 row) {
    ContourOutput contour;
    contour.point.at_m = vec3_zero();
    contour.point.row = row;
    contour.point.contour = 0;
    for (u32 loop = 0; loop < work->loop_count; loop++) {
        if (!region_has_loop(work, choice, loop)) continue;
        evaluate_contour(output, work, surfaces, loop, &contour);
        contour.point.contour++;
    }
}

/// Components that lie within the other solid, of the pair that its contours are of.
FN void evaluate_region_parts(const RegionWork *work, const PosedPair *posed, const MeshPair *moved,
                              RegionOutput *output) {
    for (u32 is_second = 0; is_second < (moved->is_plane ? 1u : 2u); is_second++) {
        u32 parts = is_second ? moved->second.part_count : moved->first.part_count;
        for (u32 part = 0; part < parts; part++)
            if (inside_is_part(work, moved, is_second, part))
                (void)evaluate_region_put(output, evaluate_region_engulfed(posed, is_second, part));
    }
}

/// All regions of a pair.
FN RegionQuery evaluate_region_query(RegionWork *work, const PosedPair *posed, RegionOutput *output) {
    MeshPair moved;
    u32 moved_flag = 0, flags;
    RegionQuery query;
    query.is_short = query_run(work, &posed->surfaces.pair, &moved, &moved_flag) ? 0u : 1u;
    if (!query.is_short) {
        QueryWalk walk = query_walk();
        RegionShape shape;
        while (query_next(&walk, work, &moved, &shape, &flags)) {
            RegionRow row = evaluate_region_row(posed, &shape);
            row.flags = flags | moved_flag;
            u32 at = evaluate_region_put(output, row);
            if (output->point_room > 0) evaluate_contours(output, work, &posed->surfaces, walk.choice, at);
        }
        evaluate_region_parts(work, posed, &moved, output);
    }
    query.segment_count = work->segment_count;
    query.vertex_count = work->inside_count;
    query.region_count = output->count;
    return query;
}

/// One work-item for each slot.
KERNEL void evaluate_meshes(GLOBAL const RegionSettings *settings, GLOBAL const Body *bodies,
                            GLOBAL const Shape *shapes, GLOBAL const ShapePair *pairs, GLOBAL const BodyState *states,
                            GLOBAL const MeshHead *heads, GLOBAL const MeshVertex *vertices,
                            GLOBAL const MeshTriangle *triangles, GLOBAL const MeshEdge *edges,
                            GLOBAL const MeshSpoke *spokes, GLOBAL const MeshNode *nodes, GLOBAL const u32 *parts,
                            GLOBAL RegionSegment *segments, GLOBAL RegionLoop *loops, GLOBAL RegionInside *inside,
                            GLOBAL RegionCell *edge_cells, GLOBAL RegionCell *vertex_cells, GLOBAL RegionQuery *queries,
                            GLOBAL RegionRow *rows, GLOBAL RegionPoint *points, GLOBAL u32 *counters, u32 count) {
    u32 slot = (u32)get_global_id(0);
    if (slot >= count) return;
    SceneView view = ALL_ZERO;
    view.bodies = bodies;
    view.shapes = shapes;
    MeshTables tables = mesh_tables(heads, vertices, triangles, edges, spokes, nodes, parts);
    RegionWork work = ALL_ZERO;
    work.room = settings->room;
    work.fits_planes = settings->fits_planes;
    work.segments = segments + (u64)slot * work.room.segments;
    work.loops = loops + (u64)slot * work.room.segments;
    work.inside = inside + (u64)slot * work.room.vertices;
    work.edge_cells = edge_cells + (u64)slot * 2 * work.room.segments;
    work.vertex_cells = vertex_cells + (u64)slot * 2 * work.room.vertices;
    RegionOutput output;
    output.rows = rows;
    output.points = points;
    output.counters = counters;
    output.row_room = settings->row_room;
    output.point_room = settings->point_room;
    u32 items = settings->configuration_count * settings->pair_count;
    for (u32 item = (u32)next_of(&counters[COUNTER_ITEM]); item < items; item = (u32)next_of(&counters[COUNTER_ITEM])) {
        output.configuration = item / settings->pair_count;
        output.shapes = pairs[item % settings->pair_count];
        output.body_a = shapes[output.shapes.shape_a].body;
        output.body_b = shapes[output.shapes.shape_b].body;
        output.count = 0;
        PosedPair posed = evaluate_region_pair(&view, &tables, output.shapes,
                                               states + ((u64)settings->configuration_first + output.configuration) *
                                                            settings->body_count);
        queries[item] = evaluate_region_query(&work, &posed, &output);
    }
}

#endif // PROGRAM_REGIONS
