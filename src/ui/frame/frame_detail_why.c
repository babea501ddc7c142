/* frame_detail_why.c - why the chosen try ended as it did, what is proven, and what else is known
 * of the task. */

#include <stddef.h>

#include "ascii.h"
#include "frame_detail_parts.h"
#include "frame_preview.h"
#include "log_words.h"
#include "retry_help.h"
#include "tries_ahead.h"

enum { HEX_SHOWN = 4 };

static const struct step_state *step_of(const struct detail *detail)
{
    return &detail->state->tasks[detail->task].steps[detail->at.step];
}

static bool has_ended(const struct detail *detail)
{
    return detail->attempt && detail->attempt->ended.mono_ms != 0;
}

static bool has_failed(const struct detail *detail)
{
    return has_ended(detail) && detail->attempt->class != VERDICT_SUCCESS;
}

/* Is it what the task stands at now? Its end is this try's doing then. */
static bool is_present(const struct detail *detail)
{
    return detail->attempt &&
           detail->attempt == step_state_attempt(run_state_step(detail->state, detail->task));
}

/* The state keeps that of a step's last failure only, which is read into *room; NULL where the log
 * has not been read for it. */
static const struct verdict *verdict_of(const struct detail *detail, struct verdict *room)
{
    const struct forensics *forensics = detail->input->facts->forensics;
    const struct log_output_key key = {
        .task = detail->task, .step = detail->at.step, .attempt = detail->at.attempt};
    const struct verdict *kept = log_words_verdict(detail->state, &key, room);
    if (kept)
        return kept;
    if (!forensics || forensics->key.task != key.task || forensics->key.step != key.step ||
        forensics->key.attempt != key.attempt)
        return NULL;
    return forensics->verdict.class != VERDICT_SUCCESS ? &forensics->verdict : NULL;
}

void detail_add_why_title(const struct detail *detail, struct str *out)
{
    if (!detail->attempt)
        str_add(out, "before the first try");
    else
        str_addf(out,
                 has_failed(detail)  ? "why try %d failed"
                 : has_ended(detail) ? "try %d passed"
                                     : "try %d runs",
                 detail->attempt->number);
}

/* As a head beside others. */
static void add_why_head(const struct detail *detail, struct str *out)
{
    const size_t from = out->len;
    detail_add_why_title(detail, out);
    for (size_t i = from; i < out->len; i++) {
        if (ascii_is_lower(out->data[i]))
            out->data[i] = (char)(out->data[i] - 'a' + 'A');
    }
}

static void put_class(struct preview *preview, const struct detail *detail)
{
    struct verdict room;
    const struct verdict *verdict = verdict_of(detail, &room);
    const struct correction *correction = detail->attempt->correction;
    struct str text = {0};
    frame_add_try_class(detail->attempt, &text);
    if (correction)
        str_addf(&text, " (says %s)", correction->by[0] != '\0' ? correction->by : "a person");
    if (verdict && verdict->rule[0] != '\0')
        str_addf(&text, "   rule %s", verdict->rule);
    if (verdict)
        shown_evidence_place(verdict, &text);
    if (verdict && verdict->near_count == 0)
        str_add(&text, "   no other rule came near");
    preview_put(preview, "class", str_text(&text));
    str_done(&text);
}

static void put_evidence(struct preview *preview, const struct detail *detail)
{
    struct verdict room;
    const struct verdict *verdict = verdict_of(detail, &room);
    struct str text = {0};
    if (!verdict)
        return;
    if (verdict->match[0] != '\0')
        str_addf(&text, "\"%s\"", verdict->match);
    preview_put(preview, "went by", str_text(&text));
    str_clear(&text);
    if (preview->kind == FRAME_PREVIEW_ROOMY || preview_has_close_miss(verdict))
        shown_near(verdict, &text);
    preview_put(preview, "near", str_text(&text));
    str_clear(&text);
    shown_hint(verdict, &text);
    preview_put(preview, "hint", str_text(&text));
    str_done(&text);
}

