/*
 * doctor.h - checks what this machine can do for a run, by trying it.
 *
 * Blocks for up to a few seconds; each command that it runs has its own time limit. Leaves nothing
 * behind. Any thread, one call at a time.
 */
#ifndef DEVS_DOCTOR_H
#define DEVS_DOCTOR_H

#include "workspace_spec.h"

enum { DOCTOR_WORDS_MAX = 320, DOCTOR_HINT_MAX = 200 };

enum doctor_state {
    DOCTOR_WORKS,
    DOCTOR_LACKS,  /* not available here; plans that need it are rejected */
    DOCTOR_BREAKS, /* every run needs it, and it does not work */
};

/* The result of one check. A plain value. */
struct doctor_line {
    const char *name; /* static: "git", "sandbox bwrap" */
    enum doctor_state state;
    char words[DOCTOR_WORDS_MAX]; /* what was found, or what is wrong */
    char hint[DOCTOR_HINT_MAX];   /* what the user can do about it; may be empty */
};

/* Called on the checking thread for each line as soon as it is known. */
typedef void doctor_line_fn(void *ctx, const struct doctor_line *line);

/* Checks programs (git, bwrap, podman, docker), control groups, the kernel log, reflink copies in
 * `dir` (absolute; where workspaces would be made), and each kind of sandbox. `spec` is the
 * project's own sandbox; its extra arguments are used when podman is tried. Passes each line to
 * `tell` as soon as it is known. */
void doctor_look(const char *dir, const struct sandbox_spec *spec, doctor_line_fn *tell, void *ctx);

struct adapters;
/* Reports in one line which agents are installed, with their versions, and which are missing.
 * `adapters` are the project's; NULL means the built-in ones. Does not run programs that only the
 * project names, so that checking a project does not require trusting it. */
void doctor_look_at_agents(const struct adapters *adapters, doctor_line_fn *tell, void *ctx);

#endif
