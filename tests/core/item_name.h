/* item_name.h - names of the items of an agent's stream, for messages of tests. */
#ifndef DEVS_ITEM_NAME_H
#define DEVS_ITEM_NAME_H

#include "agent_stream.h"

/* "session", "text", "call", "result", "used", "retry", "notice", "end", "other". */
const char *item_name(enum agent_item_kind kind);

#endif
