/* correct.h - the prompt that corrects the class of an attempt and adds a rule.
 *
 * A plain value, pure. Times are milliseconds on the steady clock. The task, step and attempt are
 * fixed when the prompt opens. */
#ifndef DEVS_CORRECT_H
#define DEVS_CORRECT_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "err.h"
#include "line_edit.h"
#include "str.h"
#include "verdict.h"

enum {
    /* Maximum number of classes in the list. */
    CORRECT_CLASSES_MAX = TRANSIENT_TYPE_COUNT + REASON_COUNT,
    CORRECT_NAME_MAX = 128,
    CORRECT_NOTE_MAX = ERR_MESSAGE_MAX,
    CORRECT_WORDS_MAX = 2048,
};

enum correct_stage {
    CORRECT_CLOSED,
    CORRECT_PICKING, /* a class from a list */
    CORRECT_WRITING, /* the fields of a rule */
    CORRECT_TRYING,  /* running the rule on all recorded attempts */
    CORRECT_TRIED,   /* showing what the rule would change */
};

enum correct_field { CORRECT_ID, CORRECT_CLASS, CORRECT_PATTERN, CORRECT_FIELD_COUNT };

/* The attempt to correct. */
struct correct_target {
    int task, step, attempt;
    const char *name;           /* borrowed for the call: "T-104 GREEN try 3" */
    struct verdict_label label; /* its present class */
    const char *now;            /* borrowed for the call: "test-fail, rule tap.not-ok" */
    const char *line; /* borrowed for the call: the line that decided the class, or else the last
                         line of the attempt's output; "" = none */
};

/* Progress of a trial, or its result. */
struct correct_trial_news {
    bool over;
    bool failed; /* `words` says why */
    int64_t done, total;
    const char *words; /* borrowed for the call; the result, set when the trial is done */
};

struct correct {
    enum correct_stage stage;
    int64_t opened_ms; /* keys are ignored for PROMPT_DEAF_MS from this time */
    int task, step, attempt;
    struct verdict_label label;
    char name[CORRECT_NAME_MAX];
    char now[CORRECT_NOTE_MAX];
    char line[LINE_EDIT_MAX];
    char note[CORRECT_NOTE_MAX]; /* the answer to a key; "" = none */

    /* In CORRECT_PICKING. */
    struct line_edit filter; /* open while keys are text */
    int chosen;              /* index among the classes that pass the filter */

    /* From CORRECT_WRITING on. */
    const char *rules; /* borrowed: the user's rules so far, see classify.h; NULL = none */
    struct line_edit fields[CORRECT_FIELD_COUNT];
    enum correct_field field;       /* the active field */
    bool unchecked;                 /* a field has changed since `problem` was set */
    char problem[CORRECT_NOTE_MAX]; /* why the rule is not valid; "" = it is valid */
    int64_t done, total;            /* CORRECT_TRYING: progress of the trial */
    bool failed;                    /* CORRECT_TRIED: the trial failed, so there is no result */
    char words[CORRECT_WORDS_MAX];  /* CORRECT_TRIED: the result, or why there is none */
};

/* Opens the prompt, or opens it again in any stage. The caller must also discard typeahead. `rules`
 * must outlive the prompt. */
void correct_open(struct correct *correct, const struct correct_target *target, const char *rules,
                  int64_t now_ms);
/* Returns true if typed keys are text at present. */
bool correct_wants_text(const struct correct *correct);

/* Updates the progress or the result of the trial that was requested. */
void correct_news(struct correct *correct, const struct correct_trial_news *news, int64_t now_ms);
/* Reports the result of saving the rule. A NULL `problem` closes the prompt; otherwise it stays
 * open and shows the problem. */
void correct_saved(struct correct *correct, const char *problem);

/* Appends the rule in the fields as a JSON object for the list `rules` in devs.config.json. */
void correct_rule_json(const struct correct *correct, struct str *out);

/* Gets the classes that pass the filter, in the order of the full list. Returns their number. */
int correct_found(const struct correct *correct, struct verdict_label out[CORRECT_CLASSES_MAX]);
/* Returns the short name of a class: "network", "test-fail", "persistent". */
const char *correct_word(const struct verdict_label *label, char out[VERDICT_WORD_MAX]);

/* Draws over the bottom rows of the canvas; nothing while the prompt is closed. */
void correct_draw(const struct correct *correct, struct canvas *canvas);

/* The fields of a new rule. */

/* Fills the fields for a class: an unused id, and the deciding line as a pattern. */
void correct_rule_begin(struct correct *correct, const struct verdict_label *label);

#endif
