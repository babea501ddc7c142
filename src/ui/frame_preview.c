/*
 * frame_preview.c - what is known of the chosen task: when it goes on, why it is
 * as it is, what is proven, which tries there were. Lines that the log cannot
 * fill are left out.
 */
#include <string.h>

#include "clock.h"
#include "frame_parts.h"
#include "text.h"

enum {
    LABEL_COLUMN = 1,
    TEXT_COLUMN = 8, /* where the lines begin, after their labels */
    BAR_WIDTH = 18,
    BAR_COLUMNS_MIN = 70,        /* narrower: no bar beside the countdown */
    BAR_SECONDS_MS_MAX = 120000, /* longer waits are told in m:ss */
    MS_PER_S = 1000,
    WRAP_ROWS_MAX = 4, /* rows one text may take */
};

/* The preview as it is being drawn, from the top down. */
struct preview {
    struct canvas *canvas;
    const struct frame_box *box;
    const struct frame_input *input;
    const struct run_state *state;
    enum frame_preview_kind kind;
    int task;
    int row; /* the next free one, counted from the box's first */
};

static bool is_full(const struct preview *preview)
{
    return preview->row >= preview->box->rows;
}

static const struct task_state *task_of(const struct preview *preview)
{
    return &preview->state->tasks[preview->task];
}

static enum shown shown_of(const struct preview *preview)
{
    return shown_task(preview->state, preview->task, preview->input->facts->orphaned);
}

/* How many bytes of a text fit in so many columns, cut between words if that
 * leaves half of the line or more. */
static size_t fitting(const char *text, int columns)
{
    size_t len = strlen(text);
    size_t at = 0, blank = 0;
    int used = 0;
    while (at < len) {
        uint32_t rune;
        int bytes = text_rune(text + at, len - at, &rune);
        int width = rune_width(rune);
        if (used + width > columns)
            return blank > at / 2 ? blank : at;
        used += width > 0 ? width : 0;
        at += bytes > 0 ? (size_t)bytes : 1;
        if (rune == ' ')
            blank = at;
    }
    return len;
}

static void put_row(struct preview *preview, const char *label, enum style style, const char *text,
                    size_t len)
{
    const struct frame_box *box = preview->box;
    int row = box->row + preview->row++;
    (void)frame_put(preview->canvas,
                    (struct spot){row, box->column + LABEL_COLUMN, TEXT_COLUMN - LABEL_COLUMN - 1},
                    STYLE_LABEL, label);
    struct spot spot = {row, box->column + TEXT_COLUMN, box->columns - TEXT_COLUMN};
    if (spot.width > 0)
        (void)canvas_text_n(preview->canvas, spot, style, text, len);
}

/* A labelled text: one row, or as many as it needs where there is room. */
static void put_line(struct preview *preview, const char *label, enum style style, const char *text)
{
    int width = preview->box->columns - TEXT_COLUMN;
    int rows = preview->kind == FRAME_PREVIEW_ROOMY ? WRAP_ROWS_MAX : 1;
    for (int i = 0; i < rows && *text != '\0' && !is_full(preview) && width > 0; i++) {
        size_t len = strlen(text);
        bool last = i == rows - 1;
        size_t part = last ? len : fitting(text, width);
        put_row(preview, i == 0 ? label : "", style, text, part);
        text += part;
    }
}

static void add_bar(const struct step_state *step, const struct moment *now, struct str *out)
{
    int64_t whole = step->due.mono_ms - step->wait_from.mono_ms;
    int64_t gone = now->mono_ms - step->wait_from.mono_ms;
    if (whole <= 0)
        return;
    gone = gone < 0 ? 0 : gone > whole ? whole : gone;
    int filled = (int)(gone * BAR_WIDTH / whole);
    str_add_char(out, '[');
    for (int i = 0; i < BAR_WIDTH; i++)
        str_add_char(out, i < filled ? '#' : '-');
    str_add(out, "] ");
    if (whole <= BAR_SECONDS_MS_MAX) {
        str_addf(out, "%lld of %lld s", (long long)(gone / MS_PER_S),
                 (long long)((whole + MS_PER_S / 2) / MS_PER_S));
    } else {
        shown_duration(gone, out);
        str_add(out, " of ");
        shown_duration(whole, out);
    }
}

