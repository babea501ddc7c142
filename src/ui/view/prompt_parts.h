/*
 * prompt_parts.h - what the files of prompt.h share. Pure.
 */
#ifndef DEVS_PROMPT_PARTS_H
#define DEVS_PROMPT_PARTS_H

#include "prompt.h"

/* An answer to a question: its key, and what it does, in four lengths. */
struct prompt_answer {
    uint32_t key;
    const char *name;
    enum prompt_choice choice;
    const char *words;  /* a row of 80 columns */
    const char *middle; /* a row of 40 columns */
    const char *brief;  /* a row of 24 columns */
    const char *tiny;   /* beside others in one row */
};
enum { PROMPT_ANSWERS_MAX = 4 };

/* The answers to the question as it stands, in the order of the screen; an empty one ends them. */
const struct prompt_answer *prompt_answers(const struct prompt *prompt);
/* "Cancel", "Let go": what is asked. */
const char *prompt_verb(enum prompt_kind kind);
/* Is it about a retry with choices? */
bool prompt_is_retry_with(const struct prompt *prompt);

/* prompt_retry.c: a key while choices are typed. */
void prompt_retry_key(struct prompt *prompt, uint32_t key, int64_t now_ms);
/* prompt_draw_retry.c: its fields, or what is in them, from this row on; where the canvas has no
 * room for all of them, the one that is typed in. */
enum {
    PROMPT_ROWS_TYPED = 4, /* hint, what becomes of it, tries, keys */
    PROMPT_ROWS_ASKED = 2, /* hint, tries */
};
/* Draw them; the prompt is one of retry with choices. */
void prompt_draw_retry(const struct prompt *prompt, struct canvas *canvas, int row);

#endif
