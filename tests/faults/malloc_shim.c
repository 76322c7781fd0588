// For LD_PRELOAD: the n-th allocation (n = CLACK_TEST_FAIL_MALLOC) that the program itself makes fails. Those of
// libraries are left alone, which may abort without memory.
#define _GNU_SOURCE // dl_iterate_phdr
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

static uintptr_t program_first, program_end;
static long wanted, allocations;

// The first object is the program.
static int take_program(struct dl_phdr_info *info, size_t bytes, void *context) {
    (void)bytes;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        program_first = info->dlpi_addr + part->p_vaddr;
        program_end = program_first + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void shim_begin(void) {
    const char *number = getenv("CLACK_TEST_FAIL_MALLOC");
    dl_iterate_phdr(take_program, NULL);
    wanted = number != NULL ? atol(number) : 0;
}

static int shim_fails(void *caller) {
    static const char said[] = "shim: an allocation fails\n";
    if (wanted == 0 || (uintptr_t)caller < program_first || (uintptr_t)caller >= program_end) return 0;
    if (__sync_add_and_fetch(&allocations, 1) != wanted) return 0;
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes) { return shim_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes); }

void *calloc(size_t count, size_t bytes) {
    return shim_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
    return shim_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}
