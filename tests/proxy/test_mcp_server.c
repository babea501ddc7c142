#include "mcp_server.h"

#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "mcp_wire.h"
#include "test_main.h"

enum { NOBODY = -1 };

/* Takes calls and lets them lie. */
static struct mcp_call *begun[MCP_CALLS_MAX + 1];
static size_t begun_count, taken_back;
static struct mcp_out out;
static struct mcp_server server;
static struct json *reply;

static void begin(void *ctx, struct mcp_call *call)
{
    (void)ctx;
    begun[begun_count++] = call;
}

static void take_back(void *ctx, struct mcp_call *call)
{
    (void)ctx;
    (void)call;
    taken_back++;
}

static void setup(void)
{
    const struct mcp_host host = {.begin = begin, .take_back = take_back};
    out = (struct mcp_out){.fd = 1}; /* nothing is written to it */
    begun_count = taken_back = 0;
    mcp_server_init(&server, &out, "/srv/shop", &host);
}

static void teardown(void)
{
    mcp_server_done(&server);
    mcp_out_done(&out);
    json_free(reply);
    reply = NULL;
}

/* What was said so far, as one line each. */
static const char *said(void)
{
    return str_text(&out.bytes);
}

static void forget(void)
{
    str_clear(&out.bytes);
}

static void tell(const char *line)
{
    mcp_server_line(&server, line, strlen(line));
}

/* The reply to a message, which is the only one. */
static const struct json *ask(const char *line)
{
    forget();
    tell(line);
    ck_assert_msg(out.bytes.len > 0, "no reply to %s", line);
    ck_assert_ptr_eq(strchr(said(), '\n'), out.bytes.data + out.bytes.len - 1);
    json_free(reply);
    reply = NULL;
    ck_assert(json_parse(said(), out.bytes.len, &reply, NULL, NULL));
    ck_assert_str_eq(json_text(json_get(reply, "jsonrpc"), ""), "2.0");
    return reply;
}

static int64_t error_of(const char *line)
{
    return json_i64(json_get(json_get(ask(line), "error"), "code"), 0);
}

static const struct json *result_of(const char *line)
{
    const struct json *result = json_get(ask(line), "result");
    ck_assert_msg(result, "%s: %s", line, said());
    return result;
}

