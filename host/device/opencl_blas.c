// Products of matrices on OpenCL devices. The only file that includes CLBlast.
#include "opencl_internal.h"

#include <clblast_c.h>

// CLBlast compiles each of its kernels at its first use in a process: 8 s with PoCL the first time, 0.05 s from
// PoCL's cache.
static ClackStatus gram_multiply(OpenclDevice *opencl, size_t rows, size_t columns, size_t stride, cl_mem values,
                                 cl_mem products, ClackReport *report) {
    const CLBlastStatusCode code =
        CLBlastDgemm(CLBlastLayoutColMajor, CLBlastTransposeYes, CLBlastTransposeNo, columns, columns, rows, 1.0,
                     values, 0, stride, values, 0, stride, 0.0, products, 0, columns, &opencl->queue, NULL);
    if (code != CLBlastSuccess)
        return report_add(report, CLACK_DEVICE, "%s: CLBlastDgemm failed with %d for %zu rows of %zu columns",
                          opencl->base.info.name, (int)code, rows, columns);
    return opencl_check(opencl, clFinish(opencl->queue), "clFinish", 0, report);
}

ClackStatus opencl_gram(Device *device, size_t rows, size_t columns, size_t stride, const double *values,
                        double *out_products, ClackReport *report) {
    OpenclDevice *opencl = (OpenclDevice *)device;
    const size_t value_bytes = columns * stride * sizeof *values;
    const size_t product_bytes = columns * columns * sizeof *out_products;
    cl_int error = CL_SUCCESS;
    cl_mem products = NULL;
    cl_mem input = clCreateBuffer(opencl->context, CL_MEM_READ_ONLY, value_bytes, NULL, &error);
    ClackStatus status = CLACK_OK;
    TRY(opencl_check(opencl, error, "clCreateBuffer", value_bytes, report));
    products = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, product_bytes, NULL, &error);
    TRY_CLEAN(opencl_check(opencl, error, "clCreateBuffer", product_bytes, report));
    error = clEnqueueWriteBuffer(opencl->queue, input, CL_TRUE, 0, value_bytes, values, 0, NULL, NULL);
    TRY_CLEAN(opencl_check(opencl, error, "clEnqueueWriteBuffer", value_bytes, report));
    TRY_CLEAN(gram_multiply(opencl, rows, columns, stride, input, products, report));
    error = clEnqueueReadBuffer(opencl->queue, products, CL_TRUE, 0, product_bytes, out_products, 0, NULL, NULL);
    status = opencl_check(opencl, error, "clEnqueueReadBuffer", product_bytes, report);
cleanup:
    if (products != NULL) clReleaseMemObject(products);
    clReleaseMemObject(input);
    return status;
}
