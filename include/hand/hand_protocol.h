/*
 * hand_protocol.h - what devs and devs-hand send each other, and the format of an attempt's spool.
 *
 * Pure: no allocation, no system calls, no state of its own. Any thread. Readers borrow the bytes
 * that they are given and never read past them; whatever they return points into these bytes.
 *
 * Everything is a frame. Numbers are little-endian.
 *
 *     0   u8    type: enum hand_type
 *     1   u8    stream: 1 stdout or 2 stderr for HAND_OUTPUT, 0 for all other types
 *     2   u16   0
 *     4   u32   length of the payload, at most HAND_PAYLOAD_MAX
 *     8   u32   check of bytes 0 to 7 and of the payload
 *     12  ...   payload
 *
 * The check is not a CRC, because a fast one needs 8 KiB of tables. It starts with h =
 * 0x9e3779b97f4a7c15. For bytes 0 to 7, and then for each 8 bytes of the payload, the last ones
 * padded with zeros, as a 64-bit number w: h = (h ^ w) * 0x9fb21c651e98df25, h = h ^ (h >> 32).
 * The check is the lower half of h. It finds damage, not intent.
 *
 * The channel begins with HAND_HELLO in every version of the protocol: its frame, and the first 20
 * bytes of its payload, never change. Both sides refuse a version other than their own.
 *
 * Times called `stamp_ms` are CLOCK_BOOTTIME of the machine of devs-hand, in milliseconds. devs
 * only sends back what it has received. That keeps the lease sound: it ends lease_ms after a stamp
 * was made, so it ends at the latest lease_ms after devs received that stamp, however long frames
 * were delayed and whatever the clocks say.
 */
#ifndef DEVS_HAND_PROTOCOL_H
#define DEVS_HAND_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

enum {
    HAND_PROTOCOL = 1,

    HAND_HEAD_BYTES = 12,
    HAND_PAYLOAD_MAX = 128 * 1024, /* the longest argument that Linux can pass to a program */
    HAND_FRAME_MAX = HAND_HEAD_BYTES + HAND_PAYLOAD_MAX,
    HAND_OUTPUT_MAX = 64 * 1024, /* bytes of output in a frame */
    HAND_SPOOL_FRAME_MAX = HAND_HEAD_BYTES + HAND_OUTPUT_MAX,
    HAND_PIECE_HEAD_BYTES = 8, /* before the bytes of the spool in a frame of the channel */
    HAND_PIECE_MAX = HAND_PAYLOAD_MAX - HAND_PIECE_HEAD_BYTES,
    HAND_SMALL_FRAME_MAX = 512, /* no frame is longer, except those with bytes or words */

    HAND_BUILD_MAX = 64, /* bytes of a build id */
    HAND_NODE_MAX = 64,  /* bytes of a host name, as in uname(2) */
    HAND_BOOT_MAX = 36,  /* bytes of a boot id */
    HAND_TEXT_MAX = 255, /* bytes of the reason of a refusal */

    HAND_WORD_MAX = HAND_PAYLOAD_MAX - 1,   /* bytes of an argument or of NAME=VALUE */
    HAND_WORDS_MAX = 64 * 1024,             /* arguments and entries of the environment together */
    HAND_WORDS_BYTES_MAX = 4 * 1024 * 1024, /* their bytes, each with a NUL */
    HAND_DIRECTORY_MAX = 4095,              /* PATH_MAX without the NUL */
    HAND_STDIN_MAX = 256 * 1024 * 1024,     /* bytes of stdin; they are kept in memory */
    HAND_LEASE_MS_MIN = 100,
    HAND_LEASE_MS_MAX = 7 * 24 * 3600 * 1000,
    HAND_GRACE_MS_MAX = 3600 * 1000,
    HAND_SIGNAL_MAX = 64,
    HAND_NOISE_MAX = 64 * 1024, /* bytes before the hello that a login shell may print */
};

enum hand_type {
    /* The request: HAND_REQUEST, HAND_ARGUMENT for each argument, HAND_ENTRY for each entry of the
     * environment, HAND_DIRECTORY, HAND_STDIN until its bytes are complete, HAND_GO. devs-hand
     * ignores HAND_HEARTBEAT between them. */
    HAND_REQUEST = 'R',
    HAND_ARGUMENT = 'a',  /* bytes without NUL */
    HAND_ENTRY = 'e',     /* NAME=VALUE without NUL */
    HAND_DIRECTORY = 'd', /* absolute path without NUL */
    HAND_STDIN = 'i',     /* 1 to HAND_PAYLOAD_MAX bytes */
    HAND_GO = 'G',        /* u64 stamp_ms, the latest one received; the lease begins there */

