#include "failure_class.h"

#include "verdict.h"

struct failure_class failure_class_of(const struct attempt_state *attempt)
{
    struct failure_class out = {
        .label = {.class = attempt->class, .type = attempt->type, .reason = attempt->reason}};
    if (attempt->correction)
        out.label = attempt->correction->label;
    if (out.label.class != VERDICT_PERSISTENT || out.label.reason != REASON_NONE)
        return out;
    out.kind = attempt->outcome.kind;
    if (out.kind == OUTCOME_EXIT || out.kind == OUTCOME_SIGNAL)
        out.code = attempt->outcome.code;
    return out;
}

bool failure_class_equals(const struct failure_class *a, const struct failure_class *b)
{
    return verdict_label_equals(&a->label, &b->label) && a->kind == b->kind && a->code == b->code;
}

void failure_class_word(const struct failure_class *class, struct str *out)
{
    struct verdict verdict = verdict_new();
    const struct outcome outcome = {.kind = class->kind, .code = class->code};
    char word[VERDICT_WORD_MAX];
    verdict.class = class->label.class;
    verdict.type = class->label.type;
    verdict.reason = class->label.reason;
    if (verdict.class == VERDICT_SUCCESS)
        str_add(out, verdict_class_name(VERDICT_SUCCESS));
    else
        str_add(out, verdict_word(&verdict, &outcome, word));
}
