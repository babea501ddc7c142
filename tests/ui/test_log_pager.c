#include "log_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_main.h"
#include "xalloc.h"

enum { TURNS_MAX = 100000 };

/* A row as in the log. */
struct row {
    struct log_output_row row;
    char *bytes; /* owned */
};

static struct row *rows;
static size_t row_count, row_cap;
static int64_t next_id = 1;
static int64_t next[LOG_JOIN_STREAMS + 1]; /* offset of each stream's next row */
static struct log_pager pager;
static const struct log_output_key key = {.run = 1, .attempt = 1};
static size_t read_bytes; /* bytes requested from the source since last reset */

static bool read_rows(void *ctx, int64_t after, size_t bytes, struct output_page *page,
                      struct err *err)
{
    (void)ctx;
    (void)err;
    page->count = 0;
    str_clear(&page->text);
    for (size_t i = 0; i < row_count && page->text.len < bytes; i++) {
        if (rows[i].row.id <= after)
            continue;
        page->rows = xgrow(page->rows, &page->cap, page->count + 1, sizeof(*page->rows));
        page->rows[page->count] = rows[i].row;
        page->rows[page->count++].start = page->text.len;
        str_add_n(&page->text, rows[i].bytes, rows[i].row.len);
    }
    read_bytes += page->text.len;
    return true;
}

static const struct log_source source = {.read = read_rows};

static void add_bytes(int stream, int64_t at_ms, const char *bytes, size_t len)
{
    rows = xgrow(rows, &row_cap, row_count + 1, sizeof(*rows));
    struct row *row = &rows[row_count++];
    row->row = (struct log_output_row){
        .id = next_id++, .stream = stream, .offset = next[stream], .at_ms = at_ms, .len = len};
    row->bytes = xcalloc(1, len + 1);
    memcpy(row->bytes, bytes, len);
    next[stream] += (int64_t)len;
}

static void add(int stream, int64_t at_ms, const char *text)
{
    add_bytes(stream, at_ms, text, strlen(text));
}

static void drop_last_row(void)
{
    free(rows[--row_count].bytes);
}

static void turn(void)
{
    struct err err = {0};
    ck_assert_msg(log_pager_turn(&pager, &source, &err), "%s", err.message);
}

static void read_all(void)
{
    int turns = 0;
    do
        turn();
    while (!log_pager_is_done(&pager) && ++turns < TURNS_MAX);
    ck_assert_int_lt(turns, TURNS_MAX);
}

static void load(size_t index, size_t count)
{
    struct err err = {0};
    ck_assert_msg(log_pager_load(&pager, &source, index, count, &err), "%s", err.message);
}

/* Checks all lines shown, each followed by '|'. */
static void check(const char *want)
{
    struct str out = {0};
    read_all();
    load(0, log_pager_count(&pager));
    for (size_t i = 0; i < log_pager_count(&pager); i++) {
        const struct pager_line *line = log_pager_line(&pager, i);
        ck_assert_ptr_nonnull(line);
        str_add_n(&out, log_pager_text(&pager, line), line->len);
        str_add_char(&out, '|');
    }
    ck_assert_str_eq(str_text(&out), want);
    str_done(&out);
}

static void begin(void)
{
    log_pager_begin(&pager, &key);
}

static void news(size_t top)
{
    log_pager_news(&pager, INT64_MAX, top);
}

START_TEST(test_lines_of_all_streams)
{
    add(LOG_STREAM_OUT, 10, "one\ntw");
    add(LOG_STREAM_ERR, 20, "warn\n");
    add(LOG_STREAM_OUT, 30, "o\n\nlast");
    begin();
    check("one|warn|two||last|");
    ck_assert_int_eq(log_pager_line(&pager, 1)->stream, LOG_STREAM_ERR);
    ck_assert_int_eq(log_pager_line(&pager, 2)->at_ms, 30);
    ck_assert_int_eq(log_pager_line(&pager, 2)->offset, 4);
}
END_TEST

START_TEST(test_more_comes)
{
    add(LOG_STREAM_OUT, 10, "one\ntw");
    begin();
    check("one|tw|");
    add(LOG_STREAM_OUT, 20, "o\nthree\n");
    news(0);
    check("one|two|three|");
}
END_TEST

START_TEST(test_words_around_it)
{
    add(LOG_STREAM_OUT, 10, "one\n");
    begin();
    log_pager_say_before(&pager, 5, "$ make\ttest\nall");
    log_pager_say_after(&pager, 20, "-- exit 1\033[1m");
    check("$ make  test all|one|-- exit 1|");
    ck_assert_int_eq(log_pager_line(&pager, 2)->stream, PAGER_ENGINE);
    ck_assert_uint_eq(log_pager_number(&pager, 1), 0);
    ck_assert_uint_eq(log_pager_index(&pager, 0), 1);
    log_pager_unsay(&pager);
    check("one|");
}
END_TEST

