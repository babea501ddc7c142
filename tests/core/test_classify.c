#include "classify.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "data_rows.h"
#include "judge.h"
#include "judge_row.h"
#include "str.h"
#include "test_main.h"

/*
 * The outcome alone.
 */

enum memory_counter { COUNTER_UNKNOWN, COUNTER_SAYS_NO, COUNTER_SAYS_KILLED };

static struct verdict judge_fact(enum outcome_kind kind, int code, enum memory_counter counter,
                                 enum outcome_cause cause)
{
    return judge_input(&(struct classify_input){
        .outcome = {.kind = kind, .code = code, .cause = cause},
        .memory_killed = counter == COUNTER_UNKNOWN ? -1 : counter == COUNTER_SAYS_KILLED,
    });
}

static const struct {
    enum outcome_kind kind;
    int code;
    enum memory_counter counter;
    enum transient_type type; /* NONE: persistent, or success after exit 0 */
    enum reason reason;
    const char *subtype; /* NULL: none */
    enum outcome_cause cause;
} facts[] = {
    {.code = 0},
    {.code = 0, .counter = COUNTER_SAYS_KILLED},
    {.code = 1,
     .counter = COUNTER_SAYS_KILLED,
     .type = TRANSIENT_CONTAINER_OOM,
     .subtype = "OOM_KILL"},
    {.code = 137, .counter = COUNTER_SAYS_NO, .reason = REASON_CRASH, .subtype = "SIGKILL"},
    {.code = 139, .reason = REASON_CRASH, .subtype = "CRASH"},
    {.kind = OUTCOME_TIMEOUT, .type = TRANSIENT_RESOURCE_BUSY, .subtype = "TIMEOUT"},
    {.kind = OUTCOME_INTERRUPTED, .type = TRANSIENT_RESOURCE_BUSY, .subtype = "INTERRUPTED"},
    {.kind = OUTCOME_CANCELLED, .reason = REASON_CANCELLED},
    {.kind = OUTCOME_LOST, .type = TRANSIENT_NETWORK_TIMEOUT, .subtype = "HOST_LOST"},
    {.kind = OUTCOME_LOST,
     .cause = CAUSE_NODE,
     .type = TRANSIENT_NETWORK_TIMEOUT,
     .subtype = "HOST_LOST"},
    {.kind = OUTCOME_LOST,
     .cause = CAUSE_PREEMPTED,
     .type = TRANSIENT_RESOURCE_BUSY,
     .subtype = "PREEMPTED"},
    {.kind = OUTCOME_LOST,
     .cause = CAUSE_CANCELLED,
     .reason = REASON_CANCELLED,
     .subtype = "CLUSTER"},
    {.kind = OUTCOME_TIMEOUT,
     .cause = CAUSE_TIME_LIMIT,
     .type = TRANSIENT_RESOURCE_BUSY,
     .subtype = "TIMEOUT"},
    {.kind = OUTCOME_SIGNAL,
     .code = SIGKILL,
     .cause = CAUSE_MEMORY,
     .type = TRANSIENT_CONTAINER_OOM,
     .subtype = "OOM_KILL"},
    {.code = 137, .cause = CAUSE_MEMORY, .type = TRANSIENT_CONTAINER_OOM, .subtype = "OOM_KILL"},
    {.kind = OUTCOME_SIGNAL, .code = SIGSEGV, .reason = REASON_CRASH, .subtype = "SIGSEGV"},
    {.kind = OUTCOME_SIGNAL,
     .code = SIGABRT,
     .counter = COUNTER_SAYS_NO,
     .reason = REASON_CRASH,
     .subtype = "SIGABRT"},
    {.kind = OUTCOME_SIGNAL, .code = SIGKILL, .reason = REASON_CRASH, .subtype = "SIGKILL"},
    {.kind = OUTCOME_SIGNAL,
     .code = SIGKILL,
     .counter = COUNTER_SAYS_KILLED,
     .type = TRANSIENT_CONTAINER_OOM,
     .subtype = "OOM_KILL"},
    {.kind = OUTCOME_SIGNAL, .code = SIGTERM, .subtype = "SIGTERM"},
    {.kind = OUTCOME_SIGNAL, .code = 60},
    {.kind = OUTCOME_NOT_STARTED, .code = ENOENT, .reason = REASON_NOT_FOUND, .subtype = "ENOENT"},
    {.kind = OUTCOME_NOT_STARTED, .code = EACCES, .reason = REASON_PERMISSION, .subtype = "EACCES"},
    {.kind = OUTCOME_NOT_STARTED, .code = E2BIG, .reason = REASON_TOO_LARGE, .subtype = "E2BIG"},
    {.kind = OUTCOME_NOT_STARTED,
     .code = EAGAIN,
     .type = TRANSIENT_RESOURCE_BUSY,
     .subtype = "EAGAIN"},
    {.kind = OUTCOME_NOT_STARTED,
     .code = ETXTBSY,
     .type = TRANSIENT_RESOURCE_BUSY,
     .subtype = "ETXTBSY"},
    {.kind = OUTCOME_NOT_STARTED, .code = ENOEXEC},
};

