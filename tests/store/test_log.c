#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "log_own.h"
#include "log_reader.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"
#include "xalloc.h"

static struct sample sample;
static struct log_reader *reader;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 10);
    reader = log_reader_of(&place);
}

static void teardown(void)
{
    log_reader_close(reader);
    sample_done(&sample);
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
    ck_assert(!got->is_damaged);
    char *have = event_object(got);
    char *wish = event_object(want);
    ck_assert_str_eq(have, wish);
    free(have);
    free(wish);
}

START_TEST(test_events_come_back_as_they_were)
{
    static const struct event events[] = {
        {.seq = 1, .at = {5, 6}, .kind = EVENT_NOTE, .task = -1, .step = -1},
        {.seq = 2,
         .at = {INT64_C(1) << 53, 0},
         .kind = EVENT_ATTEMPT_RUNNING,
         .task = 9,
         .step = 0,
         .round = 1,
         .grant = 2,
         .attempt = 3,
         .running = {.pid = INT64_MAX, .pid_start = INT64_MIN}},
        {.seq = 3, .kind = EVENT_NOTE, .task = 0, .step = 0, .note = {.note = "\xc3\xa4 '\"\n"}},
    };
    log_commit(sample.writer,
               &(struct log_batch){.events = events, .event_count = ARRAY_LEN(events)});
    struct event_page page = {0};
    must(log_reader_events(reader, sample.number, 0, &page, &err));
    ck_assert_uint_eq(page.count, ARRAY_LEN(events));
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        assert_same_event(&page.events[i], &events[i]);

    must(log_reader_events(reader, sample.number, 2, &page, &err));
    ck_assert_uint_eq(page.count, 1);
    assert_same_event(&page.events[0], &events[2]);
    must(log_reader_events(reader, sample.number + 1, 0, &page, &err));
    ck_assert_uint_eq(page.count, 0);
    event_page_done(&page);
}
END_TEST

static void check_note_of(size_t len, size_t kept)
{
    char *text = xcalloc(len + 1, 1);
    memset(text, 'x', len);
    struct event *events = sample_notes(1, 1);
    events[0].note.note = text;
    event_limit(&events[0]);
    log_commit(sample.writer, &(struct log_batch){.events = events, .event_count = 1});
    struct event_page page = {0};
    ck_assert(log_reader_events(reader, sample.number, 0, &page, NULL));
    ck_assert_uint_eq(page.count, 1);
    ck_assert(!page.events[0].is_damaged);
    ck_assert_uint_eq(page.events[0].note.note ? strlen(page.events[0].note.note) : 0, kept);
    event_page_done(&page);
    free(events);
    free(text);
}

START_TEST(test_text_up_to_the_limit_is_kept)
{
    const size_t most = EVENT_DATA_MAX - strlen("{\"note\":\"\"}");
    check_note_of(most, most);
}
END_TEST

START_TEST(test_longer_text_is_left_out)
{
    check_note_of(EVENT_DATA_MAX, 0);
}
END_TEST

/* Anybody may have written a log. */
START_TEST(test_damaged_events_are_read_and_refused)
{
    static const char *const datas[] = {
        "{", "{}}", "[]", "{\"jobs\":\"two\"}", "{\"jobs\":-1}", "{\"jobs\":1e3}"};
    for (size_t i = 0; i < ARRAY_LEN(datas); i++) {
        char sql[256];
        struct event_page page = {0};
        struct run_state state;
        struct err why = {0};
        (void)snprintf(sql, sizeof(sql),
                       "INSERT INTO event(run, seq, at_ms, mono_ms, kind, data)"
                       " VALUES(%lld, %zu, 5, 6, 'run_started', '%s')",
                       (long long)sample.number, i + 1, datas[i]);
        log_change(&sample.place, sql);
        must(log_reader_events(reader, sample.number, (int64_t)i, &page, &err));
        ck_assert_uint_eq(page.count, 1);
        page.events[0].seq = 1;
        ck_assert_msg(page.events[0].is_damaged, "%s", datas[i]);
        run_state_init(&state, sample.plan, 1);
        ck_assert(!run_state_apply(&state, &page.events[0], &why));
        ck_assert_str_eq(why.message, "event 1 (run_started): invalid data");
        run_state_done(&state);
        event_page_done(&page);
    }
}
END_TEST

START_TEST(test_unknown_kinds_keep_their_word)
{
    char sql[256];
    struct event_page page = {0};
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, at_ms, mono_ms, kind, data)"
                   " VALUES(%lld, 1, 5, 6, 'moon_rose', '{\"phase\":\"full\"}')",
                   (long long)sample.number);
    log_change(&sample.place, sql);
    must(log_reader_events(reader, sample.number, 0, &page, &err));
    ck_assert_uint_eq(page.count, 1);
    ck_assert_int_eq(page.events[0].kind, EVENT_UNKNOWN);
    ck_assert_str_eq(page.events[0].unknown.kind, "moon_rose");
    ck_assert_str_eq(page.events[0].data, "{\"phase\":\"full\"}");
    event_page_done(&page);
}
END_TEST

