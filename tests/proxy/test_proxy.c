#define _GNU_SOURCE /* pipe2, signalfd */

#include "proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "attr.h"
#include "follower.h"
#include "json.h"
#include "test_main.h"

enum { LINES_MAX = 64, PATIENCE_MS = 60000 };

/* Three attempts without long waits. */
static const char plan_text[] =
    "{\"version\":1,\"name\":\"mcp\",\"grows\":true,\"jobs\":8,\"policy\":\"quick\","
    "\"policies\":{\"quick\":{\"like\":\"default\",\"base_delay_ms\":1,\"multiplier\":1}},"
    "\"tasks\":[]}";

static char path_entry[] = "PATH=/usr/bin:/bin";
static char *environment[] = {path_entry, NULL};
static char program[] = "/bin/false"; /* no file tool is called here */
static char folder[4096], db[4200];

/* What a client says, line by line: each is sent once `replies` replies are there. */
struct line {
    int replies;
    const char *text;
};

/* A client on a thread of its own. It closes its end after the last reply. */
struct client {
    const struct line *lines;
    size_t count;
    int wanted; /* replies before it goes */
    int to_server, from_server;
    struct str said; /* by the server */
    bool timed_out;
};

static int count_replies(const struct str *said)
{
    int count = 0;
    for (const char *at = str_text(said); (at = strstr(at, "\"jsonrpc\":\"2.0\",\"id\":")); at++)
        count++;
    return count;
}

/* False: nothing more comes. */
static bool hear(struct client *client)
{
    char bytes[4096];
    struct pollfd fd = {.fd = client->from_server, .events = POLLIN};
    client->timed_out = poll(&fd, 1, PATIENCE_MS) <= 0;
    const ssize_t got = client->timed_out ? 0 : read(client->from_server, bytes, sizeof(bytes));
    if (got > 0)
        str_add_n(&client->said, bytes, (size_t)got);
    return got > 0;
}

static void *talk(void *ctx)
{
    struct client *client = ctx;
    bool ok = true;
    for (size_t i = 0; i < client->count && ok; i++) {
        while (ok && count_replies(&client->said) < client->lines[i].replies)
            ok = hear(client);
        const char *text = client->lines[i].text;
        ok = ok && write(client->to_server, text, strlen(text)) == (ssize_t)strlen(text) &&
             write(client->to_server, "\n", 1) == 1;
    }
    while (ok && count_replies(&client->said) < client->wanted)
        ok = hear(client);
    (void)close(client->to_server);
    while (hear(client))
        continue;
    (void)close(client->from_server);
    return NULL;
}

static void setup(void)
{
    (void)snprintf(folder, sizeof(folder), "%s", test_tmpdir());
    (void)snprintf(db, sizeof(db), "%s/devs.db", folder);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* Serves this client to its end. */
static void serve(struct client *client, struct proxy_result *result)
{
    int in[2], out[2];
    pthread_t thread;
    struct plan *plan = NULL;
    struct violations violations = {0};
    struct err err = {0};
    ck_assert(plan_parse(plan_text, strlen(plan_text), &plan, &violations));
    ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    const int no_signal = eventfd(0, EFD_CLOEXEC);
    client->to_server = in[1];
    client->from_server = out[0];
    ck_assert_int_eq(pthread_create(&thread, NULL, talk, client), 0);
    const struct proxy_options options = {.in_fd = in[0],
                                          .out_fd = out[1],
                                          .signal_fd = no_signal,
                                          .db = db,
                                          .program = program,
                                          .engine = {.plan = plan,
                                                     .plan_text = plan_text,
                                                     .command = "devs mcp",
                                                     .run_dir = folder,
                                                     .environment = environment,
                                                     .jobs = PROXY_JOBS,
                                                     .seed = 7}};
    const bool ok = proxy_run(&options, result, &err);
    (void)close(out[1]);
    (void)pthread_join(thread, NULL);
    ck_assert_msg(ok, "%s", err.message);
    ck_assert(!client->timed_out);
    (void)close(in[0]);
    (void)close(no_signal);
    plan_free(plan);
}

/* The reply with this id, which is a number; the caller frees. */
static struct json *find_reply(const struct client *client, int64_t id)
{
    const char *line = str_text(&client->said);
    while (*line != '\0') {
        const size_t len = strcspn(line, "\n");
        struct json *json = NULL;
        ck_assert_msg(json_parse(line, len, &json, NULL, NULL), "no JSON: %.*s", (int)len, line);
        if (json_i64(json_get(json, "id"), -1) == id)
            return json;
        json_free(json);
        line += len + (line[len] == '\n');
    }
    ck_abort_msg("no reply %lld: %s", (long long)id, str_text(&client->said));
}

#define CALL(id, args)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":"          \
    "\"execute_command\",\"arguments\":{" args "}}}"
#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"ann\"}}}"

/* What happened in the log, by kind. */
struct counts {
    int by_kind[EVENT_KIND_COUNT];
};

static bool count_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct counts *counts = ctx;
    (void)state;
    counts->by_kind[event->kind]++;
    return true;
}

static void count_events(int64_t run, struct counts *counts)
{
    struct place place;
    struct follower *follower = NULL;
    struct err err = {0};
    *counts = (struct counts){0};
    ck_assert(place_of_file(db, &place, &err));
    ck_assert_msg(follower_open(&follower, &place, run, &err), "%s", err.message);
    ck_assert_msg(follower_read(follower, 0, count_event, counts, NULL, &err), "%s", err.message);
    ck_assert(follower_state(follower)->ended);
    ck_assert_str_eq(follower_run(follower)->kind, "mcp");
    ck_assert_str_eq(follower_run(follower)->name, "ann");
    follower_close(follower);
}

