/* command.h - the tables of commands and of their options, which drive dispatch, parsing, help and
 * completion. */
#ifndef DEVS_COMMAND_H
#define DEVS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

/*
 * Options.
 */

/* The values of a repeatable option; NULL after the last. */
enum { OPTION_WORDS_MAX = 16 };
struct option_words {
    const char *words[OPTION_WORDS_MAX + 1];
};

/* An option. Exactly one of `flag` and `value` is set. */
struct option_spec {
    const char *name;    /* without the dashes */
    char letter;         /* 0 = none */
    const char *metavar; /* the value's name in the help; NULL for a flag. "T...": the option is
                            repeatable, and `value` is the `words` of a struct option_words */
    const char *words;
    bool *flag;         /* borrowed: set to true */
    const char **value; /* borrowed: set to the argument */
};

struct options {
    const struct option_spec *specs; /* borrowed */
    size_t count;
    bool rest_after_first; /* the first operand ends the options (exec) */
};

/* Parses the options, which may be anywhere before "--", and moves the operands to
 * argv[0..*count_out). Fails with ERR_INVALID; the message names the wrong word. */
ATTR_MUST_USE bool options_parse(const struct options *options, int argc, char **argv,
                                 int *count_out, struct err *err);

/*
 * The commands.
 */

/* The options that every command accepts, before or after its name. */
struct globals {
    const char *db; /* --db FILE, NULL if not given */
    const char *on; /* --on HOST[:DIR], NULL if not given; only before the command's name */
    bool ascii;
    bool no_color;
    const char *theme;               /* --theme NAME, NULL if not given */
    const char *command_line;        /* the complete command line, for the log */
    const struct command *command;   /* the command's row in the table; NULL for the cockpit */
    struct command_listing *listing; /* if set, the command only fills this in; otherwise NULL */
};

/* Runs a command. argv[0] is the first word after the command's name. Returns the exit code. */
typedef int command_fn(struct globals *globals, int argc, char **argv);

/* The groups of the help, in its order. */
enum command_group {
    COMMAND_RUN,
    COMMAND_LOOK,
    COMMAND_CONTROL,
    COMMAND_RESULT,
    COMMAND_PAST,
    COMMAND_AGENT,
    COMMAND_JUDGE,
    COMMAND_SETUP,
    COMMAND_GROUP_COUNT
};

/* What a command needs before it can start; subject_open() of target.h opens it. Commands that
 * accept files or several runs open these themselves. */
enum command_need {
    COMMAND_NEEDS_NOTHING,
    COMMAND_NEEDS_LOG,  /* an existing log */
    COMMAND_NEEDS_RUN,  /* a follower of the run that its argument names */
    COMMAND_NEEDS_TASK, /* a follower that has read the run, and the task that its argument names */
};

struct command {
    const char *name;
    const char *usage; /* the part of the usage after the command's name */
    const char *words; /* one line */
    command_fn *run;
    enum command_group group;
    bool is_daily; /* devs --help lists it; devs help all lists every command */
    enum command_need needs;
    bool is_far; /* devs --on HOST runs it there */
    bool writes; /* writes to the log, which must be the user's own (log_own.h) */
};

/* Returns the commands in the order of the help, group by group; NULL past the end. */
const struct command *command_at(size_t index);
/* Returns NULL if there is no such command. */
const struct command *command_find(const char *name);
/* Runs the command with these words, which follow its name. Returns the exit code. */
int command_run(const struct command *command, struct globals *globals, int argc, char **argv);
/* devs --on HOST[:DIR]: without words, the cockpit for the log there; otherwise runs the command
 * there. Returns the exit code. */
int command_far(struct globals *globals, int argc, char **argv);
/* Reports an unknown command and suggests the nearest one. Returns EXIT_USAGE. */
int command_fail_unknown(const char *name);

/* The syntax of a command. */
struct command_line {
    const struct option_spec *specs; /* the command's own options */
    size_t spec_count;
    bool rest_after_first;
    int min_operands, max_operands; /* max -1 = unlimited */
    void (*print_more)(void);       /* prints the end of the help; NULL = nothing more */
    bool is_of_hook; /* called by an agent's hook, which must not fail: errors are one line and exit
                        code 0 */
    bool done;       /* out: nothing left to do */
    int operands;    /* out: number of operands; they are argv[0..operands) */
};
/* Parses the options of globals->command and the global ones. argv[0] is the first word after the
 * command's name; the operands are moved to the front. On --help, prints the help; on an error,
 * prints the error. Sets line->done in both cases; the return value is then the exit code. */
int command_parse(struct globals *globals, struct command_line *line, int argc, char **argv);

/* The options of a command. All strings are static; the pointers `flag` and `value` are NULL. */
enum { COMMAND_SPECS_MAX = 40, COMMAND_GLOBAL_SPECS = 5 /* the global ones, which come first */ };
struct command_listing {
    struct option_spec specs[COMMAND_SPECS_MAX];
    size_t count;
    bool rest_after_first;
};
/* Asks a command for its options without running it. */
void command_list(const struct command *command, struct command_listing *out);

command_fn cmd_cockpit, cmd_init, cmd_run, cmd_exec, cmd_status, cmd_runs, cmd_log, cmd_cancel,
    cmd_retry, cmd_hold, cmd_release, cmd_debug, cmd_classify, cmd_keys, cmd_why, cmd_correct,
    cmd_gc, cmd_validate, cmd_rules, cmd_entropy, cmd_diff, cmd_apply, cmd_agents, cmd_export,
    cmd_doctor, cmd_import, cmd_mcp, cmd_new_project, cmd_plan, cmd_plan_phase, cmd_execute_phase,
    cmd_hook, cmd_completion, cmd_trust, cmd_help, cmd_replay, cmd_verify, cmd_what_if, cmd_hosts,
    cmd_costs, cmd_feed, cmd_collect;

#endif
