#include "test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db.h"
#include "follower.h"
#include "log_reader.h"
#include "log_sample.h"
#include "other_program.h"
#include "xalloc.h"

static struct sample sample;
static struct log_reader *reader;

static void setup(void)
{
    struct place place = sample_place();
    struct err err = {0};
    sample_open(&sample, &place, 10);
    ck_assert_msg(log_reader_open(&reader, &place, &err), "%s", err.message);
}

static void teardown(void)
{
    log_reader_close(reader);
    sample_done(&sample);
}

static void commit(const struct log_batch *batch)
{
    struct err err = {0};
    ck_assert_msg(log_writer_commit(sample.writer, batch, LOG_SYNC_FULL, &err), "%s", err.message);
}

/* One number from the file, through a connection of the test's own. */
static int64_t number(const char *sql)
{
    struct db db;
    struct err err = {0};
    int64_t out = -1;
    ck_assert_msg(other_program_open(&db, sample.place.db, DB_READ, &err), "%s", err.message);
    ck_assert_msg(db_number(&db, sql, &out, &err), "%s", err.message);
    db_done(&db);
    return out;
}

static void assert_same_event(const struct event *got, const struct event *want)
{
    ck_assert_int_eq(got->seq, want->seq);
    ck_assert_int_eq(got->at.at_ms, want->at.at_ms);
    ck_assert_int_eq(got->at.mono_ms, want->at.mono_ms);
    ck_assert_uint_eq(got->kind, want->kind);
    ck_assert_int_eq(got->task, want->task);
    ck_assert_int_eq(got->step, want->step);
    ck_assert_int_eq(got->round, want->round);
    ck_assert_int_eq(got->grant, want->grant);
    ck_assert_int_eq(got->attempt, want->attempt);
    const int64_t have[] = {got->a, got->b, got->c, got->d, got->e};
    const int64_t wish[] = {want->a, want->b, want->c, want->d, want->e};
    for (size_t i = 0; i < ARRAY_LEN(have); i++)
        ck_assert_int_eq(have[i], wish[i]);
    ck_assert_pstr_eq(got->text, want->text);
}

START_TEST(test_events_come_back_as_they_were)
{
    static const struct event events[] = {
        {.seq = 1, .at = {5, 6}, .kind = EVENT_NOTE, .task = -1, .step = -1},
        {.seq = 2,
         .at = {INT64_C(1) << 53, 0},
         .kind = EVENT_NOTE,
         .task = 9,
         .step = 0,
         .round = 1,
         .grant = 2,
         .attempt = 3,
         .a = INT64_MAX,
         .b = INT64_MIN,
         .c = -1,
         .d = 1,
         .e = 5,
         .text = "{\"note\":\"\\u00e4 '\\\"\"}"},
        {.seq = 3, .kind = (enum event_kind)4711, .task = 0, .step = 0, .a = 1, .text = "{}"},
    };
    commit(&(struct log_batch){.events = events, .event_count = ARRAY_LEN(events)});
    struct event_page page = {0};
    struct err err = {0};
    ck_assert_msg(log_reader_events(reader, sample.number, 0, &page, &err), "%s", err.message);
    ck_assert_uint_eq(page.count, ARRAY_LEN(events));
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        assert_same_event(&page.events[i], &events[i]);

    ck_assert(log_reader_events(reader, sample.number, 2, &page, &err));
    ck_assert_uint_eq(page.count, 1);
    assert_same_event(&page.events[0], &events[2]);
    ck_assert(log_reader_events(reader, sample.number + 1, 0, &page, &err));
    ck_assert_uint_eq(page.count, 0);
    event_page_done(&page);
}
END_TEST

START_TEST(test_text_up_to_the_limit_is_kept)
{
    char *text = xcalloc(EVENT_TEXT_MAX + 1, 1);
    memset(text, ' ', EVENT_TEXT_MAX);
    text[0] = '{';
    text[1] = '}';
    struct event *events = sample_notes(1, 1);
    events[0].text = text;
    commit(&(struct log_batch){.events = events, .event_count = 1});
    struct event_page page = {0};
    ck_assert(log_reader_events(reader, sample.number, 0, &page, NULL));
    ck_assert_uint_eq(page.count, 1);
    ck_assert_uint_eq(strlen(page.events[0].text), EVENT_TEXT_MAX);
    event_page_done(&page);
    free(events);
    free(text);
}
END_TEST

