#include "classify.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify_rows.h"
#include "json.h"
#include "judge.h"
#include "str.h"
#include "test_main.h"

enum {
    CAPTURED_RIGHT_PERCENT = 97, /* floor; all of them were right when it was set */
};

static struct verdict judge_fact(enum outcome_kind kind, int code, int memory_killed)
{
    const struct classify_input input = {
        .outcome = {.kind = kind, .code = code},
        .memory_killed = memory_killed,
    };
    struct verdict verdict;
    classify(judge_classifier(), &input, &verdict);
    return verdict;
}

static const struct {
    enum outcome_kind kind;
    int code;
    int memory_killed;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    const char *subtype;
} fact_cases[] = {
    {OUTCOME_EXIT, 0, -1, VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE, ""},
    {OUTCOME_EXIT, 0, 1, VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE, ""},
    {OUTCOME_TIMEOUT, 0, -1, VERDICT_TRANSIENT, TRANSIENT_RESOURCE_BUSY, REASON_NONE, "TIMEOUT"},
    {OUTCOME_INTERRUPTED, 0, -1, VERDICT_TRANSIENT, TRANSIENT_RESOURCE_BUSY, REASON_NONE,
     "INTERRUPTED"},
    {OUTCOME_CANCELLED, 0, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CANCELLED, ""},
    {OUTCOME_SIGNAL, SIGSEGV, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CRASH, "SIGSEGV"},
    {OUTCOME_SIGNAL, SIGABRT, 0, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CRASH, "SIGABRT"},
    {OUTCOME_SIGNAL, SIGKILL, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CRASH, "SIGKILL"},
    {OUTCOME_SIGNAL, SIGKILL, 1, VERDICT_TRANSIENT, TRANSIENT_CONTAINER_OOM, REASON_NONE,
     "OOM_KILL"},
    {OUTCOME_SIGNAL, SIGTERM, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_NONE, "SIGTERM"},
    {OUTCOME_SIGNAL, 60, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_NONE, ""},
    {OUTCOME_EXIT, 1, 1, VERDICT_TRANSIENT, TRANSIENT_CONTAINER_OOM, REASON_NONE, "OOM_KILL"},
    {OUTCOME_EXIT, 137, 0, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CRASH, "SIGKILL"},
    {OUTCOME_EXIT, 139, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CRASH, "CRASH"},
    {OUTCOME_NOT_STARTED, ENOENT, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_NOT_FOUND,
     "ENOENT"},
    {OUTCOME_NOT_STARTED, EACCES, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_PERMISSION,
     "EACCES"},
    {OUTCOME_NOT_STARTED, E2BIG, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_TOO_LARGE, "E2BIG"},
    {OUTCOME_NOT_STARTED, EAGAIN, -1, VERDICT_TRANSIENT, TRANSIENT_RESOURCE_BUSY, REASON_NONE,
     "EAGAIN"},
    {OUTCOME_NOT_STARTED, ETXTBSY, -1, VERDICT_TRANSIENT, TRANSIENT_RESOURCE_BUSY, REASON_NONE,
     "ETXTBSY"},
    {OUTCOME_NOT_STARTED, ENOEXEC, -1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_NONE, ""},
};

START_TEST(test_facts)
{
    const struct verdict verdict =
        judge_fact(fact_cases[_i].kind, fact_cases[_i].code, fact_cases[_i].memory_killed);

    ck_assert_int_eq(verdict.class, fact_cases[_i].class);
    ck_assert_int_eq(verdict.type, fact_cases[_i].type);
    ck_assert_int_eq(verdict.reason, fact_cases[_i].reason);
    ck_assert_str_eq(verdict.subtype, fact_cases[_i].subtype);
    ck_assert_int_eq(verdict.stream, VERDICT_STREAM_NONE);
    ck_assert_int_eq(verdict.retry_after_ms, -1);
}
END_TEST

START_TEST(test_facts_outrank_text)
{
    struct classify_input input = {.outcome = {.kind = OUTCOME_TIMEOUT}, .memory_killed = -1};
    input.err = text_of("FAILED test_a.py::test_b - assert 1 == 2\n");
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

    ck_assert_str_eq(verdict.rule, "known.timeout");
}
END_TEST

