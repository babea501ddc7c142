/*
 * view_undo.h - the last act by hand, as long as it can be undone. Part of a view; pure.
 */
#ifndef DEVS_VIEW_UNDO_H
#define DEVS_VIEW_UNDO_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "str.h"

enum { VIEW_UNDO_MS = 5000 };

struct view;
struct view_facts;
struct view_target;
struct view_todo;

enum view_undo_kind { VIEW_UNDO_NOTHING, VIEW_UNDO_ACT, VIEW_UNDO_MARKS };

struct view_undo {
    enum view_undo_kind kind;
    int64_t at_ms;               /* steady clock */
    struct control control;      /* what was asked for; */
    struct view_target *targets; /* owned; of these tasks, as they were then */
    int count;
    struct verdict_label label; /* a correction: the class before */
};

void view_undo_done(struct view_undo *undo);
/* An act has been asked for, or marks have changed. Others leave all as it is. */
void view_undo_note_act(struct view *view, const struct view_facts *facts,
                        const struct view_todo *todo);
/* Marks have changed: they are what is undone next. */
void view_undo_note_marks(struct view *view, const struct view_facts *facts);

/* Why the last act cannot be undone (any more); false: it can. */
bool view_undo_refusal(const struct view *view, const struct view_facts *facts, struct str *why);
/* Undo it: what is to be asked for. */
struct view_todo view_undo(struct view *view, const struct view_facts *facts);

#endif