START_TEST(test_outcome_decides)
{
    const struct verdict verdict =
        judge_fact(facts[_i].kind, facts[_i].code, facts[_i].counter, facts[_i].cause);
    enum verdict_class want = VERDICT_PERSISTENT;
    if (facts[_i].type != TRANSIENT_NONE)
        want = VERDICT_TRANSIENT;
    else if (facts[_i].kind == OUTCOME_EXIT && facts[_i].code == 0)
        want = VERDICT_SUCCESS;

    ck_assert_int_eq(verdict.class, want);
    ck_assert_int_eq(verdict.type, facts[_i].type);
    ck_assert_int_eq(verdict.reason, facts[_i].reason);
    ck_assert_str_eq(verdict.subtype, facts[_i].subtype ? facts[_i].subtype : "");
    ck_assert_int_eq(verdict.stream, VERDICT_STREAM_NONE);
    ck_assert_int_eq(verdict.retry_after_ms, -1);
}
END_TEST

START_TEST(test_outcome_outranks_output)
{
    const struct verdict verdict = judge_input(&(struct classify_input){
        .outcome = {.kind = OUTCOME_TIMEOUT},
        .err = text_of("FAILED test_a.py::test_b - assert 1 == 2\n"),
        .memory_killed = -1,
    });

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
        const struct verdict verdict = judge_input(&(struct classify_input){
            .outcome = {.code = killed[_i].code},
            .err = text_of(killed[_i].err),
            .memory_killed = memory_killed,
        });
        ck_assert_int_eq((int)verdict.class,
                         memory_killed == 0 ? VERDICT_PERSISTENT : VERDICT_TRANSIENT);
        ck_assert_int_eq((int)verdict.type,
                         memory_killed == 0 ? TRANSIENT_NONE : TRANSIENT_CONTAINER_OOM);
    }
}
END_TEST

/* Unlike exit 137, a signal says nothing about memory; only a counter does. */
START_TEST(test_B1_a_signal_is_for_memory_where_a_counter_says_so)
{
    const enum memory_counter counter = (enum memory_counter)_i;
    ck_assert_int_eq((int)judge_fact(OUTCOME_SIGNAL, SIGKILL, counter, CAUSE_NONE).type,
                     counter == COUNTER_SAYS_KILLED ? TRANSIENT_CONTAINER_OOM : TRANSIENT_NONE);
}
END_TEST

static const struct {
    enum outcome_kind kind;
    int code;
    int64_t limit_s, used_ms;
    const char *rule;
} spent[] = {
    {OUTCOME_SIGNAL, 24, 1, 1004, "known.cpu"}, {OUTCOME_SIGNAL, 24, 0, 9000, "known.signal"},
    {OUTCOME_SIGNAL, 9, 1, 3010, "known.cpu"},  {OUTCOME_SIGNAL, 9, 5, 3010, "known.signal"},
    {OUTCOME_EXIT, 137, 1, 3010, "known.cpu"},  {OUTCOME_EXIT, 152, 1, 1004, "known.cpu"},
    {OUTCOME_EXIT, 152, 1, 0, "known.cpu"}, /* in a container: its CPU time is unknown */
    {OUTCOME_EXIT, 152, 0, 9000, "default"},    {OUTCOME_EXIT, 24, 1, 9000, "default"},
};

