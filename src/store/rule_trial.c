#include "rule_trial.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "classify.h"
#include "label.h"
#include "log_read.h"
#include "plan_grow.h"
#include "xalloc.h"
#include "zone.h"

enum { RUNS_AT_ONCE = 16, STREAMS = 2 };

/* The last bytes of a stream, put together from behind: they fill the end of `room`. */
struct tail {
    char *room; /* owned; CLASSIFY_TAIL_MAX bytes */
    size_t len;
    int64_t offset; /* of the first one in the stream */
};

/* What one trial works with. */
struct trial {
    const struct rule_trial_asked *asked; /* borrowed */
    struct log_reader *reader;            /* owned */
    struct classifier *now, *then;        /* owned */
    struct event_page page;               /* owned */
    struct tail tails[STREAMS];
    int64_t total;
    struct rule_trial result;
};

/* An attempt that is judged, with the plan of its run. */
struct subject {
    const struct plan *plan;   /* borrowed */
    const struct event *event; /* borrowed; its end */
    int64_t run;
};

static const struct plan_step *step_of(const struct subject *subject)
{
    return &subject->plan->tasks[subject->event->task].steps[subject->event->step];
}

/* Put a row's bytes before what there is, as far as they come before it and there is room.
 * False if bytes are missing in between: what is before the gap is of no use. */
static bool put_before(struct tail *tail, int64_t offset, const char *bytes, int64_t len)
{
    bool first = tail->len == 0;
    if (offset < 0 || offset > INT64_MAX - len || (!first && offset + len < tail->offset))
        return false;
    int64_t wanted = first ? len : tail->offset - offset;
    int64_t room = (int64_t)(CLASSIFY_TAIL_MAX - tail->len);
    int64_t take = wanted < room ? wanted : room;
    if (take <= 0)
        return true; /* all of it is there already */
    tail->offset = offset + wanted - take;
    tail->len += (size_t)take;
    memcpy(tail->room + CLASSIFY_TAIL_MAX - tail->len, bytes + wanted - take, (size_t)take);
    return true;
}

/* The end of one stream, as it came: its rows from the last on. */
static bool read_tail(struct trial *trial, const struct subject *subject, int stream,
                      struct err *err)
{
    struct log_reader *reader = trial->reader;
    struct tail *tail = &trial->tails[stream];
    sqlite3_stmt *query = reader->queries[LOG_QUERY_STREAM_END];
    (void)sqlite3_bind_int64(query, 1, subject->run);
    (void)sqlite3_bind_int(query, 2, subject->event->task);
    (void)sqlite3_bind_int(query, 3, subject->event->step);
    (void)sqlite3_bind_int(query, 4, subject->event->attempt);
    (void)sqlite3_bind_int(query, 5, stream + 1);

