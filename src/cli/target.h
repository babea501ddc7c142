/*
 * target.h - finds what a command line names: the log, the run (41, #41, last), the task (41/tax,
 * last/tax, tax), the attempt (--step N, --try N) or several runs (38-41, all).
 */
#ifndef DEVS_TARGET_H
#define DEVS_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "command.h"
#include "err.h"
#include "follower.h"
#include "log_reader.h"
#include "place.h"
#include "plan.h"
#include "run_state.h"
#include "workspace_result.h"

/* A plain value. */
struct target {
    int64_t run;                /* 0 = the current run */
    bool is_newest;             /* "last/tax": the newest run, whether or not it has the task */
    bool is_last;               /* "last" alone: see target_settle() */
    char task[PLAN_ID_MAX + 1]; /* "" = the whole run */
};

/* Parses a run or a task. Digits, with or without '#', name a run; anything else names a task.
 * "last" before a slash also names a run. Fails with ERR_INVALID if a part is empty ("", "41/"),
 * because an empty part must not mean the newest run. */
ATTR_MUST_USE bool target_parse(const char *word, struct target *out, struct err *err);

/* Like target_parse(), but the word must name a task. Otherwise fails with ERR_INVALID and the
 * hint, which shows the usage of the command. */
ATTR_MUST_USE bool target_parse_task(const char *word, const char *hint, struct target *out,
                                     struct err *err);

/* Like target_parse(), but the word must name a whole run. Returns its number, or 0 for "last"
 * and NULL. */
ATTR_MUST_USE bool target_parse_run(const char *word, const char *hint, int64_t *out,
                                    struct err *err);
/* Returns whether target_parse_run() accepts the word. */
bool target_names_run(const char *word);

/* Receives the plan of a run, including the tasks that were added while it ran. The plan is
 * borrowed for the call. */
typedef void target_plan_fn(void *ctx, const struct plan *plan);
/* Calls `look` with the plan of the run (0 = the current one); does nothing if the run cannot be
 * read. */
void target_show_plan(struct log_reader *reader, int64_t run, target_plan_fn *look, void *ctx);

/* Opens a follower on the run, positioned before its first event, and fills in target->run. A
 * task without a run is looked up in the newest runs, active ones first; if none has it, the
 * newest run is used. */
ATTR_MUST_USE bool target_follow(struct target *target, const struct place *place,
                                 struct follower **out, struct err *err);

/* Decides what "last" alone means: the whole run, unless the plan of the followed run has a task of
 * that name. */
void target_settle(struct target *target, const struct plan *plan);

enum { TARGET_IDS_NAMED = 3 };
/* Adds a hint to err that names up to TARGET_IDS_NAMED similar ids of the plan, or else its
 * first ones. `lists` is the command that lists all ids. Returns false, like err_hint(). */
bool target_hint_near(const struct plan *plan, const char *id, const char *lists, struct err *err);

/* Returns the task's number in the plan. Fails with ERR_NOT_FOUND and the hint of
 * target_hint_near(). */
ATTR_MUST_USE bool target_task(const struct target *target, const struct plan *plan, int *out,
                               struct err *err);

/* Settles the target and returns the number of its task, like target_task(). If the target is a run
 * alone, the run's only task becomes the target. Fails with ERR_INVALID if the run has several
 * tasks; the hint uses the command's name. */
ATTR_MUST_USE bool target_only_task(struct target *target, const struct plan *plan,
                                    const char *command, int *out, struct err *err);

/* What a command works on. The caller ends it with subject_close(), also after a failure. */
struct subject {
    struct place place;
    struct log_reader *reader; /* owned; set if only the log is needed */
    struct target target;
    struct follower *follower; /* owned; positioned before the first event, or after the last one if
                                  a task is needed */
    int task;                  /* number of the task in the plan, if the command needs a task */
};

