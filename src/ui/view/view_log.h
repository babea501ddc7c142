/*
 * view_log.h - how a person looks at the whole output of an attempt: where, wrapped or not, what
 * is looked for. Which attempt it is says view_try.h. Part of a view.
 *
 * Keys are pure; where they lead is settled with the lines at hand before a frame is drawn.
 */
#ifndef DEVS_VIEW_LOG_H
#define DEVS_VIEW_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "keymap.h"
#include "line_edit.h"

struct view;
struct view_facts;
struct view_todo;
struct log_pager;
struct log_source;

/* Room on the screen. */
struct view_log_room {
    int rows;
    int columns; /* of text */
};

/* What is looked for, until it is found. */
enum view_log_want { VIEW_LOG_NOTHING, VIEW_LOG_MATCH, VIEW_LOG_ERROR };

struct view_log {
    bool stays;     /* lines may come below the screen; else the end is followed */
    bool unwrapped; /* long lines are cut off at the right */
    bool only;      /* just the lines that match are shown */
    bool raw;       /* as it came, where an agent's words could be read */
    size_t top;     /* what is first on the screen: a place among the lines shown, */
    int row;        /* and a row of that line */
    int column;     /* unwrapped: the first one of the text on the screen */

    bool is_to_start; /* then, from there, */
    int64_t scroll;   /* so many rows are still to be gone */
    enum view_log_want want;
    int step;        /* which way: 1 or -1 */
    int64_t from;    /* line number; those after it (before it) are looked at */
    bool either_way; /* if there is none this way, take the other */
    int64_t hit;     /* the line that was found last, -1 = none */

    /* As it was before the search was opened, for Esc. */
    size_t was_top;
    int64_t was_hit;
    bool did_stay;
    bool was_only;
    struct line_edit was_search;
    bool asks_only; /* the search was opened to show only the matching lines */

    size_t below;  /* lines below the screen */
    bool is_still; /* and newer ones, which would take away those that are read here */
    struct view_log_room room;
};

void view_log_init(struct view_log *log);
/* Go to the chosen task's output. */
void view_log_open(struct view *view, const struct view_facts *facts);
/* Another attempt's lines: to their end. Wrapping and the search stay. */
void view_log_restart(struct view_log *log);

/* Carry out a key while it is shown; false: the key means what it means elsewhere. */
bool view_log_act(struct view *view, const struct view_facts *facts, enum act act,
                  struct view_todo *out);
/* Append why an act cannot be done while it is shown; nothing where it can. */
void view_log_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                      struct str *why);
/* Append that nothing is found this way (step 1: down). */
void view_log_add_none(const struct view *view, const struct log_pager *pager,
                       enum view_log_want want, int step, struct str *out);
/* Handles a key while the search text is typed. */
void view_log_search_key(struct view *view, const struct view_facts *facts, uint32_t key);

/* What is searched for and shown of the lines is as the person has it now: before they are read. */
void view_log_sync(struct view *view, struct log_pager *pager);
/* Go where the keys led, as far as the lines are known, and have those read that are on the screen
 * then. What cannot be found is said. */
ATTR_MUST_USE bool view_log_settle(struct view *view, const struct view_facts *facts,
                                   struct log_pager *pager, const struct log_source *source,
                                   struct err *err);

#endif
