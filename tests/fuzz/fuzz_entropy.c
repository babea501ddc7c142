/*
 * Whatever row, saved memory or fact comes: no crash, answers that are JSON, the same
 * answer to the same row, and a memory that was loaded saves as the same bytes.
 *
 * The first byte says what the rest is: 'B' a saved memory, 'F' facts one a line, anything
 * else a row.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "entropy.h"
#include "event.h"
#include "json.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void judge_row(const char *text, size_t len)
{
    const struct entropy_limits limits = entropy_limits_new();
    struct str row = {0};
    struct str first = {0};
    struct str again = {0};
    struct json *json = NULL;
    struct err err = {0};
    str_add_n(&row, text, len);
    const bool ok = entropy_row(&limits, &row, &first, &err);
    must(ok == entropy_row(&limits, &row, &again, NULL));
    must(strcmp(str_text(&first), str_text(&again)) == 0);
    must(ok ? first.len > 0 : first.len == 0 && err.message[0] != '\0');
    if (ok)
        must(json_parse(first.data, first.len, &json, NULL, NULL));
    json_free(json);
    str_done(&row);
    str_done(&first);
    str_done(&again);
}

static void load(const char *bytes, size_t len)
{
    const struct entropy_limits limits = entropy_limits_new();
    struct entropy_memory *memory = NULL;
    struct str saved = {0};
    entropy_memory_open(&memory, &limits);
    if (entropy_memory_load(memory, bytes, len, NULL)) {
        entropy_memory_save(memory, &saved);
        must(saved.len == len && memcmp(saved.data, bytes, len) == 0);
    }
    entropy_memory_close(memory);
    str_done(&saved);
}

static void apply(struct entropy_state *state, const char *line, size_t len, int64_t number)
{
    const struct entropy_limits limits = entropy_limits_new();
    struct event event = event_new(EVENT_AGENT_CALL);
    struct entropy_verdict verdict;
    struct str data = {0};
    struct str room = {0};
    struct str text = {0};
    str_add(&data, "{\"number\":1,\"loop\":");
    str_add_n(&data, line, len);
    str_add_char(&data, '}');
    str_reserve(&room, data.len);
    if (event_read(&event, data.data, data.len, &room) && event.call.has_loop) {
        entropy_apply(state, &event.call.loop, number, &limits, &verdict);
        must((verdict.level == ENTROPY_OK) == (verdict.rung == ENTROPY_RUNG_NONE));
        must(verdict.level == ENTROPY_OK || (verdict.first >= 1 && verdict.first <= verdict.last));
        entropy_nudge(&verdict, line[0] == '{' ? "x" : NULL, (unsigned)number, &text);
        must(text.len < 1000);
    }
    str_done(&text);
    str_done(&room);
    str_done(&data);
}

static void fold(const char *text, size_t len)
{
    struct entropy_state state = {0};
    for (int64_t number = 1; len > 0; number++) {
        const char *end = memchr(text, '\n', len);
        const size_t part = end ? (size_t)(end - text) : len;
        apply(&state, text, part, number);
        if (number % 50 == 0)
            entropy_state_go_on(&state);
        text += part + (end ? 1 : 0);
        len -= part + (end ? 1 : 0);
    }
    entropy_state_done(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size > 0 && text[0] == 'B')
        load(text + 1, size - 1);
    else if (size > 0 && text[0] == 'F')
        fold(text + 1, size - 1);
    else
        judge_row(text, size);
    return 0;
}
