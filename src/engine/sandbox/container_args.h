/*
 * container_args.h - the command line that makes a container. Any thread.
 */
#ifndef DEVS_CONTAINER_ARGS_H
#define DEVS_CONTAINER_ARGS_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "sandbox_parts.h"
#include "str.h"
#include "tool_run.h"

/* argv of `create`; the text for its stdin (the environment file); the client's own environment.
 * sandbox->unwanted gets the files that are removed afterwards. No value of the container's
 * environment is on the command line. False: a path or a value that cannot be said in it. */
ATTR_MUST_USE bool container_args(struct sandbox *sandbox, struct arg_list *argv,
                                  struct str *environment_file, struct arg_list *environment,
                                  struct err *err);

#endif