/* Is a result of this try's kind among the task's attempts? */
static bool task_has_fault(const struct detail *detail, int task)
{
    const int steps = detail->state->plan->tasks[task].step_count;
    for (int i = 0; i < steps; i++) {
        const struct step_state *step = &detail->state->tasks[task].steps[i];
        for (size_t n = 0; n < step->attempt_count; n++) {
            if (digest_is_same(step->attempts[n].fingerprint, detail->attempt->fingerprint))
                return true;
        }
    }
    return false;
}

static void add_tasks_alike(const struct detail *detail, struct str *out)
{
    int count = 0, first = -1;
    for (int task = 0; task < detail->state->plan->task_count; task++) {
        if (task == detail->task || !task_has_fault(detail, task))
            continue;
        first = first < 0 ? task : first;
        count++;
    }
    if (count == 0)
        str_add(out, "no other task");
    else
        str_addf(out, "also %s", detail->state->plan->tasks[first].id);
    if (count > 1)
        str_addf(out, " and %d more", count - 1);
}

/* "fault 7c1e: also in try 1, 2; no other task". */
static void put_same(struct preview *preview, const struct detail *detail)
{
    const struct step_state *step = step_of(detail);
    char hex[DIGEST_HEX_MAX];
    struct str text = {0};
    int count = 0;
    if (!digest_is_known(detail->attempt->fingerprint))
        return;
    digest_to_hex(detail->attempt->fingerprint, hex);
    str_addf(&text, "fault %.*s: ", HEX_SHOWN, hex);
    for (size_t i = 0; i < step->attempt_count; i++) {
        const struct attempt_state *other = &step->attempts[i];
        if (other == detail->attempt ||
            !digest_is_same(other->fingerprint, detail->attempt->fingerprint))
            continue;
        str_addf(&text, "%s%d", count > 0 ? ", " : "also in try ", other->number);
        count++;
    }
    str_add(&text, count > 0 ? "; " : "in no other try here; ");
    add_tasks_alike(detail, &text);
    preview_put(preview, "same", str_text(&text));
    str_done(&text);
}

static void put_told(struct preview *preview, const struct detail *detail)
{
    const struct attempt_hint *hint = detail->attempt->hint;
    struct str text = {0};
    if (!hint || hint->text[0] == '\0')
        return;
    str_addf(&text, "\"%s\"%s%s", hint->text, hint->by[0] != '\0' ? ", by " : "", hint->by);
    preview_put(preview, "told", str_text(&text));
    str_done(&text);
}

/* How its end came about, where it did not fail. */
static void put_end(struct preview *preview, const struct detail *detail)
{
    struct str text = {0};
    outcome_words(&detail->attempt->outcome, &text);
    str_add(&text, " after ");
    shown_ran(&detail->attempt->outcome, &text);
    preview_put(preview, "ended", str_text(&text));
    str_done(&text);
}

static void put_try(struct preview *preview, const struct detail *detail)
{
    put_told(preview, detail);
    if (has_failed(detail)) {
        put_class(preview, detail);
        put_evidence(preview, detail);
        put_same(preview, detail);
    } else if (has_ended(detail)) {
        put_end(preview, detail);
    }
    if (has_failed(detail) && is_present(detail)) {
        preview_put_ending(preview);
        preview_put_misfits(preview);
    }
}

/* Of a task without a try: who cancelled it, what it needs. */
static void put_cause(struct preview *preview)
{
    struct str text = {0};
    shown_cause(preview->state, preview->task, &text);
    preview_put(preview, "why", str_text(&text));
    str_done(&text);
}

static void put_head(struct preview *preview, const char *words, const char *note)
{
    const struct frame_box *box = preview->box;
    if (preview->row > -preview->input->view->preview.top && !preview_is_full(preview))
        preview->row++;
    if (preview_is_full(preview))
        return;
    const struct spot spot = {box->row + preview->row++, box->column + 1, box->columns - 2};
    if (spot.row < box->row) /* scrolled out */
        return;
    const int end = frame_put_right(preview->canvas, spot, STYLE_RULE, note);
    (void)frame_put(preview->canvas, (struct spot){spot.row, spot.column, end - spot.column},
                    STYLE_HEAD, words);
}

