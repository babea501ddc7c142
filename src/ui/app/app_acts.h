/*
 * app_acts.h - acts that were asked for and not answered yet.
 *
 * An act goes to the control desk; its row is written by another thread, its
 * answer by the owner of the run. Both are looked for, neither is waited for.
 * Main thread only.
 */
#ifndef DEVS_APP_ACTS_H
#define DEVS_APP_ACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control_desk.h"
#include "err.h"
#include "log_reader.h"
#include "plan.h"
#include "str.h"
#include "view.h"

enum { APP_ACTS_MAX = 16 };

struct app_act {
    struct control control;
    int64_t ticket;
    int64_t row; /* 0 = not written yet */
    bool of_batch;
};

/* One act on many tasks. They are asked for as there is room, and answered as one. */
struct app_batch {
    struct control control;      /* the task is filled in */
    struct view_target *targets; /* owned */
    int count;                   /* 0 = there is none */
    int asked, done, refused;
    struct str refusal; /* of the last that was refused */
};

struct app_acts {
    struct control_desk *desk;     /* borrowed; NULL: nothing can be asked */
    const struct run_state *state; /* borrowed; for the names of tasks */
    int64_t run;
    struct app_act acts[APP_ACTS_MAX];
    int count;
    struct app_batch batch;
    bool refused; /* nothing came of what was answered last */
};

void app_acts_done(struct app_acts *acts);

/* Ask for an act. ERR_LIMIT if too many are open. */
ATTR_MUST_USE bool app_acts_ask(struct app_acts *acts, const struct control *control,
                                struct err *err);

/* The same act of so many tasks; the targets are copied. ERR_LIMIT while another one on many
 * is not answered. */
ATTR_MUST_USE bool app_acts_ask_many(struct app_acts *acts, const struct control *control,
                                     const struct view_target *targets, int count, struct err *err);
/* Is any answer still to come? */
bool app_acts_are_open(const struct app_acts *acts);

/* Look for answers; each one is appended to *out as words ("tax held: no new tries until it is
 * released", "tax not held: it is held already"), the last one alone stays. What is asked of many
 * is answered once all have an answer ("6 tasks held"). True if there was any. */
bool app_acts_look(struct app_acts *acts, struct log_reader *reader, struct str *out);

/* What is asked, of one ("tax: kill asked") or of many ("6 tasks: hold asked"). */
void app_acts_asked(const struct app_acts *acts, const struct control *control, int count,
                    struct str *out);
/* The same where nothing came of it: "tax not killed: it has ended". */
void app_acts_refused(const struct app_acts *acts, const struct control *control, int count,
                      const char *why, struct str *out);

#endif
