/*
 * Whatever stands under "agents": it is taken or what is wrong is said, an adapter that was taken
 * is written as a text that is read as the same adapter, it can be called, and its rules read an
 * output that fits none of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_stream.h"
#include "contract.h"
#include "json.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char sample[] =
    "{\"type\":\"system\",\"session_id\":\"s\",\"message\":{\"content\":[{\"type\":\"text\","
    "\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":"
    "\"x\"}}]}}\n"
    "[{\"type\":\"user\",\"n\":1.5,\"list\":[1,[2,{\"a\":null}],true]}]\n"
    "plain\n"
    "{\"type\":\"result\",\"is_error\":true,\"result\":\"no\",\"total_cost_usd\":0.1}\n";

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void count(void *ctx, const struct agent_item *item)
{
    int *items = ctx;
    *items += item->kind < AGENT_ITEM_KIND_COUNT;
}

static int read_sample(const struct adapter *adapter)
{
    struct agent_stream *stream = NULL;
    int items = 0;
    agent_stream_open(&stream, adapter, count, &items);
    agent_stream_add(stream, sample, sizeof(sample) - 1);
    agent_stream_end(stream);
    agent_stream_close(stream);
    return items;
}

static void call(const struct adapter *adapter)
{
    const struct adapter_call new_one = {.prompt = "p", .model = "m"};
    const struct adapter_call resumed = {.session = "s"};
    char **argv = NULL;
    adapter_argv(adapter, &new_one, &argv);
    must(strcmp(argv[0], adapter_program(adapter)) == 0);
    adapter_argv_free(argv);
    adapter_argv(adapter, &resumed, &argv);
    adapter_argv_free(argv);
}

static void check_written(const struct adapter *adapter)
{
    struct str first = {0};
    struct str second = {0};
    struct str text = {0};
    struct json *json = NULL;
    struct violations wrong = {0};
    struct adapters *again = NULL;
    adapter_write(adapter, &first);
    str_add_char(&text, '{');
    str_add_json(&text, adapter_name(adapter), strlen(adapter_name(adapter)));
    str_addf(&text, ":%s}", str_text(&first));
    must(json_parse(text.data, text.len, &json, NULL, NULL));
    must(adapters_read(NULL, json, &wrong, &again));
    const struct adapter *same = adapters_find(again, adapter_name(adapter));
    adapter_write(same, &second);
    must(read_sample(adapter) == read_sample(same));
    must(adapter_resumes(adapter) == adapter_resumes(same) || adapter_resumes(same));
    adapters_free(again);
    json_free(json);
    str_done(&first);
    str_done(&second);
    str_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json *json = NULL;
    struct violations wrong = {0};
    struct adapters *adapters = NULL;
    if (!json_parse((const char *)data, size, &json, NULL, NULL))
        return 0;
    const bool ok = adapters_read(NULL, json, &wrong, &adapters);
    must(ok == (wrong.count == 0));
    for (size_t i = 0;
         ok && adapters_at(adapters, i) && !adapter_is_builtin(adapters_at(adapters, i)); i++) {
        call(adapters_at(adapters, i));
        check_written(adapters_at(adapters, i));
    }
    adapters_free(adapters);
    violations_done(&wrong);
    json_free(json);
    return 0;
}
