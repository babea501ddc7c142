/*
 * child_try.h - what the tests of children share: a loop, a nursery in it, and one child at a time
 * with all that it tells.
 */
#ifndef DEVS_CHILD_TRY_H
#define DEVS_CHILD_TRY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "child_internal.h"
#include "str.h"

/* LONG_MS: nothing here takes so long unless something waits in vain, on no machine however busy.
 * ROUNDS: what measures from both sides is tried again with twice the time. */
enum { GRACE_MS = 300, LONG_MS = 60000, ROUNDS = 6 };

/* One child and all that it told. */
struct watched {
    struct child *child;
    struct str text[2];
    int64_t bytes[2];
    size_t most; /* bytes that it told at once */
    bool keep_text;
    bool started, failed, ended;
    int number; /* why it failed */
    struct err err;
    struct child_end end;
    const char *cancel_on; /* stdout text that makes us cancel */
    enum cancel_mode cancel_mode;
    int busy_ms; /* before that: the loop's time grows old */
    int64_t cancelled_ms;
};

extern uv_loop_t loop;
extern struct nursery *nursery;
extern char dir[PATH_MAX];
extern char run_mark[PATH_MAX + 16]; /* ours alone: others may run the same test now */
extern char step_mark[];

/* Fixtures. */
void child_try_open(void);
void child_try_close(void);

void watched_done(struct watched *watched);

/* A call in `dir` with our marks, whose argv and environment are borrowed. */
struct child_call make_call(char *const *argv, char **environment);
/* Our environment with the marks and one more entry; the caller frees. */
char **make_environment(char *step, char *more);

void begin(struct watched *watched, const struct child_call *call);
/* Until it has started, or cannot be. */
void begin_and_wait(struct watched *watched, const struct child_call *call);
/* It has to start. */
void start(struct watched *watched, const struct child_call *call);

/* What sh makes of it; run_*() until it has ended. The grace is GRACE_MS where none is given. */
void start_script(struct watched *watched, const char *script, int64_t timeout_ms);
void run_script(struct watched *watched, const char *script, int64_t timeout_ms);
void run_script_with(struct watched *watched, const char *script, int64_t timeout_ms,
                     int64_t grace_ms);

/* The pid that the script wrote on stdout. */
pid_t told_pid(const struct watched *watched);
bool is_alive(pid_t pid);
/* Until it is reaped; false once that took too long. */
bool await_reaped(pid_t pid);

#endif
