/*
 * target.h - finds the run, task or kept result that "41", "#41", "41/tax", "last/tax" or "tax"
 * names.
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
#include "workspace_result.h"

/* A plain value. */
struct target {
    int64_t run;                /* 0 = the current one */
    bool is_newest;             /* "last/tax": the newest is meant whatever tasks it has */
    bool is_last;               /* "last" alone: see target_settle() */
    char task[PLAN_ID_MAX + 1]; /* "" = the whole run */
};

/* A word of digits (or '#' and digits) is a run; anything else a task. Before a slash "last" is a
 * run, too. Where one of them should stand and nothing does ("", "41/") is ERR_INVALID: it means no
 * run, and not the newest. */
ATTR_MUST_USE bool target_parse(const char *word, struct target *out, struct err *err);

/* The same of a word that has to name a task; ERR_INVALID says so, with the hint how the command is
 * called. */
ATTR_MUST_USE bool target_parse_task(const char *word, const char *hint, struct target *out,
                                     struct err *err);

/* The same of a word that has to name a run, as a whole: its number, 0 for "last" and for NULL. */
ATTR_MUST_USE bool target_parse_run(const char *word, const char *hint, int64_t *out,
                                    struct err *err);
/* Does the word name a run as a whole, as target_parse_run() reads it? */
bool target_names_run(const char *word);

/* Show the plan of this run (0 = the current one) to `look`, with the tasks that were added to it
 * as it went; borrowed for the call. Of a run that cannot be read nothing is shown. */
typedef void target_plan_fn(void *ctx, const struct plan *plan);
/* Call `look` with it, or not at all. */
void target_show_plan(struct log_reader *reader, int64_t run, target_plan_fn *look, void *ctx);

/* Follow the run that is meant, from before its first event; target->run is filled in.
 * A task without a run is looked for in the newest runs, those that are alive first;
 * where none has it the newest run is meant. */
ATTR_MUST_USE bool target_follow(struct target *target, const struct place *place,
                                 struct follower **out, struct err *err);

/* As every word that names a run, "last" alone is the whole of it, unless a task of it is called
 * so: the plan is that of the run that is followed. */
void target_settle(struct target *target, const struct plan *plan);

enum { TARGET_IDS_NAMED = 3 };
/* Say in err's hint which ids of the plan come near to this one, else the first ones, at most
 * TARGET_IDS_NAMED; `lists` is the command that has all of them. Returns false, as err_hint(). */
bool target_hint_near(const struct plan *plan, const char *id, const char *lists, struct err *err);

/* The task's number in the plan; ERR_NOT_FOUND has such a hint. */
ATTR_MUST_USE bool target_task(const struct target *target, const struct plan *plan, int *out,
                               struct err *err);

/* The same where the word may name the run alone, if that has one task only; of several ERR_INVALID
 * says that one is to be named, as in `usage` ("devs log"). */
ATTR_MUST_USE bool target_only_task(const struct target *target, const struct plan *plan,
                                    const char *usage, int *out, struct err *err);

/* What the task changed. A value of the caller's; end with result_target_done(). */
struct result_target {
    struct target target; /* which task is meant */
    char *run_dir;        /* owned; the folder that its run was started in */
    struct workspace_result *result;
    struct workspace_changes changes;
};

/* "41/tax" or "tax". `applies`: the result will be written somewhere, so the log must be ours
 * (log_own.h). */
ATTR_MUST_USE bool result_target_open(struct result_target *out, const struct globals *globals,
                                      const char *word, bool applies, struct err *err);
void result_target_done(struct result_target *value);

/* {"v":1,"run":41,"task":"tax",...: the members that both commands print, without the last brace.
 */
void result_target_json(const struct result_target *value, struct str *out);
/* "3 paths changed, 12 lines added, 4 removed" */
void result_target_sum(const struct workspace_changes *changes, struct str *out);

#endif
