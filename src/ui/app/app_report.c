/* app_report.c - reports that cover the screen: two attempts compared, a run under other policies,
 * and a run that is copied into a bundle. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app_internal.h"
#include "bundle.h"
#include "bundle_words.h"
#include "clock.h"
#include "frame.h"
#include "lines.h"
#include "quiet_thread.h"
#include "shown.h"
#include "text.h"
#include "xalloc.h"

static void add_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_addf(out, "  %-24s", name);
    if (cut->recorded > 0)
        str_addf(out, "  %lld cut when recorded", (long long)cut->recorded);
    if (cut->now > 0)
        str_addf(out, "%s%lld more cut now", cut->recorded > 0 ? ", " : "  ", (long long)cut->now);
    str_add_char(out, '\n');
}

void bundle_words(const struct bundle_contents *contents, const char *file, bool is_whole,
                  struct str *out)
{
    struct str words = {0};
    str_addf(&words, "run #%lld as %s, ", (long long)contents->run, file);
    size_text_add(contents->bytes, &words);
    str_add_char(&words, '\n');
    if (is_whole) {
        str_add(&words, "contents: the plan, the rules, ");
        shown_count(contents->tasks, "task, ", "tasks, ", &words);
        shown_count(contents->attempts, "try, ", "tries, ", &words);
        shown_count(contents->events, "event, ", "events, ", &words);
        shown_count(contents->captures, "capture, ", "captures, ", &words);
        shown_count(contents->controls, "action, ", "actions, ", &words);
        if (contents->bookmarks > 0)
            shown_count(contents->bookmarks, "bookmark, ", "bookmarks, ", &words);
        size_text_add(contents->output_bytes, &words);
        str_add(&words, " of output\n");
    }
    if (contents->cut_count == 0) {
        str_add(&words, "no secrets found. Only known variables and token formats are detected:\n"
                        "review it before you share it\n");
    } else {
        str_add(&words, "secrets that were cut (the file does not contain their values):\n");
        for (int i = 0; i < contents->cut_count; i++)
            add_cut(&contents->cuts[i], contents->cuts[i].name, &words);
        if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
            add_cut(&contents->other_cuts, "others", &words);
    }
    text_clean(out, str_text(&words), words.len);
    str_done(&words);
}

enum { FILE_MAX = 64, FILES_MAX = 99, PARTS = 100 };

/* A run being written to a file. */
struct bundle_job {
    const struct app_options *options; /* borrowed; used for place and secrets */
    int64_t run;
    char file[FILE_MAX]; /* name of the file, in the folder where devs was started */
    pthread_t thread;
    atomic_bool stops;
    atomic_int copied;   /* progress in percent */
    atomic_bool is_over; /* once set, the fields below belong to the main thread */
    bool is_joined;
    bool is_shown;
    struct bundle *bundle; /* owned; NULL = it could not be created */
    struct err err;
    char shown[VIEW_MESSAGE_MAX]; /* the latest progress message */
};

static bool report_copied(void *ctx, int64_t done, int64_t all, struct err *err)
{
    struct bundle_job *job = ctx;
    atomic_store(&job->copied, all > 0 ? (int)(done * PARTS / all) : 0);
    return !atomic_load(&job->stops) || err_set(err, ERR_BUSY, "devs is quitting");
}

static void *copy_run(void *arg)
{
    struct bundle_job *job = arg;
    const struct app_options *options = job->options;
    struct follower *follower = NULL;
    struct redactor *redactor = NULL;
    struct bundle_asked asked = {.place = options->place,
                                 .run = job->run,
                                 .file = job->file,
                                 .tell = report_copied,
                                 .ctx = job};
    /* Uses the secrets known now, including those of the run's own plan. */
    const bool ok = follower_open(&follower, options->place, job->run, &job->err) &&
                    options->open_redactor(&redactor, follower_state(follower)->plan,
                                           options->secrets, &job->err);
    follower_close(follower);
    if (ok) {
        asked.redactor = redactor;
        if (!bundle_open(&job->bundle, &asked, &job->err))
            job->bundle = NULL;
    }
    redactor_close(redactor);
    atomic_store(&job->is_over, true);
    return NULL;
}

static void join_copier(struct bundle_job *job)
{
    if (!job->is_joined)
        (void)pthread_join(job->thread, NULL);
    job->is_joined = true;
}

void app_bundle_close(struct app *app)
{
    struct bundle_job *job = app->bundle;
    if (!job)
        return;
    atomic_store(&job->stops, true);
    join_copier(job);
    bundle_close(job->bundle);
    free(job);
    app->bundle = NULL;
}

