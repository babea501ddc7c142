/*
 * continue_run.h - `devs run --continue`: a run that its devs left behind, taken up again.
 */
#ifndef DEVS_CONTINUE_RUN_H
#define DEVS_CONTINUE_RUN_H

#include <stdbool.h>

#include "command.h"
#include "session.h"

struct continue_words {
    const char *run;  /* "41", "#41" or "last": the newest that was interrupted */
    const char *jobs; /* -j; NULL = as before */
    bool detach;
    enum session_watch watch;
};

/* Returns the exit code; errors are printed. */
int continue_run(const struct globals *globals, const struct continue_words *words);

#endif
