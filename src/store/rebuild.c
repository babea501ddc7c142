#include "follower.h"
#include "log_write.h"

static bool rebuild_from(struct follower *follower, const struct place *place, struct err *err)
{
    struct log_writer *writer = NULL;
    if (!follower_read(follower, 0, NULL, NULL, NULL, err) || !log_writer_open(&writer, place, err))
        return false;
    bool ok =
        log_writer_resume(writer, follower_run(follower)->number, follower_state(follower), err) &&
        log_writer_rebuild(writer, err);
    log_writer_close(writer);
    return ok;
}

bool projection_rebuild(const struct place *place, int64_t run, struct err *err)
{
    struct follower *follower = NULL;
    if (!follower_open(&follower, place, run, err))
        return false;
    bool ok = rebuild_from(follower, place, err);
    follower_close(follower);
    return ok;
}
