#include "call_kept.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "log_writer.h"
#include "number_bytes.h"

/* Saved: the magic, the numbers in their order, how many limits and their values, the rungs,
 * the memory. Numbers are 64 bits, the lowest byte first. */
enum { MAGIC_BYTES = 4, NUMBER_BYTES = 8, NUMBERS = 14, LIMITS_MAX = 64 };
static_assert(MAGIC_BYTES + (NUMBERS + 1 + LIMITS_MAX) * NUMBER_BYTES + ENTROPY_STATE_BYTES_MAX +
                      ENTROPY_BLOB_BYTES_MAX <=
                  LOG_GAIN_BYTES_MAX,
              "the log keeps what is saved");

static_assert(MAGIC_BYTES + NUMBERS * NUMBER_BYTES <= CALL_KEPT_HEAD_BYTES, "the head is whole");

static const char magic[MAGIC_BYTES + 1] = "dCl2";

void call_kept_init(struct call_kept *kept, const struct entropy_limits *limits)
{
    *kept = (struct call_kept){.limits = *limits};
    entropy_memory_open(&kept->memory, limits);
}

void call_kept_done(struct call_kept *kept)
{
    entropy_state_done(&kept->circles.state);
    entropy_memory_close(kept->memory);
    *kept = (struct call_kept){0};
}

/* No log takes what is not among these. */
static bool is_sound(const struct agent_used *used)
{
    const int64_t sums[] = {used->turns, used->calls, used->cost_micro, used->tokens,
                            used->own_retries};
    for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
        if (sums[i] < 0 || sums[i] > AGENT_USED_MAX)
            return false;
    }
    return true;
}

void call_kept_judge(struct call_kept *kept, const struct entropy_fact *fact, bool is_call,
                     const struct moment *at)
{
    const struct circles_attempt step = {.number = (int)kept->number, .at = *at};
    circles_apply(&kept->circles, fact, &step, &kept->limits);
    if (kept->circles.verdict.level == ENTROPY_STUCK)
        kept->stuck_first = kept->circles.verdict.first;
    else if (is_call)
        kept->turned_away = 0;
}

void call_kept_forget(struct call_kept *kept)
{
    entropy_memory_reset(kept->memory);
    entropy_state_reset(&kept->circles.state);
    kept->circles.verdict = (struct entropy_verdict){0};
    kept->turned_away = 0;
    kept->stop_asked = false;
}

static void apply_call(struct call_kept *kept, const struct event *event)
{
    struct json *words = NULL;
    struct entropy_fact fact;
    if (event->a < 1 || event->a > AGENT_CALLS_MAX)
        return; /* no call that the log can have */
    kept->number = event->a;
    if (!event->text || !json_parse(event->text, strlen(event->text), &words, NULL, NULL))
        return;
    const char *tool = json_text(json_get(words, "tool"), "");
    const char *what = json_text(json_get(words, "what"), "");
    const bool is_message = strcmp(tool, "message") == 0;
    const bool is_call = !is_message && strcmp(tool, "user") != 0;
    kept->turn_failed = event->c != 0 && is_message;
    if (strcmp(tool, "user") == 0)
        call_kept_forget(kept);
    else if (entropy_fact_from_json(json_get(words, "loop"), &fact))
        call_kept_judge(kept, &fact, is_call, &event->at);
    else if (is_call && strncmp(what, CALL_TURNED_AWAY, strlen(CALL_TURNED_AWAY)) == 0)
        kept->turned_away++;
    if (is_call)
        kept->used.calls++;
    json_free(words);
}

static void apply_used(struct call_kept *kept, const struct event *event)
{
    const struct agent_used used = agent_used_of_event(event);
    if (is_sound(&used))
        kept->used = used;
}

void call_kept_apply(struct call_kept *kept, const struct event *event)
{
    kept->seq = event->seq;
    kept->last = event->at;
    if (event->kind == EVENT_AGENT_CALL)
        apply_call(kept, event);
    else if (event->kind == EVENT_AGENT_USED)
        apply_used(kept, event);
    else if (event->kind == EVENT_CANCEL_ASKED)
        kept->stop_asked = true;
}

