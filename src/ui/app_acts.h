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

enum { APP_ACTS_MAX = 16 };

struct app_act {
    struct control control;
    int64_t ticket;
    int64_t row; /* 0 = not written yet */
};

struct app_acts {
    struct control_desk *desk; /* borrowed; NULL: nothing can be asked */
    const struct plan *plan;   /* borrowed; for the names of tasks */
    int64_t run;
    struct app_act acts[APP_ACTS_MAX];
    int count;
};

/* Ask for an act. ERR_LIMIT if too many are open. */
ATTR_MUST_USE bool app_acts_ask(struct app_acts *acts, const struct control *control,
                                struct err *err);

/* Look for answers; each one is appended to *out as words ("tax: retry now:
 * done"), the last one alone stays. True if there was any. */
bool app_acts_look(struct app_acts *acts, struct log_reader *reader, struct str *out);

/* "tax: cancel (term)": what is asked, of whom. */
void app_acts_words(const struct app_acts *acts, const struct control *control, struct str *out);

#endif