START_TEST(test_events_are_read_page_by_page)
{
    enum { COUNT = 2 * LOG_PAGE_EVENTS + 100 };
    struct event *events = sample_notes(1, COUNT);
    commit(&(struct log_batch){.events = events, .event_count = COUNT});
    struct event_page page = {0};
    int64_t after = 0;
    static const size_t want[] = {LOG_PAGE_EVENTS, LOG_PAGE_EVENTS, 100, 0};
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        ck_assert(log_reader_events(reader, sample.number, after, &page, NULL));
        ck_assert_uint_eq(page.count, want[i]);
        for (size_t at = 0; at < page.count; at++) {
            ck_assert_int_eq(page.events[at].seq, after + 1 + (int64_t)at);
            ck_assert_str_eq(page.events[at].text, "{\"note\":\"hello\"}");
        }
        after += (int64_t)page.count;
    }
    /* More than a transaction's worth: it was split, and nothing was lost. */
    ck_assert_int_eq(number("SELECT last_seq FROM run"), COUNT);
    event_page_done(&page);
    free(events);
}
END_TEST

START_TEST(test_the_same_batch_again_changes_nothing)
{
    struct event *events = sample_notes(1, 5);
    struct log_output output = {
        .task = 1, .attempt = 1, .stream = 1, .bytes = "abc", .len = 3, .at = {1, 1}};
    struct log_batch batch = {
        .events = events, .event_count = 3, .outputs = &output, .output_count = 1};
    commit(&batch);
    batch.event_count = 5;
    commit(&batch);
    ck_assert_int_eq(number("SELECT count(*) FROM event"), 5);
    ck_assert_int_eq(number("SELECT count(*) FROM output"), 1);
    free(events);
}
END_TEST

START_TEST(test_what_happened_cannot_be_changed)
{
    static const char *const sql[] = {
        "UPDATE event SET a=1 WHERE seq=1",
        "DELETE FROM event WHERE seq=1",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event(run, seq, at_ms, mono_ms, kind) VALUES(1,1,0,0,1)",
        "UPDATE event SET run=99",
    };
    sample_start(&sample);
    int64_t before = number("SELECT count(*) FROM event");
    struct db db;
    struct err err = {0};
    ck_assert(other_program_open(&db, sample.place.db, DB_WRITE, &err));
    ck_assert(!db_exec(&db, sql[_i], &err));
    ck_assert_ptr_nonnull(strstr(err.message, "append-only"));
    db_done(&db);
    ck_assert_int_eq(number("SELECT count(*) FROM event"), before);
    ck_assert_int_eq(number("SELECT count(*) FROM event WHERE a=1 AND seq=1"), 0);
}
END_TEST

