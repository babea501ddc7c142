/*
 * hook_words.h - what a hook tells as readable words of the agent: what the log pane and `devs log`
 * show of a session that devs did not start. Main thread.
 */
#ifndef DEVS_HOOK_WORDS_H
#define DEVS_HOOK_WORDS_H

#include "attr.h"
#include "call_log.h"
#include "err.h"
#include "hook_input.h"
#include "moment.h"
#include "redact.h"

enum { HOOK_WORDS_MAX = 4 * 1024 /* bytes of a message or a prompt that are kept */ };

/* Add the words for the event: a call in one line, and how it failed, but not what it gave; of a
 * person's and the agent's own words the first HOOK_WORDS_MAX bytes. `notice`: what the agent is
 * told about it; NULL or "" = nothing. Secrets are cut by `redactor`. */
ATTR_MUST_USE bool hook_words_add(struct call_log *log, const struct redactor *redactor,
                                  const struct hook_input *input, const char *notice,
                                  const struct moment *at, struct err *err);

#endif
