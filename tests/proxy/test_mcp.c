#include "mcp_server.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attr.h"
#include "file_act.h"
#include "json.h"
#include "mcp_request.h"
#include "mcp_wire.h"
#include "plan.h"
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

static void open_server(void)
{
    const struct mcp_host host = {.begin = begin, .take_back = take_back};
    out = (struct mcp_out){.fd = 1}; /* nothing is written to it */
    begun_count = taken_back = 0;
    mcp_server_init(&server, &out, "/srv/shop", &host);
}

static void close_server(void)
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

/* The line has ' for ". */
static void tell(const char *text)
{
    const char *line = test_json(text);
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
    {"no JSON", "{'jsonrpc':", MCP_ERROR_PARSE},
    {"a key twice", "{'id':1,'id':2}", MCP_ERROR_PARSE},
    {"no object", "42", MCP_ERROR_REQUEST},
    {"no version", "{'id':1,'method':'ping'}", MCP_ERROR_REQUEST},
    {"another version", "{'jsonrpc':'1.0','id':1,'method':'ping'}", MCP_ERROR_REQUEST},
    {"no method", "{'jsonrpc':'2.0','id':1}", MCP_ERROR_REQUEST},
    {"method is a number", "{'jsonrpc':'2.0','id':1,'method':1}", MCP_ERROR_REQUEST},
    {"id null", "{'jsonrpc':'2.0','id':null,'method':'ping'}", MCP_ERROR_REQUEST},
    {"id a real", "{'jsonrpc':'2.0','id':1.5,'method':'ping'}", MCP_ERROR_REQUEST},
    {"params a list", "{'jsonrpc':'2.0','id':1,'method':'ping','params':[]}", MCP_ERROR_REQUEST},
    {"unknown method", "{'jsonrpc':'2.0','id':1,'method':'resources/list'}", MCP_ERROR_METHOD},
    {"unknown tool", "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'rm'}}",
     MCP_ERROR_PARAMS},
    {"no tool", "{'jsonrpc':'2.0','id':1,'method':'tools/call'}", MCP_ERROR_PARAMS},
    {"a cursor", "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{'cursor':'x'}}",
     MCP_ERROR_PARAMS},
    {"initialize without a version", "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{}}",
     MCP_ERROR_PARAMS},
    {"a batch", "[{'jsonrpc':'2.0','id':1,'method':'ping'}]", MCP_ERROR_REQUEST},
    {"stateless, of a version that is not there",
     "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{'_meta':{'io.modelcontextprotocol/"
     "protocolVersion':'2099-01-01'}}}",
     MCP_ERROR_VERSION},
    {"stateless, without what the client can do",
     "{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{'_meta':{'io.modelcontextprotocol/"
     "protocolVersion':'2026-07-28'}}}",
     MCP_ERROR_PARAMS},
    {"stateless, a method that was removed",
     "{'jsonrpc':'2.0','id':1,'method':'ping','params':{'_meta':{'io.modelcontextprotocol/"
     "protocolVersion':'2026-07-28','io.modelcontextprotocol/clientCapabilities':{}}}}",
     MCP_ERROR_METHOD},
};

START_TEST(test_errors_have_their_codes)
{
    int64_t code = error_of(errors[_i].line);
    ck_assert_msg(code == errors[_i].code, "%s: %s", errors[_i].name, said());
    ck_assert_ptr_nonnull(json_text(json_get(json_get(reply, "error"), "message"), NULL));
}
END_TEST

