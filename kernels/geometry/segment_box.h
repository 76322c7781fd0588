// A segment against the core of a box, in closed form if they are apart.
#ifndef CLACK_GEOMETRY_SEGMENT_BOX_H
#define CLACK_GEOMETRY_SEGMENT_BOX_H

#include "base/vec3.h"

typedef struct SegmentToBox {
    real along_m; // from the middle of the segment to its point nearest to the box
    Vec3 out;     // from the box to that point
    Vec3 near;    // point of the box
} SegmentToBox;

FN_SHORT Vec3 segment_clamp(Vec3 extent, Vec3 p) {
    return vec3_make(real_clamp(p.x, 0.0 - extent.x, extent.x), real_clamp(p.y, 0.0 - extent.y, extent.y),
                     real_clamp(p.z, 0.0 - extent.z, extent.z));
}

// Half the derivative of the squared distance with the length along the segment: increasing, piecewise linear.
FN_SHORT real segment_slope(Vec3 extent, Vec3 middle, Vec3 axis, real along) {
    Vec3 p = vec3_add_scaled(middle, axis, along);
    return vec3_dot(vec3_sub(p, segment_clamp(extent, p)), axis);
}

typedef struct SegmentPart { // between two lengths along the segment, the slope < 0 before and >= 0 after
    real first, last;
} SegmentPart;

/// Move one end to where the segment passes one of two faces of the box, unless it is nearer already.
FN_SHORT void segment_cut(SegmentPart *part, Vec3 extent, Vec3 middle, Vec3 axis, real face, real from, real on) {
    real at = real_clamp((face - from) / on, part->first, part->last); // parallel: the first
    u32 is_before = segment_slope(extent, middle, axis, at) < 0.0 ? 1u : 0u;
    part->first = is_before != 0 ? at : part->first;
    part->last = is_before != 0 ? part->last : at;
}

/// Nearest point of the segment from middle - half_m axis to middle + half_m axis. If it intersects the box, one
/// inside.
FN SegmentToBox segment_to_box(Vec3 extent, Vec3 middle, Vec3 axis, real half_m) {
    SegmentPart part;
    SegmentToBox to;
    part.first = 0.0 - half_m;
    part.last = half_m;
    segment_cut(&part, extent, middle, axis, extent.x, middle.x, axis.x);
    segment_cut(&part, extent, middle, axis, 0.0 - extent.x, middle.x, axis.x);
    segment_cut(&part, extent, middle, axis, extent.y, middle.y, axis.y);
    segment_cut(&part, extent, middle, axis, 0.0 - extent.y, middle.y, axis.y);
    segment_cut(&part, extent, middle, axis, extent.z, middle.z, axis.z);
    segment_cut(&part, extent, middle, axis, 0.0 - extent.z, middle.z, axis.z);
    // One linear piece is left.
    real first = segment_slope(extent, middle, axis, part.first), last = segment_slope(extent, middle, axis, part.last);
    to.along_m = first < 0.0 ? part.last : part.first;
    if (first < 0.0 && last > 0.0) to.along_m = real_fma(part.last - part.first, first / (first - last), part.first);
    Vec3 at = vec3_add_scaled(middle, axis, to.along_m);
    to.near = segment_clamp(extent, at);
    to.out = vec3_sub(at, to.near);
    return to;
}

#endif
