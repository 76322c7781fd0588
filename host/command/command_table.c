// All commands, in the order in which --help tells them.
#include "command.h"

const Command *const command_table[] = {
    &command_run,
    &command_resume,
    &command_merge,
    &command_validate,
    &command_sample,
    &command_info,
    &command_stats,
    &command_compare,
    &command_export,
    &command_plot,
    &command_report,
    &command_evaluate,
    &command_devices,
    &command_selftest,
    &command_bench,
    &command_completion,
    &command_manual,
    &command_help,
    NULL,
};
