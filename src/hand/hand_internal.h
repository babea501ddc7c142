/* hand_internal.h - what the files of devs-hand share. One thread; nothing here is for devs. */
#ifndef DEVS_HAND_INTERNAL_H
#define DEVS_HAND_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "hand_protocol.h"

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000 * 1000,
};

/* Milliseconds of CLOCK_BOOTTIME. It cannot be set, unlike the time of day, and it counts while the
 * machine is suspended: a lease that devs sees run out must run out here too. */
uint64_t boot_ms(void);
/* Milliseconds since 1970. */
uint64_t wall_ms(void);

/* Says on stderr what failed and, if `number` is not 0, why. Returns `code`. */
int complain(int code, int number, const char *what, const char *name);

/* --- spool.c: the directory of an attempt. Functions set errno when they fail. --- */

/* An attempt's directory and its spool, opened for reading. */
struct attempt_dir {
    int dir;
    int spool;
};

/* Creates the directory and its missing parents with mode 0700, and opens it. Returns its
 * descriptor, or -1: EEXIST if anything has that name, even a link that leads nowhere. */
ATTR_MUST_USE int dir_create(const char *path);

/* Opens an attempt's directory. Nothing in it is trusted before it was checked: it must not be a
 * link, and it must be ours and closed to others (EPERM). Returns its descriptor, or -1. */
ATTR_MUST_USE int dir_open(const char *path);

/* Opens the directory and its spool. Returns false with ENOENT if there is no directory, with
 * ENODATA if it has no spool yet. The caller ends *out with attempt_close(). */
ATTR_MUST_USE bool attempt_open(const char *path, struct attempt_dir *out);
/* Closes both. */
void attempt_close(struct attempt_dir *attempt);

/* Opens the control pipe for writing. Returns -1 with ENXIO if no keeper reads it. */
ATTR_MUST_USE int control_open(int dir);

/* Returns whether the keeper that writes this spool, or its guard, is alive. They hold a lock on
 * the spool, which the kernel releases when both have ended; a stored pid could have been reused.
 */
ATTR_MUST_USE bool keeper_is_alive(int spool);

/* Claims a directory without a spool: from then on nobody can start an attempt there, until the
 * descriptor that is returned is closed. Returns -1 with EBUSY if an attempt is being started there
 * or was started. */
ATTR_MUST_USE int dir_claim(int dir);

/* Removes the attempt's files and its directory. Removes nothing if the directory has any other
 * file (ENOTEMPTY). */
ATTR_MUST_USE bool dir_remove(const char *path, int dir);

/* A spool that is being written. */
struct spool {
    int fd;
    int control;       /* the control pipe, open for reading and writing */
    uint64_t size;     /* of the frames in the file */
    uint64_t reserved; /* bytes of the file that have space on the disk */
    uint64_t limit;    /* the largest size that the kernel allows us */
    uint64_t output_bytes, dropped_bytes;
    int number;      /* errno of the first frame that could not be written; 0 = none */
    bool no_reserve; /* the file system cannot reserve space */
};

/* Returns the size of the largest file that this process may write. */
uint64_t find_size_limit(void);

/* Creates the spool, locked, with its first frame, and the control pipe. */
ATTR_MUST_USE bool spool_create(int dir, const struct hand_begin *begin, struct spool *out);

/* Writes a frame. Space for the end stays reserved. If the disk is full, the spool keeps its whole
 * frames, `number` is set, and all further frames except the end are dropped. */
void spool_write(struct spool *spool, const uint8_t *frame, size_t size);

/* Writes the end, syncs it, and releases the reserved space. Retries for SPOOL_END_RETRY_S if that
 * fails; returns false after that: the attempt is lost then. */
ATTR_MUST_USE bool spool_finish(struct spool *spool, const struct hand_end *end);

enum { SPOOL_END_RETRY_S = 60 };

/* Reads a spool frame by frame while it is being written. */
struct spool_reader {
    int fd;
    struct hand_spool spool;
    size_t at, len; /* the bytes that are not read yet: buffer[at] to buffer[len - 1] */
    uint8_t buffer[2 * HAND_SPOOL_FRAME_MAX];
};
/* Reads the next frame, which is valid until the next call. HAND_MORE: it is not written yet.
 * HAND_BAD: it is damaged or cannot be read. */
