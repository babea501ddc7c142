/* app_picture.c - the cockpit without a terminal: one frame as text. */
#include "app_parts.h"

/* Which event the picture is of, and what it turned out to be about. */
struct finding {
    int64_t seq;
    int task; /* -1 = the run */
};

static bool is_before(void *ctx, const struct run_state *state, const struct event *event)
{
    struct finding *finding = ctx;
    (void)state;
    finding->task = event->task;
    return event->seq != finding->seq;
}

bool app_draw_picture(const struct app_options *options, const struct app_picture *picture,
                      struct str *out, struct err *err)
{
    struct app app = {.options = options, .pictured = true};
    struct finding finding = {.seq = picture->seq, .task = -1};
    bool ok =
        app_open_run(&app, err) && follower_read(app.follower, 0, is_before, &finding, NULL, err);
    if (ok) {
        app.now = follower_state(app.follower)->last;
        view_take_tasks(&app.view, follower_state(app.follower)->plan->task_count);
        if (finding.task >= 0)
            app.view.chosen = finding.task;
        canvas_init(&app.canvas, picture->rows, picture->columns, options->ascii);
        app_draw(&app);
        canvas_to_text(&app.canvas, out);
    }
    app_close(&app);
    return ok;
}
