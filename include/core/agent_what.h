/*
 * agent_what.h - what a call of an agent's tool is about, in one line. Pure; any thread.
 */
#ifndef DEVS_AGENT_WHAT_H
#define DEVS_AGENT_WHAT_H

struct json;
struct str;

/* Append what a tool is called for: the command, the file, the pattern; else its arguments as
 * JSON; nothing where `args` (an object; NULL: none) says nothing. One line fit for a terminal
 * (text_clean()), at most AGENT_WHAT_MAX bytes, cut between two characters. */
void agent_call_what(const struct json *args, struct str *out);

#endif