START_TEST(test_a_message_that_is_too_long_is_an_error)
{
    mcp_server_line(&server, NULL, 0);
    ck_assert_ptr_nonnull(strstr(said(), "\"id\":null"));
    ck_assert_ptr_nonnull(strstr(said(), "-32600"));
    ck_assert_ptr_nonnull(result_of("{'jsonrpc':'2.0','id':1,'method':'ping'}"));
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
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                             \
    "'io.modelcontextprotocol/clientCapabilities':{},"                                             \
    "'io.modelcontextprotocol/clientInfo':{'name':'new one'}}"

START_TEST(test_the_stateless_era)
{
    const struct json *result =
        result_of("{'jsonrpc':'2.0','id':'x','method':'server/discover','params':{" STATELESS "}}");
    ck_assert_str_eq(json_text(json_get(result, "resultType"), ""), "complete");
    ck_assert_str_eq(json_text(json_at(json_get(result, "supportedVersions"), 0), ""),
                     "2026-07-28");
    ck_assert_int_gt(json_i64(json_get(result, "ttlMs"), NOBODY), 0);
    ck_assert_str_eq(json_text(json_get(reply, "id"), ""), "x");
    ck_assert_str_eq(server.client, "new one");
    result = result_of("{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" //
                       STATELESS "}}");
    ck_assert_str_eq(json_text(json_get(result, "resultType"), ""), "complete");
    ck_assert_str_eq(json_text(json_get(result, "cacheScope"), ""), "public");
    ck_assert_uint_eq(json_count(json_get(result, "tools")), MCP_TOOL_COUNT);
}
END_TEST

START_TEST(test_an_unsupported_version_gets_the_supported_ones)
{
    ck_assert_int_eq(error_of(errors[16].line), MCP_ERROR_VERSION);
    const struct json *data = json_get(json_get(reply, "error"), "data");
    ck_assert_uint_eq(json_count(json_get(data, "supported")), MCP_VERSION_COUNT);
    ck_assert_str_eq(json_text(json_get(data, "requested"), ""), "2099-01-01");
}
END_TEST

START_TEST(test_notifications_get_no_reply)
{
    tell("{'jsonrpc':'2.0','method':'notifications/initialized'}");
    tell("{'jsonrpc':'2.0','method':'notifications/whatever','params':{'a':1}}");
    tell("{'jsonrpc':'2.0','id':7,'result':{}}");
    tell("{'jsonrpc':'2.0','method':'notifications/cancelled'}");
    tell("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':99}}");
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
        result_of("{'jsonrpc':'2.0','id':1,'method':'tools/"
                  "call','params':{'name':'execute_command','arguments':{}}}");
    ck_assert(json_bool(json_get(result, "isError"), false));
    ck_assert_uint_eq(begun_count, 0);
    const struct json *data = json_get(result, "structuredContent");
    ck_assert_str_eq(json_text(json_get(data, "verdict"), ""), "not-executed");
}
END_TEST

START_TEST(test_a_canceled_call_gets_no_reply)
{
    call("1", "");
    tell("{'jsonrpc':'2.0','method':'notifications/"
         "cancelled','params':{'requestId':1,'reason':'enough'}}");
    tell("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1}}");
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

START_TEST(test_more_calls_than_the_limit_are_refused)
{
    char id[16];
    for (int i = 0; i < MCP_CALLS_MAX; i++) {
        (void)snprintf(id, sizeof(id), "%d", i);
        call(id, "");
    }
    ck_assert_uint_eq(out.bytes.len, 0);
    call("999", "");
    ck_assert_uint_eq(begun_count, MCP_CALLS_MAX);
    ck_assert_ptr_nonnull(strstr(said(), "64 calls are already in progress"));
    ck_assert_ptr_nonnull(strstr(said(), "\"isError\":true"));
    mcp_server_answer(&server, begun[3], "");
    forget();
    call("999", "");
    ck_assert_uint_eq(begun_count, MCP_CALLS_MAX + 1);
}
END_TEST

START_TEST(test_a_batch_is_answered_as_one)
{
    (void)ask(
        "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-03-26'}}");
    forget();
    tell("[{'jsonrpc':'2.0','id':1,'method':'ping'},{'jsonrpc':'2.0','method':'notifications/"
         "initialized'},7,{'jsonrpc':'2.0','id':2,'method':'tools/"
         "call','params':{'name':'run_tests'}},{'jsonrpc':'2.0','id':3,'method':'tools/"
         "call','params':{'name':'run_tests'}}]");
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
    tell("[{'jsonrpc':'2.0','method':'notifications/initialized'}]");
    ck_assert_uint_eq(out.bytes.len, 0);
}
END_TEST

static struct mcp_request request;
static struct err err;

/* The arguments have ' for ", here and below. */
static bool read_args(enum mcp_tool tool, const char *quoted)
{
    struct json *args = NULL;
    const char *text = test_json(quoted);
    ck_assert(json_parse_data(text, strlen(text), &args, NULL, NULL));
    err = (struct err){0};
    bool ok = mcp_request_read(tool, args, "/srv/shop", &request, &err);
    json_free(args);
    return ok;
}

static void forget_request(void)
{
    mcp_request_done(&request);
}

START_TEST(test_all_arguments_of_a_command)
{
    ck_assert(read_args(MCP_TOOL_EXECUTE, "{'argv':['make','x "
                                          "y'],'cwd':'src','env':{'A':'1=2'},'stdin':'a\\u0000b','"
                                          "timeout_s':1.5,'phase':'RED','idempotent':true}"));
    ck_assert_str_eq(request.argv[1], "x y");
    ck_assert_ptr_null(request.argv[2]);
    ck_assert_str_eq(request.cwd, "src");
    ck_assert_str_eq(request.env[0], "A=1=2");
    ck_assert_uint_eq(request.input_len, 3);
    ck_assert_mem_eq(request.input, "a\0b", 3);
    ck_assert_int_eq(request.timeout_ms, 1500);
    ck_assert_int_eq(request.phase, PHASE_RED);
    ck_assert(request.idempotent);
}
END_TEST

START_TEST(test_defaults_of_arguments)
{
    ck_assert(read_args(MCP_TOOL_EXECUTE, "{'argv':['make']}"));
    ck_assert_int_eq(request.phase, PHASE_GREEN);
    ck_assert_int_eq(request.timeout_ms, MCP_TIMEOUT_MS);
    ck_assert(!request.idempotent);
    mcp_request_done(&request);
    ck_assert(mcp_request_read(MCP_TOOL_TESTS, NULL, "/", &request, &err));
    ck_assert_int_eq(request.phase, PHASE_VERIFY);
    ck_assert(request.idempotent);
    ck_assert_ptr_null(request.argv);
}
END_TEST

static const struct {
    enum mcp_tool tool;
    const char *args, *why;
} wrong_arguments[] = {
    {MCP_TOOL_EXECUTE, "{}", "argument 'argv': it is missing"},
    {MCP_TOOL_EXECUTE, "[]", "arguments must be an object"},
    {MCP_TOOL_EXECUTE, "{'argv':[]}", "argument 'argv': expected a non-empty array of strings"},
    {MCP_TOOL_EXECUTE, "{'argv':'make'}", "argument 'argv': expected a non-empty array of strings"},
    {MCP_TOOL_EXECUTE, "{'argv':['']}", "argument 'argv': the program name is empty"},
    {MCP_TOOL_EXECUTE, "{'argv':['a',1]}", "argument 'argv': expected strings"},
    {MCP_TOOL_EXECUTE, "{'argv':['a\\u0000']}", "argument 'argv': expected strings"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'cmd':1}", "execute_command has no argument 'cmd'"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'cwd':''}", "argument 'cwd'"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'env':{'':'x'}}", "argument 'env': expected names"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'env':{'A':1}}", "argument 'env': expected names"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'stdin':null}", "argument 'stdin': expected a string"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'timeout_s':0}", "argument 'timeout_s': expected seconds"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'timeout_s':1e99}", "argument 'timeout_s': expected seconds"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'phase':'green'}", "argument 'phase': expected RED"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'idempotent':1}", "argument 'idempotent': expected true"},
    {MCP_TOOL_EXECUTE, "{'argv':['a'],'path':'x'}", "execute_command has no argument"},
    {MCP_TOOL_TESTS, "{'stdin':'x'}", "run_tests has no argument 'stdin'"},
    {MCP_TOOL_WRITE, "{'path':'a'}", "argument 'content': it is missing"},
    {MCP_TOOL_WRITE, "{'content':'a'}", "argument 'path': it is missing"},
    {MCP_TOOL_READ, "{'path':''}", "argument 'path': expected the path of a file"},
    {MCP_TOOL_READ, "{'path':'src/'}", "argument 'path': expected a file, not a folder"},
    {MCP_TOOL_READ, "{'path':'/etc/passwd'}", "is not inside the project"},
    {MCP_TOOL_READ, "{'path':'/srv/shopping'}", "is not inside the project"},
    {MCP_TOOL_READ, "{'path':'/srv/shop'}", "is not inside the project"},
    {MCP_TOOL_READ, "{'path':'../x'}", "is not inside the project"},
    {MCP_TOOL_READ, "{'path':'a/../../x'}", "is not inside the project"},
    {MCP_TOOL_READ, "{'path':'a/..'}", "is not inside the project"},
    {MCP_TOOL_READ, "{'path':'.devs/devs.db'}", "belong to devs"},
    {MCP_TOOL_READ, "{'path':'a','offset':-1}", "argument 'offset'"},
    {MCP_TOOL_READ, "{'path':'a','length':0}", "argument 'length'"},
    {MCP_TOOL_READ, "{'path':'a','length':196609}", "argument 'length'"},
};

