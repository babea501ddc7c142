/*
 * agent_what.h - what a call of an agent's tool is about, in one line, and what it cost. Pure; any
 * thread.
 */
#ifndef DEVS_AGENT_WHAT_H
#define DEVS_AGENT_WHAT_H

#include <stdint.h>

struct json;
struct str;

/* Append what a tool is called for: the command, the file, the pattern; else its arguments as
 * JSON; nothing where `args` (an object; NULL: none) says nothing. One line fit for a terminal
 * (text_clean()), at most AGENT_WHAT_MAX bytes, cut between two characters. */
void agent_call_what(const struct json *args, struct str *out);

/* Append an amount in millionths of a US dollar: "$0.31", rounded; an amount below a cent gets four
 * digits. */
void agent_cost_words(int64_t micro, struct str *out);

#endif
