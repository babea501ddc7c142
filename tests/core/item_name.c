#include "item_name.h"

#include <assert.h>

#include "attr.h"

static const char *const kind_names[] = {
    [AGENT_ITEM_SESSION] = "session", [AGENT_ITEM_TEXT] = "text", [AGENT_ITEM_CALL] = "call",
    [AGENT_ITEM_RESULT] = "result",   [AGENT_ITEM_USED] = "used", [AGENT_ITEM_RETRY] = "retry",
    [AGENT_ITEM_NOTICE] = "notice",   [AGENT_ITEM_END] = "end",   [AGENT_ITEM_OTHER] = "other",
    [AGENT_ITEM_REFUSED] = "refused",
};
static_assert(ARRAY_LEN(kind_names) == AGENT_ITEM_KIND_COUNT, "every kind has a name");

const char *item_name(enum agent_item_kind kind)
{
    assert(kind < AGENT_ITEM_KIND_COUNT);
    return kind_names[kind];
}