static const struct {
    int code;
    const char *err;
} killed[] = {
    {137, ""},
    {2, "make: *** [Makefile:3: check] Error 137\n"},
    {2, "make: *** [Makefile:3: check] Killed\n"},
    {1, "cc: fatal error: Killed signal terminated program cc1\n"},
    {1, "./build.sh: line 3: 4711 Killed                  ./server\n"},
    {1, "exited with code 137\n"},
};

/* What looks like a kill for memory is one, unless a counter denies it. */
START_TEST(test_B1_memory_is_the_cause_unless_a_counter_says_not)
{
    for (int memory_killed = -1; memory_killed <= 1; memory_killed++) {
        struct classify_input input = {.outcome = {.kind = OUTCOME_EXIT, .code = killed[_i].code},
                                       .err = text_of(killed[_i].err),
                                       .memory_killed = memory_killed};
        struct verdict verdict;
        classify(judge_classifier(), &input, &verdict);
        ck_assert_int_eq((int)verdict.class,
                         memory_killed == 0 ? VERDICT_PERSISTENT : VERDICT_TRANSIENT);
        ck_assert_int_eq((int)verdict.type,
                         memory_killed == 0 ? TRANSIENT_NONE : TRANSIENT_CONTAINER_OOM);
    }
}
END_TEST

/* A signal is no exit 137: nobody says that it was for memory but a counter. */
START_TEST(test_B1_a_signal_is_for_memory_where_a_counter_says_so)
{
    struct classify_input input = {.outcome = {.kind = OUTCOME_SIGNAL, .code = 9},
                                   .memory_killed = _i - 1};
    struct verdict verdict;
    classify(judge_classifier(), &input, &verdict);
    ck_assert_int_eq((int)verdict.type,
                     input.memory_killed == 1 ? TRANSIENT_CONTAINER_OOM : TRANSIENT_NONE);
}
END_TEST

static const struct {
    enum outcome_kind kind;
    int code;
    int64_t cpu_s, cpu_ms;
    const char *rule;
} spent[] = {
    {OUTCOME_SIGNAL, 24, 1, 1004, "known.cpu"},    {OUTCOME_EXIT, 152, 1, 1004, "known.cpu"},
    {OUTCOME_EXIT, 152, 1, 0, "known.cpu"}, /* in a container: its time is not ours to see */
    {OUTCOME_SIGNAL, 9, 1, 3010, "known.cpu"},     {OUTCOME_EXIT, 137, 1, 3010, "known.cpu"},
    {OUTCOME_SIGNAL, 9, 5, 3010, "known.signal"},  {OUTCOME_EXIT, 152, 0, 9000, "default"},
    {OUTCOME_SIGNAL, 24, 0, 9000, "known.signal"}, {OUTCOME_EXIT, 24, 1, 9000, "default"},
};

START_TEST(test_what_uses_up_its_cpu_time_has_met_a_limit)
{
    const struct classify_input input = {
        .outcome = {.kind = spent[_i].kind, .code = spent[_i].code, .cpu_ms = spent[_i].cpu_ms},
        .memory_killed = -1,
        .cpu_s = spent[_i].cpu_s};
    struct verdict verdict;
    classify(judge_classifier(), &input, &verdict);
    ck_assert_str_eq(verdict.rule, spent[_i].rule);
    ck_assert_int_eq((int)verdict.class, VERDICT_PERSISTENT);
    if (strcmp(verdict.rule, "known.cpu") == 0)
        ck_assert_int_eq((int)verdict.reason, REASON_LIMIT);
}
END_TEST

/* Still tried again, as A6 has it; but no docker must come back for that. */
START_TEST(test_A6_125_out_of_a_container_is_the_commands_own)
{
    struct classify_input input = {.outcome = {.kind = OUTCOME_EXIT, .code = 125},
                                   .memory_killed = -1};
    struct verdict verdict;
    classify(judge_classifier(), &input, &verdict);
    ck_assert_int_eq((int)verdict.type, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE);
    input.in_container = true;
    classify(judge_classifier(), &input, &verdict);
    ck_assert_int_eq((int)verdict.class, VERDICT_TRANSIENT);
    ck_assert_int_eq((int)verdict.type, TRANSIENT_RESOURCE_BUSY);
    ck_assert_str_eq(verdict.rule, "exit.125");
}
END_TEST