START_TEST(test_events_are_read_page_by_page)
{
    enum { COUNT = 2 * LOG_PAGE_EVENTS + 100 };
    struct event *events = sample_notes(1, COUNT);
    log_commit(sample.writer, &(struct log_batch){.events = events, .event_count = COUNT});
    struct event_page page = {0};
    int64_t after = 0;
    static const size_t want[] = {LOG_PAGE_EVENTS, LOG_PAGE_EVENTS, 100, 0};
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        ck_assert(log_reader_events(reader, sample.number, after, &page, NULL));
        ck_assert_uint_eq(page.count, want[i]);
        for (size_t at = 0; at < page.count; at++) {
            ck_assert_int_eq(page.events[at].seq, after + 1 + (int64_t)at);
            ck_assert_str_eq(page.events[at].note.note, "hello");
        }
        after += (int64_t)page.count;
    }
    /* More than fits into one transaction: the batch was split, and nothing was lost. */
    ck_assert_int_eq(log_number(&sample.place, "SELECT last_seq FROM run"), COUNT);
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
    log_commit(sample.writer, &batch);
    batch.event_count = 5;
    log_commit(sample.writer, &batch);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM event"), 5);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM output"), 1);
    free(events);
}
END_TEST

START_TEST(test_recorded_events_cannot_be_changed)
{
    static const char *const sql[] = {
        "UPDATE event SET data='{}' WHERE seq=1",
        "DELETE FROM event WHERE seq=1",
        "DELETE FROM event",
        ("INSERT OR REPLACE INTO event(run, seq, at_ms, mono_ms, kind, data)"
         " VALUES(1,1,0,0,'note','{}')"),
        "UPDATE event SET run=99",
    };
    sample_start(&sample);
    int64_t before = log_number(&sample.place, "SELECT count(*) FROM event");
    struct db db;
    other_program_open(&db, &sample.place, DB_WRITE);
    must_fail_with(db_exec(&db, sql[_i], &err), ERR_IO, "append-only");
    db_done(&db);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM event"), before);
    ck_assert_int_eq(
        log_number(&sample.place, "SELECT count(*) FROM event WHERE data='{}' AND seq=1"), 0);
}
END_TEST

