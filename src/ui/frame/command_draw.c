/* command_draw.c - how a command looks that is being typed. */
#include <stdio.h>

#include "view.h"
#include "view_command.h"

enum { GAP = 2 };

/* What the line may become, or what the command in it does. */
static void draw_hint(const struct view *view, const struct view_facts *facts,
                      struct canvas *canvas, int row)
{
    const struct command_row *command = view_command_in(view->command.line.text);
    struct completions found;
    int column = 1;
    view_complete(view, facts, &found);
    canvas_blank_row(canvas, row, STYLE_PLAIN);
    for (int i = 0; i < found.count && column < canvas->columns - 1; i++) {
        const struct spot spot = {row, column, canvas->columns - column - 1};
        column += canvas_text(canvas, spot, STYLE_KEY, found.lines[i] + found.from) + GAP;
    }
    if (found.count == 0 && command) {
        char text[LINE_EDIT_MAX];
        (void)snprintf(text, sizeof(text), "%s %s  %s", command->name, command->argument,
                       command->words);
        (void)canvas_text(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_LABEL, text);
    }
}

void view_command_draw(const struct view *view, const struct view_facts *facts,
                       struct canvas *canvas)
{
    if (canvas->rows > 2)
        draw_hint(view, facts, canvas, canvas->rows - 2);
    line_edit_draw(&view->command.line, canvas, canvas->rows - 1, ":");
}