START_TEST(test_A6_exit_codes)
{
    enum verdict_class want = VERDICT_PERSISTENT;
    if (_i == 0)
        want = VERDICT_SUCCESS;
    else if (_i >= 124 && _i <= 128)
        want = VERDICT_TRANSIENT;

    ck_assert_int_eq(classify_exit(_i), want);
}
END_TEST

START_TEST(test_A6_odd_codes_are_persistent)
{
    ck_assert_int_eq(classify_exit(-1), VERDICT_PERSISTENT);
    ck_assert_int_eq(classify_exit(256), VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_A6_silent_codes_are_transient)
{
    const struct verdict verdict = judge(_i, "", "");

    ck_assert_int_eq(verdict.class, VERDICT_TRANSIENT);
    ck_assert_msg(strncmp(verdict.rule, "exit.", 5) == 0, "%s", verdict.rule);
}
END_TEST

static const struct {
    int code;
    const char *err;
    enum reason reason;
} words_cases[] = {
    {125, "unknown flag: --rmm\n", REASON_USAGE},
    {125, "something else failed\n", REASON_NONE},
    {126, "bash: line 1: ./run.sh: Permission denied\n", REASON_PERMISSION},
    {127, "sh: 1: tsc: not found\n", REASON_NOT_FOUND},
    {128, "fatal: not a git repository (or any of the parent directories): .git\n", REASON_USAGE},
    {128, "fatal: this is new\n", REASON_NONE},
};

START_TEST(test_A6_words_outrank_the_code)
{
    const struct verdict verdict = judge(words_cases[_i].code, words_cases[_i].err, "");

    ck_assert_msg(verdict.class == VERDICT_PERSISTENT, "%s", verdict.rule);
    ck_assert_int_eq(verdict.reason, words_cases[_i].reason);
}
END_TEST

static const struct {
    const char *rule;
    int code;
    const char *err;
    enum transient_type type;
    const char *subtype;
} b1_cases[] = {
    {"b1.network", 1, "Error: connect ETIMEDOUT 10.0.0.1:443\n", TRANSIENT_NETWORK_TIMEOUT,
     "ETIMEDOUT"},
    {"b1.network", 1, "read ECONNRESET\n", TRANSIENT_NETWORK_TIMEOUT, "ECONNRESET"},
    {"b1.network", 1, "connect EHOSTUNREACH 10.0.0.1:80\n", TRANSIENT_NETWORK_TIMEOUT,
     "EHOSTUNREACH"},
    {"b1.network", 1, "getaddrinfo ENOTFOUND api.test\n", TRANSIENT_NETWORK_TIMEOUT, "ENOTFOUND"},
    {"b1.docker-socket", 1, "Error: connect ENOENT /var/run/docker.sock\n",
     TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, "DOCKER"},
    {"b1.exit-137", 137, "", TRANSIENT_CONTAINER_OOM, "OOM_KILL"},
    {"b1.http-429", 1, "HTTP 429\n", TRANSIENT_API_RATE_LIMIT, "HTTP_429"},
    {"b1.http-429", 1, "Request failed with status code 429\n", TRANSIENT_API_RATE_LIMIT,
     "HTTP_429"},
    {"b1.http-429", 1, "429 Too Many Requests\n", TRANSIENT_API_RATE_LIMIT, "HTTP_429"},
    {"b1.sandbox-start", 1, "Error: Sandbox start exceeded 60000 ms\n",
     TRANSIENT_SANDBOX_START_TIMEOUT, "SANDBOX"},
    /* The order: the first of the five that holds, wherever it stands. */
    {"b1.network", 137, "HTTP 429\nread ECONNRESET\nSandbox start exceeded 1 s\n",
     TRANSIENT_NETWORK_TIMEOUT, "ECONNRESET"},
    {"b1.docker-socket", 137, "HTTP 429\nconnect ENOENT /var/run/docker.sock\n",
     TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, "DOCKER"},
    {"b1.exit-137", 137, "HTTP 429\n", TRANSIENT_CONTAINER_OOM, "OOM_KILL"},
    {"b1.http-429", 1, "Sandbox start exceeded 1 s\nHTTP 429\n", TRANSIENT_API_RATE_LIMIT,
     "HTTP_429"},
};

START_TEST(test_B1_names_the_failure)
{
    const struct verdict verdict = judge(b1_cases[_i].code, b1_cases[_i].err, "");

    ck_assert_str_eq(verdict.rule, b1_cases[_i].rule);
    ck_assert_int_eq(verdict.class, VERDICT_TRANSIENT);
    ck_assert_int_eq(verdict.type, b1_cases[_i].type);
    ck_assert_str_eq(verdict.subtype, b1_cases[_i].subtype);
}
END_TEST

START_TEST(test_B1_reads_stdout_if_stderr_is_silent)
{
    ck_assert_str_eq(judge(1, "", "connect ETIMEDOUT 10.0.0.1:443\n").rule, "b1.network");
    ck_assert_int_eq(judge(1, "ls: cannot access 'x'\n", "connect ETIMEDOUT\n").class,
                     VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_B1_everything_else_is_not_transient)
{
    const struct verdict verdict = judge(1, "it did not work\n", "");

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_str_eq(verdict.rule, "default");
}
END_TEST

/* Words and numbers that must have their context. */
static const char *const harmless[] = {
    "p.c:429:3: note: x\n",
    "port 4290 chosen, error 1370\n",
    "wrote net/ETIMEDOUT.h\n",
    "E_ETIMEDOUT\n",
    "got 500 rows\n",
    "line 429: bad\n",
    "  429 | return ETIMEDOUT;\n",
    "-{\"code\": 429}\n",
    "E   requests.ConnectionError: ECONNRESET\n",
    "DEBUG read ECONNRESET, trying again\n",
    "AssertionError: ECONNRESET\n",
    "expected HTTP 503 but the server is up\n",
    "::1 - - [21/Nov/2026 01:02:03] \"GET /health HTTP/1.1\" 503 -\n",
    "exit status 500\n",
    "the test timed out\n",
    "make: *** [Makefile:137: all] Error 2\n",
};

START_TEST(test_B2_genuine_failures_are_persistent)
{
    const struct row *row = &genuine_cases[_i];

    const struct verdict verdict = judge(row->code, row->err, row->out);

    ck_assert_msg(verdict.class == VERDICT_PERSISTENT, "%s: %s by %s: %s", row->name,
                  transient_type_name(verdict.type), verdict.rule, verdict.match);
}
END_TEST

START_TEST(test_B2_words_without_context_do_not_count)
{
    const struct verdict verdict = judge(1, harmless[_i], "");

    ck_assert_msg(verdict.class == VERDICT_PERSISTENT, "%s by %s", harmless[_i], verdict.rule);
}
END_TEST

START_TEST(test_B2_test_verdict_outranks_network_words)
{
    const char *out = "FAILED test_net.py::test_retry - ConnectionError\n1 failed in 0.12s\n";

    const struct verdict verdict = judge(1, "Error: connect ETIMEDOUT 10.0.0.1:443\n", out);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.reason, REASON_TEST_FAIL);
}
END_TEST

/* More words than there is time to look at: in doubt, persistent. */
START_TEST(test_too_much_to_look_at_is_persistent)
{
    struct str out = {0};
    while (out.len < CLASSIFY_TAIL_MAX - 4096)
        str_add(&out,
                "DEBUG read ECONNRESET, timed out, HTTP 429, connection refused; status 503 in "
                "the lock of another process: error: not found, no such host\n");

    const struct verdict verdict = judge(125, "", str_text(&out));

    ck_assert_msg(verdict.rule[0] != 'b' && verdict.rule[0] != 'n', "%s: %s", verdict.rule,
                  verdict.match);
    str_done(&out);
}
END_TEST

START_TEST(test_B2_captured_log_does_not_count)
{
    const char *out = "------ Captured log call ------\nread ECONNRESET\nmore\n"
                      "=========== summary ===========\nsome failure\n";

    ck_assert_int_eq(judge(1, "", out).class, VERDICT_PERSISTENT);
    ck_assert_int_eq(judge(1, "", strstr(out, "read")).class, VERDICT_TRANSIENT);
}
END_TEST

START_TEST(test_passing_failures_are_transient)
{
    const struct row *row = &heal_cases[_i];

    const struct verdict verdict = judge(row->code, row->err, row->out);

    ck_assert_msg(verdict.class == VERDICT_TRANSIENT, "%s: persistent by %s: %s", row->name,
                  verdict.rule, verdict.match);
    ck_assert_msg(verdict.type == row->type, "%s: %s by %s", row->name,
                  transient_type_name(verdict.type), verdict.rule);
}
END_TEST

static const struct {
    const char *err;
    enum reason reason;
    bool ask;
} reason_cases[] = {
    {"FAILED tests/test_a.py::test_b - assert 1 == 2\n", REASON_TEST_FAIL, false},
    {"p.c:3:5: error: 'x' undeclared\n", REASON_COMPILE, false},
    {"error: unrecognized option '--x'\n", REASON_USAGE, false},
    {"cat: a.txt: No such file or directory\n", REASON_NOT_FOUND, false},
    {"mkdir: cannot create directory '/x': Permission denied\n", REASON_PERMISSION, false},
    {"curl: (22) The requested URL returned error: 401\n", REASON_AUTH, true},
    {"{\"type\": \"insufficient_quota\"}\n", REASON_QUOTA, true},
    {"This model's maximum context length is 8192 tokens.\n", REASON_CONTEXT_LENGTH, false},
    {"HTTP Error 400: Bad Request\n", REASON_BAD_REQUEST, false},
    {"curl: (22) The requested URL returned error: 413\n", REASON_TOO_LARGE, false},
    {"CONFLICT (content): Merge conflict in f\n", REASON_CONFLICT, false},
    {"curl: (60) SSL certificate problem: self-signed certificate\n", REASON_CONFIG, false},
    {"Segmentation fault (core dumped)\n", REASON_CRASH, false},
};

START_TEST(test_reason)
{
    const struct verdict verdict = judge(1, reason_cases[_i].err, "");

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_msg(verdict.reason == reason_cases[_i].reason, "%s: '%s' by %s", reason_cases[_i].err,
                  reason_name(verdict.reason), verdict.rule);
    ck_assert_int_eq(verdict.ask, reason_cases[_i].ask);
}
END_TEST

START_TEST(test_evidence_points_into_the_raw_stream)
{
    const char *err = "one\r\n\n\x1b[31mError:\x1b[0m read \x1b[1mECONN\x1b[22mRESET \xff\n";
    const struct classify_input input = {
        .outcome = {.code = 1},
        .err = {.bytes = err, .len = strlen(err), .offset = 1000},
        .memory_killed = -1,
    };
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

    ck_assert_str_eq(verdict.rule, "b1.network");
    ck_assert_int_eq(verdict.stream, VERDICT_STREAM_ERR);
    ck_assert_int_eq(verdict.offset, 1006);
    ck_assert_int_eq(verdict.line, 3);
    ck_assert_str_eq(verdict.match, "Error: read ECONNRESET ?");
}
END_TEST

START_TEST(test_evidence_after_carriage_returns)
{
    const char *err = "10%\r50%\rfatal: early EOF\n";

    const struct verdict verdict = judge(128, err, "");

    ck_assert_str_eq(verdict.match, "fatal: early EOF");
    ck_assert_int_eq(verdict.offset, 8);
    ck_assert_int_eq(verdict.line, 1);
}
END_TEST

START_TEST(test_evidence_of_a_log_line_points_to_its_prefix)
{
    const struct verdict verdict = judge(1, "a\n#9 4.514 read ECONNRESET\n", "");

    ck_assert_int_eq(verdict.offset, 2);
    ck_assert_str_eq(verdict.match, "read ECONNRESET");
}
END_TEST

START_TEST(test_evidence_is_the_last_such_line)
{
    const struct verdict verdict =
        judge(1, "connect ETIMEDOUT 1\nconnect ETIMEDOUT 2\nthat is all\n", "");

    ck_assert_str_eq(verdict.match, "connect ETIMEDOUT 2");
    ck_assert_int_eq(verdict.offset, 20);
}
END_TEST

START_TEST(test_evidence_of_a_long_line_is_the_part_that_matched)
{
    struct str err = {0};
    for (int i = 0; i < 1000; i++)
        str_add(&err, "\xe2\x82\xac");
    str_add(&err, " connect ETIMEDOUT here");
    for (int i = 0; i < 1000; i++)
        str_add(&err, "\xe2\x82\xac");

    const struct verdict verdict = judge(1, str_text(&err), "");

    ck_assert_ptr_nonnull(strstr(verdict.match, "connect ETIMEDOUT here"));
    ck_assert_ptr_null(strchr(verdict.match, '?'));
    ck_assert_int_eq((unsigned char)verdict.match[0], 0xe2);
    str_done(&err);
}
END_TEST

START_TEST(test_only_the_tail_is_read)
{
    struct str err = {0};
    str_add(&err, "connect ETIMEDOUT\n");
    while (err.len < CLASSIFY_TAIL_MAX + 100)
        str_add(&err, "nothing to see here\n");
    ck_assert_int_eq(judge(1, str_text(&err), "").class, VERDICT_PERSISTENT);

    const int64_t at = (int64_t)err.len;
    str_add(&err, "connect ETIMEDOUT\n");
    const struct verdict verdict = judge(1, str_text(&err), "");
    ck_assert_int_eq(verdict.class, VERDICT_TRANSIENT);
    ck_assert_int_eq(verdict.offset, at);
    str_done(&err);
}
END_TEST

START_TEST(test_subtype_is_the_status_either_way)
{
    ck_assert_str_eq(judge(1, "status code: 502\n", "").subtype, "HTTP_502");
    ck_assert_str_eq(judge(1, "502 Bad Gateway\n", "").subtype, "HTTP_502");
}
END_TEST

START_TEST(test_bytes_of_every_kind_are_taken)
{
    char noise[4096];
    uint32_t state = 99U + (uint32_t)_i;
    for (size_t i = 0; i < sizeof(noise); i++) {
        state = state * 1664525U + 1013904223U;
        noise[i] = (char)(state >> 24U);
    }
    const struct classify_input input = {
        .outcome = {.code = 1},
        .out = {.bytes = noise, .len = sizeof(noise)},
        .err = {.bytes = noise, .len = sizeof(noise)},
        .memory_killed = -1,
    };
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_program_decides_about_its_own_codes)
{
    struct classify_input input = {.outcome = {.code = 28}, .memory_killed = -1};
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);
    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    input.program = "curl";
    classify(judge_classifier(), &input, &verdict);
    ck_assert_int_eq(verdict.type, TRANSIENT_NETWORK_TIMEOUT);
}
END_TEST