START_TEST(test_an_expired_run_may_go)
{
    sample_start(&sample);
    log_change(&sample.place, "UPDATE run SET expired=1; DELETE FROM event");
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM event"), 0);
    struct log_run_info info;
    must_fail(log_reader_run(reader, 0, &info, &err), ERR_NOT_FOUND);
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

START_TEST(test_the_file_has_its_format_and_settings)
{
    ck_assert_int_eq(log_number(&sample.place, "PRAGMA application_id"), SCHEMA_APPLICATION);
    ck_assert_int_eq(log_number(&sample.place, "PRAGMA user_version"), SCHEMA_VERSION);
    ck_assert_int_eq(log_number(&sample.place, "PRAGMA auto_vacuum"), 2);
    ck_assert_int_eq(
        log_number(&sample.place,
                   "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode='wal'"),
        1);
}
END_TEST

START_TEST(test_the_run_comes_back)
{
    struct log_run_info info;
    must(log_reader_run(reader, 0, &info, &err));
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
    must_fail(log_reader_run(reader, 99, &info, &err), ERR_NOT_FOUND);
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

/* Output is that of task 2 and its first attempt. */
static struct output_page page;
static const struct log_output_key attempt_1 = {.run = 1, .task = 2, .attempt = 1};

static void free_page(void)
{
    output_page_done(&page);
    teardown();
}

static void put_output(struct log_output output)
{
    output.task = 2;
    output.attempt = 1;
    output.at = (struct moment){1000 + output.offset, 1};
    log_commit_output(sample.writer, output);
}

static void put_text(enum log_output_part part, int index, int64_t offset, const char *text)
{
    put_output((struct log_output){
        .stream = 1, .part = part, .index = index, .offset = offset, .bytes = text});
}

static void assert_output(int64_t after, const char *want_text, size_t want_rows)
{
    must(log_reader_output(reader, &attempt_1, after, &page, &err));
    ck_assert_str_eq(str_text(&page.text), want_text);
    ck_assert_uint_eq(page.count, want_rows);
    for (size_t i = 1; i < page.count; i++)
        ck_assert_int_gt(page.rows[i].id, page.rows[i - 1].id);
}

/* The last row, once all output was read. */
static struct log_output_row last_row(void)
{
    must(log_reader_output(reader, &attempt_1, 0, &page, &err));
    ck_assert_uint_gt(page.count, 0);
    return page.rows[page.count - 1];
}

/* Each piece has as many rows as fit into the requested bytes, but at least one. */
START_TEST(test_output_is_read_by_pieces)
{
    size_t len = 0;
    int64_t after = 0;
    int pieces = 0;
    for (int i = 0; i < 10; i++)
        put_text(LOG_OUTPUT_HEAD, i, 10 * (int64_t)i, "ten bytes\n");
    do {
        must(log_reader_output_piece(reader, &attempt_1, after, 25, &page, &err));
        ck_assert_uint_le(page.count, 3);
        len += page.text.len;
        after = page.count > 0 ? page.rows[page.count - 1].id : after;
        pieces += page.count > 0;
    } while (page.count > 0);
    ck_assert_int_eq(pieces, 4);
    ck_assert_uint_eq(len, 100);
    must(log_reader_output_piece(reader, &attempt_1, 0, 1, &page, &err));
    ck_assert_uint_eq(page.count, 1);
}
END_TEST

static void assert_chosen(bool readable, const char *all, const char *tail)
{
    struct log_output_key key = attempt_1;
    key.readable = readable;
    must(log_reader_output(reader, &key, 0, &page, &err));
    ck_assert_str_eq(str_text(&page.text), all);
    must(log_reader_output_tail(reader, &key, 5, &page, &err));
    ck_assert_str_eq(str_text(&page.text), tail);
}

START_TEST(test_output_of_an_agent_is_readable_or_raw)
{
    put_output((struct log_output){.stream = LOG_STREAM_OUT, .bytes = "{\"type\":1}"});
    put_output((struct log_output){.stream = LOG_STREAM_ERR, .bytes = "warn "});
    assert_chosen(true, "{\"type\":1}warn ", "warn ");
    put_output((struct log_output){.stream = LOG_STREAM_AGENT, .bytes = "reads a file"});
    assert_chosen(true, "warn reads a file", "reads a file");
    assert_chosen(false, "{\"type\":1}warn ", "warn ");
}
END_TEST

START_TEST(test_output_head_tail_and_rest)
{
    put_text(LOG_OUTPUT_HEAD, 0, 0, "head");
    put_text(LOG_OUTPUT_HEAD, 1, 4, "-more");
    assert_output(0, "head-more", 2);
    const struct log_output_row head = last_row();
    ck_assert(!head.replaceable);

    put_text(LOG_OUTPUT_TAIL, 0, 100, "tail1");
    const struct log_output_row tail1 = last_row();
    ck_assert(tail1.replaceable);
    put_text(LOG_OUTPUT_TAIL, 1, 200, "tail2");
    assert_output(0, "head-moretail2", 3);
    assert_output(head.id, "tail2", 1);
    assert_output(tail1.id, "tail2", 1); /* a reader of the old tail gets the new one */

    const struct log_output_row tail2 = last_row();
    put_text(LOG_OUTPUT_REST, 0, 100, "rest1");
    put_text(LOG_OUTPUT_REST, 1, 105, "rest2");
    assert_output(0, "head-morerest1rest2", 4);
    assert_output(tail2.id, "rest1rest2", 2);
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
    log_commit(sample.writer, &(struct log_batch){.outputs = outputs, .output_count = 4});
    assert_output(0, "abcd", 4);
}
END_TEST

START_TEST(test_output_is_read_page_by_page)
{
    enum { PIECE = 64 * 1024, PIECES = 20 };
    struct log_output_key attempt_2 = attempt_1;
    char *bytes = xcalloc(1, PIECE);
    for (int i = 0; i < PIECES; i++) {
        memset(bytes, 'a' + i, PIECE);
        put_output((struct log_output){
            .stream = 1, .index = i, .offset = (int64_t)i * PIECE, .bytes = bytes, .len = PIECE});
    }
    free(bytes);
    must(log_reader_output(reader, &attempt_1, 0, &page, &err));
    ck_assert_uint_eq(page.count, 16);
    ck_assert_uint_eq(page.text.len, LOG_PAGE_BYTES);
    must(log_reader_output(reader, &attempt_1, page.rows[15].id, &page, &err));
    ck_assert_uint_eq(page.count, 4);
    ck_assert_int_eq(page.text.data[page.rows[3].start], 'a' + 19);

    must(log_reader_output_tail(reader, &attempt_1, (size_t)100 * 1024, &page, &err));
    ck_assert_uint_eq(page.count, 2);
    ck_assert_int_eq(page.text.data[0], 'a' + 18);
    attempt_2.attempt = 2;
    must(log_reader_output_tail(reader, &attempt_2, (size_t)100 * 1024, &page, &err));
    ck_assert_uint_eq(page.count, 0);
}
END_TEST

START_TEST(test_bytes_are_bytes)
{
    static const char bytes[] = "a\0b\xff\n";
    put_output((struct log_output){.stream = 2, .bytes = bytes, .len = sizeof(bytes)});
    put_output((struct log_output){.stream = 1});
    must(log_reader_output(reader, &attempt_1, 0, &page, &err));
    ck_assert_uint_eq(page.count, 2);
    ck_assert_uint_eq(page.rows[0].len, sizeof(bytes));
    ck_assert_mem_eq(page.text.data, bytes, sizeof(bytes));
    ck_assert_uint_eq(page.rows[1].len, 0);
}
END_TEST

typedef bool capture_fn(struct log_reader *reader, const struct log_output_key *key,
                        struct str *out, struct err *err);

static void assert_capture(capture_fn *read, int attempt, const char *want)
{
    struct log_output_key key = attempt_1;
    struct str text = {0};
    key.attempt = attempt;
    must(read(reader, &key, &text, &err));
    ck_assert_str_eq(str_text(&text), want);
    str_done(&text);
}

START_TEST(test_the_last_capture_of_an_attempt_is_read)
{
    static const struct log_capture captures[] = {
        {.task = 2, .attempt = 1, .json = "{\"n\":1}"},
        {.task = 2, .attempt = 2, .json = "{\"n\":2}"},
        {.task = 2, .attempt = 1, .json = "{\"n\":3}"},
    };
    log_commit(sample.writer, &(struct log_batch){.captures = captures, .capture_count = 3});
    assert_capture(log_reader_capture, 1, "{\"n\":3}");
    assert_capture(log_reader_capture, 2, "{\"n\":2}");
    assert_capture(log_reader_capture, 0, "{\"n\":2}");
    assert_capture(log_reader_capture, 3, "");
}
END_TEST

START_TEST(test_parts_of_a_capture_are_read_separately)
{
    static const struct log_capture captures[] = {
        {.task = 2, .attempt = 1, .json = "{\"v\":1,\"part\":1,\"n\":1}"},
        {.task = 2, .attempt = 1, .json = "{\"v\":1,\"part\":2,\"n\":2}"},
        {.task = 2, .attempt = 2, .json = "{\"v\":1,\"n\":3}"},
    };
    log_commit(sample.writer, &(struct log_batch){.captures = captures, .capture_count = 3});
    assert_capture(log_reader_capture, 1, captures[0].json);
    assert_capture(log_reader_changes, 1, captures[1].json);
    assert_capture(log_reader_capture, 2, captures[2].json);
    assert_capture(log_reader_changes, 2, "");
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
    events[2].call.number = 1;
    events[2].call.tool = NULL;
    log_commit(sample.writer, &(struct log_batch){.events = events, .event_count = 6});
    struct log_output_key key = {.run = sample.number, .task = 9, .step = 0, .attempt = 2};
    struct event_page events_read = {0};
    ck_assert(log_reader_attempt_events(reader, &key, &events_read, NULL));
    ck_assert_uint_eq(events_read.count, 2);
    ck_assert_int_eq(events_read.events[0].seq, 2);
    ck_assert_int_eq(events_read.events[1].seq, 4); /* not what its agent called between the two */
    ck_assert_str_eq(events_read.events[1].note.note, "hello");
    event_page_done(&events_read);
    free(events);
}
END_TEST

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
    log_change(&sample.place, sql);
    struct control controls[4];
    size_t count = 99;
    must(log_writer_controls(sample.writer, controls, 4, &count, &err));
    ck_assert_uint_eq(count, cases[_i].taken ? 1 : 0);
    if (cases[_i].taken) {
        ck_assert_int_eq((int)controls[0].mode, (int)cases[_i].mode);
        ck_assert_int_eq(controls[0].step, cases[_i].step);
    }
    ck_assert_int_eq(
        log_number(&sample.place, "SELECT count(*) FROM control WHERE applied_at_ms IS NULL"),
        cases[_i].taken ? 1 : 0);
}
END_TEST

/* Another program may write any numbers. */
START_TEST(test_impossible_events_are_refused)
{
    static const struct {
        const char *values; /* at_ms, mono_ms, task, step, round, grant_no, attempt */
        bool taken;
    } cases[] = {
        {"5, 5, 0, 0, 1, 1, 1", true},
        {"-1, 5, 0, 0, 1, 1, 1", false},
        {"5, -1, 0, 0, 1, 1, 1", false},
        {"9223372036854775807, 5, 0, 0, 1, 1, 1", false},
        {"5, 9223372036854775807, 0, 0, 1, 1, 1", false},
        {"-9223372036854775808, 5, 0, 0, 1, 1, 1", false},
        {"9007199254740993, 5, 0, 0, 1, 1, 1", false},
        {"5, 5, 4294967297, 0, 1, 1, 1", false},
        {"5, 5, -2, 0, 1, 1, 1", false},
        {"5, 5, 0, 2147483648, 1, 1, 1", false},
        {"5, 5, 0, 0, -1, 1, 1", false},
        {"5, 5, 0, 0, 1, 4294967296, 1", false},
        {"5, 5, 0, 0, 1, 1, -9223372036854775808", false},
    };
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, kind, data, at_ms, mono_ms, task_no, step, round,"
                   " grant_no, attempt) VALUES(1, 1, 'note', '{}', %s)",
                   cases[_i].values);
    log_change(&sample.place, sql);
    struct event_page events = {0};
    if (cases[_i].taken)
        must(log_reader_events(reader, sample.number, 0, &events, &err));
    else
        must_fail(log_reader_events(reader, sample.number, 0, &events, &err), ERR_DAMAGED);
    ck_assert_uint_eq(events.count, cases[_i].taken ? 1 : 0);
    event_page_done(&events);
}
END_TEST

