/*
 * entropy_tool.h - what sort of tool it is, by its name. Private to core.
 *
 * Tools of some twenty agents and of MCP servers have names of their own, but they are
 * made of few words ("read_file", "mcp__crm__update_contact", "TodoWrite").
 */
#ifndef DEVS_ENTROPY_TOOL_H
#define DEVS_ENTROPY_TOOL_H

#include <stdbool.h>

/* Traits of a call, as bits. */
enum {
    CALL_READS = 1 << 0,      /* looks at something and changes nothing */
    CALL_CHANGES = 1 << 1,    /* changes something when it succeeds */
    CALL_LOOKS = 1 << 2,      /* asks for the state of something that goes on by itself */
    CALL_NO_LOOK = 1 << 3,    /* asks for a state that only the agent itself changes */
    CALL_PLANS = 1 << 4,      /* writes down what is to be done */
    CALL_THINKS = 1 << 5,     /* words to itself */
    CALL_SHELL = 1 << 6,      /* runs a command line */
    CALL_SAYS = 1 << 7,       /* words without a call */
    CALL_PAUSES = 1 << 8,     /* sleeps and nothing else */
    CALL_REWRITES = 1 << 9,   /* gives the whole new content of a file */
    CALL_CONTINUES = 1 << 10, /* gives input to something that runs: none is a look */
    CALL_PROBES = 1 << 11,    /* a look that answers "not yet" by failing */
    CALL_SLEEPS = 1 << 12,    /* sleeps before it looks */
    CALL_SEARCHES = 1 << 13,  /* looks for words: those in its result are an echo */
    CALL_SHOWS = 1 << 14,     /* acts on a page or a screen and shows it */
    CALL_MAY_LOOK = 1 << 15,  /* a look if the answer says that something goes on */
    CALL_CODE = 1 << 16,      /* runs code of its own: what it prints is an answer */
    CALL_TAKES = 1 << 17,     /* takes the next item of a queue: each one is another */
};

/* Does the word say that the next item of a queue is taken, as "pop" does? */
bool entropy_tool_takes(const char *word);

/* The traits that a tool's name says; 0 for one that says nothing. */
unsigned entropy_tool_traits(const char *tool);

#endif
