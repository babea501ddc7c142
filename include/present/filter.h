/* filter.h - selects tasks and records of a run. Pure; any thread.
 *
 * Tasks are selected with a small language:
 *
 *   tax state=backoff class=rate-limit try>2 new<.1 !title=docs
 *
 * Words are separated by blanks, and a task has to match all of them. `!` before a word negates it.
 * A bare word is searched for in id, title, state and class; "loop" matches tasks that loop. A
 * field is followed by one of = != > < >= <= and a value:
 *
 *   id, title, state, class   = and != only: the text contains the value, ignoring case; with the
 *                             wildcard `*`, the value is the whole text; "in quotes", it may have
 *                             blanks
 *   where                     the same, for the host of the latest try or the executor: gpu1, lab,
 *                             local
 *   phase                     of the current step: RED, GREEN, VERIFY or REFACTOR, or a prefix
 *   try                       number of the current step's latest try; 0 = none yet
 *   exit                      exit code of the latest try of that step that ended with one
 *   new                       share of new lines in that try: .04, 0.1
 *   waited                    all waits of the task together: 30s, 1m, 2h, 1:30; a bare number is
 *                             seconds
 *
 * An unknown value matches no comparison, not even !=. An incomplete word ("state=", "!") matches
 * every task. A word with an invalid field or value is searched for as typed, and
 * task_filter_wrong() says what was probably meant. */
#ifndef DEVS_FILTER_H
#define DEVS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "event.h"
#include "event_text.h"
#include "moment.h"
#include "plan.h"
#include "run_state.h"
#include "str.h"

enum {
    TASK_FILTER_TEXT_MAX = 200, /* maximum bytes, including the NUL; longer text is truncated */
    TASK_FILTER_WORDS_MAX = 32, /* maximum words; further words are ignored */
};

enum task_filter_field {
    FILTER_ANY, /* a word without a field */
    FILTER_ID,
    FILTER_TITLE,
    FILTER_STATE,
    FILTER_CLASS,
    FILTER_WHERE,
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
    bool is_not;    /* preceded by ! */
    bool is_open;   /* the user has not typed its value yet */
    bool is_wrong;  /* not valid, so searched for as typed */
    int from, len;  /* position of the word in the text, in bytes */
    int64_t number; /* TRY, EXIT: as is; NEW: thousandths; WAITED: ms */
    char value[TASK_FILTER_TEXT_MAX];
};

/* The words of a filter. All zero: matches every task. */
struct task_filter {
    struct task_filter_word words[TASK_FILTER_WORDS_MAX];
    int count;
};

/* The run that the filter is applied to. */
struct task_filter_facts {
    const struct run_state *state; /* borrowed */
    bool orphaned;                 /* see shown_task() */
    struct moment now;
};

/* Parses the text that a user typed. Never fails: a word that is not valid is searched for as typed
 * (see task_filter_wrong()). Ignores words past TASK_FILTER_WORDS_MAX. */
void task_filter_read(const char *text, struct task_filter *out);
/* Returns whether all words of the filter match the task. O(words + steps of the task). */
bool task_filter_fits(const struct task_filter *filter, const struct task_filter_facts *facts,
                      int task);

/* Appends what is wrong with the first invalid word: "unknown field 'clas', did you mean class?".
 * Returns false if all words are valid. */
bool task_filter_wrong(const struct task_filter *filter, struct str *out);

/* The state, phase or class that was probably meant by a word that matches no task. */
struct task_filter_near {
    const char *kind; /* "state", "phase", "class"; static; NULL = nothing similar */
    char value[TASK_FILTER_TEXT_MAX];
    int count;     /* number of tasks with this value */
    int from, len; /* position in the text of the word to replace, in bytes */
};
/* Suggests a replacement for the first word that matches no task. O(tasks x words). */
void task_filter_nearest(const struct task_filter *filter, const struct task_filter_facts *facts,
                         struct task_filter_near *out);

/* Returns the name of the field as typed: "try". Static. */
const char *task_filter_field_name(enum task_filter_field field);

/* A filter for records. If all other members are zero, only `level` restricts it. One thread. */

enum { RECORD_TASKS_MAX = 32 };

/* A position in a run. Members that are 0 set no bound. */
struct record_bound {
    int64_t seq;   /* number of an event */
    int64_t at_ms; /* wall clock, UTC */
};

struct record_search; /* a compiled pattern and the memory to match it */

struct record_filter {
    enum event_level level;                        /* the least important level that matches */
    uint64_t kinds;                                /* a bit for each kind; 0 = all */
    char tasks[RECORD_TASKS_MAX][PLAN_ID_MAX + 1]; /* ids of the tasks that match */
    int task_count;                                /* 0 = all tasks, and the run */
    struct record_bound since, until;              /* inclusive */
    struct record_search *search;                  /* owned; NULL = no search */
};
/* Frees the members of the filter. */
void record_filter_done(struct record_filter *filter);

/* Adds a task to the filter. Fails with ERR_INVALID if `id` is not an id, or if there are
 * RECORD_TASKS_MAX tasks already. */
ATTR_MUST_USE bool record_filter_add_task(struct record_filter *filter, const char *id,
                                          struct err *err);
/* Adds a kind of records, such as "wait_started", to the filter. Fails with ERR_INVALID if there is
 * no such kind; the hint names the most similar one. */
ATTR_MUST_USE bool record_filter_add_kind(struct record_filter *filter, const char *name,
                                          struct err *err);
/* Restricts the filter to records whose text matches the pattern (PCRE2, bytes). Fails with
 * ERR_INVALID and the position if the pattern is invalid. */
ATTR_MUST_USE bool record_filter_set_search(struct record_filter *filter, const char *pattern,
                                            struct err *err);

/* Returns whether the event matches the filter, apart from the search. `state` must be the state
 * after the event. */
bool record_filter_wants(const struct record_filter *filter, const struct run_state *state,
                         const struct event *event);
/* Returns whether the text of the event (event_words()) matches the search. A match that takes too
 * long counts as no match. */
bool record_filter_finds(const struct record_filter *filter, const char *words, size_t len);

#endif
