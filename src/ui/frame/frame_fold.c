/* frame_fold.c - the preview of a row that stands for the tasks of one fault. */
#include <string.h>

#include "clock.h"
#include "frame_preview.h"
#include "text.h"

enum { MS_PER_S = 1000, MORE_COLUMNS = 8 };

static int tries_of(const struct preview *preview, const struct view_fold *fold)
{
    const struct view *view = preview->input->view;
    int tries = 0;
    for (int i = 0; i < view->order_count; i++) {
        if (view_fold_of(view, i) == fold)
            tries += (int)run_state_step(preview->state, i)->attempt_count;
    }
    return tries;
}

static void put_what(struct preview *preview, const struct view_fold *fold)
{
    const struct moment now = frame_now(preview->input);
    char hms[CLOCK_TEXT_MAX];
    struct str text = {0};
    str_addf(&text, "%d tasks, ", fold->fault.count);
    shown_class(preview->state, fold->fault.first, &text);
    str_addf(&text, ", since %s (", clock_hms(fold->fault.since.at_ms, hms));
    shown_duration(now.mono_ms - fold->fault.since.mono_ms, &text);
    int tries = tries_of(preview, fold);
    str_addf(&text, "), %d tries spent", tries);
    preview_put(preview, "fault", str_text(&text));
    str_done(&text);
}

static void add_times(const struct preview *preview, const struct fault *fault, struct str *out)
{
    char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
    const struct moment now = frame_now(preview->input);
    int64_t left_ms = fault->due_first.mono_ms - now.mono_ms;
    (void)clock_hms(fault->due_first.at_ms, first);
    (void)clock_hms(fault->due_last.at_ms, last);
    if (left_ms <= 0) {
        str_addf(out, "due since %s", first);
    } else if (strcmp(first, last) != 0) {
        str_addf(out, "between %s and %s", first, last);
    } else {
        str_add(out, "in ");
        shown_duration(left_ms + MS_PER_S - 1, out);
        str_addf(out, ", at %s", first);
    }
}

static void put_next(struct preview *preview, const struct view_fold *fold)
{
    const struct plan_task *tasks = preview->state->plan->tasks;
    const bool is_read_only = preview->input->facts->read_only;
    bool live = preview->input->facts->mode == VIEW_LIVE && !is_read_only;
    struct str text = {0};
    if (fold->leader >= 0)
        str_addf(&text, "once %s is through, one after the other", tasks[fold->leader].id);
    else if (fold->held == fold->fault.count && is_read_only)
        str_add(&text, "held: no new tries until they are released");
    else if (fold->held == fold->fault.count)
        frame_say(preview->input, "held: no new tries until {hold} lets them go", &text);
    else
        add_times(preview, &fold->fault, &text);
    if (live && fold->leader < 0) {
        frame_say(preview->input, "   {retry} = ", &text);
        str_addf(&text, "%s alone, the others wait for it", tasks[preview->task].id);
    }
    preview_put(preview, "next", str_text(&text));
    str_done(&text);
}

/* "T-104 in 0:12, T-109 in 0:40 +4": as many as there is room for. */
static void put_members(struct preview *preview, const struct view_fold *fold)
{
    const struct view *view = preview->input->view;
    const struct shown_time time = frame_time(preview->input);
    int rows = preview->kind == FRAME_PREVIEW_ROOMY ? PREVIEW_WRAP_ROWS : 1;
    int room = (preview->box->columns - preview->text_column) * rows - MORE_COLUMNS * rows;
    int left = fold->fault.count;
    struct str text = {0};
    for (int i = 0; i < view->order_count && left > 0; i++) {
        if (view_fold_of(view, i) != fold)
            continue;
        struct str one = {0};
        str_addf(&one, "%s%s ", text.len > 0 ? ", " : "", preview->state->plan->tasks[i].id);
        shown_next(preview->state, i, preview->input->facts->orphaned, &time, &one);
        bool fits = text_width(str_text(&text), text.len) + text_width(one.data, one.len) <= room;
        if (fits || text.len == 0)
            str_add(&text, one.data);
        str_done(&one);
        if (!fits)
            break;
        left--;
    }
    if (left > 0)
        str_addf(&text, " +%d", left);
    preview_put(preview, "tasks", str_text(&text));
    str_done(&text);
}

void preview_put_fold(struct preview *preview, const struct view_fold *fold)
{
    put_next(preview, fold);
    put_what(preview, fold);
    if (preview->kind != FRAME_PREVIEW_SHORT)
        put_members(preview, fold);
}
