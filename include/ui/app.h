/*
 * app.h - the cockpit: follows a run, draws it, takes keys, asks for acts.
 *
 * Main thread only. Returns when the person leaves.
 */
#ifndef DEVS_APP_H
#define DEVS_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control_desk.h"
#include "err.h"
#include "own_keys.h"
#include "place.h"
#include "str.h"
#include "term.h"
#include "theme.h"
#include "ui_settings.h"

enum app_mode {
    APP_LIVE,   /* follow the run as it goes on */
    APP_REPLAY, /* read only, with a transport */
    APP_RUNS,   /* all runs first; each is then opened as it is: live, or as a replay */
};

/* Why the person left. */
enum app_leave {
    APP_LEFT,         /* q with nothing of ours running, or a run that ended */
    APP_LEFT_WAIT,    /* q w, and what ran has ended: what was not started stays in the log */
    APP_LEFT_CANCEL,  /* q c: cancel all, then leave */
    APP_LEFT_DETACH,  /* q d: the engine goes on without a terminal */
    APP_LEFT_PLAIN,   /* :plain: the caller goes on with lines, see run and seen_seq */
    APP_LEFT_SIGNAL,  /* SIGTERM, SIGHUP: see signal */
    APP_LEFT_TAKE_UP, /* r or R in a run that has ended: the caller starts an engine, see asked */
};

/* What r and R need in a run that has ended. */
enum app_take_up {
    APP_TAKE_UP_OWNED,   /* some process still owns it: it is asked */
    APP_TAKE_UP_REFUSED, /* nothing would be done */
    APP_TAKE_UP_STARTS,  /* an engine, which the caller starts once the app has left */
};

struct follower;
struct plan;
struct secret_settings;

struct app_options {
    const struct place *place; /* borrowed */
    const char *log_file;      /* what the screens call it; borrowed, NULL = by its own path */
    int64_t run;               /* number; 0 = the newest */
    enum app_mode mode;
    struct control_desk *desk;       /* borrowed; NULL in a replay */
    const char *by;                  /* who acts: "name@terminal"; borrowed */
    const struct redactor *redactor; /* for words that a person types for the log; borrowed, NULL
                                        cuts nothing */
    bool engine_here;                /* the run's engine lives in this process */
    int engine_done_fd;              /* readable when it has ended; -1 = none */
    void (*leave)(void *ctx);        /* q w: start nothing more, end when what runs has ended; the
                                        screen stays until then. NULL = the caller does it, q w
                                        returns at once */
    void *leave_ctx;                 /* borrowed; for leave() */
    const char *rules;               /* a person's own, see classify.h; borrowed; NULL = none */
    /* Keep a new rule of theirs (C n); false: *err says why not. NULL: nowhere to keep it */
    bool (*save_rule)(void *ctx, const char *rule_json, struct err *err);
    void *save_ctx; /* borrowed; for save_rule() */
    /* Where a recording opens, in the words of app_picture; NULL = at its end, with its tasks, the
     * first of them. Of a live run `opens_at` does not count. Borrowed */
    const char *opens_at, *opens_view, *opens_task;
    /* What is cut out of a run of this plan before it is handed on (W): as redactor_open(), of this
     * process's environment; the caller closes *out. Asked from a thread of the app's. NULL: no
     * run is written. */
    bool (*open_redactor)(struct redactor **out, const struct plan *plan,
                          const struct secret_settings *secrets, struct err *err);
    const struct secret_settings *secrets; /* borrowed; for that; NULL = nothing is set */
    /* All of a regular file, up to so many bytes; ERR_LIMIT where it has more. NULL: none is read
     */
    bool (*read_file)(const char *path, size_t max_bytes, struct str *out, struct err *err);
    /* What do these retries of a run that has ended need? Appends to *why where they are refused.
     * NULL: they are asked for as every act is. */
    enum app_take_up (*take_up)(void *ctx, int64_t run, const struct control *asked, size_t count,
                                struct str *why);
    void *take_up_ctx; /* borrowed */
    bool ascii;        /* --ascii */
    enum term_color color;
    const struct theme *theme;    /* borrowed; NULL = "auto" */
    const struct ui_settings *ui; /* borrowed; NULL = nothing is set */
    const struct keymap *keys;    /* borrowed, see own_keys.h; NULL = as devs has them */
    const char *keys_problems;    /* borrowed; what is wrong with them, said at the start; NULL */
};

struct app_result {
    enum app_leave leave;
    int signal;
    int64_t run;           /* number of the run that the app was opened on; TAKE_UP: of the one
                              that is shown */
    const char *view;      /* TAKE_UP: the view that was open, as app_picture names it; static */
    struct control *asked; /* TAKE_UP: what is done first; the caller frees it */
    size_t asked_count;
    int64_t seen_seq;          /* the last event of it that was on the screen */
    struct follower *follower; /* of it, as far as it was read: the caller closes it */
};

/* One frame of the cockpit, drawn without a terminal, of the run as it was at some moment. Uses
 * place, run and ascii of the options. All borrowed for the call. */
struct app_picture {
    const char *at;   /* in words, as replay_find() reads them; NULL = the last event */
    const char *task; /* id of the chosen one; NULL = the one that was heard of last */
    const char *view; /* "tasks", "detail", ...; NULL = the tasks */
    bool is_replay;   /* as a replay shows it, which can say more than what was live then */
    const struct theme *theme; /* the frame as SVG, in these colors; NULL = as text */
    int rows, columns;
};
/* Append the frame. ERR_INVALID, ERR_NOT_FOUND: a word of the picture fits nothing in the log. */
ATTR_MUST_USE bool app_draw_picture(const struct app_options *options,
                                    const struct app_picture *picture, struct str *out,
                                    struct err *err);

/* Run the cockpit on the main thread, which owns the terminal meanwhile, until a person leaves it
 * or there is nothing more to wait for. False: the terminal or the log cannot be had; *result
 * counts for nothing then, and holds nothing. A log that gets damaged later is told on the screen.
 */
ATTR_MUST_USE bool app_run(const struct app_options *options, struct app_result *result,
                           struct err *err);

#endif
