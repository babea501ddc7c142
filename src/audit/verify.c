/*
 * verify.c - decides and judges a recorded run again, and compares the results.
 *
 * One pass over the events is enough. The end of an attempt is kept until a later event has its
 * recorded verdict, or shows that it was a plain success. The log has no memory counters, so a
 * verdict also counts as the same if the counters would have led to it. Verdicts that are not based
 * on output are only counted.
 */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "event_row.h"
#include "evidence.h"
#include "log_read.h"
#include "plan.h"

/* Judging recorded attempts again and comparing the verdicts. */

/* A run whose recorded attempts are being judged again. */
struct verify_judge {
    const struct verify_asked *asked; /* borrowed */
    int64_t run;
    const struct plan *plan; /* borrowed; grows with the run if its plan grows */
    bool is_session;
    struct evidence *evidence;                          /* owned */
    struct classifier *classifiers[VERIFY_RULES_COUNT]; /* owned; RECORDED may be NULL */
    bool are_same_rules; /* the rule sets are identical, so only classifiers[VERIFY_PRESENT] is set
                          */
    bool has_end;
    struct event end;    /* if has_end: an end whose verdict may still follow */
    struct str end_text; /* owned; the strings of `end` */
    struct verify_verdicts sum;
};

/* The recorded verdict of an attempt, and the input for judging it again. */
struct recorded {
    const struct event *end;
    bool is_said; /* false for a plain success, which has no recorded verdict */
    struct verdict verdict;
    struct classify_input input;
    enum evidence_state state;
};

static const struct plan_step *step_of(const struct verify_judge *judge, const struct event *end)
{
    return &judge->plan->tasks[end->task].steps[end->step];
}

/* Compares two verdicts. Compares the rule's name and the contract violations only under the run's
 * own rules. */
static bool is_same(const struct recorded *recorded, const struct verdict *is,
                    enum verify_rules rules)
{
    const struct verdict *was = &recorded->verdict;
    if (!recorded->is_said)
        return was->class == is->class;
    const bool is_alike = was->class == is->class && was->type == is->type &&
                          was->reason == is->reason && was->ask == is->ask &&
                          was->no_retry == is->no_retry &&
                          was->retry_after_ms == is->retry_after_ms;
    return is_alike && (rules == VERIFY_PRESENT || (strcmp(was->rule, is->rule) == 0 &&
                                                    strcmp(was->violations, is->violations) == 0));
}

static void report_difference(struct verify_judge *judge, const struct recorded *recorded,
                              const struct verdict *is, enum verify_rules rules)
{
    struct verdict was = recorded->verdict;
    const struct verify_verdict verdict = {
        .rules = rules,
        .plan = judge->plan,
        .event = recorded->end,
        .outcome = &recorded->input.outcome,
        .was = &was,
        .is = is,
    };
    judge->sum.different[rules]++;
    if (judge->asked->verdict)
        judge->asked->verdict(judge->asked->ctx, &verdict);
}

enum opinion { OPINION_SAME, OPINION_OTHER, OPINION_NO_CONTRACT };

struct opinions {
    enum opinion said[VERIFY_RULES_COUNT];
    struct verdict verdicts[VERIFY_RULES_COUNT];
};

static enum opinion judge_by(struct verify_judge *judge, const struct recorded *recorded,
                             enum verify_rules rules, struct verdict *is)
{
    const struct plan_contract *contract = step_of(judge, recorded->end)->contract;
    classify(judge->classifiers[judge->are_same_rules ? VERIFY_PRESENT : rules], &recorded->input,
             is);
    if (contract) {
        struct str bytes = {0};
        struct violations violations = {0};
        struct contract_output output;
        const bool is_there = evidence_result(judge->evidence, &bytes, &output);
        if (is_there)
            contract_judge(contract->schema, &output, is, &violations);
        violations_done(&violations);
        str_done(&bytes);
        /* The log lacks part of the output that the contract was checked against. */
        if (!is_there &&
            (is->class == VERDICT_SUCCESS || recorded->verdict.reason == REASON_CONTRACT))
            return OPINION_NO_CONTRACT;
    }
    return is_same(recorded, is, rules) ? OPINION_SAME : OPINION_OTHER;
}

