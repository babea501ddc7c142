/* frame_tries.c - what is proven of the chosen task and which tries there were, in the preview. */
#include "frame_preview.h"
#include "text.h"

/* "RED: failed as expected (try 1), 0:12 ago" for a step that has ended well. */
static void add_proof(const struct preview *preview, int number, struct str *out)
{
    const struct plan_step *plan = &preview->state->plan->tasks[preview->task].steps[number];
    str_addf(out, "%s: ", phase_name(plan->phase));
    if (!frame_add_proof(preview->input, preview->task, number, out))
        str_add(out, "none yet");
}

/* `add` appends part 0 .. count - 1. */
typedef void part_fn(const struct preview *preview, int part, struct str *out);
struct parts {
    int count;
    part_fn *add;
    const char *after; /* words behind the last one; "" = none */
};

/* As many of the last parts as fit into a line, in their order. */
static void put_last_parts(struct preview *preview, const char *label, struct parts parts)
{
    int room = preview->box->columns - preview->text_column;
    struct str text = {0};
    str_add(&text, parts.after);
    for (int i = parts.count - 1; i >= 0; i--) {
        struct str longer = {0};
        parts.add(preview, i, &longer);
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
static void put_parts_below(struct preview *preview, const char *label, struct parts parts)
{
    int room = preview->box->rows - preview->row;
    int first = parts.count > room ? parts.count - room : 0;
    for (int i = first; i < parts.count; i++) {
        struct str text = {0};
        parts.add(preview, i, &text);
        preview_put(preview, i == first ? label : "", str_text(&text));
        str_done(&text);
    }
}

static void put_parts(struct preview *preview, const char *label, struct parts parts)
{
    if (preview_is_full(preview))
        return;
    if (preview->kind == FRAME_PREVIEW_ROOMY)
        put_parts_below(preview, label, parts);
    else
        put_last_parts(preview, label, parts);
}

/* "3 ✗ test-fail 1:47", "1 ✗ start: busy" for one that could not be started. */
static void add_try(const struct preview *preview, int index, struct str *out)
{
    const struct attempt_state *attempts = run_state_step(preview->state, preview->task)->attempts;
    const struct attempt_state *attempt = &attempts[index];
    bool ascii = preview->canvas->ascii;
    struct moment now = frame_now(preview->input);
    bool ended = attempt->ended.mono_ms != 0;
    enum shown sign = SHOWN_RUNNING;
    if (ended)
        sign = attempt->class == VERDICT_SUCCESS ? SHOWN_PASSED : SHOWN_GAVE_UP;
    str_addf(out, "%d %s ", attempt->number, shown_sign(sign, ascii));
    if (ended && attempt->outcome.kind == OUTCOME_NOT_STARTED) {
        str_add(out, "start: ");
        frame_add_try_class(attempt, out);
        return;
    }
    if (ended)
        frame_add_try_class(attempt, out);
    else
        str_add(out, "runs");
    str_add_char(out, ' ');
    if (ended)
        shown_ran(&attempt->outcome, out);
    else
        shown_duration(now.mono_ms - attempt->started.mono_ms, out);
    if (!ended || preview->kind != FRAME_PREVIEW_ROOMY)
        return;
    if (attempt->new_permille >= 0) {
        str_add(out, "  new ");
        frame_add_share(attempt, preview->canvas->ascii, out);
    }
    if (frame_is_same_fault(attempts, index))
        str_add(out, "  same fault");
}

static void add_try_share(const struct preview *preview, int index, struct str *out)
{
    frame_add_share(&run_state_step(preview->state, preview->task)->attempts[index],
                    preview->canvas->ascii, out);
}

static bool is_little_new(const struct attempt_state *attempts, int index)
{
    enum { LITTLE_PERMILLE = 100 };
    int permille = attempts[index].new_permille;
    return permille >= 0 && permille <= LITTLE_PERMILLE;
}

/* How many of the last tries in a row it is true of. */
static int count_last(const struct attempt_state *attempts, int ended,
                      bool (*holds)(const struct attempt_state *attempts, int index))
{
    int count = 0;
    while (count < ended && holds(attempts, ended - 1 - count))
        count++;
    return count;
}

/* That the last tries said the same, or hardly anything new; nothing for a single one. */
static void add_running_same(const struct attempt_state *attempts, int ended, struct str *out)
{
    int same = count_last(attempts, ended, frame_is_same_fault);
    int little = count_last(attempts, ended, is_little_new);
    if (same > 0)
        str_addf(out, "the same result %d times running", same + 1);
    else if (little > 1)
        str_addf(out, "hardly anything new %d times running", little);
}

/* What share of each try's output was new; in lines of their own they have it beside them. */
static void put_shares(struct preview *preview)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    int ended = (int)step->attempt_count;
    if (ended > 0 && step->attempts[ended - 1].ended.mono_ms == 0)
        ended--;
    bool is_known = false;
    for (int i = 0; i < ended; i++)
        is_known = is_known || step->attempts[i].new_permille >= 0;
    if (!is_known || ended < 2 || preview->kind == FRAME_PREVIEW_ROOMY)
        return;
    struct str same = {0};
    add_running_same(step->attempts, ended, &same);
    put_last_parts(preview, "new", (struct parts){ended, add_try_share, str_text(&same)});
    str_done(&same);
}

void preview_put_proofs(struct preview *preview)
{
    const int step = run_state_step_number(preview->state, preview->task);
    put_parts(preview, "proof", (struct parts){step + 1, add_proof, ""});
}

void preview_put_tries(struct preview *preview)
{
    preview_put_proofs(preview);
    preview_put_present_tries(preview);
}

void preview_put_present_tries(struct preview *preview)
{
    size_t tries = run_state_step(preview->state, preview->task)->attempt_count;
    put_parts(preview, "tries", (struct parts){(int)tries, add_try, ""});
    put_shares(preview);
}
