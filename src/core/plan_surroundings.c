#include "plan_surroundings.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const hangup_names[] = {
    [PLAN_HANGUP_GO_ON] = "go-on",
    [PLAN_HANGUP_WAIT] = "wait",
    [PLAN_HANGUP_CANCEL] = "cancel",
};
static_assert(ARRAY_LEN(hangup_names) == PLAN_HANGUP_COUNT, "every word is there");

const char *plan_hangup_name(enum plan_hangup hangup)
{
    assert(hangup < PLAN_HANGUP_COUNT);
    return hangup_names[hangup];
}

bool plan_hangup_parse(const char *text, enum plan_hangup *out)
{
    for (size_t i = 0; i < ARRAY_LEN(hangup_names); i++) {
        if (strcmp(hangup_names[i], text) != 0)
            continue;
        *out = (enum plan_hangup)i;
        return true;
    }
    return false;
}

void plan_surroundings_init(struct plan *plan)
{
    plan->loops = entropy_limits_new();
    plan->workspace = workspace_spec_new();
    plan->sandbox = sandbox_spec_new();
    plan->limits = (struct plan_limits){.output_line_bytes = PLAN_LINE_BYTES};
    plan->on_hangup = PLAN_HANGUP_GO_ON;
}
