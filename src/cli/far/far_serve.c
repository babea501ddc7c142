/* far_serve.c - devs feed: sends a log to a devs on another machine, and takes its acts.
 *
 * One thread, which never waits for the other side while it holds anything: rows are read only when
 * everything read before has been written. Acts go through a control desk, as those of a screen
 * here do, so a run without an owner is answered as well. */
#include "far.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "event.h"
#include "fail.h"
#include "feed_source.h"
#include "log_reader.h"
#include "plan.h"
#include "redact.h"
#include "secrets.h"
#include "target.h"
#include "text.h"
#include "version.h"
#include "watch.h"

enum {
    LOOK_MS = 1000, /* how often a log without news is looked at */
    ACT_MS = 5,     /* how often the row of an act is looked for */
    IN_MAX = 64 * 1024,
};

/* An act whose row is not written yet, or whose answer is pending. */
struct served_act {
    int64_t ticket; /* of the other side; 0 = it has been told about the row */
    int64_t desk_ticket;
    int64_t run, row;
};

struct server {
    struct place place;
    struct feed_source *source; /* owned; NULL = nothing was requested yet */
    struct watch *watch;        /* owned; NULL = polls */
    struct control_desk *desk;  /* owned; NULL = the log can only be read */
    struct redactor *redactor;  /* owned; NULL = not needed yet */
    struct str in, out;         /* owned */
    size_t out_at;
    enum feed_mode mode;
    int64_t run; /* the run that was requested */
    bool is_begun, has_news, is_over, said_bye;
    struct served_act acts[FAR_PENDING_MAX];
    int act_count;
    int64_t heard_ms, looked_ms, told_ms, acted_ms;
    struct moment now;
};

static void send_message(struct server *server, enum feed_kind kind,
                         const struct feed_value *values, size_t count)
{
    if (!feed_add(&server->out, kind, values, count))
        server->is_over = true; /* too large: cannot happen with values of ours */
}

static void send_fault(struct server *server, const struct err *err)
{
    const struct feed_value fault[] = {feed_number((int64_t)err->code), feed_text(err->message),
                                       feed_text(err->hint)};
    send_message(server, FEED_FAULT, fault, ARRAY_LEN(fault));
    server->is_over = true;
}

/* Requests. */

static bool open_log(struct server *server, const char *db, struct err *err)
{
    struct log_run_info info = {0};
    struct err why = {0};
    struct str bell = {0};
    if (!find_log(db, false, &server->place, err) ||
        !feed_source_open(&server->source, &server->place, server->mode, err))
        return false;
    str_addf(&bell, "%s-bell", server->place.db);
    if (!watch_open(&server->watch, NULL) || !watch_file(server->watch, bell.data, NULL)) {
        watch_close(server->watch);
        server->watch = NULL;
    }
    str_done(&bell);
    if (server->mode == FEED_COLLECT)
        return feed_source_look(server->source, &server->out, err);

    if (!log_reader_run_row(feed_source_reader(server->source), server->run, &info, err))
        return false;
    server->run = info.number;
    log_run_info_done(&info);
    (void)!control_desk_start(&server->desk, &server->place, &why);
    const struct feed_value log[] = {feed_number(server->run), feed_number(server->desk != NULL),
                                     feed_text(why.message), feed_text(server->place.db)};
    send_message(server, FEED_LOG, log, ARRAY_LEN(log));
    return feed_source_look(server->source, &server->out, err);
}

/* Returns the control that a message asks for. False = it is invalid. */
static bool read_ask(struct server *server, const struct feed_message *message, struct control *out)
{
    enum { VERB = 3, TASK, STEP, ATTEMPT, ARGS, BY, KEY };
    struct str args = {0};
    struct str by = {0};
    struct str cut = {0};
    const int64_t verb = feed_number_at(message, VERB, 0);
    const int64_t task = feed_number_at(message, TASK, -1);
    const int64_t step = feed_number_at(message, STEP, -1);
    const int64_t attempt = feed_number_at(message, ATTEMPT, 0);
    feed_text_at(message, ARGS, &args);
    feed_text_at(message, BY, &by);
    *out = (struct control){.key_at_ms = feed_number_at(message, KEY, 0)};
    bool ok = verb > 0 && verb < CONTROL_VERB_COUNT && task < PLAN_TASKS_MAX &&
              step < PLAN_STEPS_MAX && attempt < INT32_MAX;
    if (ok) {
        out->verb = (enum control_verb)verb;
        out->task = (int)task;
        out->step = (int)step;
        out->attempt = (int)attempt;
        text_copy(out->by, sizeof(out->by), str_text(&by));
        ok = control_args_parse(args.len > 0 ? args.data : NULL, out);
    }
    /* The other side has removed its secrets; the log must not get ours either. */
    if (ok && out->hint[0] != '\0' &&
        (server->redactor || secrets_here(&server->redactor) == EXIT_ALL_PASSED)) {
        redact_text(server->redactor, out->hint, strlen(out->hint), &cut, NULL);
        text_copy(out->hint, sizeof(out->hint), str_text(&cut));
    }
    str_done(&args);
    str_done(&by);
    str_done(&cut);
    return ok;
}

