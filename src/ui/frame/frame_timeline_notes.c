/* frame_timeline_notes.c - the parts below the bars: the decision under the cursor, where the time
 * went, the load, and whether retrying helps. */
#include <string.h>

#include "clock.h"
#include "frame_internal.h"
#include "lines.h"
#include "retry_help.h"
#include "shown.h"
#include "text.h"
#include "timeline.h"

/* Rows of text in a box. */
struct timeline_lines {
    struct canvas *canvas;
    const struct frame_box *box;
    int row; /* next row of the canvas */
};

/* The task and span under the cursor. */
struct timeline_subject {
    const struct timeline_look *look;
    const struct run_state *state;
    const struct span *span; /* NULL = no span there */
    int task;
    struct stretch at; /* time range of the span, including its planned part */
};

enum { SECOND_MS = 1000 };

static const char *const kind_words[] = {
    [SPAN_QUEUED] = "queued",
    [SPAN_GATE] = "held back by a limit",
    [SPAN_RUNNING] = "ran",
    [SPAN_QUIET] = "no output for",
    [SPAN_BACKOFF] = "backoff",
    [SPAN_HELD] = "held for",
    [SPAN_NEEDS_YOU] = "needs you, for",
    [SPAN_OVER] = "had ended",
};

static void add_clock(const struct timeline_subject *subject, int64_t ms, struct str *out)
{
    char text[CLOCK_TEXT_MAX];
    str_add(out, clock_hms(ms + subject->look->axis.wall_ms, text));
}

/* Appends "T-104  14:02:10 to 14:02:55  backoff 45 s (planned)", optionally without the times. */
static void timeline_add_title(const struct timeline_subject *subject, bool has_times,
                               struct str *out)
{
    const struct span *span = subject->span;
    const struct stretch *at = &subject->at;
    const int64_t now_ms = frame_now(subject->look->input).mono_ms;
    str_add(out, subject->state->plan->tasks[subject->task].id);
    if (!span) {
        str_add(out, "  nothing yet");
        return;
    }
    const bool goes_on = at->until_ms >= now_ms && span->end == SPAN_END_NONE;
    str_add(out, "  ");
    if (has_times) {
        add_clock(subject, at->from_ms, out);
        str_add(out, " to ");
        if (!goes_on || at->until_ms > now_ms)
            add_clock(subject, at->until_ms, out);
        else
            str_add(out, "now");
        str_add(out, "  ");
    }
    if (span->kind == SPAN_RUNNING && goes_on)
        str_add(out, "running for");
    else if (span->kind == SPAN_OVER && goes_on) /* use the same words as other screens */
        str_add(out, shown_word(shown_task(subject->state, subject->task, false)));
    else
        str_add(out, kind_words[span->kind]);
    if (span->kind != SPAN_OVER) {
        const int64_t ms = at->until_ms - at->from_ms;
        str_add(out, " ");
        if (span->kind != SPAN_BACKOFF)
            shown_duration(ms, out);
        else if (ms >= SECOND_MS) /* a wait as in its formula: "45 s" */
            shown_seconds((ms + SECOND_MS / 2) / SECOND_MS * SECOND_MS, out);
        else
            shown_seconds(ms, out);
    }
    if (at->until_ms > now_ms)
        str_add(out, " (planned)");
}

enum { SPENT_LABEL = 7, SPENT_BAR_MAX = 42, SPENT_NUMBERS = 17 };

/* Draws a line; nothing if the text is empty, or below the box. */
static void timeline_put_line(struct timeline_lines *lines, const struct str *text)
{
    const struct frame_box *box = lines->box;
    if (lines->row >= box->row + box->rows || text->len == 0)
        return;
    (void)frame_put(lines->canvas, (struct spot){lines->row, box->column + 1, box->columns - 1},
                    STYLE_PLAIN, str_text(text));
    lines->row++;
}

