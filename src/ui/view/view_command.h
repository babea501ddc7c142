/*
 * view_command.h - commands typed after `:`, with completion and history. Part of a view; pure.
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
    VIEW_COMMANDS_MAX = 24, /* maximum number of commands */
    COMMANDS_PAST_MAX = 16, /* maximum number of lines in the history of this session */
};

struct view_command {
    struct line_edit line;
    char past[COMMANDS_PAST_MAX][LINE_EDIT_MAX]; /* newest last */
    int past_count;
    int past_at;                  /* index of the line shown; past_count = none */
    char argument[LINE_EDIT_MAX]; /* argument of VIEW_THEME and VIEW_NOTIFY */
};

/* A row of the table of commands. */
struct command_row {
    const char *name;     /* "filter", "hold all" */
    const char *argument; /* placeholder of its argument: "WORDS"; "" = none */
    const char *words;    /* description, for the help */
};
/* Returns the command at this index, in the order of the help; NULL after the last. */
const struct command_row *view_command_at(size_t index);
/* Returns the command that a line begins with, or NULL. */
const struct command_row *view_command_in(const char *line);
/* Draws the line in the last rows, with its completions above. */
void view_command_draw(const struct view *view, const struct view_facts *facts,
                       struct canvas *canvas);

/* Candidates for completing the line, each as the whole line that would result. */
enum { COMPLETIONS_MAX = 24 };
struct completions {
    char lines[COMPLETIONS_MAX][LINE_EDIT_MAX];
    int count;    /* candidates beyond the maximum are dropped */
    int from;     /* offset in the line of the word being completed */
    size_t alike; /* length of the common prefix of all candidates, including dropped ones */
};
/* Fills *out for the current line; count 0: no match. */
void view_complete(const struct view *view, const struct view_facts *facts,
                   struct completions *out);

#endif