START_TEST(test_using_up_the_cpu_time_is_a_limit)
{
    const struct verdict verdict = judge_input(&(struct classify_input){
        .outcome = {.kind = spent[_i].kind, .code = spent[_i].code, .cpu_ms = spent[_i].used_ms},
        .memory_killed = -1,
        .cpu_s = spent[_i].limit_s,
    });

    ck_assert_str_eq(verdict.rule, spent[_i].rule);
    ck_assert_int_eq((int)verdict.class, VERDICT_PERSISTENT);
    if (strcmp(verdict.rule, "known.cpu") == 0)
        ck_assert_int_eq((int)verdict.reason, REASON_LIMIT);
}
END_TEST

/* Still tried again, as A6 requires, but without waiting for a container daemon. */
START_TEST(test_A6_125_out_of_a_container_is_the_commands_own)
{
    struct classify_input input = {.outcome = {.code = 125}, .memory_killed = -1};
    ck_assert_int_eq((int)judge_input(&input).type, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE);

    input.in_container = true;
    const struct verdict verdict = judge_input(&input);
    ck_assert_int_eq((int)verdict.class, VERDICT_TRANSIENT);
    ck_assert_int_eq((int)verdict.type, TRANSIENT_RESOURCE_BUSY);
    ck_assert_str_eq(verdict.rule, "exit.125");
}
END_TEST

START_TEST(test_A6_exit_codes)
{
    for (int code = -1; code <= 256; code++) {
        enum verdict_class want = VERDICT_PERSISTENT;
        if (code == 0)
            want = VERDICT_SUCCESS;
        else if (code >= 124 && code <= 128)
            want = VERDICT_TRANSIENT;
        ck_assert_int_eq(classify_exit(code), want);
    }
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
    enum transient_type type;
    const char *subtype;
    const char *err;
    int code;
} b1_cases[] = {
    {"b1.network", TRANSIENT_NETWORK_TIMEOUT, "ETIMEDOUT", "Error: connect ETIMEDOUT 10.0.0.1:443",
     1},
    {"b1.network", TRANSIENT_NETWORK_TIMEOUT, "ECONNRESET", "read ECONNRESET", 1},
    {"b1.network", TRANSIENT_NETWORK_TIMEOUT, "EHOSTUNREACH", "connect EHOSTUNREACH 10.0.0.1:80",
     1},
    {"b1.network", TRANSIENT_NETWORK_TIMEOUT, "ENOTFOUND", "getaddrinfo ENOTFOUND api.test", 1},
    {"b1.docker-socket", TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, "DOCKER",
     "Error: connect ENOENT /var/run/docker.sock", 1},
    {"b1.exit-137", TRANSIENT_CONTAINER_OOM, "OOM_KILL", "", 137},
    {"b1.http-429", TRANSIENT_API_RATE_LIMIT, "HTTP_429", "HTTP 429", 1},
    {"b1.http-429", TRANSIENT_API_RATE_LIMIT, "HTTP_429", "Request failed with status code 429", 1},
    {"b1.http-429", TRANSIENT_API_RATE_LIMIT, "HTTP_429", "429 Too Many Requests", 1},
    {"b1.sandbox-start", TRANSIENT_SANDBOX_START_TIMEOUT, "SANDBOX",
     "Error: Sandbox start exceeded 60000 ms", 1},
    /* The first of the five that matches, wherever in the output. */
    {"b1.network", TRANSIENT_NETWORK_TIMEOUT, "ECONNRESET",
     "HTTP 429\nread ECONNRESET\nSandbox start exceeded 1 s", 137},
    {"b1.docker-socket", TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, "DOCKER",
     "HTTP 429\nconnect ENOENT /var/run/docker.sock", 137},
    {"b1.exit-137", TRANSIENT_CONTAINER_OOM, "OOM_KILL", "HTTP 429", 137},
    {"b1.http-429", TRANSIENT_API_RATE_LIMIT, "HTTP_429", "Sandbox start exceeded 1 s\nHTTP 429",
     1},
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

START_TEST(test_B2_test_verdict_outranks_network_words)
{
    const char *out = "FAILED test_net.py::test_retry - ConnectionError\n1 failed in 0.12s\n";

    const struct verdict verdict = judge(1, "Error: connect ETIMEDOUT 10.0.0.1:443\n", out);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.reason, REASON_TEST_FAIL);
}
END_TEST

/* More candidate lines than the budget allows to check: when in doubt, persistent. */
START_TEST(test_more_output_than_the_budget_is_persistent)
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

/*
 * Corpora of output.
 */

/* A row has the output of a program (exit, stderr, stdout) and the verdict: type (missing or "":
 * not transient), reason, subtype, rule, ask, retry_after_ms (null: none). */
