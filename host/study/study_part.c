// A mesh as convex hulls, one for each group of its file; what it weighs, and what it takes.
#include "study_internal.h"

#include "hull.h"
#include "mesh_tree.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 512
#define NAME_BYTES 100
#define WHICH_BYTES 32 // "triangle 4294967295: "

typedef struct PartMaker {
    Reader *reader;
    const YamlNode *node; // what names the file
    const InputFile *input;
    MeshSource source; // stretched
    MeshParts *parts;
    uint32_t *order, *first; // triangles by group; where those of a group begin, (groups + 1)
    MeshFound total[MESH_FINDINGS];
    char texts[MESH_FINDINGS][TEXT_BYTES]; // of the first
    StudyMesh *about;
    HullSpec spec;
    bool all_closed;
} PartMaker;

static YamlPlace part_place(const PartMaker *maker, uint32_t triangle, char which[WHICH_BYTES]) {
    return mesh_place(&maker->source, maker->input, triangle, which, WHICH_BYTES);
}

// "group "x"", or what a file without names has.
static const char *group_print(const PartMaker *maker, uint32_t triangle, char out[NAME_BYTES]) {
    const char *name = maker->source.named[maker->source.groups[triangle]].name;
    if (name[0] == '\0')
        snprintf(out, NAME_BYTES, "the surface");
    else
        snprintf(out, NAME_BYTES, "group \"%.*s\"", TEXT_CUT(name, 80));
    return out;
}

static void part_error(PartMaker *maker, uint32_t triangle, const char *text) {
    char which[WHICH_BYTES], name[NAME_BYTES];
    const YamlPlace place = part_place(maker, triangle, which);
    reader_error_at(maker->reader, &place, "%s%s: %s", which, group_print(maker, triangle, name), text);
}

// --- a group --------------------------------------------------------------------------------------

// What was found of a surface, added to that of others: the first is reported, with how many there are in all.
static void findings_add(PartMaker *maker, const Mesh *mesh) {
    for (int f = 0; f < MESH_FINDINGS; f++) {
        const MeshFound *found = &mesh->found[f];
        if (found->count == 0) continue;
        if (maker->total[f].count == 0) {
            maker->total[f] = *found;
            mesh_describe(mesh, (MeshFinding)f, maker->texts[f], TEXT_BYTES);
        } else {
            maker->total[f].count += found->count;
        }
    }
}

static void findings_tell(const PartMaker *maker) {
    static const MeshFinding reported[] = {MESH_DROPPED, MESH_DOUBLED, MESH_SLIVER, MESH_FLIPPED, MESH_CAVITY};
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
        char which[WHICH_BYTES];
        if (maker->total[reported[i]].count == 0) continue;
        const YamlPlace place = part_place(maker, maker->total[reported[i]].triangle, which);
        reader_warn_at(maker->reader, &place, "%s%s", which, maker->texts[reported[i]]);
    }
    if (maker->source.bent_count == 0) return;
    const YamlPlace place = {maker->input->path, maker->source.has_lines ? maker->source.bent_place : 0, 1};
    reader_warn_at(
        maker->reader, &place,
        "the corners of a face are not in one plane: it is cut into triangles from one corner (%u in all, by "
        "up to %g)",
        maker->source.bent_count, maker->source.bent_m);
}

// The volume and so on of a closed surface, kept with the scene.
static const SolidMoments *solid_keep(PartMaker *maker, const Mesh *mesh) {
    SceneDescription *scene = &maker->reader->study->scene;
    SolidMoments *solid = malloc(sizeof *solid);
    if (solid == NULL || !reader_grow(maker->reader, (void **)&scene->solids, &maker->reader->solid_capacity,
                                      scene->solid_count, sizeof *scene->solids)) {
        maker->reader->is_out_of_memory = true;
        free(solid);
        return NULL;
    }
    *solid = mesh_weigh(mesh);
    return scene->solids[scene->solid_count++] = solid;
}

