/*
 * import_run.h - what happened in a transcript, written down as a run. Main thread.
 */
#ifndef DEVS_IMPORT_RUN_H
#define DEVS_IMPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"
#include "transcript.h"

struct redactor;
struct settings;

enum {
    IMPORT_WORDS_MAX = 16 * 1024 * 1024, /* bytes of readable words of a session that are kept */
    IMPORT_WAIT_MS = 10000,              /* how long others may keep the log */
};

/* Where to, and how. All borrowed. */
struct import_setting {
    const struct place *place;
    const struct settings *settings;
    const struct redactor *redactor;
    const char *name; /* of the file: the session's id where it has none */
    const char *dir;  /* the folder, where the file does not say */
    int64_t made_ms;  /* UTC; of the file: the time, where it has none */
    bool again;       /* although the session is in the log */
};

/* What came of it. */
struct import_result {
    int64_t run; /* the run that began, or that had the session already */
    bool was_there;
    int64_t messages, prompts;
    int suspected, stuck; /* times that the calls were found to loop */
    int64_t words_lost;   /* bytes beyond IMPORT_WORDS_MAX */
};

struct import_run;

/* `setting` and `transcript` are borrowed until import_run_close(), which ends *out. */
void import_run_open(struct import_run **out, const struct import_setting *setting);
void import_run_close(struct import_run *run);
/* Of whom; before anything comes out of it. */
void import_run_of(struct import_run *run, const struct transcript *transcript);

/* The callback of the transcript; ctx is the import_run. After a failure, and where the session is
 * in the log, nothing more is done. */
void import_run_item(void *ctx, const struct transcript_item *item);
/* Is there nothing more to do? */
bool import_run_is_over(const struct import_run *run);
/* The transcript has ended: the run ends as it says. False: what has gone wrong so far. */
ATTR_MUST_USE bool import_run_end(struct import_run *run, struct import_result *out,
                                  struct err *err);

#endif
