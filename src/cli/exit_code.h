/*
 * exit_code.h - what the process's exit code says. The manual has the same list.
 */
#ifndef DEVS_EXIT_CODE_H
#define DEVS_EXIT_CODE_H

#include "run_exit.h"

enum exit_code {
    EXIT_ALL_PASSED = RUN_EXIT_PASSED,
    EXIT_GAVE_UP = RUN_EXIT_GAVE_UP,
    EXIT_USAGE = 2, /* wrong words on the command line, or an invalid plan */
    EXIT_ENTROPY = RUN_EXIT_ENTROPY,
    EXIT_WOULD_CHANGE = 3, /* devs rules --try, devs debug --what-if: something would change */
    EXIT_NEEDS_YOU = RUN_EXIT_NEEDS_YOU,
    EXIT_DAMAGED = 65,      /* the log is not what it should be */
    EXIT_NO_INPUT = 66,     /* no such log, run or task, or an input that cannot be read */
    EXIT_NO_AGENT = 69,     /* no agent CLI, or not the one that was asked for */
    EXIT_NO_CREATE = 73,    /* the log cannot be made, or output not be written */
    EXIT_NOT_RECORDED = 74, /* all passed, but recording failed */
    EXIT_BUSY = 75,         /* another process has it */
    EXIT_STOPPED = RUN_EXIT_STOPPED,
};

#endif