static void check_row(const struct json *row, void *ctx)
{
    (void)ctx;
    const char *err = data_text(row, "stderr");
    const char *out = data_text(row, "stdout");
    const struct verdict verdict = judge((int)json_i64(json_get(row, "exit"), 1), err, out);
    const bool transient = data_text(row, "type")[0] != '\0';
    const struct {
        const char *key, *got;
    } texts[] = {
        {"type", transient_type_name(verdict.type)},
        {"reason", reason_name(verdict.reason)},
        {"subtype", verdict.subtype},
        {"rule", verdict.rule},
    };
    for (int i = 0; i < TABLE_LEN(texts); i++) {
        const struct json *want = json_get(row, texts[i].key);
        if (want)
            ck_assert_msg(strcmp(texts[i].got, json_text(want, "")) == 0,
                          "'%s' '%s': %s is '%s' by %s: %s", err, out, texts[i].key, texts[i].got,
                          verdict.rule, verdict.match);
    }
    if (json_get(row, "type") || json_get(row, "reason"))
        ck_assert_msg(verdict.class == (transient ? VERDICT_TRANSIENT : VERDICT_PERSISTENT),
                      "'%s' '%s': %s by %s", err, out, verdict_class_name(verdict.class),
                      verdict.rule);
    if (json_get(row, "ask"))
        ck_assert_msg(verdict.ask == json_bool(json_get(row, "ask"), false), "'%s'", err);
    if (json_get(row, "retry_after_ms"))
        ck_assert_msg(verdict.retry_after_ms == json_i64(json_get(row, "retry_after_ms"), -1),
                      "'%s': %lld ms", err, (long long)verdict.retry_after_ms);
}

static const struct {
    const char *path;
    int rows;
} corpora[] = {
    {"tests/data/failures.jsonl", 242},
    {"tests/data/failures-more.jsonl", 815},
    {"tests/data/rules-types.jsonl", 144},
    {"tests/data/rules-reasons.jsonl", 75},
};

START_TEST(test_B2_failures_of_many_tools)
{
    ck_assert_int_eq(data_rows(corpora[_i].path, check_row, NULL), corpora[_i].rows);
}
END_TEST

/* What a log puts before each line: text, the number of the line, text. */
static const struct prefix {
    const char *before;
    int digits; /* 0: no number */
    const char *after;
} prefixes[] = {
    {"2026-03-01T10:00:00.", 7, "Z "},
    {"#9 4.", 3, " "},
    {"app-1  | ", 0, ""},
    {"Mar  1 10:00:00 host ci[", 3, "]: "},
    {"[2026-03-01T10:00:00.", 3, "Z] "},
    {"2026-03-01 10:00:01,", 3, " ERROR deploy.runner: "},
};

static void add_prefixes(struct str *out, const char *text, const struct prefix *prefix)
{
    int number = 0;
    for (const char *line = text; *line != '\0'; number++) {
        const size_t len = strcspn(line, "\n");
        str_add(out, prefix->before);
        if (prefix->digits > 0)
            str_addf(out, "%0*d", prefix->digits, number);
        str_addf(out, "%s%.*s\n", prefix->after, (int)len, line);
        line += len + (line[len] == '\n');
    }
}

/* A row has the output of a program, and the class and type of its verdict. */
static void check_captured(const struct json *row, void *ctx)
{
    const struct prefix *prefix = ctx;
    const int code = (int)json_i64(json_get(row, "exit"), 1);
    const char *err = data_text(row, "stderr");
    const char *out = data_text(row, "stdout");
    struct str long_err = {0};
    struct str long_out = {0};
    if (prefix && code == 0)
        return; /* the report of an agent is JSON: a prefix would break it */
    if (prefix) {
        add_prefixes(&long_err, err, prefix);
        add_prefixes(&long_out, out, prefix);
    }
    const struct verdict verdict =
        prefix ? judge(code, str_text(&long_err), str_text(&long_out)) : judge(code, err, out);
    const char *class = verdict_class_name(verdict.class);
    const char *type = transient_type_name(verdict.type);
    ck_assert_msg(strcmp(class, data_text(row, "expect")) == 0 &&
                      strcmp(type, data_text(row, "type")) == 0,
                  "%s: %s %s by %s", data_text(row, "id"), class, type, verdict.rule);
    str_done(&long_err);
    str_done(&long_out);
}

