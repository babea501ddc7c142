/*
 * sandbox_spec.h - what a plan or the settings say of how steps are kept apart from the
 * machine.
 *
 * A specification does not change after it was read; any thread may read it.
 */
#ifndef DEVS_SANDBOX_SPEC_H
#define DEVS_SANDBOX_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum {
    SANDBOX_MEMORY_MB_MAX = 1024 * 1024, /* 1 TiB */
    SANDBOX_PIDS_MAX = 100000,
    SANDBOX_CPU_S_MAX = 30 * 24 * 3600,
    SANDBOX_LIST_MAX = 1000,  /* entries of `writable`, `env` and `args` each */
    SANDBOX_WORD_MAX = 4096,  /* bytes of one entry */
    SANDBOX_IMAGE_MAX = 512,  /* bytes of an image's name */
    SANDBOX_START_MS = 30000, /* how long a start may take where nothing is said */
    SANDBOX_START_MS_MIN = 100,
    SANDBOX_START_MS_MAX = 3600 * 1000,
};

/* Numbers are in the log: never renumber. */
enum sandbox_kind {
    SANDBOX_NONE = 0,
    SANDBOX_BWRAP = 1,
    SANDBOX_CONTAINER = 2, /* podman or docker, what is there */
    SANDBOX_PODMAN = 3,
    SANDBOX_DOCKER = 4,
    SANDBOX_KIND_COUNT,
};

enum sandbox_network {
    SANDBOX_NETWORK_UNSAID, /* none: as it is; bwrap and containers: off */
    SANDBOX_NETWORK_OFF,
    SANDBOX_NETWORK_ON,
};

enum sandbox_root {
    SANDBOX_ROOT_UNSAID, /* bwrap: read-only; containers: the image is writable; none: as it is */
    SANDBOX_ROOT_READ_ONLY,
    SANDBOX_ROOT_WRITABLE,
};

struct sandbox_spec {
    enum sandbox_kind kind;
    enum sandbox_network network;
    int64_t memory_mb;      /* 0 = no limit */
    int64_t pids;           /* 0 = no limit */
    int64_t cpu_s;          /* seconds of CPU time; 0 = no limit */
    enum sandbox_root root; /* all files but the workspace, /tmp and `writable` */
    char **writable; /* owned, NULL-terminated, NULL = none: paths, absolute or relative to the
                        workspace, that may be written beside it */
    char **env;      /* owned as writable: names let in beside the small default list; NAME or
                        PREFIX_* */
    char *image;     /* owned; containers only; else NULL */
    int64_t start_timeout_ms; /* containers only; else SANDBOX_START_MS */
    char **args;      /* owned as writable: extra arguments for bwrap or for podman create */
    bool best_effort; /* what cannot be enforced here is left out, and marked */
};

/* No sandbox, no limits. */
struct sandbox_spec sandbox_spec_new(void);
/* A copy that owns all that it has. */
struct sandbox_spec sandbox_spec_copy(const struct sandbox_spec *spec);
/* Free. NULL is allowed. */
void sandbox_spec_done(struct sandbox_spec *spec);

/* That of a step that says nothing of it; static. */
const struct sandbox_spec *sandbox_spec_none(void);

/* "none", "bwrap", "container", "podman", "docker"; "?" for what is none. */
const char *sandbox_kind_name(enum sandbox_kind kind);
/* The inverse; false if the text is none. */
ATTR_MUST_USE bool sandbox_kind_parse(const char *text, enum sandbox_kind *out);
/* Is it one of the three that need an image? */
bool sandbox_kind_is_container(enum sandbox_kind kind);

/* Are all files but the workspace, /tmp and `writable` read-only in it, by the plan's word or by
 * its kind's default? */
bool sandbox_spec_is_read_only(const struct sandbox_spec *spec);

/* Make it another kind, which has none of what only the kind before may have. Limits stay. */
void sandbox_spec_set_kind(struct sandbox_spec *spec, enum sandbox_kind kind);

/* The inverse of a command line's word: "KIND", or "KIND:IMAGE" for a container. What `spec` says
 * beside that stays where the kind may have it. ERR_INVALID for another word, and for a container
 * without an image: then *spec is what came of it, and is still to be freed. */
ATTR_MUST_USE bool sandbox_spec_choose(struct sandbox_spec *spec, const char *word,
                                       struct err *err);

/* Append a path to `writable`; one that is there already is not added again. */
void sandbox_spec_add_writable(struct sandbox_spec *spec, const char *path);

/* Does it ask for nothing at all: no sandbox, no limit? */
bool sandbox_spec_is_empty(const struct sandbox_spec *spec);

/* "bwrap: network, 512 MiB, 64 processes, 10 s of CPU time, writes only the
 * workspace"; "" for an empty one. With `writable`: "writes only the workspace and the
 * writable paths". bwrap without read-only files says "all files writable". */
void sandbox_spec_words(const struct sandbox_spec *spec, struct str *out);

/* A JSON object that plan_parse() reads to an equal specification. */
void sandbox_spec_write(const struct sandbox_spec *spec, struct str *out);

#endif