/* Judges with both rule sets, or only once if they are identical. */
static void ask_both(struct verify_judge *judge, const struct recorded *recorded,
                     struct opinions *out)
{
    *out = (struct opinions){0};
    if (judge->are_same_rules) {
        out->said[VERIFY_RECORDED] =
            judge_by(judge, recorded, VERIFY_RECORDED, &out->verdicts[VERIFY_RECORDED]);
        out->said[VERIFY_PRESENT] = out->said[VERIFY_RECORDED];
        out->verdicts[VERIFY_PRESENT] = out->verdicts[VERIFY_RECORDED];
        return;
    }
    for (enum verify_rules rules = 0; rules < VERIFY_RULES_COUNT; rules++) {
        if (judge->classifiers[rules])
            out->said[rules] = judge_by(judge, recorded, rules, &out->verdicts[rules]);
    }
}

/* Judges the attempt again. Memory counters can only be read while the attempt exists, so both
 * possible values are tried. */
static void judge_again(struct verify_judge *judge, struct recorded *recorded)
{
    struct opinions opinions;
    const enum verify_rules first =
        judge->sum.recorded == VERIFY_RULES_THERE ? VERIFY_RECORDED : VERIFY_PRESENT;
    ask_both(judge, recorded, &opinions);
    if (opinions.said[first] == OPINION_OTHER && recorded->input.memory_killed < 0) {
        struct opinions others;
        recorded->input.memory_killed = 0;
        ask_both(judge, recorded, &others);
        if (others.said[first] == OPINION_SAME)
            opinions = others;
    }
    const bool differs = opinions.said[VERIFY_RECORDED] == OPINION_OTHER ||
                         opinions.said[VERIFY_PRESENT] == OPINION_OTHER;
    if (differs && recorded->state == EVIDENCE_CUT) {
        judge->sum.cut++;
        return;
    }
    judge->sum.judged++;
    judge->sum.contracts += opinions.said[VERIFY_PRESENT] == OPINION_NO_CONTRACT;
    for (enum verify_rules rules = 0; rules < VERIFY_RULES_COUNT; rules++) {
        if (opinions.said[rules] == OPINION_OTHER)
            report_difference(judge, recorded, &opinions.verdicts[rules], rules);
    }
}

/* Compares the fingerprint of the result, if one was recorded and the output is available. */
static void compare_print(struct verify_judge *judge, const struct evidence_of *of,
                          const struct outcome *outcome)
{
    struct verify_verdicts *sum = &judge->sum;
    const struct digest recorded = of->event->ended.fingerprint;
    struct digest made;
    if (!digest_is_known(recorded))
        return;
    if (!evidence_fingerprint(judge->evidence, of, outcome, &made)) {
        sum->prints_left++;
        return;
    }
    sum->prints++;
    if (digest_equal(recorded, made))
        return;
    sum->other_prints++;
    if (sum->first_print == 0)
        sum->first_print = of->event->seq;
}

/* Judges an attempt again. `judged` has the recorded verdict; NULL for a plain success. */
static bool judge_end(struct verify_judge *judge, const struct event *end,
                      const struct event *judged, struct err *err)
{
    struct recorded recorded = {.end = end, .is_said = judged != NULL, .verdict = verdict_new()};
    struct verify_verdicts *sum = &judge->sum;
    if (judged)
        verdict_from_record(&judged->judged, &recorded.verdict);
    sum->ended++;
    if (judge->is_session) {
        sum->unruled++;
        return true;
    }
    /* Verdicts that are not based on output: results of the step could not be moved into place, or
     * are missing. */
    const char *rule = recorded.verdict.rule;
    if (strcmp(rule, "known.output") == 0 || strcmp(rule, "known.keep") == 0 ||
        strcmp(rule, EXPECT_FILES_RULE) == 0) {
        sum->seen++;
        return true;
    }
    /* The run was continued, and its new owner knew only how the attempt ended. */
    if (strncmp(rule, "recovered.", strlen("recovered.")) == 0) {
        sum->unread++;
        return true;
    }
    const struct evidence_of of = {.run = judge->run,
                                   .plan = judge->plan,
                                   .event = end,
                                   .wants_all = true,
                                   .memory_killed = strcmp(rule, "known.memory") == 0 ? 1 : -1};
    if (!evidence_read(judge->evidence, &of, &recorded.input, &recorded.state, err))
        return false;
    compare_print(judge, &of, &recorded.input.outcome);
    redecide_as_judged(step_of(judge, end), recorded.input.outcome.kind, recorded.is_said,
                       &recorded.verdict);
    judge_again(judge, &recorded);
    return true;
}

