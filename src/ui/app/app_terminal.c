/* app_terminal.c - terminal features other than frames: clipboard, mouse, $PAGER, frozen screen,
 * bell and notifications. */
#define _GNU_SOURCE /* memfd_create */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app_internal.h"
#include "clock.h"
#include "log_lines.h"
#include "notice.h"
#include "term_internal.h"
#include "text.h"
#include "ui_settings.h"
#include "view.h"
#include "xalloc.h"

enum {
    PAGER_TEXT_MAX = 64 * 1024 * 1024, /* bytes; the rest is left out, with a note */
    OUTPUT_LINE_MAX = 64 * 1024,       /* longer lines are split */
    PAGER_LOOK_MS = 50,                /* how often to check whether the pager is still running */
};

/* Loads the content that a key has just selected, which is otherwise only read when a frame is
 * drawn. */
static void load_selected(struct app *app)
{
    if (!app->view.frozen)
        app_draw(app);
}

void app_copy(struct app *app, bool of_path)
{
    struct str text = {0};
    struct str words = {0};
    load_selected(app);
    const struct view_facts facts = app_facts(app);
    bool found = of_path ? view_copy_path(&app->view, &facts, &text, &words)
                         : view_copy_text(&app->view, &facts, &text, &words);
    if (!found)
        view_say(&app->view, &app->now, "nothing to copy here");
    else if (term_copy(app->term, str_text(&text), text.len))
        view_say(&app->view, &app->now, "copied to the terminal's clipboard: %s", str_text(&words));
    else
        view_say(&app->view, &app->now, "not copied: %zu kB is more than terminals accept (%d kB)",
                 text.len / 1024, TERM_COPY_MAX / 1024);
    str_done(&text);
    str_done(&words);
}

/* The pager's text while it is written. */
struct pager_text {
    FILE *file;
    struct str line;
    size_t bytes;
    int64_t until_ms;
    bool is_cut;
};

static void put_line(void *ctx, const struct joined_line *line)
{
    struct pager_text *text = ctx;
    if (text->bytes >= PAGER_TEXT_MAX) {
        text->is_cut = true;
        return;
    }
    str_clear(&text->line);
    text_clean(&text->line, line->bytes, line->len);
    str_add_char(&text->line, '\n');
    (void)fwrite(text->line.data, 1, text->line.len, text->file); /* errors: see ferror() below */
    text->bytes += text->line.len;
}

static bool put_output(struct app *app, const struct log_output_key *key, struct pager_text *text,
                       struct err *err)
{
    struct log_join join;
    struct output_page page = {0};
    int64_t after = 0;
    bool ok = true;
    log_join_init(&join, OUTPUT_LINE_MAX, put_line, text);
    for (bool more = true; ok && more && !text->is_cut;) {
        ok = log_reader_output(follower_reader(app->follower), key, after, &page, err);
        more = ok && page.count > 0;
        for (size_t i = 0; more && i < page.count; i++) {
            const struct log_output_row *row = &page.rows[i];
            after = row->id;
            more = row->at_ms <= text->until_ms;
            if (more)
                log_join_add(&join, row, page.text.data + row->start);
        }
    }
    log_join_end(&join);
    log_join_done(&join);
    output_page_done(&page);
    if (text->is_cut)
        (void)fprintf(text->file, "(truncated after %d MB)\n", PAGER_TEXT_MAX / 1024 / 1024);
    return ok;
}

/* Writes the screen's content for the pager: an attempt's output, or its forensics. Fails with
 * ERR_NOT_FOUND if there is none. */
static bool put_text(struct app *app, FILE *file, struct err *err)
{
    struct pager_text text = {.file = file, .until_ms = INT64_MAX};
    const enum screen screen = view_screen(&app->view);
    const struct view_try at = view_try_now(&app->view, follower_state(app->follower));
    struct log_output_key key = {.run = follower_run(app->follower)->number,
                                 .task = at.task,
                                 .step = at.step,
                                 .attempt = at.attempt,
                                 .readable = true};
    bool ok = true;
    if (screen == SCREEN_TASKS || screen == SCREEN_TIMELINE)
        key = app->tail.key;
    if (app->view.chosen < 0 || key.attempt == 0)
        return err_set(err, ERR_NOT_FOUND, "nothing to read yet");
    if (app_is_bounded(app))
        text.until_ms = app_facts(app).now.at_ms;
    if (screen == SCREEN_FORENSICS) {
        forensics_to_text(&app->forensics, &text.line);
        (void)fwrite(str_text(&text.line), 1, text.line.len, file); /* errors: see ferror() below */
        text.bytes = text.line.len;
    } else {
        ok = put_output(app, &key, &text, err);
    }
    str_done(&text.line);
    if (ok && text.bytes == 0)
        return err_set(err, ERR_NOT_FOUND, "this try wrote nothing");
    if (ok && (fflush(file) != 0 || ferror(file)))
        return err_set_errno(err, errno, "cannot write the text for $PAGER");
    return ok;
}

