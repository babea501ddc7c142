/*
 * stroke.h - one key's act, as it is carried out: for view_keys.c, which knows what a key means,
 * and stroke*.c, which know what an act does. Pure.
 */
#ifndef DEVS_STROKE_H
#define DEVS_STROKE_H

#include "view.h"

struct stroke {
    struct view *view;              /* borrowed, as the facts */
    const struct view_facts *facts; /* of the moment the key went down */
    enum act act;
};

/* Carries out a stroke and returns what the app is to do. */
typedef struct view_todo stroke_fn(const struct stroke *stroke);

/* What the screen that is shown makes of the act, else what it means everywhere. */
stroke_fn stroke_do;

/* stroke_find.c: a filter for the list, a search in the log; what is next of either; what needs a
 * person, alone or the next. */
stroke_fn stroke_filter, stroke_find, stroke_only_needs_you, stroke_needs_you_next;
/* A key while the search is typed. */
struct view_todo stroke_search_key(const struct stroke *stroke, uint32_t key);

/* stroke_time.c: where in a recording, or in the past, and how fast; the try before or after; what
 * is kept, shown and compared there. */
stroke_fn stroke_transport, stroke_go_to, stroke_try, stroke_bookmark, stroke_later, stroke_compare;

/* Why an act leads nowhere in a recording or in the past, as keymap_say() takes it; NULL: it is of
 * another kind, or leads somewhere. Static. */
const char *stroke_time_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);

#endif