/* Judges the kept end if `event` has its verdict or shows that it was a plain success; otherwise
 * drops it. */
static bool settle_end(struct verify_judge *judge, const struct event *event, struct err *err)
{
    const struct event *end = &judge->end;
    const bool is_same_attempt = event && end->task == event->task && end->step == event->step &&
                                 end->attempt == event->attempt;
    const bool is_judged = is_same_attempt && event->kind == EVENT_ATTEMPT_JUDGED;
    const bool has_passed = is_same_attempt && event->kind == EVENT_STEP_ENDED;
    bool ok = true;
    if (is_judged || has_passed)
        ok = judge_end(judge, end, is_judged ? event : NULL, err);
    judge->has_end = false;
    return ok;
}

/* Processes the next event: judges the kept end, and keeps a new one. */
static bool verify_judge_add(struct verify_judge *judge, const struct event *event, struct err *err)
{
    const bool was_settled = judge->has_end;
    /* These events may come between an end and its consequence. */
    const bool is_between = event->kind == EVENT_BUDGET || event->kind == EVENT_LOOP_SUSPECTED;
    if (judge->has_end && !is_between && !settle_end(judge, event, err))
        return false;
    if (evidence_is_end(judge->plan, event)) {
        judge->end = *event;
        event_keep(&judge->end, &judge->end_text);
        judge->has_end = true;
    } else if (event->kind == EVENT_ATTEMPT_JUDGED && !was_settled) {
        judge->sum.ended++; /* one devs recorded the end, a later one the verdict */
        judge->sum.unread++;
    }
    return true;
}

enum { QUERY_ACT, QUERY_RULES, QUERY_COUNT };

/* Following a run from the first event to the last. */

static const char *const query_sql[QUERY_COUNT] = {
    [QUERY_ACT] = "SELECT " CONTROL_ROW_COLUMNS " FROM control WHERE run=? AND id=?",
    [QUERY_RULES] = "SELECT text FROM ruleset WHERE hash=?",
};

/* A run that is being verified. */
struct verifying {
    const struct verify_asked *asked;   /* borrowed */
    sqlite3_stmt *queries[QUERY_COUNT]; /* owned */
    struct log_run_info run;            /* owned */
    struct plan *plan;                  /* owned */
    struct plan *growing;               /* owned; NULL if the plan does not grow */
    struct redecide *redecide;          /* owned */
    struct verify_judge judge;
    struct event_page page; /* owned */
};

static bool find_act(void *ctx, int64_t id, struct control *out)
{
    struct verifying *verifying = ctx;
    sqlite3_stmt *query = verifying->queries[QUERY_ACT];
    (void)sqlite3_bind_int64(query, 1, verifying->run.number);
    (void)sqlite3_bind_int64(query, 2, id);
    bool row = false;
    const bool found = db_next(&verifying->asked->reader->db, query, &row, NULL) && row &&
                       control_row_read(query, out);
    (void)sqlite3_reset(query); /* treats an unreadable row as missing */
    return found;
}

static void pass_on_difference(void *ctx, const struct redecide_difference *difference)
{
    const struct verifying *verifying = ctx;
    if (verifying->asked->differs)
        verifying->asked->differs(verifying->asked->ctx, difference);
}

