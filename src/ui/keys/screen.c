/*
 * screen.c - the names of the screens, and the trail that going back follows.
 */
#include "keymap.h"

#include <assert.h>

#include "attr.h"

static const char *const names[] = {
    [SCREEN_TASKS] = "Tasks",         [SCREEN_DETAIL] = "Detail",     [SCREEN_LOG] = "Log",
    [SCREEN_FORENSICS] = "Forensics", [SCREEN_TIMELINE] = "Timeline", [SCREEN_RUNS] = "Runs",
};
static_assert(ARRAY_LEN(names) == SCREEN_COUNT, "every screen has a name");

const char *screen_name(enum screen screen)
{
    assert(screen < SCREEN_COUNT);
    return names[screen];
}

enum screen trail_here(const struct screen_trail *trail)
{
    return trail->at[trail->depth];
}

void trail_go(struct screen_trail *trail, enum screen screen)
{
    for (int i = 0; i <= trail->depth; i++) {
        if (trail->at[i] == screen) {
            trail->depth = i;
            return;
        }
    }
    trail->at[++trail->depth] = screen;
}

bool trail_back(struct screen_trail *trail)
{
    if (trail->depth == 0)
        return false;
    trail->depth--;
    return true;
}
