/* cmd_agents.c - devs agents: lists the adapters, and tries one on recorded output. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "agent_stream.h"
#include "attr.h"
#include "command.h"
#include "config.h"
#include "fail.h"
#include "str.h"
#include "text.h"
#include "text_file.h"

enum {
    OUTPUT_BYTES_MAX = 64 * 1024 * 1024, /* size limit of a recorded output */
    OTHER_SHOWN = 160,                   /* bytes shown of a line that matched no rule */
    NAME_WIDTH = 12,
};

/* Recorded output while it is read. */
struct trial {
    const struct adapter *adapter;
    struct str rules;    /* rules that matched the current line: "rule 3 call, rule 4 used" */
    struct str words;    /* the line as the log would show it */
    bool is_other;       /* no rule matched, so the log shows the line unchanged */
    long taken, unknown; /* line counts */
    long hits[ADAPTER_RULES_MAX];
};

static void take_rule(void *ctx, size_t rule, const char *is)
{
    struct trial *trial = ctx;
    str_addf(&trial->rules, "%srule %zu %s", trial->rules.len > 0 ? ", " : "", rule + 1, is);
    trial->hits[rule]++;
}

static void take_item(void *ctx, const struct agent_item *item)
{
    struct trial *trial = ctx;
    trial->is_other = trial->is_other || item->kind == AGENT_ITEM_OTHER;
    if (item->kind != AGENT_ITEM_OTHER)
        agent_item_words(item, &trial->words);
}

static void add_words(const struct str *words, struct str *out)
{
    const char *line = str_text(words);
    while (*line != '\0') {
        const size_t len = strcspn(line, "\n");
        str_add(out, "        ");
        str_add_n(out, line, len);
        str_add_char(out, '\n');
        line += len + (line[len] == '\n' ? 1 : 0);
    }
}

/* Prints the rules that matched a line, and the result. A multi-line JSON value is reported at its
 * last line. */
static void print_line(struct trial *trial, long number, const char *text, size_t len)
{
    struct str out = {0};
    if (trial->rules.len > 0) {
        str_addf(&out, "%6ld  %s\n", number, str_text(&trial->rules));
        trial->taken++;
    } else if (trial->is_other) {
        str_addf(&out, "%6ld  no rule: ", number);
        str_add_n(&out, text, text_cut(text, len, OTHER_SHOWN));
        str_add(&out, len > OTHER_SHOWN ? "...\n" : "\n");
        trial->unknown++;
    }
    add_words(&trial->words, &out);
    say(str_text(&out));
    str_clear(&trial->rules);
    str_clear(&trial->words);
    trial->is_other = false;
    str_done(&out);
}

static void read_lines(struct trial *trial, struct agent_stream *stream, const struct str *output,
                       bool is_err)
{
    const char *at = str_text(output);
    const char *end = at + output->len;
    for (long number = 1; at < end; number++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const size_t len = feed ? (size_t)(feed - at) : (size_t)(end - at);
        if (is_err) {
            agent_stream_add_err(stream, at, len);
            agent_stream_add_err(stream, "\n", 1);
        } else {
            agent_stream_add(stream, at, len);
            agent_stream_add(stream, "\n", 1);
        }
        print_line(trial, number, at, len);
        at += len + 1;
    }
}

static const char *end_words(const struct agent_stream *stream)
{
    switch (agent_stream_state(stream)) {
    case AGENT_END_DONE:
        return "ends with success";
    case AGENT_END_FAILED:
        return "ends with failure";
    case AGENT_END_CUT:
        return "no final event: counts as cut short if the exit code is 0";
    case AGENT_END_UNKNOWN:
        break;
    }
    return "no final event: judged by exit code and text";
}

static void print_sum(struct trial *trial, const struct agent_stream *stream)
{
    const struct agent_used *used = agent_stream_used(stream);
    const size_t count = adapter_rule_count(trial->adapter);
    struct str out = {0}, final = {0}, idle = {0};
    for (size_t i = 0; i < count; i++) {
        if (trial->hits[i] == 0)
            str_addf(&idle, " %zu", i + 1);
    }
    add_words(&trial->words, &out);
    str_addf(&out, "\nlines: %ld matched, %ld not matched; %s\n", trial->taken, trial->unknown,
             end_words(stream));
    str_addf(&out, "turns %lld, calls %lld, tokens %lld, own retries %lld", (long long)used->turns,
             (long long)used->calls, (long long)used->tokens, (long long)used->own_retries);
    if (used->refused > 0)
        str_addf(&out, ", refused %lld", (long long)used->refused);
    str_add_char(&out, '\n');
    if (!agent_stream_final(stream, &final, NULL))
        str_add(&out, "no final text\n");
    if (idle.len > 0)
        str_addf(&out, "rules that matched no line:%s\n", str_text(&idle));
    say(str_text(&out));
    str_done(&out);
    str_done(&final);
    str_done(&idle);
}

static int try_output(const struct adapter *adapter, const char *path, const char *err_path)
{
    struct str output = {0}, errors = {0};
    struct trial trial = {.adapter = adapter};
    struct agent_stream *stream = NULL;
    struct err err = {0}, why = {0};
    const char *read = path;
    bool ok = read_text_input(path, OUTPUT_BYTES_MAX, &output, &why);
    if (ok && err_path) {
        read = err_path;
        ok = read_text_input(err_path, OUTPUT_BYTES_MAX, &errors, &why);
    }
    if (ok) {
        agent_stream_open(&stream, adapter, take_item, &trial);
        agent_stream_watch(stream, take_rule);
        read_lines(&trial, stream, &output, false);
        if (errors.len > 0)
            say("standard error:\n");
        read_lines(&trial, stream, &errors, true);
        agent_stream_end(stream);
        print_sum(&trial, stream);
        agent_stream_close(stream);
    } else {
        (void)err_set(&err, why.code, "%s: %s", read, why.message);
    }
    str_done(&output);
    str_done(&errors);
    str_done(&trial.rules);
    str_done(&trial.words);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

static void list_adapters(const struct adapters *adapters)
{
    const struct adapter *adapter;
    for (size_t i = 0; (adapter = adapters_at(adapters, i)); i++) {
        const char *from = adapter_is_builtin(adapter) ? "built in" : "settings";
        if (adapter_program(adapter)[0] != '\0')
            sayf("%-*s  %-*s  %-8s  %s\n", NAME_WIDTH, adapter_name(adapter), NAME_WIDTH,
                 adapter_program(adapter), from, adapter_install(adapter));
    }
}

int cmd_agents(struct globals *globals, int argc, char **argv)
{
    const char *name = NULL, *err_path = NULL;
    const struct option_spec specs[] = {
        {"try", 0, "NAME", "show which rule of this adapter matches each line of FILE", NULL,
         &name},
        {"stderr", 0, "FILE", "the agent's standard error, if it was recorded", NULL, &err_path},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    struct config config = {0};
    char dir[PATH_MAX];
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if ((name != NULL) != (line.operands == 1))
        return fail_usage("use devs agents --try NAME FILE",
                          name ? "--try needs a FILE with recorded output"
                               : "FILE needs --try NAME");
    code = config_read(getcwd(dir, sizeof(dir)) ? dir : "/", CONFIG_SHOWS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    const struct adapter *adapter = name ? adapters_find(config.settings.agents, name) : NULL;
    if (!name)
        list_adapters(config.settings.agents);
    else if (!adapter)
        code = fail_usage("define it under \"agents\" in devs.config.json; see docs/agents.md",
                          "unknown agent '%s'", name);
    else
        code = try_output(adapter, argv[0], err_path);
    config_done(&config);
    return code;
}