START_TEST(test_wrong_arguments_are_refused)
{
    ck_assert_msg(!read_args(wrong_arguments[_i].tool, wrong_arguments[_i].args), "%s",
                  wrong_arguments[_i].args);
    ck_assert_msg(strstr(err.message, wrong_arguments[_i].why), "%s: %s", wrong_arguments[_i].args,
                  err.message);
}
END_TEST

static const struct {
    const char *given, *want;
} paths[] = {
    {"src/a.c", "src/a.c"}, {"/srv/shop/src/a.c", "src/a.c"}, {"/srv/shop//a.c", "a.c"},
    {"./a.c", "./a.c"},     {"a..b/..c", "a..b/..c"},
};

START_TEST(test_paths_are_relative_to_the_project)
{
    struct str args = {0};
    str_addf(&args, "{\"path\":\"%s\"}", paths[_i].given);
    ck_assert_msg(read_args(MCP_TOOL_READ, str_text(&args)), "%s", err.message);
    ck_assert_str_eq(request.path, paths[_i].want);
    str_done(&args);
}
END_TEST

/* The list is what the program reads, too. */
START_TEST(test_the_list_names_each_tool)
{
    struct str text = {0};
    struct json *list = NULL;
    enum mcp_tool tool = MCP_TOOL_COUNT;
    mcp_tool_list(&text);
    ck_assert_ptr_null(strchr(str_text(&text), '\n'));
    ck_assert(json_parse(str_text(&text), text.len, &list, NULL, NULL));
    ck_assert_uint_eq(json_count(list), MCP_TOOL_COUNT);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *one = json_at(list, i);
        ck_assert(mcp_tool_parse(json_text(json_get(one, "name"), ""), &tool));
        ck_assert_uint_eq(tool, i);
        ck_assert_str_eq(json_text(json_get(json_get(one, "inputSchema"), "type"), ""), "object");
        ck_assert_int_eq(json_kind(json_get(one, "annotations")), JSON_KIND_OBJECT);
    }
    json_free(list);
    str_done(&text);
}
END_TEST

