// A shape as users describe it -> as kernels read it.
#include <math.h>

#include "hull.h"
#include "mass.h"
#include "mesh_table.h"
#include "geometry/shape.h"
#include "stage_internal.h"
#include "superquadric_shape.h"

#define ROUND_OFFSET_SHARE 1.0e-14 // a sphere this near the centre of mass, against its radius, is at it

static double min3(const double v[3]) { return fmin(v[0], fmin(v[1], v[2])); }

// Local z axis onto the outward normal. Not normalised: for a normal along an axis all entries of the
// rotation matrix are then exact, and so is "no slip".
static Quat half_space_turn(const double normal[3]) {
    const Vec3 n = vec3_normalize(vec3_from(normal));
    if (n.z < 0.0 && n.x == 0.0 && n.y == 0.0) return quat_make(0.0, 1.0, 0.0, 0.0);
    // 1 + n.z, without cancellation for a normal that points down.
    const double w = n.z < 0.0 ? (n.x * n.x + n.y * n.y) / (1.0 - n.z) : 1.0 + n.z;
    return quat_make(w, -n.y, n.x, 0.0);
}

// Kernels know shapes with an axis along their local z axis; a beam's width goes from x, its thickness
// from y to the cyclic successors of the axis.
static Quat axis_turn(uint32_t axis) {
    if (axis == 0) return quat_make(0.5, 0.5, 0.5, 0.5);
    if (axis == 1) return quat_make(0.5, -0.5, -0.5, -0.5);
    return quat_identity();
}

// A radius the user gave is taken as it is, except in the reference's way, which cuts it.
static double smoothing_m(const SceneShape *in, double smallest_m, int compat) {
    const double largest = SMOOTHING_SHARE_MAX * smallest_m;
    if (in->smoothing_m >= 0.0 && !compat) return in->smoothing_m;
    return fmin(in->smoothing_m >= 0.0 ? in->smoothing_m : SMOOTHING_DEFAULT_M, largest);
}

static int shape_has_axis(uint32_t kind) {
    return kind == SHAPE_CAPSULE || kind == SHAPE_CYLINDER || kind == SHAPE_CONE || kind == SHAPE_BEAM;
}

// Sizes of the shapes with a curved core.
static void stage_curved_size(const SceneShape *in, int compat, Shape *out) {
    const double *size = in->size_m;
    switch (in->kind) {
    case SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; k++) out->size_m[k] = 0.5 * size[k];
        out->contact_radius_m = 0.5 * min3(size);
        if (size[0] == size[1] && size[1] == size[2]) out->kind = SHAPE_SPHERE;
        break;
    case SHAPE_CYLINDER:
        for (int k = 0; k < 2; k++) out->size_m[k] = 0.5 * size[k];
        out->smoothing_m = smoothing_m(in, fmin(size[0], size[1]), compat);
        out->contact_radius_m = 0.5 * fmin(size[0], size[1]);
        break;
    case SHAPE_CONE:
        out->size_m[0] = 0.5 * size[0];
        out->size_m[1] = size[1];
        out->size_m[2] = 0.5 * size[2];
        out->smoothing_m = smoothing_m(in, fmin(size[0], size[1]), compat);
        out->contact_radius_m = 0.25 * (size[0] + size[2]);
        break;
    default: // a beam
        for (int k = 0; k < 3; k++) out->size_m[k] = 0.5 * size[k];
        out->smoothing_m = smoothing_m(in, min3(size), compat);
        out->contact_radius_m = 0.5 * min3(size);
        out->flags = SHAPE_FLAT;
        break;
    }
    out->bound_radius_m = shape_size_m(out);
}

