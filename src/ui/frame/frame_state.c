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

/* Returns true if nothing is running. Then frame_now() is the time of the end, or of the last sign
 * of life, and no "ago" is shown. */
static bool nothing_runs(const struct frame_input *input)
{
    return !shown_counts(input->facts->state, input->facts->mode == VIEW_INTERRUPTED);
}

static bool task_allows(const struct preview *preview, enum act act)
{
    return view_task_allows(preview->input->facts, preview->task, act);
}

static enum shown shown_of(const struct preview *preview)
{
    return shown_task(preview->state, preview->task, preview->input->facts->orphaned);
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

/* Appends a time of day with seconds, and the date if it is another day. */
static void add_clock(const struct preview *preview, int64_t at_ms, struct str *out)
{
    char text[CLOCK_TEXT_MAX], hms[CLOCK_TEXT_MAX];
    const char *blank = strrchr(clock_short(at_ms, frame_now(preview->input).at_ms, text), ' ');
    if (blank)
        str_add_n(out, text, (size_t)(blank + 1 - text));
    str_add(out, clock_hms(at_ms, hms));
}

/* Appends "try 4 in 0:18, at 14:02:55". */
static void add_countdown(const struct preview *preview, struct str *out)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    const struct start_tries start = run_state_start_tries(preview->state, preview->task);
    const int64_t left_ms = step->due.mono_ms - frame_now(preview->input).mono_ms;
    if (start.at > 0) /* the latest attempt to start failed */
        str_addf(out, "start %d of %d ", start.at + 1, start.of);
    else
        str_addf(out, "try %u ", step->attempt_count + 1);
    if (left_ms <= 0) {
        str_add(out, "is due");
        return;
    }
    str_add(out, "in ");
    shown_duration(left_ms + MS_PER_S - 1, out);
    str_add(out, ", at ");
    add_clock(preview, step->due.at_ms, out);
}

static void put_countdown(struct preview *preview)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    struct moment now = frame_now(preview->input);
    const bool is_wide = preview->box->columns >= BAR_COLUMNS_MIN;
    const int room = preview->box->columns - preview->text_column;
    struct str text = {0}, bar = {0}, hint = {0};
    add_countdown(preview, &text);
    add_bar(step, &now, &bar);
    if (is_wide) {
        const int bar_columns = BAR_GAP + text_width(str_text(&bar), bar.len);
        if (text_width(text.data, text.len) + bar_columns <= room)
            str_addf(&text, "%*s%s", BAR_GAP, "", str_text(&bar));
        frame_say(preview->input, "   {retry} = now", &hint);
        const bool fits = text_width(text.data, text.len) + (int)hint.len <= room;
        if (preview->input->facts->mode == VIEW_LIVE && task_allows(preview, UI_RETRY) && fits)
            str_add(&text, str_text(&hint));
    }
    preview_put(preview, "next", str_text(&text));
    if (!is_wide && preview->kind == FRAME_PREVIEW_ROOMY)
        preview_put(preview, "", str_text(&bar));
    str_done(&text);
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
    if (attempt->pid > 0 && preview->kind != FRAME_PREVIEW_SHORT)
        str_addf(out, ", pid %lld", (long long)attempt->pid);
    if (step->quiet) {
        str_add(out, ", no output for ");
        shown_duration(now.mono_ms - step->heard_mono_ms, out);
    }
    if (preview_task(preview)->held)
        str_add(out, ", held: no more tries after this one");
}

/* Appends what a queued task waits for: "waits for the rate limit of claude, may start in 0:18; r
 * sends it first", a slot, or other tasks. */
static void add_queued(const struct preview *preview, struct str *out)
{
    const struct run_state *state = preview->state;
    const struct plan *plan = state->plan;
    const struct plan_task *task = &plan->tasks[preview->task];
    const struct moment now = frame_now(preview->input);
    struct str words = {0};
    if (shown_behind_gate(state, preview->task, &now, &words)) {
        const int number = run_state_step_number(state, preview->task);
        const struct gate_state *gate = run_state_gate(state, preview->task);
        str_addf(out, "waits for the rate limit of %s", plan->sources[task->steps[number].source]);
        if (gate->status == GATE_PROBING)
            str_addf(out, ", while %s tries", plan->tasks[gate->probe].id);
        else if (gate->due.mono_ms <= now.mono_ms && gate->status == GATE_CLOSED)
            str_addf(out, ", after %s tries", plan->tasks[gate_next(gate)].id);
        else
            str_addf(out, ", may start in %s", strchr(str_text(&words), ' ') + 1);
        if (gate->status == GATE_CLOSED && preview->input->facts->mode == VIEW_LIVE &&
            task_allows(preview, UI_RETRY))
            frame_say(preview->input, "; {retry} sends it first", out);
    } else if (!state->started) {
        str_add(out, "the run has not started");
    } else if (preview_task(preview)->unmet == 0) {
        str_addf(out, "waits for a slot; %d of %d in use", state->running, state->jobs);
    } else {
        const char *before = "waits for ";
        for (int i = 0; i < task->need_count; i++) {
            if (state->tasks[task->needs[i]].status == TASK_PASSED)
                continue;
            str_addf(out, "%s%s", before, plan->tasks[task->needs[i]].id);
            before = ", ";
        }
    }
    str_done(&words);
}