START_TEST(test_events_of_no_task_are_refused)
{
    static const char *const values[] = {"10, 0", "0, 1"};
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, at_ms, mono_ms, kind, data, task_no, step)"
                   " VALUES(1, 1, 5, 5, 'moon_rose', '{}', %s)",
                   values[_i]);
    log_change(&sample.place, sql);
    struct follower *follower = NULL;
    must(follower_open(&follower, &sample.place, 1, &err));
    must_fail(follower_read(follower, 0, NULL, NULL, NULL, &err), ERR_DAMAGED);
    follower_close(follower);
}
END_TEST

START_TEST(test_impossible_output_is_refused)
{
    static const char *const values[] = {
        "0, 0", "4, 0", "-1, 0", "4294967297, 0", "1, -1", "1, 9223372036854775807",
    };
    char sql[300];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO output(run, task, step, attempt, part, idx, at_ms, bytes, stream,"
                   " offset) VALUES(1, 2, 0, 1, 0, 0, 5, 'abc', %s)",
                   values[_i]);
    log_change(&sample.place, sql);
    must_fail(log_reader_output(reader, &attempt_1, 0, &page, &err), ERR_DAMAGED);
    ck_assert_uint_eq(page.count, 0);
}
END_TEST

START_TEST(test_impossible_runs_are_refused)
{
    static const char *const sql[] = {
        "UPDATE run SET jobs=4294967297",
        "UPDATE run SET jobs=-1",
        "UPDATE run SET tasks=-1",
        "UPDATE run SET tasks=4294967297",
        "UPDATE run SET exit_code=4294967296",
    };
    log_change(&sample.place, sql[_i]);
    struct log_run_info info;
    size_t count = 0;
    must_fail(log_reader_run(reader, 0, &info, &err), ERR_DAMAGED);
    must_fail(log_reader_runs(reader, 0, &info, 1, &count, &err), ERR_DAMAGED);
}
END_TEST

