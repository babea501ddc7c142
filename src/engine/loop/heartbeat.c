#include "heartbeat.h"

void heartbeat_expect(struct heartbeat *heartbeat, int64_t now_ms, int64_t wait_ms)
{
    heartbeat->expected_ms = wait_ms < 0 ? INT64_MAX : now_ms + wait_ms;
}

int64_t heartbeat_wait_ms(const uv_loop_t *uv, const uv_timer_t *alarm)
{
    const int told_ms = uv_backend_timeout(uv);
    if (told_ms != 0)
        return told_ms;
    return uv_is_active((const uv_handle_t *)alarm) ? (int64_t)uv_timer_get_due_in(alarm) : -1;
}

void heartbeat_excuse(struct heartbeat *heartbeat, int64_t waited_ms)
{
    if (heartbeat->expected_ms < INT64_MAX - HEARTBEAT_LOG_MS)
        heartbeat->expected_ms += waited_ms < HEARTBEAT_LOG_MS ? waited_ms : HEARTBEAT_LOG_MS;
}

int64_t heartbeat_look(struct heartbeat *heartbeat, int64_t now_ms)
{
    int64_t late_ms = 0;
    if (heartbeat->expected_ms < now_ms)
        late_ms = now_ms - heartbeat->expected_ms;
    heartbeat->expected_ms = now_ms;
    return late_ms > HEARTBEAT_SLACK_MS ? late_ms : 0;
}
