#include "bell.h"

#include <unistd.h>

#include "private_file.h"

bool bell_init(struct bell *bell, const struct place *place, struct err *err)
{
    bell->fd = -1;
    return private_path_join(bell->path, sizeof(bell->path), place->db, "-bell", err) &&
           private_file_open(bell->path, &bell->fd, err);
}

void bell_done(struct bell *bell)
{
    if (!bell)
        return;
    if (bell->fd >= 0)
        (void)close(bell->fd); /* a bell carries no data that could be lost */
    bell->fd = -1;
}

void bell_ring(const struct bell *bell)
{
    /* Always the same byte, so that the file does not grow. A full disk may refuse
     * it: then the listeners look by time. */
    ssize_t written = pwrite(bell->fd, "\a", 1, 0);
    (void)written;
}
