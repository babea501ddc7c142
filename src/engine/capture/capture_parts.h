/*
 * capture_parts.h - what the files that write a capture share: capture*.c only.
 *
 * Each function writes members of the capture's object, or says in `missing` why it cannot.
 */
#ifndef DEVS_CAPTURE_PARTS_H
#define DEVS_CAPTURE_PARTS_H

#include "capture.h"

struct capture_writer {
    const struct capture_facts *facts;   /* borrowed, as all below */
    const struct attempt_state *attempt; /* as the fold has it */
    const struct step_state *step;
    const struct plan_step *plan;
    const struct call *call;
    struct str *out;
    struct str missing; /* owned; members "item":"why" so far */
};

/* Say why an item is not there. */
void capture_lacks(struct capture_writer *writer, const char *item, const char *why);

/* capture_call.c: argv, folder, names of the environment, policy, sandbox. */
void capture_call(struct capture_writer *writer);
/* capture_agent.c: who was prompted with what, and what was used; nothing for a command. */
void capture_agent(struct capture_writer *writer);
/* capture_end.c: how it ended and by whom, processes, memory, the clock. */
void capture_end(struct capture_writer *writer);
/* capture_output.c: the last bytes of both streams, and what a test program says there. */
void capture_output(struct capture_writer *writer);
/* capture_loop.c: why it was found to go in circles. */
void capture_loop(struct capture_writer *writer);
/* capture_machine.c: load, memory, disks, network, versions. */
void capture_machine(struct capture_writer *writer);

/* capture_tree.c: the commit that is checked out where `dir` is, without git. */
struct capture_commit {
    char commit[65];  /* hex */
    char branch[256]; /* "" where none is */
    char why[128];    /* why the commit is not known; "" where it is */
};
/* Fill in *out; where it cannot be known `why` says so. */
void capture_find_commit(const char *dir, struct capture_commit *out);
/* What is known of the tree. */
void capture_tree(struct capture_writer *writer);

#endif
