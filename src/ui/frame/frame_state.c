/* frame_state.c - the state of a task and of one attempt as text, for the preview and Detail. */
#include <string.h>

#include "attr.h"
#include "clock.h"
#include "frame_internal.h"
#include "run_state.h"
#include "text.h"

enum {
    BAR_WIDTH = 18,
    BAR_GAP = 3,
    BAR_COLUMNS_MIN = 70,        /* narrower: no bar beside the countdown */
    BAR_TENTHS_MS_MAX = 10000,   /* shorter waits are shown in tenths of a second */
    BAR_SECONDS_MS_MAX = 120000, /* longer waits are shown as m:ss */
    MS_PER_S = 1000,
    TENTH_MS = 100,
};

static enum shown shown_of(const struct frame_input *input, int task)
{
    return shown_task(input->facts->state, task, input->facts->orphaned);
}

/* Appends which key changes the state, and how; nothing if no key does. */
static void add_key(const struct frame_input *input, int task, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const enum shown shown = shown_of(input, task);
    const struct moment now = frame_now(input);
    const bool is_live = input->facts->mode == VIEW_LIVE;
    const char *words = NULL;
    struct str gate = {0};
    if (shown == SHOWN_QUEUED && is_live && shown_behind_gate(state, task, &now, &gate) &&
        run_state_gate(state, task)->status == GATE_CLOSED)
        words = "; {retry} sends it first";
    else if (shown == SHOWN_NEEDS_YOU && attempt && attempt->reason == REASON_BUDGET)
        words = "; {retry} grants the same budget again";
    else if (shown == SHOWN_NEEDS_YOU && shown_resets_at_ms(step) <= now.at_ms)
        words = "; {retry} retries once it is fixed";
    else if (shown == SHOWN_HELD && state->tasks[task].follows >= 0)
        words = "; {hold} releases it now";
    else if (shown == SHOWN_STUCK && is_live)
        words = "; {retry} continues, up to twice as many repeats";
    if (words && view_task_allows(input->facts, task, shown == SHOWN_HELD ? UI_HOLD : UI_RETRY))
        frame_say(input, words, out);
    str_done(&gate);
}

void frame_add_state(const struct frame_input *input, int task, bool is_brief, struct str *out)
{
    struct shown_look look = frame_look(input, false);
    struct str release = {0};
    if (view_task_allows(input->facts, task, UI_HOLD))
        frame_say(input, "{hold} releases it", &release);
    look.is_brief = is_brief;
    look.release = release.data;
    shown_now(input->facts->state, task, &look, out);
    add_key(input, task, out);
    str_done(&release);
}

void frame_add_bar(const struct frame_input *input, int task, struct str *out)
{
    const struct step_state *step = run_state_step(input->facts->state, task);
    int64_t whole = step->due.mono_ms - step->wait_from.mono_ms;
    int64_t gone = frame_now(input).mono_ms - step->wait_from.mono_ms;
    if (shown_of(input, task) != SHOWN_BACKOFF || whole <= 0)
        return;
    gone = gone < 0 ? 0 : gone > whole ? whole : gone;
    int filled = (int)(gone * BAR_WIDTH / whole);
    str_add_char(out, '[');
    for (int i = 0; i < BAR_WIDTH; i++)
        str_add_char(out, i < filled ? '#' : '-');
    str_add(out, "] ");
    if (whole < BAR_TENTHS_MS_MAX) {
        str_addf(out, "%lld.%lld of %lld.%lld s", (long long)(gone / MS_PER_S),
                 (long long)(gone % MS_PER_S / TENTH_MS), (long long)(whole / MS_PER_S),
                 (long long)(whole % MS_PER_S / TENTH_MS));
    } else if (whole <= BAR_SECONDS_MS_MAX) {
        str_addf(out, "%lld of %lld s", (long long)(gone / MS_PER_S),
                 (long long)((whole + MS_PER_S / 2) / MS_PER_S));
    } else {
        shown_duration(gone, out);
        str_add(out, " of ");
        shown_duration(whole, out);
    }
}

/* Draws when the next try starts and, if there is room, the progress of the wait and the key that
 * ends it. */