/* Draws "work  ####------  69%   39:44" and a note. */
static void put_spent(struct timeline_lines *lines, const struct time_spent *spent,
                      enum time_use use, const char *note)
{
    const struct frame_box *box = lines->box;
    const int left = box->columns - 1 - SPENT_LABEL - SPENT_NUMBERS;
    const int room = left * 2 / 3 < SPENT_BAR_MAX ? left * 2 / 3 : SPENT_BAR_MAX;
    const int percent = time_spent_percent(spent, use);
    struct str text = {0};
    struct str time = {0};
    if (lines->row >= box->row + box->rows)
        return;
    int filled = spent->total_ms > 0
                     ? (int)((double)room * (double)spent->ms[use] / (double)spent->total_ms)
                     : 0;
    if (filled == 0 && spent->ms[use] > 0)
        filled = 1; /* small, but not zero */
    str_addf(&text, "%-6s", time_use_name(use));
    for (int i = 0; i < room; i++)
        str_add_char(&text, i < filled ? '#' : '-');
    shown_duration(spent->ms[use], &time);
    str_addf(&text, " %3d%% %7s", percent, str_text(&time));
    const int note_columns = box->columns - 1 - text_width(text.data, text.len) - 2;
    if (*note != '\0' && text_width(note, strlen(note)) <= note_columns)
        str_addf(&text, "  %s", note);
    timeline_put_line(lines, &text);
    str_done(&text);
    str_done(&time);
}

/* Appends "timeout 5:48   test-fail 3:23", at most `most` classes. */
static void add_classes(const struct time_spent *spent, int most, struct str *out)
{
    for (int i = 0; i < spent->class_count && i < most; i++) {
        str_add(out, i > 0 ? "   " : "");
        failure_class_word(&spent->classes[i].class, out);
        str_add(out, " ");
        shown_duration(spent->classes[i].waited_ms, out);
    }
}

void timeline_draw_spent(struct timeline_look *look, const struct frame_box *box)
{
    const struct run_state *state = look->input->facts->state;
    const struct time_spent *spent = &look->input->view->timeline.sum.spent;
    enum { ROWS_ROOMY = 7 };
    const bool is_beside = box->column > 0;
    const bool is_roomy = is_beside || box->rows >= ROWS_ROOMY;
    struct timeline_lines lines = {look->canvas, box, box->row + 1};
    char since[CLOCK_TEXT_MAX];
    struct str text = {0};
    str_add(&text, "where the time went, all tasks");
    if (state->started)
        str_addf(&text, ", since %s",
                 clock_short(state->started_at.at_ms, state->last.at_ms, since));
    if (is_beside)
        (void)frame_put(look->canvas, (struct spot){box->row, box->column + 1, box->columns - 1},
                        STYLE_HEAD, str_text(&text));
    else
        frame_rule(look->canvas, (struct spot){box->row, box->column, box->columns},
                   str_text(&text), "");
    for (enum time_use use = 0; use < TIME_USE_COUNT; use++) {
        const int longest = spent->longest_task[use];
        if (use == TIME_QUEUE && spent->ms[use] == 0)
            continue; /* most runs use no cluster */
        str_clear(&text);
        if (use == TIME_WAIT)
            add_classes(spent, 1, &text);
        else if (use != TIME_WORK && longest >= 0)
            str_add(&text, state->plan->tasks[longest].id);
        put_spent(&lines, spent, use, str_text(&text));
    }
    if (is_roomy && spent->class_count > 1) {
        str_clear(&text);
        str_add(&text, "waits: ");
        add_classes(spent, 4, &text);
        timeline_put_line(&lines, &text);
    }
    if (is_roomy) {
        str_clear(&text);
        str_addf(&text, "tries %d   failed %d   running %d   passed %d   stopped %d",
                 spent->attempts, spent->failed, state->running, state->counts[TASK_PASSED],
                 state->counts[TASK_CANCELLED]);
        timeline_put_line(&lines, &text);
    }
    str_done(&text);
}