typedef void row_fn(const struct json *row, const struct verdict *verdict);

static void judge_rows(const char *path, row_fn *check)
{
    char *text = test_read_file(test_source_path(path));
    ck_assert_ptr_nonnull(text);
    int rows = 0;
    for (const char *line = text; *line != '\0'; rows++) {
        const size_t len = strcspn(line, "\n");
        struct json *row = NULL;
        ck_assert(json_parse(line, len, &row, NULL, NULL));
        const struct verdict verdict =
            judge((int)json_i64(json_get(row, "exit"), 1), json_text(json_get(row, "stderr"), ""),
                  json_text(json_get(row, "stdout"), ""));
        check(row, &verdict);
        json_free(row);
        line += len + (line[len] == '\n');
    }
    free(text);
    ck_assert_int_gt(rows, 30);
}

static void check_reason(const struct json *row, const struct verdict *verdict)
{
    const char *words = json_text(json_get(row, "stderr"), "");
    ck_assert_msg(verdict->class == VERDICT_PERSISTENT, "'%s': %s by %s", words,
                  transient_type_name(verdict->type), verdict->rule);
    ck_assert_msg(strcmp(reason_name(verdict->reason), json_text(json_get(row, "reason"), "")) == 0,
                  "'%s': '%s' by %s", words, reason_name(verdict->reason), verdict->rule);
}