static void take_ask(struct server *server, const struct feed_message *message)
{
    const int64_t ticket = feed_number_at(message, 0, 0);
    const int64_t run = feed_number_at(message, 1, 0);
    struct control control;
    struct err err = {0};
    struct served_act act = {.ticket = ticket, .run = run};
    bool ok = server->desk != NULL;
    if (!ok)
        (void)err_set(&err, ERR_INVALID, "the log there can only be read");
    if (ok && !feed_source_is_run(server->source, run, message, 2))
        ok = err_set(&err, ERR_NOT_FOUND, "no run #%lld in that log", (long long)run);
    if (ok && server->act_count == FAR_PENDING_MAX)
        ok = err_set(&err, ERR_LIMIT, "%d actions are already waiting", (int)FAR_PENDING_MAX);
    if (ok && !read_ask(server, message, &control))
        ok = err_set(&err, ERR_INVALID, "unknown action");
    ok = ok && control_desk_ask(server->desk, run, &control, &act.desk_ticket, &err);
    if (ok) {
        server->acts[server->act_count++] = act;
        return;
    }
    const struct feed_value asked[] = {feed_number(ticket), feed_number(0), feed_text(err.message)};
    send_message(server, FEED_ASKED, asked, ARRAY_LEN(asked));
}

static void take_message(struct server *server, const char *db, const struct feed_message *message)
{
    struct err err = {0};
    const int64_t first = message->count > 0 ? feed_number_at(message, 0, 0) : 0;
    bool ok = true;
    if (message->kind == FEED_BEAT)
        return;
    if ((message->kind == FEED_WATCH) != (server->source == NULL)) {
        (void)err_set(&err, ERR_INVALID, "a request is out of order");
        send_fault(server, &err);
        return;
    }
    switch (message->kind) {
    case FEED_WATCH:
        server->mode = first == FEED_COLLECT ? FEED_COLLECT : FEED_FOLLOW;
        server->run = feed_number_at(message, 1, 0);
        ok = open_log(server, db, &err);
        break;
    case FEED_HAVE:
        ok = feed_source_have(server->source, message, &server->out, &err);
        break;
    case FEED_WANT:
        (void)feed_source_want(server->source, first); /* it may have been deleted */
        break;
    case FEED_AGAIN:
        feed_source_again(server->source, first);
        server->said_bye = false;
        break;
    case FEED_PENDING:
        if (server->act_count < FAR_PENDING_MAX)
            server->acts[server->act_count++] =
                (struct served_act){.run = first, .row = feed_number_at(message, 1, 0)};
        break;
    case FEED_GO:
        server->is_begun = true;
        ok = server->mode == FEED_COLLECT || feed_source_want(server->source, server->run) ||
             err_set(&err, ERR_NOT_FOUND, "run #%lld is not among the newest %d runs",
                     (long long)server->run, (int)FEED_RUNS_MAX);
        break;
    case FEED_ASK:
        take_ask(server, message);
        break;
    default: /* the codec accepts no other kinds from the other side */
        break;
    }
    server->has_news = true;
    if (!ok)
        send_fault(server, &err);
}

static void take_input(struct server *server, const char *db)
{
    char bytes[16 * 1024];
    struct feed_message message;
    size_t used = 0;
    size_t at = 0;
    enum feed_got got = FEED_MORE;
    const ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes));
    if (count <= 0) {
        server->is_over = server->is_over || count == 0 || (errno != EAGAIN && errno != EINTR);
        return;
    }
    server->heard_ms = server->now.mono_ms;
    str_add_n(&server->in, bytes, (size_t)count);
    while (!server->is_over && (got = feed_read(str_text(&server->in) + at, server->in.len - at,
                                                false, &message, &used)) == FEED_WHOLE) {
        at += used;
        take_message(server, db, &message);
    }
    if (got == FEED_BAD) {
        struct err err = {0};
        (void)err_set(&err, ERR_INVALID, "devs feed got something invalid");
        send_fault(server, &err);
    }
    memmove(server->in.data, server->in.data + at, server->in.len - at);
    str_cut(&server->in, server->in.len - at);
}

/* What is sent. */

/* Reports rows of acts that were written, and their answers. */
static bool look_at_acts(struct server *server, struct err *err)
{
    int kept = 0;
    bool ok = true;
    for (int i = 0; i < server->act_count; i++) {
        struct served_act *act = &server->acts[i];
        struct err why = {0};
        bool is_answered = false;
        const bool was_written =
            act->row != 0 || control_desk_row(server->desk, act->desk_ticket, &act->row, &why);
        if (ok && was_written && act->row != 0)
            ok = feed_source_control(server->source, act->run, act->row, &server->out, &is_answered,
                                     err);
        if ((act->row != 0 || !was_written) && act->ticket != 0) {
            const struct feed_value asked[] = {feed_number(act->ticket), feed_number(act->row),
                                               feed_text(why.message)};
            send_message(server, FEED_ASKED, asked, ARRAY_LEN(asked));
            act->ticket = 0;
        }
        if (was_written && !is_answered)
            server->acts[kept++] = *act;
    }
    server->act_count = kept;
    return ok;
}

