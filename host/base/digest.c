// SHA-256 by libcrypto, which takes the processor's instructions for it where there are any.
#include "digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

void digest_begin(Digest *digest) {
    digest->context = EVP_MD_CTX_new();
    digest->has_failed = digest->context == NULL || EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) != 1;
}

void digest_add(Digest *digest, const void *bytes, size_t count) {
    if (!digest->has_failed) digest->has_failed = EVP_DigestUpdate(digest->context, bytes, count) != 1;
}

bool digest_end(Digest *digest, unsigned char out_sum[DIGEST_BYTES]) {
    memset(out_sum, 0, DIGEST_BYTES);
    if (!digest->has_failed) digest->has_failed = EVP_DigestFinal_ex(digest->context, out_sum, NULL) != 1;
    EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
    return !digest->has_failed;
}

bool digest_of(const void *bytes, size_t count, unsigned char out_sum[DIGEST_BYTES]) {
    Digest digest;
    digest_begin(&digest);
    digest_add(&digest, bytes, count);
    return digest_end(&digest, out_sum);
}

void digest_print(const unsigned char sum[DIGEST_BYTES], char out_hex[DIGEST_HEX_BYTES]) {
    for (size_t i = 0; i < DIGEST_BYTES; i++) snprintf(out_hex + 2 * i, 3, "%02x", sum[i]);
}
