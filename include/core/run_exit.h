/*
 * run_exit.h - how a run has ended, as one number: the exit code of who started it. Written into
 * the log, so numbers are never changed. The manual has the same list.
 */
#ifndef DEVS_RUN_EXIT_H
#define DEVS_RUN_EXIT_H

enum run_exit {
    RUN_EXIT_PASSED = 0,    /* all tasks have */
    RUN_EXIT_GAVE_UP = 1,   /* something gave up or was cancelled */
    RUN_EXIT_ENTROPY = 3,   /* something looped */
    RUN_EXIT_NEEDS_YOU = 4, /* something waits for a person */
    RUN_EXIT_STOPPED = 130, /* a person has stopped it, or left before its end */
};

#endif
