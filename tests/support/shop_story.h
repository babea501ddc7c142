/*
 * shop_story.h - what happens in the shop's newest run, in order. Times are seconds after 13:50:00.
 */
#ifndef DEVS_SHOP_STORY_H
#define DEVS_SHOP_STORY_H

#include <stddef.h>

enum shop_verb {
    SHOP_NOTHING, /* after the last row */
    SHOP_START,   /* the first attempt of the task's step */
    SHOP_AGAIN,   /* a wait is over: the next attempt */
    SHOP_SAY,     /* text on stdout */
    SHOP_BUILD,   /* this many lines of a compiler */
    SHOP_WARN,    /* text on stderr */
    SHOP_QUIET,   /* no output for this many seconds */
    SHOP_PASS,    /* the step is done; a RED one because of a failing test */
    SHOP_FAIL,    /* enum shop_failure */
    SHOP_CHANGE,  /* what the attempt changed: number of files; text: {"paths"} */
    SHOP_WAIT,    /* for this many seconds; with a text: because a server requested it */
    SHOP_GIVE_UP, /* no attempts left */
    SHOP_ASK,     /* a person is needed */
    SHOP_CANCEL,  /* by a person */
    SHOP_END_RUN, /* with this exit code */
};

enum shop_failure {
    SHOP_TEST,
    SHOP_TIMEOUT,
    SHOP_RATE_LIMIT,
    SHOP_AUTH,
};

struct shop_step {
    int at_s;
    const char *task; /* NULL = the run */
    enum shop_verb verb;
    int number;
    const char *text;
};

/* The ids of the tasks, in the plan's order. */
extern const char *const shop_story_ids;
extern const struct shop_step shop_story[];
extern const size_t shop_story_count;

/* Returns a task's title, or its id if it has none. */
const char *shop_story_title(const char *id);

#endif
