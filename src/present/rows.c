/* rows.c - facts about an attempt, a verdict, a decision, a loop or an agent, as labeled
 * rows; and rows as text and JSON. rows_run.c has the facts about runs, gates and tasks. */
#include "rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "text.h"
#include "xalloc.h"

void rows_done(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        str_done(&rows->items[i].value);
    free(rows->items);
    *rows = (struct rows){0};
}

static struct row *find_row(const struct rows *rows, const char *key)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->items[i].key, key) == 0)
            return &rows->items[i];
    }
    return NULL;
}

struct str *rows_add(struct rows *rows, const char *key, const char *label, enum row_style style)
{
    struct row *row = find_row(rows, key);
    if (row) {
        str_add(&row->value, row->value.len > 0 ? "\n" : "");
        return &row->value;
    }
    rows->items = xgrow(rows->items, &rows->cap, rows->count + 1, sizeof(*rows->items));
    row = &rows->items[rows->count++];
    *row = (struct row){.key = key, .label = label, .style = style};
    return &row->value;
}

const char *rows_value(const struct rows *rows, const char *key)
{
    const struct row *row = find_row(rows, key);
    return row ? str_text(&row->value) : "";
}

/* Attempts. */

void rows_attempt(struct rows *rows, const struct attempt_state *attempt,
                  const struct shown_time *time)
{
    enum { DIGITS_SHOWN = 8 };
    const struct outcome *outcome = &attempt->outcome;
    const bool has_ended = attempt->ended.at_ms != 0;
    char hex[DIGEST_HEX_MAX];
    const bool is_seen = has_ended && outcome_is_seen(outcome);
    const bool has_run = is_seen && outcome->kind != OUTCOME_NOT_STARTED;
    char date[SHOWN_CLOCK_MAX];
    struct str *out = rows_add(rows, "ended", "ended", ROW_PLAIN);
    if (has_ended)
        outcome_words(outcome, out);
    out = rows_add(rows, "ran", "ran", ROW_PLAIN);
    if (is_seen) {
        shown_ran(outcome, out);
        str_addf(out, ", until %s", time->date(attempt->ended.at_ms, date));
    } else if (has_ended) {
        str_addf(out, "devs died, so its end was not recorded; detected at %s",
                 time->date(attempt->ended.at_ms, date));
    }
    out = rows_add(rows, "used", "used", ROW_ASIDE);
    if (has_run) {
        str_add(out, "cpu ");
        shown_seconds(outcome->cpu_ms, out);
    }
    out = rows_add(rows, "memory", "memory", ROW_ASIDE);
    if (has_run && outcome->rss_kib_max > 0)
        shown_size_kib(outcome->rss_kib_max, out);
    out = rows_add(rows, "wrote", "wrote", ROW_ASIDE);
    if (has_run) {
        size_text_add(outcome->bytes[0], out);
        str_add(out, " to stdout, ");
        size_text_add(outcome->bytes[1], out);
        str_add(out, " to stderr");
    }
    out = rows_add(rows, "new", "new", ROW_ASIDE);
    if (attempt->new_permille >= 0) {
        if (attempt->new_permille > 0)
            shown_new(attempt->new_permille, out);
        else
            str_add(out, "none");
        str_add(out, " of its lines");
        if (attempt->partial)
            str_addf(out, "; %lld bytes were not compared", (long long)attempt->skipped_bytes);
    }
    str_add(rows_add(rows, "start", "started", ROW_ASIDE),
            time->date(attempt->started.at_ms, date));
    out = rows_add(rows, "waited", "waited", ROW_ASIDE);
    if (attempt->waited_ms > 0)
        shown_duration(attempt->waited_ms, out);

    out = rows_add(rows, "slot", "slot", ROW_ASIDE);
    if (attempt->slot > 0)
        str_addf(out, "%d, ports from %d", attempt->slot, attempt->port);
    out = rows_add(rows, "result", "result", ROW_ASIDE);
    if (digest_is_known(attempt->fingerprint)) {
        digest_to_hex(attempt->fingerprint, hex);
        str_add_n(out, hex, DIGITS_SHOWN);
    }
    out = rows_add(rows, "by", "by", ROW_ASIDE);
    str_add(out, attempt->by_hand ? "by hand" : "");
}