    /* To a running attempt, and in its control pipe. */
    HAND_HEARTBEAT = 'h', /* u64 stamp_ms, the latest one received */
    HAND_TERM = 't',      /* empty: TERM, and KILL after the grace */
    HAND_KILL = 'k',      /* empty: KILL now */
    HAND_FOREIGN = 'f',   /* empty: like HAND_TERM, for HAND_WHY_FOREIGN; only in the pipe */

    /* From devs-hand to devs. */
    HAND_HELLO = 'H',
    /* The last frame. Nothing was started, except for HAND_EXIT_RUNNING and HAND_EXIT_CHANNEL. */
    HAND_REFUSED = 'X',
    HAND_TICK = 'T',   /* u64 stamp_ms */
    HAND_SPOOL = 'S',  /* u64 offset, then bytes of the spool from there on */
    HAND_FINISH = 'F', /* the last frame of an attach */

    /* In the spool: HAND_BEGIN, HAND_STARTED unless the command could not be started, HAND_OUTPUT
     * any number of times, HAND_END. */
    HAND_BEGIN = 'B',
    HAND_STARTED = 'P',
    HAND_OUTPUT = 'O', /* 1 to HAND_OUTPUT_MAX bytes; `stream` says of what */
    HAND_END = 'E',
};

enum hand_stream { HAND_STDOUT = 1, HAND_STDERR = 2 };

/* Exit codes of devs-hand. They help a person and say nothing about the command. */
enum hand_exit {
    HAND_EXIT_OK = 0,
    HAND_EXIT_USAGE = 2,
    HAND_EXIT_EXISTS = 10,  /* the attempt was started before */
    HAND_EXIT_REQUEST = 11, /* what was received is not in this protocol */
    HAND_EXIT_DIR = 12,     /* DIR could not be created, read or removed */
    HAND_EXIT_NONE = 13,    /* there is no attempt in DIR */
    HAND_EXIT_LOST = 14,    /* the keeper is gone and there is no end */
    HAND_EXIT_DAMAGED = 15, /* the spool is damaged */
    HAND_EXIT_RUNNING = 16, /* the attempt has not ended */
    HAND_EXIT_CHANNEL = 17, /* the channel failed; says nothing about the attempt */
    HAND_EXIT_HOLD = 18,    /* there is no holder in HOLD */
    HAND_EXIT_COUNT,
};

struct hand_frame {
    uint8_t type;   /* enum hand_type, but any value until it was checked */
    uint8_t stream; /* 0, or enum hand_stream */
    const uint8_t *bytes;
    size_t len;
    size_t size; /* of the frame, with its head */
};

enum hand_read {
    HAND_WHOLE, /* a frame */
    HAND_MORE,  /* the bytes are the beginning of a frame, or none */
    HAND_BAD,   /* the bytes cannot be the beginning of a frame */
};

/* Reads the frame at the start of these bytes. A HAND_WHOLE frame has a correct head and check;
 * its type may still be unknown. *out is set only for HAND_WHOLE. */
ATTR_MUST_USE enum hand_read hand_frame_read(const uint8_t *bytes, size_t len,
                                             struct hand_frame *out);

/* Turns a payload into a frame: `frame` has HAND_HEAD_BYTES of room, then `len` bytes of payload.
 * Returns the size of the frame. */
size_t hand_frame_seal(uint8_t *frame, enum hand_type type, uint8_t stream, size_t len);

/* The functions hand_X_write() write a whole frame to `out`, which has HAND_SMALL_FRAME_MAX bytes,
 * and return its size. The functions hand_X_read() return false if the frame is of another type or
 * its payload is not exactly as described; *out is undefined then. */

/* The payload of HAND_HELLO: "devshand", u32 protocol, u64 stamp_ms, the build id to the end. */
struct hand_hello {
    uint32_t protocol;
    uint64_t stamp_ms;
    char build[HAND_BUILD_MAX + 1];
};
/* Writes a HAND_HELLO frame. */
size_t hand_hello_write(uint8_t *out, const struct hand_hello *hello);
/* Accepts other versions, of which `build` may be empty. */
ATTR_MUST_USE bool hand_hello_read(const struct hand_frame *frame, struct hand_hello *out);

/* Finds the hello after at most HAND_NOISE_MAX bytes that a login shell may have printed. *skipped
 * is set to the length of this noise, for HAND_MORE to the bytes that need not be kept. */
ATTR_MUST_USE enum hand_read hand_hello_find(const uint8_t *bytes, size_t len,
                                             struct hand_frame *out, size_t *skipped);