START_TEST(test_reasons_of_tools)
{
    judge_rows("tests/data/rules-reasons.jsonl", check_reason);
}
END_TEST

/* A type, or null: the words are dealt with, quoted, or of something else. */
static void check_type(const struct json *row, const struct verdict *verdict)
{
    const char *words = json_text(json_get(row, "stderr"), "");
    const char *want = json_text(json_get(row, "type"), "");
    ck_assert_msg(strcmp(transient_type_name(verdict->type), want) == 0, "'%s': '%s' by %s: %s",
                  words, transient_type_name(verdict->type), verdict->rule, verdict->match);
}

START_TEST(test_B2_types_of_tools_and_what_only_looks_so)
{
    judge_rows("tests/data/rules-types.jsonl", check_type);
}
END_TEST

static void check_tool(const struct json *row, const struct verdict *verdict)
{
    check_type(row, verdict);
    if (verdict->type == TRANSIENT_NONE && json_get(row, "reason"))
        check_reason(row, verdict);
}

START_TEST(test_B2_libraries_and_tools)
{
    judge_rows("tests/data/failures-more.jsonl", check_tool);
}
END_TEST

struct score {
    int rows;
    int right;
    int types;
    int types_right;
    int adversarial_wrong;
};

static void score_row(const struct json *row, struct score *score)
{
    const struct verdict verdict =
        judge((int)json_i64(json_get(row, "exit"), 1), json_text(json_get(row, "stderr"), ""),
              json_text(json_get(row, "stdout"), ""));
    const char *expect = json_text(json_get(row, "expect"), "");
    const char *type = json_text(json_get(row, "type"), "");
    const bool right = strcmp(verdict_class_name(verdict.class), expect) == 0;
    const bool adversarial = json_bool(json_get(row, "adversarial"), false);
    score->rows++;
    score->right += right;
    score->types += type[0] != '\0';
    score->types_right += type[0] != '\0' && strcmp(transient_type_name(verdict.type), type) == 0;
    score->adversarial_wrong +=
        adversarial && strcmp(expect, "persistent") == 0 && verdict.class == VERDICT_TRANSIENT;
    if (!right)
        printf("%s: %s by %s\n", json_text(json_get(row, "id"), "?"),
               verdict_class_name(verdict.class), verdict.rule);
}

