// The group /regions of a file of contacts: contact regions of meshes.
#ifndef CLACK_RECORD_REGIONS_H
#define CLACK_RECORD_REGIONS_H

#include "record_evaluate.h"
#include "record_internal.h"

#define RECORD_REGION_FIELDS_MAX 24

typedef struct RecordRegions {
    hid_t counts, axis; // per configuration; of the regions, grows
    hid_t datasets[RECORD_REGION_FIELDS_MAX];
    uint64_t row_count;
} RecordRegions;

/// The group, and n_regions in the root. scale: of the configurations.
ClackStatus record_regions_make(RecordRegions *regions, const Record *record, const RecordPlace *place, hid_t scale);
/// Regions of the next configurations, before record->scenes_run counts these.
ClackStatus record_regions_write(RecordRegions *regions, const Record *record, const ClackContacts *contacts,
                                 const RecordPlace *place);

#endif
