/* frame_tries.c - what is proven of the chosen task and which tries there were, in the preview. */
#include "frame_preview.h"
#include "text.h"

static const struct task_state *task_of(const struct preview *preview)
{
    return &preview->state->tasks[preview->task];
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
    int room = preview->box->columns - PREVIEW_TEXT_COLUMN;
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
    preview_put(preview, label, str_text(&text));
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
        preview_put(preview, i == first ? label : "", str_text(&text));
        str_done(&text);
    }
}

static void put_parts(struct preview *preview, const char *label, int count, part_fn *add)
{
    if (preview_is_full(preview))
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
    size_t before = out->len;
    shown_attempt_class(attempt, &verdict, out);
    if (out->len == before)
        str_add(out, "as wanted");
}

/* "3 ✗ test-fail 1:47", "1 ✗ start: busy" for one that could not be started. */
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
    if (ended && attempt->outcome.kind == OUTCOME_NOT_STARTED) {
        str_add(out, "start: ");
        add_try_word(attempt, out);
        return;
    }
    if (ended)
        add_try_word(attempt, out);
    else
        str_add(out, "runs");
    str_add_char(out, ' ');
    shown_duration(ended ? attempt->outcome.ran_ms : now.mono_ms - attempt->started.mono_ms, out);
}

void preview_put_tries(struct preview *preview)
{
    int step = run_state_step_number(preview->state, preview->task);
    size_t tries = run_state_step(preview->state, preview->task)->attempt_count;
    put_parts(preview, "proof", step + 1, add_proof);
    put_parts(preview, "tries", (int)tries, add_try);
}
