/*
 * redact_forms.h - what known tokens look like, whoever's they are. Pure.
 *
 * A form starts with fixed bytes; what follows is looked at by hand. The rules of length and
 * alphabet are those that the makers of the tokens give, and those that scanners of repositories
 * use: docs/secrets.md has the list.
 */
#ifndef DEVS_REDACT_FORMS_H
#define DEVS_REDACT_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "redact_words.h"

enum {
    REDACT_FORM_BYTES_MAX = 4096, /* from a form's start; by then it is decided */
    REDACT_PEM_LINE_MAX = 4096,   /* bytes of a line of a private key; longer is none */
};

/* Bytes to look at, from where a form starts to the last one there is. */
struct redact_place {
    const char *bytes;
    size_t len;
    int before; /* the byte before them, -1 = none */
    bool ended; /* no more will come */
    /* In and out, NULL = not kept: how many of the first bytes are known to be letters of a
     * token. Where many forms begin in one run, it is walked over once. */
    size_t *letters;
};

/* What goes on behind a cut without an end of its own. */
enum redact_rest { REDACT_REST_NONE, REDACT_REST_RUN, REDACT_REST_PEM };
struct redact_tail {
    enum redact_rest rest;
    enum redact_alphabet alphabet; /* of a run */
    bool after_long;               /* PEM: the line before was one of the key */
};

enum redact_found { REDACT_NOT, REDACT_MORE, REDACT_CUT };
struct redact_cut {
    size_t start, end; /* in the place; equal: only what the tail takes is cut. Where more has to
                          come: nothing before `start` will be cut */
    struct redact_tail tail;
};

/* How many forms of secrets are known by their shape. */
size_t redact_form_count(void);
/* The bytes that form starts with, and what it is called in a mark; several may share a name. */
const char *redact_form_start(size_t form);
/* The name of the form. Static. */
const char *redact_form_name(size_t form);

/* Is it long and plain enough to be told apart inside of base64? */
bool redact_form_may_be_wrapped(size_t form);

/* Is it known by the name in front of it? A token in its value has a better name. */
bool redact_form_is_named(size_t form);

/* Is it that form? MORE: it hangs on bytes still to come; never with place->ended, nor when
 * REDACT_FORM_BYTES_MAX bytes are there. */
enum redact_found redact_form_look(size_t number, const struct redact_place *place,
                                   struct redact_cut *cut);

/* How many of the bytes belong to the cut before them. The tail is REDACT_REST_NONE once it is
 * over; else it goes on with those not taken and more. */
size_t redact_tail_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended);

#endif
