// clack completion: what shells complete, from the tables that the program reads its own words with.
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "plot.h"
#include "export.h"

#define SENTENCE_BYTES 160
#define WORD_BYTES 24 // of a command's name

typedef struct Word { // that options take
    const char *option;
    const char *words; // separated by blanks
} Word;

#define PLOT_KIND_WORD(name, names, sentence) #name " "
static const Word words_of[] = {{"device", "native gpu cpu"}, {"table", "scenes events contacts joints trajectory"}};
static const char plot_kinds[] = PLOT_KIND_LIST(PLOT_KIND_WORD);
static const char shells[] = "bash zsh fish";
static const char bench_parts[] = "start probe code pairs W1 W2 W3 W4 W5 W6 die bodies";

static const char *completion_words_of(const char *option) {
    for (size_t i = 0; i < sizeof words_of / sizeof *words_of; i++)
        if (strcmp(words_of[i].option, option) == 0) return words_of[i].words;
    return NULL;
}

// Names of all commands, separated by blanks.
static const char *completion_commands(char out[COMMANDS_MOST * WORD_BYTES]) {
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; command_table[i] != NULL && i < COMMANDS_MOST; i++)
        used += (size_t)snprintf(out + used, WORD_BYTES, "%s%s", i > 0 ? " " : "", command_table[i]->name);
    return out;
}

// What "clack help" takes.
static const char *completion_topics(char out[COMMANDS_MOST * WORD_BYTES]) {
    completion_commands(out);
    return strcat(out, " flags statuses");
}

// What stands in the place of files, of a command that takes other words; NULL: files.
static const char *completion_words_after(const Command *command, char out[COMMANDS_MOST * WORD_BYTES]) {
    return command == &command_plot         ? plot_kinds
           : command == &command_completion ? shells
           : command == &command_bench      ? bench_parts
           : command == &command_help       ? completion_topics(out)
                                            : NULL;
}

// What the help says of an option, without what means something to a shell.
static void completion_sentence(const Command *command, const char *option, char out[SENTENCE_BYTES]) {
    char name[64];
    snprintf(name, sizeof name, "--%s", option);
    out[0] = '\0';
    for (const char *line = strstr(command->help, "\n\n"); line != NULL; line = strchr(line, '\n')) {
        line++;
        const char *end = strchr(line, '\n'), *at = strstr(line, name);
        if (strncmp(line, "  ", 2) != 0 || at == NULL || end == NULL || at > end) continue;
        const char *gap = strstr(at, "  ");
        if (gap == NULL || gap > end) continue;
        gap += strspn(gap, " ");
        size_t used = 0;
        for (const char *c = gap; c < end && used + 1 < SENTENCE_BYTES; c++)
            if (strchr("'\"`$\\[]:;", *c) == NULL) out[used++] = *c;
        out[used] = '\0';
        return;
    }
}

static char completion_letter(const struct option *option) { return option->val < 256 ? (char)option->val : '\0'; }

// --- bash -------------------------------------------------------------------------------------------

static void completion_put_options(const Command *command) {
    for (const struct option *option = command->options; option->name != NULL; option++) {
        if (completion_letter(option) != '\0') printf(" -%c", completion_letter(option));
        printf(" --%s", option->name);
    }
}

static void completion_bash(void) {
    char names[COMMANDS_MOST * WORD_BYTES];
    printf(
        "# Completion of clack for bash: source it, or put it into ~/.local/share/bash-completion/completions/clack.\n"
        "_clack() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options= "
        "words=\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '-h --help -V --version %s' -- \"$word\"))\n        return\n    fi\n    case "
        "$before in\n    -d) words='%s';;\n",
        completion_commands(names), completion_words_of("device"));
    for (size_t i = 0; i < sizeof words_of / sizeof *words_of; i++)
        printf("    --%s) words='%s';;\n", words_of[i].option, words_of[i].words);
    printf("    esac\n    if [ -n \"$words\" ]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n      "
           "  return\n    fi\n"
           "    case $command in\n");
    for (size_t i = 0; command_table[i] != NULL; i++) {
        printf("    %s) options='", command_table[i]->name);
        completion_put_options(command_table[i]);
        printf("'");
        const char *words = completion_words_after(command_table[i], names);
        if (words != NULL) printf(" words='%s'", words);
        printf(";;\n");
    }
    printf("    *) return;;\n    esac\n"
           "    case $word in\n"
           "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\"));;\n"
           "    *) [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$word\"));;\n"
           "    esac\n"
           "}\n"
           "complete -o default -F _clack clack\n");
}

// --- zsh ----------------------------------------------------------------------------------------------

