#include "tool_ask.h"

#include <assert.h>
#include <string.h>

#include "arg_list.h"

bool tool_ask(const char *const *words, char *const *environment, int64_t timeout_ms,
              struct tool_result *out, struct err *err)
{
    assert(words[0]);
    struct arg_list argv = {0};
    for (size_t i = 0; words[i]; i++)
        arg_list_add(&argv, words[i]);
    const struct tool_call call = {
        .argv = argv.items, .environment = environment, .cwd = "/", .timeout_ms = timeout_ms};
    const char *slash = strrchr(words[0], '/');
    bool ok =
        tool_run(&call, out, NULL, err) && tool_succeeded(out, slash ? slash + 1 : words[0], err);
    arg_list_done(&argv);
    return ok;
}
