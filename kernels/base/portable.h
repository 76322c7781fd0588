// The dialect common to C17 and OpenCL C 1.2. The only file that depends on the compiler.
#ifndef CLACK_BASE_PORTABLE_H
#define CLACK_BASE_PORTABLE_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define PORTABLE_OPENCL
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// One rounding per written operation: a compiler that fuses a*b+c would give other bits than the host.
#pragma OPENCL FP_CONTRACT OFF
#define GLOBAL __global
#define CONSTANT __constant
#define CONSTANT_POINTER __constant // of a pointer into such a table
#define LOCAL __local
#define LOCAL_ARRAY __local // a declaration of one
#define KERNEL __kernel
typedef uint u32;
typedef int i32;
typedef ulong u64;
typedef long i64;
typedef double real;
#define real_bits(x) as_ulong((real)(x)) // sign, 11 bits of the exponent plus 1023, 52 of the fraction
#define real_of_bits(bits) as_double((u64)(bits))
#define real_sqrt(x) sqrt((real)(x))
#define real_abs(x) fabs((real)(x))
#define real_floor(x) floor((real)(x))
#define real_fma(a, b, c) fma((real)(a), (real)(b), (real)(c))
#define lowest_bit(mask) (31u - clz((u32)(mask) & (0u - (u32)(mask)))) // its place; some bit is set
#define next_of(counter) atomic_inc(counter)                     // its value before one was added, among all work-items
#define next_block_of(counter, count) atomic_add(counter, count) // the same, before `count` was added
// A flag held by one work-item at a time, which sees what the one before wrote (on processors).
#define flag_take(flag) (atomic_xchg(flag, 1u) == 0u)
#define flag_leave(flag)                                                                                               \
    do {                                                                                                               \
        mem_fence(CLK_GLOBAL_MEM_FENCE);                                                                               \
        (void)atomic_xchg(flag, 0u);                                                                                   \
    } while (0)

#else