static void stage_shape_size(const SceneShape *in, int compat, Shape *out) {
    const double *size = in->size_m;
    switch (in->kind) {
    case SHAPE_SPHERE: out->size_m[0] = out->contact_radius_m = out->bound_radius_m = 0.5 * size[0]; break;
    case SHAPE_BOX:
        for (int k = 0; k < 3; k++) out->size_m[k] = 0.5 * size[k];
        out->smoothing_m = smoothing_m(in, min3(size), compat);
        out->contact_radius_m = 0.5 * min3(size);
        out->bound_radius_m = vec3_length(vec3_from(out->size_m));
        out->flags = SHAPE_FLAT;
        break;
    case SHAPE_CAPSULE:
        out->size_m[0] = out->contact_radius_m = 0.5 * size[0];
        out->size_m[1] = 0.5 * size[1];
        out->bound_radius_m = out->size_m[0] + out->size_m[1];
        break;
    case SHAPE_ELLIPSOID:
    case SHAPE_CYLINDER:
    case SHAPE_CONE:
    case SHAPE_BEAM: stage_curved_size(in, compat, out); break;
    case SHAPE_SUPERQUADRIC: superquadric_stage(in, out); break;
    case SHAPE_HULL: // the reference's radius: half the smallest side of the box about the vertices
        out->size_m[0] = size[0];
        out->contact_radius_m = 0.5 * size[0] * min3(in->hull->sides_m);
        out->bound_radius_m = size[0] * in->hull->radius_m;
        out->hull_first = in->hull->row_first;
        out->hull_vertices = in->hull->vertex_count;
        out->hull_faces = in->hull->face_count;
        out->hull_edges = in->hull->edge_count;
        out->smoothing_m = size[0] * in->hull->smoothing_m;
        break;
    case SHAPE_MESH:
        for (int k = 0; k < 3; k++) out->size_m[k] = fmax(fabs(in->mesh->low_m[k]), fabs(in->mesh->high_m[k]));
        out->contact_radius_m =
            0.5 * fmin(in->mesh->high_m[0] - in->mesh->low_m[0],
                       fmin(in->mesh->high_m[1] - in->mesh->low_m[1], in->mesh->high_m[2] - in->mesh->low_m[2]));
        out->bound_radius_m = in->mesh->radius_m;
        out->hull_first = in->mesh->number;
        break;
    default: // half-space: flat without end
        out->contact_radius_m = out->bound_radius_m = REAL_HUGE;
        out->flags = SHAPE_FLAT;
        break;
    }
    if (in->contact_radius_m > 0.0) out->contact_radius_m = in->contact_radius_m;
}

Shape stage_shape(const SceneShape *in, uint32_t body, Vec3 com, Quat frame, int compat) {
    Shape out = {.kind = in->kind, .body = body, .material = in->contact_material};
    stage_shape_size(in, compat, &out);
    out.flags |= in->sides << SHAPE_SIDE_SHIFT;
    if (in->has_local_radius) out.flags |= SHAPE_LOCAL;
    Quat turn = rotation_to_quat(&in->rotation);
    Vec3 place = vec3_sub(vec3_from(in->position_m), com);
    if (in->kind == SHAPE_HALF_SPACE) {
        const Vec3 normal = vec3_normalize(vec3_from(in->size_m));
        place = vec3_add(place, quat_rotate(turn, vec3_scale(normal, in->size_m[3])));
        turn = quat_multiply(turn, half_space_turn(in->size_m));
    } else if (in->kind == SHAPE_HULL) {
        const Vec3 centre = vec3_scale(vec3_from(in->hull->centroid_m), in->size_m[0]);
        place = vec3_add(place, quat_rotate(turn, centre));
    } else if (shape_has_axis(in->kind)) {
        turn = quat_multiply(turn, axis_turn(in->axis));
    }
    out.position_m = quat_rotate_back(frame, place);
    out.orientation = quat_multiply(quat_conjugate(frame), turn);
    if (fabs(out.orientation.x) + fabs(out.orientation.y) + fabs(out.orientation.z) == 0.0) out.flags |= SHAPE_ALIGNED;
    if (out.kind == SHAPE_SPHERE && vec3_length(place) <= ROUND_OFFSET_SHARE * out.size_m[0]) {
        out.position_m = vec3_zero();
    }
    return out;
}