START_TEST(test_an_answer_closes_its_control)
{
    log_change(&sample.place,
               "INSERT INTO control(run, verb, task, by, asked_at_ms) VALUES(1, 3, 2, 'ann', 5)");
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
    must_fail(log_reader_answer(reader, 77, &answered, &done, &answer, &err), ERR_NOT_FOUND);
    str_done(&answer);
}
END_TEST

START_TEST(test_controls_left_at_the_end_are_refused)
{
    log_change(&sample.place,
               "INSERT INTO control(run, verb, task, by, asked_at_ms) VALUES(1, 3, 2, 'ann', 5)");
    log_writer_close(sample.writer);
    sample.writer = NULL;
    ck_assert_int_eq(
        log_number(&sample.place, "SELECT count(*) FROM control WHERE done=0 AND answer<>''"), 1);
}
END_TEST

START_TEST(test_the_views_answer)
{
    sample_start(&sample);
    sample_drive(&sample);
    put_text(LOG_OUTPUT_HEAD, 0, 0, "hello");
    log_change(&sample.place,
               "INSERT INTO control(run, verb, task, by, asked_at_ms) VALUES(1, 3, 2, 'ann', 5)");
    static const struct log_capture capture = {.task = 2, .attempt = 1, .json = "{}"};
    log_commit(sample.writer, &(struct log_batch){.captures = &capture, .capture_count = 1});
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
        {"SELECT count(*) FROM event WHERE kind='step_ended' AND task='t4'"
         " AND at LIKE '1970-01-%Z' AND json_extract(data,'$.attempts')=3",
         1},
        {"SELECT count(*) FROM outputs WHERE text='hello' AND stream='stdout' AND task='t2'", 1},
        {"SELECT count(*) FROM controls WHERE verb='hold' AND task='t2' AND by='ann'", 1},
        {"SELECT count(*) FROM captures WHERE task='t2'", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        ck_assert_msg(log_number(&sample.place, cases[i].sql) == cases[i].want, "%s", cases[i].sql);
}
END_TEST

START_TEST(test_the_wait_of_a_cancelled_step_ends_with_the_step)
{
    struct control control = {.verb = CONTROL_CANCEL, .task = 4, .step = -1, .by = "ann"};
    sample_start(&sample);
    while (sample.state.tasks[4].status != TASK_BACKOFF)
        ck_assert(sample_advance(&sample));
    sample_control(&sample, control);
    control.verb = CONTROL_RETRY;
    sample_control(&sample, control);
    sample_drive(&sample);
    ck_assert_int_eq(
        log_number(&sample.place,
                   "SELECT count(*) FROM waits w JOIN event e ON w.ended=e.at WHERE"
                   " w.task='t4' AND w.attempt=1 AND w.waited_ms>0 AND skipped_by IS"
                   " NULL AND e.kind='step_ended' AND e.data->>'decision'='cancelled'"),
        1);
    ck_assert_int_eq(log_number(&sample.place, "SELECT sum(waited_ms) FROM waits"),
                     log_number(&sample.place, "SELECT waited_ms FROM runs"));
}
END_TEST

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
    FILE *file = fopen(place.db, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fclose(file), 0);
    log_change(&place, cases[_i].sql);
    struct log_reader *other = NULL;
    struct log_writer *writer = NULL;
    must_fail_with(log_reader_open(&other, &place, &err), ERR_DAMAGED, cases[_i].word);
    must_fail(log_writer_open(&writer, &place, &err), ERR_DAMAGED);
    ck_assert_ptr_null(writer);
}
END_TEST

