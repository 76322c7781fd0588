// Which scenes may go into one file: those of one study, one version and one arithmetic. And the checksum of a
// file.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clack.h"
#include "record_internal.h"

enum {
    FACT_VERSION,
    FACT_COMMIT,
    FACT_STUDY,
    FACT_OVERRIDES,
    FACT_SEED,
    FACT_SCENES = RECORD_IDENTITY_SCENES,
    FACT_PLATFORM,
    FACT_DEVICE,
    FACT_DRIVER,
    FACT_BUILD,
    FACT_FORMAT
};

const char *const record_identity_names[RECORD_IDENTITY_FACTS] = {[FACT_VERSION] = "version",
                                                                  [FACT_COMMIT] = "git_commit",
                                                                  [FACT_STUDY] = "study_sha256",
                                                                  [FACT_OVERRIDES] = "overrides",
                                                                  [FACT_SEED] = "seed",
                                                                  [FACT_SCENES] = "design_scenes",
                                                                  [FACT_PLATFORM] = "platform",
                                                                  [FACT_DEVICE] = "device",
                                                                  [FACT_DRIVER] = "driver",
                                                                  [FACT_BUILD] = "build_options",
                                                                  [FACT_FORMAT] = RECORD_IDENTITY_FORMAT};

char *record_overrides(const Study *study) {
    size_t bytes = 1, used = 0;
    for (uint32_t i = 0; i < study->override_count; i++) bytes += strlen(study->overrides[i]) + 1;
    char *text = calloc(bytes, 1);
    for (uint32_t i = 0; text != NULL && i < study->override_count; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i > 0 ? "\n" : "", study->overrides[i]);
    return text;
}

// The native kernels give the same bits on every processor; what an OpenCL compiler makes is its own.
static ClackStatus finish_identity(const char *path, RecordIdentity *identity, ClackReport *report) {
    const char *platform = identity->values[FACT_PLATFORM];
    for (int i = FACT_DEVICE; i <= FACT_DRIVER; i++)
        if (identity->values[i] != NULL && platform != NULL && strcmp(platform, "native") == 0)
            identity->values[i][0] = '\0';
    for (int i = 0; i < RECORD_IDENTITY_FACTS; i++) {
        if (identity->values[i] != NULL) continue;
        record_identity_free(identity);
        return report_add(report, CLACK_MEMORY, "%s: no memory for its provenance", path);
    }
    return CLACK_OK;
}

static char *copy_text(const char *text) { return strdup(text != NULL ? text : ""); }

static char *number_text(uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return strdup(text);
}

ClackStatus record_identity_of_run(const Study *study, const RecordProvenance *provenance, RecordIdentity *out_identity,
                                   ClackReport *report) {
    char sha256[65];
    TRY(record_study_sha256(study, sha256, report));
    *out_identity = (RecordIdentity){{[FACT_VERSION] = strdup(CLACK_VERSION),
                                      [FACT_COMMIT] = strdup(record_git_commit()),
                                      [FACT_STUDY] = strdup(sha256),
                                      [FACT_OVERRIDES] = record_overrides(study),
                                      [FACT_SEED] = number_text(study->design.seed),
                                      [FACT_SCENES] = number_text(study->design.scene_count),
                                      [FACT_PLATFORM] = copy_text(provenance->platform),
                                      [FACT_DEVICE] = copy_text(provenance->device_name),
                                      [FACT_DRIVER] = copy_text(provenance->driver),
                                      [FACT_BUILD] = copy_text(provenance->build_options),
                                      [FACT_FORMAT] = number_text(RECORD_FORMAT_VERSION)}};
    return finish_identity("this run", out_identity, report);
}

// An attribute as text; "" where there is none. NULL without memory.
static char *attribute_text(hid_t object, const char *name) {
    const hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
    if (attribute < 0) return strdup("");
    const hid_t type = H5Aget_type(attribute);
    char *text = NULL;
    uint64_t number = 0;
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Aget_storage_size(attribute) == H5Tget_size(type)) {
        text = calloc(H5Tget_size(type) + 1, 1);
        if (text != NULL && H5Aread(attribute, type, text) < 0) text[0] = '\0';
    } else if (H5Tget_class(type) == H5T_INTEGER && H5Aget_storage_size(attribute) == H5Tget_size(type) &&
               H5Aread(attribute, H5T_NATIVE_UINT64, &number) >= 0) {
        text = number_text(number);
    } else {
        text = strdup("");
    }
    if (type >= 0) H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

ClackStatus record_identity_of_file(const RecordPlace *place, hid_t file, RecordIdentity *out_identity) {
    const hid_t group = H5Gopen2(file, "provenance", H5P_DEFAULT);
    if (group < 0) {
        TRY(record_h5_check_file(place, file));
        return record_h5_failed(place, "open group", "provenance");
    }
    for (int i = 0; i < RECORD_IDENTITY_FACTS; i++)
        out_identity->values[i] =
            attribute_text(i == FACT_STUDY || i == FACT_FORMAT ? file : group, record_identity_names[i]);
    H5Gclose(group);
    return finish_identity(place->path, out_identity, place->report);
}

