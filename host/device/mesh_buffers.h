// The tables of all meshes of a study on a device.
#ifndef CLACK_MESH_BUFFERS_H
#define CLACK_MESH_BUFFERS_H

#include "device.h"
#include "mesh_table.h"

// In the order in which kernels take them: MeshHead, MeshVertex, MeshTriangle, MeshEdge, MeshSpoke, MeshNode, parts.
#define MESH_BUFFERS 7

/// Each mesh's rows, one mesh after the other. `buffers` (MESH_BUFFERS) are made or made larger, owned by the caller.
/// Errors: CLACK_MEMORY, CLACK_DEVICE.
ClackStatus mesh_buffers_upload(Device *device, const SceneMesh *const *meshes, uint32_t mesh_count,
                                DeviceBuffer **buffers, ClackReport *report);

#endif
