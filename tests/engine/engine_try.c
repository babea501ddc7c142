#define _GNU_SOURCE /* environ */

#include "engine_try.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "test_main.h"

enum { POLL_MS = 5 };

static const char usual_keys[] = "'idempotent':true,";

struct engine_try tried;

void try_open_at(const char *dir, const char *log_dir)
{
    char db[PATH_MAX];
    struct err err = {0};
    ck_assert(dir[0] == '/');
    (void)snprintf(tried.dir, sizeof(tried.dir), "%s", dir);
    (void)snprintf(db, sizeof(db), "%s/devs.db", log_dir);
    ck_assert_msg(place_find(db, true, &tried.place, &err), "%s", err.message);
    tried.keys = usual_keys;
    tried.options = (struct engine_options){
        .place = &tried.place,
        .kind = "plan",
        .name = "test",
        .command = "test",
        .run_dir = tried.dir,
        .environment = environ,
        .by = "tester",
        .jobs = 2,
        .seed = 1,
        .at_end = ENGINE_LEAVE,
        .kill_grace_ms = TRY_GRACE_MS,
    };
}

void try_open(void)
{
    const char *dir = test_tmpdir();
    try_open_at(dir, dir);
}

void try_close(void)
{
    engine_stop(tried.engine, NULL);
    log_reader_close(tried.reader);
    event_page_done(&tried.page);
    run_state_done(&tried.state);
    plan_free(tried.plan);
    tried = (struct engine_try){0};
}

static void write_plan(const char *tasks, struct str *text)
{
    str_addf(text,
             "{'version':1,'name':'test',%s'policies':{'quick':"
             "{'like':'default','base_delay_ms':1}},'tasks':[%s]}",
             tried.keys, tasks);
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] == '\'')
            text->data[i] = '"';
    }
}

static void read_plan(const struct str *text)
{
    struct violations violations = {0};
    struct str said = {0};
    run_state_done(&tried.state); /* of the run that is taken up, whose plan goes */
    tried.state = (struct run_state){0};
    plan_free(tried.plan);
    bool ok = plan_parse(text->data, text->len, &tried.plan, &violations);
    violations_display(&violations, &said);
    ck_assert_msg(ok, "%s", str_text(&said));
    tried.options.plan = tried.plan;
    tried.options.plan_text = text->data;
}

void try_start(const char *tasks)
{
    struct str text = {0};
    struct err err = {0};
    write_plan(tasks, &text);
    read_plan(&text);
    ck_assert_msg(engine_start(&tried.engine, &tried.options, &tried.number, &err), "%s",
                  err.message);
    ck_assert_int_eq(tried.number, 1);
    str_done(&text);
}

bool try_refuse(const char *tasks, struct err *err)
{
    struct str text = {0};
    write_plan(tasks, &text);
    read_plan(&text);
    bool ok = engine_start(&tried.engine, &tried.options, &tried.number, err);
    str_done(&text);
    return !ok;
}

bool try_await(bool (*ready)(void))
{
    for (int i = 0; i < TRY_DEADLINE_MS / POLL_MS; i++) {
        if (ready())
            return true;
        (void)poll(NULL, 0, POLL_MS);
    }
    return false;
}

struct engine_result try_finish(void)
{
    struct pollfd done = {.fd = engine_done_fd(tried.engine), .events = POLLIN};
    struct engine_result result;
    int deadline_ms = tried.deadline_ms > 0 ? tried.deadline_ms : TRY_DEADLINE_MS;
    ck_assert_int_eq(poll(&done, 1, deadline_ms), 1);
    engine_stop(tried.engine, &result);
    tried.engine = NULL;
    return result;
}

void try_read_log(void)
{
    struct event_page *page = &tried.page;
    struct err err = {0};
    if (!tried.reader)
        ck_assert_msg(log_reader_open(&tried.reader, &tried.place, &err), "%s", err.message);
    ck_assert_msg(log_reader_events(tried.reader, tried.number, 0, page, &err), "%s", err.message);
    run_state_done(&tried.state);
    run_state_init(&tried.state, tried.plan, tried.options.seed);
    for (size_t i = 0; i < page->count; i++)
        ck_assert_msg(run_state_apply(&tried.state, &page->events[i], &err), "event %zu: %s", i + 1,
                      err.message);
}

void try_run(const char *tasks, int exit_code)
{
    try_start(tasks);
    const struct engine_result result = try_finish();
    if (exit_code != TRY_ANY_EXIT)
        ck_assert_int_eq(result.exit_code, exit_code);
    try_read_log();
}

size_t try_count(enum event_kind kind, int task)
{
    size_t count = 0;
    for (size_t i = 0; i < tried.page.count; i++)
        count += tried.page.events[i].kind == kind && tried.page.events[i].task == task;
    return count;
}

const struct event *try_find(enum event_kind kind, int task)
{
    for (size_t i = 0; i < tried.page.count; i++) {
        if (tried.page.events[i].kind == kind && tried.page.events[i].task == task)
            return &tried.page.events[i];
    }
    ck_abort_msg("no event %s of task %d", event_kind_name(kind), task);
    return NULL;
}

void try_read_output(int task, int attempt, int stream, struct str *out)
{
    struct output_page output = {0};
    struct err err = {0};
    const struct log_output_key key = {.run = tried.number,
                                       .task = task,
                                       .attempt = attempt,
                                       .readable = stream == LOG_STREAM_AGENT};
    int64_t after = 0;
    do {
        ck_assert_msg(log_reader_output(tried.reader, &key, after, &output, &err), "%s",
                      err.message);
        for (size_t i = 0; i < output.count; i++) {
            const struct log_output_row *row = &output.rows[i];
            if (row->stream == stream)
                str_add_n(out, output.text.data + row->start, row->len);
            after = row->id;
        }
    } while (output.count > 0);
    output_page_done(&output);
}

void try_make_file(const char *name)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%.64s", tried.dir, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
}

bool try_has_file(const char *name)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%.64s", tried.dir, name);
    return access(path, F_OK) == 0;
}

bool try_is_ready(void)
{
    return try_has_file("ready");
}
