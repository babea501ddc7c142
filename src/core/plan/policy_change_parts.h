/*
 * policy_change_parts.h - what the parts of policy_change.h share: policy_change*.c only.
 */
#ifndef DEVS_POLICY_CHANGE_PARTS_H
#define DEVS_POLICY_CHANGE_PARTS_H

#include "json.h"
#include "policy_change.h"
#include "settings.h"

struct policy_change {
    struct json *root;        /* owned */
    const struct json *every; /* what it says of every step: an object; NULL = nothing */
    struct json *made;        /* owned; of a name: the object that `every` is */
    const struct json *named; /* the object of policies by name; NULL = none */
    struct settings of_every; /* both as settings, with what they are like */
    struct settings by_name;
};

#endif
