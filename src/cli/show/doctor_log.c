#include "doctor_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "err.h"
#include "follower.h"
#include "place.h"

enum { PATH_SHOWN_MAX = 200 };

static void refuse(struct doctor_line *line, const struct err *err)
{
    line->state = DOCTOR_BREAKS;
    (void)snprintf(line->words, sizeof(line->words), "%.300s", err->message);
    (void)snprintf(line->hint, sizeof(line->hint), "%.199s", err->hint);
}

/* What a newer devs wrote can be looked at, but no run begins in it. */
static void look_for_newer(struct follower *follower, struct doctor_line *line)
{
    struct log_trouble trouble;
    struct str words = {0};
    follower_trouble(follower, 0, &trouble);
    if (trouble.kind != LOG_TROUBLE_NEWER)
        return;
    log_trouble_words(&trouble, &words);
    line->state = DOCTOR_BREAKS;
    (void)snprintf(line->words, sizeof(line->words), "%.300s", str_text(&words));
    (void)snprintf(line->hint, sizeof(line->hint), "update devs, or --db FILE");
    str_done(&words);
}

/* A log that can be opened may be damaged further in: the newest run is read to its end. */
static void read_newest(const struct place *place, struct doctor_line *line)
{
    struct err err = {0};
    struct follower *follower = NULL;
    const bool ok = follower_open(&follower, place, 0, &err) &&
                    follower_read(follower, 0, NULL, NULL, NULL, &err);
    if (ok)
        look_for_newer(follower, line);
    else if (err.code == ERR_DAMAGED)
        refuse(line, &err);
    follower_close(follower);
}

/* ", on ext4, 12 GiB free". */
static void add_disk(const struct place_disk *disk, struct str *out)
{
    const int64_t mib = disk->free_bytes / (1024 * 1024);
    const bool is_large = mib >= 10 * 1024;
    str_addf(out, ", on %s, %" PRId64 " %s free", disk->type, is_large ? mib / 1024 : mib,
             is_large ? "GiB" : "MiB");
}

/* A run whose log finds no room goes on in a spill log; on a full disk none begins. */
static void look_for_space(const struct place_disk *disk, struct doctor_line *line)
{
    enum { FREE_MIB_MIN = 1, FREE_MIB_GOOD = 64 };
    const int64_t mib = disk->free_bytes / (1024 * 1024);
    if (mib >= FREE_MIB_GOOD)
        return;
    line->state = mib < FREE_MIB_MIN ? DOCTOR_BREAKS : DOCTOR_LACKS;
    (void)snprintf(line->hint, sizeof(line->hint), "%s",
                   mib < FREE_MIB_MIN ? "make room, or --db FILE on another disk"
                                      : "make room: what does not fit goes into a spill log");
}

static void look_for_room(const char *dir, struct doctor_line *line)
{
    struct place_disk disk = {.type = "?"};
    struct str words = {0};
    const bool is_known = place_disk(dir, &disk, NULL);
    str_add(&words, "none yet: the first run makes .devs");
    if (is_known) {
        add_disk(&disk, &words);
        look_for_space(&disk, line);
    }
    if (access(dir, W_OK | X_OK) != 0 || disk.is_network) {
        line->state = DOCTOR_BREAKS;
        str_clear(&words);
        str_addf(&words, "none yet, and this folder %s",
                 disk.is_network ? "is on a network file system: a log would not be safe"
                                 : "cannot be written");
        (void)snprintf(line->hint, sizeof(line->hint), "--db FILE with a file on a local disk");
    }
    (void)snprintf(line->words, sizeof(line->words), "%.300s", str_text(&words));
    str_done(&words);
}

static void look_at_place(const struct place *place, struct doctor_line *line)
{
    struct place_disk disk;
    struct str words = {0};
    const bool writable = access(place->dir, W_OK | X_OK) == 0 &&
                          (access(place->db, F_OK) != 0 || access(place->db, W_OK) == 0);
    str_addf(&words, "%.*s", PATH_SHOWN_MAX, place->db);
    line->state = writable ? DOCTOR_WORKS : DOCTOR_BREAKS;
    if (!writable) {
        str_add(&words, " cannot be written");
        (void)snprintf(line->hint, sizeof(line->hint),
                       "--db FILE in a folder that you may write to");
    } else if (place_disk(place->dir, &disk, NULL)) {
        add_disk(&disk, &words);
        look_for_space(&disk, line);
    }
    (void)snprintf(line->words, sizeof(line->words), "%.300s", str_text(&words));
    str_done(&words);
    if (writable)
        read_newest(place, line);
}

struct doctor_line doctor_log(const char *db, const char *dir)
{
    struct err err = {0};
    struct place place;
    struct doctor_line line = {.name = "run log", .state = DOCTOR_WORKS};
    if (place_find(db, false, &place, &err))
        look_at_place(&place, &line);
    else if (err.code == ERR_NOT_FOUND && !db)
        look_for_room(dir, &line);
    else
        refuse(&line, &err);
    return line;
}