static void add_since(const struct preview *preview, struct str *out)
{
    const struct moment *since = &preview_task(preview)->since;
    struct moment now = frame_now(preview->input);
    char hms[CLOCK_TEXT_MAX];
    if (since->at_ms <= 0)
        return;
    str_addf(out, " at %s", clock_hms(since->at_ms, hms));
    if (nothing_runs(preview->input))
        return;
    str_add(out, ", ");
    shown_duration(now.mono_ms - since->mono_ms, out);
    str_add(out, " ago");
}

/* Appends when a limit resets that no task waits for. Returns false if no time is known, or it has
 * passed. */
static bool add_resets(const struct preview *preview, struct str *out)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    int64_t at_ms = shown_resets_at_ms(step);
    int64_t left_ms = at_ms - frame_now(preview->input).at_ms;
    if (at_ms < 0 || left_ms <= 0)
        return false;
    str_add(out, "; resets in ");
    shown_duration(left_ms + MS_PER_S - 1, out);
    str_add(out, ", at ");
    add_clock(preview, at_ms, out);
    return true;
}

static void add_state(const struct preview *preview, struct str *out)
{
    const enum shown shown = shown_of(preview);
    const struct task_state *task = preview_task(preview);
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(preview->state, preview->task));
    const bool is_out_of_budget = attempt && attempt->reason == REASON_BUDGET;
    switch (shown) {
    case SHOWN_RUNNING:
    case SHOWN_QUIET:
        add_running(preview, out);
        return;
    case SHOWN_STOPPING:
        str_addf(out, "cancelled by %s ", task->by ? task->by : "a person");
        shown_duration(frame_now(preview->input).mono_ms - task->cancelled_at.mono_ms, out);
        str_add(out, " ago; its processes have not exited yet");
        return;
    case SHOWN_QUEUED:
        add_queued(preview, out);
        return;
    case SHOWN_NEEDS_YOU:
        str_add(out, "stopped");
        add_since(preview, out);
        if (!is_out_of_budget && add_resets(preview, out))
            return;
        if (task_allows(preview, UI_RETRY))
            frame_say(preview->input,
                      is_out_of_budget ? "; {retry} grants the same budget again"
                                       : "; {retry} retries once it is fixed",
                      out);
        return;
    case SHOWN_HELD:
        if (task->follows >= 0) {
            str_addf(out, "waits for %s, which has the same fault",
                     preview->state->plan->tasks[task->follows].id);
            if (task_allows(preview, UI_HOLD))
                frame_say(preview->input, "; {hold} releases it now", out);
        } else if (task_allows(preview, UI_HOLD)) {
            frame_say(preview->input, "held: no new tries until {hold} releases it", out);
        } else {
            str_add(out, "held: no new tries until it is released");
        }
        return;
    case SHOWN_STUCK:
        str_add(out, "stuck");
        add_since(preview, out);
        if (preview->input->facts->mode == VIEW_LIVE && task_allows(preview, UI_RETRY))
            frame_say(preview->input, "; {retry} continues, up to twice as many", out);
        return;
    case SHOWN_LOST:
        str_add(out, "was running when devs was killed");
        return;
    case SHOWN_BACKOFF:
    case SHOWN_PASSED:
    case SHOWN_GAVE_UP:
    case SHOWN_CANCELLED:
    case SHOWN_BLOCKED:
    case SHOWN_COUNT:
        break;
    }
    str_add(out, shown_word(shown));
    add_since(preview, out);
    (void)add_resets(preview, out);
}

void preview_put_state(struct preview *preview)
{
    const enum shown shown = shown_of(preview);
    const bool ascii = preview->canvas->ascii;
    struct str text = {0};
    if (shown != SHOWN_BACKOFF) {
        str_addf(&text, "%s ", shown_sign(shown, ascii));
        add_state(preview, &text);
        preview_put(preview, "state", str_text(&text));
        str_done(&text);
        return;
    }
    if (preview->kind == FRAME_PREVIEW_ROOMY) {
        char hms[CLOCK_TEXT_MAX];
        str_addf(&text, "%s %s since %s", shown_sign(shown, ascii), shown_word(shown),
                 clock_hms(preview_task(preview)->since.at_ms, hms));
        preview_put(preview, "state", str_text(&text));
        str_done(&text);
    }
    put_countdown(preview);
    if (preview->kind != FRAME_PREVIEW_SHORT)
        preview_put_wait(preview);
}

static struct preview words_of(const struct frame_input *input, int task)
{
    return (struct preview){
        .input = input, .state = input->facts->state, .kind = FRAME_PREVIEW_ROOMY, .task = task};
}

void frame_add_state(const struct frame_input *input, int task, struct str *out)
{
    const struct preview preview = words_of(input, task);
    if (shown_of(&preview) == SHOWN_BACKOFF)
        add_countdown(&preview, out);
    else
        add_state(&preview, out);
}

void frame_add_bar(const struct frame_input *input, int task, struct str *out)
{
    const struct preview preview = words_of(input, task);
    const struct moment now = frame_now(input);
    if (shown_of(&preview) == SHOWN_BACKOFF)
        add_bar(run_state_step(preview.state, task), &now, out);
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
    if (input->view->times != SHOWN_TIMES_AGO || nothing_runs(input)) {
        char hms[CLOCK_TEXT_MAX];
        str_addf(out, "at %s", clock_hms(attempt->ended.at_ms, hms));
        return true;
    }
    shown_duration(frame_now(input).mono_ms - attempt->ended.mono_ms, out);
    str_add(out, " ago");
    return true;
}
