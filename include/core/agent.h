/*
 * agent.h - the agent CLIs whose structured output is known. Pure; any thread.
 */
#ifndef DEVS_AGENT_H
#define DEVS_AGENT_H

#include <stddef.h>

enum agent {
    AGENT_NONE, /* no agent, or one that is not known */
    AGENT_CLAUDE,
    AGENT_CODEX,
    AGENT_GEMINI,
    AGENT_OPENCODE,
    AGENT_QWEN,
    AGENT_PI,
    AGENT_COUNT,
};

/* The program's name without its folder: what follows the last '/' of argv[0]. */
const char *agent_program(const char *path);

/* By the program's name without its folder; NULL is none. */
enum agent agent_find(const char *program);
/* The name that agent_find() knows; NULL for NONE. */
const char *agent_name(enum agent agent);

#endif
