/*
 * far.h - logs on other machines: HOST[:DIR], the channel to the `devs feed` there, the link that
 * keeps a mirror for the cockpit, and the feed itself.
 */
#ifndef DEVS_FAR_H
#define DEVS_FAR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "app.h"
#include "attr.h"
#include "control_desk.h"
#include "err.h"
#include "feed_frame.h"
#include "log_copy.h"
#include "place.h"
#include "ssh_channel.h"
#include "str.h"

enum {
    FAR_HOST_MAX = 256,
    FAR_BEAT_MS = 1000,        /* how often a feed reports its clock */
    FAR_HELLO_MS = 60 * 1000,  /* how long a feed may take to begin */
    FAR_CONTACT_MS = 3 * 1000, /* silence after which there is no contact */
    FAR_SILENT_MS = 20 * 1000, /* silence after which the link connects again */
    FAR_GONE_MS = 60 * 1000,   /* silence after which a feed ends */
    FAR_RETRY_MS_MIN = 500,    /* delay before the first new connection; doubles each time */
    FAR_RETRY_MS_MAX = 15 * 1000,
    FAR_ASK_MS = 10 * 1000,       /* how long an act may take to be in the log there */
    FAR_PENDING_MAX = 64,         /* acts whose answer is pending */
    FAR_TURN_BYTES = 1024 * 1024, /* bytes that are taken before they are committed */
};

/* A folder on another machine. A plain value. */
struct far_place {
    char host[FAR_HOST_MAX]; /* as for ssh: checked by plan_host_fault() */
    char dir[PATH_MAX];      /* "" = the folder of the login */
    char program[PATH_MAX];  /* devs there: a name or a path */
};

/* Parses HOST[:DIR]. Fails with ERR_INVALID for a host that ssh would not accept, and a DIR with
 * control characters. */
ATTR_MUST_USE bool far_place_parse(const char *word, struct far_place *out, struct err *err);
/* Appends HOST or HOST:DIR. */
void far_place_words(const struct far_place *far, struct str *out);
/* Runs a command of devs there, with our standard streams. Returns its exit code; errors are
 * printed. Does not return if ssh could be started. */
int far_run(const struct far_place *far, int argc, char **argv);

/*
 * A channel to a feed. Belongs to one thread.
 */

struct far_talk {
    struct ssh_channel channel;
    bool is_open, has_hello, has_ended;
    struct str in, out, errors; /* owned */
    size_t in_at, out_at;       /* bytes of `in` that were taken, of `out` that were sent */
    int64_t began_ms, heard_ms; /* the steady clock */
};

/* Starts ssh. The caller closes the channel with far_talk_close(). */
ATTR_MUST_USE bool far_talk_open(struct far_talk *talk, const struct far_place *far,
                                 struct err *err);
/* Ends ssh. If `err` is not NULL, it is set to the reason why the channel has ended, unless it is
 * set already. */
void far_talk_close(struct far_talk *talk, const struct far_place *far, struct err *err);
/* Queues a message. */
void far_talk_send(struct far_talk *talk, enum feed_kind kind, const struct feed_value *values,
                   size_t count);
/* Waits for bytes at most this long, or until wake_fd (-1 = none) is readable, and reads and writes
 * what is possible. */
void far_talk_wait(struct far_talk *talk, int wake_fd, int64_t wait_ms);
enum far_got { FAR_NOTHING, FAR_HELLO, FAR_MESSAGE, FAR_FAILED };
/* Returns the next message, which borrows the channel's buffer until the next far_talk_wait().
 * FAR_HELLO: the feed has this build's version; only now may something be sent. FAR_FAILED sets
 * *err: the feed is of another version, sent something invalid, or reported a fault. */
enum far_got far_talk_next(struct far_talk *talk, const struct far_place *far,
                           struct feed_message *out, struct err *err);

/*
 * The link: a thread that keeps a mirror of the log there, and connects again if the channel
 * breaks. Main thread, unless a comment says otherwise.
 */

struct far_link;

/* Makes a mirror in a private folder, connects, and waits until the run (0 = the current one) is
 * there. Fails with the reason of ssh or of the feed. The caller closes *out with
 * far_link_close(). */
ATTR_MUST_USE bool far_link_open(struct far_link **out, const struct far_place *far, int64_t run,
                                 struct err *err);
/* Ends the thread and ssh, and removes the mirror. `link` may be NULL. */
void far_link_close(struct far_link *link);
/* Returns the location of the mirror. */
const struct place *far_link_place(const struct far_link *link);
/* Returns the number of the run that the link was opened for. */
int64_t far_link_run(const struct far_link *link);
/* Fills in what the cockpit needs. Borrows the link. */
void far_link_app(struct far_link *link, struct app_far *out);
/* Returns the name of the log on screen: "h1:/work/.devs/devs.db". */
const char *far_link_name(const struct far_link *link);
/* Starts a desk that sends acts there. *out is NULL if the log there can only be read. */
ATTR_MUST_USE bool far_link_desk(struct far_link *link, struct control_desk **out, struct err *err);

/* Collects all runs of the log there into the log of `copy`. */
ATTR_MUST_USE bool far_collect(const struct far_place *far, struct log_copy *copy, struct err *err);

/* Serves the log of the current folder on stdin and stdout, until stdin ends. Returns the exit
 * code. */
int far_serve(const char *db);

#endif