static void completion_zsh_option(const Command *command, const struct option *option) {
    char sentence[SENTENCE_BYTES];
    const char letter = completion_letter(option), *words = completion_words_of(option->name);
    completion_sentence(command, option->name, sentence);
    if (letter != '\0')
        printf(" \\\n            {-%c,--%s}'", letter, option->name);
    else
        printf(" \\\n            '--%s", option->name);
    printf("[%s]", sentence);
    if (option->has_arg == required_argument && words != NULL)
        printf(":%s:(%s)", option->name, words);
    else if (option->has_arg == required_argument)
        printf(":%s:_files", option->name);
    printf("'");
}

static void completion_zsh(void) {
    char names[COMMANDS_MOST * WORD_BYTES];
    printf("#compdef clack\n# Completion of clack for zsh: _clack in a folder of $fpath.\n_clack() {\n    local -a "
           "commands\n    commands=(\n");
    for (size_t i = 0; command_table[i] != NULL; i++)
        printf("        '%s:%s'\n", command_table[i]->name, command_table[i]->summary);
    printf("        '-h:which commands there are' '--help:which commands there are' '-V:print the version' "
           "'--version:print the version'\n"
           "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (size_t i = 0; command_table[i] != NULL; i++) {
        const Command *command = command_table[i];
        printf("    %s)\n        _arguments -s", command->name);
        for (const struct option *option = command->options; option->name != NULL; option++)
            completion_zsh_option(command, option);
        if (command == &command_plot)
            printf(" \\\n            ':file:_files' ':kind:(%s)' '*:name:'", plot_kinds);
        else if (command == &command_completion)
            printf(" \\\n            ':shell:(%s)'", shells);
        else if (command == &command_help)
            printf(" \\\n            ':command:(%s)'", completion_topics(names));
        else
            printf(" \\\n            '*:file:_files'");
        printf(";;\n");
    }
    printf("    esac\n}\n[ \"$funcstack[1]\" = _clack ] && _clack \"$@\" || compdef _clack clack\n");
}

// --- fish ---------------------------------------------------------------------------------------------

static void completion_fish(void) {
    char names[COMMANDS_MOST * WORD_BYTES];
    printf("# Completion of clack for fish: ~/.config/fish/completions/clack.fish.\n"
           "complete -c clack -n __fish_use_subcommand -s h -l help -d 'which commands there are'\n"
           "complete -c clack -n __fish_use_subcommand -s V -l version -d 'print the version'\n");
    for (size_t i = 0; command_table[i] != NULL; i++)
        printf("complete -c clack -n __fish_use_subcommand -f -a %s -d '%s'\n", command_table[i]->name,
               command_table[i]->summary);
    for (size_t i = 0; command_table[i] != NULL; i++) {
        const Command *command = command_table[i];
        for (const struct option *option = command->options; option->name != NULL; option++) {
            char sentence[SENTENCE_BYTES];
            const char *words = completion_words_of(option->name);
            completion_sentence(command, option->name, sentence);
            printf("complete -c clack -n '__fish_seen_subcommand_from %s'", command->name);
            if (completion_letter(option) != '\0') printf(" -s %c", completion_letter(option));
            printf(" -l %s", option->name);
            if (option->has_arg == required_argument) printf(" -r");
            if (words != NULL) printf(" -f -a '%s'", words);
            printf(" -d '%s'\n", sentence);
        }
        const char *after = completion_words_after(command, names);
        if (after != NULL)
            printf("complete -c clack -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name, after);
    }
}

// --- the command ----------------------------------------------------------------------------------------

static int command_run_completion(Arguments *arguments) {
    if (strcmp(arguments->file, "bash") == 0)
        completion_bash();
    else if (strcmp(arguments->file, "zsh") == 0)
        completion_zsh();
    else if (strcmp(arguments->file, "fish") == 0)
        completion_fish();
    else
        return command_usage(arguments->command, "no such shell: expected bash, zsh or fish, found \"%s\"",
                             arguments->file);
    return 0;
}

static const struct option completion_options[] = {OPTION_LINE_HELP, OPTION_LINE_END};

const Command command_completion = {
    .name = "completion",
    .summary = "print what a shell needs to complete words",
    .help = "  clack completion bash >clack.bash\n\n"
            "Usage: clack completion bash | zsh | fish\n"
            "Prints a script for the shell: \"source clack.bash\" for now, or once and for all\n"
            "  bash  into ~/.local/share/bash-completion/completions/clack\n"
            "  zsh   into a file _clack in a folder of $fpath\n"
            "  fish  into ~/.config/fish/completions/clack.fish\n",
    .wants_file = 1,
    .letters = "h",
    .options = completion_options,
    .run = command_run_completion,
};
