/*
 * heartbeat.h - did this process stand still: stopped, or the machine suspended?
 *
 * The loop says when it will look again at the latest, and when it looks. Waking
 * up much later than that means that nobody could look in between: no timeout
 * counts that time. Times are those of the clock that goes on in a suspended
 * machine (CLOCK_BOOTTIME). A plain value; no clock of its own in here.
 */
#ifndef DEVS_HEARTBEAT_H
#define DEVS_HEARTBEAT_H

#include <stdint.h>
#include <uv.h>

enum {
    HEARTBEAT_MS = 1000,       /* while something can time out the loop looks this often */
    HEARTBEAT_SLACK_MS = 2000, /* a machine that is busy may be as late as this */
    HEARTBEAT_LOG_MS = 10000,  /* more than the log is waited for: the rest we stood still */
};

struct heartbeat {
    int64_t expected_ms; /* when the next look is due at the latest; INT64_MAX = not known */
};

/* All is as it should be at now_ms; the next look comes within wait_ms, -1 = who knows. */
void heartbeat_expect(struct heartbeat *heartbeat, int64_t now_ms, int64_t wait_ms);

/* So long others kept us from the log, and we did not stand still: a timeout counts that. */
void heartbeat_excuse(struct heartbeat *heartbeat, int64_t waited_ms);

/* For heartbeat_expect(): how long the loop waits at most before it looks again. What libuv says is
 * no more than a hint: uv_backend_timeout() is 0 where a watcher is still to be registered, and the
 * wait is as long as without one (libuv 1.44). Then the alarm bounds it. */
int64_t heartbeat_wait_ms(const uv_loop_t *uv, const uv_timer_t *alarm);

/* A look. How long we stood still before it in ms, 0 if we did not. */
int64_t heartbeat_look(struct heartbeat *heartbeat, int64_t now_ms);

#endif
