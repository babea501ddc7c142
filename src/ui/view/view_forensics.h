/*
 * view_forensics.h - how a person looks at the forensics of an attempt: which section, how far
 * down. Which attempt it is says view_try.h. Part of a view; pure.
 */
#ifndef DEVS_VIEW_FORENSICS_H
#define DEVS_VIEW_FORENSICS_H

#include <stdbool.h>
#include <stddef.h>

#include "forensics.h"
#include "keymap.h"

struct view;
struct view_facts;

/* What a screen has room for: lines that are not broken, and the first line of the last screen
 * of the section. */
struct view_room {
    size_t page, last;
};

/* The panes, for a mouse. */
enum { VIEW_FORENSICS_LIST, VIEW_FORENSICS_TEXT };

struct view_forensics {
    bool right; /* the keys are the text's, not the list's */
    enum forensics_section section;
    size_t top; /* the section's first line on the screen */
    struct view_room room;
};

/* Look at the chosen task: at what runs, else at its latest failure, else at its latest try. */
void view_forensics_open(struct view *view, const struct view_facts *facts);

/* Keep the scrolling within what there is. */
void view_forensics_fit(struct view *view, struct view_room room);

struct view_todo;

/* Why an act cannot be done while it is shown, as keymap_say() takes it; NULL: it can. Static. */
const char *view_forensics_refusal(const struct view *view, const struct view_facts *facts,
                                   enum act act);
/* Carry out a key while it is shown; false: the key means what it means elsewhere. `out` is left as
 * it is: a new frame is all that comes of it. */
bool view_forensics_act(struct view *view, const struct view_facts *facts, enum act act,
                        struct view_todo *out);

#endif