void rows_hint(struct rows *rows, const struct attempt_state *attempt)
{
    const struct attempt_hint *hint = attempt->hint;
    struct str *out = rows_add(rows, "hint", "hint", ROW_PLAIN);
    if (!hint || hint->text[0] == '\0')
        return;
    str_add_char(out, '"');
    text_clean_line(out, hint->text, strlen(hint->text));
    str_addf(out, "\", by %s", shown_person(hint->by));
}

static bool task_has_result(const struct run_state *state, int task, struct digest result)
{
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        const struct step_state *step = &state->tasks[task].steps[i];
        for (size_t n = 0; n < step->attempt_count; n++) {
            if (digest_is_same(step->attempts[n].fingerprint, result))
                return true;
        }
    }
    return false;
}

void rows_same(struct rows *rows, const struct run_state *state, int task, int step,
               const struct attempt_state *attempt)
{
    const struct plan *plan = state->plan;
    const struct step_state *tries = &state->tasks[task].steps[step];
    const struct digest result = attempt->fingerprint;
    struct str *out = rows_add(rows, "same", "same", ROW_PLAIN);
    if (!digest_is_known(result) || attempt->class == VERDICT_SUCCESS)
        return;
    int count = 0;
    for (size_t i = 0; i < tries->attempt_count; i++) {
        const struct attempt_state *other = &tries->attempts[i];
        if (other != attempt && digest_is_same(other->fingerprint, result))
            str_addf(out, "%s%d", count++ > 0 ? ", " : "also in try ", other->number);
    }
    str_add(out, count > 0 ? "; " : "in no other try; ");

    int tasks = 0, first = -1;
    for (int i = 0; i < plan->task_count; i++) {
        if (i == task || !task_has_result(state, i, result))
            continue;
        first = first < 0 ? i : first;
        tasks++;
    }
    if (tasks == 0)
        str_add(out, "no other task");
    else
        str_addf(out, "also in %s", plan->tasks[first].id);
    if (tasks > 1)
        str_addf(out, " and %d more", tasks - 1);
}

/* Verdicts. */

/* Returns how certain the verdict is, depending on the kind of rule that decided. */
static const char *how_sure(const struct verdict *verdict)
{
    static const struct {
        const char *prefix;
        const char *words;
    } kinds[] = {
        {"known.", "certain, devs observed it"},
        {"agent.", "certain, reported by the agent itself"},
        {"exit.words", "uncertain, so persistent: no rule matches the text, only the exit code"},
        {"exit.", "by the exit code alone"},
        {"default", "uncertain, so persistent: no rule matches"},
        {"expect.", "certain, the plan sets the expected result"},
        {"contract", "certain, the contract sets the expected output"},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strncmp(verdict->rule, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].words;
    }
    if (verdict->rule[0] == '\0')
        return "uncertain, so persistent";
    return verdict->stream == VERDICT_STREAM_NONE ? "certain, a rule matches how it ended"
                                                  : "certain, a rule matches the text";
}

/* Appends "test-fail (persistent, TEST_FAILURE)", after a person's correction if there is one. */
static void add_class(const struct attempt_state *attempt, const struct verdict *verdict,
                      struct str *out)
{
    char word[VERDICT_WORD_MAX];
    shown_correction(attempt, out);
    if (verdict)
        str_add(out, shown_expectation(verdict));
    if (attempt->class == VERDICT_SUCCESS) {
        str_add(out, shown_word(SHOWN_PASSED));
        if (verdict && verdict->reason != REASON_NONE)
            str_addf(out, " (failed as expected: %s)", reason_name(verdict->reason));
        else if (verdict)
            str_add(out, " (failed as expected)");
        return;
    }
    if (verdict) {
        str_add(out, verdict_word(verdict, &attempt->outcome, word));
    } else {
        struct attempt_state judged = *attempt;
        judged.correction = NULL; /* appended above */
        shown_try_class(&judged, out);
    }
    str_addf(out, " (%s", verdict_class_name(attempt->class));
    if (attempt->type != TRANSIENT_NONE)
        str_addf(out, ", %s", transient_type_name(attempt->type));
    if (verdict && verdict->subtype[0] != '\0')
        str_addf(out, ", %s", verdict->subtype);
    str_add_char(out, ')');
}

