/*
 * task_filter.h - the language in which people say which tasks they mean.
 *
 *   tax state=backoff class=rate-limit try>2 new<.1 !title=docs
 *
 * Words stand apart by blanks, and a task has to fit each of them. `!` before a word turns it
 * round. A word alone is looked for in id, title, state and class, and "circles" in what goes in
 * circles. A field stands before one of = != > < >= <= and a value:
 *
 *   id, title, state, class   = and != only: the value is a part of it, capitals or not; with `*`,
 *                             which stands for anything, it is the whole of it; "in quotes" it may
 *                             have blanks
 *   phase                     of the current step: RED, GREEN, VERIFY or REFACTOR, or its beginning
 *   try                       number of the current step's latest try; 0 = none yet
 *   exit                      exit code of its latest try that ended with one
 *   new                       share of that try's lines that are new: .04, 0.1
 *   waited                    all waits of the task together: 30s, 1m, 2h, 1:30; a bare number is
 *                             seconds
 *
 * What is not known of a task fits no comparison, != among them. What is still to be typed
 * ("state=", "!") fits every task; a word whose field or value cannot be is looked for as it is
 * written, and task_filter_wrong() says what may have been meant. Pure; any thread.
 */
#ifndef DEVS_TASK_FILTER_H
#define DEVS_TASK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "moment.h"
#include "run_state.h"
#include "str.h"

enum {
    TASK_FILTER_TEXT_MAX = 200, /* bytes, the NUL among them; the rest is left out */
    TASK_FILTER_WORDS_MAX = 32, /* likewise */
};

enum task_filter_field {
    FILTER_ANY, /* a word alone */
    FILTER_ID,
    FILTER_TITLE,
    FILTER_STATE,
    FILTER_CLASS,
    FILTER_PHASE,
    FILTER_TRY,
    FILTER_EXIT,
    FILTER_NEW,
    FILTER_WAITED,
    FILTER_FIELD_COUNT,
};

enum task_filter_compare {
    FILTER_EQUAL,
    FILTER_UNEQUAL,
    FILTER_MORE,
    FILTER_LESS,
    FILTER_AT_LEAST,
    FILTER_AT_MOST,
};

struct task_filter_word {
    enum task_filter_field field;
    enum task_filter_compare compare;
    bool is_not;    /* ! before it */
    bool is_open;   /* what it looks for is still to be typed */
    bool is_wrong;  /* looked for as it is written */
    int from, len;  /* where it is in the text, in bytes */
    int64_t number; /* TRY, EXIT: as it is; NEW: of a thousand; WAITED: ms */
    char value[TASK_FILTER_TEXT_MAX];
};

/* All zero: every task fits. */
struct task_filter {
    struct task_filter_word words[TASK_FILTER_WORDS_MAX];
    int count;
};

/* What is known of the tasks. */
struct task_filter_facts {
    const struct run_state *state; /* borrowed */
    bool orphaned;                 /* see shown_task() */
    struct moment now;
};

/* Read what was typed; never fails: what cannot be read is looked for as it is written, see
 * task_filter_wrong(). Words past TASK_FILTER_WORDS_MAX are left out. */
void task_filter_read(const char *text, struct task_filter *out);
/* Do all words of the filter fit the task? O(words + steps of the task). */
bool task_filter_fits(const struct task_filter *filter, const struct task_filter_facts *facts,
                      int task);

/* What is wrong with the first word that is, as a sentence: "no field is called 'clas': class=
 * is". False, and nothing is appended, if nothing is. */
bool task_filter_wrong(const struct task_filter *filter, struct str *out);

/* Where a word of the filter fits no task: the state, phase or class that was probably meant. */
struct task_filter_near {
    const char *kind; /* "state", "phase", "class"; static; NULL = none is near */
    char value[TASK_FILTER_TEXT_MAX];
    int count;     /* tasks that have it */
    int from, len; /* of the word in the text that it takes the place of */
};
/* Of the first word that fits no task. O(tasks x words). */
void task_filter_nearest(const struct task_filter *filter, const struct task_filter_facts *facts,
                         struct task_filter_near *out);

/* "try": what stands before the comparison. Static. */
const char *task_filter_field_name(enum task_filter_field field);

#endif
