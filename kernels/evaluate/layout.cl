// Reports the size of each shared struct, so that host and device can be compared at start-up.
#include "model/evaluate_types.h"
#include "model/mesh_types.h"
#include "model/region_types.h"
#include "model/scene_types.h"

#define LAYOUT_STRUCTS 33

KERNEL void layout(GLOBAL u32 *sizes /* (LAYOUT_STRUCTS) */, u32 count) {
    if (get_global_id(0) >= count) return;
    sizes[0] = (u32)sizeof(Vec3);
    sizes[1] = (u32)sizeof(Quat);
    sizes[2] = (u32)sizeof(Shape);
    sizes[3] = (u32)sizeof(MaterialPairLaw);
    sizes[4] = (u32)sizeof(Body);
    sizes[5] = (u32)sizeof(BodyState);
    sizes[6] = (u32)sizeof(Scene);
    sizes[7] = (u32)sizeof(Progress);
    sizes[8] = (u32)sizeof(Event);
    sizes[9] = (u32)sizeof(Watch);
    sizes[10] = (u32)sizeof(Extreme);
    sizes[11] = (u32)sizeof(HullRow);
    sizes[12] = (u32)sizeof(ContactRow);
    sizes[13] = (u32)sizeof(EvaluateSettings);
    sizes[14] = (u32)sizeof(ShapePair);
    sizes[15] = (u32)sizeof(NearPair);
    sizes[16] = (u32)sizeof(PairContact);
    sizes[17] = (u32)sizeof(Slots);
    sizes[18] = (u32)sizeof(Slot);
    sizes[19] = (u32)sizeof(Joint);
    sizes[20] = (u32)sizeof(MeshHead);
    sizes[21] = (u32)sizeof(MeshVertex);
    sizes[22] = (u32)sizeof(MeshTriangle);
    sizes[23] = (u32)sizeof(MeshEdge);
    sizes[24] = (u32)sizeof(MeshSpoke);
    sizes[25] = (u32)sizeof(MeshNode);
    sizes[26] = (u32)sizeof(RegionSettings);
    sizes[27] = (u32)sizeof(RegionQuery);
    sizes[28] = (u32)sizeof(RegionRow);
    sizes[29] = (u32)sizeof(RegionSegment);
    sizes[30] = (u32)sizeof(RegionCell);
    sizes[31] = (u32)sizeof(FunctionRow);
    sizes[32] = (u32)sizeof(RegionLaw);
    sizes[33] = (u32)sizeof(RegionPoint);
}