static void reason_keep(PartMaker *maker, const Mesh *mesh) {
    char which[WHICH_BYTES], text[2 * TEXT_BYTES];
    const MeshFinding gap = mesh_gap(mesh);
    maker->parts->open_place = part_place(maker, mesh->found[gap].triangle, which);
    const int bytes = snprintf(text, sizeof text, "%s", which);
    mesh_describe(mesh, gap, text + bytes, sizeof text - (size_t)bytes);
    maker->parts->open_text = reader_take_text(maker->reader, text, strlen(text));
}

static void fill_tell(const PartMaker *maker, uint32_t triangle, double fill) {
    char which[WHICH_BYTES], name[NAME_BYTES];
    if (!(fill > 1.0)) return;
    const YamlPlace place = part_place(maker, triangle, which);
    reader_warn_at(maker->reader, &place,
                   "%sthe hull of %s has %.4g times its volume, since it fills its hollows: cut it into more convex "
                   "groups",
                   which, group_print(maker, triangle, name), fill);
}

// Its weight where it is closed, else why it is not. False without memory.
static bool surface_take(PartMaker *maker, uint32_t group, const Mesh *mesh) {
    if (mesh_is_closed(mesh)) return (maker->parts->solids[group] = solid_keep(maker, mesh)) != NULL;
    if (maker->all_closed) reason_keep(maker, mesh);
    maker->all_closed = false;
    return true;
}

// The hull of a group, and its weight where its surface is closed. False after errors.
static bool group_make(PartMaker *maker, uint32_t group) {
    const uint32_t *which = maker->order + maker->first[group];
    ClackReport report = {0};
    char why[256];
    Mesh *mesh = NULL;
    const ClackStatus status =
        mesh_make(&maker->source, which, maker->first[group + 1] - maker->first[group], &mesh, &report);
    if (status == CLACK_MEMORY) maker->reader->is_out_of_memory = true;
    if (status == CLACK_STUDY) part_error(maker, which[0], report.lines[0]);
    clack_report_clear(&report);
    if (status != CLACK_OK) return false;
    findings_add(maker, mesh);
    maker->about->vertices += mesh->vertex_count;
    maker->about->triangles += mesh->triangle_count;
    maker->about->components += mesh->component_count;
    maker->spec.points = (const double(*)[3])mesh->points;
    maker->spec.count = mesh->vertex_count;
    const uint32_t errors_before = maker->reader->error_count;
    const SceneHull *hull = hull_of_points(maker->reader, &maker->spec, why, sizeof why);
    if (hull == NULL && !maker->reader->is_out_of_memory) part_error(maker, which[0], why);
    bool is_ok = hull != NULL && maker->reader->error_count == errors_before;
    if (is_ok) {
        maker->parts->hulls[group] = hull;
        fill_tell(maker, which[0], mesh_fill(hull->volume_m3, mesh));
        is_ok = surface_take(maker, group, mesh);
    }
    mesh_free(mesh);
    return is_ok;
}

// Triangles by group, in the order of the file: a sort by counting.
static bool groups_sort(PartMaker *maker) {
    const MeshSource *source = &maker->source;
    maker->order = malloc((size_t)source->triangle_count * sizeof *maker->order);
    maker->first = calloc((size_t)source->group_count + 2, sizeof *maker->first);
    if (maker->order == NULL || maker->first == NULL) {
        maker->reader->is_out_of_memory = true;
        return false;
    }
    for (uint32_t t = 0; t < source->triangle_count; t++) maker->first[source->groups[t] + 2]++;
    for (uint32_t g = 2; g < source->group_count + 2; g++) maker->first[g] += maker->first[g - 1];
    for (uint32_t t = 0; t < source->triangle_count; t++) maker->order[maker->first[source->groups[t] + 1]++] = t;
    return true;
}

// --- the whole ------------------------------------------------------------------------------------