void record_identity_free(RecordIdentity *identity) {
    for (int i = 0; i < RECORD_IDENTITY_FACTS; i++) free(identity->values[i]);
    *identity = (RecordIdentity){0};
}

ClackStatus record_identity_read(const char *path, RecordIdentity *out_identity, ClackReport *report) {
    const RecordPlace place = {path, CLACK_CORRUPT, report};
    hid_t file = -1;
    *out_identity = (RecordIdentity){0};
    record_h5_quiet();
    TRY(record_open_ensemble(&place, &file));
    const ClackStatus read = record_identity_of_file(&place, file, out_identity);
    const ClackStatus status = record_h5_close_file(&place, file, read);
    if (read == CLACK_OK && status != CLACK_OK) record_identity_free(out_identity);
    return status;
}

static unsigned kind_of_fact(int fact) {
    switch (fact) {
    case FACT_STUDY:
    case FACT_OVERRIDES:
    case FACT_SCENES: return RECORD_FACTS_STUDY;
    case FACT_VERSION:
    case FACT_COMMIT:
    case FACT_SEED:
    case FACT_FORMAT: return RECORD_FACTS_VERSION;
    default: return RECORD_FACTS_DEVICE;
    }
}

ClackStatus record_identity_compare(const RecordIdentity *first, const char *first_name, const RecordIdentity *second,
                                    const char *second_name, ClackReport *report) {
    return record_identity_compare_some(first, first_name, second, second_name,
                                        RECORD_FACTS_STUDY | RECORD_FACTS_VERSION | RECORD_FACTS_DEVICE, report);
}

ClackStatus record_identity_compare_some(const RecordIdentity *first, const char *first_name,
                                         const RecordIdentity *second, const char *second_name, unsigned facts,
                                         ClackReport *report) {
    ClackStatus status = CLACK_OK;
    for (int i = 0; i < RECORD_IDENTITY_FACTS; i++) {
        if ((kind_of_fact(i) & facts) == 0 || strcmp(first->values[i], second->values[i]) == 0) continue;
        status = report_add(report, CLACK_CORRUPT, "%s: %s: expected \"%s\" as in %s, found \"%s\"%s", second_name,
                            record_identity_names[i], first->values[i], first_name, second->values[i],
                            i == FACT_STUDY ? " (the study or a file that it names is another)" : "");
    }
    return status;
}

ClackStatus record_identity_check_study(const Study *study, const char *path, ClackReport *report) {
    static const int facts[] = {FACT_STUDY, FACT_OVERRIDES, FACT_SEED, FACT_SCENES};
    const RecordProvenance nowhere = {0};
    RecordIdentity wanted = {0}, found = {0};
    const RecordPlace place = {path, CLACK_CORRUPT, report};
    hid_t file = -1;
    TRY(record_identity_of_run(study, &nowhere, &wanted, report));
    ClackStatus status = record_open_ensemble(&place, &file);
    if (status == CLACK_OK) status = record_identity_of_file(&place, file, &found);
    const int is_read = status == CLACK_OK;
    for (size_t i = 0; is_read && i < sizeof facts / sizeof *facts; i++) {
        const char *expected = wanted.values[facts[i]], *is = found.values[facts[i]];
        assert(expected != NULL && is != NULL); // else there was no memory
        if (strcmp(expected, is) == 0) continue;
        status = report_add(report, CLACK_CORRUPT, "%s: %s: expected \"%s\" as of the study, found \"%s\"", path,
                            record_identity_names[facts[i]], expected, is);
    }
    if (file >= 0) status = record_h5_close_file(&place, file, status);
    record_identity_free(&wanted);
    record_identity_free(&found);
    return status;
}

ClackStatus record_file_sha256(const char *path, char out_hex[65], uint64_t *out_bytes, ClackReport *report) {
    enum { BLOCK = 1 << 16 };
    Digest digest;
    unsigned char sum[DIGEST_BYTES];
    uint8_t *block = malloc(BLOCK);
    FILE *stream = block == NULL ? NULL : fopen(path, "rb");
    if (stream == NULL) {
        free(block);
        return report_add(report, CLACK_IO, "%s: cannot be read: %s", path, strerror(errno));
    }
    *out_bytes = 0;
    digest_begin(&digest);
    for (size_t count = BLOCK; count == BLOCK; *out_bytes += count) {
        count = fread(block, 1, BLOCK, stream);
        digest_add(&digest, block, count);
    }
    const int failed = ferror(stream), reason = errno;
    fclose(stream);
    free(block);
    const bool is_known = digest_end(&digest, sum);
    digest_print(sum, out_hex);
    if (failed) return report_add(report, CLACK_IO, "%s: cannot be read: %s", path, strerror(reason));
    return is_known ? CLACK_OK : report_add(report, CLACK_MEMORY, "%s: no memory for its checksum", path);
}