START_TEST(test_an_expired_run_may_go)
{
    sample_start(&sample);
    struct db db;
    struct err err = {0};
    ck_assert(other_program_open(&db, sample.place.db, DB_WRITE, &err));
    ck_assert_msg(db_exec(&db, "UPDATE run SET expired=1; DELETE FROM event", &err), "%s",
                  err.message);
    db_done(&db);
    ck_assert_int_eq(number("SELECT count(*) FROM event"), 0);
    struct log_run_info info;
    ck_assert(!log_reader_run(reader, 0, &info, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_files_are_private)
{
    static const char *const names[] = {"", "-wal", "-shm", "-gate", "-write", "-bell"};
    char path[PATH_MAX + 8];
    struct stat info;
    (void)snprintf(path, sizeof(path), "%s%s", sample.place.db, names[_i]);
    ck_assert_msg(stat(path, &info) == 0, "%s", path);
    ck_assert_msg((info.st_mode & 07777) == 0600, "%s: %o", path, (unsigned)info.st_mode);
}
END_TEST

START_TEST(test_the_file_says_what_it_is)
{
    ck_assert_int_eq(number("PRAGMA application_id"), SCHEMA_APPLICATION);
    ck_assert_int_eq(number("PRAGMA user_version"), SCHEMA_VERSION);
    ck_assert_int_eq(number("PRAGMA auto_vacuum"), 2);
    ck_assert_int_eq(number("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode='wal'"),
                     1);
}
END_TEST

START_TEST(test_the_run_comes_back)
{
    struct log_run_info info;
    struct err err = {0};
    ck_assert_msg(log_reader_run(reader, 0, &info, &err), "%s", err.message);
    ck_assert_int_eq(info.number, sample.number);
    ck_assert_str_eq(info.uid, log_writer_uid(sample.writer));
    ck_assert_uint_eq(strlen(info.uid), 32);
    ck_assert_str_eq(info.name, "sample");
    ck_assert_str_eq(info.kind, "plan");
    ck_assert_str_eq(info.dir, "/");
    ck_assert_str_eq(info.command, "devs run sample.json");
    ck_assert_str_eq(info.rules_hash, "abc");
    ck_assert_str_eq(info.plan_text, sample.plan_text.data);
    ck_assert(info.seed == UINT64_MAX - 6);
    ck_assert_int_eq(info.jobs, 3);
    ck_assert_int_eq(info.tasks, 10);
    ck_assert_int_gt(info.pid, 1);
    ck_assert_int_eq(info.ended_at_ms, 0);
    ck_assert(info.owner_alive);
    log_run_info_done(&info);
    ck_assert(!log_reader_run(reader, 99, &info, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_the_summary_is_the_fold)
{
    sample_start(&sample);
    sample_drive(&sample);
    ck_assert(sample.state.ended);
    struct log_run_info info;
    ck_assert(log_reader_run(reader, sample.number, &info, NULL));
    ck_assert_int_eq(info.ended_at_ms, sample.state.ended_at.at_ms);
    ck_assert_int_eq(info.exit_code, sample.state.exit_code);
    ck_assert_int_eq(info.exit_code, 1);
    ck_assert_int_eq(info.last_seq, sample.state.last_seq);
    ck_assert_int_eq(info.last_at_ms, sample.state.last.at_ms);
    ck_assert_int_eq(info.attempts, sample.state.attempts);
    ck_assert_int_eq(info.passed, sample.state.counts[TASK_PASSED]);
    ck_assert_int_eq(info.passed + info.failed + info.cancelled, 10);
    ck_assert_int_eq(info.failed, 2);
    ck_assert_int_gt(info.waited_ms, 0);
    ck_assert(!info.owner_alive);
    log_run_info_done(&info);
}
END_TEST

START_TEST(test_runs_are_listed_newest_first)
{
    struct place place = sample.place;
    for (int i = 0; i < 4; i++) {
        struct sample other;
        sample_open(&other, &place, 1);
        ck_assert_int_eq(other.number, sample.number + 1 + i);
        sample_done(&other);
    }
    struct log_run_info runs[3];
    size_t count = 0;
    static const int64_t want[2][3] = {{5, 4, 3}, {2, 1, 0}};
    int64_t before = 0;
    for (size_t page = 0; page < 2; page++) {
        ck_assert(log_reader_runs(reader, before, runs, 3, &count, NULL));
        ck_assert_uint_eq(count, page == 0 ? 3 : 2);
        for (size_t i = 0; i < count; i++) {
            ck_assert_int_eq(runs[i].number, want[page][i]);
            ck_assert_ptr_null(runs[i].plan_text);
            ck_assert(runs[i].owner_alive == (runs[i].number == sample.number));
            before = runs[i].number;
            log_run_info_done(&runs[i]);
        }
    }
    ck_assert(log_reader_runs(reader, before, runs, 3, &count, NULL));
    ck_assert_uint_eq(count, 0);
}
END_TEST

static void put_output(enum log_output_part part, int index, int64_t offset, const char *text)
{
    struct log_output output = {.task = 2,
                                .step = 0,
                                .attempt = 1,
                                .stream = 1,
                                .part = part,
                                .index = index,
                                .offset = offset,
                                .at = {1000 + offset, 1},
                                .bytes = text,
                                .len = strlen(text)};
    commit(&(struct log_batch){.outputs = &output, .output_count = 1});
}

static void assert_output(int64_t after, const char *want_text, size_t want_rows)
{
    struct log_output_key key = {.run = sample.number, .task = 2, .step = 0, .attempt = 1};
    struct output_page page = {0};
    struct err err = {0};
    ck_assert_msg(log_reader_output(reader, &key, after, &page, &err), "%s", err.message);
    ck_assert_str_eq(str_text(&page.text), want_text);
    ck_assert_uint_eq(page.count, want_rows);
    for (size_t i = 1; i < page.count; i++)
        ck_assert_int_gt(page.rows[i].id, page.rows[i - 1].id);
    output_page_done(&page);
}

static int64_t last_output_id(bool *replaceable)
{
    struct log_output_key key = {.run = sample.number, .task = 2, .step = 0, .attempt = 1};
    struct output_page page = {0};
    ck_assert(log_reader_output(reader, &key, 0, &page, NULL));
    ck_assert_uint_gt(page.count, 0);
    int64_t id = page.rows[page.count - 1].id;
    *replaceable = page.rows[page.count - 1].replaceable;
    output_page_done(&page);
    return id;
}

/* One row of a stream of task 2. */
static void put_stream(int stream, const char *text)
{
    struct log_output output = {.task = 2,
                                .attempt = 1,
                                .stream = stream,
                                .at = {1000, 1},
                                .bytes = text,
                                .len = strlen(text)};
    commit(&(struct log_batch){.outputs = &output, .output_count = 1});
}

static void assert_chosen(bool readable, const char *all, const char *tail)
{
    struct log_output_key key = {
        .run = sample.number, .task = 2, .attempt = 1, .readable = readable};
    struct output_page page = {0};
    ck_assert(log_reader_output(reader, &key, 0, &page, NULL));
    ck_assert_str_eq(str_text(&page.text), all);
    ck_assert(log_reader_output_tail(reader, &key, 5, &page, NULL));
    ck_assert_str_eq(str_text(&page.text), tail);
    output_page_done(&page);
}

/* As many rows as make up the bytes that are asked for, one at least; they follow each other. */
START_TEST(test_output_is_read_by_pieces)
{
    const struct log_output_key key = {.run = sample.number, .task = 2, .attempt = 1};
    struct output_page page = {0};
    struct str all = {0};
    int64_t after = 0;
    int pieces = 0;
    for (int i = 0; i < 10; i++)
        put_output(LOG_OUTPUT_HEAD, i, 10 * (int64_t)i, "ten bytes\n");
    do {
        ck_assert(log_reader_output_piece(reader, &key, after, 25, &page, NULL));
        ck_assert_uint_le(page.count, 3);
        str_add(&all, str_text(&page.text));
        after = page.count > 0 ? page.rows[page.count - 1].id : after;
        pieces += page.count > 0;
    } while (page.count > 0);
    ck_assert_int_eq(pieces, 4);
    ck_assert_uint_eq(all.len, 100);
    ck_assert(log_reader_output_piece(reader, &key, 0, 1, &page, NULL));
    ck_assert_uint_eq(page.count, 1);
    str_done(&all);
    output_page_done(&page);
}
END_TEST

START_TEST(test_output_of_an_agent_is_its_words_or_as_it_came)
{
    put_stream(LOG_STREAM_OUT, "{\"type\":1}");
    put_stream(LOG_STREAM_ERR, "warn ");
    assert_chosen(true, "{\"type\":1}warn ", "warn ");
    put_stream(LOG_STREAM_AGENT, "reads a file");
    assert_chosen(true, "warn reads a file", "reads a file");
    assert_chosen(false, "{\"type\":1}warn ", "warn ");
}
END_TEST

START_TEST(test_output_head_tail_and_rest)
{
    bool replaceable = true;
    put_output(LOG_OUTPUT_HEAD, 0, 0, "head");
    put_output(LOG_OUTPUT_HEAD, 1, 4, "-more");
    assert_output(0, "head-more", 2);
    int64_t head = last_output_id(&replaceable);
    ck_assert(!replaceable);

    put_output(LOG_OUTPUT_TAIL, 0, 100, "tail1");
    int64_t first_tail = last_output_id(&replaceable);
    ck_assert(replaceable);
    put_output(LOG_OUTPUT_TAIL, 1, 200, "tail2");
    assert_output(0, "head-moretail2", 3);
    assert_output(head, "tail2", 1);
    assert_output(first_tail, "tail2", 1); /* who has read the old one gets the new one */

    int64_t second_tail = last_output_id(&replaceable);
    put_output(LOG_OUTPUT_REST, 0, 100, "rest1");
    put_output(LOG_OUTPUT_REST, 1, 105, "rest2");
    assert_output(0, "head-morerest1rest2", 4);
    assert_output(second_tail, "rest1rest2", 2);
}
END_TEST

START_TEST(test_output_of_two_streams_by_time)
{
    struct log_output outputs[4];
    for (int i = 0; i < 4; i++)
        outputs[i] = (struct log_output){.task = 2,
                                         .attempt = 1,
                                         .stream = 1 + i % 2,
                                         .index = i / 2,
                                         .offset = i / 2,
                                         .bytes = &"abcd"[i],
                                         .len = 1};
    commit(&(struct log_batch){.outputs = outputs, .output_count = 4});
    assert_output(0, "abcd", 4);
}
END_TEST

/* So many pieces of 64 KiB, each filled with a letter of its own. */
static void put_pieces(int count)
{
    enum { PIECE = 64 * 1024 };
    char *bytes = xcalloc(1, (size_t)count * PIECE);
    struct log_output *outputs = xcalloc((size_t)count, sizeof(*outputs));
    for (int i = 0; i < count; i++) {
        memset(bytes + (size_t)i * PIECE, 'a' + i, PIECE);
        outputs[i] = (struct log_output){.task = 2,
                                         .attempt = 1,
                                         .stream = 1,
                                         .index = i,
                                         .offset = (int64_t)i * PIECE,
                                         .bytes = bytes + (size_t)i * PIECE,
                                         .len = PIECE};
    }
    commit(&(struct log_batch){.outputs = outputs, .output_count = (size_t)count});
    free(outputs);
    free(bytes);
}

START_TEST(test_output_is_read_page_by_page)
{
    put_pieces(20);
    struct log_output_key key = {.run = sample.number, .task = 2, .step = 0, .attempt = 1};
    struct output_page page = {0};
    ck_assert(log_reader_output(reader, &key, 0, &page, NULL));
    ck_assert_uint_eq(page.count, 16);
    ck_assert_uint_eq(page.text.len, LOG_PAGE_BYTES);
    ck_assert(log_reader_output(reader, &key, page.rows[15].id, &page, NULL));
    ck_assert_uint_eq(page.count, 4);
    ck_assert_int_eq(page.text.data[page.rows[3].start], 'a' + 19);

    ck_assert(log_reader_output_tail(reader, &key, (size_t)100 * 1024, &page, NULL));
    ck_assert_uint_eq(page.count, 2);
    ck_assert_int_eq(page.text.data[0], 'a' + 18);
    key.attempt = 2;
    ck_assert(log_reader_output_tail(reader, &key, (size_t)100 * 1024, &page, NULL));
    ck_assert_uint_eq(page.count, 0);
    output_page_done(&page);
}
END_TEST

START_TEST(test_bytes_are_bytes)
{
    static const char bytes[] = "a\0b\xff\n";
    struct log_output output = {
        .task = 2, .attempt = 1, .stream = 2, .bytes = bytes, .len = sizeof(bytes)};
    struct log_output empty = {.task = 2, .attempt = 1, .stream = 1};
    struct log_output outputs[] = {output, empty};
    commit(&(struct log_batch){.outputs = outputs, .output_count = 2});
    struct log_output_key key = {.run = sample.number, .task = 2, .step = 0, .attempt = 1};
    struct output_page page = {0};
    ck_assert(log_reader_output(reader, &key, 0, &page, NULL));
    ck_assert_uint_eq(page.count, 2);
    ck_assert_uint_eq(page.rows[0].len, sizeof(bytes));
    ck_assert_mem_eq(page.text.data, bytes, sizeof(bytes));
    ck_assert_uint_eq(page.rows[1].len, 0);
    output_page_done(&page);
}
END_TEST

START_TEST(test_captures)
{
    static const struct log_capture captures[] = {
        {.task = 2, .attempt = 1, .json = "{\"n\":1}"},
        {.task = 2, .attempt = 2, .json = "{\"n\":2}"},
        {.task = 2, .attempt = 1, .json = "{\"n\":3}"},
    };
    static const struct {
        int attempt;
        const char *want;
    } cases[] = {{1, "{\"n\":3}"}, {2, "{\"n\":2}"}, {0, "{\"n\":2}"}, {3, ""}};
    commit(&(struct log_batch){.captures = captures, .capture_count = 3});
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct log_output_key key = {.run = sample.number, .task = 2, .attempt = cases[i].attempt};
        struct str text = {0};
        ck_assert(log_reader_capture(reader, &key, &text, NULL));
        ck_assert_str_eq(str_text(&text), cases[i].want);
        str_done(&text);
    }
}
END_TEST

START_TEST(test_parts_of_a_capture_are_told_apart)
{
    static const struct log_capture captures[] = {
        {.task = 2, .attempt = 1, .json = "{\"v\":1,\"part\":1,\"n\":1}"},
        {.task = 2, .attempt = 1, .json = "{\"v\":1,\"part\":2,\"n\":2}"},
        {.task = 2, .attempt = 2, .json = "{\"v\":1,\"n\":3}"},
    };
    commit(&(struct log_batch){.captures = captures, .capture_count = 3});
    struct log_output_key key = {.run = sample.number, .task = 2, .step = 0, .attempt = 1};
    struct str text = {0};
    ck_assert(log_reader_capture(reader, &key, &text, NULL));
    ck_assert_str_eq(str_text(&text), captures[0].json);
    str_clear(&text);
    ck_assert(log_reader_changes(reader, &key, &text, NULL));
    ck_assert_str_eq(str_text(&text), captures[1].json);
    str_clear(&text);
    key.attempt = 2;
    ck_assert(log_reader_changes(reader, &key, &text, NULL));
    ck_assert_str_eq(str_text(&text), "");
    ck_assert(log_reader_capture(reader, &key, &text, NULL));
    ck_assert_str_eq(str_text(&text), captures[2].json);
    str_done(&text);
}
END_TEST

START_TEST(test_events_of_one_attempt)
{
    struct event *events = sample_notes(1, 6);
    for (int i = 1; i < 5; i++) {
        events[i].task = 9;
        events[i].step = i == 4 ? 1 : 0;
        events[i].attempt = 2;
    }
    events[2].kind = EVENT_AGENT_CALL;
    commit(&(struct log_batch){.events = events, .event_count = 6});
    struct log_output_key key = {.run = sample.number, .task = 9, .step = 0, .attempt = 2};
    struct event_page page = {0};
    ck_assert(log_reader_attempt_events(reader, &key, &page, NULL));
    ck_assert_uint_eq(page.count, 2);
    ck_assert_int_eq(page.events[0].seq, 2);
    ck_assert_int_eq(page.events[1].seq, 4); /* not what its agent called between the two */
    ck_assert_str_eq(page.events[1].text, "{\"note\":\"hello\"}");
    event_page_done(&page);
    free(events);
}
END_TEST

static void run_sql(const char *sql)
{
    struct db db;
    struct err err = {0};
    ck_assert(other_program_open(&db, sample.place.db, DB_WRITE, &err));
    ck_assert_msg(db_exec(&db, sql, &err), "%s", err.message);
    db_done(&db);
}

START_TEST(test_controls_of_other_programs)
{
    static const struct {
        const char *values; /* verb, task, step, attempt, args, by */
        bool taken;
        enum cancel_mode mode;
        int step;
    } cases[] = {
        {"1, 2, 3, 1, '{\"mode\":\"kill\"}', 'ann'", true, CANCEL_KILL, 3},
        {"3, NULL, NULL, NULL, NULL, 'ann'", true, CANCEL_STOP, -1},
        {"1, 2, 0, NULL, '{}', ''", true, CANCEL_STOP, 0},
        {"99, 2, 0, 1, NULL, 'ann'", false, CANCEL_STOP, 0},
        {"1, 2, 0, 1, 'no json', 'ann'", false, CANCEL_STOP, 0},
        {"1, 2, 0, 1, '{\"mode\":\"softly\"}', 'ann'", false, CANCEL_STOP, 0},
        {"2, -7, 0, 1, NULL, 'ann'", false, CANCEL_STOP, 0},
        {"2, 4294967298, 0, 1, NULL, 'ann'", false, CANCEL_STOP, 0},
        {"2, 1, 4294967296, 1, NULL, 'ann'", false, CANCEL_STOP, 0},
        {"2, 1, -2, 1, NULL, 'ann'", false, CANCEL_STOP, 0},
    };
    char sql[400];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO control(run, verb, task, step, attempt, args, by, asked_at_ms)"
                   " VALUES(1, %s, 5)",
                   cases[_i].values);
    run_sql(sql);
    struct control controls[4];
    size_t count = 99;
    struct err err = {0};
    ck_assert_msg(log_writer_controls(sample.writer, controls, 4, &count, &err), "%s", err.message);
    ck_assert_uint_eq(count, cases[_i].taken ? 1 : 0);
    if (cases[_i].taken) {
        ck_assert_int_eq((int)controls[0].mode, (int)cases[_i].mode);
        ck_assert_int_eq(controls[0].step, cases[_i].step);
    }
    ck_assert_int_eq(number("SELECT count(*) FROM control WHERE applied_at_ms IS NULL"),
                     cases[_i].taken ? 1 : 0);
}
END_TEST

/* Another program wrote into the file. */
START_TEST(test_events_that_cannot_be_are_refused)
{
    static const char *const values[] = {
        "4294967297, 0, 1, 1, 1", "-2, 0, 1, 1, 1",         "0, 2147483648, 1, 1, 1",
        "0, 0, -1, 1, 1",         "0, 0, 1, 4294967296, 1", "0, 0, 1, 1, -9223372036854775808",
    };
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step, round, grant_no,"
                   " attempt) VALUES(1, 1, 5, 5, 18, %s)",
                   values[_i]);
    run_sql(sql);
    struct event_page page = {0};
    struct err err = {0};
    ck_assert(!log_reader_events(reader, sample.number, 0, &page, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_uint_eq(page.count, 0);
    event_page_done(&page);
}
END_TEST

START_TEST(test_events_of_no_time_are_refused)
{
    static const char *const values[] = {"-1, 5",
                                         "5, -1",
                                         "9223372036854775807, 5",
                                         "5, 9223372036854775807",
                                         "-9223372036854775808, 5",
                                         "9007199254740993, 5"};
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, kind, task, step, at_ms, mono_ms)"
                   " VALUES(1, 1, 18, 0, 0, %s)",
                   values[_i]);
    run_sql(sql);
    struct event_page page = {0};
    struct err err = {0};
    ck_assert(!log_reader_events(reader, sample.number, 0, &page, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    event_page_done(&page);
}
END_TEST

START_TEST(test_events_of_no_task_are_refused)
{
    static const char *const values[] = {"10, 0", "0, 1"};
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, step)"
                   " VALUES(1, 1, 5, 5, 4711, %s)",
                   values[_i]);
    run_sql(sql);
    struct follower *follower = NULL;
    struct err err = {0};
    ck_assert_msg(follower_open(&follower, &sample.place, 1, &err), "%s", err.message);
    ck_assert(!follower_read(follower, 0, NULL, NULL, NULL, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    follower_close(follower);
}
END_TEST

START_TEST(test_output_that_cannot_be_is_refused)
{
    static const char *const values[] = {
        "0, 0", "4, 0", "-1, 0", "4294967297, 0", "1, -1", "1, 9223372036854775807",
    };
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO output(run, task, step, attempt, part, idx, at_ms, bytes, stream,"
                   " offset) VALUES(1, 2, 0, 1, 0, 0, 5, 'abc', %s)",
                   values[_i]);
    run_sql(sql);
    struct log_output_key key = {.run = sample.number, .task = 2, .step = 0, .attempt = 1};
    struct output_page page = {0};
    struct err err = {0};
    ck_assert(!log_reader_output(reader, &key, 0, &page, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_uint_eq(page.count, 0);
    output_page_done(&page);
}
END_TEST

START_TEST(test_runs_that_cannot_be_are_refused)
{
    static const char *const sql[] = {
        "UPDATE run SET jobs=4294967297",
        "UPDATE run SET jobs=-1",
        "UPDATE run SET tasks=-1",
        "UPDATE run SET tasks=4294967297",
        "UPDATE run SET exit_code=4294967296",
    };
    run_sql(sql[_i]);
    struct log_run_info info;
    size_t count = 0;
    struct err err = {0};
    ck_assert(!log_reader_run(reader, 0, &info, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    err = (struct err){0};
    ck_assert(!log_reader_runs(reader, 0, &info, 1, &count, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
}
END_TEST

START_TEST(test_an_answer_closes_its_control)
{
    run_sql("INSERT INTO control(run, verb, task, by, asked_at_ms) VALUES(1, 3, 2, 'ann', 5)");
    sample_start(&sample);
    struct control control;
    size_t count = 0;
    ck_assert(log_writer_controls(sample.writer, &control, 1, &count, NULL));
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(control.task, 2);
    ck_assert_str_eq(control.by, "ann");

    bool answered = true;
    bool done = true;
    struct str answer = {0};
    ck_assert(log_reader_answer(reader, control.id, &answered, &done, &answer, NULL));
    ck_assert(!answered && !done);

    sample_control(&sample, control);
    ck_assert(log_reader_answer(reader, control.id, &answered, &done, &answer, NULL));
    ck_assert(answered);
    ck_assert_ptr_nonnull(str_text(&answer));
    ck_assert_int_gt((int)answer.len, 0);
    ck_assert(log_writer_controls(sample.writer, &control, 1, &count, NULL));
    ck_assert_uint_eq(count, 0);
    struct err err = {0};
    ck_assert(!log_reader_answer(reader, 77, &answered, &done, &answer, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    str_done(&answer);
}
END_TEST

START_TEST(test_what_is_open_at_the_end_is_refused)
{
    run_sql("INSERT INTO control(run, verb, task, by, asked_at_ms) VALUES(1, 3, 2, 'ann', 5)");
    log_writer_close(sample.writer);
    sample.writer = NULL;
    ck_assert_int_eq(number("SELECT count(*) FROM control WHERE done=0 AND answer<>''"), 1);
}
END_TEST

START_TEST(test_the_views_answer)
{
    sample_start(&sample);
    sample_drive(&sample);
    put_output(LOG_OUTPUT_HEAD, 0, 0, "hello");
    run_sql("INSERT INTO control(run, verb, task, by, asked_at_ms) VALUES(1, 3, 2, 'ann', 5)");
    static const struct log_capture capture = {.task = 2, .attempt = 1, .json = "{}"};
    commit(&(struct log_batch){.captures = &capture, .capture_count = 1});
    static const struct {
        const char *sql;
        int64_t want;
    } cases[] = {
        {"SELECT count(*) FROM runs WHERE run=1 AND name='sample' AND ended LIKE '1970-01-20T%Z'",
         1},
        {"SELECT count(*) FROM tasks WHERE status='gave-up' AND id IN ('t4', 't9')", 2},
        {"SELECT count(*) FROM tasks WHERE status='passed'", 8},
        {"SELECT count(*) FROM attempts WHERE id='t4' AND class='persistent'"
         " AND reason='test-fail' AND outcome='exit' AND code=1",
         3},
        {"SELECT count(*) FROM events WHERE kind='step_ended' AND task='t4'", 1},
        {"SELECT count(*) FROM events WHERE kind LIKE '?%'", 0},
        {"SELECT count(*) FROM outputs WHERE text='hello' AND stream='stdout' AND task='t2'", 1},
        {"SELECT count(*) FROM controls WHERE verb='hold' AND task='t2' AND by='ann'", 1},
        {"SELECT count(*) FROM captures WHERE task='t2'", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        ck_assert_msg(number(cases[i].sql) == cases[i].want, "%s", cases[i].sql);
}
END_TEST

static void make_db(const struct place *place, const char *sql)
{
    FILE *file = fopen(place->db, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    struct db db;
    struct err err = {0};
    ck_assert_msg(other_program_open(&db, place->db, DB_WRITE, &err), "%s", err.message);
    ck_assert_msg(db_exec(&db, sql, &err), "%s", err.message);
    db_done(&db);
}

START_TEST(test_other_files_are_refused)
{
    static const struct {
        const char *sql;
        const char *word;
    } cases[] = {
        {"CREATE TABLE x(y)", "not a devs log"},
        {"PRAGMA application_id=0x64657673; PRAGMA user_version=99; CREATE TABLE x(y)", "newer"},
        {"PRAGMA application_id=5; PRAGMA user_version=1; CREATE TABLE run(id)", "not a devs log"},
    };
    struct place place = sample_place();
    make_db(&place, cases[_i].sql);
    struct log_reader *other = NULL;
    struct log_writer *writer = NULL;
    struct err err = {0};
    ck_assert(!log_reader_open(&other, &place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_msg(strstr(err.message, cases[_i].word) != NULL, "%s", err.message);
    err = (struct err){0};
    ck_assert(!log_writer_open(&writer, &place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_ptr_null(writer);
}
END_TEST

START_TEST(test_garbage_is_refused)
{
    struct place place = sample_place();
    FILE *file = fopen(place.db, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 5000; i++)
        fprintf(file, "no database\n");
    fclose(file);
    struct log_reader *other = NULL;
    struct log_writer *writer = NULL;
    struct err err = {0};
    ck_assert(!log_reader_open(&other, &place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    err = (struct err){0};
    ck_assert(!log_writer_open(&writer, &place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
}
END_TEST

START_TEST(test_no_file_and_an_empty_one)
{
    struct place place = sample_place();
    struct log_reader *other = NULL;
    struct err err = {0};
    ck_assert(!log_reader_open(&other, &place, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    struct stat info;
    ck_assert_int_ne(stat(place.db, &info), 0);

    FILE *file = fopen(place.db, "w");
    fclose(file);
    err = (struct err){0};
    ck_assert(!log_reader_open(&other, &place, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    struct sample new_one;
    sample_open(&new_one, &place, 1); /* an empty file becomes a log */
    sample_done(&new_one);
}
END_TEST

START_TEST(test_a_writer_leaves_one_file)
{
    struct place place = sample_place();
    struct sample other;
    sample_open(&other, &place, 1);
    sample_start(&other);
    sample_done(&other);
    char path[PATH_MAX + 8];
    struct stat info;
    (void)snprintf(path, sizeof(path), "%s-wal", place.db);
    ck_assert_int_ne(stat(path, &info), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *events = test_case(suite, "events");
    tcase_add_checked_fixture(events, setup, teardown);
    tcase_add_test(events, test_events_come_back_as_they_were);
    tcase_add_test(events, test_text_up_to_the_limit_is_kept);
    tcase_add_test(events, test_events_are_read_page_by_page);
    tcase_add_test(events, test_the_same_batch_again_changes_nothing);
    tcase_add_loop_test(events, test_what_happened_cannot_be_changed, 0, 5);
    tcase_add_test(events, test_an_expired_run_may_go);
    TCase *file = test_case(suite, "file");
    tcase_add_checked_fixture(file, setup, teardown);
    tcase_add_loop_test(file, test_files_are_private, 0, 6);
    tcase_add_test(file, test_the_file_says_what_it_is);
    tcase_add_test(file, test_the_views_answer);
    TCase *runs = test_case(suite, "runs");
    tcase_add_checked_fixture(runs, setup, teardown);
    tcase_add_test(runs, test_the_run_comes_back);
    tcase_add_test(runs, test_the_summary_is_the_fold);
    tcase_add_test(runs, test_runs_are_listed_newest_first);
    TCase *output = test_case(suite, "output");
    tcase_add_checked_fixture(output, setup, teardown);
    tcase_add_test(output, test_output_is_read_by_pieces);
    tcase_add_test(output, test_output_head_tail_and_rest);
    tcase_add_test(output, test_output_of_an_agent_is_its_words_or_as_it_came);
    tcase_add_test(output, test_output_of_two_streams_by_time);
    tcase_add_test(output, test_output_is_read_page_by_page);
    tcase_add_test(output, test_bytes_are_bytes);
    tcase_add_test(output, test_captures);
    tcase_add_test(output, test_parts_of_a_capture_are_told_apart);
    tcase_add_test(output, test_events_of_one_attempt);
    TCase *controls = test_case(suite, "controls");
    tcase_add_checked_fixture(controls, setup, teardown);
    tcase_add_loop_test(controls, test_controls_of_other_programs, 0, 10);
    tcase_add_test(controls, test_an_answer_closes_its_control);
    tcase_add_test(controls, test_what_is_open_at_the_end_is_refused);
    TCase *hostile = test_case(suite, "hostile");
    tcase_add_checked_fixture(hostile, setup, teardown);
    tcase_add_loop_test(hostile, test_events_that_cannot_be_are_refused, 0, 6);
    tcase_add_loop_test(hostile, test_events_of_no_time_are_refused, 0, 6);
    tcase_add_loop_test(hostile, test_events_of_no_task_are_refused, 0, 2);
    tcase_add_loop_test(hostile, test_output_that_cannot_be_is_refused, 0, 6);
    tcase_add_loop_test(hostile, test_runs_that_cannot_be_are_refused, 0, 5);
    TCase *others = test_case(suite, "others");
    tcase_add_loop_test(others, test_other_files_are_refused, 0, 3);
    tcase_add_test(others, test_garbage_is_refused);
    tcase_add_test(others, test_no_file_and_an_empty_one);
    tcase_add_test(others, test_a_writer_leaves_one_file);
    return suite;
}
