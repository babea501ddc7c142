/* rule_trial.c - classifies recorded attempts with two sets of rules and counts the differences.
 *
 * The output of a successful command is read only if a rule may deny its success. Groups changes by
 * the text of both verdicts. Marks for review changes of a success, and of a failure whose reason
 * was known. */
#include "rule_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "evidence.h"
#include "log_read.h"
#include "plan.h"
#include "verdict.h"

enum { RUNS_AT_ONCE = 16 };

/* A trial while it runs. */
struct trial {
    const struct rule_trial_asked *asked; /* borrowed */
    struct log_reader *reader;            /* owned */
    struct classifier *now, *then;        /* owned */
    struct event_page page;               /* owned */
    struct evidence *evidence;            /* owned */
    int64_t total;
    struct rule_trial result;
};

/* A verdict as text, and the parts of it that a change of rules can affect. */
struct opinion {
    struct verdict verdict;
    struct verdict_label label;
    char word[VERDICT_WORD_MAX];
};

static struct opinion judge_by(const struct classifier *classifier,
                               const struct classify_input *input)
{
    struct opinion opinion;
    classify(classifier, input, &opinion.verdict);
    const struct verdict *verdict = &opinion.verdict;
    opinion.label = (struct verdict_label){
        .class = verdict->class, .type = verdict->type, .reason = verdict->reason};
    (void)verdict_word(verdict, &input->outcome, opinion.word);
    if (opinion.word[0] == '\0')
        (void)snprintf(opinion.word, sizeof(opinion.word), "%s",
                       verdict_class_name(verdict->class));
    return opinion;
}

/* Writes the verdict as text. If both labels are equal, adds the difference: whether it asks, or
 * the time to retry. */
static void change_word(const struct opinion *opinion, const struct opinion *other,
                        char out[RULE_TRIAL_WORD_MAX])
{
    const struct verdict *verdict = &opinion->verdict;
    if (!verdict_label_equals(&opinion->label, &other->label))
        (void)snprintf(out, RULE_TRIAL_WORD_MAX, "%s", opinion->word);
    else if (verdict->ask != other->verdict.ask)
        (void)snprintf(out, RULE_TRIAL_WORD_MAX, "%s %s you", opinion->word,
                       verdict->ask ? "asks" : "without asking");
    else
        (void)snprintf(out, RULE_TRIAL_WORD_MAX, "%s %s time to retry", opinion->word,
                       verdict->retry_after_ms < 0         ? "without a"
                       : other->verdict.retry_after_ms < 0 ? "with a"
                                                           : "with a different");
}

static struct rule_trial_change *find_change(struct rule_trial *result, const char *from,
                                             const char *to)
{
    for (int i = 0; i < result->change_count; i++) {
        struct rule_trial_change *change = &result->changes[i];
        if (strcmp(change->from, from) == 0 && strcmp(change->to, to) == 0)
            return change;
    }
    if (result->change_count == RULE_TRIAL_CHANGES_MAX)
        return NULL;
    struct rule_trial_change *change = &result->changes[result->change_count++];
    *change = (struct rule_trial_change){0};
    (void)snprintf(change->from, sizeof(change->from), "%s", from);
    (void)snprintf(change->to, sizeof(change->to), "%s", to);
    return change;
}

static void count_change(struct trial *trial, const struct evidence_of *subject,
                         const struct opinion *now, const struct opinion *then)
{
    char from[RULE_TRIAL_WORD_MAX];
    char to[RULE_TRIAL_WORD_MAX];
    change_word(now, then, from);
    change_word(then, now, to);
    trial->result.changed++;
    struct rule_trial_change *change = find_change(&trial->result, from, to);
    if (!change) {
        trial->result.others++;
        return;
    }
    change->count++;
    /* A success, or a failure whose reason a rule identified. */
    const bool was_known =
        now->label.class == VERDICT_SUCCESS ||
        (now->label.class == VERDICT_PERSISTENT && now->label.reason != REASON_NONE);
    change->look |= was_known && !verdict_label_equals(&now->label, &then->label);
    if (change->example_count == RULE_TRIAL_EXAMPLES_MAX)
        return;
    struct rule_trial_attempt *example = &change->examples[change->example_count++];
    *example = (struct rule_trial_attempt){
        .run = subject->run, .step = subject->event->step, .attempt = subject->event->attempt};
    (void)snprintf(example->task, sizeof(example->task), "%s",
                   subject->plan->tasks[subject->event->task].id);
}

static bool try_attempt(struct trial *trial, const struct evidence_of *subject, struct err *err)
{
    struct classify_input input;
    struct evidence_of whole = *subject;
    enum evidence_state state;
    if (!evidence_read(trial->evidence, subject, &input, &state, err))
        return false;
    /* Reads the output of a successful attempt only if a rule may deny success. */
    whole.wants_all =
        classify_may_deny(trial->now, &input) || classify_may_deny(trial->then, &input);
    if (whole.wants_all && !evidence_read(trial->evidence, &whole, &input, &state, err))
        return false;
    const struct opinion now = judge_by(trial->now, &input);
    const struct opinion then = judge_by(trial->then, &input);
    trial->result.attempts++;
    if (!verdict_label_equals(&now.label, &then.label) || now.verdict.ask != then.verdict.ask ||
        now.verdict.retry_after_ms != then.verdict.retry_after_ms)
        count_change(trial, subject, &now, &then);
    return true;
}