START_TEST(test_a_missing_file_and_an_empty_one)
{
    struct place place = sample_place();
    struct log_reader *other = NULL;
    must_fail(log_reader_open(&other, &place, &err), ERR_NOT_FOUND);
    struct stat info;
    ck_assert_int_ne(stat(place.db, &info), 0);

    FILE *file = fopen(place.db, "w");
    fclose(file);
    must_fail(log_reader_open(&other, &place, &err), ERR_NOT_FOUND);
    struct sample new_one;
    sample_open(&new_one, &place, 1); /* an empty file becomes a log */
    sample_done(&new_one);
}
END_TEST

/* A writer was killed before it made the tables, and another program has the file open. */
START_TEST(test_a_log_with_nothing_but_a_wal)
{
    struct place place = sample_place();
    sqlite3 *handle = NULL;
    FILE *file = fopen(place.db, "w");
    fclose(file);
    must(log_own_mark(&place, &err));
    ck_assert_int_eq(sqlite3_open(place.db, &handle), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(handle,
                                  "PRAGMA journal_mode=MEMORY; PRAGMA auto_vacuum=INCREMENTAL;"
                                  " PRAGMA journal_mode=WAL; SELECT * FROM sqlite_schema",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    struct sample other;
    sample_open(&other, &place, 1);
    sample_start(&other);
    sample_done(&other);
    ck_assert_int_eq(log_number(&place, "SELECT auto_vacuum FROM pragma_auto_vacuum"), 2);
    ck_assert_int_eq(sqlite3_close(handle), SQLITE_OK);
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

enum { WRITERS = 4, COMMITS = 150, NOTES = 3, TURNS_MAX = 100 };

static void assert_sound(const struct place *place)
{
    ck_assert_int_eq(log_number(place, "SELECT count(*) FROM pragma_integrity_check"
                                       " WHERE integrity_check<>'ok'"),
                     0);
}

static void reap(int processes)
{
    for (int i = 0; i < processes; i++) {
        int status = 0;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
}

static void commit_notes(int64_t seq, size_t count, bool idle)
{
    struct event *events = sample_notes(seq, count);
    struct log_batch batch = {.events = events, .event_count = count, .idle = idle};
    struct err err = {0};
    bool ok = log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err);
    for (int i = 0; !ok && err.code == ERR_BUSY && i < TURNS_MAX; i++) {
        err = (struct err){0}; /* on a slow disk the others may take long */
        ok = log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err);
    }
    ck_assert_msg(ok, "%s", err.message);
    free(events);
}

/* Several processes write to one log, each its own run, with checkpoints in between. */
START_TEST(test_writers_in_turn_lose_nothing)
{
    struct place place = sample_place();
    for (int i = 0; i < WRITERS; i++) {
        if (fork() != 0)
            continue;
        sample_open(&sample, &place, 2);
        for (int n = 0; n < COMMITS; n++)
            commit_notes(1 + (int64_t)n * NOTES, NOTES, n % 20 == 0);
        sample_done(&sample);
        _exit(0);
    }
    reap(WRITERS);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM run"), WRITERS);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM event"),
                     (int64_t)WRITERS * COMMITS * NOTES);
    ck_assert_int_eq(
        log_number(&place, "SELECT min(n) FROM (SELECT count(*) AS n FROM event GROUP BY run)"),
        (int64_t)COMMITS * NOTES);
    assert_sound(&place);
}
END_TEST

