#include "transcript.h"

#include <stdlib.h>
#include <string.h>

#include "item_name.h"
#include "row_file.h"
#include "str.h"
#include "test_main.h"

/* The items of a file, one per line: call 1 Bash(make), result 1 exit 2: "...". */
static struct str items;
static struct rows files;
static int64_t first_ms, last_ms, took_ms;

static void take(void *ctx, const struct transcript_item *it)
{
    const struct agent_item *item = &it->item;
    (void)ctx;
    ck_assert_ptr_nonnull(item->used);
    first_ms = first_ms == 0 ? it->at_ms : first_ms;
    last_ms = it->at_ms;
    took_ms = it->took_ms > 0 ? it->took_ms : took_ms;
    if (item->kind == AGENT_ITEM_USED)
        return;
    str_addf(&items, "%s%s", it->is_side ? "side " : "",
             it->is_prompt ? "prompt" : item_name(item->kind));
    if (item->number > 0)
        str_addf(&items, " %lld", (long long)item->number);
    if (item->kind == AGENT_ITEM_CALL)
        str_addf(&items, " %s(%s)", item->tool, item->what ? item->what : "");
    if (item->kind == AGENT_ITEM_RESULT && item->exit >= 0)
        str_addf(&items, " exit %d", item->exit);
    if (item->failed)
        str_add(&items, " failed");
    if (item->text) {
        str_add(&items, ": ");
        str_add_json(&items, item->text, strlen(item->text));
    }
    str_add_char(&items, '\n');
}

/* Reads the whole file in pieces of `size` bytes. */
static struct transcript *read_in(const char *text, size_t size)
{
    struct transcript *t = NULL;
    struct err err = {0};
    const size_t len = strlen(text);
    str_clear(&items);
    first_ms = last_ms = took_ms = 0;
    transcript_open(&t, NULL, NULL, take, NULL);
    for (size_t at = 0; at < len; at += size)
        ck_assert_msg(transcript_add(t, text + at, len - at < size ? len - at : size, &err), "%s",
                      err.message);
    ck_assert_msg(transcript_end(t, &err), "%s", err.message);
    return t;
}

static char *read_claude(void)
{
    char *text = test_read_file(test_source_path("tests/data/agents/claude-session.jsonl"));
    ck_assert_ptr_nonnull(text);
    return text;
}

START_TEST(test_reads_a_session_of_claude_code)
{
    static const size_t sizes[] = {1, 7, 100, 100000};
    char *text = read_claude();
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct transcript *t = read_in(text, sizes[i]);
        ck_assert_str_eq(str_text(&items), "session: \"83ca3d6e-0001\"\n"
                                           "prompt: \"fix it\"\n"
                                           "text: \"I look.\"\n"
                                           "call 1 Bash(make)\n"
                                           "side call 2 Grep(x)\n"
                                           "result 1 exit 2 failed: \"Exit code 2\\nred\"\n"
                                           "notice: \"the conversation was compacted (9 tokens)\"\n"
                                           "notice: \"what was before\"\n"
                                           "text: \"Done.\"\n");
        ck_assert_int_eq(transcript_form(t), TRANSCRIPT_CLAUDE);
        ck_assert_str_eq(transcript_agent(t), "claude");
        ck_assert_str_eq(transcript_session(t), "83ca3d6e-0001");
        ck_assert_str_eq(transcript_folder(t), "/shop");
        ck_assert_int_eq(transcript_used(t)->turns, 2);
        ck_assert_int_eq(transcript_used(t)->calls, 2);
        ck_assert_int_eq(transcript_used(t)->tokens, 21);
        ck_assert_int_eq(transcript_state(t), AGENT_END_DONE);
        ck_assert_int_eq(transcript_counts(t).lines, 12);
        ck_assert_int_eq(transcript_counts(t).unknown, 1);
        ck_assert_int_eq(transcript_counts(t).broken, 1);
        ck_assert_int_eq(first_ms, INT64_C(1795168800000));
        ck_assert_int_eq(last_ms - first_ms, 5500);
        ck_assert_int_eq(took_ms, 3500);
        transcript_close(t);
    }
    free(text);
}
END_TEST

/* Returns whether the text is refused, without an item. */
static bool is_refused(const char *text)
{
    struct transcript *t = NULL;
    struct err err = {0};
    str_clear(&items);
    transcript_open(&t, NULL, NULL, take, NULL);
    const bool ok = transcript_add(t, text, strlen(text), &err) && transcript_end(t, &err);
    transcript_close(t);
    return !ok && err.code == ERR_INVALID && items.len == 0;
}

START_TEST(test_reads_what_other_clis_keep)
{
    static const char *const ends[] = {[AGENT_END_UNKNOWN] = "unknown",
                                       [AGENT_END_DONE] = "done",
                                       [AGENT_END_FAILED] = "failed",
                                       [AGENT_END_CUT] = "cut"};
    static const char *const forms[] = {
        [TRANSCRIPT_UNKNOWN] = "unknown", [TRANSCRIPT_CLAUDE] = "claude",
        [TRANSCRIPT_CODEX] = "codex",     [TRANSCRIPT_PI] = "pi",
        [TRANSCRIPT_GEMINI] = "gemini",   [TRANSCRIPT_QWEN] = "qwen",
        [TRANSCRIPT_STREAM] = "stream",
    };
    const struct row *row = &files.items[_i];
    if (strcmp(row->want, "not a transcript\n") == 0) {
        ck_assert(is_refused(row->input));
        return;
    }
    struct transcript *t = read_in(row->input, 11);
    str_addf(&items, "form %s, %s, %lld turns, %lld tokens\n", forms[transcript_form(t)],
             ends[transcript_state(t)], (long long)transcript_used(t)->turns,
             (long long)transcript_used(t)->tokens);
    row_check(row, str_text(&items));
    ck_assert_int_eq(transcript_counts(t).unknown, 0);
    transcript_close(t);
}
END_TEST

