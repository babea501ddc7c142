/*
 * agent_what.h - what a tool call is about, in one line, and what it cost. Pure; any thread.
 */
#ifndef DEVS_AGENT_WHAT_H
#define DEVS_AGENT_WHAT_H

#include <stdint.h>

struct json;
struct str;

/* Appends the purpose of a call: the command, the file, the pattern; else its arguments as JSON;
 * nothing if `args` (an object, may be NULL) says nothing. One line fit for a terminal
 * (text_clean()), at most AGENT_WHAT_MAX bytes, cut between characters. */
void agent_call_what(const struct json *args, struct str *out);

/* Appends millionths of a US dollar as "$0.31", rounded; amounts below a cent get four digits. */
void agent_cost_words(int64_t micro, struct str *out);

#endif