enum { DIGIT_MAX = 9, LABEL_COLUMNS = 22 };

void timeline_draw_load(const struct timeline_look *look, int row)
{
    const struct timeline_load *load = &look->input->view->timeline.sum.load;
    struct canvas *canvas = look->canvas;
    const bool has_words = look->column > LABEL_COLUMNS;
    const int running_row = row + 1;
    const int failed_row = row + 2;
    const int label_columns = look->column - 2;
    struct str text = {0};
    frame_rule(canvas, (struct spot){row, 0, canvas->columns}, "load and failures", "");
    if (has_words)
        str_addf(&text, "running (of %d slots)", look->input->facts->state->jobs);
    else
        str_add(&text, "runs");
    (void)frame_put(canvas, (struct spot){running_row, 1, label_columns}, STYLE_LABEL, text.data);
    (void)frame_put(canvas, (struct spot){failed_row, 1, label_columns}, STYLE_LABEL,
                    has_words ? "failures by class" : "fails");
    for (int i = 0; i < look->axis.columns; i++) {
        const int count = load->running[i];
        const char running[2] = {count > DIGIT_MAX ? '+' : (char)('0' + count), '\0'};
        const char failed[2] = {load->failed[i], '\0'};
        const int column = look->column + i;
        if (count > 0)
            (void)canvas_text(canvas, (struct spot){running_row, column, 1}, STYLE_PLAIN, running);
        if (failed[0] != '\0')
            (void)canvas_text(canvas, (struct spot){failed_row, column, 1}, STYLE_FAILED, failed);
    }

    /* The meaning of the letters: "T test-fail 8   t timeout 6   * several classes". */
    str_clear(&text);
    for (int i = 0; i < load->class_count; i++) {
        str_addf(&text, "%s%c ", i > 0 ? "   " : "", load->classes[i].letter);
        failure_class_word(&load->classes[i].class, &text);
        str_addf(&text, " %d", load->classes[i].count);
    }
    if (load->class_count == 0)
        str_add(&text, "nothing failed");
    if (memchr(load->failed, TIMELINE_LOAD_SEVERAL, sizeof(load->failed)))
        str_addf(&text, "   %c several classes", TIMELINE_LOAD_SEVERAL);
    (void)frame_put(canvas, (struct spot){row + 3, 1, canvas->columns - 2}, STYLE_LABEL,
                    str_text(&text));
    str_done(&text);
}

enum { CLASS_COLUMNS = 14, PASSED_COLUMNS = 26 };

static void pad_text(struct str *out, size_t columns)
{
    while (out->len < columns)
        str_add_char(out, ' ');
}

static void add_time(struct str *out, int64_t ms)
{
    struct str text = {0};
    shown_duration(ms, &text);
    str_addf(out, "%9s", str_text(&text));
    str_done(&text);
}

/* Draws a class: how often it failed, whether the next try passed, what it cost, and other facts
 * about it from the log. */
static void put_class(struct timeline_lines *lines, const struct retry_class *class)
{
    struct str text = {0};
    struct str words = {0};
    failure_class_word(&class->class, &text);
    pad_text(&text, CLASS_COLUMNS);
    str_addf(&text, "%8lld   ", (long long)class->failed);
    retry_count_words(retry_class_count(class, RETRY_OF_ALL, 0, 0), &text);
    pad_text(&text, CLASS_COLUMNS + 11 + PASSED_COLUMNS);
    add_time(&text, class->waited_ms);
    add_time(&text, class->ran_ms);
    str_add(&text, "   ");
    retry_class_words(class, &words);
    for (size_t i = 0; i + 1 < words.len; i++) { /* the text ends with a line feed */
        if (words.data[i] == '\n')
            str_add(&text, "; ");
        else
            str_add_char(&text, words.data[i]);
    }
    timeline_put_line(lines, &text);
    str_done(&words);
    str_done(&text);
}

int timeline_retries_rows(const struct frame_input *input)
{
    const struct retry_help *retries = input->facts->retries;
    return retries && retries->class_count > 0 ? 2 + retries->class_count : 0;
}