void call_kept_save(const struct call_kept *kept, struct str *out)
{
    const int64_t numbers[NUMBERS] = {kept->seq,
                                      kept->last.at_ms,
                                      kept->last.mono_ms,
                                      kept->number,
                                      kept->used.turns,
                                      kept->used.calls,
                                      kept->used.cost_micro,
                                      kept->used.tokens,
                                      kept->used.own_retries,
                                      kept->turned_away,
                                      kept->stuck_first,
                                      kept->stop_asked,
                                      entropy_state_is_stuck(&kept->circles.state),
                                      kept->turn_failed};
    str_add_n(out, magic, MAGIC_BYTES);
    for (int i = 0; i < NUMBERS; i++)
        number_bytes_put(out, (uint64_t)numbers[i], NUMBER_BYTES);
    size_t count = 0;
    while (entropy_limit(count))
        count++;
    assert(count <= LIMITS_MAX);
    number_bytes_put(out, count, NUMBER_BYTES);
    for (size_t i = 0; i < count; i++)
        number_bytes_put(out, (uint64_t)entropy_limit_get(&kept->limits, entropy_limit(i)),
                         NUMBER_BYTES);
    entropy_state_save(&kept->circles.state, out);
    entropy_memory_save(kept->memory, out);
}

static bool take(struct number_bytes *from, int64_t *out)
{
    *out = (int64_t)number_bytes_take(from, NUMBER_BYTES);
    return !from->bad && *out >= 0;
}

static bool take_numbers(struct number_bytes *from, struct call_kept *out, bool *stuck_out)
{
    int64_t numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        if (!take(from, &numbers[i]))
            return false;
    }
    out->seq = numbers[0];
    out->last = (struct moment){.at_ms = numbers[1], .mono_ms = numbers[2]};
    out->number = numbers[3];
    out->used = (struct agent_used){.turns = numbers[4],
                                    .calls = numbers[5],
                                    .cost_micro = numbers[6],
                                    .tokens = numbers[7],
                                    .own_retries = numbers[8]};
    out->turned_away = (int)(numbers[9] & INT32_MAX);
    out->stuck_first = numbers[10];
    out->stop_asked = numbers[11] != 0;
    *stuck_out = numbers[12] != 0;
    out->turn_failed = numbers[13] != 0;
    return out->number <= AGENT_CALLS_MAX && is_sound(&out->used);
}

static bool take_limits(struct number_bytes *from, struct entropy_limits *out)
{
    int64_t count = 0;
    int64_t value = 0;
    if (!take(from, &count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        const struct entropy_limit *limit = entropy_limit((size_t)i);
        if (!limit || !take(from, &value) || !entropy_limit_set(out, limit, value, NULL))
            return false;
    }
    return !entropy_limit((size_t)count);
}

static bool take_head(struct number_bytes *from, struct call_kept *out, bool *stuck_out)
{
    if (from->len < MAGIC_BYTES || memcmp(from->at, magic, MAGIC_BYTES) != 0)
        return false;
    from->at += MAGIC_BYTES;
    from->len -= MAGIC_BYTES;
    return take_numbers(from, out, stuck_out);
}

static bool take_all(struct number_bytes *from, struct call_kept *out)
{
    size_t used = 0;
    bool stuck = false; /* the rungs say so themselves */
    if (!take_head(from, out, &stuck) || !take_limits(from, &out->limits) ||
        !entropy_state_load(&out->circles.state, from->at, from->len, &used, NULL))
        return false;
    entropy_memory_open(&out->memory, &out->limits);
    return entropy_memory_load(out->memory, from->at + used, from->len - used, NULL);
}

bool call_kept_load(struct call_kept *kept, const void *bytes, size_t len, struct err *err)
{
    struct number_bytes from = {.at = bytes, .len = len};
    struct call_kept read = {0};
    if (!take_all(&from, &read)) {
        call_kept_done(&read);
        return err_set(err, ERR_INVALID, "what is known of the session is damaged");
    }
    call_kept_done(kept);
    *kept = read;
    return true;
}

bool call_kept_is_alarming(const void *bytes, size_t len, int64_t seq)
{
    struct number_bytes from = {.at = bytes, .len = len};
    struct call_kept head = {0};
    bool stuck = false;
    return !take_head(&from, &head, &stuck) || stuck || head.stop_asked || head.seq != seq;
}
