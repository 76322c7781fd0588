// SHA-256 (FIPS 180-4), as OpenSSL's libcrypto computes it.
#ifndef CLACK_DIGEST_H
#define CLACK_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DIGEST_BYTES 32
#define DIGEST_HEX_BYTES (2 * DIGEST_BYTES + 1)

typedef struct Digest { // of bytes that come in pieces
    void *context;      // libcrypto's; owned
    bool has_failed;
} Digest;

/// Begin, add, end: digest_end frees what digest_begin took, in any case. False without memory; the sum is then 0.
void digest_begin(Digest *digest);
void digest_add(Digest *digest, const void *bytes, size_t count);
bool digest_end(Digest *digest, unsigned char out_sum[DIGEST_BYTES]);
/// The same of bytes that lie in one piece.
bool digest_of(const void *bytes, size_t count, unsigned char out_sum[DIGEST_BYTES]);

/// 64 hexadecimal digits, in lower case.
void digest_print(const unsigned char sum[DIGEST_BYTES], char out_hex[DIGEST_HEX_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