static void number_lines(size_t count, const char *text)
{
    struct str piece = {0};
    for (size_t i = 0; i < count; i++) {
        str_addf(&piece, "line %zu %s\n", i, text);
        if (piece.len > 3000 || i + 1 == count) {
            add_bytes(LOG_STREAM_OUT, (int64_t)i, piece.data, piece.len);
            str_clear(&piece);
        }
    }
    str_done(&piece);
}

static void check_number(size_t index, size_t number)
{
    char want[32];
    const struct pager_line *line = log_pager_line(&pager, index);
    const int len = snprintf(want, sizeof(want), "line %zu ", number);
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_ge(line->len, (size_t)len);
    ck_assert_mem_eq(log_pager_text(&pager, line), want, (size_t)len);
}

START_TEST(test_any_place_is_found_again)
{
    enum { LINES = 60000, SCREEN = 40 };
    number_lines(LINES, "is one of very many of them, all of which are numbered");
    begin();
    read_all();
    ck_assert_uint_eq(log_pager_count(&pager), LINES);
    ck_assert_uint_gt(pager.mark_count, 10);
    for (size_t i = 0; i < 200; i++) {
        const size_t from = i * 7919 % (LINES - SCREEN);
        read_bytes = 0;
        load(from, SCREEN);
        for (size_t k = from; k < from + SCREEN; k++)
            check_number(k, k);
        ck_assert_uint_le(read_bytes, 4 * PAGER_MARK_BYTES);
    }
}
END_TEST

START_TEST(test_memory_and_turns_are_bounded)
{
    enum { LINES = 150 * 1000 };
    number_lines(LINES, "is one of very many of them, all of which are numbered");
    begin();
    pager.mark_bytes = 1024; /* as if it were a thousand times longer */
    for (int i = 0; i < TURNS_MAX && !log_pager_is_done(&pager); i++) {
        read_bytes = 0;
        turn();
        ck_assert_uint_le(read_bytes, PAGER_TURN_BYTES + 3 * PAGER_LOOK_BYTES);
    }
    ck_assert_uint_eq(log_pager_count(&pager), LINES);
    ck_assert_uint_le(pager.mark_count, PAGER_MARKS_MAX);
    ck_assert_int_gt(pager.mark_bytes, 1024);
    load(LINES - 40, 40);
    check_number(LINES - 1, LINES - 1);
    load(123456, 40);
    check_number(123456, 123456);
    ck_assert_uint_le(pager.line_count, PAGER_LINES_MAX);
}
END_TEST

START_TEST(test_live_tail_makes_way)
{
    add(LOG_STREAM_OUT, 10, "head 1\nhead 2\n");
    add(LOG_STREAM_OUT, 20, "line 1 x\nline 2 x\nline 3 x\n");
    rows[1].row.replaceable = true;
    begin();
    check("head 1|head 2|line 1 x|line 2 x|line 3 x|");
    const int64_t kept = next[LOG_STREAM_OUT] - 9;
    drop_last_row();
    next[LOG_STREAM_OUT] = kept;
    add(LOG_STREAM_OUT, 30, "line 3 x\nline 4 x\n");
    rows[1].row.replaceable = true;
    news(4); /* line 3 is at the top */
    check("head 1|head 2|(18 bytes were not kept)|line 3 x|line 4 x|");
}
END_TEST

/* What was read of a live tail can be read again, even if the log has replaced it. */
START_TEST(test_live_tail_is_kept_until_the_news)
{
    add(LOG_STREAM_OUT, 10, "head 1\n");
    add(LOG_STREAM_OUT, 20, "line 1 x\nline 2 x\n");
    rows[1].row.replaceable = true;
    add(LOG_STREAM_ERR, 20, "warn\n");
    begin();
    read_all();
    ck_assert(!log_pager_is_fleeting(&pager, 0));
    ck_assert(log_pager_is_fleeting(&pager, 1));
    free(rows[1].bytes);
    rows[1] = rows[2];
    row_count--;
    add(LOG_STREAM_OUT, 30, "line 9 x\n");
    rows[2].row.replaceable = true;
    check("head 1|line 1 x|line 2 x|warn|");
    news(0);
    check("head 1|warn|(18 bytes were not kept)|line 9 x|");
}
END_TEST

