#include "outcome.h"

#include <assert.h>

#include "attr.h"

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
