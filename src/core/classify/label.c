#include "label.h"

#include <string.h>
#include <strings.h>

#include "outcome.h"

const char *verdict_label_word(const struct verdict_label *label)
{
    if (label->class == VERDICT_TRANSIENT)
        return transient_type_name(label->type);
    if (label->class == VERDICT_PERSISTENT && label->reason != REASON_NONE)
        return reason_name(label->reason);
    return verdict_class_name(label->class);
}

static bool parse_reason(const char *text, enum reason *out)
{
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++) {
        if (strcasecmp(reason_name((enum reason)reason), text) == 0) {
            *out = (enum reason)reason;
            return true;
        }
    }
    return false;
}

static bool is_type_word(enum transient_type type, const char *text)
{
    char word[VERDICT_WORD_MAX];
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    struct verdict verdict = verdict_new();
    verdict_set_transient(&verdict, type, "", "");
    return strcasecmp(transient_type_name(type), text) == 0 ||
           strcasecmp(verdict_word(&verdict, &outcome, word), text) == 0;
}

bool verdict_label_parse(const char *text, struct verdict_label *out)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT};
    for (int type = TRANSIENT_NONE + 1; type < TRANSIENT_TYPE_COUNT; type++) {
        if (is_type_word((enum transient_type)type, text)) {
            *out = (struct verdict_label){.class = VERDICT_TRANSIENT,
                                          .type = (enum transient_type)type};
            return true;
        }
    }
    bool success = strcasecmp(text, verdict_class_name(VERDICT_SUCCESS)) == 0;
    if (success)
        label.class = VERDICT_SUCCESS;
    bool known = success || strcasecmp(text, verdict_class_name(VERDICT_PERSISTENT)) == 0 ||
                 parse_reason(text, &label.reason);
    if (known)
        *out = label;
    return known;
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