/* Opens what the command needs, as the table of commands says. `db` is --db FILE or NULL; `word`
 * names the run or the task, and is unused if only the log is needed. If the run has only one task,
 * `word` may name just the run. */
ATTR_MUST_USE bool subject_open(struct subject *out, const struct command *command, const char *db,
                                const char *word, struct err *err);
void subject_close(struct subject *subject);

/* The changes of a task. The caller ends it with result_target_done(). */
struct result_target {
    struct target target; /* the task that made the changes */
    char *run_dir;        /* owned; the folder in which the run was started */
    struct workspace_result *result;
    struct workspace_changes changes;
};

/* Opens the result of the subject's task. */
ATTR_MUST_USE bool result_target_open(struct result_target *out, const struct subject *subject,
                                      struct err *err);
void result_target_done(struct result_target *value);

/* Appends {"v":1,"run":41,"task":"tax",...: the members that devs diff and devs apply both print,
 * without the closing brace. */
void result_target_json(const struct result_target *value, struct str *out);
/* Appends "3 paths changed, 12 lines added, 4 removed". */
void result_target_sum(const struct workspace_changes *changes, struct str *out);

/* The log of a command. */

/* Like place_find(), for a command. Warns on stderr if this is the log shared by projects
 * without a log of their own, because its runs may belong to other projects. */
ATTR_MUST_USE bool find_log(const char *db, bool create, struct place *out, struct err *err);

/* Like find_log(), for a command that writes to an existing log or runs its plans: refuses a log
 * that this user did not create here (log_own.h), where find_log() without `create` only warns. */
ATTR_MUST_USE bool find_log_to_write(const char *db, struct place *out, struct err *err);

/* RUN on the command line of `devs debug`, or a FILE that is a log. */

/* Finds the log and the run that `word` names. NULL and "last" mean the newest run of the project's
 * log. A word that begins with '/' or '.', or that names an existing file, names a log and means
 * its newest run. Anything else is parsed by target_parse(). Fails with ERR_NOT_FOUND if the word
 * looks like a file name but no such file exists. */
ATTR_MUST_USE bool log_word_find(const struct globals *globals, const char *word,
                                 struct place *place, struct target *target, struct err *err);

/* Selects an attempt of a task: --step N, --try N, or neither. */

/* The values of the options; NULL = not given. */
struct attempt_words {
    const char *step, *try;
};

/* A plain value. attempt is 0 if the task has none yet. */
struct attempt_pick {
    int task, step, attempt;
};

/* Finds the attempt that the options name. Without --try that is the latest failed attempt of
 * the step or of the whole task, or else the latest one. Fails with ERR_INVALID; the hint says
 * what exists. */
ATTR_MUST_USE bool attempt_pick(const struct run_state *state, int task,
                                const struct attempt_words *words, struct attempt_pick *out,
                                struct err *err);

/* RUN... on the command line: several runs of one log. */

enum { RUN_CHOICE_MAX = 10000 }; /* runs per command */

struct run_choice {
    int64_t *runs; /* owned; numbers in the order given; each of these runs exists */
    size_t count, cap;
};
void run_choice_done(struct run_choice *choice);

/* Accepts 41, #41, last, 38-41 (the existing runs in that range) and all, or a FILE that is a log,
 * alone or first. Without words, chooses the newest run. Opens *reader on that log; the caller
 * closes it even if this fails (NULL = not opened). Fails with ERR_INVALID for a word that is not a
 * run, ERR_NOT_FOUND for a run that does not exist, ERR_LIMIT for more than RUN_CHOICE_MAX runs. */
ATTR_MUST_USE bool run_choice_find(const struct globals *globals, char *const *words, int count,
                                   struct log_reader **reader, struct run_choice *out,
                                   struct err *err);

/* Like run_choice_find(), but none of the words is a FILE, and the log is open. Without words, adds
 * nothing. */
ATTR_MUST_USE bool run_choice_add(struct log_reader *reader, char *const *words, int count,
                                  struct run_choice *out, struct err *err);

#endif