static const struct {
    const char *name, *line;
    int64_t code;
} errors[] = {
    {"no JSON", "{\"jsonrpc\":", MCP_ERROR_PARSE},
    {"a key twice", "{\"id\":1,\"id\":2}", MCP_ERROR_PARSE},
    {"no object", "42", MCP_ERROR_REQUEST},
    {"no version", "{\"id\":1,\"method\":\"ping\"}", MCP_ERROR_REQUEST},
    {"another version", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", MCP_ERROR_REQUEST},
    {"no method", "{\"jsonrpc\":\"2.0\",\"id\":1}", MCP_ERROR_REQUEST},
    {"method is a number", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}", MCP_ERROR_REQUEST},
    {"id null", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", MCP_ERROR_REQUEST},
    {"id a real", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", MCP_ERROR_REQUEST},
    {"params a list", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
     MCP_ERROR_REQUEST},
    {"unknown method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}",
     MCP_ERROR_METHOD},
    {"unknown tool",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}",
     MCP_ERROR_PARAMS},
    {"no tool", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", MCP_ERROR_PARAMS},
    {"a cursor",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}",
     MCP_ERROR_PARAMS},
    {"initialize without a version",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}", MCP_ERROR_PARAMS},
    {"a batch", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", MCP_ERROR_REQUEST},
    {"stateless, of a version that is not there",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
     "\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\"}}}",
     MCP_ERROR_VERSION},
    {"stateless, without what the client can do",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
     "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
     MCP_ERROR_PARAMS},
    {"stateless, a method that was removed",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{"
     "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
     "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
     MCP_ERROR_METHOD},
};

START_TEST(test_errors_have_their_codes)
{
    int64_t code = error_of(errors[_i].line);
    ck_assert_msg(code == errors[_i].code, "%s: %s", errors[_i].name, said());
    ck_assert_ptr_nonnull(json_text(json_get(json_get(reply, "error"), "message"), NULL));
}
END_TEST

START_TEST(test_a_message_that_is_too_long_is_told)
{
    mcp_server_line(&server, NULL, 0);
    ck_assert_ptr_nonnull(strstr(said(), "\"id\":null"));
    ck_assert_ptr_nonnull(strstr(said(), "-32600"));
    ck_assert_ptr_nonnull(result_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
}
END_TEST

static const struct {
    const char *asked, *want;
} versions[] = {
    {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
    {"2025-11-25", "2025-11-25"}, {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"},
};

/* The id is 0, the keys are in another order, as one client sends them. */
START_TEST(test_initialize_settles_the_version)
{
    char line[512];
    (void)snprintf(line, sizeof(line),
                   "{\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"a\\u001b[1m"
                   "b\\nc\"},\"protocolVersion\":\"%s\",\"capabilities\":{}},\"jsonrpc\":\"2.0\","
                   "\"id\":0}",
                   versions[_i].asked);
    const struct json *result = result_of(line);
    ck_assert_str_eq(json_text(json_get(result, "protocolVersion"), ""), versions[_i].want);
    ck_assert_int_eq(json_i64(json_get(reply, "id"), NOBODY), 0);
    ck_assert_str_eq(json_text(json_get(json_get(result, "serverInfo"), "name"), ""), "devs");
    ck_assert_int_eq(json_kind(json_get(json_get(result, "capabilities"), "tools")),
                     JSON_KIND_OBJECT);
    ck_assert_ptr_null(json_get(result, "resultType"));
    ck_assert_str_eq(server.client, "ab");
}
END_TEST

#define STATELESS                                                                                  \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{},"                                           \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"new one\"}}"

START_TEST(test_the_stateless_era)
{
    const struct json *result =
        result_of("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"server/discover\","
                  "\"params\":{" STATELESS "}}");
    ck_assert_str_eq(json_text(json_get(result, "resultType"), ""), "complete");
    ck_assert_str_eq(json_text(json_at(json_get(result, "supportedVersions"), 0), ""),
                     "2026-07-28");
    ck_assert_int_gt(json_i64(json_get(result, "ttlMs"), NOBODY), 0);
    ck_assert_str_eq(json_text(json_get(reply, "id"), ""), "x");
    ck_assert_str_eq(server.client, "new one");
    result = result_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" //
                       STATELESS "}}");
    ck_assert_str_eq(json_text(json_get(result, "resultType"), ""), "complete");
    ck_assert_str_eq(json_text(json_get(result, "cacheScope"), ""), "public");
    ck_assert_uint_eq(json_count(json_get(result, "tools")), MCP_TOOL_COUNT);
}
END_TEST

START_TEST(test_a_version_that_is_not_there_is_told_which_are)
{
    ck_assert_int_eq(error_of(errors[16].line), MCP_ERROR_VERSION);
    const struct json *data = json_get(json_get(reply, "error"), "data");
    ck_assert_uint_eq(json_count(json_get(data, "supported")), MCP_VERSION_COUNT);
    ck_assert_str_eq(json_text(json_get(data, "requested"), ""), "2099-01-01");
}
END_TEST

START_TEST(test_what_needs_no_reply_has_none)
{
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\",\"params\":{\"a\":1}}");
    tell("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
         "{\"requestId\":99}}");
    ck_assert_uint_eq(out.bytes.len, 0);
}
END_TEST

static void call(const char *id, const char *meta)
{
    char line[512];
    (void)snprintf(line, sizeof(line),
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{"
                   "\"name\":\"execute_command\",\"arguments\":{\"argv\":[\"x\"]}%s}}",
                   id, meta);
    tell(line);
}

START_TEST(test_a_call_is_answered_when_it_is_over)
{
    call("0", "");
    call("\"b\"", "");
    ck_assert_uint_eq(begun_count, 2);
    ck_assert_uint_eq(out.bytes.len, 0);
    ck_assert_str_eq(begun[0]->request.argv[0], "x");
    mcp_server_answer(&server, begun[1], "\"content\":[]");
    ck_assert_str_eq(said(), "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"result\":{\"content\":[]}}\n");
    ck_assert_uint_eq(server.call_count, 1);
    forget();
    call("0", "");
    ck_assert_ptr_nonnull(strstr(said(), "still in progress"));
}
END_TEST

START_TEST(test_wrong_arguments_are_a_result_that_the_model_sees)
{
    const struct json *result =
        result_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                  "\"execute_command\",\"arguments\":{}}}");
    ck_assert(json_bool(json_get(result, "isError"), false));
    ck_assert_uint_eq(begun_count, 0);
    const struct json *data = json_get(result, "structuredContent");
    ck_assert_str_eq(json_text(json_get(data, "verdict"), ""), "not-executed");
}
END_TEST

START_TEST(test_a_call_that_is_taken_back_has_no_reply)
{
    call("1", "");
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":1,\"reason\":\"enough\"}}");
    tell("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
         "\"requestId\":1}}");
    ck_assert_uint_eq(taken_back, 1);
    mcp_server_progress(&server, begun[0], "still there");
    mcp_server_answer(&server, begun[0], "");
    ck_assert_uint_eq(out.bytes.len, 0);
}
END_TEST

START_TEST(test_progress_rises_and_has_the_clients_token)
{
    call("1", ",\"_meta\":{\"progressToken\":0}");
    call("2", "");
    mcp_server_progress(&server, begun[0], "one");
    mcp_server_progress(&server, begun[0], "two");
    mcp_server_progress(&server, begun[1], "nobody asked");
    ck_assert_str_eq(said(),
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                     "\"progressToken\":0,\"progress\":1,\"message\":\"one\"}}\n"
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                     "\"progressToken\":0,\"progress\":2,\"message\":\"two\"}}\n");
}
END_TEST

START_TEST(test_more_calls_than_may_be_are_told_so)
{
    char id[16];
    for (int i = 0; i < MCP_CALLS_MAX; i++) {
        (void)snprintf(id, sizeof(id), "%d", i);
        call(id, "");
    }
    ck_assert_uint_eq(out.bytes.len, 0);
    call("999", "");
    ck_assert_uint_eq(begun_count, MCP_CALLS_MAX);
    ck_assert_ptr_nonnull(strstr(said(), "64 calls are in progress"));
    ck_assert_ptr_nonnull(strstr(said(), "\"isError\":true"));
    mcp_server_answer(&server, begun[3], "");
    forget();
    call("999", "");
    ck_assert_uint_eq(begun_count, MCP_CALLS_MAX + 1);
}
END_TEST

START_TEST(test_a_batch_is_answered_as_one)
{
    (void)ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
              "\"protocolVersion\":\"2025-03-26\"}}");
    forget();
    tell("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},7,"
         "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
         "\"run_tests\"}},"
         "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":"
         "\"run_tests\"}}]");
    ck_assert_uint_eq(out.bytes.len, 0);
    mcp_server_answer(&server, begun[0], "\"a\":1");
    begun[1]->is_taken_back = true;
    mcp_server_answer(&server, begun[1], "");
    json_free(reply);
    ck_assert(json_parse(said(), out.bytes.len, &reply, NULL, NULL));
    ck_assert_uint_eq(json_count(reply), 3);
    ck_assert_int_eq(json_i64(json_get(json_at(reply, 2), "id"), NOBODY), 2);
    ck_assert_int_eq(error_of("[]"), MCP_ERROR_REQUEST);
    forget();
    tell("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]");
    ck_assert_uint_eq(out.bytes.len, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mcp_server");
    TCase *tcase = test_case(suite, "messages");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_errors_have_their_codes, 0, ARRAY_LEN(errors));
    tcase_add_test(tcase, test_a_message_that_is_too_long_is_told);
    tcase_add_loop_test(tcase, test_initialize_settles_the_version, 0, ARRAY_LEN(versions));
    tcase_add_test(tcase, test_the_stateless_era);
    tcase_add_test(tcase, test_a_version_that_is_not_there_is_told_which_are);
    tcase_add_test(tcase, test_what_needs_no_reply_has_none);
    tcase_add_test(tcase, test_a_call_is_answered_when_it_is_over);
    tcase_add_test(tcase, test_wrong_arguments_are_a_result_that_the_model_sees);
    tcase_add_test(tcase, test_a_call_that_is_taken_back_has_no_reply);
    tcase_add_test(tcase, test_progress_rises_and_has_the_clients_token);
    tcase_add_test(tcase, test_more_calls_than_may_be_are_told_so);
    tcase_add_test(tcase, test_a_batch_is_answered_as_one);
    return suite;
}