static void put_countdown(struct preview *preview)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    struct moment now = frame_now(preview->input);
    int64_t left_ms = step->due.mono_ms - now.mono_ms;
    bool wide = preview->box->columns >= BAR_COLUMNS_MIN;
    int room = preview->box->columns - TEXT_COLUMN;
    const char *hint = "   r = now";
    char hms[CLOCK_TEXT_MAX];
    struct str text = {0};
    str_addf(&text, "try %zu ", step->attempt_count + 1);
    if (left_ms > 0) {
        str_add(&text, "in ");
        shown_duration(left_ms + MS_PER_S - 1, &text);
        str_addf(&text, ", at %s", clock_hms(step->due.at_ms, hms));
    } else {
        str_add(&text, "is due");
    }
    if (wide) {
        str_add(&text, "   ");
        add_bar(step, &now, &text);
        bool fits = text_width(text.data, text.len) + (int)strlen(hint) <= room;
        if (preview->input->facts->mode == VIEW_LIVE && fits)
            str_add(&text, hint);
    }
    put_line(preview, "next", STYLE_PLAIN, str_text(&text));
    if (!wide && preview->kind == FRAME_PREVIEW_ROOMY) {
        str_clear(&text);
        add_bar(step, &now, &text);
        put_line(preview, "", STYLE_PLAIN, str_text(&text));
    }
    str_done(&text);
}

static void add_running(const struct preview *preview, struct str *out)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    const struct attempt_state *attempt = step_state_attempt(step);
    int number = run_state_step_number(preview->state, preview->task);
    struct moment now = frame_now(preview->input);
    if (!attempt)
        return;
    if (step->status == STEP_JUDGING) {
        str_addf(out, "try %d has ended", attempt->number);
        return;
    }
    str_addf(out, "running %s for ",
             phase_name(preview->state->plan->tasks[preview->task].steps[number].phase));
    shown_duration(now.mono_ms - attempt->started.mono_ms, out);
    if (attempt->pid > 0)
        str_addf(out, ", pid %lld", (long long)attempt->pid);
    if (step->quiet) {
        str_add(out, ", no output for ");
        shown_duration(now.mono_ms - step->heard_mono_ms, out);
    }
}

static void add_queued(const struct preview *preview, struct str *out)
{
    const struct plan_task *plan = &preview->state->plan->tasks[preview->task];
    if (task_of(preview)->unmet == 0) {
        str_addf(out, "waits for a slot; %d of %d are used", preview->state->running,
                 preview->state->jobs);
        return;
    }
    const char *before = "waits for ";
    for (int i = 0; i < plan->need_count; i++) {
        if (preview->state->tasks[plan->needs[i]].status == TASK_PASSED)
            continue;
        str_addf(out, "%s%s", before, preview->state->plan->tasks[plan->needs[i]].id);
        before = ", ";
    }
}

static void add_since(const struct preview *preview, struct str *out)
{
    const struct moment *since = &task_of(preview)->since;
    struct moment now = frame_now(preview->input);
    char hms[CLOCK_TEXT_MAX];
    if (since->at_ms <= 0)
        return;
    str_addf(out, " at %s, ", clock_hms(since->at_ms, hms));
    shown_duration(now.mono_ms - since->mono_ms, out);
    str_add(out, " ago");
}

static void add_state(const struct preview *preview, struct str *out)
{
    enum shown shown = shown_of(preview);
    switch (shown) {
    case SHOWN_RUNNING:
    case SHOWN_QUIET:
        add_running(preview, out);
        return;
    case SHOWN_QUEUED:
        add_queued(preview, out);
        return;
    case SHOWN_NEEDS_YOU:
        str_add(out, "stopped");
        add_since(preview, out);
        str_add(out, "; r tries again once it is put right");
        return;
    case SHOWN_HELD:
        str_add(out, "held: no new tries until p lets it go");
        return;
    case SHOWN_LOST:
        str_add(out, "it ran when devs was killed");
        return;
    case SHOWN_BACKOFF:
    case SHOWN_PASSED:
    case SHOWN_GAVE_UP:
    case SHOWN_CANCELLED:
    case SHOWN_STUCK:
    case SHOWN_BLOCKED:
    case SHOWN_COUNT:
        break;
    }
    str_add(out, shown_word(shown));
    add_since(preview, out);
}

