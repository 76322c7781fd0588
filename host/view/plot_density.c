// The density of a PNG's dots: gnuplot leaves it out, and programs then guess how large the figure is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot_internal.h"

#define HEAD_BYTES 33u  // signature, and the chunk IHDR with its length, name and checksum
#define CHUNK_BYTES 21u // length, "pHYs", two densities, a unit, checksum
#define METRES_PER_INCH 0.0254

// Source: ISO/IEC 15948 (PNG), annex D: the polynomial of CRC-32, bits reversed.
static uint32_t checksum(const unsigned char *bytes, size_t count) {
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void put_number(unsigned char *at, uint32_t number) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(number >> (24 - 8 * i));
}

ClackStatus plot_put_density(char **image, size_t *bytes, double dots_per_inch, ClackReport *report) {
    static const unsigned char name[4] = {'p', 'H', 'Y', 's'};
    unsigned char chunk[CHUNK_BYTES] = {0};
    const uint32_t density = (uint32_t)nearbyint(dots_per_inch / METRES_PER_INCH);
    if (*bytes < HEAD_BYTES) return report_add(report, CLACK_IO, "gnuplot: has drawn no PNG");
    char *grown = realloc(*image, *bytes + CHUNK_BYTES + 1);
    if (grown == NULL) return report_add(report, CLACK_MEMORY, "no memory for a figure");
    put_number(chunk, 9);
    memcpy(chunk + 4, name, sizeof name);
    put_number(chunk + 8, density);
    put_number(chunk + 12, density);
    chunk[16] = 1; // dots in a metre
    put_number(chunk + 17, checksum(chunk + 4, 13));
    memmove(grown + HEAD_BYTES + CHUNK_BYTES, grown + HEAD_BYTES, *bytes - HEAD_BYTES + 1);
    memcpy(grown + HEAD_BYTES, chunk, CHUNK_BYTES);
    *image = grown;
    *bytes += CHUNK_BYTES;
    return CLACK_OK;
}
