/*
 * correct.h - the prompt that corrects the class of an attempt, and teaches a rule.
 *
 * A plain value, pure: time comes in as milliseconds of the steady clock. What it is
 * about - task, step and attempt - is fixed when it opens.
 */
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
    CORRECT_CLASSES_MAX = TRANSIENT_TYPE_COUNT + REASON_COUNT, /* what can be picked */
    CORRECT_NAME_MAX = 128,
    CORRECT_NOTE_MAX = ERR_MESSAGE_MAX,
    CORRECT_WORDS_MAX = 2048,
};

enum correct_stage {
    CORRECT_CLOSED,
    CORRECT_PICKING, /* a class out of a list */
    CORRECT_WRITING, /* a rule: its fields */
    CORRECT_TRYING,  /* the rule, on all recorded attempts */
    CORRECT_TRIED,   /* what it would change */
};

enum correct_field { CORRECT_ID, CORRECT_CLASS, CORRECT_PATTERN, CORRECT_FIELD_COUNT };

/* The attempt it is about. */
struct correct_target {
    int task, step, attempt;
    const char *name;           /* borrowed for the call: "T-104 GREEN try 3" */
    struct verdict_label label; /* its class as it stands now */
    const char *now;            /* borrowed for the call: "test-fail, rule tap.not-ok" */
    const char *line;           /* borrowed for the call: the line it was judged by, else its
                                   last one; "" = none */
};

/* How far a trial is, or what came of it. */
struct correct_trial_news {
    bool over;
    bool failed; /* words say why */
    int64_t done, total;
    const char *words; /* borrowed for the call; once it is over */
};

struct correct {
    enum correct_stage stage;
    int64_t opened_ms; /* it is deaf for PROMPT_DEAF_MS from then on */
    int task, step, attempt;
    struct verdict_label label;
    char name[CORRECT_NAME_MAX];
    char now[CORRECT_NOTE_MAX];
    char line[LINE_EDIT_MAX];
    char note[CORRECT_NOTE_MAX]; /* answer to a key; "" = none */

    /* CORRECT_PICKING */
    struct line_edit filter; /* open while keys are text */
    int chosen;              /* among the classes the filter lets through */

    /* CORRECT_WRITING and after */
    const char *rules; /* borrowed: a person's rules so far, see classify.h; NULL = none */
    struct line_edit fields[CORRECT_FIELD_COUNT];
    enum correct_field field;       /* the one that keys go to */
    bool unchecked;                 /* a field has changed since `problem` was found out */
    char problem[CORRECT_NOTE_MAX]; /* why the rule will not do; "" = it will */
    int64_t done, total;            /* CORRECT_TRYING */
    bool failed;                    /* CORRECT_TRIED: the trial, not the rule */
    char words[CORRECT_WORDS_MAX];  /* CORRECT_TRIED */
};

/* Open it, from any state. The caller also drops keys typed ahead. `rules` must outlive
 * the prompt. */
void correct_open(struct correct *correct, const struct correct_target *target, const char *rules,
                  int64_t now_ms);
/* Are keys text now? */
bool correct_wants_text(const struct correct *correct);

/* News of the trial that was asked for. */
void correct_news(struct correct *correct, const struct correct_trial_news *news, int64_t now_ms);
/* What became of the rule: it is closed with NULL, else it stays and says why. */
void correct_saved(struct correct *correct, const char *problem);

/* The rule in the fields, as an object of the list `rules` in devs.config.json. */
void correct_rule_json(const struct correct *correct, struct str *out);

/* Classes that the filter lets through, by their place in the list of all. */
int correct_found(const struct correct *correct, struct verdict_label out[CORRECT_CLASSES_MAX]);
/* The short word of a class: "network", "test-fail", "persistent". */
const char *correct_word(const struct verdict_label *label, char out[VERDICT_WORD_MAX]);

/* Over the bottom rows of the canvas; nothing while it is closed. */
void correct_draw(const struct correct *correct, struct canvas *canvas);

/* The fields of a new rule. */

/* Fill them for a class: a free id, and the line it was judged by as a pattern. */
void correct_rule_begin(struct correct *correct, const struct verdict_label *label);

#endif
