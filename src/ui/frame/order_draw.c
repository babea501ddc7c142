/* order_draw.c - how the menu of orders looks. */
#include <string.h>

#include "term.h"
#include "view.h"

enum { MENU_GAP = 2 };

/* Columns that the menu's lines take, and where each is: a row is as long as the canvas. */
static int lay_out(const struct canvas *canvas, int rows[ORDER_COUNT + 1],
                   int columns[ORDER_COUNT + 1])
{
    int row = 0;
    int column = 1 + (int)strlen("order") + MENU_GAP;
    for (enum order_by by = 0; by <= ORDER_COUNT; by++) {
        const char *name = by < ORDER_COUNT ? view_order_name(by) : "Esc stays";
        const int width = (int)strlen(name) + (by < ORDER_COUNT ? 3 : 0);
        if (column + width > canvas->columns && column > 1) {
            row++;
            column = 1;
        }
        rows[by] = row;
        columns[by] = column;
        column += width + MENU_GAP - 1;
    }
    return row + 1;
}

void view_order_draw(const struct view *view, struct canvas *canvas)
{
    int rows[ORDER_COUNT + 1];
    int columns[ORDER_COUNT + 1];
    const int count = lay_out(canvas, rows, columns);
    const int top = canvas->rows > count ? canvas->rows - count : 0;
    for (int row = top; row < canvas->rows; row++)
        canvas_blank_row(canvas, row, STYLE_PLAIN);
    (void)canvas_text(canvas, (struct spot){top, 1, canvas->columns - 1}, STYLE_PROMPT, "order");
    for (enum order_by by = 0; by < ORDER_COUNT; by++) {
        const struct spot at = {top + rows[by], columns[by], (int)strlen(view_order_name(by)) + 3};
        const char digit[] = {(char)('1' + by), '\0'};
        if (by == view->sorted.at) {
            (void)canvas_text(canvas, (struct spot){at.row, at.column, 1}, STYLE_PLAIN, "▸");
            canvas_choose(canvas, at.row, at.column, at.width);
        }
        (void)canvas_text(canvas, (struct spot){at.row, at.column + 1, 1}, STYLE_KEY, digit);
        (void)canvas_text(canvas, (struct spot){at.row, at.column + 3, at.width - 3}, STYLE_PROMPT,
                          view_order_name(by));
        canvas_add_zone(canvas, at, (uint32_t)digit[0]);
    }
    const struct spot end = {top + rows[ORDER_COUNT], columns[ORDER_COUNT], 9};
    (void)canvas_text(canvas, end, STYLE_PROMPT, "Esc stays");
    canvas_add_zone(canvas, end, TERM_KEY_ESC);
}