START_TEST(test_B2_captured_failures)
{
    char *text = test_read_file(test_source_path("tests/data/errors-captured.jsonl"));
    ck_assert_ptr_nonnull(text);
    struct score score = {0};
    for (const char *line = text; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        struct json *row = NULL;
        ck_assert(json_parse(line, len, &row, NULL, NULL));
        score_row(row, &score);
        json_free(row);
        line += len + (line[len] == '\n');
    }
    free(text);

    printf("captured: %d of %d right, %d of %d types, %d adversarial called transient\n",
           score.right, score.rows, score.types_right, score.types, score.adversarial_wrong);
    ck_assert_int_gt(score.rows, 100);
    ck_assert_int_eq(score.adversarial_wrong, 0);
    ck_assert_int_ge(score.right * 100, score.rows * CAPTURED_RIGHT_PERCENT);
    ck_assert_int_ge(score.types_right * 100, score.types * CAPTURED_RIGHT_PERCENT);
}
END_TEST

/* What a log puts before each line; "%d" is its number. */
static const char *const log_prefixes[] = {
    "2026-03-01T10:00:00.%07dZ ",
    "#9 4.%03d ",
    "app-1  | ",
    "Mar  1 10:00:00 host ci[%d]: ",
    "[2026-03-01T10:00:00.%03dZ] ",
    "2026-03-01 10:00:01,%03d ERROR deploy.runner: ",
};

