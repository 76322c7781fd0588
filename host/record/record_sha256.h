// SHA-256, by the processor's own instructions where it has them.
#ifndef CLACK_RECORD_SHA256_H
#define CLACK_RECORD_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <sha256.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RecordSha256 {
    bool is_fast;
    SHA2_CTX plain; // where it is not
    uint32_t state[8];
    unsigned char rest[64]; // bytes of a block that is not whole yet
    uint64_t bytes;
} RecordSha256;

/// is_plain: without those instructions in any case.
void record_sha256_begin(RecordSha256 *hash, bool is_plain);
void record_sha256_add(RecordSha256 *hash, const void *data, size_t count);
void record_sha256_end(RecordSha256 *hash, char out_hex[65]);

#ifdef __cplusplus
}
#endif
#endif