/* Appends a line for each rule that nearly matched, or says that none did. Returns true if one of
 * the rules matched more than its keyword. */
static bool add_near(const struct verdict *verdict, struct str *out)
{
    static const char *const words[] = {
        [NEAR_QUOTED] = "the line only quotes it",
        [NEAR_UNLESS] = "its exception matches",
        [NEAR_PATTERN] = "its keyword is present, its pattern does not match",
        [NEAR_EXIT] = "exit code, signal, program or kind of step does not match",
        [NEAR_OUTRANKED] = "it matches, but another rule comes first",
    };
    static_assert(ARRAY_LEN(words) == NEAR_WHY_COUNT, "every near miss has its words");
    bool is_close = false;
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        str_addf(out, "%s%s: %s", i > 0 ? "\n" : "", near->rule, words[near->why]);
        if (near->stream != VERDICT_STREAM_NONE)
            str_addf(out, " (%s, byte %lld)", verdict_stream_name(near->stream),
                     (long long)near->offset);
        is_close = is_close || near->why != NEAR_PATTERN;
    }
    if (verdict->near_count == 0)
        str_add(out, "no other rule came close");
    return is_close;
}

void rows_verdict_more(struct rows *rows, const struct verdict *verdict,
                       const struct shown_time *time)
{
    char date[SHOWN_CLOCK_MAX];
    struct str *out = rows_add(rows, "misfit", "misfit", ROW_ASIDE);
    const size_t len = verdict ? strlen(verdict->violations) : 0;
    if (len > 0) /* the text ends with a line feed */
        str_add_n(out, verdict->violations, len - 1);
    out = rows_add(rows, "near", "near", ROW_ASIDE);
    if (verdict && add_near(verdict, out))
        rows->items[rows->count - 1].style = ROW_PLAIN;
    out = rows_add(rows, "server", "server", ROW_ASIDE);
    const bool has_delay = verdict && verdict->retry_after_ms >= 0;
    const bool has_time = verdict && verdict->resume_at_ms >= 0;
    if (has_delay || has_time)
        str_add(out, "requested a wait");
    if (has_delay) {
        str_add(out, " of ");
        shown_seconds(verdict->retry_after_ms, out);
    }
    if (has_time)
        str_addf(out, " until %s", time->date(verdict->resume_at_ms, date));
    if ((has_delay || has_time) && verdict->hint_rule[0] != '\0')
        str_addf(out, ", by rule %s", verdict->hint_rule);
    out = rows_add(rows, "asks", "asks", ROW_ASIDE);
    str_add(out, verdict && verdict->ask ? "only a person can fix it" : "");
}

void rows_verdict(struct rows *rows, const struct plan_step *plan,
                  const struct attempt_state *attempt, const struct verdict *verdict,
                  const struct shown_time *time)
{
    struct str *out = rows_add(rows, "class", "class", ROW_PLAIN);
    if (attempt->ended.at_ms != 0)
        add_class(attempt, verdict, out);
    /* The command may have reported success, but a rule overrides it. */
    const bool is_exit_0 = attempt->outcome.kind == OUTCOME_EXIT && attempt->outcome.code == 0;
    out = rows_add(rows, "denied", "denied", ROW_PLAIN);
    if (is_exit_0 && verdict && attempt->class != VERDICT_SUCCESS &&
        verdict->stream != VERDICT_STREAM_NONE && !plan->agent)
        str_addf(out, "exit 0 is not a pass here: rule %s denies it", verdict->rule);
    out = rows_add(rows, "why", "why", ROW_PLAIN);
    if (verdict)
        shown_evidence(verdict, out);
    out = rows_add(rows, "sure", "sure", ROW_ASIDE);
    if (verdict)
        str_add(out, how_sure(verdict));
    rows_verdict_more(rows, verdict, time);
}

/* Decisions. */

