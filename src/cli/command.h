/*
 * command.h - the commands of `devs`, one table: dispatch and help come from it.
 */
#ifndef DEVS_COMMAND_H
#define DEVS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* What every command gets: the options that stand before or after its name. */
struct globals {
    const char *db; /* --db FILE, NULL if not given */
    bool ascii;
    bool no_color;
    const char *theme;               /* --theme NAME, NULL if not given */
    const char *command_line;        /* the whole of it, for the log */
    struct command_listing *listing; /* set: nothing is done but to fill it in; else NULL */
};

/* argv[0] is the first word after the command's name. Returns the exit code. */
typedef int command_fn(struct globals *globals, int argc, char **argv);

struct command {
    const char *name;
    const char *usage; /* what follows the name */
    const char *words; /* one line */
    command_fn *run;
};

/* Keep alphabetical within each group of the help. NULL past the last. */
const struct command *command_at(size_t index);
/* NULL if no command is called so. */
const struct command *command_find(const char *name);

/* Parse the options of a command together with the global ones. On --help prints
 * the help and sets *done; on an error says so. Returns the exit code for *done. */
struct command_line {
    const char *name;                /* of the command */
    const struct option_spec *specs; /* its own options */
    size_t spec_count;
    bool rest_after_first;
    int min_operands, max_operands; /* max -1 = any */
    void (*print_more)(void);       /* the end of the help, on stdout; NULL = there is no more */
    bool is_of_hook;                /* whoever calls must not fail: one line, and exit 0 */
    bool done;                      /* out: nothing more to do */
    int operands;                   /* out: how many; they are argv[0..operands) */
};
/* argv[0] is the first word behind the command's name; the operands are moved to its front. */
int command_parse(struct globals *globals, struct command_line *line, int argc, char **argv);

/* What a command's line may hold beside operands. Names and words are static; nothing is borrowed
 * but them. */
enum { COMMAND_SPECS_MAX = 40, COMMAND_GLOBAL_SPECS = 5 /* the first ones: those of all */ };
struct command_listing {
    struct option_spec specs[COMMAND_SPECS_MAX];
    size_t count;
    bool rest_after_first;
};
/* Ask a command for its options, without running it. */
void command_list(const struct command *command, struct command_listing *out);

command_fn cmd_cockpit, cmd_init, cmd_run, cmd_exec, cmd_status, cmd_runs, cmd_log, cmd_cancel,
    cmd_retry, cmd_hold, cmd_release, cmd_debug, cmd_classify, cmd_keys, cmd_why, cmd_correct,
    cmd_gc, cmd_validate, cmd_rules, cmd_entropy, cmd_diff, cmd_apply, cmd_agents, cmd_export,
    cmd_doctor, cmd_import, cmd_mcp, cmd_new_project, cmd_plan_phase, cmd_execute_phase, cmd_hook,
    cmd_completion, cmd_trust;

#endif