/* Reports each commit through the pipe: reported events must be in the log. */
static void write_until_killed(const struct place *place, int fd)
{
    sample_open(&sample, place, 2);
    for (int64_t seq = 1;; seq += NOTES) {
        commit_notes(seq, NOTES, seq % 10 == 1);
        int64_t said = seq + NOTES - 1;
        if (write(fd, &said, sizeof(said)) != (ssize_t)sizeof(said))
            _exit(1);
    }
}

static int64_t kill_after(const struct place *place, int commits)
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        write_until_killed(place, fds[1]);
    }
    (void)close(fds[1]);
    int64_t said = 0;
    for (int i = 0; i < commits; i++)
        ck_assert_int_eq(read(fds[0], &said, sizeof(said)), (ssize_t)sizeof(said));
    kill(pid, SIGKILL);
    while (read(fds[0], &said, sizeof(said)) == (ssize_t)sizeof(said))
        continue;
    (void)close(fds[0]);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return said;
}

START_TEST(test_a_killed_writer_leaves_a_sound_log)
{
    struct place place = sample_place();
    for (int round = 1; round <= 8; round++) {
        int64_t said = kill_after(&place, 1 + round * round);
        struct log_run_info info;
        struct event_page events = {0};
        reader = log_reader_of(&place);
        must(log_reader_run(reader, 0, &info, &err));
        ck_assert_int_eq(info.number, round);
        ck_assert(!info.owner_alive);
        ck_assert_int_ge(info.last_seq, said);
        int64_t seq = 0;
        do { /* it may have written more than a page before it was killed */
            must(log_reader_events(reader, round, seq, &events, &err));
            for (size_t i = 0; i < events.count; i++)
                ck_assert_int_eq(events.events[i].seq, ++seq);
        } while (events.count == LOG_PAGE_EVENTS);
        ck_assert_int_eq(seq, info.last_seq);
        event_page_done(&events);
        log_run_info_done(&info);
        log_reader_close(reader);
        assert_sound(&place);
    }
}
END_TEST

static off_t wal_size(const struct place *place)
{
    char path[PATH_MAX + 8];
    struct stat info;
    (void)snprintf(path, sizeof(path), "%s-wal", place->db);
    return stat(path, &info) == 0 ? info.st_size : 0;
}

/* Another thread makes the checkpoint: waits until it is done. */
static bool wal_shrinks(const struct place *place)
{
    const struct timespec pause = {.tv_nsec = 2L * 1000 * 1000};
    int64_t until_us = clock_mono_us() + 60LL * 1000 * 1000;
    while (wal_size(place) > 0 && clock_mono_us() < until_us)
        (void)nanosleep(&pause, NULL);
    return wal_size(place) == 0;
}

START_TEST(test_a_paused_reader_does_not_keep_the_wal)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 2);
    struct event_page events = {0};
    commit_notes(1, 5000, false);
    reader = log_reader_of(&place);
    must(log_reader_events(reader, sample.number, 0, &events, &err));
    ck_assert_uint_eq(events.count, LOG_PAGE_EVENTS); /* there is more: a pager that pauses */
    ck_assert_int_gt(wal_size(&place), 0);
    commit_notes(5001, 1, true);
    ck_assert(wal_shrinks(&place));
    must(log_reader_events(reader, sample.number, 5000 - 10, &events, &err));
    ck_assert_uint_eq(events.count, 11);
    event_page_done(&events);
    log_reader_close(reader);
    sample_done(&sample);
}
END_TEST

START_TEST(test_a_large_wal_is_truncated_during_a_run)
{
    enum { PIECE = 64 * 1024, PIECES = 64 };
    struct place place = sample_place();
    sample_open(&sample, &place, 2);
    char *bytes = xcalloc(1, PIECE);
    off_t most = 0;
    for (int i = 0; i < 16 * PIECES; i++) {
        log_commit_output(sample.writer,
                          (struct log_output){
                              .attempt = 1, .stream = 1, .index = i, .bytes = bytes, .len = PIECE});
        most = wal_size(&place) > most ? wal_size(&place) : most;
    }
    /* 64 MiB went through the WAL. */
    ck_assert_int_ge(most, LOG_CHECKPOINT_BYTES / 2);
    ck_assert_int_lt(most, 3 * LOG_CHECKPOINT_BYTES);
    free(bytes);
    sample_done(&sample);
}
END_TEST

/* A row that is there already is not replaced, by the writer that goes without the triggers either:
 * the error is told, and what comes after is sound. */