/* Shows the progress, unless a different message has appeared since the last call. */
static void tell_progress(struct app *app)
{
    struct bundle_job *job = app->bundle;
    char words[VIEW_MESSAGE_MAX];
    (void)snprintf(words, sizeof(words), "copying run #%lld, %d%%; its contents are shown next",
                   (long long)job->run, atomic_load(&job->copied));
    if (strcmp(app->view.message, job->shown) != 0 || strcmp(words, job->shown) == 0)
        return;
    view_say(&app->view, &app->now, "%s", words);
    memcpy(job->shown, app->view.message, sizeof(job->shown));
    app->wants_frame = true;
}

void app_bundle_begin(struct app *app, int64_t run)
{
    if (app->bundle) {
        view_say(&app->view, &app->now, "still copying run #%lld", (long long)app->bundle->run);
        return;
    }
    if (!app->options->open_redactor) {
        view_say(&app->view, &app->now, "cannot write a file here: use devs export");
        return;
    }
    struct bundle_job *job = xcalloc(1, sizeof(*job));
    job->options = app->options;
    job->run = run;
    /* "run-41.devs", or "run-41-2.devs" if that exists: never overwrites a file. */
    const long long number = (long long)run;
    (void)snprintf(job->file, sizeof(job->file), "run-%lld.devs", number);
    for (int i = 2; i <= FILES_MAX && access(job->file, F_OK) == 0; i++)
        (void)snprintf(job->file, sizeof(job->file), "run-%lld-%d.devs", number, i);
    const int code = quiet_thread_start(&job->thread, copy_run, job);
    if (code != 0) {
        view_say(&app->view, &app->now, "nothing was written: %s", strerror(code));
        free(job);
        return;
    }
    app->bundle = job;
    tell_progress(app);
}

/* Opens a report of this kind at its first row; app_report_load() lays it out before the next
 * frame. */
static void app_report_open(struct app *app, enum view_report_kind kind)
{
    app->view.report.kind = kind;
    app->view.report.top = 0;
    app->report.columns = 0;
}

static void end_bundle(struct app *app, const char *why)
{
    view_say(&app->view, &app->now, "nothing was written%s%s", *why != '\0' ? ": " : "", why);
    app->wants_frame_now = true;
    app_bundle_close(app);
}

void app_bundle_look(struct app *app)
{
    struct bundle_job *job = app->bundle;
    if (!job)
        return;
    if (job->is_shown) {
        if (app->view.report.kind != REPORT_BUNDLE)
            end_bundle(app, "");
        return;
    }
    if (!atomic_load(&job->is_over)) {
        tell_progress(app);
        return;
    }
    join_copier(job);
    if (!job->bundle) {
        end_bundle(app, job->err.message);
    } else if (!view_is_covered(&app->view)) { /* else wait until the overlay is closed */
        job->is_shown = true;
        app_report_open(app, REPORT_BUNDLE);
        app->wants_frame_now = true;
    }
}

bool app_bundle_copies(const struct app *app)
{
    return app->bundle && !app->bundle->is_joined;
}

void app_bundle_keep(struct app *app)
{
    struct bundle_job *job = app->bundle;
    struct err err = {0};
    if (!job || !job->is_shown)
        return;
    app->view.report.kind = REPORT_NONE;
    if (!bundle_keep(job->bundle, &err)) {
        end_bundle(app, err.message);
        return;
    }
    view_say(&app->view, &app->now, "written: %s; open it with devs replay %s", job->file,
             job->file);
    app_bundle_close(app);
}

enum {
    WHAT_IF_FILE_BYTES_MAX = POLICY_CHANGE_BYTES_MAX,
    PAGES_SHOWN = 16, /* pages read between two frames that show the progress */
};

void app_report_close(struct app *app)
{
    struct app_report *report = &app->report;
    if (report->compare)
        compare_done(report->compare);
    free(report->compare);
    what_if_free(report->what);
    what_if_free(report->same);
    policy_change_free(report->change);
    event_page_done(&report->page);
    report_rows_done(&report->rows);
    *report = (struct app_report){0};
}

static struct compare_subject subject_of(const struct app *app, const struct view_try *at)
{
    return (struct compare_subject){.state = follower_state(app->follower),
                                    .reader = follower_reader(app->follower),
                                    .key = {.run = follower_run(app->follower)->number,
                                            .task = at->task,
                                            .step = at->step,
                                            .attempt = at->attempt,
                                            .readable = true}};
}

void app_report_compare(struct app *app)
{
    const struct view_try now = view_try_now(&app->view, follower_state(app->follower));
    const struct view_try *marked = &app->view.report.marked;
    /* The earlier attempt goes on the left. */
    const bool is_first =
        marked->step != now.step ? marked->step < now.step : marked->attempt < now.attempt;
    const struct compare_subject subjects[COMPARE_SIDES] = {
        subject_of(app, is_first ? marked : &now), subject_of(app, is_first ? &now : marked)};
    struct err err = {0};
    app_report_close(app);
    app->report.compare = xcalloc(1, sizeof(*app->report.compare));
    if (compare_read(app->report.compare, subjects, &err)) {
        app_report_open(app, REPORT_COMPARE);
        return;
    }
    view_say(&app->view, &app->now, "cannot compare the tries: %s", err.message);
    app_report_close(app);
}