/* The payload of HAND_REFUSED: u32 enum hand_exit, u32 errno or 0, the reason to the end. */
struct hand_refused {
    enum hand_exit code;
    int32_t number;
    char text[HAND_TEXT_MAX + 1];
};
/* Writes a HAND_REFUSED frame. */
size_t hand_refused_write(uint8_t *out, const struct hand_refused *refused);
/* Reads a HAND_REFUSED frame. */
ATTR_MUST_USE bool hand_refused_read(const struct hand_frame *frame, struct hand_refused *out);

/* Writes HAND_TICK, HAND_HEARTBEAT or HAND_GO with a stamp; HAND_TERM, HAND_KILL or HAND_FOREIGN
 * without one. */
size_t hand_stamp_write(uint8_t *out, enum hand_type type, uint64_t stamp_ms);
/* Reads any of these six. *stamp_ms is 0 if there is none. */
ATTR_MUST_USE bool hand_stamp_read(const struct hand_frame *frame, uint64_t *stamp_ms);

/* The payload of HAND_SPOOL: u64 offset, then at least one byte of the spool. */
struct hand_piece {
    uint64_t offset; /* of the first byte in the spool */
    const uint8_t *bytes;
    size_t len;
};
/* Turns bytes of the spool into a HAND_SPOOL frame, as hand_frame_seal() does: `frame` has
 * HAND_HEAD_BYTES + HAND_PIECE_HEAD_BYTES of room, then `len` bytes of the spool. */
size_t hand_piece_seal(uint8_t *frame, uint64_t offset, size_t len);
/* Reads a HAND_SPOOL frame. */
ATTR_MUST_USE bool hand_piece_read(const struct hand_frame *frame, struct hand_piece *out);

/* The environment of the command is that of devs-hand, with the entries of the request added to it
 * or replacing those of the same name. Otherwise it is the entries of the request and nothing else.
 */
enum hand_request_flag { HAND_INHERIT = 1 };

/* The payload of HAND_REQUEST: u32 protocol, u32 lease_ms, u32 grace_ms, u32 arguments, u32
 * entries, u32 flags, u64 stdin_bytes. */
struct hand_request {
    uint32_t lease_ms; /* without a heartbeat for this time, the attempt is ended */
    uint32_t grace_ms; /* from TERM to KILL */
    uint32_t arguments, entries;
    uint32_t flags; /* enum hand_request_flag */
    uint64_t stdin_bytes;
};
/* Writes a HAND_REQUEST frame. */
size_t hand_request_write(uint8_t *out, const struct hand_request *request);
/* Also false if a number is outside of its limits. */
ATTR_MUST_USE bool hand_request_read(const struct hand_frame *frame, struct hand_request *out);

/* Checks that the frames of a request come in order, are complete and within their limits. Starts
 * as zeros. */
struct hand_request_check {
    struct hand_request request;
    uint32_t arguments, entries; /* received so far */
    uint64_t words_bytes, stdin_bytes;
    bool has_request, has_directory, has_go;
    uint64_t stamp_ms; /* of HAND_GO */
};
/* Takes the next frame. Returns false if it is not allowed there; the request is invalid then. */
ATTR_MUST_USE bool hand_request_take(struct hand_request_check *check,
                                     const struct hand_frame *frame);

/* The payload of HAND_FINISH: u32 state, u32 0, u64 whole, u64 size. */
enum hand_state {
    HAND_STATE_RUNNING = 1, /* stdin of the attach has ended, the attempt has not */
    HAND_STATE_ENDED = 2,   /* the spool has an end */
    HAND_STATE_LOST = 3,    /* the keeper is gone and there is no end; processes may be left */
    HAND_STATE_DAMAGED = 4, /* the bytes at `whole` are not a frame of the spool */
};
struct hand_finish {
    enum hand_state state;
    uint64_t whole; /* bytes of the spool that are whole frames; no byte after them was sent */
    uint64_t size;  /* bytes of the spool */
};
/* Writes a HAND_FINISH frame. */
size_t hand_finish_write(uint8_t *out, const struct hand_finish *finish);
/* Reads a HAND_FINISH frame. */
ATTR_MUST_USE bool hand_finish_read(const struct hand_frame *frame, struct hand_finish *out);

/* The payload of HAND_BEGIN: u32 protocol, u32 lease_ms, u32 grace_ms, u32 0, u64 at_ms, 36 bytes
 * boot id, the node to the end. A boot id that is unknown is 36 zeros. */
struct hand_begin {
    uint32_t lease_ms, grace_ms;
    uint64_t at_ms; /* since 1970, by the clock of that machine */
    char boot[HAND_BOOT_MAX + 1];
    char node[HAND_NODE_MAX + 1];
};
/* Writes a HAND_BEGIN frame. */
size_t hand_begin_write(uint8_t *out, const struct hand_begin *begin);
/* Reads a HAND_BEGIN frame. */
ATTR_MUST_USE bool hand_begin_read(const struct hand_frame *frame, struct hand_begin *out);

