/*
 * Labels, outcomes and verdicts: their names, and verdicts as JSON.
 */
#include "verdict.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "attr.h"
#include "outcome.h"
#include "rounded.h"
#include "str.h"
#include "text.h"

/*
 * Labels: the class of a verdict as one word.
 */

const char *verdict_label_word(const struct verdict_label *label)
{
    if (label->class == VERDICT_TRANSIENT)
        return transient_type_name(label->type);
    if (label->class == VERDICT_PERSISTENT && label->reason != REASON_NONE)
        return reason_name(label->reason);
    return verdict_class_name(label->class);
}

bool verdict_label_parse(const char *text, struct verdict_label *out)
{
    for (int i = TRANSIENT_NONE + 1; i < TRANSIENT_TYPE_COUNT; i++) {
        const enum transient_type type = (enum transient_type)i;
        const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
        char word[VERDICT_WORD_MAX];
        struct verdict verdict = verdict_new();
        verdict_set_transient(&verdict, type, "", "");
        if (strcasecmp(transient_type_name(type), text) == 0 ||
            strcasecmp(verdict_word(&verdict, &outcome, word), text) == 0) {
            *out = (struct verdict_label){.class = VERDICT_TRANSIENT, .type = type};
            return true;
        }
    }
    if (strcasecmp(text, verdict_class_name(VERDICT_SUCCESS)) == 0) {
        *out = (struct verdict_label){.class = VERDICT_SUCCESS};
        return true;
    }
    if (strcasecmp(text, verdict_class_name(VERDICT_PERSISTENT)) == 0) {
        *out = (struct verdict_label){.class = VERDICT_PERSISTENT};
        return true;
    }
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++) {
        if (strcasecmp(reason_name((enum reason)reason), text) == 0) {
            *out =
                (struct verdict_label){.class = VERDICT_PERSISTENT, .reason = (enum reason)reason};
            return true;
        }
    }
    return false;
}

bool verdict_label_equals(const struct verdict_label *a, const struct verdict_label *b)
{
    return a->class == b->class && a->type == b->type && a->reason == b->reason;
}

void verdict_label_words(struct str *out)
{
    for (int type = TRANSIENT_NONE + 1; type < TRANSIENT_TYPE_COUNT; type++)
        str_addf(out, "%s, ", transient_type_name((enum transient_type)type));
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
        str_addf(out, "%s, ", reason_name((enum reason)reason));
    str_addf(out, "%s, %s", verdict_class_name(VERDICT_PERSISTENT),
             verdict_class_name(VERDICT_SUCCESS));
}

/*
 * Outcomes: the facts of an attempt's end, before any judgment.
 */

static const char *const kind_names[] = {
    [OUTCOME_EXIT] = "exit",
    [OUTCOME_SIGNAL] = "signal",
    [OUTCOME_NOT_STARTED] = "not started",
    [OUTCOME_TIMEOUT] = "timeout",
    [OUTCOME_CANCELLED] = "cancelled",
    [OUTCOME_INTERRUPTED] = "interrupted",
    [OUTCOME_LOST] = "lost",
};
static_assert(ARRAY_LEN(kind_names) == OUTCOME_KIND_COUNT, "every kind of end has a name");

