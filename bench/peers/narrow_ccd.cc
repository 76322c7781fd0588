// libccd's MPR on the pairs of narrow_clack.cc: solids of the files as ccd_support.h has them, else a Shape by the
// kernels' own support points, called by pointer as libccd does.
#include "narrow_case.h"

namespace {

struct Solid {
    const scenes::Placed *placed;
    Vec3 at;
};

void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out) {
    const Solid &s = *static_cast<const Solid *>(object);
    const Vec3 u = vec3_make(direction->v[0], direction->v[1], direction->v[2]);
    const Vec3 local = shape_support(&s.placed->shape, scenes::hull_rows().data(), mat3_rotate_back(s.placed->turn, u));
    const Vec3 tip = vec3_add(s.at, mat3_rotate(s.placed->turn, local));
    ccdVec3Set(out, tip.x, tip.y, tip.z);
}

void centre(const void *object, ccd_vec3_t *out) {
    const Solid &s = *static_cast<const Solid *>(object);
    const double up = s.placed->shape.kind == SHAPE_CONE ? s.placed->shape.size_m[1] / 4 : 0;
    const Vec3 at = vec3_add(s.at, mat3_rotate(s.placed->turn, vec3_make(0, 0, up)));
    ccdVec3Set(out, at.x, at.y, at.z);
}

void penetration(const void *a, const void *b, const ccd_t *settings, ::Answer *answer) {
    ccd_real_t depth = 0;
    ccd_vec3_t normal, at;
    const int missed = ccdMPRPenetration(a, b, settings, &depth, &normal, &at);
    *answer = ::Answer{missed == 0, 0, {0, 0, 0}};
    if (missed != 0) return;
    answer->depth_m = depth;
    for (int k = 0; k < 3; k++) answer->normal[k] = normal.v[k];
}

} // namespace

Ccd::Ccd(bool is_file, double tolerance, unsigned long iterations) : settings(ccd_settings(tolerance, iterations)) {
    if (is_file) return;
    settings.support1 = settings.support2 = support;
    settings.center1 = settings.center2 = centre;
}

void Ccd::ask(const Case &c, ::Answer *answer) const {
    const Solid a{&c.a, vec3_zero()}, b{&c.b, c.offset};
    penetration(&a, &b, &settings, answer);
}

void Ccd::ask(const CcdCase &c, ::Answer *answer) const { penetration(&c.a, &c.b, &settings, answer); }
