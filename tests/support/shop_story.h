/*
 * shop_story.h - what happens in the shop's newest run, in order; seconds after 13:50:00.
 */
#ifndef DEVS_SHOP_STORY_H
#define DEVS_SHOP_STORY_H

#include <stddef.h>

enum shop_verb {
    SHOP_NOTHING, /* past the last row */
    SHOP_START,   /* the first try of the task's step */
    SHOP_AGAIN,   /* a wait is over: the next try */
    SHOP_SAY,     /* text on stdout */
    SHOP_BUILD,   /* so many lines of a compiler */
    SHOP_WARN,    /* text on stderr */
    SHOP_QUIET,   /* nothing was written for so many seconds */
    SHOP_PASS,    /* the step is done; a RED one by a test that fails */
    SHOP_FAIL,    /* enum shop_failure */
    SHOP_CHANGE,  /* what the try changed: so many files; text: {"paths"} */
    SHOP_WAIT,    /* so many seconds; with a text: because a server asked for it */
    SHOP_GIVE_UP, /* tries used up */
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

/* Ids of the tasks, in the plan's order. */
extern const char *const shop_story_ids;
extern const struct shop_step shop_story[];
extern const size_t shop_story_count;

/* A task's title; the id where it has none. */
const char *shop_story_title(const char *id);

#endif
