#include "app_report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app_parts.h"
#include "clock.h"
#include "frame_report.h"
#include "line_wrap.h"
#include "xalloc.h"

enum {
    WHAT_IF_FILE_BYTES_MAX = POLICY_CHANGE_BYTES_MAX,
    PAGES_SHOWN = 16, /* so many pages are read between two frames that say how it stands */
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

void app_report_open(struct app *app, enum view_report_kind kind)
{
    app->view.report.kind = kind;
    app->view.report.top = 0;
    app->report.columns = 0;
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

/* The earlier one stands on the left. */
static bool is_before(const struct view_try *a, const struct view_try *b)
{
    return a->step != b->step ? a->step < b->step : a->attempt < b->attempt;
}

void app_report_compare(struct app *app)
{
    const struct view_try now = view_try_now(&app->view, follower_state(app->follower));
    const struct view_try *marked = &app->view.report.marked;
    const bool is_first = is_before(marked, &now);
    const struct compare_subject subjects[COMPARE_SIDES] = {
        subject_of(app, is_first ? marked : &now), subject_of(app, is_first ? &now : marked)};
    struct err err = {0};
    app_report_close(app);
    app->report.compare = xcalloc(1, sizeof(*app->report.compare));
    if (compare_read(app->report.compare, subjects, &err)) {
        app_report_open(app, REPORT_COMPARE);
        return;
    }
    view_say(&app->view, &app->now, "they cannot be compared: %s", err.message);
    app_report_close(app);
}

/* The policies of the file that was named. */
static bool read_change(struct app *app, const char *file, struct err *err)
{
    struct str text = {0};
    struct violations wrong = {0};
    bool ok = app->options->read_file
                  ? app->options->read_file(file, WHAT_IF_FILE_BYTES_MAX, &text, err)
                  : err_set(err, ERR_INVALID, "no file is read here");
    if (ok && !policy_change_read(str_text(&text), text.len, &app->report.change, &wrong)) {
        struct str line = {0};
        violations_display(&wrong, &line); /* the first of them has room */
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

/* Each line of the text is a row, and one that is too long several. */
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

static void lay_bundle(const struct app *app, struct report_rows *rows)
{
    struct str text = {0};
    report_rows_clear(rows);
    app_bundle_words(app, &text);
    add_rows(rows, &text, app->canvas.columns);
    str_done(&text);
}

static void lay_what_if(struct app_report *report, int64_t run, int columns)
{
    const struct what_if_look look = {.width = columns - 1, .hms = clock_hms};
    struct str text = {0};
    report_rows_clear(&report->rows);
    str_add(&text, " policy B: ");
    policy_change_words(report->change, &text);
    str_add(&text, report->reads ? "   (the run is still being read)\n" : "\n");
    what_if_lines(report->what, &look, &text);
    what_if_doubt(report->same, run, &look, &text);
    add_rows(&report->rows, &text, INT_MAX); /* longer ones are cut off when drawn */
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
        if (app->view.report.kind == REPORT_COMPARE)
            compare_lay(report->compare, &look, &report->rows);
        else if (app->view.report.kind == REPORT_BUNDLE)
            lay_bundle(app, &report->rows);
        else
            lay_what_if(report, follower_run(app->follower)->number, canvas->columns);
        report->columns = canvas->columns;
    }
    view_report_fit(&app->view, (int)report->rows.count,
                    frame_report_rows(canvas->rows, report->rows.count));
}