/* A line of the live tail at the top of the screen is found at its new position. */
START_TEST(test_top_is_found_again)
{
    size_t top = 4;
    add(LOG_STREAM_OUT, 10, "head 1\nhead 2\n");
    next[LOG_STREAM_OUT] += 100;
    add(LOG_STREAM_OUT, 20, "\nline 1 x\nline 2 x\nline 3 x\n");
    rows[1].row.replaceable = true;
    begin();
    check("head 1|head 2|(100 bytes were not kept)||line 1 x|line 2 x|line 3 x|");
    drop_last_row();
    next[LOG_STREAM_OUT] -= 18 + 1;
    add(LOG_STREAM_OUT, 30, "\nline 2 x\nline 3 x\nline 4 x\n");
    rows[1].row.replaceable = true;
    news(6); /* line 3 */
    turn();
    ck_assert(log_pager_moved(&pager, &top));
    load(top, 1);
    check_number(top, 3);
    ck_assert(!log_pager_moved(&pager, &top));
}
END_TEST

START_TEST(test_nothing_later_than_the_moment)
{
    add(LOG_STREAM_OUT, 10, "one\n");
    add(LOG_STREAM_OUT, 20, "two\n");
    add(LOG_STREAM_OUT, 30, "three\n");
    begin();
    log_pager_news(&pager, 25, 0);
    check("one|two|");
    log_pager_news(&pager, 30, 0);
    check("one|two|three|");
    log_pager_news(&pager, 10, 0);
    check("one|");
    log_pager_news(&pager, 9, 0);
    check("");
    news(0);
    check("one|two|three|");
}
END_TEST

/* As soon as text extracted from an agent's output exists, the log returns it instead of the raw
 * stdout. */
START_TEST(test_words_of_an_agent_come_instead)
{
    add(LOG_STREAM_OUT, 10, "{\"type\":1}\n");
    begin();
    check("{\"type\":1}|");
    drop_last_row();
    add(LOG_STREAM_ERR, 20, "warn\n");
    add(LOG_STREAM_AGENT, 30, "Reading tax.c\n");
    news(0);
    check("warn|Reading tax.c|");
}
END_TEST

static void check_next(const struct pager_set *set, int64_t from, int step, int64_t want)
{
    size_t line = 0;
    const enum pager_next next_one = log_pager_next(&pager, set, from, step, &line);
    ck_assert_int_eq(next_one == PAGER_NEXT_FOUND ? (int64_t)line : -1, want);
}

START_TEST(test_search)
{
    add(LOG_STREAM_OUT, 10, "Alpha\nbeta\nal\033[1mpha\ngamma\nALPHABET");
    begin();
    log_pager_search(&pager, "alpha");
    read_all();
    ck_assert_uint_eq(pager.found.count, 3);
    check_next(&pager.found, -1, 1, 0);
    check_next(&pager.found, 0, 1, 2);
    check_next(&pager.found, 4, 1, -1);
    check_next(&pager.found, 4, -1, 2);
    check_next(&pager.found, 0, -1, -1);
    check_next(&pager.found, INT64_MAX, -1, 4);
    log_pager_show_only(&pager, true);
    check("Alpha|alpha|ALPHABET|");
    ck_assert_uint_eq(log_pager_index(&pager, 1), 1);
    log_pager_search(&pager, "gamma");
    check("gamma|");
    log_pager_search(&pager, "none");
    check("");
}
END_TEST

START_TEST(test_search_goes_on_with_the_output)
{
    size_t line = 0;
    add(LOG_STREAM_OUT, 10, "one tax\ntwo\n");
    begin();
    log_pager_search(&pager, "tax");
    ck_assert_int_eq(log_pager_next(&pager, &pager.found, -1, 1, &line), PAGER_NEXT_LATER);
    read_all();
    ck_assert_uint_eq(pager.found.count, 1);
    add(LOG_STREAM_OUT, 20, "tax");
    news(0);
    read_all();
    ck_assert_uint_eq(pager.found.count, 2);
    add(LOG_STREAM_OUT, 20, "i\n"); /* the same line, not another one */
    news(0);
    read_all();
    ck_assert_uint_eq(pager.found.count, 2);
}
END_TEST

/* Many more lines match than are kept in memory at once. */
START_TEST(test_only_matches_of_much_output)
{
    enum { LINES = 30000 };
    number_lines(LINES, "has a number in this output");
    begin();
    log_pager_search(&pager, "7 has");
    log_pager_show_only(&pager, true);
    read_all();
    ck_assert_uint_eq(log_pager_count(&pager), LINES / 10);
    load(1500, 40);
    for (size_t i = 1500; i < 1540; i++)
        check_number(i, 10 * i + 7);
}
END_TEST