ATTR_MUST_USE enum hand_read spool_next(struct spool_reader *reader, struct hand_frame *frame);

/* Sets node and boot id of this machine. A boot id that cannot be read is empty. */
void describe_machine(struct hand_begin *begin);

/* Returns whether the attempt runs on another machine, which shares its directory with us. Whether
 * its keeper is alive cannot be seen from here. The host name alone could have changed. */
ATTR_MUST_USE bool is_elsewhere(const struct hand_begin *begin);

/* Reads all whole frames, and returns what is known about the attempt; *size is set to the size of
 * the spool. `spool` is open for reading. */
ATTR_MUST_USE enum hand_state spool_look(struct spool_reader *reader, uint64_t *size);

/* --- keeper.c --- */

/* A complete request. */
struct order {
    struct hand_request_check check;
    char *words;        /* owned: arguments, entries and directory, each with a NUL */
    size_t words_bytes; /* used */
    int input;          /* a memory file with the bytes of stdin */
    bool is_held;       /* a cluster may end it: see hold.c */
};

/* Forks a guard and a keeper, and returns at once. They never return: the keeper starts the command
 * and exits after the end. Returns false with errno if the guard could not be started; any later
 * failure is in the end. The caller closes the spool. */
ATTR_MUST_USE bool keeper_start(const struct spool *spool, const struct order *order);

/* --- hold.c --- */

/* Returns whether a holder may have this name. */
ATTR_MUST_USE bool hold_name_is_valid(const char *name);

/* Becomes the holder of that name, until it is released, the job ends, or it had neither an attempt
 * nor a connection for idle_s. Returns the exit code. */
ATTR_MUST_USE int hold_run(const char *name, uint32_t idle_s);

/* Connects to the holder of that name on this machine. If `may_wait`, waits for it to start.
 * Returns a descriptor, or -1. While it is open, the holder is not idle. */
ATTR_MUST_USE int hold_connect(const char *name, bool may_wait);

/* Like keeper_start(), but the holder forks. */
ATTR_MUST_USE bool hold_start(int hold, const struct spool *spool, const struct order *order);

/* Ends the holder. Fails with EBUSY while an attempt runs. */
ATTR_MUST_USE bool hold_release(int hold);

/* --- attach.c --- */

/* Our stdin and stdout, which are the channel to devs. */
struct channel {
    size_t in_at, in_len; /* received and not used: in[in_at] to in[in_len - 1] */
    size_t in_most;       /* the largest in_len so far */
    bool in_ended;
    uint64_t tick_at_ms; /* when the next tick is due */
    int64_t tick_ms;     /* from one tick to the next */
    int stdout_flags;    /* as they were */
    size_t out_at, out_len;
    uint8_t in[2 * HAND_FRAME_MAX];
    uint8_t out[HAND_FRAME_MAX + HAND_SMALL_FRAME_MAX];
};

/* Makes stdout non-blocking, until channel_close(), and says hello. */
void channel_open(struct channel *channel);
/* Sends what is left, if the other side takes it, and restores stdout. */
void channel_close(struct channel *channel);

/* Sends HAND_REFUSED. Returns `code`. */
int channel_refuse(struct channel *channel, enum hand_exit code, int number, const char *text);

/* Receives a request. Returns HAND_EXIT_OK, or another code after refusing it. The caller ends
 * *order with order_done() in any case. */
ATTR_MUST_USE int channel_request(struct channel *channel, struct order *order);
/* Wipes and frees it. */
void order_done(struct order *order);

/* Sends the spool from byte `from` on until its end, and forwards orders. Returns the exit code. */
ATTR_MUST_USE int channel_attach(struct channel *channel, const struct attempt_dir *attempt,
                                 uint64_t from);

/* Returns how many processes in our control group the kernel has killed because there was no
 * memory; 0 if that is not known. */
uint64_t memory_kills(void);

#endif