void rows_wait(struct rows *rows, const struct wait_facts *wait)
{
    struct str *out = rows_add(rows, "then", "then", ROW_PLAIN);
    if (wait->delay.delay_ms > 0) {
        str_add(out, "tries again after ");
        shown_seconds(wait->delay.delay_ms, out);
    } else {
        str_add(out, "tries again at once");
    }
    str_add(out, wait->is_free ? ": it does not count as a try" : "");
    if (wait->used > 0 && wait->allowed > 0)
        str_addf(out, "; %s %d of %d", wait->is_start ? "start" : "try", wait->used, wait->allowed);
    shown_own_retries(wait->own_retries, out);
}

void rows_wait_more(struct rows *rows, const struct wait_facts *wait, const char *formula,
                    const struct shown_time *time)
{
    char date[SHOWN_CLOCK_MAX];
    str_add(rows_add(rows, "formula", "wait", ROW_PLAIN), formula);
    struct str *out = rows_add(rows, "until", "until", ROW_PLAIN);
    str_add(out, time->date(wait->due_at_ms, date));
    if (wait->skipped_by[0] != '\0')
        str_addf(out, "; skipped by %s", wait->skipped_by);
    else if (wait->is_over)
        str_add(out, "; the wait is over");
}

void rows_end(struct rows *rows, enum decision_kind kind, const char *reason, const char *by)
{
    struct str *out = rows_add(rows, "end", "end", ROW_PLAIN);
    str_addf(out, "%s%s%s", decision_word(kind), *reason != '\0' ? ": " : "", reason);
    if (by)
        str_addf(out, " by %s", by);
}

void rows_entropy(struct rows *rows, const struct run_state *state, int task)
{
    str_addf(rows_add(rows, "entropy", "entropy", ROW_PLAIN), "adds 1; %d for this task in total",
             state->tasks[task].entropy);
}

void rows_ending(struct rows *rows, const struct run_state *state, int task)
{
    struct str *out = rows_add(rows, "end", "end", ROW_PLAIN);
    if (state->tasks[task].status != TASK_CANCELLED) /* shown_cause() names the person */
        shown_ending(state, task, out);
}

void rows_cause(struct rows *rows, const struct run_state *state, int task)
{
    shown_cause(state, task, rows_add(rows, "why", "why", ROW_PLAIN));
    rows_ending(rows, state, task);
}

void rows_loop(struct rows *rows, const struct shown_circle *circle, int step)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    struct str span = {0}, masks = {0};
    if (verdict->level == ENTROPY_OK)
        return;
    const bool is_suspicion = verdict->level == ENTROPY_SUSPECT;
    struct str *out = rows_add(rows, "loop", "loop", ROW_PLAIN);
    str_add(out, is_suspicion ? "perhaps: " : "");
    shown_circle_words(circle, out);
    shown_circles_span(circle, step, &span);
    str_addf(out, "%s%s", span.len > 0 ? ", " : "", str_text(&span));
    out = rows_add(rows, "equal", "equal", is_suspicion ? ROW_ASIDE : ROW_PLAIN);
    str_add(out, shown_circles_equal(verdict));
    shown_masks(circle->masks, &masks);
    if (verdict->masked || masks.len > 0)
        str_addf(out, ", after masking%s%s", masks.len > 0 ? ": " : "", str_text(&masks));
    str_done(&span);
    str_done(&masks);
}

void rows_masked(struct rows *rows, const char *mask)
{
    str_add(rows_add(rows, "masked", "masked", ROW_PLAIN), mask);
}

void rows_sample(struct rows *rows, const char *first, const char *last, const char *compared)
{
    str_add(rows_add(rows, "first_try", "first try", ROW_PLAIN), first);
    str_add(rows_add(rows, "last_try", "last try", ROW_PLAIN), last);
    str_add(rows_add(rows, "compared", "compared", ROW_PLAIN), compared);
}

void rows_limits(struct rows *rows, const struct plan *plan)
{
    struct str *out = rows_add(rows, "loops", "loops", ROW_PLAIN);
    if (plan->loops.preset != ENTROPY_PRESET_NONE)
        entropy_limits_words(&plan->loops, out);
}

