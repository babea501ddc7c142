/*
 * screen.h - the six views of the cockpit, and the way one came through them. Pure.
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

/* "Tasks", "Detail", ... Static. */
const char *screen_name(enum screen screen);

/* Where one is, and what going back leads to: no screen is in it twice. All zero: the tasks. */
struct screen_trail {
    enum screen at[SCREEN_COUNT];
    int depth; /* of the present one; 0 = the top */
};

enum screen trail_here(const struct screen_trail *trail);
/* Go to a screen: one that was come through is gone back to. */
void trail_go(struct screen_trail *trail, enum screen screen);
/* False at the top. */
bool trail_back(struct screen_trail *trail);

#endif
