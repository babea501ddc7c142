#include "spill_left.h"

#include <stdio.h>

#include "fail.h"
#include "log_reader.h"
#include "spill.h"

void spill_left_uid(const struct place *place, int64_t run, char out[LOG_UID_MAX])
{
    struct log_reader *reader = NULL;
    struct log_run_info info = {0};
    out[0] = '\0';
    if (!log_reader_open(&reader, place, NULL))
        return;
    if (log_reader_run(reader, run, &info, NULL))
        (void)snprintf(out, LOG_UID_MAX, "%s", info.uid);
    log_run_info_done(&info);
    log_reader_close(reader);
}

void spill_left_tell(const char *uid)
{
    struct place spill;
    struct spill_info info;
    struct err err = {0};
    if (uid[0] == '\0' || !spill_find(uid, &spill) || !spill_read_info(&spill, &info, NULL))
        return; /* one that had no room for a first row holds nothing */
    (void)err_set(&err, ERR_IO, "the log could not be written (%s): what it lacks is in '%s'",
                  info.reason.why, spill.db);
    (void)err_hint(&err, "devs gc --merge %.*s", ERR_HINT_MAX - (int)sizeof("devs gc --merge "),
                   spill.db);
    (void)fail(&err);
}