/* The payload of HAND_STARTED: u32 keeper, u32 command, u64 at_ms. The pids are for people. Nothing
 * sends signals to them, because a pid may be reused. */
struct hand_started {
    uint32_t keeper, command;
    uint64_t at_ms;
};
/* Writes a HAND_STARTED frame. */
size_t hand_started_write(uint8_t *out, const struct hand_started *started);
/* Reads a HAND_STARTED frame. */
ATTR_MUST_USE bool hand_started_read(const struct hand_frame *frame, struct hand_started *out);

/* How the command ended. */
enum hand_ended {
    HAND_EXITED = 1,      /* `code` is its exit code */
    HAND_SIGNALED = 2,    /* `code` is the signal */
    HAND_NOT_STARTED = 3, /* `code` is the errno of `step` */
};

/* Why the command ended. */
enum hand_why {
    HAND_WHY_OWN = 0,     /* on its own */
    HAND_WHY_TERM = 1,    /* HAND_TERM */
    HAND_WHY_KILL = 2,    /* HAND_KILL */
    HAND_WHY_LEASE = 3,   /* no heartbeat for lease_ms */
    HAND_WHY_SPOOL = 4,   /* output could not be written; see spool_errno */
    HAND_WHY_FOREIGN = 5, /* somebody sent TERM or INT to the keeper, such as a cluster */
    HAND_WHY_MEMORY = 6,  /* KILL, or exit code 137, and the kernel has killed a process in the
                             keeper's control group because there was no memory */
    HAND_WHY_COUNT,
};

/* What failed if the command was not started. */
enum hand_step {
    HAND_STEP_NONE = 0,
    HAND_STEP_PROCESS = 1,   /* pipes, fork or stdin */
    HAND_STEP_DIRECTORY = 2, /* the working directory */
    HAND_STEP_PROGRAM = 3,   /* the program */
    HAND_STEP_COUNT,
};

/* The payload of HAND_END: u8 ended, u8 why, u8 step, u8 proven, u32 code, u32 left, u32 remaining,
 * u32 spool_errno, u32 kills, u64 at_ms, u64 ran_ms, u64 user_us, u64 system_us, u64 max_rss_kib,
 * u64 output_bytes, u64 dropped_bytes. */
struct hand_end {
    enum hand_ended ended;
    enum hand_why why;
    enum hand_step step; /* not HAND_STEP_NONE for HAND_NOT_STARTED only */
    bool proven;         /* waitpid() reported that no process of the attempt is left */
    uint32_t code;
    uint32_t left;               /* processes that were alive when the command had ended */
    uint32_t remaining;          /* processes that even KILL did not end in time; 0 if proven */
    uint32_t spool_errno;        /* 0 = all output was written */
    uint32_t kills;              /* KILL signals that were sent */
    uint64_t at_ms;              /* since 1970, by the clock of that machine */
    uint64_t ran_ms;             /* by CLOCK_BOOTTIME */
    uint64_t user_us, system_us; /* of all processes that were reaped */
    uint64_t max_rss_kib;        /* of the largest of them */
    uint64_t output_bytes;       /* payload of all HAND_OUTPUT frames of this spool */
    uint64_t dropped_bytes;      /* output that was read but could not be written */
};
/* Writes a HAND_END frame. */
size_t hand_end_write(uint8_t *out, const struct hand_end *end);
/* Also false if the values contradict each other. */
ATTR_MUST_USE bool hand_end_read(const struct hand_frame *frame, struct hand_end *out);

/* Returns whether the attempt passed: exit code 0, on its own, nothing left, and proven. */
bool hand_end_passed(const struct hand_end *end);

/* Follows a spool from its first byte. Starts as zeros. */
enum hand_stage { HAND_STAGE_EMPTY, HAND_STAGE_BEGUN, HAND_STAGE_STARTED, HAND_STAGE_ENDED };
struct hand_spool {
    enum hand_stage stage;
    uint64_t whole;              /* bytes of the frames read so far */
    uint64_t output_bytes;       /* payload of the HAND_OUTPUT frames read so far */
    struct hand_begin begin;     /* from HAND_STAGE_BEGUN on */
    struct hand_started started; /* zeros if the command was not started */
    struct hand_end end;         /* at HAND_STAGE_ENDED */
};
/* Reads the frame at offset `whole` of the spool, which the bytes begin with. HAND_BAD also if it
 * is not allowed there; then, and for HAND_MORE, nothing changes. There is nothing after the end:
 * any byte there is HAND_BAD. */
ATTR_MUST_USE enum hand_read hand_spool_read(struct hand_spool *spool, const uint8_t *bytes,
                                             size_t len, struct hand_frame *out);

#endif
