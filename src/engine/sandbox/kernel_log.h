/*
 * kernel_log.h - did the kernel say that it killed for lack of memory? Any thread.
 */
#ifndef DEVS_KERNEL_LOG_H
#define DEVS_KERNEL_LOG_H

#include <stdbool.h>

#include "attr.h"

/* From now on; never blocks. -1 where it may not be read. */
ATTR_MUST_USE int kernel_log_open(void);
/* -1 is none. */
void kernel_log_close(int fd);

/* Was a process of a control group killed since, whose path holds one of these words?
 * NULL is no word. */
ATTR_MUST_USE bool kernel_log_tells_kill(int fd, const char *word, const char *other_word);

#endif
