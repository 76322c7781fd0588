// The functions of the kernels, once for all tests that declare them alone (FN_EXTERNAL, kernels/base/portable.h): most
// of a test's compile time would go into machine code of kernels that all others have too.
#include <cstdint>

static uint32_t native_work_item; // behind get_global_id
#include "stepper/advance.cl"

#include "evaluate/evaluate.cl"
#include "evaluate/evaluate_meshes.cl"
