/*
 * app.h - the cockpit: follows a run, draws it, handles keys and sends control requests.
 *
 * Main thread only. Returns when the user leaves.
 */
#ifndef DEVS_APP_H
#define DEVS_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control_desk.h"
#include "err.h"
#include "moment.h"
#include "own_keys.h"
#include "place.h"
#include "str.h"
#include "term.h"
#include "theme.h"
#include "ui_settings.h"

enum app_mode {
    APP_LIVE,   /* follow the run live */
    APP_REPLAY, /* read-only, with playback controls */
    APP_RUNS,   /* start with the list of runs; each one opens live or as a replay */
};

/* Why the user left. */
enum app_leave {
    APP_LEFT,        /* q while no task of this process runs or waits, or after the run has ended */
    APP_LEFT_WAIT,   /* q w, and all running attempts have ended; tasks not yet started stay in
                        the log */
    APP_LEFT_CANCEL, /* q c: cancel all, then leave */
    APP_LEFT_DETACH, /* q d: the engine continues without a terminal */
    APP_LEFT_PLAIN,  /* :plain: the caller continues with plain lines from `run` and `seen_seq` */
    APP_LEFT_SIGNAL, /* SIGTERM or SIGHUP, see `signal` */
    APP_LEFT_TAKE_UP, /* r or R in a run that has ended: the caller starts an engine, see `asked` */
};

/* How a retry (r or R) in a run that has ended is carried out. */
enum app_take_up {
    APP_TAKE_UP_OWNED,   /* a process still owns the run; the request is sent to it */
    APP_TAKE_UP_REFUSED, /* the request would have no effect */
    APP_TAKE_UP_STARTS,  /* the caller starts a new engine for it after the app has left */
};

struct follower;
struct plan;
struct secret_settings;

/* A log on another machine, of which the place has a copy that is kept up to date. */
struct app_far {
    void *ctx;                                   /* borrowed; passed to all functions */
    struct moment (*now)(void *ctx);             /* the time there */
    void (*contact)(void *ctx, struct str *out); /* appends what is wrong with the contact or with
                                                    the log there; nothing if all is well */
    void (*opens)(void *ctx, int64_t run);       /* a run is opened: its output is needed, too */
};

struct app_options {
    const struct place *place; /* borrowed */
    const struct app_far *far; /* borrowed; NULL = the log is on this machine */
    const char *log_file;      /* name shown on screen; borrowed; NULL = the log's own path */
    int64_t run;               /* run number; 0 = the newest */
    enum app_mode mode;
    struct control_desk *desk;       /* borrowed; NULL in a replay */
    const char *by;                  /* the user as recorded in the log: "name@terminal";
                                        borrowed */
    const struct redactor *redactor; /* redactor for text that the user enters into the log;
                                        borrowed; NULL = no redaction */
    bool engine_here;                /* the run's engine is in this process */
    int engine_done_fd;              /* becomes readable when the engine has ended; -1 = none */
    void (*leave)(void *ctx);        /* called on q w: starts nothing more, and the engine ends when
                                        running attempts have ended; the screen stays open until
                                        then. NULL = q w returns at once, and the caller does
                                        this */
    void *leave_ctx;                 /* borrowed; passed to leave() */
    const char *rules;               /* the user's own rules, see classify.h; borrowed; NULL =
                                        none */
    /* Saves a new rule of the user (C n); sets *err on false. NULL: rules cannot be saved */
    bool (*save_rule)(void *ctx, const char *rule_json, struct err *err);
    void *save_ctx; /* borrowed; passed to save_rule() */
    /* Where a recording opens, in the syntax of app_picture. NULL = at its end, in the tasks view,
     * with the first task selected. `opens_at` is ignored for a live run. Borrowed. */
    const char *opens_at, *opens_view, *opens_task;
    /* Opens a redactor for exporting a run of this plan (W), like redactor_open() with this
     * process's environment. The caller closes *out. Called on a worker thread of the app. NULL:
     * export is not available. */
    bool (*open_redactor)(struct redactor **out, const struct plan *plan,
                          const struct secret_settings *secrets, struct err *err);
    const struct secret_settings
        *secrets; /* secrets for open_redactor(); borrowed; NULL = no settings */
    /* Reads a whole regular file. Fails with ERR_LIMIT if it is larger than max_bytes. NULL: no
     * files are read. */
    bool (*read_file)(const char *path, size_t max_bytes, struct str *out, struct err *err);
    /* Decides how these retries are carried out in a run that has ended. Appends the reason to *why
     * if they are refused. NULL: retries are sent like any other request. */
    enum app_take_up (*take_up)(void *ctx, int64_t run, const struct control *asked, size_t count,
                                struct str *why);
    void *take_up_ctx; /* borrowed; passed to take_up() */
    bool ascii;        /* --ascii */
    enum term_color color;
    const struct theme *theme;    /* borrowed; NULL = "auto" */
    const struct ui_settings *ui; /* borrowed; NULL = no settings */
    const struct keymap *keys;    /* borrowed, see own_keys.h; NULL = the default keys */
    const char *keys_problems;    /* borrowed; problems in the user's keys, shown at startup;
                                     NULL = none */
};

struct app_result {
    enum app_leave leave;
    int signal;
    int64_t run;           /* number of the run that the app was opened on; after TAKE_UP, of the
                              run on screen */
    const char *view;      /* TAKE_UP: the open view, named as in app_picture; static */
    struct control *asked; /* TAKE_UP: requests for the new engine to carry out first; the caller
                              frees it */
    size_t asked_count;
    int64_t seen_seq;          /* the last event of `run` that was shown */
    struct follower *follower; /* follower of `run`, read up to the point where the app stopped; the
                                  caller closes it */
};

/* A frame of the cockpit that shows the run at a given moment, drawn without a terminal. Uses
 * place, run and ascii of the options. Borrowed for the call. */
struct app_picture {
    const char *at;   /* a time or event, in the syntax of replay_find(); NULL = the last event */
    const char *task; /* id of the selected task; NULL = the task of the latest event */
    const char *view; /* "tasks", "detail", ...; NULL = "tasks" */
    bool is_replay;   /* draw it as a replay, which may show facts that became known later */
    const struct theme *theme; /* draw the frame as SVG in these colors; NULL = as text */
    int rows, columns;
};
/* Appends the frame to *out. Fails with ERR_INVALID or ERR_NOT_FOUND if a name or time in `picture`
 * matches nothing in the log. */
ATTR_MUST_USE bool app_draw_picture(const struct app_options *options,
                                    const struct app_picture *picture, struct str *out,
                                    struct err *err);

/* Runs the cockpit on the main thread until the user leaves or there is nothing left to wait for.
 * Owns the terminal during the call. Returns false if the terminal or the log cannot be opened;
 * *result is then undefined and holds nothing to free. If the log gets damaged later, the screen
 * reports it. */
ATTR_MUST_USE bool app_run(const struct app_options *options, struct app_result *result,
                           struct err *err);

#endif