/* Waits until the user quits the pager. A stopped pager cannot be continued from here, so it is
 * killed. SIGTERM and SIGHUP end devs, and with it the pager; other signals are ignored. */
static void wait_for_pager(struct app *app, pid_t pid)
{
    enum outside_state state = OUTSIDE_RUNS;
    while (state == OUTSIDE_RUNS && !app->finished) {
        struct pollfd signals = {.fd = term_signal_fd(app->term), .events = POLLIN};
        (void)poll(&signals, 1, PAGER_LOOK_MS); /* if interrupted, the check comes early */
        for (int signal = term_signals_next(); signal != 0; signal = term_signals_next()) {
            if (signal == SIGTERM || signal == SIGHUP)
                app_leave(app, APP_LEFT_SIGNAL, signal);
        }
        state = outside_look(pid);
    }
    if (state != OUTSIDE_ENDED)
        outside_end(pid);
}

static bool show_in_pager(struct app *app, FILE *file, struct err *err)
{
    struct outside_words words;
    const char *pager = getenv("PAGER");
    pid_t pid = 0;
    if (!pager || !pager[0])
        pager = "less";
    if (!outside_split(pager, &words))
        return err_set(err, ERR_INVALID, "$PAGER is not a command");
    rewind(file);
    term_step_aside(app->term);
    bool ok = outside_start_on_terminal(words.argv, fileno(file), &pid, err);
    if (ok)
        wait_for_pager(app, pid);
    outside_take_terminal();
    term_come_back(app->term);
    app_resize(app);
    return ok;
}

/* Opens a temporary file for the text. It is in memory and close-on-exec, so that no other child
 * can read it: agents' output may be secret. */
static FILE *open_text(struct err *err)
{
    const int fd = memfd_create("pager", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file)
        return file;
    (void)err_set_errno(err, errno, "cannot write the text for $PAGER");
    if (fd >= 0)
        (void)close(fd);
    return NULL;
}

void app_page(struct app *app)
{
    struct err err = {0};
    FILE *file = open_text(&err);
    load_selected(app);
    bool ok = file && put_text(app, file, &err) && show_in_pager(app, file, &err);
    if (!ok)
        view_say(&app->view, &app->now, "%s", err.message);
    if (file)
        (void)fclose(file); /* it has no name, so this deletes it */
    app->now = app_clock(app->options);
}

void app_draw_or_freeze(struct app *app)
{
    const bool is_frozen = app->view.frozen;
    if (!is_frozen || !app->frozen_drawn)
        app_draw(app);
    app->frozen_drawn = is_frozen;
    if (!is_frozen) {
        app->frozen_at = (struct moment){0};
        return;
    }
    if (app->frozen_at.mono_ms == 0)
        app->frozen_at = app->now;
    /* Draws the status line over the frozen screen. */
    char hms[CLOCK_TEXT_MAX];
    struct str words = {0};
    struct canvas *canvas = &app->canvas;
    str_addf(&words, " FROZEN %s   ", clock_hms(app->frozen_at.at_ms, hms));
    keymap_say(app->view.keys, "{freeze} = resume", &words);
    str_addf(&words, "   events are still recorded   %s", app->view.message);
    for (int i = 0; i < canvas->columns; i++)
        (void)canvas_text(canvas, (struct spot){0, i, 1}, STYLE_REPLAY, " ");
    (void)canvas_text(canvas, (struct spot){0, 0, canvas->columns}, STYLE_REPLAY, str_text(&words));
    str_done(&words);
}

void app_seek(struct app *app, int thousandths)
{
    const struct replay *replay = &app->replay;
    if (replay->count == 0)
        return;
    const int64_t first = replay->marks[0].at.mono_ms;
    const int64_t lasts = replay->marks[replay->count - 1].at.mono_ms - first;
    const int64_t wanted = first + lasts * thousandths / VIEW_SEEK_WHOLE;
    size_t at = 0;
    while (at + 1 < replay->count && replay->marks[at + 1].at.mono_ms <= wanted)
        at++;
    app_replay_to_event(app, (int64_t)at + 1);
}

void app_tell(struct app *app)
{
    const struct run_state *state = follower_state(app_own_run(app));
    struct str words = {0};
    if (app->notify.wanted == 0 || app->options->mode != APP_LIVE || app->more_news || app->opens ||
        (app->notify.is_begun && state->last_seq == app->notified_seq))
        return;
    app->notified_seq = state->last_seq;
    if (app_notify_news(&app->notify, state, &words) != 0)
        term_notify(app->term, str_text(&words));
    str_done(&words);
}

