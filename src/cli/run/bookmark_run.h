/*
 * bookmark_run.h - `devs debug --mark`, `--marks` and `--unmark`: bookmarks of runs. Main thread.
 */
#ifndef DEVS_BOOKMARK_RUN_H
#define DEVS_BOOKMARK_RUN_H

#include "debug_mode.h"

/* One more of a run, at a moment of it. These return the exit code; errors are printed. */
int bookmark_run_mark(const struct debug_call *call);
/* Those of a run; without a run, of all. */
int bookmark_run_marks(const struct debug_call *call);
/* Take one away, by its number. */
int bookmark_run_unmark(const struct debug_call *call);

#endif
