/*
 * doctor.h - what this machine can do for a run, found out by trying it.
 *
 * Blocks up to some seconds (each question to a program has a limit of its own). Makes
 * nothing that stays. Any thread, one at a time.
 */
#ifndef DEVS_DOCTOR_H
#define DEVS_DOCTOR_H

#include "sandbox_spec.h"

enum { DOCTOR_WORDS_MAX = 320, DOCTOR_HINT_MAX = 200 };

enum doctor_state {
    DOCTOR_WORKS,
    DOCTOR_LACKS,  /* it is not to be had here; what needs it is refused */
    DOCTOR_BREAKS, /* plain runs need it, and it does not work */
};

/* One thing that was looked at. A plain value. */
struct doctor_line {
    const char *name; /* static: "git", "sandbox bwrap" */
    enum doctor_state state;
    char words[DOCTOR_WORDS_MAX]; /* what there is, or why not */
    char hint[DOCTOR_HINT_MAX];   /* what the person may do; empty for none */
};

/* Called on the thread that looks, for each line as soon as it is known. */
typedef void doctor_line_fn(void *ctx, const struct doctor_line *line);

/* Programs (git, bwrap, podman, docker), control groups, the kernel's log, shared copies in
 * `dir` (absolute: where workspaces would be), and each kind of sandbox. `spec`: the project's
 * own sandbox, whose extra arguments podman is tried with. Each line is told as soon as it
 * is known. */
void doctor_look(const char *dir, const struct sandbox_spec *spec, doctor_line_fn *tell, void *ctx);

struct adapters;
/* One line: which agents are here, with their versions, and which are not. `adapters` (NULL: the
 * built-in ones) are the project's. A program that only the project names is not run: whoever
 * looks at a project need not trust it. */
void doctor_look_at_agents(const struct adapters *adapters, doctor_line_fn *tell, void *ctx);

#endif