static const char *const start_words[] = {
    [START_SANDBOX_FAILED - START_CODE_FIRST] = "the sandbox failed",
    [START_TIMED_OUT - START_CODE_FIRST] = "the sandbox was not ready in time",
    [START_DAEMON_DOWN - START_CODE_FIRST] = "the container daemon does not answer",
    [START_IMAGE_MISSING - START_CODE_FIRST] = "the container image is missing",
    [START_WORKSPACE_FAILED - START_CODE_FIRST] = "the workspace could not be prepared",
    [START_CONFLICT - START_CODE_FIRST] = "the results of the required tasks cannot be merged",
    [START_NO_SPACE - START_CODE_FIRST] = "no space left for the workspace",
    [START_TOO_LARGE - START_CODE_FIRST] = "the workspace is too large for a snapshot",
    [START_LEFT_ALIVE - START_CODE_FIRST] = "a process of an earlier attempt is still running",
    [START_SECRET_MISSING - START_CODE_FIRST] = "a secret of the plan is not in the environment",
    [START_STDIN_GONE - START_CODE_FIRST] = "its standard input cannot be read again",
    [START_EXECUTOR_DOWN - START_CODE_FIRST] = "the other machine does not answer",
    [START_EXECUTOR_REFUSED - START_CODE_FIRST] = "the other machine refused it",
    [START_HAND_MISSING - START_CODE_FIRST] = "devs-hand is missing there, or has another version",
    [START_NO_FOLDER - START_CODE_FIRST] = "its folder is missing on the other machine",
    [START_QUEUED_TOO_LONG - START_CODE_FIRST] = "its job waited in the queue for too long",
};
static_assert(ARRAY_LEN(start_words) == START_CODE_END - START_CODE_FIRST,
              "every code has its words");

static const char *const stop_words[] = {
    [STOP_ASKED] = "cancelled",
    [STOP_LOOP] = "stopped: its calls are looping",
    [STOP_BUDGET] = "stopped: its budget is spent",
    [STOP_HOPELESS] = "stopped: its own retries cannot succeed",
};
static_assert(ARRAY_LEN(stop_words) == STOP_COUNT, "every stop has its words");

static const char *const cause_names[] = {
    [CAUSE_NONE] = "none",           [CAUSE_TIME_LIMIT] = "time limit",
    [CAUSE_PREEMPTED] = "preempted", [CAUSE_CANCELLED] = "cancelled",
    [CAUSE_MEMORY] = "memory",       [CAUSE_NODE] = "node failed",
};
static_assert(ARRAY_LEN(cause_names) == CAUSE_COUNT, "every cause has a name");

/* Continues the words for the end: "lost: ...". */
static const char *const cause_words[] = {
    [CAUSE_NONE] = "",
    [CAUSE_TIME_LIMIT] = "the time limit of its job",
    [CAUSE_PREEMPTED] = "its job was preempted",
    [CAUSE_CANCELLED] = "its job was cancelled on the cluster",
    [CAUSE_MEMORY] = "its machine or job had no memory left",
    [CAUSE_NODE] = "its node failed",
};
static_assert(ARRAY_LEN(cause_words) == CAUSE_COUNT, "every cause has its words");

enum { MS_PER_S = 1000 };

const char *outcome_cause_name(enum outcome_cause cause)
{
    assert(cause < CAUSE_COUNT);
    return cause_names[cause];
}