static char make[] = "make";
static char test_word[] = "test";
static char *const tests[] = {make, test_word, NULL};
static struct plan *base, *plan;

static const char base_text[] = "{\"version\":1,\"grows\":true,\"tasks\":[]}";

static void grow_plan(void)
{
    struct violations violations = {0};
    ck_assert(plan_parse(base_text, strlen(base_text), &base, &violations));
    plan = plan_growing(base);
}

/* The call as the engine takes it: the one step of the last task. */
static const struct plan_step *grow(enum mcp_tool tool, const char *args, enum sandbox_kind kept)
{
    const struct mcp_setting set = {.tests = tests, .program = "/usr/bin/devs", .kept = kept};
    struct json *json = NULL;
    struct str text = {0};
    err = (struct err){0};
    mcp_request_done(&request);
    const char *text_of_args = test_json(args);
    ck_assert(json_parse_data(text_of_args, strlen(text_of_args), &json, NULL, NULL));
    ck_assert_msg(mcp_request_read(tool, json, "/srv", &request, &err), "%s", err.message);
    ck_assert(mcp_task_write(&request, &set, plan->task_count + 1, &text, &err));
    ck_assert_msg(plan_grow(plan, str_text(&text), text.len, &err), "%s", err.message);
    json_free(json);
    str_done(&text);
    return plan->tasks[plan->task_count - 1].steps;
}