static const char *const strange[] = {
    "",
    "\n\n",
    "hello\n",
    "[1,2]",
    "[[[[[[",
    "{\"a\":1}\n",
    "null\n",
    "\"text\"",
    "{\n\"a\": 1\n}",
    "{\"type\":\"session\"}",
    "{\"type\":\"user\"}\n{\"b\":2}\n",
};

START_TEST(test_refuses_other_texts)
{
    ck_assert_msg(is_refused(strange[_i]), "'%s'", strange[_i]);
}
END_TEST

START_TEST(test_refuses_a_session_of_another_agent)
{
    struct transcript *t = NULL;
    struct err err = {0};
    transcript_open(&t, NULL, "codex", take, NULL);
    char *text = read_claude();
    ck_assert(!transcript_add(t, text, strlen(text), &err));
    free(text);
    ck_assert_ptr_nonnull(strstr(err.message, "Claude Code session, not a transcript of 'codex'"));
    transcript_close(t);
}
END_TEST

/* Lines that are too long, or have too many values, are skipped, and the next ones read. */
START_TEST(test_skips_lines_beyond_its_limits)
{
    struct str text = {0};
    struct transcript *t = NULL;
    str_add(&text, "{\"type\":\"session\",\"id\":\"p\"}\n{\"type\":\"x\",\"y\":\"");
    for (int i = 0; i < TRANSCRIPT_LINE_MAX / 16 + 1; i++)
        str_add(&text, "aaaaaaaaaaaaaaaa");
    str_add(&text, "\"}\n[");
    for (int i = 0; i <= TRANSCRIPT_VALUES_MAX; i++)
        str_add(&text, "1,");
    str_add(&text,
            "1]\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}\n");
    t = read_in(str_text(&text), 65536);
    ck_assert_str_eq(str_text(&items), "session: \"p\"\nprompt: \"go\"\n");
    ck_assert_int_eq(transcript_counts(t).too_long, 2);
    transcript_close(t);
    str_done(&text);
}
END_TEST

/* With more open calls than are kept, the oldest is forgotten. */
START_TEST(test_open_calls_have_a_limit)
{
    struct str text = {0};
    str_add(&text, "{\"type\":\"session\",\"id\":\"p\"}\n");
    for (int i = 0; i <= AGENT_OPEN_CALLS_MAX; i++)
        str_addf(&text,
                 "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
                 "\"toolCall\",\"id\":\"%d\",\"name\":\"bash\",\"arguments\":{}}]}}\n",
                 i);
    for (int i = 0; i < 2; i++)
        str_addf(&text,
                 "{\"type\":\"message\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"%d\","
                 "\"content\":\"ok\"}}\n",
                 i);
    struct transcript *t = read_in(str_text(&text), 4096);
    ck_assert_ptr_nonnull(strstr(str_text(&items), "\nresult: \"ok\"\nresult 2: \"ok\"\n"));
    transcript_close(t);
    str_done(&text);
}
END_TEST

#define CLAUDE_LINE "{\"sessionId\":\"83ca3d6e-0001\",\"uuid\":\"u\",\"isSidechain\":false,"

/* Impossible numbers are ignored, and no sum grows beyond what a log takes. */
START_TEST(test_impossible_numbers_are_ignored)
{
    struct str text = {0};
    str_add(&text, CLAUDE_LINE
            "\"type\":\"system\",\"subtype\":\"api_error\",\"retryInMs\":1e300}\n" CLAUDE_LINE
            "\"type\":\"system\",\"subtype\":\"api_error\",\"retryInMs\":-1}\n");
    for (int i = 0; i < 1100; i++)
        str_addf(&text,
                 CLAUDE_LINE "\"type\":\"assistant\",\"costUSD\":999999,\"message\":{\"id\":"
                             "\"m%d\",\"content\":[],\"usage\":{\"input_tokens\":1000000000000,"
                             "\"output_tokens\":-1}}}\n",
                 i);
    struct transcript *t = read_in(str_text(&text), 65536);
    ck_assert_int_eq(transcript_used(t)->own_retries, 2);
    ck_assert_int_eq(transcript_used(t)->cost_micro, AGENT_USED_MAX);
    ck_assert_int_eq(transcript_used(t)->tokens, 0);
    transcript_close(t);
    str_done(&text);
}
END_TEST

static void drop_items(void)
{
    str_done(&items);
}

Suite *test_suite(void)
{
    files = rows_read("agents/transcripts.txt");
    Suite *suite = suite_create("transcript");
    TCase *tcase = test_case(suite, "transcript");
    tcase_add_checked_fixture(tcase, NULL, drop_items);
    tcase_add_test(tcase, test_reads_a_session_of_claude_code);
    tcase_add_loop_test(tcase, test_reads_what_other_clis_keep, 0, files.count);
    tcase_add_loop_test(tcase, test_refuses_other_texts, 0, ARRAY_LEN(strange));
    tcase_add_test(tcase, test_refuses_a_session_of_another_agent);
    tcase_add_test(tcase, test_skips_lines_beyond_its_limits);
    tcase_add_test(tcase, test_open_calls_have_a_limit);
    tcase_add_test(tcase, test_impossible_numbers_are_ignored);
    return suite;
}