/* One step: proven by what and when, tried in vain, or not reached. */
static void put_step(struct preview *preview, int number)
{
    const struct plan_step *plan = &preview->state->plan->tasks[preview->task].steps[number];
    const struct step_state *step = &preview->state->tasks[preview->task].steps[number];
    const struct attempt_state *attempt = step_state_attempt(step);
    const bool ascii = preview->canvas->ascii;
    const char *mark = ascii ? "." : "·";
    struct str words = {0}, text = {0};
    const bool is_stale = shown_proof(preview->state, preview->task, number) == SHOWN_PROOF_STALE;
    if (frame_add_proof(preview->input, preview->task, number, &words)) {
        mark = is_stale ? "?" : shown_sign(SHOWN_PASSED, ascii);
        str_add(&words, is_stale ? "; stale: the tree has changed since" : "");
    } else if (attempt && attempt->ended.mono_ms != 0) {
        str_add(&words, "not yet: last try ");
        outcome_words(&attempt->outcome, &words);
    } else {
        str_add(&words, attempt ? "runs" : "not reached");
    }
    str_addf(&text, "%s %s", mark, str_text(&words));
    preview_put(preview, phase_name(plan->phase), str_text(&text));
    str_done(&words);
    str_done(&text);
}

/* How often what is like it passed, where there is enough like it. */
static void add_chance(const struct preview *preview, struct str *out)
{
    const struct retry_help *retries = preview->input->facts->retries;
    struct retry_case like;
    struct retry_odds odds;
    if (retries && retry_case_of(preview->state, preview->task, &like) &&
        retry_help_odds(retries, &like, &odds))
        retry_odds_words(&odds, out);
}

/* What comes if nobody does anything, of a task that waits; and what may come of another try. */
static void put_ahead(struct preview *preview)
{
    const struct shown_time time = frame_time(preview->input);
    struct tries_ahead ahead;
    struct str tries = {0};
    struct str chance = {0};
    if (!preview->input->facts->orphaned && tries_ahead(preview->state, preview->task, &ahead))
        tries_ahead_words(&ahead, &time, &tries);
    add_chance(preview, &chance);
    if (tries.len + chance.len > 0)
        put_head(preview, "IF IT GOES ON", "");
    if (tries.len > 0)
        preview_put(preview, "tries", tries.data);
    if (chance.len > 0)
        preview_put(preview, "chance", chance.data);
    str_done(&tries);
    str_done(&chance);
}

static void put_all(struct preview *preview, const struct detail *detail)
{
    const int steps = detail->state->plan->tasks[detail->task].step_count;
    put_head(preview, "WHAT IS PROVEN", "");
    for (int i = 0; i < steps; i++)
        put_step(preview, i);
    preview_put_said(preview);
    put_ahead(preview);
    put_head(preview, "THE TASK", "");
    preview_put_agent(preview);
    preview_put_circles(preview);
    preview_put_place(preview);
    preview_put_command(preview);
}

int detail_draw_why(struct canvas *canvas, const struct frame_box *box,
                    enum frame_preview_kind kind, const struct detail *detail)
{
    struct preview preview = {
        .canvas = canvas,
        .box = box,
        .input = detail->input,
        .state = detail->state,
        .kind = kind,
        .task = detail->task,
        .text_column = PREVIEW_TEXT_COLUMN_DETAIL,
        .row = kind == FRAME_PREVIEW_ROOMY ? -detail->input->view->preview.top : 0,
    };
    const int top = -preview.row;
    if (kind == FRAME_PREVIEW_ROOMY) {
        struct str title = {0};
        add_why_head(detail, &title);
        put_head(&preview, str_text(&title), "i all captures");
        str_done(&title);
    }
    if (detail->attempt)
        put_try(&preview, detail);
    else
        put_cause(&preview);
    if (kind == FRAME_PREVIEW_ROOMY) {
        put_all(&preview, detail);
        return preview.row + top;
    }
    preview_put_proofs(&preview);
    preview_put_said(&preview);
    preview_put_wait(&preview);
    if (kind == FRAME_PREVIEW_WITH_LOG) {
        preview_put_agent(&preview);
        preview_put_circles(&preview);
        preview_put_place(&preview);
    }
    return preview.row;
}
