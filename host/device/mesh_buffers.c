// The tables of all meshes of a study on a device.
#include "mesh_buffers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh_types.h"

typedef enum MeshTable {
    MESH_TABLE_HEADS,
    MESH_TABLE_VERTICES,
    MESH_TABLE_TRIANGLES,
    MESH_TABLE_EDGES,
    MESH_TABLE_SPOKES,
    MESH_TABLE_NODES,
    MESH_TABLE_PARTS,
} MeshTable;

typedef struct MeshUpload {
    Device *device;
    const SceneMesh *const *meshes; // (mesh_count)
    uint32_t mesh_count;
    DeviceBuffer **buffers; // (MESH_BUFFERS)
} MeshUpload;

// A table of all meshes: `rows` of each, at its place.
typedef struct MeshRows {
    MeshTable which;
    size_t row_bytes;
    size_t count_at; // in MeshHead: rows of a mesh,
    uint32_t times;  // times this,
    size_t first_at; // where they begin,
    size_t table_at; // and the pointer to them, in SceneMesh
} MeshRows;

#define TABLE(which, type, count, times, first, member)                                                                \
    {                                                                                                                  \
        MESH_TABLE_##which, sizeof(type), offsetof(MeshHead, count), times, offsetof(MeshHead, first),                 \
            offsetof(SceneMesh, member)                                                                                \
    }
static const MeshRows mesh_tables[] = {
    TABLE(VERTICES, MeshVertex, vertex_count, 1, vertex_first, vertices),
    TABLE(TRIANGLES, MeshTriangle, triangle_count, 1, triangle_first, triangles),
    TABLE(EDGES, MeshEdge, edge_count, 1, edge_first, edges),
    TABLE(SPOKES, MeshSpoke, edge_count, 2, spoke_first, spokes),
    TABLE(NODES, MeshNode, node_count, 1, node_first, nodes),
    TABLE(PARTS, u32, part_count, 1, part_first, parts),
};
#undef TABLE

static u32 head_number(const MeshHead *head, size_t at) {
    u32 number;
    memcpy(&number, (const char *)head + at, sizeof number);
    return number;
}

// One table of all meshes, and where each mesh begins in it.
static ClackStatus upload_table(MeshUpload *upload, const MeshRows *table, MeshHead *heads, ClackReport *report) {
    uint64_t total = 0;
    for (uint32_t m = 0; m < upload->mesh_count; m++) {
        const u32 first = (u32)total;
        memcpy((char *)&heads[m] + table->first_at, &first, sizeof first);
        total += (uint64_t)table->times * head_number(&upload->meshes[m]->head, table->count_at);
    }
    if (total >= UINT32_MAX / 2) return report_add(report, CLACK_MEMORY, "the meshes have too many triangles");
    DeviceBuffer **buffer = &upload->buffers[table->which];
    TRY(device_buffer_reserve(upload->device, total * table->row_bytes, buffer, report));
    for (uint32_t m = 0; m < upload->mesh_count; m++) {
        const SceneMesh *mesh = upload->meshes[m];
        const void *rows;
        memcpy(&rows, (const char *)mesh + table->table_at, sizeof rows);
        const size_t count = (size_t)table->times * head_number(&mesh->head, table->count_at);
        TRY(device_buffer_write(upload->device, *buffer, head_number(&heads[m], table->first_at) * table->row_bytes,
                                count * table->row_bytes, rows, report));
    }
    return CLACK_OK;
}

ClackStatus mesh_buffers_upload(Device *device, const SceneMesh *const *meshes, uint32_t mesh_count,
                                DeviceBuffer **buffers, ClackReport *report) {
    ClackStatus status = CLACK_OK;
    MeshUpload upload = {device, meshes, mesh_count, buffers};
    MeshHead *heads = calloc((size_t)mesh_count + 1, sizeof *heads);
    if (heads == NULL) return report_add(report, CLACK_MEMORY, "no memory for meshes");
    for (uint32_t m = 0; m < mesh_count; m++) heads[m] = meshes[m]->head;
    for (size_t t = 0; t < sizeof mesh_tables / sizeof *mesh_tables; t++)
        TRY_CLEAN(upload_table(&upload, &mesh_tables[t], heads, report));
    status = device_buffer_upload(device, mesh_count * sizeof *heads, heads, &buffers[MESH_TABLE_HEADS], report);
cleanup:
    free(heads);
    return status;
}
