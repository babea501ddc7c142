/* call_rows.c - the saved state of a session, its rows, and the beginning and end of its run.
 *
 * The state is one value in the table `gain`. Its head says whether the next call may have to be
 * denied, and can be read without the rest. A run begins and ends with the log writer and the
 * scheduler, like any other; in between, call_rows_commit() inserts the rows itself. */
#include "call_rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "call_log.h"
#include "db.h"
#include "event_row.h"
#include "follower.h"
#include "log_read.h"
#include "log_reader.h"
#include "log_write.h"
#include "log_writer.h"
#include "parse.h"
#include "plan.h"
#include "private_file.h"
#include "scheduler.h"
#include "text.h"

/* The saved state: the magic, the numbers in their order, the number of limits and their values,
 * the state of the loop detector and its memory. Numbers are 64-bit little-endian. */
enum { MAGIC_BYTES = 4, NUMBER_BYTES = 8, NUMBERS = 14, LIMITS_MAX = 64 };
static_assert(MAGIC_BYTES + (NUMBERS + 1 + LIMITS_MAX) * NUMBER_BYTES + ENTROPY_STATE_BYTES_MAX +
                      ENTROPY_BLOB_BYTES_MAX <=
                  LOG_GAIN_BYTES_MAX,
              "the log keeps what is saved");

static_assert(MAGIC_BYTES + NUMBERS * NUMBER_BYTES <= CALL_KEPT_HEAD_BYTES, "the head is whole");

static const char magic[MAGIC_BYTES + 1] = "dCl2";

/* The state kept between the calls of a session, and how it is saved. */

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

/* Returns true if the values are in the ranges that the log accepts. */
static bool is_sound_usage(const struct agent_used *used)
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
    const char *tool = event->call.tool ? event->call.tool : "";
    const char *what = event->call.what ? event->call.what : "";
    kept->number = event->call.number;
    const bool is_message = strcmp(tool, "message") == 0;
    const bool is_call = !is_message && strcmp(tool, "user") != 0;
    kept->turn_failed = event->call.code != 0 && is_message;
    if (strcmp(tool, "user") == 0)
        call_kept_forget(kept);
    else if (event->call.has_loop)
        call_kept_judge(kept, &event->call.loop, is_call, &event->at);
    else if (is_call && strncmp(what, CALL_TURNED_AWAY, strlen(CALL_TURNED_AWAY)) == 0)
        kept->turned_away++;
    if (is_call)
        kept->used.calls++;
}