static bool crossing_look(PartMaker *maker, const Mesh *whole) {
    char which[WHICH_BYTES], text[TEXT_BYTES], other_text[64], name[NAME_BYTES], other_name[NAME_BYTES];
    MeshTree tree;
    uint32_t a = 0, b = 0;
    if (mesh_tree_make(whole, &tree, NULL) != CLACK_OK) {
        maker->reader->is_out_of_memory = true;
        return false;
    }
    if (mesh_find_crossing(whole, &tree, &a, &b)) {
        const MeshSource *source = &maker->source;
        const uint32_t one = whole->origins[a], other = whole->origins[b];
        snprintf(other_text, sizeof other_text, "%s %u", source->has_lines ? "the one of line" : "triangle",
                 source->places[other]);
        maker->parts->crossing_place = part_place(maker, one, which);
        snprintf(text, sizeof text, "%sthis triangle of %s crosses %s, of %s", which, group_print(maker, one, name),
                 other_text, group_print(maker, other, other_name));
        maker->parts->crossing_text = reader_take_text(maker->reader, text, strlen(text));
    }
    mesh_tree_free(&tree);
    return true;
}

// Where not every group is closed, the mass is that of the whole if this is; else that of the hulls.
static void solids_choose(PartMaker *maker, const Mesh *whole) {
    MeshParts *parts = maker->parts;
    if (maker->all_closed) return;
    for (uint32_t g = 0; g < parts->count; g++) parts->solids[g] = NULL;
    if (!mesh_is_closed(whole)) return;
    parts->open_text = NULL;
    parts->solids[0] = solid_keep(maker, whole);
    for (uint32_t g = 1; g < parts->count; g++) parts->solids[g] = &SOLID_NONE;
    memset(maker->total, 0, sizeof maker->total);
    findings_add(maker, whole);
}

static SolidMoments hull_weight(const SceneHull *hull) {
    SolidMoments out = {.volume_m3 = hull->volume_m3};
    memcpy(out.centroid_m, hull->centroid_m, sizeof out.centroid_m);
    memcpy(out.inertia_m5, hull->inertia_m5, sizeof out.inertia_m5);
    return out;
}

static void about_fill(PartMaker *maker, const Mesh *whole) {
    const MeshParts *parts = maker->parts;
    StudyMesh *about = maker->about;
    about->file_points = maker->source.point_count;
    if (!maker->all_closed) { // else each group is a surface by itself
        about->vertices = whole->vertex_count;
        about->triangles = whole->triangle_count;
        about->components = whole->component_count;
    }
    about->is_closed = maker->all_closed || mesh_is_closed(whole);
    about->size_m = whole->longest_m;
    about->hulls = about->vertices_least = parts->count;
    for (uint32_t g = 0; g < parts->count; g++) {
        const SceneHull *hull = parts->hulls[g];
        const uint32_t vertices = hull->vertex_count;
        about->vertices_least = g == 0 || vertices < about->vertices_least ? vertices : about->vertices_least;
        about->vertices_most = g == 0 || vertices > about->vertices_most ? vertices : about->vertices_most;
        about->hull_rows += hull->row_count;
        const SolidMoments own = hull_weight(hull);
        about->solid = solid_add(&about->solid, parts->solids[g] != NULL ? parts->solids[g] : &own);
    }
}

static bool whole_make(PartMaker *maker) {
    Mesh *whole = NULL;
    const ClackStatus status = mesh_make(&maker->source, NULL, 0, &whole, NULL);
    bool is_ok = status == CLACK_OK; // each group has triangles
    if (!is_ok) maker->reader->is_out_of_memory = true;
    if (is_ok) is_ok = crossing_look(maker, whole);
    if (is_ok) {
        solids_choose(maker, whole);
        findings_tell(maker);
        about_fill(maker, whole);
    }
    mesh_free(whole);
    return is_ok && !maker->reader->is_out_of_memory;
}

// --- the parts ------------------------------------------------------------------------------------

