// SHA-256 by the processor's own instructions where it has them (x86: seven times as fast), else by libmd.
#include "record_sha256.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static const uint32_t constants[64] = { // FIPS 180-4, 4.2.2
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static bool has_instructions(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1) || !(c & bit_SSSE3)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

__attribute__((target("sha,sse4.1,ssse3"))) static void hash_blocks(uint32_t state[8], const unsigned char *bytes, size_t count) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)state);
    const __m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0); // as the instructions want them
    for (; count > 0; count--, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i words[4];
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) { // four rounds each
            __m128i word;
            if (i < 4) {
                word = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)), order);
            } else {
                word = _mm_sha256msg1_epu32(words[i % 4], words[(i + 1) % 4]);
                word = _mm_add_epi32(word, _mm_alignr_epi8(words[(i + 3) % 4], words[(i + 2) % 4], 4));
                word = _mm_sha256msg2_epu32(word, words[(i + 3) % 4]);
            }
            words[i % 4] = word;
            const __m128i sum = _mm_add_epi32(word, _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
static bool has_instructions(void) { return false; }
static void hash_blocks(uint32_t state[8], const unsigned char *bytes, size_t count) { (void)state, (void)bytes, (void)count; }
#endif

void record_sha256_begin(RecordSha256 *hash, bool is_plain) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *hash = (RecordSha256){.is_fast = !is_plain && has_instructions()};
    memcpy(hash->state, start, sizeof start);
    if (!hash->is_fast) SHA256Init(&hash->plain);
}

void record_sha256_add(RecordSha256 *hash, const void *data, size_t count) {
    const unsigned char *bytes = data;
    if (!hash->is_fast) {
        SHA256Update(&hash->plain, bytes, count);
        return;
    }
    const size_t held = hash->bytes % sizeof hash->rest, room = sizeof hash->rest - held;
    hash->bytes += count;
    if (held > 0) {
        const size_t taken = count < room ? count : room;
        memcpy(hash->rest + held, bytes, taken);
        bytes += taken;
        count -= taken;
        if (held + taken < sizeof hash->rest) return;
        hash_blocks(hash->state, hash->rest, 1);
    }
    hash_blocks(hash->state, bytes, count / sizeof hash->rest);
    memcpy(hash->rest, bytes + count - count % sizeof hash->rest, count % sizeof hash->rest);
}

// A bit that is set, zeros, and the number of bits at the end of a block.
static void add_end(RecordSha256 *hash) {
    enum { LENGTH_BYTES = 8 };
    unsigned char end[2 * sizeof hash->rest] = {0x80};
    const uint64_t bits = 8 * hash->bytes;
    const size_t held = hash->bytes % sizeof hash->rest, least = held + 1 + LENGTH_BYTES;
    const size_t count = (least > sizeof hash->rest ? 2 : 1) * sizeof hash->rest - held;
    for (int i = 0; i < LENGTH_BYTES; i++) end[count - 1 - (size_t)i] = (unsigned char)(bits >> 8 * i);
    record_sha256_add(hash, end, count);
}

void record_sha256_end(RecordSha256 *hash, char out_hex[65]) {
    unsigned char digest[32];
    if (hash->is_fast) {
        add_end(hash);
        for (size_t i = 0; i < sizeof digest; i++) digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    } else {
        SHA256Final(digest, &hash->plain);
    }
    for (size_t i = 0; i < sizeof digest; i++) snprintf(out_hex + 2 * i, 3, "%02x", digest[i]);
}