START_TEST(test_a_command_becomes_a_step)
{
    const struct plan_step *step =
        grow(MCP_TOOL_EXECUTE,
             "{'argv':['sh','-c','a\\n\\'b\\''],'cwd':'x','env':{'A':'1','B':''},'timeout_s':0.25,'"
             "phase':'VERIFY','idempotent':true}",
             SANDBOX_NONE);
    ck_assert_str_eq(plan->tasks[0].id, "c00001");
    ck_assert_str_eq(plan->tasks[0].title, "execute_command sh -c a \"b\"");
    ck_assert_str_eq(step->argv[2], "a\n\"b\"");
    ck_assert_str_eq(step->cwd, "x");
    ck_assert_str_eq(step->env[0], "A=1");
    ck_assert_str_eq(step->env[1], "B=");
    ck_assert_int_eq(step->timeout_ms, 250);
    ck_assert_int_eq(step->phase, PHASE_VERIFY);
    ck_assert(step->idempotent);
}
END_TEST

START_TEST(test_a_call_that_may_not_be_repeated_has_one_attempt)
{
    const struct plan_step *step = grow(MCP_TOOL_EXECUTE, "{'argv':['x']}", SANDBOX_NONE);
    ck_assert_int_eq(plan_step_attempts(step), 1);
    step = grow(MCP_TOOL_EXECUTE, "{'argv':['x'],'idempotent':true}", SANDBOX_NONE);
    ck_assert_int_eq(plan_step_attempts(step), 3);
    step = grow(MCP_TOOL_EXECUTE, "{'argv':['x'],'idempotent':true,'phase':'RED'}", SANDBOX_NONE);
    ck_assert_int_eq(plan_step_attempts(step), 1);
}
END_TEST

START_TEST(test_tests_are_the_projects_unless_others_are_named)
{
    const struct plan_step *step = grow(MCP_TOOL_TESTS, "{}", SANDBOX_NONE);
    ck_assert_str_eq(step->argv[1], "test");
    step = grow(MCP_TOOL_TESTS, "{'argv':['pytest','-k','tax']}", SANDBOX_NONE);
    ck_assert_str_eq(step->argv[0], "pytest");
    ck_assert_str_eq(plan->tasks[1].title, "run_tests pytest -k tax");
}
END_TEST

START_TEST(test_run_tests_without_a_command_is_refused)
{
    const struct mcp_setting set = {.program = "/usr/bin/devs"};
    struct str text = {0};
    err = (struct err){0};
    ck_assert(mcp_request_read(MCP_TOOL_TESTS, NULL, "/srv", &request, &err));
    ck_assert(!mcp_task_write(&request, &set, 1, &text, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.hint, "devs.config.json"));
    str_done(&text);
}
END_TEST

START_TEST(test_files_are_read_and_written_by_steps)
{
    const struct plan_step *step = grow(MCP_TOOL_READ, "{'path':'-a b','offset':7}", SANDBOX_NONE);
    static const char *const want[] = {"/usr/bin/devs", "mcp", "--read-file", "-a b",
                                       "--offset",      "7",   "--length",    "196608"};
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        ck_assert_pstr_eq(step->argv[i], want[i]);
    step = grow(MCP_TOOL_WRITE, "{'path':'a','content':'x'}", SANDBOX_NONE);
    ck_assert_str_eq(step->argv[2], "--write-file");
    ck_assert_str_eq(plan->tasks[1].title, "write_file a");
    step = grow(MCP_TOOL_READ, "{'path':'a/b'}", SANDBOX_BWRAP);
    ck_assert_str_eq(step->argv[0], "/bin/sh");
    ck_assert_str_eq(step->argv[4], "a/b");
    ck_assert_str_eq(step->argv[5], "0");
    ck_assert_str_eq(step->argv[6], "196608");
}
END_TEST