void timeline_draw_retries(const struct timeline_look *look, const struct frame_box *box)
{
    const struct retry_help *retries = look->input->facts->retries;
    struct timeline_lines lines = {look->canvas, box, box->row + 2};
    struct str text = {0};
    str_addf(&text, "does retrying help?   newest runs: %lld, tries: %lld",
             (long long)retries->runs, (long long)retries->attempts);
    frame_rule(look->canvas, (struct spot){box->row, box->column, box->columns}, text.data,
               "all: devs debug --retries");
    (void)frame_put(
        look->canvas, (struct spot){box->row + 1, box->column + 1, box->columns - 1}, STYLE_LABEL,
        "class           failed   the next try passed          waited      ran   notes");
    for (int i = 0; i < retries->class_count; i++)
        put_class(&lines, &retries->classes[i]);
    str_done(&text);
}

enum { PERCENT = 100 };

static bool is_latest(const struct timeline_subject *subject, const struct attempt_state *attempt)
{
    const struct step_state *step = run_state_step(subject->state, subject->task);
    return attempt && attempt == step_state_attempt(step);
}

/* Appends the outcome of a try: "try 3: test-fail"; if there is room, "try 3 GREEN: exit 1,
 * test-fail". */
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

/* Appends the reason for the span: the formula of the current wait, how the task ended, who held
 * the task, or how long the try waited. */
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
            str_add(out, " before the try");
        }
        break;
    case SPAN_QUEUED:
    case SPAN_GATE:
    case SPAN_KIND_COUNT:
        break;
    }
}

/* Appends "0:11  0:22  0:27   waiting 15% of this task's age"; in short "0:11 0:22 0:27, 15% of
 * its age". */
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
        str_addf(out, is_brief ? ", %d%% of its age" : "   waiting %d%% of this task's age",
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

/* Draws a labelled text, wrapped if it is too long. */
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

/* Draws each part on a separate line. */
static void put_wide(struct timeline_lines *lines, const struct timeline_subject *subject)
{
    const struct run_state *state = subject->state;
    const struct span *span = subject->span;
    const bool runs = span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
    const char *because = runs ? "start" : "because";
    struct str text = {0};
    add_try(subject, true, &text);
    put_pair(lines, span->attempt > 0 && !runs ? "after" : "what", &text);
    str_clear(&text);
    add_because(subject, &text);
    put_pair(lines, span->kind == SPAN_BACKOFF ? "formula" : because, &text);
    str_clear(&text);
    if (is_latest(subject, span_attempt(span, state, subject->task)))
        shown_cause(state, subject->task, &text);
    put_pair(lines, "why", &text);
    str_clear(&text);
    str_addf(&text, "engine, policy \"%s\"",
             state->plan->tasks[subject->task].steps[span->step].policy->name);
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

/* Draws outcome and reason on one line; if that does not fit, only the reason, or else only the
 * outcome. Draws the waits on the next line. */
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

/* Draws the title, without the times if it does not fit. */
static void draw_decision_title(const struct timeline_subject *subject, const struct frame_box *box)
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
    enum { ROWS_BRIEF = 4 }; /* with more rows, each part gets a line */
    const struct timeline_subject subject = find_subject(look);
    const bool is_brief = box->rows <= ROWS_BRIEF;
    struct frame_box left = *box;
    struct timeline_lines lines = {look->canvas, &left, box->row + 1};
    draw_decision_title(&subject, box);
    if (box->columns >= PAGE_WIDE_COLUMNS && !is_brief) {
        canvas_upright(look->canvas, lines.row, TIMELINE_NOTES_COLUMNS + 1, box->rows - 1);
        left.columns = TIMELINE_NOTES_COLUMNS;
    }
    if (subject.span && !is_brief)
        put_wide(&lines, &subject);
    else if (subject.span)
        put_narrow(&lines, &subject);
}
