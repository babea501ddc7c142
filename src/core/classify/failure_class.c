#include "failure_class.h"

#include <stdio.h>

#include "verdict.h"

/* Is there more to it than its class says? What was busy may have used up its time, or have been
 * silent, or interrupted. */
static bool has_ending(const struct attempt_state *attempt)
{
    if (attempt->class == VERDICT_TRANSIENT)
        return attempt->type == TRANSIENT_RESOURCE_BUSY &&
               (attempt->outcome.kind == OUTCOME_TIMEOUT ||
                attempt->outcome.kind == OUTCOME_INTERRUPTED);
    return attempt->class == VERDICT_PERSISTENT && attempt->reason == REASON_NONE;
}

/* The class that devs gave the attempt itself. */
static struct failure_class class_as_judged(const struct attempt_state *attempt)
{
    struct failure_class out = {
        .label = {.class = attempt->class, .type = attempt->type, .reason = attempt->reason}};
    if (has_ending(attempt)) {
        out.kind = attempt->outcome.kind;
        out.is_silent = out.kind == OUTCOME_TIMEOUT && attempt->outcome.quiet_ms > 0;
        if (out.kind == OUTCOME_EXIT || out.kind == OUTCOME_SIGNAL)
            out.code = attempt->outcome.code;
    }
    return out;
}

struct failure_class failure_class_of(const struct attempt_state *attempt)
{
    if (attempt->correction)
        return (struct failure_class){.label = attempt->correction->label};
    return class_as_judged(attempt);
}

bool failure_class_equals(const struct failure_class *a, const struct failure_class *b)
{
    return verdict_label_equals(&a->label, &b->label) && a->kind == b->kind && a->code == b->code &&
           a->is_silent == b->is_silent;
}

void failure_class_word(const struct failure_class *class, struct str *out)
{
    struct verdict verdict = verdict_new();
    const struct outcome outcome = {.kind = class->kind, .code = class->code};
    char word[VERDICT_WORD_MAX];
    if (class->kind == OUTCOME_TIMEOUT)
        (void)snprintf(verdict.subtype, sizeof(verdict.subtype), "%s",
                       class->is_silent ? "SILENT" : "TIMEOUT");
    else if (class->kind == OUTCOME_INTERRUPTED)
        (void)snprintf(verdict.subtype, sizeof(verdict.subtype), "INTERRUPTED");
    verdict.class = class->label.class;
    verdict.type = class->label.type;
    verdict.reason = class->label.reason;
    if (verdict.class == VERDICT_SUCCESS)
        str_add(out, verdict_class_name(VERDICT_SUCCESS));
    else
        str_add(out, verdict_word(&verdict, &outcome, word));
}

void failure_class_original(const struct attempt_state *attempt, struct str *out)
{
    const struct failure_class judged = class_as_judged(attempt);
    if (!attempt->correction)
        return;
    str_add(out, " (was ");
    if (attempt->class == VERDICT_SUCCESS)
        str_add(out, verdict_class_name(VERDICT_SUCCESS));
    else
        failure_class_word(&judged, out);
    str_add_char(out, ')');
}
