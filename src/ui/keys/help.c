#include "help.h"

#include <stddef.h>

#include "help_lines.h"
#include "term.h"

enum {
    HELP_JUMP = 10, /* lines of a page key */
    CTRL_D = 0x04,
    CTRL_U = 0x15,
};

static void choose_in_bounds(struct help *help, int chosen, int count)
{
    if (chosen >= count)
        chosen = count - 1;
    help->chosen = chosen < 0 ? 0 : chosen;
}

/* First line of the next (or previous) group. */
static int other_group(const struct help_lines *lines, int from, int step)
{
    int i = from + step;
    while (i > 0 && i < lines->count && !help_lines_starts_group(lines, i))
        i += step;
    return i < lines->count ? i : from;
}

/* Where a key moves the choice to; `count` and more or less than 0 are cut later. */
static bool move_choice(const struct help *help, const struct help_lines *lines, uint32_t key,
                        int *out)
{
    switch (key) {
    case TERM_KEY_DOWN:
        *out = help->chosen + 1;
        return true;
    case TERM_KEY_UP:
        *out = help->chosen - 1;
        return true;
    case TERM_KEY_PAGE_DOWN:
    case CTRL_D:
        *out = help->chosen + HELP_JUMP;
        return true;
    case TERM_KEY_PAGE_UP:
    case CTRL_U:
        *out = help->chosen - HELP_JUMP;
        return true;
    case TERM_KEY_HOME:
        *out = 0;
        return true;
    case TERM_KEY_END:
        *out = lines->count - 1;
        return true;
    case TERM_KEY_TAB:
        *out = other_group(lines, help->chosen, 1);
        return true;
    case TERM_KEY_BACK_TAB:
        *out = other_group(lines, help->chosen, -1);
        return true;
    default:
        return false;
    }
}

static enum act run_chosen(struct help *help, const struct help_lines *lines)
{
    if (help->chosen >= lines->count)
        return UI_NONE;
    const struct help_line *line = &lines->at[help->chosen];
    if (!line->binding && !line->command)
        return UI_NONE;
    help->open = false;
    help->command = line->command ? line->command->name : NULL;
    return line->command ? UI_COMMAND : line->binding->act;
}

void help_open(struct help *help, const struct keymap *keys, struct key_place place)
{
    *help = (struct help){.open = true, .keys = keys, .place = place};
    line_edit_open(&help->find);
}

enum act help_key(struct help *help, uint32_t key)
{
    if (!help->open)
        return UI_NONE;
    struct help_lines lines;
    help_lines_find(help, &lines);

    int chosen = 0;
    if (key == TERM_KEY_ENTER)
        return run_chosen(help, &lines);
    if (key == TERM_KEY_ESC || key == TERM_KEY_F1 || (key == '?' && help->find.len == 0)) {
        help->open = false;
        return UI_NONE;
    }
    if (move_choice(help, &lines, key, &chosen)) {
        choose_in_bounds(help, chosen, lines.count);
        return UI_NONE;
    }
    size_t len = help->find.len;
    (void)line_edit_key(&help->find, key);
    if (help->find.len != len)
        help->chosen = 0;
    return UI_NONE;
}