START_TEST(test_a_failed_commit_is_reported_and_can_be_repeated)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 2);
    commit_notes(1, 3, false);
    struct db other;
    log_change(&place, "INSERT INTO event(run, seq, at_ms, mono_ms, kind, data)"
                       " SELECT id, 5, 1, 1, 'note', '{}' FROM run");
    struct event *events = sample_notes(4, 3);
    struct log_batch batch = {.events = events, .event_count = 3};
    must_fail_with(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err), ERR_IO,
                   "UNIQUE constraint failed");
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM event"), 4);

    must(db_init(&other, place.db, DB_WRITE, &err)); /* without the triggers */
    must(db_exec(&other, "DELETE FROM event WHERE seq=5", &err));
    db_done(&other);
    must(log_writer_commit(sample.writer, &batch, LOG_SYNC_FULL, &err));
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM event"), 6);
    ck_assert_int_eq(log_number(&place, "SELECT last_seq FROM run"), 6);
    free(events);
    sample_done(&sample);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *events = test_case(suite, "events");
    tcase_add_checked_fixture(events, setup, teardown);
    tcase_add_test(events, test_events_come_back_as_they_were);
    tcase_add_test(events, test_text_up_to_the_limit_is_kept);
    tcase_add_test(events, test_longer_text_is_left_out);
    tcase_add_test(events, test_damaged_events_are_read_and_refused);
    tcase_add_test(events, test_unknown_kinds_keep_their_word);
    tcase_add_test(events, test_events_are_read_page_by_page);
    tcase_add_test(events, test_the_same_batch_again_changes_nothing);
    tcase_add_loop_test(events, test_recorded_events_cannot_be_changed, 0, 5);
    tcase_add_test(events, test_an_expired_run_may_go);
    TCase *file = test_case(suite, "file");
    tcase_add_checked_fixture(file, setup, teardown);
    tcase_add_loop_test(file, test_files_are_private, 0, 6);
    tcase_add_test(file, test_the_file_has_its_format_and_settings);
    tcase_add_test(file, test_the_views_answer);
    tcase_add_test(file, test_the_wait_of_a_cancelled_step_ends_with_the_step);
    TCase *runs = test_case(suite, "runs");
    tcase_add_checked_fixture(runs, setup, teardown);
    tcase_add_test(runs, test_the_run_comes_back);
    tcase_add_test(runs, test_the_summary_is_the_fold);
    tcase_add_test(runs, test_runs_are_listed_newest_first);
    TCase *output = test_case(suite, "output");
    tcase_add_checked_fixture(output, setup, free_page);
    tcase_add_test(output, test_output_is_read_by_pieces);
    tcase_add_test(output, test_output_head_tail_and_rest);
    tcase_add_test(output, test_output_of_an_agent_is_readable_or_raw);
    tcase_add_test(output, test_output_of_two_streams_by_time);
    tcase_add_test(output, test_output_is_read_page_by_page);
    tcase_add_test(output, test_bytes_are_bytes);
    tcase_add_test(output, test_the_last_capture_of_an_attempt_is_read);
    tcase_add_test(output, test_parts_of_a_capture_are_read_separately);
    tcase_add_test(output, test_events_of_one_attempt);
    TCase *controls = test_case(suite, "controls");
    tcase_add_checked_fixture(controls, setup, teardown);
    tcase_add_loop_test(controls, test_controls_of_other_programs, 0, 10);
    tcase_add_test(controls, test_an_answer_closes_its_control);
    tcase_add_test(controls, test_controls_left_at_the_end_are_refused);
    TCase *hostile = test_case(suite, "hostile");
    tcase_add_checked_fixture(hostile, setup, teardown);
    tcase_add_loop_test(hostile, test_impossible_events_are_refused, 0, 13);
    tcase_add_loop_test(hostile, test_events_of_no_task_are_refused, 0, 2);
    tcase_add_loop_test(hostile, test_impossible_output_is_refused, 0, 6);
    tcase_add_loop_test(hostile, test_impossible_runs_are_refused, 0, 5);
    TCase *others = test_case(suite, "others");
    tcase_add_loop_test(others, test_other_files_are_refused, 0, 3);
    tcase_add_test(others, test_a_missing_file_and_an_empty_one);
    tcase_add_test(others, test_a_log_with_nothing_but_a_wal);
    tcase_add_test(others, test_a_writer_leaves_one_file);
    TCase *many = test_case(suite, "many");
    tcase_add_test(many, test_writers_in_turn_lose_nothing);
    TCase *crash = test_case(suite, "crash");
    tcase_add_test(crash, test_a_killed_writer_leaves_a_sound_log);
    tcase_add_test(crash, test_a_failed_commit_is_reported_and_can_be_repeated);
    TCase *wal = test_case(suite, "wal");
    tcase_add_test(wal, test_a_paused_reader_does_not_keep_the_wal);
    tcase_add_test(wal, test_a_large_wal_is_truncated_during_a_run);
    return suite;
}
