/* frame_timeline_notes.c - the decision under the cursor, below the bars. */
#include "frame_page.h"
#include "frame_parts.h"
#include "frame_timeline_parts.h"
#include "line_wrap.h"
#include "shown.h"
#include "text.h"

enum { PERCENT = 100 };

static bool is_latest(const struct timeline_subject *subject, const struct attempt_state *attempt)
{
    const struct step_state *step = run_state_step(subject->state, subject->task);
    return attempt && attempt == step_state_attempt(step);
}

/* What a try came to: "try 3: test-fail"; with room "try 3 GREEN: exit 1, test-fail". */
static void add_try(const struct timeline_subject *subject, bool is_roomy, struct str *out)
{
    const struct span *span = subject->span;
    const struct attempt_state *attempt = span_attempt(span, subject->state, subject->task);
    const struct plan_step *plan = &subject->state->plan->tasks[subject->task].steps[span->step];
    if (!attempt) {
        str_add(out, "no try yet");
        return;
    }
    str_addf(out, "try %d", attempt->number);
    if (is_roomy)
        str_addf(out, " %s", phase_name(plan->phase));
    str_add(out, ": ");
    if (attempt->ended.at_ms == 0) {
        str_add(out, subject->look->input->facts->orphaned ? "lost" : "runs");
        return;
    }
    const struct failure_class class = failure_class_of(attempt);
    const bool has_word =
        class.label.class == VERDICT_TRANSIENT ||
        (class.label.class == VERDICT_PERSISTENT && class.label.reason != REASON_NONE);
    if (is_roomy || !has_word)
        outcome_words(&attempt->outcome, out);
    if (has_word) {
        str_add(out, is_roomy ? ", " : "");
        failure_class_word(&class, out);
    }
}

/* Why it is as it is: the formula of the wait that is on, what the last decision went by. */
static void add_because(const struct timeline_subject *subject, struct str *out)
{
    const struct span *span = subject->span;
    const struct step_state *step = run_state_step(subject->state, subject->task);
    const struct attempt_state *attempt = span_attempt(span, subject->state, subject->task);
    const bool is_present = is_latest(subject, attempt);
    switch (span->kind) {
    case SPAN_BACKOFF:
        if (is_present)
            shown_formula(step, out);
        break;
    case SPAN_NEEDS_YOU:
    case SPAN_OVER:
        if (is_present)
            shown_ending(subject->state, subject->task, out);
        break;
    case SPAN_HELD:
        if (subject->state->tasks[subject->task].held && subject->state->tasks[subject->task].by)
            str_addf(out, "by %s", subject->state->tasks[subject->task].by);
        break;
    case SPAN_RUNNING:
    case SPAN_QUIET:
        if (attempt && attempt->waited_ms > 0) {
            str_add(out, "waited ");
            shown_duration(attempt->waited_ms, out);
            str_add(out, " before it");
        }
        break;
    case SPAN_QUEUED:
    case SPAN_GATE:
    case SPAN_KIND_COUNT:
        break;
    }
}

/* "0:11  0:22  0:27   waiting 15 % of this task's age"; in short "0:11 0:22 0:27, 15 % of its age".
 */
static void add_waits(const struct timeline_subject *subject, bool is_brief, struct str *out)
{
    enum { WAITS_MAX = 8 };
    const struct timeline *timeline = &subject->look->timeline;
    int64_t waited_ms = 0, age_ms = 0;
    int count = 0;
    struct str waits = {0};
    for (size_t i = 0; i < timeline->count; i++) {
        const struct span *span = &timeline->spans[i];
        const int64_t ms = span->until_ms - span->from_ms;
        const bool has_begun = span->attempt > 0;
        if (span->is_planned || !has_begun || span->kind == SPAN_OVER)
            continue;
        age_ms += ms;
        if (span->kind != SPAN_BACKOFF)
            continue;
        waited_ms += ms;
        if (++count > WAITS_MAX)
            continue;
        str_add(&waits, count == 1 ? "" : is_brief ? " " : "  ");
        shown_duration(ms, &waits);
    }
    if (count == 0)
        str_add(out, "none");
    else
        str_addf(out, "%s%s", str_text(&waits), count > WAITS_MAX ? "  ..." : "");
    if (waited_ms > 0 && age_ms > 0)
        str_addf(out, is_brief ? ", %d %% of its age" : "   waiting %d %% of this task's age",
                 (int)((double)waited_ms * PERCENT / (double)age_ms + 0.5));
    str_done(&waits);
}

static struct timeline_subject find_subject(struct timeline_look *look)
{
    const struct frame_input *input = look->input;
    const struct moment now = frame_now(input);
    const struct view_timeline *view = &input->view->timeline;
    struct timeline_subject subject = {
        look, input->facts->state, NULL, input->view->chosen, {0, 0}};
    if (subject.task < 0)
        return subject;
    timeline_read(&look->timeline, subject.state, subject.task, &now, input->facts->orphaned);
    const int found = bar_span_at(&look->timeline, &subject.state->plan->tasks[subject.task],
                                  &look->axis, view->is_placed, view_timeline_cursor(view, &now));
    if (found < 0)
        return subject;
    const struct span *spans = look->timeline.spans;
    subject.span = &spans[found];
    subject.at = (struct stretch){spans[found].from_ms, spans[found].until_ms};
    if (spans[found].is_planned && found > 0 && spans[found - 1].kind == SPAN_BACKOFF)
        subject.at.from_ms = spans[found - 1].from_ms;
    if ((size_t)found + 1 < look->timeline.count && spans[found + 1].is_planned)
        subject.at.until_ms = spans[found + 1].until_ms;
    return subject;
}