const char *job_state_name(enum job_state state)
{
    static const char *const names[] = {
        [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running", [JOB_ENDED] = "ended"};
    static_assert(ARRAY_LEN(names) == JOB_STATE_COUNT, "every state has a name");
    assert(state < JOB_STATE_COUNT);
    return names[state];
}

bool start_code_is_known(int code)
{
    return code >= START_CODE_FIRST && code < START_CODE_END;
}

const char *outcome_kind_name(enum outcome_kind kind)
{
    assert(kind < OUTCOME_KIND_COUNT);
    return kind_names[kind];
}

void outcome_words(const struct outcome *outcome, struct str *out)
{
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        str_add(out, "exit ");
        str_add_i64(out, outcome->code);
        break;
    case OUTCOME_SIGNAL:
        str_addf(out, "signal %d", outcome->code);
        break;
    case OUTCOME_NOT_STARTED:
        str_addf(out, "not started: %s",
                 start_code_is_known(outcome->code) ? start_words[outcome->code - START_CODE_FIRST]
                                                    : strerror(outcome->code));
        break;
    case OUTCOME_TIMEOUT:
        str_add(out, outcome_kind_name(outcome->kind));
        if (outcome->quiet_ms > 0)
            str_addf(out, ": no output for %lld s",
                     (long long)rounded(outcome->quiet_ms, MS_PER_S));
        break;
    case OUTCOME_CANCELLED:
        str_add(out, stop_words[outcome->stop]);
        break;
    case OUTCOME_INTERRUPTED:
    case OUTCOME_LOST:
    case OUTCOME_KIND_COUNT:
        str_add(out, outcome_kind_name(outcome->kind));
        break;
    }
    if (outcome->cause != CAUSE_NONE)
        str_addf(out, ": %s", cause_words[outcome->cause]);
}

bool outcome_is_seen(const struct outcome *outcome)
{
    return !outcome_is_broken_off(outcome->kind) || outcome->ran_ms > 0;
}

/*
 * Verdicts. Their words are the failure classes: seven transient types, each with a free subtype,
 * and a closed list of persistent reasons. Numbers are stored in the log: never renumber.
 */

static const char *const class_names[] = {
    [VERDICT_SUCCESS] = "success",
    [VERDICT_TRANSIENT] = "transient",
    [VERDICT_PERSISTENT] = "persistent",
};
static_assert(ARRAY_LEN(class_names) == VERDICT_CLASS_COUNT, "every class has a name");

/* Names of transient types in the log, and on the screen. */
static const struct {
    const char *name;
    const char *word;
} types[] = {
    [TRANSIENT_NONE] = {"", ""},
    [TRANSIENT_NETWORK_TIMEOUT] = {"NETWORK_TIMEOUT", "network"},
    [TRANSIENT_DOCKER_SOCKET_UNAVAILABLE] = {"DOCKER_SOCKET_UNAVAILABLE", "docker"},
    [TRANSIENT_CONTAINER_OOM] = {"CONTAINER_OOM", "oom"},
    [TRANSIENT_API_RATE_LIMIT] = {"API_RATE_LIMIT", "rate-limit"},
    [TRANSIENT_API_OVERLOADED] = {"API_OVERLOADED", "overloaded"},
    [TRANSIENT_SANDBOX_START_TIMEOUT] = {"SANDBOX_START_TIMEOUT", "start-timeout"},
    [TRANSIENT_RESOURCE_BUSY] = {"RESOURCE_BUSY", "busy"},
};
static_assert(ARRAY_LEN(types) == TRANSIENT_TYPE_COUNT, "every type has a name");

static const char *const reason_names[] = {
    [REASON_NONE] = "",
    [REASON_TEST_FAIL] = "test-fail",
    [REASON_COMPILE] = "compile",
    [REASON_USAGE] = "usage",
    [REASON_NOT_FOUND] = "not-found",
    [REASON_PERMISSION] = "permission",
    [REASON_AUTH] = "auth",
    [REASON_QUOTA] = "quota",
    [REASON_CONTEXT_LENGTH] = "context-length",
    [REASON_BAD_REQUEST] = "bad-request",
    [REASON_TOO_LARGE] = "too-large",
    [REASON_REFUSAL] = "refusal",
    [REASON_LIMIT] = "limit",
    [REASON_CONTRACT] = "contract",
    [REASON_CONFIG] = "config",
    [REASON_CONFLICT] = "conflict",
    [REASON_CRASH] = "crash",
    [REASON_SETUP] = "setup",
    [REASON_DEADLINE] = "deadline",
    [REASON_CANCELLED] = "cancelled",
    [REASON_LOOP] = "loop",
    [REASON_BUDGET] = "budget",
};
static_assert(ARRAY_LEN(reason_names) == REASON_COUNT, "every reason has a name");

static const char *const stream_names[] = {
    [VERDICT_STREAM_NONE] = "",
    [VERDICT_STREAM_OUT] = "stdout",
    [VERDICT_STREAM_ERR] = "stderr",
};

static const char *const near_names[] = {
    [NEAR_QUOTED] = "quoted", [NEAR_UNLESS] = "unless",       [NEAR_PATTERN] = "pattern",
    [NEAR_EXIT] = "exit",     [NEAR_OUTRANKED] = "outranked",
};
static_assert(ARRAY_LEN(near_names) == NEAR_WHY_COUNT, "every near miss has a word");

struct verdict verdict_new(void)
{
    return (struct verdict){.retry_after_ms = -1, .resume_at_ms = -1};
}

void verdict_set_transient(struct verdict *verdict, enum transient_type type, const char *subtype,
                           const char *rule)
{
    verdict->class = VERDICT_TRANSIENT;
    verdict->type = type;
    verdict->reason = REASON_NONE;
    (void)snprintf(verdict->subtype, sizeof(verdict->subtype), "%s", subtype);
    (void)snprintf(verdict->rule, sizeof(verdict->rule), "%s", rule);
}

void verdict_set_persistent(struct verdict *verdict, enum reason reason, const char *subtype,
                            const char *rule)
{
    verdict->class = VERDICT_PERSISTENT;
    verdict->type = TRANSIENT_NONE;
    verdict->reason = reason;
    (void)snprintf(verdict->subtype, sizeof(verdict->subtype), "%s", subtype);
    (void)snprintf(verdict->rule, sizeof(verdict->rule), "%s", rule);
}

void verdict_set_match(struct verdict *verdict, const char *text)
{
    const size_t len = text_cut(text, strlen(text), sizeof(verdict->match) - 1);
    memcpy(verdict->match, text, len);
    verdict->match[len] = '\0';
}

const char *verdict_class_name(enum verdict_class class)
{
    assert(class < VERDICT_CLASS_COUNT);
    return class_names[class];
}

const char *transient_type_name(enum transient_type type)
{
    assert(type < TRANSIENT_TYPE_COUNT);
    return types[type].name;
}

const char *reason_name(enum reason reason)
{
    assert(reason < REASON_COUNT);
    return reason_names[reason];
}

const char *near_why_name(enum near_why why)
{
    assert(why < NEAR_WHY_COUNT);
    return near_names[why];
}

const char *verdict_stream_name(enum verdict_stream stream)
{
    assert(stream < ARRAY_LEN(stream_names));
    return stream_names[stream];
}

void verdict_add_near(struct verdict *verdict, const struct verdict_near *near)
{
    assert(verdict->near_count <= VERDICT_NEAR_MAX);
    if (verdict->near_count < VERDICT_NEAR_MAX)
        verdict->near[verdict->near_count++] = *near;
}

bool verdict_add_line(struct verdict *verdict, const char *line, size_t len)
{
    size_t used = strlen(verdict->violations);
    size_t room = sizeof(verdict->violations) - used;
    assert(!memchr(line, '\n', len));
    if (len + 2 > room) /* a line feed and the NUL */
        return false;
    (void)snprintf(verdict->violations + used, room, "%.*s\n", (int)len, line);
    return true;
}

bool transient_type_parse(const char *text, enum transient_type *out)
{
    for (int i = TRANSIENT_NONE + 1; i < TRANSIENT_TYPE_COUNT; i++) {
        if (strcmp(types[i].name, text) == 0) {
            *out = (enum transient_type)i;
            return true;
        }
    }
    return false;
}

bool reason_parse(const char *text, enum reason *out)
{
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
        if (strcmp(reason_names[i], text) == 0) {
            *out = (enum reason)i;
            return true;
        }
    }
    return false;
}

