// What a mesh file holds, as it grows; faces of more than three corners cut into triangles.
#include "mesh_file_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

#define BENT_SHARE 1e-6 // of a face's perimeter: corners this near a plane are in it

// Room for one more; 0 without memory or beyond MESH_COUNT_MAX.
static int room_make(void **array, uint32_t count, uint32_t *room, size_t item_bytes) {
    if (count < *room) return 1;
    const uint32_t wanted = *room + *room / 2 + 64;
    void *grown = wanted <= MESH_COUNT_MAX ? realloc(*array, (size_t)wanted * item_bytes) : NULL;
    if (grown == NULL) return 0;
    *array = grown;
    *room = wanted;
    return 1;
}

int mesh_source_add_point(MeshSource *source, const double point[3]) {
    if (!room_make((void **)&source->points, source->point_count, &source->point_room, sizeof *source->points))
        return 0;
    memcpy(source->points[source->point_count++], point, sizeof *source->points);
    return 1;
}

uint32_t mesh_source_group(MeshSource *source, const char *name, size_t bytes) {
    for (uint32_t g = source->group_count; g-- > 0;) // most often the last
        if (strlen(source->named[g].name) == bytes && memcmp(source->named[g].name, name, bytes) == 0) return g;
    if (source->group_count == MESH_GROUPS_MAX) {
        source->has_more_groups = 1;
        return MESH_GROUPS_MAX - 1;
    }
    if (!room_make((void **)&source->named, source->group_count, &source->group_room, sizeof *source->named))
        return MESH_FACE_BAD;
    char *own = malloc(bytes + 1);
    if (own == NULL) return MESH_FACE_BAD;
    memcpy(own, name, bytes);
    own[bytes] = '\0';
    source->named[source->group_count] = (MeshGroup){.name = own};
    return source->group_count++;
}

static int triangle_add(MeshSource *source, const uint32_t corners[3], uint32_t group, uint32_t place) {
    const uint32_t count = source->triangle_count;
    if (count >= source->triangle_room) {
        uint32_t room = source->triangle_room;
        if (!room_make((void **)&source->corners, count, &room, sizeof *source->corners)) return 0;
        room = source->triangle_room;
        if (!room_make((void **)&source->places, count, &room, sizeof *source->places)) return 0;
        if (!room_make((void **)&source->groups, count, &source->triangle_room, sizeof *source->groups)) return 0;
    }
    memcpy(source->corners[count], corners, sizeof *source->corners);
    source->places[count] = place;
    source->groups[count] = group;
    source->named[group].triangle_count++;
    source->triangle_count++;
    return 1;
}

// --- polygons -------------------------------------------------------------------------------------

static Vec3 point_at(const MeshSource *source, uint32_t k) {
    return vec3_make(source->points[k][0], source->points[k][1], source->points[k][2]);
}

// Twice the area vector, by the triangles with the first corner (Newell's normal); the perimeter beside it.
static Vec3 face_normal(const MeshSource *source, const uint32_t *corners, uint32_t count, double *out_perimeter) {
    const Vec3 first = point_at(source, corners[0]);
    Vec3 normal = vec3_zero();
    *out_perimeter = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Vec3 a = vec3_sub(point_at(source, corners[i]), first);
        const Vec3 b = vec3_sub(point_at(source, corners[(i + 1) % count]), first);
        normal = vec3_add(normal, vec3_cross(a, b));
        *out_perimeter += vec3_length(vec3_sub(b, a));
    }
    return normal;
}

// The least of the triangles that a corner makes with the sides it does not touch, as a share of the face.
static double fan_least(const MeshSource *source, const uint32_t *corners, uint32_t count, uint32_t from, Vec3 normal) {
    const Vec3 apex = point_at(source, corners[from]);
    const double square = vec3_dot(normal, normal);
    double least = INFINITY;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const Vec3 a = vec3_sub(point_at(source, corners[(from + i) % count]), apex);
        const Vec3 b = vec3_sub(point_at(source, corners[(from + i + 1) % count]), apex);
        least = fmin(least, vec3_dot(vec3_cross(a, b), normal) / square);
    }
    return least;
}

// The first corner whose triangles all have the face's orientation, or the best of them; `count` where there is none.
static uint32_t fan_start(const MeshSource *source, const uint32_t *corners, uint32_t count, Vec3 normal) {
    uint32_t best = count;
    double most = -1e-12;                            // rounding of three corners in a line
    if (!(vec3_dot(normal, normal) > 0.0)) return 0; // no area: any will do
    for (uint32_t from = 0; from < count; from++) {
        const double least = fan_least(source, corners, count, from, normal);
        if (least > 1e-9) return from;
        if (least > most) {
            most = least;
            best = from;
        }
    }
    return best;
}

static void bent_note(MeshSource *source, const uint32_t *corners, uint32_t count, uint32_t place) {
    double perimeter = 0, away = 0, mean = 0;
    const Vec3 normal = vec3_normalize(face_normal(source, corners, count, &perimeter));
    for (uint32_t i = 0; i < count; i++)
        mean += vec3_dot(normal, vec3_sub(point_at(source, corners[i]), point_at(source, corners[0]))) / count;
    for (uint32_t i = 0; i < count; i++) {
        const Vec3 from = vec3_sub(point_at(source, corners[i]), point_at(source, corners[0]));
        away = fmax(away, fabs(vec3_dot(normal, from) - mean));
    }
    if (!(away > BENT_SHARE * perimeter)) return;
    if (source->bent_count++ == 0) source->bent_place = place;
    source->bent_m = fmax(source->bent_m, away);
}

int mesh_source_add_face(MeshSource *source, const uint32_t *corners, uint32_t count, uint32_t group, uint32_t place) {
    assert(count >= 3 && group < source->group_count);
    if (count == 3) return triangle_add(source, corners, group, place);
    double perimeter = 0;
    const Vec3 normal = face_normal(source, corners, count, &perimeter);
    const uint32_t from = fan_start(source, corners, count, normal);
    if (from == count) {
        if (source->uncut_count++ == 0) source->uncut_place = place;
        return 1;
    }
    if (vec3_dot(normal, normal) > 0.0) bent_note(source, corners, count, place);
    for (uint32_t i = 1; i + 1 < count; i++) {
        const uint32_t triangle[3] = {corners[from], corners[(from + i) % count], corners[(from + i + 1) % count]};
        if (!triangle_add(source, triangle, group, place)) return 0;
    }
    return 1;
}

void mesh_source_free(MeshSource *source) {
    for (uint32_t g = 0; g < source->group_count; g++) free(source->named[g].name);
    free(source->named);
    free(source->points);
    free(source->corners);
    free(source->places);
    free(source->groups);
    *source = (MeshSource){0};
}