/* What is too long for a line goes on below. */
static void put_pair(struct timeline_lines *lines, const char *label, const struct str *text)
{
    enum { LABEL = 11, ROWS_MAX = 3 };
    const int columns = lines->box->columns - 1 - LABEL;
    size_t at = 0;
    for (int row = 0; row < ROWS_MAX && at < text->len; row++) {
        const size_t left = text->len - at;
        const size_t len =
            row < ROWS_MAX - 1 ? line_wrap_fit(text->data + at, left, columns) : left;
        struct str line = {0};
        str_addf(&line, "%-*s", LABEL, row == 0 ? label : "");
        str_add_n(&line, text->data + at, len);
        timeline_put_line(lines, &line);
        str_done(&line);
        at += len;
    }
}

static const char *because_label(enum span_kind kind)
{
    if (kind == SPAN_BACKOFF)
        return "formula";
    return kind == SPAN_RUNNING || kind == SPAN_QUIET ? "start" : "because";
}

/* With a line of its own for each part. */
static void put_wide(struct timeline_lines *lines, const struct timeline_subject *subject)
{
    const struct run_state *state = subject->state;
    struct str text = {0};
    add_try(subject, true, &text);
    put_pair(lines,
             subject->span->attempt > 0 && subject->span->kind != SPAN_RUNNING &&
                     subject->span->kind != SPAN_QUIET
                 ? "after"
                 : "what",
             &text);
    str_clear(&text);
    add_because(subject, &text);
    put_pair(lines, because_label(subject->span->kind), &text);
    str_clear(&text);
    if (is_latest(subject, span_attempt(subject->span, state, subject->task)))
        shown_cause(state, subject->task, &text);
    put_pair(lines, "why", &text);
    str_clear(&text);
    str_addf(&text, "engine, policy \"%s\"",
             state->plan->tasks[subject->task].steps[subject->span->step].policy->name);
    put_pair(lines, "by", &text);
    str_clear(&text);
    add_waits(subject, false, &text);
    put_pair(lines, "waits", &text);
    str_done(&text);
}

static void put_fitting(struct timeline_lines *lines, const struct str *texts, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && text_width(str_text(&texts[i]), texts[i].len) > lines->box->columns - 1)
        i++;
    timeline_put_line(lines, &texts[i]);
}

/* What it came to and what follows of it; what follows alone; the first alone. */
static void put_narrow(struct timeline_lines *lines, const struct timeline_subject *subject)
{
    enum { BOTH, BECAUSE, TRY, COUNT };
    struct str texts[COUNT] = {{0}};
    const enum span_kind kind = subject->span->kind;
    if (subject->span->attempt > 0 && kind != SPAN_RUNNING && kind != SPAN_QUIET)
        str_add(&texts[TRY], "after ");
    add_try(subject, false, &texts[TRY]);
    add_because(subject, &texts[BECAUSE]);
    if (texts[BECAUSE].len > 0)
        str_addf(&texts[BOTH], "%s   %s", str_text(&texts[TRY]), texts[BECAUSE].data);
    else
        str_add(&texts[BOTH], str_text(&texts[TRY]));
    put_fitting(lines, texts, texts[BECAUSE].len > 0 ? COUNT : 1);
    for (int i = 0; i < COUNT; i++)
        str_clear(&texts[i]);
    str_add(&texts[0], "waits so far: ");
    add_waits(subject, false, &texts[0]);
    str_add(&texts[1], "waits: ");
    add_waits(subject, true, &texts[1]);
    put_fitting(lines, texts, 2);
    for (int i = 0; i < COUNT; i++)
        str_done(&texts[i]);
}

/* The times are left out first. */
static void draw_title(const struct timeline_subject *subject, const struct frame_box *box)
{
    enum { RULE_ENDS = 6 };
    const struct view *view = subject->look->input->view;
    struct str title = {0};
    struct str more = {0};
    if (subject->task >= 0)
        timeline_add_title(subject, true, &title);
    if (text_width(str_text(&title), title.len) > box->columns - RULE_ENDS) {
        str_clear(&title);
        timeline_add_title(subject, false, &title);
    }
    if (box->columns >= TIMELINE_MORE_COLUMNS)
        frame_add_more_rows(view, view->timeline.top, view->timeline.rows, &more);
    frame_rule(subject->look->canvas, (struct spot){box->row, box->column, box->columns},
               str_text(&title), str_text(&more));
    str_done(&title);
    str_done(&more);
}

void timeline_draw_decision(struct timeline_look *look, const struct frame_box *box)
{
    enum { ROWS_BRIEF = 4 }; /* higher: a line for each part */
    const struct timeline_subject subject = find_subject(look);
    const bool is_brief = box->rows <= ROWS_BRIEF;
    struct frame_box left = *box;
    struct timeline_lines lines = {look->canvas, &left, box->row + 1};
    draw_title(&subject, box);
    if (box->columns >= PAGE_WIDE_COLUMNS && !is_brief) {
        canvas_upright(look->canvas, lines.row, TIMELINE_NOTES_COLUMNS + 1, box->rows - 1);
        left.columns = TIMELINE_NOTES_COLUMNS;
    }
    if (subject.span && !is_brief)
        put_wide(&lines, &subject);
    else if (subject.span)
        put_narrow(&lines, &subject);
}