/* Returns the word for a transient verdict: that of its subtype if none of the seven types fits. */
static const char *transient_word(const struct verdict *verdict)
{
    static const struct {
        enum transient_type type;
        const char *subtype, *word;
    } own[] = {{TRANSIENT_RESOURCE_BUSY, "TIMEOUT", "timeout"},
               {TRANSIENT_RESOURCE_BUSY, "SILENT", "silent"},
               {TRANSIENT_RESOURCE_BUSY, "INTERRUPTED", "interrupted"},
               {TRANSIENT_NETWORK_TIMEOUT, "EMPTY_ANSWER", "empty"}};
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        if (verdict->type == own[i].type && strcmp(verdict->subtype, own[i].subtype) == 0)
            return own[i].word;
    }
    return types[verdict->type].word;
}

const char *verdict_word(const struct verdict *verdict, const struct outcome *outcome,
                         char out[VERDICT_WORD_MAX])
{
    const char *word = "";
    int code = -1;
    if (verdict->class == VERDICT_TRANSIENT) {
        word = transient_word(verdict);
    } else if (verdict->class == VERDICT_PERSISTENT && verdict->reason != REASON_NONE) {
        word = reason_names[verdict->reason];
    } else if (verdict->class == VERDICT_PERSISTENT) {
        word = outcome_kind_name(outcome->kind);
        bool has_code = outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL;
        code = has_code ? outcome->code : -1;
    }

    if (code >= 0)
        (void)snprintf(out, VERDICT_WORD_MAX, "%s %d", word, code);
    else
        (void)snprintf(out, VERDICT_WORD_MAX, "%s", word);
    return out;
}

