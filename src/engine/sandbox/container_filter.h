/*
 * container_filter.h - a filter of system calls for one container: the engine's own, which devs
 * tightens. Podman lets a container of root use root's kernel keyrings, and reach the host of a
 * virtual machine without a network. Any thread.
 */
#ifndef DEVS_CONTAINER_FILTER_H
#define DEVS_CONTAINER_FILTER_H

#include <limits.h>
#include <stdbool.h>

#include "attr.h"
#include "container.h"
#include "err.h"

/* Makes the file for `create`, which alone reads it. path "" where the engine has none that could
 * be read here; then the container has the engine's. */
ATTR_MUST_USE bool container_filter_make(const struct container_tool *tool, bool network,
                                         char path[PATH_MAX], struct err *err);
/* Removes it. */
void container_filter_remove(const char *path);

#endif