void call_kept_apply(struct call_kept *kept, const struct event *event)
{
    kept->seq = event->seq;
    kept->last = event->at;
    if (event->kind == EVENT_AGENT_CALL)
        apply_call(kept, event);
    else if (event->kind == EVENT_CANCEL_ASKED)
        kept->stop_asked = true;
    else if (event->kind == EVENT_AGENT_USED && is_sound_usage(&event->used.used))
        kept->used = event->used.used;
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

static bool take_number(struct number_bytes *from, int64_t *out)
{
    *out = (int64_t)number_bytes_take(from, NUMBER_BYTES);
    return !from->bad && *out >= 0;
}

/* Reads the magic and the numbers. */
static bool take_head(struct number_bytes *from, struct call_kept *out, bool *stuck_out)
{
    int64_t numbers[NUMBERS];
    if (from->len < MAGIC_BYTES || memcmp(from->at, magic, MAGIC_BYTES) != 0)
        return false;
    from->at += MAGIC_BYTES;
    from->len -= MAGIC_BYTES;
    for (int i = 0; i < NUMBERS; i++) {
        if (!take_number(from, &numbers[i]))
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
    return out->number <= AGENT_CALLS_MAX && is_sound_usage(&out->used);
}

/* Reads everything that call_kept_save() wrote. */
static bool take_kept(struct number_bytes *from, struct call_kept *out)
{
    size_t used = 0;
    bool stuck = false; /* ignored: the detector's state says the same */
    int64_t count = 0;
    int64_t value = 0;
    if (!take_head(from, out, &stuck) || !take_number(from, &count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        const struct entropy_limit *limit = entropy_limit((size_t)i);
        if (!limit || !take_number(from, &value) ||
            !entropy_limit_set(&out->limits, limit, value, NULL))
            return false;
    }
    if (entropy_limit((size_t)count) ||
        !entropy_state_load(&out->circles.state, from->at, from->len, &used, NULL))
        return false;
    entropy_memory_open(&out->memory, &out->limits);
    return entropy_memory_load(out->memory, from->at + used, from->len - used, NULL);
}

bool call_kept_load(struct call_kept *kept, const void *bytes, size_t len, struct err *err)
{
    struct number_bytes from = {.at = bytes, .len = len};
    struct call_kept read = {0};
    if (!take_kept(&from, &read)) {
        call_kept_done(&read);
        return err_set(err, ERR_INVALID, "the record of the session is damaged");
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

/* Reading and writing the rows of a session. */

enum { CALL_HEAD_MAX = 256 };

static const char *const statement_sql[] = {
    [CALL_FIND_RUN] = "SELECT r.id, r.uid, (SELECT ifnull(max(seq), 0) FROM event WHERE run=r.id),"
                      " r.ended_at_ms FROM session s JOIN run r ON r.id=s.run"
                      " WHERE s.session=? AND s.agent=? AND r.kind='agent' AND r.expired=0"
                      " ORDER BY s.id DESC LIMIT 1",
    [CALL_FIND_KEPT] = "SELECT rowid FROM gain WHERE run=? AND task=0",
    [CALL_GET_KEPT] = "SELECT bytes FROM gain WHERE run=? AND task=0",
    [CALL_BEGIN] = "BEGIN IMMEDIATE",
    [CALL_COMMIT] = "COMMIT",
    [CALL_PUT_EVENT] = EVENT_ROW_SQL,
    [CALL_PUT_KEPT] = "INSERT OR REPLACE INTO gain(run, task, step, attempt, bytes)"
                      " VALUES(?,0,0,1,?)",
    [CALL_PUT_RUN] = "UPDATE run SET last_seq=?2, last_at_ms=?3 WHERE id=?1",
    [CALL_PUT_WORDS] = "INSERT INTO output(run, task, step, attempt, stream, part, idx, offset,"
                       " at_ms, bytes) VALUES(?,0,0,1,?,0,?,?,?,?)",
    [CALL_WORDS_END] = "SELECT idx+1, offset+length(bytes) FROM output WHERE run=? AND task=0 AND"
                       " step=0 AND attempt=1 AND stream=? AND part=0 ORDER BY idx DESC LIMIT 1",
};
static_assert(ARRAY_LEN(statement_sql) == CALL_STATEMENT_COUNT, "every statement has its text");

static int on_commit(void *ctx, sqlite3 *handle, const char *name, int pages)
{
    (void)handle;
    (void)name;
    struct call_rows *rows = ctx;
    rows->wal_pages = pages;
    return SQLITE_OK;
}

bool call_rows_open(struct call_rows *rows, const struct place *place, struct err *err)
{
    *rows = (struct call_rows){.turns = {.gate_fd = -1, .write_fd = -1}, .bell = {.fd = -1}};
    bool ok = place_check_write(place, err) && turns_init(&rows->turns, place, err) &&
              bell_init(&rows->bell, place, err) && db_init(&rows->db, place->db, DB_WRITE, err) &&
              schema_check(&rows->db, err) &&
              db_prepare(&rows->db, statement_sql, CALL_STATEMENT_COUNT, rows->statements, err);
    if (ok)
        (void)sqlite3_wal_hook(rows->db.handle, on_commit, rows);
    else
        call_rows_close(rows);
    return ok;
}

void call_rows_close(struct call_rows *rows)
{
    db_finalize(rows->statements, CALL_STATEMENT_COUNT);
    db_done(&rows->db);
    bell_done(&rows->bell);
    turns_done(&rows->turns);
}

bool call_rows_find(struct call_rows *rows, const char *agent, const char *session,
                    struct call_run *out, struct err *err)
{
    sqlite3_stmt *find = rows->statements[CALL_FIND_RUN];
    db_bind_text(find, 1, session);
    db_bind_text(find, 2, agent);
    bool row = false;
    bool ok = db_next(&rows->db, find, &row, err);
    *out = (struct call_run){0};
    if (ok && row) {
        out->number = sqlite3_column_int64(find, 0);
        db_copy_text(find, 1, out->uid, sizeof(out->uid));
        out->last_seq = sqlite3_column_int64(find, 2);
        out->ended = sqlite3_column_type(find, 3) != SQLITE_NULL;
    }
    (void)sqlite3_reset(find); /* repeats the step's error */
    return ok;
}

bool call_rows_kept(struct call_rows *rows, int64_t run, struct str *out, struct err *err)
{
    sqlite3_stmt *get = rows->statements[CALL_GET_KEPT];
    (void)sqlite3_bind_int64(get, 1, run);
    bool row = false;
    bool ok = db_next(&rows->db, get, &row, err);
    if (ok && row) {
        const int len = sqlite3_column_bytes(get, 0);
        const char *bytes = sqlite3_column_blob(get, 0);
        if (bytes && len > 0)
            str_add_n(out, bytes, (size_t)len);
    }
    (void)sqlite3_reset(get);
    return ok;
}

bool call_rows_kept_head(struct call_rows *rows, int64_t run, size_t max, struct str *out,
                         struct err *err)
{
    sqlite3_stmt *find = rows->statements[CALL_FIND_KEPT];
    (void)sqlite3_bind_int64(find, 1, run);
    bool row = false;
    bool ok = db_next(&rows->db, find, &row, err);
    const int64_t number = ok && row ? sqlite3_column_int64(find, 0) : 0;
    (void)sqlite3_reset(find);
    assert(max <= CALL_HEAD_MAX);
    if (!ok || !row)
        return ok;

    sqlite3_blob *blob = NULL;
    char bytes[CALL_HEAD_MAX];
    ok = sqlite3_blob_open(rows->db.handle, "main", "gain", "bytes", number, 0, &blob) == SQLITE_OK;
    const int whole = ok ? sqlite3_blob_bytes(blob) : 0;
    const int len = whole < (int)max ? whole : (int)max;
    ok = ok && sqlite3_blob_read(blob, bytes, len, 0) == SQLITE_OK;
    if (ok)
        str_add_n(out, bytes, (size_t)len);
    else
        (void)db_fail(&rows->db, "read", err);
    (void)sqlite3_blob_close(blob); /* only read */
    return ok;
}

/* Writes each piece as one row after the last row, or as several rows if it is too long for one. */
static bool put_words(struct call_rows *rows, const struct call_batch *batch, struct err *err)
{
    int64_t index = 0;
    int64_t offset = 0;
    size_t at = 0;
    bool ok = true;
    if (batch->piece_count > 0) {
        sqlite3_stmt *get = rows->statements[CALL_WORDS_END];
        bool row = false;
        (void)sqlite3_bind_int64(get, 1, batch->run);
        (void)sqlite3_bind_int(get, 2, LOG_STREAM_AGENT);
        ok = db_next(&rows->db, get, &row, err);
        index = ok && row ? sqlite3_column_int64(get, 0) : 0;
        offset = ok && row ? sqlite3_column_int64(get, 1) : 0;
        (void)sqlite3_reset(get);
    }
    sqlite3_stmt *put = rows->statements[CALL_PUT_WORDS];
    for (size_t i = 0; ok && i < batch->piece_count;) {
        const size_t len = batch->pieces[i].end - at;
        const size_t part = len < CALL_LOG_WORDS_MAX ? len : CALL_LOG_WORDS_MAX;
        (void)sqlite3_bind_int64(put, 1, batch->run);
        (void)sqlite3_bind_int(put, 2, LOG_STREAM_AGENT);
        (void)sqlite3_bind_int64(put, 3, index++);
        (void)sqlite3_bind_int64(put, 4, offset + (int64_t)at);
        (void)sqlite3_bind_int64(put, 5, batch->pieces[i].at_ms);
        (void)sqlite3_bind_blob64(put, 6, batch->words->data + at, part, SQLITE_STATIC);
        ok = db_run(&rows->db, put, err);
        at += part;
        i += part == len;
    }
    return ok;
}

static bool put_rows(struct call_rows *rows, const struct call_batch *batch, struct err *err)
{
    const struct event *last = &batch->events[batch->count - 1];
    sqlite3_stmt *kept = rows->statements[CALL_PUT_KEPT];
    sqlite3_stmt *run = rows->statements[CALL_PUT_RUN];
    struct str data = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < batch->count; i++) {
        const struct event_row row = {
            .run = batch->run, .event = &batch->events[i], .task = batch->task};
        ok = event_row_put(&rows->db, rows->statements[CALL_PUT_EVENT], &row, &data, err);
    }
    str_done(&data);
    if (!ok)
        return false;
    (void)sqlite3_bind_int64(kept, 1, batch->run);
    (void)sqlite3_bind_blob64(kept, 2, str_text(batch->kept), batch->kept->len, SQLITE_STATIC);
    (void)sqlite3_bind_int64(run, 1, batch->run);
    (void)sqlite3_bind_int64(run, 2, last->seq);
    (void)sqlite3_bind_int64(run, 3, last->at.at_ms);
    return put_words(rows, batch, err) && db_run(&rows->db, kept, err) &&
           db_run(&rows->db, run, err);
}

bool call_rows_commit(struct call_rows *rows, const struct place *place,
                      const struct call_batch *batch, struct err *err)
{
    assert(batch->count > 0);
    if (!turns_take(&rows->turns, err))
        return false;
    bool ok = db_is_in_place(&rows->db) ||
              err_set(err, ERR_IO, "'%s' was deleted, moved or replaced", place->db);
    if (ok) {
        ok = db_run(&rows->db, rows->statements[CALL_BEGIN], err) && put_rows(rows, batch, err) &&
             db_run(&rows->db, rows->statements[CALL_COMMIT], err);
        if (!ok)
            db_roll_back(&rows->db);
    }
    /* Truncates the WAL without waiting for readers; if a reader is in the way, the next commit
     * tries again. */
    if (ok && rows->wal_pages >= CALL_WAL_BYTES / DB_PAGE_BYTES) {
        (void)sqlite3_busy_timeout(rows->db.handle, 0);
        (void)sqlite3_wal_checkpoint_v2(rows->db.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                        NULL);
        (void)sqlite3_busy_timeout(rows->db.handle, DB_BUSY_MS);
    }
    turns_give(&rows->turns);
    if (ok)
        bell_ring(&rows->bell);
    return ok;
}

/* Beginning and ending the run of a session. */

enum { NAME_ID_BYTES = 8 /* bytes of the session id in the run's name */ };

/* Makes a plan with one attempt and no retries, because devs did not start the agent, and with the
 * thresholds from the settings; sets *text to the plan for the log. */
static bool make_plan(const struct call_session *session, struct plan **out, struct str *text,
                      struct err *err)
{
    struct str name = {0};
    struct violations violations = {0};
    const struct plan_context context = {.settings = session->settings};
    const bool is_known = adapters_find(NULL, session->agent) != NULL;
    str_addf(&name, "%s ", session->agent);
    str_add_n(&name, session->id, text_cut(session->id, strlen(session->id), NAME_ID_BYTES));
    str_add(text, "{\"version\":1,");
    str_json_text(text, "name", str_text(&name));
    str_add(text, ",\"policies\":{\"session\":{\"like\":\"transport\",\"max_attempts\":1}}");
    str_add(text, ",\"agents\":{");
    str_json_key(text, session->agent);
    str_add_char(text, '{');
    str_json_text(text, "like", is_known ? session->agent : "generic");
    if (!is_known)
        str_json_text(text, "program", session->agent);
    str_add(text, ",\"argv\":[],\"permission_args\":[]}}");
    str_add(text, ",\"tasks\":[{");
    str_json_text(text, "id", session->agent);
    str_json_text(text, "title", str_text(&name));
    str_add(text, ",\"steps\":[{\"policy\":\"session\",\"idempotent\":true,");
    str_json_text(text, "agent", session->agent);
    str_json_text(text, "prompt", "(a person's)");
    str_add(text, "}]}]}");
    str_done(&name);

    bool ok = plan_parse_with(str_text(text), text->len, &context, out, &violations);
    if (!ok)
        (void)err_set(err, ERR_INVALID, "cannot make a plan for agent '%s': %s", session->agent,
                      violations.count > 0 ? violations.items[0].message : "it is invalid");
    violations_done(&violations);
    if (ok && plan_has_more(*out)) {
        str_clear(text);
        plan_write(*out, text);
    }
    return ok;
}

/* Begins the run, starts its attempt and records the session. */
static bool write_begin(struct log_writer *writer, const struct call_session *session,
                        const struct log_run *run, struct run_state *state, struct err *err)
{
    struct scheduler scheduler = {.state = state};
    struct turn turn = {0};
    int64_t number = 0;
    bool ok = log_writer_begin(writer, run, state, &number, err);
    call_digester_open(&scheduler.calls, session->dir, NULL);
    if (ok) {
        struct input begin = {.kind = INPUT_START, .now = run->now, .jobs = 1};
        (void)snprintf(begin.control.by, sizeof(begin.control.by), "%s", session->agent);
        scheduler_step(&scheduler, &begin, &turn);

        struct input fact = {.kind = INPUT_FACT, .now = run->now, .attempt = 1};
        fact.fact_event = event_new(EVENT_AGENT_SESSION);
        fact.fact_event.session.agent = session->agent;
        fact.fact_event.session.session = session->id;
        scheduler_step(&scheduler, &fact, &turn);

        const struct log_batch batch = {.events = turn.events.items,
                                        .event_count = turn.events.count};
        ok = log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, err);
    }
    turn_done(&turn);
    call_digester_close(scheduler.calls);
    return ok;
}

bool call_run_begin(const struct place *place, const struct call_session *session,
                    const struct moment *now, struct err *err)
{
    struct log_writer *writer = NULL;
    struct plan *plan = NULL;
    struct run_state state;
    struct str text = {0};
    if (!make_plan(session, &plan, &text, err)) {
        str_done(&text);
        return false;
    }
    const struct log_run run = {.name = plan->name,
                                .kind = "agent",
                                .plan_text = str_text(&text),
                                .dir = session->dir,
                                .command = session->agent,
                                .jobs = 1,
                                .tasks = 1,
                                .now = *now};
    run_state_init(&state, plan, run.seed);
    bool ok =
        log_writer_open(&writer, place, err) && write_begin(writer, session, &run, &state, err);
    log_writer_close(writer);
    run_state_done(&state);
    plan_free(plan);
    str_done(&text);
    return ok;
}

/* Records the end of the attempt. */
static bool write_end(struct log_writer *writer, struct run_state *state, int exit,
                      const struct moment *at, struct err *err)
{
    const struct step_state *step = run_state_step(state, 0);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct scheduler scheduler = {.state = state};
    struct turn turn = {0};
    struct input input = {.kind = INPUT_ENDED, .now = *at, .attempt = attempt->number};
    const struct task_state *task = &state->tasks[0];
    const struct circles *calls = task->agent ? task->agent->calls : NULL;
    const bool has_loop = calls && calls->verdict.level != ENTROPY_OK;
    if (exit == CALL_LOG_END_UNTOLD)
        exit = has_loop ? CALL_LOG_END_STUCK : 0;
    const bool is_stuck = exit == CALL_LOG_END_STUCK;
    const bool is_stopped = is_stuck && task->agent && task->agent->is_stuck;
    input.outcome = (struct outcome){
        .kind = task->cancelling || is_stopped ? OUTCOME_CANCELLED : OUTCOME_EXIT,
        .code = is_stuck ? 1 : exit,
        .ran_ms =
            at->mono_ms > attempt->started.mono_ms ? at->mono_ms - attempt->started.mono_ms : 0};

    /* The verdict on the session: no rule was applied, and there is no retry. A loop that the agent
     * itself detected need not be one for devs. */
    input.verdict = verdict_new();
    if (is_stuck)
        verdict_set_persistent(&input.verdict, REASON_LOOP, "CALLS", "session.failed");
    else if (exit != 0)
        verdict_set_persistent(&input.verdict, REASON_NONE, "", "session.failed");
    scheduler_step(&scheduler, &input, &turn);
    const struct log_gain gain = {.task = 0};
    const struct log_batch batch = {.events = turn.events.items,
                                    .event_count = turn.events.count,
                                    .gains = &gain,
                                    .gain_count = 1};
    bool ok = log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, err);
    turn_done(&turn);
    return ok;
}

bool call_run_end(const struct place *place, int64_t run, int exit, const struct moment *at,
                  struct err *err)
{
    struct follower *follower = NULL;
    struct log_writer *writer = NULL;
    bool ok = follower_open(&follower, place, run, err) &&
              follower_read(follower, 0, NULL, NULL, NULL, err);
    struct run_state *state = ok ? follower_own_state(follower) : NULL;
    const struct attempt_state *attempt = ok ? step_state_attempt(run_state_step(state, 0)) : NULL;
    const bool is_live = attempt && attempt->ended.at_ms == 0 && !state->ended;
    if (ok && is_live)
        ok = log_writer_open(&writer, place, err) && log_writer_resume(writer, run, state, err) &&
             write_end(writer, state, exit, at, err);
    log_writer_close(writer);
    follower_close(follower);
    return ok;
}

bool call_run_limits(const struct place *place, int64_t run, struct entropy_limits *out,
                     struct err *err)
{
    struct follower *follower = NULL;
    const bool ok = follower_open(&follower, place, run, err);
    if (ok)
        *out = follower_state(follower)->plan->loops;
    follower_close(follower);
    return ok;
}
