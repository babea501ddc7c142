/*
 * screen.h - the six screens of the cockpit, and the navigation history. Pure.
 */
#ifndef DEVS_SCREEN_H
#define DEVS_SCREEN_H

#include <stdbool.h>

/* In the order of the keys 1 to 6. */
enum screen {
    SCREEN_TASKS,
    SCREEN_DETAIL,
    SCREEN_LOG,
    SCREEN_FORENSICS,
    SCREEN_TIMELINE,
    SCREEN_RUNS,
    SCREEN_COUNT,
};

/* Returns "Tasks", "Detail", ... Static. */
const char *screen_name(enum screen screen);

/* The current screen and those that going back leads to. No screen is in it twice. All zero: the
 * Tasks screen. */
struct screen_trail {
    enum screen at[SCREEN_COUNT];
    int depth; /* index of the current screen; 0 = the top */
};

enum screen trail_here(const struct screen_trail *trail);
/* Goes to a screen. If it is in the trail, goes back to it. */
void trail_go(struct screen_trail *trail, enum screen screen);
/* Goes back one screen. Returns false at the top. */
bool trail_back(struct screen_trail *trail);

#endif
