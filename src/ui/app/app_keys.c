/* app_keys.c - handles keys and signals, and carries out the actions that they request. */
#include <signal.h>
#include <stdio.h>

#include "app_internal.h"
#include "view.h"

enum {
    KEYS_MAX = 32
}; /* maximum number of keys handled per turn, so that the user sees their effect */

enum { CTRL_C = 0x03 };

void app_leave(struct app *app, enum app_leave leave, int signal)
{
    app->finished = true;
    app->result = (struct app_result){.leave = leave,
                                      .signal = signal,
                                      .run = follower_run(app_own_run(app))->number,
                                      .seen_seq = follower_state(app_own_run(app))->last_seq};
}

static void suspend_app(struct app *app)
{
    term_suspend(app->term);
    app_resize(app);
}

static void carry_out_todo(struct app *app, const struct view_todo *todo)
{
    switch (todo->kind) {
    case VIEW_DRAW:
        break;
    case VIEW_ASK:
        app_ask(app, todo);
        break;
    case VIEW_ASK_MANY:
        app_ask_many(app, todo);
        break;
    case VIEW_ASKED:
        term_flush_keys(app->term);
        break;
    case VIEW_TRANSPORT:
        app_replay_move(app, todo->move);
        break;
    case VIEW_GO_TO:
        app_replay_go_to(app, app->view.go_to.text);
        break;
    case VIEW_SEEK:
        app_seek(app, todo->seek);
        break;
    case VIEW_TO_EVENT:
        app_replay_to_event(app, todo->event);
        break;
    case VIEW_BOOKMARK:
        app_bookmarks_add(app);
        break;
    case VIEW_UNBOOKMARK:
        app_bookmarks_remove(app, todo->bookmark);
        break;
    case VIEW_COMPARE:
        app_report_compare(app);
        break;
    case VIEW_WHAT_IF:
        app_report_what_if(app);
        break;
    case VIEW_BUNDLE:
        app_bundle_begin(app, todo->run);
        break;
    case VIEW_KEEP_BUNDLE:
        app_bundle_keep(app);
        break;
    case VIEW_OPEN_RUN:
        app_visit_open(app, todo->run, todo->screen);
        break;
    case VIEW_TRY_RULE:
        app_rule_try(app);
        break;
    case VIEW_STOP_TRIAL:
        app_rule_stop(app);
        break;
    case VIEW_SAVE_RULE:
        app_rule_save(app);
        break;
    case VIEW_COPY:
    case VIEW_COPY_PATH:
        app_copy(app, todo->kind == VIEW_COPY_PATH);
        break;
    case VIEW_THEME:
        app_choose_theme(app, app->view.command.argument);
        break;
    case VIEW_NOTIFY:
        app_choose_notify(app, app->view.command.argument);
        break;
    case VIEW_PAGER:
        app_page(app);
        break;
    case VIEW_MOUSE:
        term_take_mouse(app->term, !app->view.leaves_mouse);
        break;
    case VIEW_REDRAW_ALL:
        app_resize(app);
        break;
    case VIEW_SUSPEND:
        suspend_app(app);
        break;
    case VIEW_LEAVE_WAIT:
        if (!app->options->leave) {
            app_leave(app, APP_LEFT_WAIT, 0);
            break;
        }
        /* Lets the engine start nothing more, and leaves when nothing is running. Until then the
         * message line says what the app is waiting for. */
        app->options->leave(app->options->leave_ctx);
        app->view.leaving = true;
        app->view.message[0] = '\0';
        break;
    case VIEW_PLAIN:
        app_leave(app, APP_LEFT_PLAIN, 0);
        break;
    case VIEW_LEAVE:
        app_leave(app, APP_LEFT, 0);
        break;
    case VIEW_LEAVE_CANCEL:
        app_leave(app, APP_LEFT_CANCEL, 0);
        break;
    case VIEW_LEAVE_DETACH:
        app_leave(app, APP_LEFT_DETACH, 0);
        break;
    }
}

static void take_key(struct app *app, uint32_t key)
{
    if (key == TERM_KEY_GONE) {
        app_leave(app, APP_LEFT_SIGNAL, SIGHUP);
        return;
    }
    if (key == TERM_KEY_RESIZE) {
        app_resize(app);
        return;
    }
    struct view_facts facts = app_facts(app);
    struct view_todo todo;
    if (key == TERM_KEY_MOUSE) {
        const struct mouse mouse = term_mouse(app->term);
        todo = view_mouse(&app->view, &facts, &app->canvas, &mouse);
    } else {
        todo = view_key(&app->view, key, &facts);
    }
    app->wants_frame_now = true;
    /* Until our own run is fully read, we do not know whether leaving would stop work. */
    const bool is_ours = app->options->engine_here && !app->engine_done && !app->own.present;
    if (todo.kind != VIEW_LEAVE || !is_ours || !app_opening_refuses(app))
        carry_out_todo(app, &todo);
    app_visit_look(app);
}

void app_take_keys(struct app *app)
{
    app->more_keys = false;
    for (int i = 0; !app->finished; i++) {
        if (i == KEYS_MAX) {
            app->more_keys = true;
            return;
        }
        uint32_t key = term_key(app->term, view_wants_text(&app->view));
        if (key == TERM_KEY_NONE)
            return;
        take_key(app, key);
    }
}

void app_take_signals(struct app *app)
{
    int signal = term_signal(app->term);
    for (; signal != 0 && !app->finished; signal = term_signal(app->term)) {
        switch (signal) {
        case SIGTERM:
        case SIGHUP:
            app_leave(app, APP_LEFT_SIGNAL, signal);
            break;
        case SIGINT:
            take_key(app, CTRL_C);
            break;
        case SIGTSTP:
            suspend_app(app);
            break;
        default: /* SIGWINCH, SIGCONT */
            app_resize(app);
            break;
        }
    }
}
