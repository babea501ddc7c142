/*
 * place_check.h - can a log be kept on this file system? Private to store.
 */
#ifndef DEVS_PLACE_CHECK_H
#define DEVS_PLACE_CHECK_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

/* Is this statfs(2) type a file system of another machine? Locks and shared
 * memory, which the log needs, do not hold there. */
bool place_type_is_network(unsigned long type);

/* ERR_INVALID with the hint --db for a network file system. */
ATTR_MUST_USE bool place_check_folder(const char *dir, struct err *err);

#endif
