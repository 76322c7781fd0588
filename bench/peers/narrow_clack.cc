// clack's narrow phase beside libccd's MPR (tolerance 1e-6), one thread, in turn within one process. Lines of JSON.
//   narrow_clack files FOLDER COUNT     the pairs of gen_pairs.c; boxes and cylinders with rounded edges of 1 mm
//   narrow_clack shallow COUNT          pairs of 1 m, half 1e-9 to 1e-3 m deep, half 1e-9 to 0.1 m apart, evenly in the
//   logarithm
// "mpr" is narrow_phase: mpr at libccd's tolerance, "mpr_default" at its own; "cached_ratio" that on as few pairs as
// stay in cache; "clack_point_ns" a support point of the pair that waits for the one before. libccd's misses and errors
// are against clack's exact search.
#include "../../tests/support/pair_certificate.h"
#include "narrow_case.h"

using namespace scenes;

namespace {

constexpr double ROUNDING_M = 1e-3, CCD_TOLERANCE = 1e-6;
constexpr unsigned long CCD_ITERATIONS = 1000;
constexpr size_t CACHED_PAIRS = 500; // 300 kB of pairs and results

__attribute__((noinline)) void ask(const Case &c, const NarrowOptions &o, NarrowResult *result) {
    *result = narrow_phase(&c.a.shape, &c.a.turn, &c.b.shape, &c.b.turn, c.offset, 0, &o);
}

// --- timing ---------------------------------------------------------------------------------------------------

template <class Each> double pass_ns(size_t count, Each each) {
    const double start_s = narrow_cpu_s();
    for (size_t i = 0; i < count; i++) each(i);
    return 1e9 * (narrow_cpu_s() - start_s) / double(count);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// A support point of D, ns, where each direction is the last point. So many that the axes of the pair are little of
/// it.
double point_ns(const std::vector<Case> &cases) {
    constexpr int POINTS = 64;
    double sum = 0;
    const double ns = pass_ns(cases.size(), [&](size_t i) {
        const Case &c = cases[i];
        CorePair pair;
        core_pair_make(&c.a.shape, &c.a.turn, &c.b.shape, &c.b.turn, c.offset, hull_rows().data(), &pair);
        Vec3 way = vec3_negate(core_centre(&pair));
        for (int k = 0; k < POINTS; k++) way = vec3_negate(core_pair_support(&pair, way, 1).p);
        sum += way.x;
    });
    return std::isfinite(sum) ? ns / POINTS : -1;
}

// their_cases: as libccd sees the pairs; `cases`, or of the files their own.
template <class Their>
void compare(const char *set, const std::string &name, const std::vector<Case> &cases,
             const std::vector<Their> &their_cases) {
    constexpr int PASSES = 7, CACHED_PASSES = 21;
    const size_t count = cases.size(), few = std::min(count, CACHED_PAIRS);
    const Ccd ccd(std::is_same_v<Their, CcdCase>, CCD_TOLERANCE, CCD_ITERATIONS);
    std::vector<NarrowResult> exact(cases.size()), mpr(cases.size());
    std::vector<::Answer> theirs(cases.size());
    std::vector<double> exact_ns, mpr_ns, ccd_ns, exact_ratio, cached_ratio, mpr_ratio, mpr_default_ratio;
    const NarrowOptions by_exact = options(SCENE_SINGLE_CONTACT);
    const NarrowOptions by_mpr = options(SCENE_SINGLE_CONTACT | SCENE_NARROW_MPR, CCD_TOLERANCE);
    const NarrowOptions by_mpr_default = options(SCENE_SINGLE_CONTACT | SCENE_NARROW_MPR);
    for (int pass = 0; pass < PASSES; pass++) {
        exact_ns.push_back(pass_ns(count, [&](size_t i) { ask(cases[i], by_exact, &exact[i]); }));
        ccd_ns.push_back(pass_ns(count, [&](size_t i) { ccd.ask(their_cases[i], &theirs[i]); }));
        mpr_default_ratio.push_back(pass_ns(count, [&](size_t i) { ask(cases[i], by_mpr_default, &mpr[i]); }) /
                                    ccd_ns.back());
        mpr_ns.push_back(pass_ns(count, [&](size_t i) { ask(cases[i], by_mpr, &mpr[i]); }));
        exact_ratio.push_back(exact_ns.back() / ccd_ns.back());
        mpr_ratio.push_back(mpr_ns.back() / ccd_ns.back());
    }
    const auto ask_exact = [&](size_t i) { ask(cases[i], by_exact, &exact[i]); };
    for (int pass = 0; pass < CACHED_PASSES; pass++) { // the first look at them is not counted
        pass_ns(few, ask_exact);
        const double ours_ns = pass_ns(few, ask_exact);
        pass_ns(few, [&](size_t i) { ccd.ask(their_cases[i], &theirs[i]); });
        cached_ratio.push_back(ours_ns / pass_ns(few, [&](size_t i) { ccd.ask(their_cases[i], &theirs[i]); }));
    }
    size_t missed = 0, wrongly = 0, flagged = 0, mpr_wrong = 0;
    double depth_m = 0, normal_rad = 0, error_m = 0, iterations = 0;
    for (size_t i = 0; i < cases.size(); i++) {
        const bool overlaps = exact[i].distance_m <= 0;
        missed += overlaps && !theirs[i].is_hit;
        wrongly += !overlaps && theirs[i].is_hit;
        flagged += exact[i].status != NARROW_OK;
        mpr_wrong += (mpr[i].distance_m <= 0) != overlaps;
        error_m = std::max(error_m, exact[i].error_m);
        iterations += double(exact[i].iterations) / double(cases.size());
        if (!overlaps || !theirs[i].is_hit) continue;
        const double *n = theirs[i].normal;
        depth_m = std::max(depth_m, std::fabs(theirs[i].depth_m + exact[i].distance_m));
        normal_rad = std::max(normal_rad, angle(vec3_make(n[0], n[1], n[2]), exact[i].normal));
    }
    std::printf("{\"set\": \"%s\", \"pair\": \"%s\", \"peer\": \"libccd\", \"setting\": \"MPR 1e-6\", \"pairs\": %zu, "
                "\"ns\": %.5g, "
                "\"clack_ns\": %.5g, \"clack_mpr_ns\": %.5g, \"ratio\": %.4g, \"cached_ratio\": %.4g, "
                "\"cached_pairs\": %zu, \"clack_point_ns\": %.4g, \"mpr_ratio\": %.4g, "
                "\"mpr_default_ratio\": %.4g, \"missed\": %zu, \"false\": %zu, \"depth_error_m\": %.3g, "
                "\"normal_error_rad\": %.3g, \"clack_flagged\": %zu, \"clack_stated_error_m\": %.3g, "
                "\"clack_iterations\": %.3g, \"clack_mpr_wrong\": %zu}\n",
                set, name.c_str(), cases.size(), median(ccd_ns), median(exact_ns), median(mpr_ns), median(exact_ratio),
                median(cached_ratio), few, point_ns(cases), median(mpr_ratio), median(mpr_default_ratio), missed,
                wrongly, depth_m, normal_rad, flagged, error_m, iterations, mpr_wrong);
    std::fflush(stdout);
}

// --- the files --------------------------------------------------------------------------------------------------

Mat3 matrix(const double *t) {
    Mat3 m;
    m.x = vec3_make(t[0], t[1], t[2]);
    m.y = vec3_make(t[3], t[4], t[5]);
    m.z = vec3_make(t[6], t[7], t[8]);
    return m;
}

struct FileHull {
    Shape shape;
    Vec3 centroid; // where its rows have their origin
};

FileHull file_hull(const Hull &hull) {
    SceneHull *made = nullptr;
    FileHull out{};
    if (hull_make(hull.point, HULL_POINTS, &made, nullptr) != CLACK_OK) return out;
    Points points;
    for (const auto &p : hull.point) points.push_back({p[0], p[1], p[2]});
    out.centroid = vec3_make(made->centroid_m[0], made->centroid_m[1], made->centroid_m[2]);
    out.shape = make_hull(points);
    hull_free(made);
    return out;
}

Placed file_placed(int kind, const double *s, const double *turn, const FileHull &hull) {
    const Mat3 m = matrix(turn);
    switch (kind) {
    case SPHERE: return {sphere(s[0]), m};
    case BOX: return {box(s[0], s[1], s[2], ROUNDING_M), m};
    case ELLIPSOID: return {make_shape(SHAPE_ELLIPSOID, s[0], s[1], s[2], 0), m};
    case CYLINDER: return {make_shape(SHAPE_CYLINDER, s[0], s[1], 0, ROUNDING_M), m};
    default: return {hull.shape, m};
    }
}

// A box or a cylinder less its rounding, with a ball around it.
CcdSolid file_solid(int kind, double *size, const double *at, const double *turn, const Hull *hull) {
    const bool is_rounded = kind == BOX || kind == CYLINDER;
    for (int k = 0; is_rounded && k < 3; k++) size[k] -= ROUNDING_M;
    return CcdSolid{kind, size, at, turn, hull, is_rounded ? ROUNDING_M : 0};
}

void run_files(const char *folder, int most) {
    const Hull *given = load_hulls(folder);
    std::vector<FileHull> hulls;
    for (int h = 0; h < HULLS; h++) hulls.push_back(file_hull(given[h]));
    for (int c = 0; c < CLASSES; c++) {
        int count;
        Pair *pairs = load_pairs(folder, c, most, &count);
        std::vector<Case> cases;
        std::vector<CcdCase> their_cases;
        cases.resize(size_t(count));
        for (int i = 0; i < count; i++) {
            Pair &p = pairs[i];
            Case &one = cases[size_t(i)];
            const FileHull &hull_a = hulls[size_t(p.hull_a)], &hull_b = hulls[size_t(p.hull_b)];
            one.a = file_placed(p.kind_a, p.size_a, p.turn_a, hull_a);
            one.b = file_placed(p.kind_b, p.size_b, p.turn_b, hull_b);
            one.offset = vec3_make(p.position_b[0] - p.position_a[0], p.position_b[1] - p.position_a[1],
                                   p.position_b[2] - p.position_a[2]);
            if (p.kind_b == HULL) one.offset = vec3_add(one.offset, mat3_rotate(one.b.turn, hull_b.centroid));
            if (p.kind_a == HULL) one.offset = vec3_sub(one.offset, mat3_rotate(one.a.turn, hull_a.centroid));
            their_cases.push_back({file_solid(p.kind_a, p.size_a, p.position_a, p.turn_a, &given[p.hull_a]),
                                   file_solid(p.kind_b, p.size_b, p.position_b, p.turn_b, &given[p.hull_b])});
        }
        compare("files", class_names[c], cases, their_cases);
        free(pairs);
    }
}

// --- the shallow set --------------------------------------------------------------------------------------------

enum { FRUSTUM = 100 };

// About 1 m, rounded by 1 mm.
Shape draw_size(Draw &draw, uint32_t kind) {
    auto half = [&] { return draw.uniform(0.3, 0.7); };
    if (kind == SHAPE_SPHERE) return sphere(half());
    if (kind == SHAPE_CAPSULE) return capsule(draw.uniform(0.2, 0.4), half());
    if (kind == SHAPE_BOX) return box(half(), half(), half(), ROUNDING_M);
    if (kind == SHAPE_ELLIPSOID) return make_shape(kind, half(), half(), half(), 0);
    if (kind == SHAPE_CYLINDER) return make_shape(kind, half(), half(), 0, ROUNDING_M);
    if (kind == SHAPE_BEAM) {
        Shape s = make_shape(kind, half(), draw.uniform(0.2, 0.4), draw.uniform(0.2, 0.4), ROUNDING_M);
        s.flags = SHAPE_FLAT;
        return s;
    }
    if (kind == SHAPE_HULL) {
        static const std::vector<Shape> hulls = [] {
            std::vector<Shape> some;
            Draw of_hulls(99);
            for (int i = 0; i < 64; i++) some.push_back(make_hull(egg_points(of_hulls, 64)));
            return some;
        }();
        return hulls[size_t(draw.uniform(0, 1) * 63.99)];
    }
    const double radius = half();
    return make_shape(SHAPE_CONE, radius, 2 * half(), draw.uniform(0.2, 0.8) * radius, ROUNDING_M);
}

// Newton's method from afar, on a line: the distance is convex there.
Vec3 place_exactly(const Placed &a, const Placed &b, Vec3 way, double want) {
    double at = shape_size_m(&a.shape) + shape_size_m(&b.shape) + 1;
    for (int i = 0; i < 20; i++) {
        const NarrowResult r = narrow(a, b, vec3_scale(way, at));
        const double slope = vec3_dot(r.normal, way);
        if (slope < 0.01) break;
        at -= (r.distance_m - want) / slope;
    }
    return vec3_scale(way, at);
}

void run_shallow(size_t count) {
    const struct {
        uint32_t a, b;
        const char *name;
    } classes[] = {{SHAPE_SPHERE, SHAPE_CYLINDER, "sphere-cylinder"},
                   {SHAPE_SPHERE, SHAPE_ELLIPSOID, "sphere-ellipsoid"},
                   {SHAPE_SPHERE, SHAPE_HULL, "sphere-hull"},
                   {SHAPE_CAPSULE, SHAPE_CAPSULE, "capsule-capsule"},
                   {SHAPE_CAPSULE, SHAPE_BOX, "capsule-box"},
                   {SHAPE_ELLIPSOID, SHAPE_ELLIPSOID, "ellipsoid-ellipsoid"},
                   {SHAPE_ELLIPSOID, SHAPE_BOX, "ellipsoid-box"},
                   {SHAPE_BOX, SHAPE_BOX, "box-box"},
                   {SHAPE_CYLINDER, SHAPE_BOX, "cylinder-box"},
                   {FRUSTUM, SHAPE_BOX, "frustum-box"},
                   {SHAPE_BEAM, SHAPE_BOX, "beam-box"},
                   {SHAPE_CYLINDER, SHAPE_CYLINDER, "cylinder-cylinder"},
                   {SHAPE_BEAM, SHAPE_BEAM, "beam-beam"},
                   {SHAPE_ELLIPSOID, SHAPE_CYLINDER, "ellipsoid-cylinder"},
                   {SHAPE_HULL, SHAPE_BOX, "hull-box"},
                   {SHAPE_HULL, SHAPE_HULL, "hull-hull"}};
    for (const auto &one : classes) {
        Draw draw(one.a * 100 + one.b);
        std::vector<Case> cases;
        cases.resize(count);
        for (size_t i = 0; i < count; i++) {
            Case &c = cases[i];
            c.a = Placed{draw_size(draw, one.a), draw.turn()};
            c.b = Placed{draw_size(draw, one.b), draw.turn()};
            const double want = i % 2 == 0 ? -draw.log_uniform(1e-9, 1e-3) : draw.log_uniform(1e-9, 0.1);
            c.offset = place_exactly(c.a, c.b, draw.direction(), want);
        }
        compare("shallow", one.name, cases, cases);
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "files"))
        run_files(argv[2], atoi(argv[3]));
    else if (argc == 3 && !strcmp(argv[1], "shallow"))
        run_shallow(size_t(atoi(argv[2])));
    else
        return 2;
    return 0;
}