/* What the sandboxed call runs, in a folder of the test, without the sandbox. */
static int run_script(const struct plan_step *step, const char *folder)
{
    int status = -1;
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        const int input = chdir(folder) == 0 ? open("input", O_RDONLY | O_CLOEXEC) : -1;
        if (dup2(input, STDIN_FILENO) == STDIN_FILENO)
            (void)execv(step->argv[0], step->argv);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void make_file(const char *folder, const char *name, const char *text, mode_t mode)
{
    test_write_file(test_path(folder, name), text, mode);
}

START_TEST(test_a_file_written_in_a_sandbox_keeps_its_mode)
{
    const char *folder = test_tmpdir();
    struct stat info;
    make_file(folder, "input", "echo new\n", 0600);
    make_file(folder, "go.sh", "echo old\n", 0755);
    const struct plan_step *step =
        grow(MCP_TOOL_WRITE, "{'path':'go.sh','content':''}", SANDBOX_BWRAP);
    ck_assert_int_eq(run_script(step, folder), 0);
    ck_assert_int_eq(stat(test_path(folder, "go.sh"), &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0755);
    char *text = test_read_file(test_path(folder, "go.sh"));
    ck_assert_str_eq(text, "echo new\n");
    free(text);
}
END_TEST

START_TEST(test_no_file_is_written_into_a_folder_of_its_name)
{
    const char *folder = test_tmpdir();
    char path[PATH_MAX];
    make_file(folder, "input", "x", 0600);
    (void)snprintf(path, sizeof(path), "%s/sub", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    const struct plan_step *step =
        grow(MCP_TOOL_WRITE, "{'path':'sub','content':''}", SANDBOX_BWRAP);
    ck_assert_int_eq(run_script(step, folder), FILE_ACT_NO_FILE);
    ck_assert_int_eq(rmdir(path), 0); /* it is empty */
}
END_TEST

static const struct {
    const char *path; /* written in a sandbox; NULL: the file "f" */
    const char *text; /* of "f" before */
    bool is_refused;
} sandboxed[] = {
    {NULL, "{\"version\":1,\"tasks\":[]}", true},
    {NULL, "{ \"tasks\" : [ ],\n\"version\" : 2 }", true},
    {NULL, "{\"\\u0076ersion\":1,\"tasks\":[]}", true},
    {NULL, "{\"version\":1,\"t\\u0061sks\":[]}", true},
    {NULL, "{\"version\":\"2.0.0\",\"tasks\":[]}", false},
    {NULL, "{\"text\":\"\\u003cb\\u003e\"}", false},
    {NULL, "no plan", false},
    {".git./x", "", true},
    {".git /x", "", true},
    {".git::$INDEX_ALLOCATION/x", "", true},
    {"DEVS~1/x", "", true},
    {"a/Plan.json. ", "", true},
    {"meta/config", "", true},
    {"meta/hooks/new/x", "", true},
    {"real.json", "", true},
    {"to-git/config", "", true},
    {"sub/.gitignore", "", false},
    {"second", "", false},
};

/* "meta" is what .git leads to, "real.json" what devs.config.json leads to; "second" is another
 * name of a file in .git. */
static void make_links(const char *folder)
{
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("meta", 0700), 0);
    ck_assert_int_eq(mkdir("meta/hooks", 0700), 0);
    make_file(".", "meta/config", "old", 0600);
    make_file(".", "real.json", "old", 0600);
    ck_assert_int_eq(symlink("meta", ".git"), 0);
    ck_assert_int_eq(symlink(".git", "to-git"), 0);
    ck_assert_int_eq(symlink("real.json", "devs.config.json"), 0);
    ck_assert_int_eq(link("meta/config", "second"), 0);
}

static void want_old(const char *path)
{
    char *text = test_read_file(path);
    ck_assert_pstr_eq(text, "old");
    free(text);
}

START_TEST(test_a_sandboxed_write_is_guarded)
{
    const char *path = sandboxed[_i].path ? sandboxed[_i].path : "f";
    struct str args = {0};
    make_links(test_tmpdir());
    make_file(".", "input", "new", 0600);
    make_file(".", "f", sandboxed[_i].text, 0600);
    str_addf(&args, "{\"path\":\"%s\",\"content\":\"\"}", path);
    const struct plan_step *step = grow(MCP_TOOL_WRITE, str_text(&args), SANDBOX_BWRAP);
    ck_assert_msg(run_script(step, ".") == (sandboxed[_i].is_refused ? FILE_ACT_NO_FILE : 0), "%s",
                  path);
    ck_assert_int_ne(access("meta/hooks/new", F_OK), 0);
    want_old("meta/config");
    want_old("real.json");
    str_done(&args);
}
END_TEST

/* The plan check covers the whole file. */
START_TEST(test_a_long_plan_is_not_overwritten_in_a_sandbox)
{
    struct str text = {0};
    ck_assert_int_eq(chdir(test_tmpdir()), 0);
    str_add(&text, "{\"//\":\"");
    for (int i = 0; i < 100000; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\",\"version\":1,\"tasks\":[]}");
    make_file(".", "input", "new", 0600);
    make_file(".", "f", str_text(&text), 0600);
    const struct plan_step *step = grow(MCP_TOOL_WRITE, "{'path':'f','content':''}", SANDBOX_BWRAP);
    ck_assert_int_eq(run_script(step, "."), FILE_ACT_NO_FILE);
    str_done(&text);
}
END_TEST

static const struct {
    const char *name, *text, *want;
    int count;
} reports[] = {
    {"pytest",
     "FAILED tests/test_a.py::test_sum - assert 1 == 2\nFAILED tests/b.py::TestX::test_y\n",
     "\"tests/test_a.py::test_sum\",\"tests/b.py::TestX::test_y\"", 2},
    {"unittest", "FAIL: test_a (t.T)\n----\nERROR: test_b (t.T)\nERROR: cannot read it\n",
     "\"test_a (t.T)\",\"test_b (t.T)\"", 2},
    {"TAP",
     "ok 1 - a\nnot ok 2 - b c\nnot ok 3 - d # TO"
     "DO later\n    not ok 4 e\n",
     "\"b c\",\"e\"", 2},
    {"cargo", "test a::b ... ok\ntest a::c ... FAILED\n", "\"a::c\"", 1},
    {"go", "--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/zero (0.00s)\n",
     "\"TestSum\",\"TestSum/zero\"", 2},
    {"googletest",
     "[  FAILED  ] A.B (3 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.B\n", "\"A.B\"",
     1},
    {"CTest", "The following tests FAILED:\n\t  3 - core.plan (Failed)\n\t 14 - ui.app (Timeout)\n",
     "\"core.plan\",\"ui.app\"", 2},
    {"jest", "  \u25cf sum \u203a adds\n\n    expect(1)\n", "\"sum \u203a adds\"", 1},
    {"prose names none", "3 tests failed\nFAILED to load\nok 1 - not ok\ntest it ... ok\n", "", 0},
    {"cut at the end", "not ok 1 - half", "\"half\"", 1},
    {"nothing", "", "", 0},
};

START_TEST(test_names_are_found_by_their_form)
{
    struct str names = {0};
    int count = mcp_failing_find(reports[_i].text, strlen(reports[_i].text), &names);
    ck_assert_msg(strcmp(str_text(&names), reports[_i].want) == 0, "%s: %s", reports[_i].name,
                  str_text(&names));
    ck_assert_int_eq(count, reports[_i].count);
    str_done(&names);
}
END_TEST

START_TEST(test_no_more_names_than_may_be)
{
    struct str text = {0};
    struct str names = {0};
    for (int i = 0; i < 2 * MCP_FAILING_MAX; i++)
        str_addf(&text, "not ok %d - test %d\n", i, i);
    ck_assert_int_eq(mcp_failing_find(str_text(&text), text.len, &names), MCP_FAILING_MAX);
    str_done(&names);
    str_done(&text);
}
END_TEST

enum { SHORT_MAX = 8 };

/* What came, a line each; "!" for one that was too long. */
static void note_line(void *ctx, const char *line, size_t len)
{
    struct str *seen = ctx;
    if (line)
        str_add_n(seen, line, len);
    else
        str_add_char(seen, '!');
    str_add_char(seen, '|');
}

static const struct {
    const char *name, *bytes, *want;
} streams[] = {
    {"two lines", "{}\n[]\n", "{}|[]|"},
    {"blank ones are none", "\n \t\n\r\n{}\r\n", "{}\r|"},
    {"as long as may be", "12345678\n", "12345678|"},
    {"too long, then in step again", "123456789\n{}\n", "!|{}|"},
    {"much too long", "123456789012345678901234567890\n{}\n", "!|{}|"},
    {"the last without its end", "{}\n12", "{}|12|"},
    {"the last too long", "1234567890", "!|"},
    {"nothing", "", ""},
};

/* Where the bytes are cut does not matter. */
START_TEST(test_lines_are_the_same_however_they_come)
{
    const char *bytes = streams[_i].bytes;
    const size_t len = strlen(bytes);
    for (size_t piece = 1; piece <= len + 1; piece++) {
        struct mcp_lines lines = {.max = SHORT_MAX};
        struct str seen = {0};
        for (size_t at = 0; at < len; at += piece)
            mcp_lines_add(&lines, bytes + at, at + piece < len ? piece : len - at, note_line,
                          &seen);
        mcp_lines_end(&lines, note_line, &seen);
        ck_assert_msg(strcmp(str_text(&seen), streams[_i].want) == 0, "%s in pieces of %zu: %s",
                      streams[_i].name, piece, str_text(&seen));
        mcp_lines_done(&lines);
        str_done(&seen);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mcp");
    TCase *messages_cases = test_case(suite, "messages");
    tcase_add_checked_fixture(messages_cases, open_server, close_server);
    tcase_add_loop_test(messages_cases, test_errors_have_their_codes, 0, ARRAY_LEN(errors));
    tcase_add_test(messages_cases, test_a_message_that_is_too_long_is_an_error);
    tcase_add_loop_test(messages_cases, test_initialize_settles_the_version, 0,
                        ARRAY_LEN(versions));
    tcase_add_test(messages_cases, test_the_stateless_era);
    tcase_add_test(messages_cases, test_an_unsupported_version_gets_the_supported_ones);
    tcase_add_test(messages_cases, test_notifications_get_no_reply);
    tcase_add_test(messages_cases, test_a_call_is_answered_when_it_is_over);
    tcase_add_test(messages_cases, test_wrong_arguments_are_a_result_that_the_model_sees);
    tcase_add_test(messages_cases, test_a_canceled_call_gets_no_reply);
    tcase_add_test(messages_cases, test_progress_rises_and_has_the_clients_token);
    tcase_add_test(messages_cases, test_more_calls_than_the_limit_are_refused);
    tcase_add_test(messages_cases, test_a_batch_is_answered_as_one);
    TCase *arguments = test_case(suite, "arguments");
    tcase_add_checked_fixture(arguments, NULL, forget_request);
    tcase_add_test(arguments, test_all_arguments_of_a_command);
    tcase_add_test(arguments, test_defaults_of_arguments);
    tcase_add_loop_test(arguments, test_wrong_arguments_are_refused, 0, ARRAY_LEN(wrong_arguments));
    tcase_add_loop_test(arguments, test_paths_are_relative_to_the_project, 0, ARRAY_LEN(paths));
    tcase_add_test(test_case(suite, "list"), test_the_list_names_each_tool);
    TCase *tasks = test_case(suite, "tasks");
    tcase_add_checked_fixture(tasks, grow_plan, forget_request);
    tcase_add_test(tasks, test_a_command_becomes_a_step);
    tcase_add_test(tasks, test_a_call_that_may_not_be_repeated_has_one_attempt);
    tcase_add_test(tasks, test_tests_are_the_projects_unless_others_are_named);
    tcase_add_test(tasks, test_run_tests_without_a_command_is_refused);
    tcase_add_test(tasks, test_files_are_read_and_written_by_steps);
    tcase_add_test(tasks, test_a_file_written_in_a_sandbox_keeps_its_mode);
    tcase_add_test(tasks, test_no_file_is_written_into_a_folder_of_its_name);
    tcase_add_loop_test(tasks, test_a_sandboxed_write_is_guarded, 0, ARRAY_LEN(sandboxed));
    tcase_add_test(tasks, test_a_long_plan_is_not_overwritten_in_a_sandbox);
    TCase *names_cases = test_case(suite, "names");
    tcase_add_loop_test(names_cases, test_names_are_found_by_their_form, 0, ARRAY_LEN(reports));
    tcase_add_test(names_cases, test_no_more_names_than_may_be);
    tcase_add_loop_test(test_case(suite, "lines"), test_lines_are_the_same_however_they_come, 0,
                        ARRAY_LEN(streams));
    return suite;
}
