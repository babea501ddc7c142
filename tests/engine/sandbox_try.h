/*
 * sandbox_try.h - one command in one sandbox, started and finished as the engine does it.
 */
#ifndef DEVS_SANDBOX_TRY_H
#define DEVS_SANDBOX_TRY_H

#include <limits.h>

#include "sandbox.h"

enum { TRY_TEXT_MAX = 64 * 1024 };

struct try_place {
    char top[PATH_MAX];       /* a new folder */
    char workspace[PATH_MAX]; /* in it */
    char log_dir[PATH_MAX];   /* in the workspace */
    char log_db[PATH_MAX];    /* in that */
};

struct try_result {
    bool prepared;
    int start_code; /* where it was not */
    struct err err;
    struct sandbox_end end;
    char out[TRY_TEXT_MAX], errors[TRY_TEXT_MAX];
};

/* What may be said of a try; all zero but for spec and script. */
struct try_call {
    const struct sandbox_spec *spec;
    const char *script; /* for sh -c; NULL: argv below */
    char *const *argv;
    char *const *environment;            /* NULL = PATH alone */
    const char *input;                   /* stdin */
    void (*meanwhile)(struct sandbox *); /* after the start; ends it early */
    int64_t processes;
    const char *run_dir;   /* NULL = the workspace */
    const char *plan_path; /* NULL = none */
};

/* Of the case that runs. The text constants of `spec` are borrowed. */
extern struct try_place place;
extern struct try_result result;
extern struct sandbox_spec spec;

/* For a fixture: a new place, and a sandbox of this kind that asks for nothing. */
void try_open(enum sandbox_kind kind);
/* Runs a script in `place` with `spec`, which has to start. */
void run_script(const char *script);
/* The command has exited with this code, and left no process. */
void want_exit(int code);
/* `true` is not started, with this code and this part of a message. */
void want_refused(int start_code, const char *why);

/* A uid that no other run has. Static. */
const char *try_uid(void);
/* The name of each sandbox that try_run() makes; unique to this process. Static. */
const char *try_name(void);
/* The log is a file in the workspace's own top, beside a file "mine". */
void try_log_beside(void);
void try_run(const struct try_place *at, const struct try_call *call, struct try_result *out);

/* A file's text, or "" if it cannot be read. Static. */
const char *try_read(const char *path);
/* Wait for a file that has something in it; fails after a while. */
void try_await(const char *path);

#endif
