/* item_name.h - what the tests call the things that an agent's stream tells. */
#ifndef DEVS_ITEM_NAME_H
#define DEVS_ITEM_NAME_H

#include "agent_stream.h"

/* "session", "text", "call", "result", "used", "retry", "notice", "end", "other". */
const char *item_name(enum agent_item_kind kind);

#endif
