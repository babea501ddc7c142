/*
 * Whatever rows stand where events should: the fold takes each or refuses it untouched, what
 * it took can be told in words and as JSON, and the same rows give the same state.
 *
 * A row is kind, flags, task, step, round, grant, attempt, and with TEXT two bytes of length and
 * the event's data as JSON; without TEXT its data is {}.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "json.h"
#include "plan.h"
#include "run_state.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WRONG_SEQ = 1, TEXT = 2, CLOCK_BACK = 4, ROWS_MAX = 512 };

static const char plan_text[] =
    "{\"version\":1,\"idempotent\":true,\"tasks\":["
    "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],\"phase\":\"RED\",\"expect\":\"failure\"},"
    "{\"run\":[\"x\"],\"source\":\"api\"},{\"run\":[\"x\"],\"phase\":\"VERIFY\"}]},"
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
    "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"],\"policy\":\"research\"},{\"run\":[\"x\"]}]},"
    "{\"id\":\"d\",\"rounds\":3,\"budget\":{\"turns\":10,\"wall_s\":5},\"steps\":["
    "{\"run\":[\"x\"]},{\"agent\":\"claude\",\"prompt\":\"x\"},{\"run\":[\"x\"]}]}],"
    "\"budget\":{\"cost_usd\":1,\"wall_s\":9}}";

struct rows {
    const uint8_t *at;
    size_t left;
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint8_t take_byte(struct rows *rows)
{
    if (rows->left == 0)
        return 0;
    rows->left--;
    return *rows->at++;
}

static int take_signed(struct rows *rows)
{
    const int byte = take_byte(rows);
    return byte < 128 ? byte : byte - 256;
}

static void take_text(struct rows *rows, struct str *text)
{
    size_t len = take_byte(rows);
    len |= (size_t)take_byte(rows) << 8;
    if (len > rows->left)
        len = rows->left;
    for (size_t i = 0; i < len; i++) {
        char byte = (char)take_byte(rows);
        str_add_char(text, byte ? byte : ' ');
    }
}

/* The event is written, and reading it again gives the same fields. */
static void check_fields(const struct event *read)
{
    struct event event = *read;
    struct event again = {.kind = read->kind};
    struct str room = {0};
    event.data = NULL;
    char *object = event_object(&event);
    const size_t len = strlen(object);
    str_reserve(&room, len);
    if (len <= EVENT_DATA_MAX) { /* defaults that are always written may make it longer */
        must(event_is_in_range(&event) && event_read(&again, object, len, &room));
        again.data = NULL;
        char *second = event_object(&again);
        must(strcmp(object, second) == 0);
        free(second);
    }
    free(object);
    str_done(&room);
}

/* The next row as an event that may follow; its data is in *text, its texts in *room. */
static struct event take_event(struct rows *rows, const struct run_state *state, struct str *text,
                               struct str *room)
{
    struct event event = {.kind = (enum event_kind)take_byte(rows)};
    const uint8_t flags = take_byte(rows);
    if (!event_kind_is_known(event.kind)) {
        event.kind = EVENT_UNKNOWN;
        event.unknown.kind = "later";
    }
    event.task = take_signed(rows);
    event.step = take_signed(rows);
    event.round = take_byte(rows);
    event.grant = take_byte(rows);
    event.attempt = take_byte(rows);
    if (flags & TEXT)
        take_text(rows, text);
    if (text->len == 0)
        str_add(text, "{}");
    str_reserve(room, text->len);
    event.is_damaged = !event_read(&event, text->data, text->len, room);
    if (!event.is_damaged && event.kind != EVENT_UNKNOWN)
        check_fields(&event);
    event.seq = state->last_seq + (flags & WRONG_SEQ ? 2 : 1);
    event.at = state->last;
    event.at.at_ms += flags & CLOCK_BACK ? -3600000 : 10;
    event.at.mono_ms += 10;
    return event;
}

static void tell(const struct run_state *state, const struct event *event)
{
    struct str words = {0};
    struct str row = {0};
    struct json *json = NULL;
    event_words(state, event, &words);
    must(!words.data || !strchr(words.data, '\n'));
    event_json(state, 1, event, &row);
    must(json_parse(row.data, row.len, &json, NULL, NULL));
    json_free(json);
    str_done(&words);
    str_done(&row);
}

static uint64_t fold(const struct plan *plan, const uint8_t *data, size_t size)
{
    struct rows rows = {.at = data, .left = size};
    struct run_state state;
    run_state_init(&state, plan, 7);
    state.last = (struct moment){.at_ms = INT64_C(1700000000000), .mono_ms = 1000};
    for (int i = 0; i < ROWS_MAX && rows.left > 0; i++) {
        struct str text = {0};
        struct str room = {0};
        struct err err = {0};
        const struct event event = take_event(&rows, &state, &text, &room);
        const uint64_t before = run_state_digest(&state);
        if (run_state_apply(&state, &event, &err))
            tell(&state, &event);
        else
            must(err.code == ERR_DAMAGED && run_state_digest(&state) == before);
        str_done(&text);
        str_done(&room);
    }
    const uint64_t digest = run_state_digest(&state);
    run_state_done(&state);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan *plan = NULL;
    struct violations violations = {0};
    must(plan_parse(plan_text, sizeof(plan_text) - 1, &plan, &violations));
    const uint64_t first = fold(plan, data, size);
    must(fold(plan, data, size) == first);
    plan_free(plan);
    violations_done(&violations);
    return 0;
}
