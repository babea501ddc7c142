/* app_keys.c - keys, signals and answers: input from people. */
#include <signal.h>
#include <stdio.h>

#include "app_internal.h"
#include "view_terminal.h"

enum { KEYS_MAX = 32 }; /* keys handled per turn, so that their effect is seen */

enum { CTRL_C = 0x03 };

void app_leave(struct app *app, enum app_leave leave, int signal)
{
    app->finished = true;
    app->result = (struct app_result){.leave = leave,
                                      .signal = signal,
                                      .run = follower_run(app_own_run(app))->number,
                                      .seen_seq = follower_state(app_own_run(app))->last_seq};
}

/* Starts nothing more, and leaves when nothing is running. Until then the message line says what
 * the app is waiting for. */
static void leave_later(struct app *app)
{
    if (!app->options->leave) {
        app_leave(app, APP_LEFT_WAIT, 0);
        return;
    }
    app->options->leave(app->options->leave_ctx);
    app->view.leaving = true;
    app->view.message[0] = '\0';
}

static void suspend(struct app *app)
{
    term_suspend(app->term);
    app_resize(app);
}

static enum app_leave left_by(enum view_todo_kind kind)
{
    switch (kind) {
    case VIEW_PLAIN:
        return APP_LEFT_PLAIN;
    case VIEW_LEAVE_CANCEL:
        return APP_LEFT_CANCEL;
    case VIEW_LEAVE_DETACH:
        return APP_LEFT_DETACH;
    default:
        return APP_LEFT;
    }
}

/* Actions on the run's timeline. */
static void carry_out_in_time(struct app *app, const struct view_todo *todo)
{
    if (todo->kind == VIEW_TRANSPORT)
        app_replay_move(app, todo->move);
    else if (todo->kind == VIEW_GO_TO)
        app_replay_go_to(app, app->view.go_to.text);
    else if (todo->kind == VIEW_SEEK)
        app_seek(app, todo->seek);
    else if (todo->kind == VIEW_TO_EVENT)
        app_replay_to_event(app, todo->event);
    else if (todo->kind == VIEW_BOOKMARK)
        app_bookmarks_add(app);
    else if (todo->kind == VIEW_UNBOOKMARK)
        app_bookmarks_remove(app, todo->bookmark);
    else if (todo->kind == VIEW_COMPARE)
        app_report_compare(app);
    else if (todo->kind == VIEW_WHAT_IF)
        app_report_what_if(app);
}

/* Actions on the rule in the open prompt. */
static void carry_out_with_rule(struct app *app, enum view_todo_kind kind)
{
    if (kind == VIEW_TRY_RULE)
        app_rule_try(app);
    else if (kind == VIEW_STOP_TRIAL)
        app_rule_stop(app);
    else
        app_rule_save(app);
}

/* Actions that do not touch the run: terminal, appearance, notifications. */
static void carry_out_on_terminal(struct app *app, enum view_todo_kind kind)
{
    if (kind == VIEW_COPY || kind == VIEW_COPY_PATH)
        app_copy(app, kind == VIEW_COPY_PATH);
    else if (kind == VIEW_THEME)
        app_choose_theme(app, app->view.command.argument);
    else if (kind == VIEW_NOTIFY)
        app_choose_notify(app, app->view.command.argument);
    else if (kind == VIEW_PAGER)
        app_page(app);
    else if (kind == VIEW_MOUSE)
        app_switch_mouse(app);
    else
        app_resize(app);
}

static void carry_out(struct app *app, const struct view_todo *todo)
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
    case VIEW_GO_TO:
    case VIEW_SEEK:
    case VIEW_COMPARE:
    case VIEW_WHAT_IF:
    case VIEW_TO_EVENT:
    case VIEW_BOOKMARK:
    case VIEW_UNBOOKMARK:
        carry_out_in_time(app, todo);
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
    case VIEW_STOP_TRIAL:
    case VIEW_SAVE_RULE:
        carry_out_with_rule(app, todo->kind);
        break;
    case VIEW_COPY:
    case VIEW_COPY_PATH:
    case VIEW_THEME:
    case VIEW_NOTIFY:
    case VIEW_PAGER:
    case VIEW_MOUSE:
    case VIEW_REDRAW_ALL:
        carry_out_on_terminal(app, todo->kind);
        break;
    case VIEW_SUSPEND:
        suspend(app);
        break;
    case VIEW_LEAVE_WAIT:
        leave_later(app);
        break;
    case VIEW_PLAIN:
    case VIEW_LEAVE:
    case VIEW_LEAVE_CANCEL:
    case VIEW_LEAVE_DETACH:
        app_leave(app, left_by(todo->kind), 0);
        break;
    }
}

static struct view_todo take(struct app *app, uint32_t key, const struct view_facts *facts)
{
    if (key != TERM_KEY_MOUSE)
        return view_key(&app->view, key, facts);
    const struct mouse mouse = term_mouse(app->term);
    return view_mouse(&app->view, facts, &app->canvas, &mouse);
}

/* Until our own run is fully read, it is not known whether leaving would stop work. */
static bool knows_what_ends(struct app *app)
{
    const bool is_ours = app->options->engine_here && !app->engine_done && !app->own.present;
    return !is_ours || !app_opening_refuses(app);
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
    struct view_todo todo = take(app, key, &facts);
    app->wants_frame_now = true;
    if (todo.kind != VIEW_LEAVE || knows_what_ends(app))
        carry_out(app, &todo);
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

static void take_signal(struct app *app, int signal)
{
    switch (signal) {
    case SIGTERM:
    case SIGHUP:
        app_leave(app, APP_LEFT_SIGNAL, signal);
        break;
    case SIGINT:
        take_key(app, CTRL_C);
        break;
    case SIGTSTP:
        suspend(app);
        break;
    default: /* SIGWINCH, SIGCONT */
        app_resize(app);
        break;
    }
}

void app_take_signals(struct app *app)
{
    int signal = term_signal(app->term);
    while (signal != 0 && !app->finished) {
        take_signal(app, signal);
        signal = term_signal(app->term);
    }
}
