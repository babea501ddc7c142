/*
 * sandbox_run.h - a helper program that runs to its end in a sandbox: the setup of a workspace.
 *
 * Blocks: for worker threads. The calling thread must live until it returns, since bwrap dies with
 * the thread that started it.
 */
#ifndef DEVS_SANDBOX_RUN_H
#define DEVS_SANDBOX_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "sandbox.h"
#include "tool_run.h"

struct sandbox_ran {
    struct tool_result tool; /* its own exit code and output; end it with tool_result_done() */
    struct sandbox_end end;
    int start_code; /* 0: it was started; else a start code or an errno, as for an attempt */
};

/* Prepares the sandbox, runs call->argv in it, and removes it. True: the program ran and nothing of
 * it is left. False: it could not be started, or what it left cannot be ended. *out is filled in
 * both cases. */
ATTR_MUST_USE bool sandbox_run(const struct sandbox_call *call, int64_t timeout_ms,
                               const atomic_bool *stop, struct sandbox_ran *out, struct err *err);

#endif
