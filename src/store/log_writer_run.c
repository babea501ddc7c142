/* log_writer_run.c - the run that a writer appends to: begun, followed, its projections made
 * again. */
#include <assert.h>

#include "log_write.h"
#include "owner.h"
#include "this_process.h"

static bool put_rules(struct log_writer *writer, const struct log_run *run, struct err *err)
{
    if (!run->rules_hash || !run->rules_text)
        return true;
    sqlite3_stmt *put = writer->statements[LOG_PUT_RULES];
    db_bind_text(put, 1, run->rules_hash);
    db_bind_text(put, 2, run->rules_text);
    return db_run(&writer->db, put, err);
}

static bool put_run(struct log_writer *writer, const struct log_run *run, int64_t *number,
                    struct err *err)
{
    struct this_process self;
    this_process_read(&self);
    sqlite3_stmt *put = writer->statements[LOG_PUT_RUN];
    const char *const texts[] = {writer->uid,  run->name,       run->kind, run->dir,
                                 run->command, run->rules_hash, self.boot, DEVS_VERSION};
    const int64_t numbers[] = {(int64_t)run->seed, run->jobs,      run->tasks,
                               self.pid,           self.pid_start, run->now.at_ms};
    const int text_count = (int)ARRAY_LEN(texts);
    for (int i = 0; i < text_count; i++)
        db_bind_text(put, 1 + i, texts[i]);
    for (int i = 0; i < (int)ARRAY_LEN(numbers); i++)
        (void)sqlite3_bind_int64(put, 1 + text_count + i, numbers[i]);
    if (!db_run(&writer->db, put, err))
        return false;
    *number = sqlite3_last_insert_rowid(writer->db.handle);
    return true;
}

static bool put_plan(struct log_writer *writer, const struct log_run *run, int64_t number,
                     struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_PUT_PLAN];
    (void)sqlite3_bind_int64(put, 1, number);
    db_bind_text(put, 2, run->plan_text);
    return db_run(&writer->db, put, err);
}

void log_write_follow(struct log_writer *writer, int64_t number, const struct run_state *state)
{
    writer->run = number;
    writer->state = state;
    writer->last_seq = state->last_seq;
    writer->committed_seq = state->last_seq;
    projection_follow(&writer->projection, number, state);
    projection_touch_all(&writer->projection);
}

/* The run's row, its plan and a row for each task. */
static bool enter_run(struct log_writer *writer, const struct log_run *run,
                      const struct run_state *state, struct err *err)
{
    int64_t number = 0;
    if (!log_write_begin(writer, err) || !put_rules(writer, run, err) ||
        !put_run(writer, run, &number, err) || !put_plan(writer, run, number, err))
        return false;
    log_write_follow(writer, number, state);
    return log_write_projections(writer, err) && log_write_end(writer, err);
}

bool log_writer_begin(struct log_writer *writer, const struct log_run *run,
                      const struct run_state *state, int64_t *number_out, struct err *err)
{
    assert(writer->run == 0);
    assert(state->last_seq == 0);

    /* Owned before anybody can see it: else it would look like an orphan. */
    if (!this_process_uid(writer->uid, err) ||
        !owner_take(&writer->place, writer->uid, &writer->owner_fd, err))
        return false;
    if (!enter_run(writer, run, state, err)) {
        log_write_abort(writer);
        owner_drop(&writer->place, writer->uid, writer->owner_fd);
        writer->owner_fd = -1;
        writer->uid[0] = '\0';
        writer->run = 0;
        return false;
    }
    *number_out = writer->run;
    bell_ring(&writer->bell);
    return true;
}