START_TEST(test_errors_and_the_rule)
{
    struct verdict verdict = verdict_new();
    add(LOG_STREAM_OUT, 10, "ok 1\nassertion\n");
    add(LOG_STREAM_ERR, 10, "x\nError: none\n");
    verdict.stream = VERDICT_STREAM_OUT;
    verdict.offset = 7; /* within "assertion", which does not look like an error */
    begin();
    log_pager_set_rule(&pager, &verdict);
    read_all();
    ck_assert_uint_eq(pager.errors.count, 2);
    ck_assert_uint_eq(pager.rule_line, 1);
    check_next(&pager.errors, -1, 1, 1);
    check_next(&pager.errors, 1, 1, 3);
    load(0, 4);
    ck_assert(log_pager_is_rule(&pager, log_pager_line(&pager, 1)));
    ck_assert(!log_pager_is_rule(&pager, log_pager_line(&pager, 3)));
}
END_TEST

static void check_is_safe(void)
{
    for (size_t i = 0; i < pager.text.len; i++) {
        const unsigned char c = (unsigned char)pager.text.data[i];
        ck_assert_msg(c >= ' ' && c != 0x7f, "byte %zu is 0x%02x", i, c);
    }
}

START_TEST(test_hostile_bytes_do_not_get_through)
{
    static const char bytes[] =
        "a\0b\x07\x1b]0;title\x07 \x1b[2Jclear\n\xe2\x80\xae bidi \xff\xfe\xc3\x28\x9b"
        "31m\r\n\x1bP data \x1b\\end\x85\xc2\x9b\x7f\n";
    add_bytes(LOG_STREAM_OUT, 10, bytes, sizeof(bytes) - 1);
    begin();
    read_all();
    load(0, log_pager_count(&pager));
    check_is_safe();
    ck_assert_uint_eq(log_pager_count(&pager), 3);
    ck_assert_ptr_null(strstr(pager.text.data, "\xe2\x80\xae"));
}
END_TEST

START_TEST(test_endless_line_is_broken_up)
{
    enum { MB = 1024 * 1024, TOTAL = 10 * MB, PIECE = 64 * 1024 };
    char *piece = xcalloc(1, PIECE);
    size_t len = 0;
    memset(piece, 'x', PIECE);
    for (int i = 0; i < TOTAL / PIECE; i++)
        add_bytes(LOG_STREAM_OUT, i, piece, PIECE);
    free(piece);
    begin();
    read_all();
    for (size_t i = 0; i < log_pager_count(&pager); i++) {
        load(i, 1);
        len += log_pager_line(&pager, i)->len;
        ck_assert_uint_le(pager.text.len, PAGER_WINDOW_BYTES);
    }
    ck_assert_uint_eq(len, TOTAL); /* every byte can be shown */
}
END_TEST

/* A progress bar that overwrites itself is one line, with its last contents. */
START_TEST(test_line_that_writes_over_itself_stays_one)
{
    struct str bar = {0};
    for (int i = 0; i <= 1000; i++)
        str_addf(&bar, "\r%4d of 1000 [###############]", i);
    str_add(&bar, "\ndone\n");
    add(LOG_STREAM_ERR, 10, bar.data);
    str_done(&bar);
    begin();
    check("1000 of 1000 [###############]|done|");
}
END_TEST

START_TEST(test_no_attempt_has_no_lines)
{
    const struct log_output_key none = {.run = 1};
    log_pager_begin(&pager, &none);
    news(0);
    ck_assert(log_pager_is_done(&pager));
    ck_assert_uint_eq(log_pager_count(&pager), 0);
    ck_assert_ptr_null(log_pager_line(&pager, 0));
}
END_TEST

static void set_up(void)
{
    log_pager_init(&pager);
}

static void tear_down(void)
{
    log_pager_done(&pager);
    while (row_count > 0)
        drop_last_row();
    free(rows);
    rows = NULL;
    row_cap = 0;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_pager");
    TCase *tcase = test_case(suite, "log pager");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_lines_of_all_streams);
    tcase_add_test(tcase, test_more_comes);
    tcase_add_test(tcase, test_words_around_it);
    tcase_add_test(tcase, test_any_place_is_found_again);
    tcase_add_test(tcase, test_memory_and_turns_are_bounded);
    tcase_add_test(tcase, test_live_tail_makes_way);
    tcase_add_test(tcase, test_live_tail_is_kept_until_the_news);
    tcase_add_test(tcase, test_top_is_found_again);
    tcase_add_test(tcase, test_nothing_later_than_the_moment);
    tcase_add_test(tcase, test_words_of_an_agent_come_instead);
    tcase_add_test(tcase, test_search);
    tcase_add_test(tcase, test_search_goes_on_with_the_output);
    tcase_add_test(tcase, test_only_matches_of_much_output);
    tcase_add_test(tcase, test_errors_and_the_rule);
    tcase_add_test(tcase, test_hostile_bytes_do_not_get_through);
    tcase_add_test(tcase, test_endless_line_is_broken_up);
    tcase_add_test(tcase, test_line_that_writes_over_itself_stays_one);
    tcase_add_test(tcase, test_no_attempt_has_no_lines);
    return suite;
}
