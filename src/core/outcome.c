#include "outcome.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "str.h"

static const char *const kind_names[] = {
    [OUTCOME_EXIT] = "exit",
    [OUTCOME_SIGNAL] = "signal",
    [OUTCOME_NOT_STARTED] = "not started",
    [OUTCOME_TIMEOUT] = "timeout",
    [OUTCOME_CANCELLED] = "cancelled",
    [OUTCOME_INTERRUPTED] = "interrupted",
};
static_assert(ARRAY_LEN(kind_names) == OUTCOME_KIND_COUNT, "every kind of end has a name");

const char *outcome_kind_name(enum outcome_kind kind)
{
    assert(kind < OUTCOME_KIND_COUNT);
    return kind_names[kind];
}

void outcome_words(const struct outcome *outcome, struct str *out)
{
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        str_addf(out, "exit %d", outcome->code);
        break;
    case OUTCOME_SIGNAL:
        str_addf(out, "signal %d", outcome->code);
        break;
    case OUTCOME_NOT_STARTED:
        str_addf(out, "not started: %s", strerror(outcome->code));
        break;
    case OUTCOME_TIMEOUT:
    case OUTCOME_CANCELLED:
    case OUTCOME_INTERRUPTED:
    case OUTCOME_KIND_COUNT:
        str_add(out, outcome_kind_name(outcome->kind));
        break;
    }
}