    tail->len = 0;
    bool row = true;
    bool ok = true;
    while (ok && row && tail->len < CLASSIFY_TAIL_MAX) {
        ok = db_next(&reader->db, query, &row, err);
        if (!ok || !row)
            break;
        const char *bytes = sqlite3_column_blob(query, 1);
        row =
            put_before(tail, sqlite3_column_int64(query, 0), bytes, sqlite3_column_bytes(query, 1));
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static struct classify_text text_of(const struct tail *tail)
{
    return (struct classify_text){.bytes = tail->room + CLASSIFY_TAIL_MAX - tail->len,
                                  .len = tail->len,
                                  .offset = tail->len > 0 ? tail->offset : 0};
}

/* Words for people, and what a change of rules would change for the run. */
struct opinion {
    struct verdict verdict;
    struct verdict_label label;
    char word[VERDICT_WORD_MAX];
};

static struct opinion judge(const struct classifier *classifier, const struct classify_input *input)
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

static bool is_same(const struct opinion *a, const struct opinion *b)
{
    return verdict_label_equals(&a->label, &b->label) && a->verdict.ask == b->verdict.ask &&
           a->verdict.retry_after_ms == b->verdict.retry_after_ms;
}

/* Where the class stays, what else is different is said. */
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
        (void)snprintf(out, RULE_TRIAL_WORD_MAX, "%s %s a time to come back", opinion->word,
                       verdict->retry_after_ms < 0         ? "without"
                       : other->verdict.retry_after_ms < 0 ? "with"
                                                           : "with another");
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

/* A success, or a failure whose reason a rule knew. */
static bool was_known(const struct verdict_label *label)
{
    return label->class == VERDICT_SUCCESS ||
           (label->class == VERDICT_PERSISTENT && label->reason != REASON_NONE);
}

static void count_change(struct trial *trial, const struct subject *subject,
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
    change->look |= was_known(&now->label) && !verdict_label_equals(&now->label, &then->label);
    if (change->example_count == RULE_TRIAL_EXAMPLES_MAX)
        return;
    struct rule_trial_attempt *example = &change->examples[change->example_count++];
    *example = (struct rule_trial_attempt){
        .run = subject->run, .step = subject->event->step, .attempt = subject->event->attempt};
    (void)snprintf(example->task, sizeof(example->task), "%s",
                   subject->plan->tasks[subject->event->task].id);
}

static bool try_attempt(struct trial *trial, const struct subject *subject, struct err *err)
{
    const struct event *event = subject->event;
    const char *program = adapter_program_of(step_of(subject)->argv[0]);
    const struct plan_agent *agent = step_of(subject)->agent;
    const struct sandbox_spec *sandbox = step_of(subject)->sandbox;
    struct classify_input input = {
        .outcome = {.kind = (enum outcome_kind)event->a,
                    .code = (int)event->b,
                    .ran_ms = event->c,
                    .bytes = {event->d, event->e}},
        .program = program,
        .agent = agent ? agent->adapter : adapters_of_program(subject->plan->adapters, program),
        .one_shot = agent != NULL,
        .memory_killed = -1,
        .cpu_s = sandbox->cpu_s,
        .in_container = sandbox_kind_is_container(sandbox->kind),
        .now_ms = event->at.at_ms,
        .zone_offset = zone_offset,
    };
    if (!read_tail(trial, subject, 0, err) || !read_tail(trial, subject, 1, err))
        return false;
    input.out = text_of(&trial->tails[0]);
    input.err = text_of(&trial->tails[1]);
    struct opinion now = judge(trial->now, &input);
    struct opinion then = judge(trial->then, &input);
    trial->result.attempts++;
    if (!is_same(&now, &then))
        count_change(trial, subject, &now, &then);
    return true;
}

/* The end of an attempt that can be true: the file may be anybody's. */
static bool is_an_end(const struct plan *plan, const struct event *event)
{
    return event->kind == EVENT_ATTEMPT_ENDED && event->task >= 0 &&
           event->task < plan->task_count && event->step >= 0 &&
           event->step < plan->tasks[event->task].step_count && event->a >= 0 &&
           event->a < OUTCOME_KIND_COUNT && event->b >= 0 && event->b <= INT_MAX;
}

static bool goes_on(struct trial *trial)
{
    const struct rule_trial_asked *asked = trial->asked;
    int64_t done = trial->result.attempts + trial->result.skipped;
    int64_t total = done > trial->total ? done : trial->total;
    if (asked->progress && !asked->progress(asked->ctx, done, total))
        trial->result.cancelled = true;
    return !trial->result.cancelled;
}

/* A plan that cannot grow as the log says: its later attempts are none of its. */
static void take_task(struct plan *growing, const struct event *event)
{
    struct json *text = NULL;
    struct str words = {0};
    if (!growing || event->kind != EVENT_TASK_ADDED || event->a != growing->task_count ||
        !event->text || !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
        return;
    const struct json *task = json_get(text, "task");
    if (task)
        json_write(&words, task);
    bool grew = plan_grow(growing, str_text(&words), words.len, NULL);
    (void)grew;
    str_done(&words);
    json_free(text);
}

/* Page by page; output is read between the pages, never within one. */
static bool try_events(struct trial *trial, int64_t run, struct plan *plan, struct err *err)
{
    struct plan *growing = plan->base ? plan : NULL;
    int64_t after = 0;
    do {
        if (!log_reader_events(trial->reader, run, after, &trial->page, err))
            return false;
        for (size_t i = 0; i < trial->page.count; i++) {
            const struct event *event = &trial->page.events[i];
            struct subject subject = {.plan = plan, .event = event, .run = run};
            after = event->seq;
            take_task(growing, event);
            if (!is_an_end(plan, event))
                continue;
            if (!try_attempt(trial, &subject, err))
                return false;
            if (!goes_on(trial))
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
        bool gone = why.code == ERR_NOT_FOUND; /* it has expired just now */
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
            if (ok && goes_on(trial))
                ok = try_run(trial, before, err);
        }
    }
    return ok;
}

static int by_count(const void *a, const void *b)
{
    const struct rule_trial_change *one = a;
    const struct rule_trial_change *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    int order = strcmp(one->from, other->from);
    return order != 0 ? order : strcmp(one->to, other->to);
}

static bool open_trial(struct trial *trial, struct err *err)
{
    const struct rule_trial_asked *asked = trial->asked;
    for (int i = 0; i < STREAMS; i++)
        trial->tails[i].room = xcalloc(CLASSIFY_TAIL_MAX, 1);
    return classifier_open(&trial->now, asked->rules, err) &&
           classifier_open(&trial->then, asked->new_rules, err) &&
           log_reader_open(&trial->reader, asked->place, err) &&
           db_number(&trial->reader->db, "SELECT ifnull(sum(attempts), 0) FROM run WHERE expired=0",
                     &trial->total, err);
}

static void close_trial(struct trial *trial)
{
    event_page_done(&trial->page);
    log_reader_close(trial->reader);
    classifier_close(trial->then);
    classifier_close(trial->now);
    for (int i = 0; i < STREAMS; i++)
        free(trial->tails[i].room);
}

bool rule_trial_run(const struct rule_trial_asked *asked, struct rule_trial *out, struct err *err)
{
    struct trial trial = {.asked = asked};
    bool ok = open_trial(&trial, err) && try_runs(&trial, err);
    struct rule_trial *result = &trial.result;
    if (ok) {
        qsort(result->changes, (size_t)result->change_count, sizeof(result->changes[0]), by_count);
        *out = *result;
    }
    close_trial(&trial);
    return ok;
}

void rule_trial_attempt_words(const struct rule_trial_attempt *attempt, struct str *out)
{
    str_addf(out, "#%lld/%s", (long long)attempt->run, attempt->task);
    if (attempt->step > 0)
        str_addf(out, " step %d", attempt->step + 1);
    str_addf(out, " try %d", attempt->attempt);
}

static void change_words(const struct rule_trial_change *change, struct str *out)
{
    str_addf(out, "%lld %s -> %s", (long long)change->count, change->from, change->to);
    if (!change->look)
        return;
    str_add(out, " (look at these: ");
    for (int i = 0; i < change->example_count; i++) {
        str_add(out, i > 0 ? ", " : "");
        rule_trial_attempt_words(&change->examples[i], out);
    }
    str_add(out, change->count > change->example_count ? ", ...)" : ")");
}

void rule_trial_words(const struct rule_trial *trial, struct str *out)
{
    if (trial->cancelled)
        str_addf(out, "stopped after %lld: ", (long long)trial->attempts);
    if (trial->attempts == 0) {
        str_add(out, "no attempt is recorded yet");
        return;
    }
    str_addf(out, "%lld of %lld would change", (long long)trial->changed,
             (long long)trial->attempts);
    for (int i = 0; i < trial->change_count; i++) {
        str_add(out, i > 0 ? ", " : ": ");
        change_words(&trial->changes[i], out);
    }
    if (trial->others > 0)
        str_addf(out, ", %lld in other ways", (long long)trial->others);
    if (trial->skipped > 0)
        str_addf(out, "; %lld could not be read", (long long)trial->skipped);
}