static bool source_check(PartMaker *maker) {
    const MeshSource *source = &maker->source;
    const YamlPlace top = {maker->input->path, source->has_lines ? 1 : 0, 1};
    if (source->triangle_count == 0 && source->uncut_count == 0) {
        reader_error_at(maker->reader, &top, "expected faces of a mesh, found none");
        return false;
    }
    if (source->has_more_groups) {
        reader_error_at(maker->reader, &top, "expected at most %u groups, found more", MESH_GROUPS_MAX);
        return false;
    }
    if (source->uncut_count == 0) return true;
    const YamlPlace place = {maker->input->path, source->has_lines ? source->uncut_place : 0, 1};
    char which[WHICH_BYTES] = "";
    if (!source->has_lines) snprintf(which, sizeof which, "face %u: ", source->uncut_place);
    reader_error_at(maker->reader, &place,
                    "%sexpected a face that can be cut into triangles from one of its corners, found one that cannot: "
                    "triangulate it in the program that wrote the file (%u in all)",
                    which, source->uncut_count);
    return false;
}

static bool parts_fill(PartMaker *maker) {
    MeshParts *parts = maker->parts;
    const uint32_t groups = maker->source.group_count;
    parts->hulls = reader_take(maker->reader, (groups + 1) * sizeof *parts->hulls);
    parts->solids = reader_take(maker->reader, (groups + 1) * sizeof *parts->solids);
    if (parts->hulls == NULL || parts->solids == NULL || !groups_sort(maker)) return false;
    parts->count = groups;
    bool is_ok = true;
    for (uint32_t g = 0; g < groups && is_ok; g++) is_ok = group_make(maker, g);
    is_ok = is_ok && whole_make(maker);
    if (!is_ok) parts->count = 0;
    return is_ok;
}

static bool stretch_take(PartMaker *maker, const MeshSource *source) {
    const double *stretch = maker->parts->stretch;
    maker->source = *source;
    if (stretch[0] == 1.0 && stretch[1] == 1.0 && stretch[2] == 1.0) return true;
    double(*own)[3] = reader_take(maker->reader, ((size_t)source->point_count + 1) * sizeof *own);
    if (own == NULL) return false;
    for (uint32_t i = 0; i < source->point_count; i++)
        for (int k = 0; k < 3; k++) own[i][k] = source->points[i][k] * stretch[k];
    maker->source.points = own;
    return true;
}

static void parts_make(Reader *reader, const YamlNode *node, const InputFile *input, MeshParts *parts) {
    Study *study = reader->study;
    PartMaker maker = {.reader = reader, .node = map_get(node, "file"), .input = input, .parts = parts};
    maker.spec = (HullSpec){.smoothing = map_get(node, "smoothing"), .least_scale = parts->least_scale};
    maker.all_closed = true;
    if (!reader_grow(reader, (void **)&study->meshes, &reader->mesh_capacity, study->mesh_count, sizeof *study->meshes))
        return;
    parts->study_mesh = study->mesh_count++;
    maker.about = &study->meshes[parts->study_mesh];
    const size_t bytes = strlen(input->path) + 1;
    maker.about->path = malloc(bytes);
    if (maker.about->path == NULL) {
        reader->is_out_of_memory = true;
        return;
    }
    memcpy(maker.about->path, input->path, bytes);
    maker.about->shape = NONE;
    if (stretch_take(&maker, parts->source) && source_check(&maker)) parts_fill(&maker);
    free(maker.order);
    free(maker.first);
}

// Those of the same file, scale and smoothing are made once: of many copies of a body, say.
const MeshParts *mesh_parts_make(Reader *reader, const YamlNode *node, const InputFile *input, MeshParts key) {
    for (const MeshParts *parts = reader->mesh_parts; parts != NULL; parts = parts->next)
        if (parts->source == key.source && memcmp(parts->stretch, key.stretch, sizeof key.stretch) == 0 &&
            parts->least_scale == key.least_scale &&
            (parts->smoothing_m == key.smoothing_m || (isnan(parts->smoothing_m) && isnan(key.smoothing_m))))
            return parts;
    MeshParts *parts = reader_take(reader, sizeof *parts);
    if (parts == NULL) return NULL;
    *parts = key;
    parts->next = reader->mesh_parts;
    reader->mesh_parts = parts;
    parts_make(reader, node, input, parts);
    return parts;
}