#include <math.h>
#include <stdint.h>
#define GLOBAL
#define CONSTANT static const
#define CONSTANT_POINTER
#define LOCAL
#define LOCAL_ARRAY static                    // if threads are the work-items of one scene (native_scene_items.c)
#define KERNEL static __attribute__((unused)) // called by the file that includes the .cl
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
#ifdef PORTABLE_REAL                          // a class that counts (bench/counted.h)
typedef PORTABLE_REAL real;
#else
typedef double real;
#endif
#define real_sqrt(x) sqrt(x)
#define real_abs(x) fabs(x)
#define real_floor(x) floor(x)
#define real_fma(a, b, c) fma(a, b, c)
#define lowest_bit(mask) ((u32)__builtin_ctz(mask))
static inline __attribute__((unused)) u64 real_bits(real x) {
    u64 bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline __attribute__((unused)) real real_of_bits(u64 bits) {
    real x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
#define next_of(counter) __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED)
#define next_block_of(counter, count) __atomic_fetch_add(counter, count, __ATOMIC_RELAXED)
#define flag_take(flag) (__atomic_exchange_n(flag, 1u, __ATOMIC_ACQUIRE) == 0u)
#define flag_leave(flag) __atomic_store_n(flag, 0u, __ATOMIC_RELEASE)
// The work-item that the native backend is running. A file that includes a .cl file as C declares it first
// (host/device/native_kernels.c: one per thread), so that the compiler sees all of it.
#define get_global_id(dimension) native_work_item
#define get_local_id(dimension) (native_work_item % SCENE_ITEMS)
#define get_group_id(dimension) (native_work_item / SCENE_ITEMS)

#endif

#ifdef __cplusplus // of a struct
#define ALL_ZERO                                                                                                       \
    {}
#else
#define ALL_ZERO                                                                                                       \
    { 0 }
#endif

// A kernel whose loops over independent numbers shall be vectorised: gcc does that only at -O3. It unrolls short loops
// first, and then vectorises adjacent operations: only of functions that multiply and add by real_fma, since it would
// fuse other sums of products (see CLACK_NATIVE_OPTIONS). Loop by pointers: 32-bit integers may wrap. PoCL vectorises
// loops after clang, which would unroll short ones, and would warn that it has not vectorised them yet.
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_KERNEL __attribute__((optimize("O3"))) KERNEL
#define VECTOR_LOOPS_FN static __attribute__((unused, noinline, optimize("O3")))
#define VECTOR_FN                                                                                                      \
    static __attribute__((unused, noinline, optimize("O3", "tree-slp-vectorize", "no-tree-loop-distribute-patterns")))
#else
#define VECTOR_KERNEL KERNEL
#define VECTOR_FN FN
#if defined(PORTABLE_OPENCL) && defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define VECTOR_LOOPS_FN FN_APART
#else
#define VECTOR_LOOPS_FN FN
#endif
#endif

// Work-items that share one scene; comments call them its items. 1: a scene is one work-item and barriers vanish, so
// that the native backend, which has no barriers, runs the same code.
#ifndef SCENE_ITEMS
#define SCENE_ITEMS 1
#endif
#define ITEM_LOOP(index, count) for (u32 index = view->item; index < (count); index += SCENE_ITEMS)
#if SCENE_ITEMS == 1
#define SCENE_BARRIER()
#else
#define SCENE_BARRIER() barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#endif

// Scenes that a work-item steps side by side: their steps are tried together in vectors (ball_lanes_try.h), whose
// numbers are as many. 1: one scene after the other.
#ifndef SIDE_BY_SIDE
#define SIDE_BY_SIDE 1
#endif
// 1: each work-item has a slot of its own (GPUs, with as many slots as work-items).
#ifndef OWN_SLOTS
#define OWN_SLOTS 0
#endif
// Work-items of a group that serves the scenes of its slots from queues (stepper/queues.h). 0: each serves a slot. What
// lies between two of a group's barriers is a QUEUE_SECTION over its items: on a device each item is one of them; in C
// one thread runs them one after the other.
#ifndef QUEUE_ITEMS
#define QUEUE_ITEMS 0
#endif
// Where what a scene needs from one phase to the next lies while it is stepped: its Progress and its SceneRun
// (stepper/step_trial.h). A group does not copy them to private memory and back for each of its many visits.
#if QUEUE_ITEMS == 0
#define SCENE_SPACE
#else
#define SCENE_SPACE GLOBAL
#endif
#if QUEUE_ITEMS == 0
#define KERNEL_OF_GROUPS KERNEL
#elif defined(PORTABLE_OPENCL)
#define KERNEL_OF_GROUPS __attribute__((reqd_work_group_size(QUEUE_ITEMS, 1, 1))) KERNEL
#define QUEUE_SECTION(item) for (u32 item = (u32)get_local_id(0), is_first = 1; is_first; is_first = 0)
#define QUEUE_BARRIER() barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#else
#define KERNEL_OF_GROUPS KERNEL
#define QUEUE_SECTION(item) for (u32 item = 0; item < QUEUE_ITEMS; item++)
#define QUEUE_BARRIER()
#endif
// An argument that is a struct behind a pointer: ball_rate(a, stage, COPY(s->gravity_m_per_s2), ...). A copy is a
// value, as a local variable would be. Without one NVIDIA's OpenCL compilers hand over the address of what lies in
// global memory, and those of drivers 535, 555 and 580 need not end over it, as they search for the memory that an
// address lies in (bench/results/nvidia-h100); and what lies behind any pointer they read byte by byte, as they do not
// know its alignment (4,371 such reads in the build for one ball, 63 with copies). Functions of vec3.h are called so by
// copied_arguments.h. tests/checks/check_copied_arguments.py finds arguments without.
#if OWN_SLOTS
#define COPY(x) ((void)0, x)
#else
#define COPY(x) (x)
#endif
// 1: the processor has vectors of four numbers with fma, for corners of a solid (corner_lanes.h) and columns (wide3.h).
#ifndef WIDE
#define WIDE 0
#endif
#define SHARES_CORNERS (SIDE_BY_SIDE > 1 && WIDE) // corners of several scenes are tried together (corner_lanes_try.h)
#if WIDE && !defined(PORTABLE_OPENCL)
#include <immintrin.h> // lane.h, wide3.h
#define VECTOR_ALIGNED                                                                                                 \
    __attribute__((aligned(32))) // numbers side by side, so that no vector lies across two cache lines
#else
#define VECTOR_ALIGNED
#endif

// A negative array size stops the build on either side if a shared struct changes its size.
#define ASSERT_SIZE(type, bytes) typedef char assert_size_##type[(sizeof(type) == (bytes)) ? 1 : -1]

// How functions of the kernels are compiled. opencl_build.c sets those that depend on the compiler; what is not set is
// FN.
//   FN          left to the compiler
//   FN_SHORT    inlined: shorter than a call
//   FN_INLINED  inlined, also in the simulator oclgrind
//   FN_STAGE    part of a stage in hot loops: inlined for processors, a function for GPUs
//   FN_ONCE     long, with one call: a function in builds for which a user waits
//   FN_SPINE    as FN_ONCE, between a kernel and nearly all else
//   FN_TOP      as FN_ONCE, right below a kernel
//   FN_WAY      as FN_ONCE, on the path to the narrow phase, or called by every step
//   FN_LINK     between layers of long functions: inlined by PoCL, which copies functions for every chain of calls;
//               FN_LINK_APART: elsewhere a function of its own
//   FN_WHOLE    the body of a kernel
//   FN_APART    always a function of its own
//
// Pure functions of the kernels; unused ones are not an error in a shared header. Each file has its own, but where
// FN_EXTERNAL says that all are in one file (2: this one) and others (1) know them from there.
#ifndef FN_EXTERNAL
#define FN static inline __attribute__((unused))
#define FN_APART static __attribute__((unused, noinline))
#elif FN_EXTERNAL == 1
#define FN extern inline __attribute__((unused, gnu_inline))
#define FN_APART FN
#else
#define FN __attribute__((unused))
#define FN_APART __attribute__((unused, noinline))
#endif
// The same for functions shorter than a call: compilers stop inlining within functions as large as `advance`.
#ifndef FN_SHORT // the simulator oclgrind cannot inline: its tests say FN
#define FN_SHORT static inline __attribute__((unused, always_inline))
#endif

// The body of a kernel, called once: PoCL makes three copies of each kernel, and of all that is inlined in it
// (opencl_build.c).
#ifndef FN_WHOLE
#define FN_WHOLE FN
#endif

// Long functions with one call: compilers inline them, and optimise them again with all code around the call. Builds
// made while a user waits keep these as functions (opencl_build.c).
#ifndef FN_ONCE
#define FN_ONCE FN
#endif
// Long functions with one call between a kernel and nearly all else.
#ifndef FN_SPINE
#define FN_SPINE FN
#endif
// Long functions with one call, right below a kernel. Each one that a GPU's compiler keeps as a function holds the
// addresses of scene and progress in registers of its own while all below it runs.
#ifndef FN_TOP
#define FN_TOP FN
#endif
// Long functions with one call through which the narrow phase is reached, or that every step calls.
#ifndef FN_WAY
#define FN_WAY FN
#endif
// Between layers of long functions. PoCL 3.1 copies a function with all that it calls, once for every chain of calls
// that leads there: each function on the path from a kernel to the narrow phase doubles what it visits, so these are
// inlined there (opencl_build.c). FN_LINK_APART: elsewhere a function of its own.
#ifndef FN_LINK
#define FN_LINK FN
#define FN_LINK_APART FN_APART
#endif
#define FN_INLINED static inline __attribute__((unused, always_inline))

// A part of a stage in hot loops. Processors inline it. A GPU's compiler has 255 registers for all that the deepest
// chain of calls holds; what does not fit is stored and read again in every stage (opencl_build.c).
#ifndef FN_STAGE
#define FN_STAGE FN_SHORT
#endif

// Before a loop that a GPU's compiler shall not unroll: values read ahead for it take registers from all functions
// above (bench/results/nvidia-offline). So does a value that is uninitialised on some path, which LLVM creates where it
// unrolls a loop of unknown length: it counts as live from the kernel's beginning, over every call.
#if !OWN_SLOTS
#define ROLLED
#elif defined(__clang__)
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define ROLLED _Pragma("unroll 1")
#endif

// Before a loop of up to 16 rounds over what is to stay in registers: gcc at -O2 would not unroll it.
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLLED _Pragma("GCC unroll 16")
#else
#define UNROLLED
#endif

#define REAL_EPSILON 2.220446049250313e-16 // spacing of doubles at 1
#define REAL_HUGE 1.0e300
#define NONE 0xffffffffu // no index

FN real real_min(real a, real b) { return a < b ? a : b; }
FN real real_max(real a, real b) { return a > b ? a : b; }
FN real real_clamp(real x, real low, real high) { return real_min(real_max(x, low), high); }
// False for NaN and both infinities.
FN u32 real_is_finite(real x) { return real_abs(x) <= 1.7976931348623157e308 ? 1u : 0u; }
FN u32 u32_min(u32 a, u32 b) { return a < b ? a : b; }
FN u32 u32_max(u32 a, u32 b) { return a > b ? a : b; }

// Has the launch lasted so long that the host must decide whether to go on? Tested between passes, so that it changes
// no result. OpenCL kernels have no clock: their passes are counted (host/device/stepper_batch.c).
#ifndef LAUNCH_IS_OVER
FN u32 launch_is_over(void) { return 0u; }
#define LAUNCH_IS_OVER() launch_is_over()
#endif

#endif