static void put_countdown(struct preview *preview, struct str *text)
{
    const struct frame_input *input = preview->input;
    const bool is_wide = preview->box->columns >= BAR_COLUMNS_MIN;
    const int room = preview->box->columns - preview->text_column;
    struct str bar = {0}, hint = {0};
    frame_add_bar(input, preview->task, &bar);
    if (is_wide) {
        const int bar_columns = BAR_GAP + text_width(str_text(&bar), bar.len);
        if (text_width(str_text(text), text->len) + bar_columns <= room)
            str_addf(text, "%*s%s", BAR_GAP, "", str_text(&bar));
        frame_say(input, "   {retry} = now", &hint);
        const bool fits = text_width(str_text(text), text->len) + (int)hint.len <= room;
        if (input->facts->mode == VIEW_LIVE && fits &&
            view_task_allows(input->facts, preview->task, UI_RETRY))
            str_add(text, str_text(&hint));
    }
    preview_put(preview, "next", str_text(text));
    if (!is_wide && preview->kind == FRAME_PREVIEW_ROOMY)
        preview_put(preview, "", str_text(&bar));
    str_done(&bar);
    str_done(&hint);
}

void preview_put_wait(struct preview *preview)
{
    struct str text = {0};
    shown_formula(run_state_step(preview->state, preview->task), &text);
    preview_put(preview, "wait", str_text(&text));
    str_done(&text);
}

void preview_put_state(struct preview *preview)
{
    const enum shown shown = shown_of(preview->input, preview->task);
    char hms[CLOCK_TEXT_MAX];
    struct str state = {0}, text = {0};
    frame_add_state(preview->input, preview->task, preview->kind == FRAME_PREVIEW_SHORT, &text);
    str_addf(&state, "%s ", shown_sign(shown, preview->canvas->ascii));
    if (shown != SHOWN_BACKOFF)
        str_add(&state, str_text(&text));
    else
        str_addf(&state, "%s since %s", shown_word(shown),
                 clock_hms(preview_task(preview)->since.at_ms, hms));
    if (shown != SHOWN_BACKOFF || preview->kind == FRAME_PREVIEW_ROOMY)
        preview_put(preview, "state", str_text(&state));
    if (shown == SHOWN_BACKOFF) {
        put_countdown(preview, &text);
        if (preview->kind != FRAME_PREVIEW_SHORT)
            preview_put_wait(preview);
    }
    str_done(&state);
    str_done(&text);
}

void frame_add_share(const struct attempt_state *attempt, bool ascii, struct str *out)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇"}; /* eighths of a cell */
    enum { PERMILLE = 1000, STEPS = (int)ARRAY_LEN(bars) };
    const int permille = attempt->new_permille;
    if (permille < 0)
        str_add(out, ascii ? "-" : "—");
    shown_new(permille, out);
    if (permille >= 0 && !ascii) {
        const int step = permille * STEPS / PERMILLE;
        str_addf(out, " %s", bars[step < STEPS ? step : STEPS - 1]);
    }
}

bool frame_is_same_fault(const struct attempt_state *attempts, int index)
{
    const struct attempt_state *attempt = &attempts[index];
    return index > 0 && attempt->class != VERDICT_SUCCESS &&
           digest_is_same(attempt->fingerprint, attempts[index - 1].fingerprint);
}

bool frame_add_proof(const struct frame_input *input, int task, int number, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct plan_step *plan = &state->plan->tasks[task].steps[number];
    const struct step_state *step = &state->tasks[task].steps[number];
    const struct attempt_state *attempt = step_state_attempt(step);
    if (step->status != STEP_ENDED || step->end != DECISION_SUCCEEDED || !attempt)
        return false;
    const bool failure = plan->expect.what == PLAN_EXPECT_FAILURE;
    str_addf(out, "%s (try %d), ", failure ? "failed as expected" : "passed", attempt->number);
    if (input->view->times != SHOWN_TIMES_AGO || !shown_counts(state, input->facts->orphaned)) {
        char hms[CLOCK_TEXT_MAX];
        str_addf(out, "at %s", clock_hms(attempt->ended.at_ms, hms));
        return true;
    }
    shown_duration(frame_now(input).mono_ms - attempt->ended.mono_ms, out);
    str_add(out, " ago");
    return true;
}