static bool open_judge(struct verifying *verifying, struct err *err)
{
    struct verify_judge *judge = &verifying->judge;
    struct log_reader *reader = verifying->asked->reader;
    struct classifier **own = &judge->classifiers[VERIFY_RECORDED];
    struct classifier **present = &judge->classifiers[VERIFY_PRESENT];
    const char *hash = verifying->run.rules_hash;
    char *rules = NULL; /* NULL if none were recorded */
    *judge = (struct verify_judge){
        .asked = verifying->asked,
        .run = verifying->run.number,
        .plan = verifying->growing ? verifying->growing : verifying->plan,
        .is_session = verifying->run.is_session,
    };
    if (hash && hash[0] != '\0') {
        sqlite3_stmt *query = verifying->queries[QUERY_RULES];
        db_bind_text(query, 1, hash);
        bool row = false;
        const bool ok = db_next(&reader->db, query, &row, err);
        if (ok && row)
            rules = db_column_copy(query, 0);
        (void)sqlite3_reset(query); /* repeats the step's error */
        if (!ok)
            return false;
    }
    const bool ok = classifier_open(present, judge->asked->rules, err);
    if (ok && hash && strcmp(hash, classifier_hash(*present)) == 0) {
        judge->sum.recorded = VERIFY_RULES_THERE;
        judge->are_same_rules = true;
    } else if (ok && rules) {
        judge->sum.recorded =
            classifier_open(own, rules, NULL) ? VERIFY_RULES_THERE : VERIFY_RULES_UNREADABLE;
    }
    if (ok)
        evidence_open(&judge->evidence, reader);
    free(rules);
    return ok;
}

static bool open_parts(struct verifying *verifying, struct err *err)
{
    struct log_reader *reader = verifying->asked->reader;
    const struct log_run_info *run = &verifying->run;
    if (!db_prepare(&reader->db, query_sql, QUERY_COUNT, verifying->queries, err) ||
        !log_reader_run(reader, verifying->asked->run, &verifying->run, err))
        return false;

    struct violations violations = {0};
    const bool ok =
        plan_parse(run->plan_text, strlen(run->plan_text), &verifying->plan, &violations);
    if (!ok)
        (void)err_set(err, ERR_DAMAGED, "the plan of run #%lld in the log cannot be read%s%s",
                      (long long)run->number, violations.count > 0 ? ": " : "",
                      violations.count > 0 ? violations.items[0].message : "");
    violations_done(&violations);
    if (!ok)
        return false;
    if (verifying->plan->grows)
        verifying->growing = plan_growing(verifying->plan);
    if (!open_judge(verifying, err))
        return false;
    const struct redecide_run redecided = {.plan = verifying->plan,
                                           .seed = run->seed,
                                           .dir = run->dir,
                                           .is_session = run->is_session,
                                           .act = find_act,
                                           .differs = pass_on_difference,
                                           .ctx = verifying};
    redecide_open(&verifying->redecide, &redecided);
    return true;
}

/* Verifies all events of the run. Reads output only between pages of events, never within one. */
static bool take_events(struct verifying *verifying, struct err *err)
{
    const struct verify_asked *asked = verifying->asked;
    const struct event_page *page = &verifying->page;
    struct verify_judge *judge = &verifying->judge;
    int64_t after = 0;
    do {
        if (!log_reader_events(asked->reader, verifying->run.number, after, &verifying->page, err))
            return false;
        for (size_t i = 0; i < page->count; i++) {
            const struct event *event = &page->events[i];
            evidence_take_task(verifying->growing, event);
            if (!redecide_add(verifying->redecide, event, err) ||
                !verify_judge_add(judge, event, err))
                return false;
            after = event->seq;
        }
        if (asked->progress)
            asked->progress(asked->progress_ctx, after, verifying->run.last_seq);
    } while (page->count == LOG_PAGE_EVENTS);
    return redecide_finish(verifying->redecide, err) &&
           (!judge->has_end || settle_end(judge, NULL, err));
}

bool verify_run(const struct verify_asked *asked, struct verify_sum *out, struct err *err)
{
    struct verifying verifying = {.asked = asked};
    struct verify_judge *judge = &verifying.judge;
    *out = (struct verify_sum){0};
    bool ok = open_parts(&verifying, err);
    if (ok) {
        ok = take_events(&verifying, err);
        out->decisions = *redecide_sum(verifying.redecide);
        out->verdicts = judge->sum;
    }
    event_page_done(&verifying.page);
    redecide_close(verifying.redecide);
    evidence_close(judge->evidence);
    str_done(&judge->end_text);
    for (int i = 0; i < VERIFY_RULES_COUNT; i++)
        classifier_close(judge->classifiers[i]);
    plan_free(verifying.growing);
    plan_free(verifying.plan);
    log_run_info_done(&verifying.run);
    db_finalize(verifying.queries, QUERY_COUNT);
    return ok;
}