void app_terminal_begin(struct app *app)
{
    const struct app_options *options = app->options;
    if (options->theme)
        term_set_theme(app->term, options->theme);
    app->view.times = options->ui ? options->ui->times : SHOWN_TIMES_AGO;
    app->notify.wanted = options->ui ? options->ui->notify : 0;
    app->view.leaves_mouse = options->ui && options->ui->leaves_mouse;
    term_take_mouse(app->term, !app->view.leaves_mouse);
}

void app_choose_theme(struct app *app, const char *name)
{
    struct theme theme;
    struct str known = {0};
    if (theme_named(name, &theme)) {
        term_set_theme(app->term, &theme);
        view_say(&app->view, &app->now, "theme: %s", name);
        return;
    }
    for (size_t i = 0; theme_name_at(i); i++)
        str_addf(&known, "%s%s", i > 0 ? ", " : "", theme_name_at(i));
    view_say(&app->view, &app->now, "unknown theme '%s': use one of %s", name, str_text(&known));
    str_done(&known);
}

void app_choose_notify(struct app *app, const char *names)
{
    unsigned wanted = 0;
    if (!ui_notify_parse(names, &wanted)) {
        struct str known = {0};
        for (unsigned flag = 1; flag < 1U << NOTIFY_COUNT; flag <<= 1)
            str_addf(&known, "%s, ", ui_notify_name(flag));
        view_say(&app->view, &app->now, "notify: use %sor off", str_text(&known));
        str_done(&known);
        return;
    }
    app->notify.wanted = wanted;
    app->notify.is_begun = false; /* no notifications about what is already true */
    view_say(&app->view, &app->now, "notifications: %s", wanted == 0 ? "off" : names);
}

struct app_news {
    struct notice items[NOTICE_NAMED_MAX + 1]; /* one more for the end of the run */
    struct notice_list list;
    unsigned flags;
};

/* Adds a notice if something has changed since *was, and updates *was. notice.task is NULL for the
 * run; `budget` is NULL for a task without an agent. */
static void add_news(const struct app_notify *notify, struct notice notice, unsigned flags,
                     const struct budget_state *budget, struct app_noted *was,
                     struct app_news *news)
{
    static char spent[] = "budget spent";
    const struct app_noted is = {
        .flags = flags, .told = budget ? budget->told : 0, .spent = budget ? budget->spent : 0};
    const bool is_spent = (is.spent & ~was->spent) != 0;
    const bool is_near = (is.told & ~was->told) != 0;
    unsigned fresh = (is.flags & ~was->flags) | (is_spent || is_near ? NOTIFY_BUDGET : 0);
    *was = is;
    fresh &= notify->wanted;
    if (!notify->is_begun || fresh == 0)
        return;
    news->flags |= fresh;
    notice.event = fresh;
    notice.reason = is_spent && (fresh & NOTIFY_BUDGET) != 0 ? spent : NULL;
    if (news->list.total++ < NOTICE_NAMED_MAX)
        news->items[news->list.count++] = notice;
}

unsigned app_notify_news(struct app_notify *notify, const struct run_state *state,
                         struct str *words)
{
    const int count = state->plan->task_count;
    struct app_news news = {.list = {.items = news.items}};
    struct str passed = {0};
    notify->tasks = xgrow(notify->tasks, &notify->room, (size_t)count, sizeof(*notify->tasks));
    for (; notify->count < count; notify->count++)
        notify->tasks[notify->count] = (struct app_noted){0};
    for (int task = 0; task < count; task++) {
        const struct task_agent *agent = state->tasks[task].agent;
        add_news(notify, (struct notice){.task = state->plan->tasks[task].id},
                 notice_of_status(state->tasks[task].status), agent ? &agent->budget : NULL,
                 &notify->tasks[task], &news);
    }
    add_news(notify, (struct notice){0}, 0, &state->budget, &notify->run, &news);
    if (notify->is_begun && state->ended && !notify->had_ended &&
        (notify->wanted & NOTIFY_ENDED) != 0) {
        news.flags |= NOTIFY_ENDED;
        shown_passed(state, &passed);
        news.items[news.list.count++] =
            (struct notice){.event = NOTIFY_ENDED, .reason = passed.data};
        news.list.total++;
    }
    notice_message(&news.list, words);
    str_done(&passed);
    notify->had_ended = state->ended;
    notify->is_begun = true;
    return news.flags;
}

void app_notify_done(struct app_notify *notify)
{
    free(notify->tasks);
    *notify = (struct app_notify){0};
}