static void put_state(struct preview *preview)
{
    if (shown_of(preview) == SHOWN_BACKOFF) {
        put_countdown(preview);
        return;
    }
    struct str text = {0};
    str_addf(&text, "%s ", shown_sign(shown_of(preview), preview->canvas->ascii));
    add_state(preview, &text);
    put_line(preview, "state", STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

static void put_why(struct preview *preview)
{
    struct str text = {0};
    shown_why(preview->state, preview->task, &text);
    put_line(preview, "why", STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

/* "RED: failed as expected (try 1), 0:12 ago" for a step that has ended well. */
static void add_proof(const struct preview *preview, int number, struct str *out)
{
    const struct plan_step *plan = &preview->state->plan->tasks[preview->task].steps[number];
    const struct step_state *step = &task_of(preview)->steps[number];
    const struct attempt_state *attempt = step_state_attempt(step);
    struct moment now = frame_now(preview->input);
    bool proven = step->status == STEP_ENDED && step->end == DECISION_SUCCEEDED && attempt;
    str_addf(out, "%s: ", phase_name(plan->phase));
    if (!proven) {
        str_add(out, "none yet");
        return;
    }
    bool failure = plan->expect.what == PLAN_EXPECT_FAILURE;
    str_addf(out, "%s (try %d), ", failure ? "failed as expected" : "passed", attempt->number);
    shown_duration(now.mono_ms - attempt->ended.mono_ms, out);
    str_add(out, " ago");
}

/* As many of the last parts as fit into a line, in their order. `part` 0 .. count - 1
 * is appended by `add`. */
typedef void part_fn(const struct preview *preview, int part, struct str *out);

static void put_last_parts(struct preview *preview, const char *label, int count, part_fn *add)
{
    int room = preview->box->columns - TEXT_COLUMN;
    struct str text = {0};
    for (int i = count - 1; i >= 0; i--) {
        struct str longer = {0};
        add(preview, i, &longer);
        if (text.len > 0)
            str_addf(&longer, "   %s", text.data);
        bool fits = text.len == 0 || text_width(longer.data, longer.len) <= room;
        str_done(fits ? &text : &longer);
        if (!fits)
            break;
        text = longer;
    }
    put_line(preview, label, STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

/* The last parts in lines of their own, as many as there is room for. */
static void put_parts_below(struct preview *preview, const char *label, int count, part_fn *add)
{
    int room = preview->box->rows - preview->row;
    int first = count > room ? count - room : 0;
    for (int i = first; i < count; i++) {
        struct str text = {0};
        add(preview, i, &text);
        put_line(preview, i == first ? label : "", STYLE_PLAIN, str_text(&text));
        str_done(&text);
    }
}

static void put_parts(struct preview *preview, const char *label, int count, part_fn *add)
{
    if (is_full(preview))
        return;
    if (preview->kind == FRAME_PREVIEW_ROOMY)
        put_parts_below(preview, label, count, add);
    else
        put_last_parts(preview, label, count, add);
}

static void add_try_word(const struct attempt_state *attempt, struct str *out)
{
    struct verdict verdict = verdict_new();
    verdict.class = attempt->class;
    verdict.type = attempt->type;
    verdict.reason = attempt->reason;
    char word[VERDICT_WORD_MAX];
    const char *text = verdict_word(&verdict, &attempt->outcome, word);
    str_add(out, *text != '\0' ? text : "as wanted");
}

/* "3 ✗ test-fail 1:47". */
static void add_try(const struct preview *preview, int index, struct str *out)
{
    const struct attempt_state *attempt =
        &run_state_step(preview->state, preview->task)->attempts[index];
    bool ascii = preview->canvas->ascii;
    struct moment now = frame_now(preview->input);
    bool ended = attempt->ended.mono_ms != 0;
    enum shown sign = SHOWN_RUNNING;
    if (ended)
        sign = attempt->class == VERDICT_SUCCESS ? SHOWN_PASSED : SHOWN_GAVE_UP;
    str_addf(out, "%d %s ", attempt->number, shown_sign(sign, ascii));
    if (ended)
        add_try_word(attempt, out);
    else
        str_add(out, "runs");
    str_add_char(out, ' ');
    shown_duration(ended ? attempt->outcome.ran_ms : now.mono_ms - attempt->started.mono_ms, out);
}

static void put_command(struct preview *preview)
{
    int number = run_state_step_number(preview->state, preview->task);
    char *const *argv = preview->state->plan->tasks[preview->task].steps[number].argv;
    struct str text = {0};
    for (int i = 0; argv && argv[i]; i++)
        str_addf(&text, "%s%s", i > 0 ? " " : "", argv[i]);
    put_line(preview, "runs", STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

static void put_log(struct preview *preview)
{
    const struct frame_box *box = preview->box;
    if (is_full(preview))
        return;
    struct frame_box rest = {
        .row = box->row + preview->row,
        .column = box->column + TEXT_COLUMN,
        .rows = box->rows - preview->row,
        .columns = box->columns - TEXT_COLUMN,
    };
    (void)frame_put(preview->canvas, (struct spot){rest.row, box->column + LABEL_COLUMN, 3},
                    STYLE_LABEL, "log");
    frame_log(preview->canvas, &rest, FRAME_LOG_BARE, preview->input);
}

void frame_preview(struct canvas *canvas, const struct frame_box *box, enum frame_preview_kind kind,
                   const struct frame_input *input)
{
    struct preview preview = {
        .canvas = canvas,
        .box = box,
        .input = input,
        .state = input->facts->state,
        .kind = kind,
        .task = input->view->chosen,
    };
    if (preview.task < 0)
        return;
    put_state(&preview);
    put_why(&preview);
    if (kind == FRAME_PREVIEW_ROOMY)
        put_command(&preview);
    if (kind != FRAME_PREVIEW_SHORT) {
        int step = run_state_step_number(preview.state, preview.task);
        size_t tries = run_state_step(preview.state, preview.task)->attempt_count;
        put_parts(&preview, "proof", step + 1, add_proof);
        put_parts(&preview, "tries", (int)tries, add_try);
    }
    if (kind != FRAME_PREVIEW_ROOMY)
        put_log(&preview);
}
