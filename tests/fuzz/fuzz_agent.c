/*
 * Whatever an agent CLI writes: the items are the same wherever it is cut, sums never fall, what
 * is shown to people cannot steer a terminal, and the end is told in some way.
 *
 * The first byte says which adapter reads, the second how long the pieces are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_result.h"
#include "agent_stream.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* All that was told, and the sums that were last seen. */
struct heard {
    struct str told;
    struct agent_used used;
};

static void check_words(const struct agent_item *item, struct str *told)
{
    struct str words = {0};
    agent_item_words(item, &words);
    for (size_t i = 0; i < words.len; i++) {
        const unsigned char c = (unsigned char)words.data[i];
        must(c >= ' ' || c == '\n');
        must(c != 0x7f);
    }
    must(words.len == 0 || words.data[words.len - 1] == '\n');
    str_add(told, str_text(&words));
    str_done(&words);
}

static void hear(void *ctx, const struct agent_item *item)
{
    struct heard *heard = ctx;
    const struct agent_used *now = item->used;
    must(now->turns >= heard->used.turns && now->calls >= heard->used.calls);
    must(now->cost_micro >= heard->used.cost_micro && now->tokens >= heard->used.tokens);
    must(now->own_retries >= heard->used.own_retries);
    must(now->cost_micro <= AGENT_USED_MAX && now->tokens <= AGENT_USED_MAX);
    must(item->kind != AGENT_ITEM_SESSION || adapter_session_is_id(item->text));
    must(!item->what || strlen(item->what) <= AGENT_WHAT_MAX);
    must(item->exit >= -1 && item->exit <= 255);
    must(item->number >= 0 && item->number <= now->calls);
    heard->used = *now;
    str_addf(&heard->told, "%d %lld %d\n", (int)item->kind, (long long)item->number, item->exit);
    check_words(item, &heard->told);
}

static void read_all(const struct adapter *adapter, const char *bytes, size_t len, size_t piece,
                     struct heard *heard)
{
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapter, hear, heard);
    for (size_t at = 0; at < len; at += piece)
        agent_stream_add(stream, bytes + at, len - at < piece ? len - at : piece);
    agent_stream_end(stream);
    const bool failed = agent_stream_state(stream) == AGENT_END_FAILED;
    str_addf(&heard->told, "%d\n", failed);
    (void)agent_stream_final(stream, &heard->told, NULL);
    agent_stream_close(stream);
}

/* The same text as the tail of a longer one, and on stderr. */
static void read_result(const struct adapter *adapter, const char *bytes, size_t len)
{
    const struct classify_text text = {.bytes = bytes, .len = len, .offset = len % 2 ? 1000 : 0};
    const struct classify_input input = {.agent = adapter, .out = text, .err = text};
    struct agent_result result;
    agent_result_init(&result, &input);
    must(result.end == AGENT_END_UNKNOWN || result.offset >= 0);
    must(result.said.len <= AGENT_SAID_MAX);
    agent_result_done(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { AGENTS = 7, HEAD = 2 };
    if (size < HEAD)
        return 0;
    const struct adapter *adapter = adapters_at(NULL, data[0] % AGENTS);
    const char *bytes = (const char *)data + HEAD;
    struct heard whole = {0};
    struct heard cut = {0};
    read_all(adapter, bytes, size - HEAD, size, &whole);
    read_all(adapter, bytes, size - HEAD, (size_t)data[1] % 64 + 1, &cut);
    must(strcmp(str_text(&whole.told), str_text(&cut.told)) == 0);
    read_result(adapter, bytes, size - HEAD);
    read_result(NULL, bytes, size - HEAD);
    str_done(&whole.told);
    str_done(&cut.told);
    return 0;
}
