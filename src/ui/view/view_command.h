/*
 * view_command.h - commands that are typed after `:`, with completion and what was typed before.
 * Part of a view; pure.
 */
#ifndef DEVS_VIEW_COMMAND_H
#define DEVS_VIEW_COMMAND_H

#include <stddef.h>

#include "canvas.h"
#include "line_edit.h"

struct view;
struct view_facts;
struct view_todo;

enum {
    VIEW_COMMANDS_MAX = 24, /* rows of the table */
    COMMANDS_PAST_MAX = 16, /* lines of this session that come back with the arrow keys */
};

struct view_command {
    struct line_edit line;
    char past[COMMANDS_PAST_MAX][LINE_EDIT_MAX]; /* the latest last */
    int past_count;
    int past_at;                  /* the one shown; past_count = none */
    char argument[LINE_EDIT_MAX]; /* of VIEW_THEME, VIEW_NOTIFY */
};

/* One line of the table of commands. */
struct command_row {
    const char *name;     /* "filter", "hold all" */
    const char *argument; /* what follows: "WORDS"; "" = nothing */
    const char *words;    /* what it does, for the help */
};
/* In the order of the help; NULL past the last. */
const struct command_row *view_command_at(size_t index);
/* The one that a line begins with; NULL for none. */
const struct command_row *view_command_in(const char *line);
/* In the last rows: the line, and above it what it may become. */
void view_command_draw(const struct view *view, const struct view_facts *facts,
                       struct canvas *canvas);

/* Does the word offered fit what is typed? The candidates for the end of a line, each as the whole
 * line would be with it. */
enum { COMPLETIONS_MAX = 24 };
struct completions {
    char lines[COMPLETIONS_MAX][LINE_EDIT_MAX];
    int count;    /* more than these are not kept */
    int from;     /* where in the line the word begins that is completed */
    size_t alike; /* bytes in which all lines begin alike, those not kept, too */
};
/* Fill in *out for the line as it is; count 0: nothing fits. */
void view_complete(const struct view *view, const struct view_facts *facts,
                   struct completions *out);

#endif
