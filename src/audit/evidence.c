/*
 * evidence.c - reads an attempt from the log again, for the classifier.
 *
 * Each stream is read backwards from its last row, until there are enough bytes or a gap is
 * reached: the log has the beginning and the end of a long output, and bytes before the gap say
 * nothing about the verdict. The buffers are allocated once and used for one attempt after the
 * other.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_stream.h"
#include "fingerprint.h"
#include "log_read.h"
#include "plan.h"
#include "xalloc.h"
#include "zone.h"

enum { STREAMS = 2 };

/* All of stdout is kept if it is an agent's answer or subject to a contract. */
static const size_t rooms[STREAMS] = {CONTRACT_OUTPUT_MAX, CLASSIFY_TAIL_MAX};

/* The last bytes of a stream, assembled backwards: they fill the end of `room`. */
struct tail {
    char *room; /* owned */
    size_t size;
    size_t max; /* number of bytes to keep */
    size_t len;
    int64_t offset;  /* stream offset of the first byte */
    int64_t written; /* total length of the stream */
};

struct evidence {
    struct log_reader *reader; /* borrowed */
    struct tail tails[STREAMS];
    struct agent_stream *stream; /* owned; for the last attempt that was read, NULL = none */
    bool is_agents;              /* the last attempt prompted an agent */
};

static const struct plan_step *step_of(const struct evidence_of *of)
{
    return &of->plan->tasks[of->event->task].steps[of->event->step];
}

/* Reads the end of one stream, from the last row backwards. */
static bool read_tail(struct evidence *evidence, const struct evidence_of *of, int stream,
                      struct err *err)
{
    struct log_reader *reader = evidence->reader;
    struct tail *tail = &evidence->tails[stream];
    sqlite3_stmt *query = reader->queries[LOG_QUERY_STREAM_END];
    (void)sqlite3_bind_int64(query, 1, of->run);
    (void)sqlite3_bind_int(query, 2, of->event->task);
    (void)sqlite3_bind_int(query, 3, of->event->step);
    (void)sqlite3_bind_int(query, 4, of->event->attempt);
    (void)sqlite3_bind_int(query, 5, stream + 1);

