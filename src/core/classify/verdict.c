#include "verdict.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "outcome.h"
#include "text.h"

static const char *const class_names[] = {
    [VERDICT_SUCCESS] = "success",
    [VERDICT_TRANSIENT] = "transient",
    [VERDICT_PERSISTENT] = "persistent",
};
static_assert(ARRAY_LEN(class_names) == VERDICT_CLASS_COUNT, "every class has a name");

/* A transient type's name in the log and its short word on the screen. */
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
    if (len + 2 > room) /* a line feed and the end */
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

/* What has no type of its own among the seven: the subtype tells it. */
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