START_TEST(test_B2_captured_failures)
{
    ck_assert_int_eq(data_rows("tests/data/errors-captured.jsonl", check_captured, NULL), 230);
}
END_TEST

START_TEST(test_B2_what_a_log_puts_before_lines_changes_no_verdict)
{
    struct prefix prefix = prefixes[_i];
    data_rows("tests/data/errors-captured.jsonl", check_captured, &prefix);
}
END_TEST

/*
 * The evidence: where in the output the verdict comes from.
 */

START_TEST(test_evidence_points_into_the_raw_stream)
{
    const char *err = "one\r\n\n\x1b[31mError:\x1b[0m read \x1b[1mECONN\x1b[22mRESET \xff\n";
    const struct classify_input input = {
        .outcome = {.code = 1},
        .err = {.bytes = err, .len = strlen(err), .offset = 1000},
        .memory_killed = -1,
    };
    const struct verdict verdict = judge_input(&input);

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
    const struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
}
END_TEST

/*
 * classify_row(): a row of JSON lines gets an answer.
 */

static void check_answered_row(const struct json *test, void *ctx)
{
    (void)ctx;
    judge_row(judge_classifier(), test);
}

START_TEST(test_rows_are_answered)
{
    ck_assert_int_eq(data_rows("tests/data/classify-rows.jsonl", check_answered_row, NULL), 48);
}
END_TEST

START_TEST(test_text_that_is_not_json_has_no_answer)
{
    struct str row = {0};
    struct str out = {0};
    struct err err = {0};
    str_add(&row, "{");
    ck_assert(!classify_row(judge_classifier(), &row, &(struct classify_edge){0}, &out, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_uint_eq(out.len, 0);
    str_done(&row);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classify");
    TCase *outcome = judge_case(suite, "outcome");
    tcase_add_loop_test(outcome, test_outcome_decides, 0, TABLE_LEN(facts));
    tcase_add_test(outcome, test_outcome_outranks_output);
    tcase_add_loop_test(outcome, test_B1_memory_is_the_cause_unless_a_counter_says_not, 0,
                        TABLE_LEN(killed));
    tcase_add_loop_test(outcome, test_B1_a_signal_is_for_memory_where_a_counter_says_so, 0, 3);
    tcase_add_loop_test(outcome, test_using_up_the_cpu_time_is_a_limit, 0, TABLE_LEN(spent));
    tcase_add_test(outcome, test_A6_exit_codes);
    tcase_add_test(outcome, test_A6_125_out_of_a_container_is_the_commands_own);
    tcase_add_loop_test(outcome, test_A6_silent_codes_are_transient, 124, 129);
    tcase_add_loop_test(outcome, test_A6_words_outrank_the_code, 0, TABLE_LEN(words_cases));
    TCase *output = judge_case(suite, "output");
    tcase_add_loop_test(output, test_B1_names_the_failure, 0, TABLE_LEN(b1_cases));
    tcase_add_test(output, test_B1_reads_stdout_if_stderr_is_silent);
    tcase_add_test(output, test_B1_everything_else_is_not_transient);
    tcase_add_test(output, test_B2_test_verdict_outranks_network_words);
    tcase_add_test(output, test_more_output_than_the_budget_is_persistent);
    tcase_add_test(output, test_B2_captured_log_does_not_count);
    TCase *corpus = judge_case(suite, "corpora");
    tcase_add_loop_test(corpus, test_B2_failures_of_many_tools, 0, TABLE_LEN(corpora));
    tcase_add_test(corpus, test_B2_captured_failures);
    tcase_add_loop_test(corpus, test_B2_what_a_log_puts_before_lines_changes_no_verdict, 0,
                        TABLE_LEN(prefixes));
    TCase *evidence = judge_case(suite, "evidence");
    tcase_add_test(evidence, test_evidence_points_into_the_raw_stream);
    tcase_add_test(evidence, test_evidence_after_carriage_returns);
    tcase_add_test(evidence, test_evidence_of_a_long_line_is_the_part_that_matched);
    tcase_add_test(evidence, test_only_the_tail_is_read);
    tcase_add_loop_test(evidence, test_bytes_of_every_kind_are_taken, 0, 20);
    TCase *row = judge_case(suite, "rows");
    tcase_add_test(row, test_rows_are_answered);
    tcase_add_test(row, test_text_that_is_not_json_has_no_answer);
    return suite;
}