static void send_state(struct server *server)
{
    struct log_trouble trouble = {0};
    struct str words = {0};
    if (server->mode == FEED_FOLLOW)
        log_reader_trouble(feed_source_reader(server->source), server->run, &trouble);
    if (trouble.kind != LOG_TROUBLE_STILL) /* the log is read-only, which was reported */
        log_trouble_words(&trouble, &words);
    const struct feed_value state[] = {feed_number(server->now.at_ms),
                                       feed_number(server->now.mono_ms),
                                       feed_text(str_text(&words))};
    send_message(server, FEED_STATE, state, ARRAY_LEN(state));
    server->told_ms = server->now.mono_ms;
    str_done(&words);
}

/* Reads what the other side lacks. Called only when everything before was written. */
static void fill_output(struct server *server)
{
    struct err err = {0};
    const int64_t now_ms = server->now.mono_ms;
    bool ok = true;
    if (server->source && now_ms - server->told_ms >= FAR_BEAT_MS)
        send_state(server);
    if (!server->is_begun || server->is_over)
        return;
    if (server->act_count > 0 && (server->has_news || now_ms - server->acted_ms >= ACT_MS)) {
        server->acted_ms = now_ms;
        ok = look_at_acts(server, &err);
    }
    const bool looks = server->has_news || now_ms - server->looked_ms >= LOOK_MS;
    if (ok && looks && server->mode == FEED_FOLLOW) {
        ok = feed_source_look(server->source, &server->out, &err);
        server->looked_ms = now_ms;
    }
    const size_t before = server->out.len;
    if (ok && (looks || server->mode == FEED_COLLECT))
        ok = feed_source_fill(server->source, now_ms, &server->out, &err);
    server->has_news = server->out.len > before; /* there may be more */
    if (ok && server->mode == FEED_COLLECT && !server->has_news && !server->said_bye) {
        server->said_bye = true;
        send_message(server, FEED_BYE, NULL, 0);
    }
    /* A log that another process keeps locked is read again later. */
    if (!ok && err.code != ERR_BUSY)
        send_fault(server, &err);
}

static void write_output(struct server *server)
{
    const ssize_t sent =
        write(STDOUT_FILENO, server->out.data + server->out_at, server->out.len - server->out_at);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        server->is_over = true; /* nobody reads it any more */
        server->out_at = server->out.len;
        return;
    }
    server->out_at += sent > 0 ? (size_t)sent : 0;
    if (server->out_at == server->out.len) {
        str_clear(&server->out);
        server->out_at = 0;
    }
}

static void serve(struct server *server, const char *db)
{
    while (!server->is_over || server->out.len > 0) {
        server->now = clock_now();
        if (server->out.len == 0)
            fill_output(server);
        const bool writes = server->out.len > 0;
        const bool works = server->has_news ||
                           (server->mode == FEED_COLLECT && server->is_begun && !server->said_bye);
        struct pollfd fds[] = {
            {.fd = server->is_over ? -1 : STDIN_FILENO, .events = POLLIN},
            {.fd = writes ? STDOUT_FILENO : -1, .events = POLLOUT},
            {.fd = server->watch ? watch_fd(server->watch) : -1, .events = POLLIN},
        };
        int wait_ms = server->watch ? FAR_BEAT_MS : WATCH_POLL_MS;
        if (server->act_count > 0)
            wait_ms = ACT_MS;
        if (writes)
            wait_ms = FAR_BEAT_MS;
        else if (works)
            wait_ms = 0;
        const int ready = poll(fds, ARRAY_LEN(fds), wait_ms);
        server->now = clock_now();
        if (ready > 0 && fds[2].revents != 0 && watch_drain(server->watch))
            server->has_news = true;
        if (ready == 0 && !server->watch)
            server->has_news = true;
        if (ready > 0 && fds[1].revents != 0)
            write_output(server);
        if (ready > 0 && fds[0].revents != 0)
            take_input(server, db);
        /* ssh does not always notice that the link is gone. */
        if (server->now.mono_ms - server->heard_ms > FAR_GONE_MS)
            break;
    }
}

int far_serve(const char *db)
{
    struct server server = {.now = clock_now()};
    const int in = fcntl(STDIN_FILENO, F_GETFL);
    const int out = fcntl(STDOUT_FILENO, F_GETFL);
    server.heard_ms = server.now.mono_ms;
    feed_hello_add(version_text(), &server.out);
    (void)fcntl(STDIN_FILENO, F_SETFL, in | O_NONBLOCK);
    (void)fcntl(STDOUT_FILENO, F_SETFL, out | O_NONBLOCK);
    serve(&server, db);
    (void)fcntl(STDIN_FILENO, F_SETFL, in);
    (void)fcntl(STDOUT_FILENO, F_SETFL, out);
    control_desk_stop(server.desk);
    feed_source_close(server.source);
    watch_close(server.watch);
    redactor_close(server.redactor);
    str_done(&server.in);
    str_done(&server.out);
    return EXIT_ALL_PASSED;
}