    tail->len = 0;
    tail->offset = 0;
    bool row = true;
    bool ok = true;
    while (ok && row && tail->len < tail->max) {
        ok = db_next(&reader->db, query, &row, err);
        if (!ok || !row)
            break;
        const char *bytes = sqlite3_column_blob(query, 1);
        const int64_t len = sqlite3_column_bytes(query, 1);
        const int64_t offset = sqlite3_column_int64(query, 0);
        const bool is_first = tail->len == 0;
        if (offset < 0 || offset > INT64_MAX - len || (!is_first && offset + len < tail->offset))
            break; /* there is a gap: bytes before it are useless */

        /* Prepends the bytes that precede the existing ones, as many as fit. */
        const int64_t wanted = is_first ? len : tail->offset - offset;
        const int64_t room = (int64_t)(tail->max - tail->len);
        const int64_t take = wanted < room ? wanted : room;
        if (take <= 0)
            continue; /* everything is already there */
        tail->offset = offset + wanted - take;
        tail->len += (size_t)take;
        memcpy(tail->room + tail->size - tail->len, bytes + wanted - take, (size_t)take);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static const char *bytes_of(const struct tail *tail)
{
    return tail->room + tail->size - tail->len;
}

static struct classify_text text_of(const struct tail *tail)
{
    const size_t len = tail->len < (size_t)CLASSIFY_TAIL_MAX ? tail->len : CLASSIFY_TAIL_MAX;
    return (struct classify_text){.bytes = bytes_of(tail) + tail->len - len,
                                  .len = len,
                                  .offset = tail->offset + (int64_t)(tail->len - len)};
}

/* Returns true if the log has the last bytes of the stream. */
static bool has_end(const struct tail *tail)
{
    return tail->offset + (int64_t)tail->len == tail->written;
}

static bool is_whole(const struct tail *tail)
{
    return tail->offset == 0 && has_end(tail);
}

static void forget_attempt(struct evidence *evidence)
{
    agent_stream_close(evidence->stream);
    evidence->stream = NULL;
    for (int i = 0; i < STREAMS; i++)
        evidence->tails[i].len = 0;
}

bool evidence_is_end(const struct plan *plan, const struct event *event)
{
    return event->kind == EVENT_ATTEMPT_ENDED && event->task >= 0 &&
           event->task < plan->task_count && event->step >= 0 &&
           event->step < plan->tasks[event->task].step_count && event->ended.outcome.code >= 0;
}

static bool read_output(struct evidence *evidence, const struct evidence_of *of,
                        enum evidence_state *state_out, struct err *err)
{
    const struct plan_step *step = step_of(of);
    const int64_t *written = of->event->ended.outcome.bytes;
    for (int i = 0; i < STREAMS; i++) {
        struct tail *tail = &evidence->tails[i];
        tail->max = of->wants_all || step->agent || step->contract ? tail->size : CLASSIFY_TAIL_MAX;
        tail->written = written[i];
        if (!read_tail(evidence, of, i, err))
            return false;
        if (!has_end(tail))
            *state_out = EVIDENCE_CUT;
    }
    return true;
}

bool evidence_read(struct evidence *evidence, const struct evidence_of *of,
                   struct classify_input *out, enum evidence_state *state_out, struct err *err)
{
    const struct plan_step *step = step_of(of);
    const char *program = adapter_program_of(step->argv[0]);
    forget_attempt(evidence);
    evidence->is_agents = step->agent != NULL;
    *state_out = EVIDENCE_WHOLE;
    *out = (struct classify_input){
        .outcome = of->event->ended.outcome,
        .program = program,
        .argv = step->agent ? NULL : step->argv,
        .agent =
            step->agent ? step->agent->adapter : adapters_of_program(of->plan->adapters, program),
        .one_shot = step->agent != NULL,
        .checks = classify_checks_of(&of->plan->tasks[of->event->task], of->event->step),
        .memory_killed = of->memory_killed,
        .cpu_s = step->sandbox->cpu_s,
        .in_container = sandbox_kind_is_container(step->sandbox->kind),
        .now_ms = of->event->at.at_ms,
        .zone_offset = zone_offset,
    };
    /* If a command succeeded, only rules that may deny success look at its output:
     * classify_may_deny(). */
    const bool ended_well = out->outcome.kind == OUTCOME_EXIT && out->outcome.code == 0;
    if (!of->wants_all && ended_well && !out->agent && !step->contract)
        return true;
    if (!read_output(evidence, of, state_out, err))
        return false;
    const struct tail *stdout_tail = &evidence->tails[0];
    if (evidence->is_agents && is_whole(stdout_tail)) {
        agent_stream_open(&evidence->stream, out->agent, NULL, NULL);
        agent_stream_add(evidence->stream, bytes_of(stdout_tail), stdout_tail->len);
        agent_stream_end(evidence->stream);
    }
    out->out = text_of(stdout_tail);
    out->err = text_of(&evidence->tails[1]);
    out->stream = evidence->stream;
    return true;
}

bool evidence_result(const struct evidence *evidence, struct str *bytes,
                     struct contract_output *out)
{
    const struct tail *tail = &evidence->tails[0];
    const bool is_there = evidence->is_agents
                              ? evidence->stream != NULL
                              : has_end(tail) && (tail->offset == 0 || tail->len == tail->max);
    if (!is_there)
        return false;
    if (evidence->is_agents)
        (void)agent_stream_final(evidence->stream, bytes, NULL);
    else
        str_add_n(bytes, bytes_of(tail), tail->len);
    *out = (struct contract_output){.bytes = bytes->data,
                                    .len = bytes->len,
                                    .written =
                                        evidence->is_agents ? (int64_t)bytes->len : tail->written};
    return true;
}

bool evidence_fingerprint(const struct evidence *evidence, const struct evidence_of *of,
                          const struct outcome *outcome, struct digest *out)
{
    const struct fingerprint_setting setting = {.line_max =
                                                    (size_t)of->plan->limits.output_line_bytes};
    struct fingerprint *fingerprint = NULL;
    bool is_there = !evidence->is_agents;
    for (int i = 0; i < STREAMS; i++)
        is_there = is_there && is_whole(&evidence->tails[i]);
    if (!is_there)
        return false;
    fingerprint_open(&fingerprint, &setting);
    for (int i = 0; i < STREAMS; i++)
        fingerprint_add(fingerprint, i, bytes_of(&evidence->tails[i]), evidence->tails[i].len);
    *out = fingerprint_finish(fingerprint, outcome->kind, outcome->code).digest;
    fingerprint_close(fingerprint);
    return true;
}

void evidence_take_task(struct plan *growing, const struct event *event)
{
    if (!growing || event->kind != EVENT_TASK_ADDED ||
        event->task_added.number != growing->task_count || !event->task_added.task)
        return;
    const char *task = event->task_added.task;
    bool grew = plan_grow(growing, task, strlen(task), NULL);
    (void)grew;
}

void evidence_open(struct evidence **out, struct log_reader *reader)
{
    struct evidence *evidence = xcalloc(1, sizeof(*evidence));
    evidence->reader = reader;
    for (int i = 0; i < STREAMS; i++) {
        evidence->tails[i].size = rooms[i];
        evidence->tails[i].room = xcalloc(rooms[i], 1);
    }
    *out = evidence;
}

void evidence_close(struct evidence *evidence)
{
    if (!evidence)
        return;
    forget_attempt(evidence);
    for (int i = 0; i < STREAMS; i++)
        free(evidence->tails[i].room);
    free(evidence);
}