/* Attempts, waits and the decision are the scheduler's events, and the proxy's answer is one. */
START_TEST(test_A10_every_try_of_a_tools_call_is_the_protocols)
{
    static const struct line lines[] = {
        {0, INITIALIZE},
        {1, CALL(1, "\"argv\":[\"sh\",\"-c\",\"echo ECONNRESET; exit 1\"],\"idempotent\":true")},
        {2, CALL(2, "\"argv\":[\"sh\",\"-c\",\"echo ECONNRESET; exit 1\"]")},
    };
    struct client client = {.lines = lines, .count = ARRAY_LEN(lines), .wanted = 3};
    struct proxy_result result;
    struct counts counts;
    serve(&client, &result);
    ck_assert_int_eq(result.calls, 2);
    count_events(result.run, &counts);
    ck_assert_int_eq(counts.by_kind[EVENT_TASK_ADDED], 2);
    ck_assert_int_eq(counts.by_kind[EVENT_ATTEMPT_STARTED], 3 + 1);
    ck_assert_int_eq(counts.by_kind[EVENT_WAIT_STARTED], 2);
    ck_assert_int_eq(counts.by_kind[EVENT_STEP_ENDED], 2);
    static const int attempts[] = {3, 1};
    for (int64_t i = 0; i < 2; i++) {
        struct json *reply = find_reply(&client, i + 1);
        const struct json *told = json_get(json_get(reply, "result"), "structuredContent");
        ck_assert_int_eq(json_i64(json_get(told, "attempts"), -1), attempts[i]);
        ck_assert_str_eq(json_text(json_get(told, "verdict"), ""), "transient");
        json_free(reply);
    }
    str_done(&client.said);
}
END_TEST

START_TEST(test_a_client_that_calls_nothing_leaves_no_run)
{
    static const struct line lines[] = {
        {0, INITIALIZE},
        {1, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"},
    };
    struct client client = {.lines = lines, .count = ARRAY_LEN(lines), .wanted = 2};
    struct proxy_result result;
    serve(&client, &result);
    ck_assert_int_eq(result.run, 0);
    ck_assert_int_ne(access(db, F_OK), 0);
    str_done(&client.said);
}
END_TEST

START_TEST(test_calls_side_by_side_have_their_own_replies)
{
    static struct line lines[LINES_MAX];
    static char texts[LINES_MAX][256];
    lines[0] = (struct line){0, INITIALIZE};
    for (int i = 1; i < LINES_MAX; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]),
                       "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{"
                       "\"name\":\"execute_command\",\"arguments\":{\"argv\":[\"echo\",\"%d\"]}}}",
                       i, i * 7919);
        lines[i] = (struct line){1, texts[i]};
    }
    struct client client = {.lines = lines, .count = LINES_MAX, .wanted = LINES_MAX};
    struct proxy_result result;
    serve(&client, &result);
    for (int i = 1; i < LINES_MAX; i++) {
        char want[32];
        struct json *reply = find_reply(&client, i);
        const struct json *told = json_get(json_get(reply, "result"), "structuredContent");
        (void)snprintf(want, sizeof(want), "%d\n", i * 7919);
        ck_assert_str_eq(json_text(json_get(told, "stdout"), ""), want);
        json_free(reply);
    }
    str_done(&client.said);
}
END_TEST

/* It is not waited for: its processes are ended with the run. */
START_TEST(test_a_client_that_goes_ends_what_runs)
{
    static const struct line lines[] = {
        {0, INITIALIZE},
        {1, CALL(1, "\"argv\":[\"sleep\",\"600\"]")},
        {1, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"},
    };
    struct client client = {.lines = lines, .count = ARRAY_LEN(lines), .wanted = 2};
    struct proxy_result result;
    struct counts counts;
    serve(&client, &result);
    count_events(result.run, &counts);
    ck_assert_int_eq(counts.by_kind[EVENT_CANCEL_ASKED], 1);
    ck_assert_int_eq(counts.by_kind[EVENT_RUN_ENDED], 1);
    str_done(&client.said);
}
END_TEST

START_TEST(test_a_log_that_cannot_be_made_is_told_to_the_agent)
{
    static const struct line lines[] = {
        {0, INITIALIZE},
        {1, CALL(1, "\"argv\":[\"true\"]")},
    };
    struct client client = {.lines = lines, .count = ARRAY_LEN(lines), .wanted = 2};
    struct proxy_result result;
    (void)snprintf(db, sizeof(db), "/proc/none/devs.db");
    serve(&client, &result);
    struct json *reply = find_reply(&client, 1);
    ck_assert(json_bool(json_get(json_get(reply, "result"), "isError"), false));
    ck_assert_ptr_nonnull(strstr(str_text(&client.said), "not executed: "));
    json_free(reply);
    str_done(&client.said);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("proxy");
    TCase *tcase = test_case(suite, "clients");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_A10_every_try_of_a_tools_call_is_the_protocols);
    tcase_add_test(tcase, test_a_client_that_calls_nothing_leaves_no_run);
    tcase_add_test(tcase, test_calls_side_by_side_have_their_own_replies);
    tcase_add_test(tcase, test_a_client_that_goes_ends_what_runs);
    tcase_add_test(tcase, test_a_log_that_cannot_be_made_is_told_to_the_agent);
    return suite;
}
