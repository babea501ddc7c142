/*
 * Whatever file comes as an agent's session: no crash, the same items wherever it is cut, and
 * nothing at all out of what is refused.
 *
 * The first byte says where the file, which is the rest, is cut.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* What is the same however the file was cut. */
struct seen {
    struct str words;
    int64_t items, calls, results;
    int64_t last_ms;
};

static void take(void *ctx, const struct transcript_item *it)
{
    struct seen *seen = ctx;
    const struct agent_item *item = &it->item;
    must(item->kind < AGENT_ITEM_KIND_COUNT && item->used && it->took_ms >= 0);
    must(!it->is_prompt || (item->kind == AGENT_ITEM_TEXT && item->text && !it->is_side));
    must(item->kind != AGENT_ITEM_CALL || (item->tool && item->number > 0));
    must(!item->what || strlen(item->what) <= AGENT_WHAT_MAX);
    seen->items++;
    seen->calls += item->kind == AGENT_ITEM_CALL;
    seen->results += item->kind == AGENT_ITEM_RESULT && item->number > 0;
    seen->last_ms = it->at_ms;
    agent_item_words(item, &seen->words);
}

static bool read_in(struct seen *seen, const char *text, size_t len, size_t step)
{
    struct transcript *t = NULL;
    struct err err = {0};
    bool ok = true;
    transcript_open(&t, NULL, NULL, take, seen);
    for (size_t at = 0; ok && at < len; at += step)
        ok = transcript_add(t, text + at, len - at < step ? len - at : step, &err);
    ok = ok && transcript_end(t, &err);
    must(ok == (err.message[0] == '\0'));
    must(ok || seen->items == 0);
    must(!ok || transcript_agent(t));
    must(seen->results <= seen->calls);
    const struct transcript_counts counts = transcript_counts(t);
    must(counts.unknown >= 0 && counts.broken + counts.too_long <= counts.lines);
    (void)transcript_state(t);
    transcript_close(t);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct seen whole = {0};
    struct seen cut = {0};
    const char *text = (const char *)data + 1;
    if (size == 0)
        return 0;
    const bool ok = read_in(&whole, text, size - 1, size);
    must(ok == read_in(&cut, text, size - 1, (size_t)data[0] + 1));
    must(whole.items == cut.items && whole.last_ms == cut.last_ms);
    must(strcmp(str_text(&whole.words), str_text(&cut.words)) == 0);
    str_done(&whole.words);
    str_done(&cut.words);
    return 0;
}