static void dress(struct str *out, const char *text, const char *prefix)
{
    int number = 0;
    const char *count = strstr(prefix, "%");
    const size_t before = count ? (size_t)(count - prefix) : strlen(prefix);
    const bool wide = count && strncmp(count, "%07d", 4) == 0;
    for (const char *line = text; *line != '\0'; number++) {
        const size_t len = strcspn(line, "\n");
        str_addf(out, "%.*s", (int)before, prefix);
        if (count)
            str_addf(out, wide ? "%07d%s" : "%03d%s", number % 1000, strchr(count, 'd') + 1);
        str_addf(out, "%.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void check_dressed(const struct json *row, const char *prefix)
{
    const char *id = json_text(json_get(row, "id"), "?");
    const int code = (int)json_i64(json_get(row, "exit"), 1);
    struct str err = {0};
    struct str out = {0};
    dress(&err, json_text(json_get(row, "stderr"), ""), prefix);
    dress(&out, json_text(json_get(row, "stdout"), ""), prefix);
    const struct verdict dressed = judge(code, str_text(&err), str_text(&out));
    const struct verdict plain =
        judge(code, json_text(json_get(row, "stderr"), ""), json_text(json_get(row, "stdout"), ""));
    ck_assert_msg(dressed.class == plain.class && dressed.type == plain.type,
                  "%s with '%s': %s by %s, plain %s by %s", id, prefix,
                  verdict_class_name(dressed.class), dressed.rule, verdict_class_name(plain.class),
                  plain.rule);
    str_done(&err);
    str_done(&out);
}

START_TEST(test_B2_what_a_log_puts_before_lines_changes_no_verdict)
{
    char *text = test_read_file(test_source_path("tests/data/errors-captured.jsonl"));
    ck_assert_ptr_nonnull(text);
    for (const char *line = text; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        struct json *row = NULL;
        ck_assert(json_parse(line, len, &row, NULL, NULL));
        if (json_i64(json_get(row, "exit"), 0) != 0)
            check_dressed(row, log_prefixes[_i]);
        json_free(row);
        line += len + (line[len] == '\n');
    }
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classify");
    TCase *facts = judge_case(suite, "facts");
    tcase_add_loop_test(facts, test_facts, 0, TABLE_LEN(fact_cases));
    tcase_add_test(facts, test_facts_outrank_text);
    TCase *exits = judge_case(suite, "A6");
    tcase_add_loop_test(exits, test_B1_memory_is_the_cause_unless_a_counter_says_not, 0,
                        TABLE_LEN(killed));
    tcase_add_loop_test(exits, test_B1_a_signal_is_for_memory_where_a_counter_says_so, 0, 3);
    tcase_add_loop_test(exits, test_A6_exit_codes, 0, 256);
    tcase_add_test(exits, test_A6_125_out_of_a_container_is_the_commands_own);
    tcase_add_loop_test(exits, test_what_uses_up_its_cpu_time_has_met_a_limit, 0, TABLE_LEN(spent));
    tcase_add_test(exits, test_A6_odd_codes_are_persistent);
    tcase_add_loop_test(exits, test_A6_silent_codes_are_transient, 124, 129);
    tcase_add_loop_test(exits, test_A6_words_outrank_the_code, 0, TABLE_LEN(words_cases));
    TCase *b1 = judge_case(suite, "B1");
    tcase_add_loop_test(b1, test_B1_names_the_failure, 0, TABLE_LEN(b1_cases));
    tcase_add_test(b1, test_B1_reads_stdout_if_stderr_is_silent);
    tcase_add_test(b1, test_B1_everything_else_is_not_transient);
    TCase *b2 = judge_case(suite, "B2");
    tcase_add_loop_test(b2, test_B2_genuine_failures_are_persistent, 0, TABLE_LEN(genuine_cases));
    tcase_add_loop_test(b2, test_B2_words_without_context_do_not_count, 0, TABLE_LEN(harmless));
    tcase_add_test(b2, test_B2_test_verdict_outranks_network_words);
    tcase_add_test(b2, test_too_much_to_look_at_is_persistent);
    tcase_add_test(b2, test_B2_captured_log_does_not_count);
    tcase_add_test(b2, test_B2_captured_failures);
    tcase_add_loop_test(b2, test_B2_what_a_log_puts_before_lines_changes_no_verdict, 0,
                        TABLE_LEN(log_prefixes));
    tcase_add_test(b2, test_B2_types_of_tools_and_what_only_looks_so);
    tcase_add_test(b2, test_B2_libraries_and_tools);
    TCase *words = judge_case(suite, "words");
    tcase_add_loop_test(words, test_passing_failures_are_transient, 0, TABLE_LEN(heal_cases));
    tcase_add_test(words, test_reasons_of_tools);
    tcase_add_loop_test(words, test_reason, 0, TABLE_LEN(reason_cases));
    tcase_add_test(words, test_subtype_is_the_status_either_way);
    tcase_add_test(words, test_program_decides_about_its_own_codes);
    TCase *evidence = judge_case(suite, "evidence");
    tcase_add_test(evidence, test_evidence_points_into_the_raw_stream);
    tcase_add_test(evidence, test_evidence_after_carriage_returns);
    tcase_add_test(evidence, test_evidence_of_a_log_line_points_to_its_prefix);
    tcase_add_test(evidence, test_evidence_is_the_last_such_line);
    tcase_add_test(evidence, test_evidence_of_a_long_line_is_the_part_that_matched);
    tcase_add_test(evidence, test_only_the_tail_is_read);
    tcase_add_loop_test(evidence, test_bytes_of_every_kind_are_taken, 0, 20);
    return suite;
}