/* Reports the progress. Returns false if the caller wants to stop. */
static bool report_progress(struct trial *trial)
{
    const struct rule_trial_asked *asked = trial->asked;
    int64_t done = trial->result.attempts + trial->result.skipped;
    int64_t total = done > trial->total ? done : trial->total;
    if (asked->progress && !asked->progress(asked->ctx, done, total))
        trial->result.cancelled = true;
    return !trial->result.cancelled;
}

/* Tries the attempts of a run. Reads output only between pages of events, never within one. */
static bool try_events(struct trial *trial, int64_t run, struct plan *plan, struct err *err)
{
    struct plan *growing = plan->base ? plan : NULL;
    int64_t after = 0;
    do {
        if (!log_reader_events(trial->reader, run, after, &trial->page, err))
            return false;
        for (size_t i = 0; i < trial->page.count; i++) {
            const struct event *event = &trial->page.events[i];
            const struct evidence_of subject = {
                .run = run, .plan = plan, .event = event, .memory_killed = -1};
            after = event->seq;
            evidence_take_task(growing, event);
            if (!evidence_is_end(plan, event))
                continue;
            if (!try_attempt(trial, &subject, err))
                return false;
            if (!report_progress(trial))
                return true;
        }
    } while (trial->page.count == LOG_PAGE_EVENTS);
    return true;
}

static bool try_run(struct trial *trial, int64_t number, struct err *err)
{
    struct log_run_info run = {0};
    struct plan *plan = NULL;
    struct violations violations = {0};
    struct err why = {0};
    if (!log_reader_run(trial->reader, number, &run, &why)) {
        bool gone = why.code == ERR_NOT_FOUND; /* the run has just expired */
        return gone || err_set(err, why.code, "%s", why.message);
    }
    struct plan *growing = NULL;
    bool ok = true;
    if (plan_parse(run.plan_text, strlen(run.plan_text), &plan, &violations)) {
        growing = plan->grows ? plan_growing(plan) : NULL;
        ok = try_events(trial, number, growing ? growing : plan, err);
    } else {
        trial->result.skipped += run.attempts;
    }
    plan_free(growing);
    plan_free(plan);
    violations_done(&violations);
    log_run_info_done(&run);
    return ok;
}

static bool try_runs(struct trial *trial, struct err *err)
{
    int64_t before = 0;
    size_t count = RUNS_AT_ONCE;
    bool ok = true;
    while (ok && count == RUNS_AT_ONCE && !trial->result.cancelled) {
        struct log_run_info runs[RUNS_AT_ONCE];
        if (!log_reader_runs(trial->reader, before, runs, RUNS_AT_ONCE, &count, err))
            return false;
        for (size_t i = 0; i < count; i++) {
            before = runs[i].number;
            log_run_info_done(&runs[i]);
            if (ok && report_progress(trial))
                ok = try_run(trial, before, err);
        }
    }
    return ok;
}

static int compare_by_count(const void *a, const void *b)
{
    const struct rule_trial_change *one = a;
    const struct rule_trial_change *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    int order = strcmp(one->from, other->from);
    return order != 0 ? order : strcmp(one->to, other->to);
}

bool rule_trial_run(const struct rule_trial_asked *asked, struct rule_trial *out, struct err *err)
{
    struct trial trial = {.asked = asked};
    bool ok = classifier_open(&trial.now, asked->rules, err) &&
              classifier_open(&trial.then, asked->new_rules, err) &&
              log_reader_open(&trial.reader, asked->place, err);
    if (ok) {
        evidence_open(&trial.evidence, trial.reader);
        ok =
            db_number(&trial.reader->db, "SELECT ifnull(sum(attempts), 0) FROM run WHERE expired=0",
                      &trial.total, err) &&
            try_runs(&trial, err);
    }
    struct rule_trial *result = &trial.result;
    if (ok) {
        qsort(result->changes, (size_t)result->change_count, sizeof(result->changes[0]),
              compare_by_count);
        *out = *result;
    }
    event_page_done(&trial.page);
    evidence_close(trial.evidence);
    log_reader_close(trial.reader);
    classifier_close(trial.then);
    classifier_close(trial.now);
    return ok;
}

void rule_trial_attempt_words(const struct rule_trial_attempt *attempt, struct str *out)
{
    str_addf(out, "#%lld/%s", (long long)attempt->run, attempt->task);
    if (attempt->step > 0)
        str_addf(out, " step %d", attempt->step + 1);
    str_addf(out, " try %d", attempt->attempt);
}

void rule_trial_words(const struct rule_trial *trial, struct str *out)
{
    if (trial->cancelled)
        str_addf(out, "stopped after %lld: ", (long long)trial->attempts);
    if (trial->attempts == 0) {
        str_add(out, "no attempts have been recorded yet");
        return;
    }
    str_addf(out, "%lld of %lld would change", (long long)trial->changed,
             (long long)trial->attempts);
    for (int i = 0; i < trial->change_count; i++) {
        const struct rule_trial_change *change = &trial->changes[i];
        str_addf(out, "%s%lld %s -> %s", i > 0 ? ", " : ": ", (long long)change->count,
                 change->from, change->to);
        if (!change->look)
            continue;
        str_add(out, " (look at these: ");
        for (int at = 0; at < change->example_count; at++) {
            str_add(out, at > 0 ? ", " : "");
            rule_trial_attempt_words(&change->examples[at], out);
        }
        str_add(out, change->count > change->example_count ? ", ...)" : ")");
    }
    if (trial->others > 0)
        str_addf(out, ", %lld in other ways", (long long)trial->others);
    if (trial->skipped > 0)
        str_addf(out, "; %lld could not be read", (long long)trial->skipped);
}
