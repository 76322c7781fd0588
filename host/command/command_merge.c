// clack merge: the files of parts of a study in one.
#include <inttypes.h>
#include <jansson.h>

#include "command.h"
#include "text.h"

static int command_run_merge(Arguments *arguments) {
    ClackReport report = {0};
    ClackMergeSummary summary = CLACK_SIZED(ClackMergeSummary);
    json_t *data = NULL;
    const ClackMergeOptions options = {.size = sizeof options,
                                       .paths = arguments->files,
                                       .count = arguments->file_count,
                                       .output_path = arguments->output_path,
                                       .allows_gaps = arguments->allows_gaps,
                                       .overwrites = arguments->run.overwrites};
    if (options.output_path == NULL) return command_usage(arguments->command, "-o FILE is missing");
    const ClackStatus status = clack_merge(&options, &summary, &report);
    if (status == CLACK_OK && !arguments->is_quiet) {
        text_put(stderr, options.output_path, 0);
        fprintf(stderr, ": %" PRIu64 " %s of %" PRIu64 " %s\n", summary.scenes,
                text_plural(summary.scenes, "scene", "scenes"), summary.files,
                text_plural(summary.files, "file", "files"));
    }
    if (arguments->is_json)
        data =
            json_pack("{s:o?, s:I, s:I}", "output", status == CLACK_OK ? command_json_text(options.output_path) : NULL,
                      "files", (json_int_t)summary.files, "scenes", (json_int_t)summary.scenes);
    return command_end(arguments, data, &report, status);
}

static const struct option merge_options[] = {
    OPTION_LINE_HELP,
    {"output", required_argument, NULL, 'o'},
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    {"partial", no_argument, NULL, OPTION_PARTIAL},
    OPTION_LINE_JSON,
    {"quiet", no_argument, NULL, 'q'},
    OPTION_LINE_END,
};

const Command command_merge = {
    .name = "merge",
    .summary = "join ensemble files of parts of a study",
    .help = "  clack merge $(for i in 1 2 3; do clack run data/bouncing_sphere.yaml --shard $i/3 -q; "
            "echo bouncing_sphere.${i}of3.h5; done) -o merged.h5\n\n"
            "Usage: clack merge FILE... -o FILE [options]\n"
            "Joins files that \"clack run --shard I/N\" wrote, in any order, into one that equals the file of the\n"
            "whole run bit by bit. They must be of one study, one version of clack and one arithmetic.\n\n"
            "  -o, --output FILE      the file to be made\n"
            "      --overwrite        replace it where it is there\n"
            "      --partial          scenes may be missing: their status is not_run (shards of an unfinished\n"
            "                         run, in FILE.parts, can be looked at so)\n"
            "      --json             one JSON object on stdout\n"
            "  -q, --quiet            errors only\n\n"
            "Exit codes: 0 ok, 2 usage, 4 input or output, 7 no ensembles, of different studies, scenes missing\n"
            "or there twice. On an error there is no new file.\n",
    .wants_file = 1,
    .takes_more = 1,
    .letters = "ho:q",
    .options = merge_options,
    .run = command_run_merge,
};
