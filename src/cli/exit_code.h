/*
 * exit_code.h - the exit codes of the process. The manual has the same list.
 */
#ifndef DEVS_EXIT_CODE_H
#define DEVS_EXIT_CODE_H

#include "run_exit.h"

enum exit_code {
    EXIT_ALL_PASSED = RUN_EXIT_PASSED,
    EXIT_GAVE_UP = RUN_EXIT_GAVE_UP,
    EXIT_USAGE = 2, /* invalid command line or plan */
    EXIT_ENTROPY = RUN_EXIT_ENTROPY,
    EXIT_WOULD_CHANGE = 3, /* devs rules --try, devs debug --what-if: something would change */
    EXIT_NEEDS_YOU = RUN_EXIT_NEEDS_YOU,
    EXIT_DAMAGED = 65,      /* the log is damaged */
    EXIT_NO_INPUT = 66,     /* no such log, run or task, or an unreadable input */
    EXIT_NO_AGENT = 69,     /* no agent CLI, or not the requested one */
    EXIT_NO_CREATE = 73,    /* the log cannot be created, or output cannot be written */
    EXIT_NOT_RECORDED = 74, /* all passed, but recording failed */
    EXIT_BUSY = 75,         /* another process is using it */
    EXIT_STOPPED = RUN_EXIT_STOPPED,
};

#endif