/* Records. */

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

void verdict_to_record(const struct verdict *verdict, struct verdict_record *out)
{
    *out = (struct verdict_record){
        .label = {verdict->class, verdict->type, verdict->reason},
        .expectation = verdict->expectation,
        .stream = verdict->stream,
        .ask = verdict->ask,
        .no_retry = verdict->no_retry,
        .retry_after_ms = verdict->retry_after_ms,
        .resume_at_ms = verdict->resume_at_ms,
        .rule = text_or_null(verdict->rule),
        .subtype = text_or_null(verdict->subtype),
        .match = text_or_null(verdict->match),
        .hint_rule = text_or_null(verdict->hint_rule),
        .violations = text_or_null(verdict->violations),
        .near_count = verdict->near_count,
    };
    if (verdict->stream != VERDICT_STREAM_NONE) {
        out->offset = verdict->offset;
        out->line = verdict->line;
    }
    for (int i = 0; i < verdict->near_count; i++) {
        const struct verdict_near *near = &verdict->near[i];
        out->near[i] = (struct verdict_near_record){
            .rule = text_or_null(near->rule), .why = near->why, .stream = near->stream};
        if (near->stream != VERDICT_STREAM_NONE)
            out->near[i].offset = near->offset;
    }
}

/* Copies only the first line: anyone may have written the log, and one line is printed. */
static void copy_line(const char *text, char *out, size_t size)
{
    if (!text)
        return;
    const size_t len = text_cut(text, strcspn(text, "\r\n"), size - 1);
    memcpy(out, text, len);
    out[len] = '\0';
}

void verdict_from_record(const struct verdict_record *record, struct verdict *out)
{
    *out = verdict_new();
    out->class = record->label.class;
    out->type = record->label.type;
    out->reason = record->label.reason;
    out->expectation = record->expectation;
    out->stream = record->stream;
    out->offset = record->offset;
    out->line = record->line;
    out->retry_after_ms = record->retry_after_ms;
    out->resume_at_ms = record->resume_at_ms;
    out->ask = record->ask;
    out->no_retry = record->no_retry;
    copy_line(record->rule, out->rule, sizeof(out->rule));
    copy_line(record->subtype, out->subtype, sizeof(out->subtype));
    copy_line(record->match, out->match, sizeof(out->match));
    copy_line(record->hint_rule, out->hint_rule, sizeof(out->hint_rule));
    for (int i = 0; i < record->near_count; i++) {
        struct verdict_near near = {.why = record->near[i].why,
                                    .stream = record->near[i].stream,
                                    .offset = record->near[i].offset};
        copy_line(record->near[i].rule, near.rule, sizeof(near.rule));
        verdict_add_near(out, &near);
    }
    const char *lines = record->violations ? record->violations : "";
    while (*lines) {
        const size_t len = strcspn(lines, "\n");
        if (len > 0 && !verdict_add_line(out, lines, len))
            break; /* the rest does not fit, as when it was written */
        lines += len + (lines[len] == '\n');
    }
}
