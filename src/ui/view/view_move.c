#include "view_move.h"

#include <stddef.h>

#include "attr.h"

enum { FAR = 1 << 24 };

static const struct step {
    enum act act;
    int lines, halves; /* halves of a page */
} steps[] = {
    {UI_DOWN, 1, 0},      {UI_UP, -1, 0},      {UI_HALF_DOWN, 0, 1}, {UI_HALF_UP, 0, -1},
    {UI_PAGE_DOWN, 0, 2}, {UI_PAGE_UP, 0, -2}, {UI_FIRST, -FAR, 0},  {UI_LAST, FAR, 0},
};

static const struct step *find_step(enum act act)
{
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        if (steps[i].act == act)
            return &steps[i];
    }
    return NULL;
}

int view_move_lines(enum act act, int page)
{
    const struct step *step = find_step(act);
    const int half = page / 2 > 0 ? page / 2 : 1;
    return step ? step->lines + step->halves * half : 0;
}

bool view_move_is_by_page(enum act act)
{
    const struct step *step = find_step(act);
    return step && step->halves != 0;
}