/* Reads the policies from the file that the user named. */
static bool read_change(struct app *app, const char *file, struct err *err)
{
    struct str text = {0};
    struct violations wrong = {0};
    bool ok = app->options->read_file
                  ? app->options->read_file(file, WHAT_IF_FILE_BYTES_MAX, &text, err)
                  : err_set(err, ERR_INVALID, "cannot read a file here");
    if (ok && !policy_change_read(str_text(&text), text.len, &app->report.change, &wrong)) {
        struct str line = {0};
        violations_display(&wrong, &line); /* there is room only for the first problem */
        ok =
            err_set(err, ERR_INVALID, "%.*s", (int)strcspn(str_text(&line), "\n"), str_text(&line));
        str_done(&line);
    }
    violations_done(&wrong);
    str_done(&text);
    return ok;
}

void app_report_what_if(struct app *app)
{
    const struct log_run_info *run = follower_run(app->follower);
    const char *file = app->view.report.file.text;
    struct err err = {0};
    app_report_close(app);
    if (read_change(app, file, &err) &&
        what_if_new(&app->report.what, run->plan_text, run->seed, app->report.change, &err) &&
        what_if_new(&app->report.same, run->plan_text, run->seed, NULL, &err)) {
        app->report.reads = true;
        app_report_open(app, REPORT_WHAT_IF);
        return;
    }
    view_say(&app->view, &app->now, "%s: %s", file, err.message);
    app_report_close(app);
}

void app_report_go_on(struct app *app)
{
    struct app_report *report = &app->report;
    struct err err = {0};
    if (!report->reads)
        return;
    bool ok = log_reader_events(follower_reader(app->follower), follower_run(app->follower)->number,
                                report->after, &report->page, &err);
    for (size_t i = 0; ok && i < report->page.count; i++) {
        report->after = report->page.events[i].seq;
        ok = what_if_take(report->what, &report->page.events[i], &err) &&
             what_if_take(report->same, &report->page.events[i], &err);
    }
    report->reads = ok && report->page.count == LOG_PAGE_EVENTS;
    report->pages++;
    if (!report->reads || report->pages % PAGES_SHOWN == 1) {
        report->columns = 0;
        app->wants_frame_now = true;
    }
    if (ok)
        return;
    view_say(&app->view, &app->now, "what if: %s", err.message);
    app->view.report.kind = REPORT_NONE;
}

/* Adds each line of the text as a row, or as several rows if it is wider than `columns`. */
static void add_rows(struct report_rows *rows, const struct str *text, int columns)
{
    const char *at = str_text(text);
    bool has_room = true;
    while (has_room && *at != '\0') {
        const size_t len = strcspn(at, "\n");
        const size_t fits = line_wrap_fit(at, len, columns);
        has_room = report_rows_add(rows, at, fits, REPORT_ROW_PLAIN);
        at += fits;
        at += strspn(at, " ");
        at += *at == '\n';
    }
}

static void lay_what_if(struct app_report *report, int64_t run, int columns)
{
    const struct what_if_look look = {.width = columns - 1, .hms = clock_hms};
    struct str text = {0};
    report_rows_clear(&report->rows);
    str_add(&text, " policy B: ");
    policy_change_words(report->change, &text);
    str_add(&text, report->reads ? "   (still reading the run)\n" : "\n");
    what_if_lines(report->what, &look, &text);
    what_if_doubt(report->same, run, &look, &text);
    add_rows(&report->rows, &text, INT_MAX); /* longer rows are truncated when drawn */
    str_done(&text);
}

void app_report_load(struct app *app)
{
    struct app_report *report = &app->report;
    const struct canvas *canvas = &app->canvas;
    if (app->view.report.kind == REPORT_NONE) {
        if (report->compare || report->what)
            app_report_close(app);
        return;
    }
    if (report->columns != canvas->columns) {
        const struct compare_look look = {.columns = canvas->columns, .ascii = canvas->ascii};
        const struct bundle_job *job = app->bundle;
        struct str text = {0};
        if (app->view.report.kind == REPORT_COMPARE) {
            compare_lay(report->compare, &look, &report->rows);
        } else if (app->view.report.kind == REPORT_BUNDLE) {
            bundle_words(bundle_contents(job->bundle), job->file, true, &text);
            report_rows_clear(&report->rows);
            add_rows(&report->rows, &text, canvas->columns);
        } else {
            lay_what_if(report, follower_run(app->follower)->number, canvas->columns);
        }
        str_done(&text);
        report->columns = canvas->columns;
    }
    view_report_fit(&app->view, (int)report->rows.count,
                    frame_report_rows(canvas->rows, report->rows.count));
}