void rows_ahead(struct rows *rows, const struct run_state *state, int task, bool orphaned,
                const struct retry_odds *odds, const struct shown_time *time)
{
    struct tries_ahead ahead;
    if (!orphaned && tries_ahead(state, task, &ahead))
        tries_ahead_words(&ahead, time, rows_add(rows, "ahead", "ahead", ROW_PLAIN));
    if (odds)
        retry_odds_words(odds, rows_add(rows, "chance", "chance", ROW_PLAIN));
}

/* Agents and workspaces. */

void rows_agent(struct rows *rows, const struct run_state *state, int task,
                const struct moment *now)
{
    const struct task_state *it = &state->tasks[task];
    const struct task_agent *agent = it->agent;
    if (!agent)
        return;
    shown_agent(state, task, rows_add(rows, "agent", "agent", ROW_PLAIN));
    const bool is_pressing = agent->budget.told != 0 || agent->budget.spent != 0;
    struct str *out = rows_add(rows, "budget", "budget", is_pressing ? ROW_PLAIN : ROW_ASIDE);
    shown_budgets(state, task, now, out);
    if (out->len > 0 && agent->budget.spent != 0)
        str_add(out, ", spent");
    shown_round(state, task,
                rows_add(rows, "round", "round", agent->round > 1 ? ROW_PLAIN : ROW_ASIDE));
    /* A nudge is part of the next prompt, and a task that is over has no next prompt. */
    out = rows_add(rows, "nudge", "nudge", ROW_PLAIN);
    if (agent->nudge && (it->status == TASK_STUCK || !task_status_is_final(it->status)))
        str_add(out, agent->nudge);
}

void rows_said(struct rows *rows, const struct run_state *state, int task, int columns)
{
    shown_said(state, task, columns, rows_add(rows, "said", "said", ROW_PLAIN));
}

void rows_proof(struct rows *rows, const struct run_state *state, int task, int step, int attempt)
{
    if (step_state_trees(&state->tasks[task].steps[step])->proven_attempt == attempt &&
        shown_proof(state, task, step) == SHOWN_PROOF_STALE)
        shown_proof_words(state, task, step, rows_add(rows, "proof", "proof", ROW_PLAIN));
}

void rows_place(struct rows *rows, const struct run_state *state, int task)
{
    shown_lacks(state, task, rows_add(rows, "lacks", "lacks", ROW_PLAIN));
    shown_stale(state, task, rows_add(rows, "stale", "stale", ROW_PLAIN));
    shown_workspace(state, task, rows_add(rows, "where", "where", ROW_ASIDE));
    const struct task_job *job = state->tasks[task].job;
    struct str *out = rows_add(rows, "job", "job", ROW_PLAIN);
    if (!job)
        return;
    str_addf(out, "%s %s", job->id, job_state_name(job->state));
    if (job->node[0] != '\0')
        str_addf(out, " on %s", job->node);
    if (job->reason[0] != '\0')
        str_addf(out, " (%s)", job->reason);
}

/* Renderers. Panes of the cockpit have their own: preview_put_rows() and forensics_rows(). */

void rows_each(const struct rows *rows, rows_line_fn *line, void *ctx)
{
    struct str text = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        const char *label = row->label;
        for (const char *at = str_text(&row->value); *at != '\0';) {
            const size_t len = strcspn(at, "\n");
            str_clear(&text);
            str_add_n(&text, at, len);
            line(ctx, label, str_text(&text), row->style);
            label = "";
            at += len + (at[len] == '\n');
        }
    }
    str_done(&text);
}

struct text_column {
    int label_columns;
    struct str *out;
};

static void add_text_line(void *ctx, const char *label, const char *text, enum row_style style)
{
    const struct text_column *column = ctx;
    (void)style;
    str_addf(column->out, "  %-*s %s\n", column->label_columns, label, text);
}

void rows_text(const struct rows *rows, int label_columns, struct str *out)
{
    struct text_column column = {.label_columns = label_columns, .out = out};
    rows_each(rows, add_text_line, &column);
}

void rows_json(const struct rows *rows, struct str *out)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        if (row->value.len > 0)
            str_json_text(out, row->key, row->value.data);
    }
}
