/* cmd_import.c - devs import: an agent's own transcript becomes a run. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "attr.h"
#include "command.h"
#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "import_run.h"
#include "progress.h"
#include "secrets.h"
#include "shown.h"
#include "status.h"
#include "target.h"
#include "text_file.h"

enum {
    READ_SIZE = 64 * 1024,
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
};

/* The words of the command line, and what they lead to. */
struct import_words {
    const char *agent;
    bool again, json;
    struct place place;
    struct config config;
    struct redactor *redactor;
    char dir[PATH_MAX];
};

/* One file while it is read. */
struct import_file {
    const struct import_words *words;
    const char *path;
    struct import_run *run;
    struct transcript *transcript;
    int64_t size, read;
    struct progress progress;
};

static bool read_file(struct import_file *file, int fd, struct err *err)
{
    char bytes[READ_SIZE];
    while (!import_run_is_over(file->run)) {
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "cannot read it");
        if (got == 0)
            return transcript_end(file->transcript, err);
        file->read += got;
        progress_say(&file->progress, "reading", file->read, file->size);
        if (!transcript_add(file->transcript, bytes, (size_t)got, err))
            return false;
    }
    return true;
}

static const char *end_word(const struct transcript *transcript)
{
    switch (transcript_state(transcript)) {
    case AGENT_END_DONE:
        return "done";
    case AGENT_END_FAILED:
        return "failed";
    case AGENT_END_CUT:
        return "cut";
    case AGENT_END_UNKNOWN:
        break;
    }
    return "unknown";
}

static void add_number(struct str *out, int64_t count, const char *one, const char *many)
{
    if (count == 0)
        return;
    str_add(out, ", ");
    shown_count(count, one, many, out);
}

static void print_text(const struct import_file *file, const struct import_result *result)
{
    const struct transcript_counts counts = transcript_counts(file->transcript);
    const char *session = transcript_session(file->transcript);
    struct str line = {0}, used = {0};
    str_addf(&line, "%s: %s", file->path, transcript_form_words(transcript_form(file->transcript)));
    str_addf(&line, ", %s", transcript_agent(file->transcript));
    if (session) {
        str_add(&line, " session ");
        shown_session(session, &line);
    }
    if (result->was_there) {
        str_addf(&line, ": already there as run #%lld (--again imports it once more)\n",
                 (long long)result->run);
    } else {
        str_addf(&line, ": run #%lld", (long long)result->run);
        shown_used(transcript_used(file->transcript), &used);
        if (used.len > 0)
            str_addf(&line, ", %s", used.data);
        str_addf(&line, ", %s", end_word(file->transcript));
        add_number(&line, result->stuck, "time stuck", "times stuck");
        add_number(&line, result->suspected, "possible loop", "possible loops");
        add_number(&line, counts.unknown, "line is unknown to devs", "lines are unknown to devs");
        add_number(&line, counts.broken, "line is not JSON", "lines are not JSON");
        add_number(&line, counts.too_long, "line is too long", "lines are too long");
        add_number(&line, result->words_lost, "byte of text is not kept",
                   "bytes of text are not kept");
        str_add_char(&line, '\n');
    }
    say(str_text(&line));
    str_done(&line);
    str_done(&used);
}

static void print_json(const struct import_file *file, const struct import_result *result)
{
    const struct transcript_counts counts = transcript_counts(file->transcript);
    const struct agent_used *used = transcript_used(file->transcript);
    const char *session = transcript_session(file->transcript);
    struct str out = {0};
    str_add_char(&out, '{');
    str_json_i64(&out, "v", 1);
    str_json_text(&out, "file", file->path);
    str_json_text(&out, "form", transcript_form_words(transcript_form(file->transcript)));
    str_json_text(&out, "agent", transcript_agent(file->transcript));
    if (session)
        str_json_text(&out, "session_id", session);
    str_json_i64(&out, "run", result->run);
    str_json_bool(&out, "already_there", result->was_there);
    if (!result->was_there) {
        agent_used_json(used, &out);
        str_json_i64(&out, "messages", result->messages);
        str_json_i64(&out, "prompts", result->prompts);
        str_json_text(&out, "ended", end_word(file->transcript));
        str_json_i64(&out, "suspected", result->suspected);
        str_json_i64(&out, "stuck", result->stuck);
        str_json_i64(&out, "lines", counts.lines);
        str_json_i64(&out, "unknown_lines", counts.unknown);
        str_json_i64(&out, "broken_lines", counts.broken);
        str_json_i64(&out, "too_long_lines", counts.too_long);
        str_json_i64(&out, "words_lost", result->words_lost);
    }
    str_add(&out, "}\n");
    say_json(str_text(&out));
    str_done(&out);
}

/* The name without its folder and its ending: what a session without an id is called. */
static void name_of(const char *path, struct str *out)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t len = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    str_add_n(out, name, len);
}

static bool import_open(struct import_file *file, int fd, const struct stat *info, struct err *err)
{
    const struct import_words *words = file->words;
    struct str name = {0};
    struct import_result result;
    name_of(file->path, &name);
    const struct import_setting setting = {
        .place = &words->place,
        .settings = &words->config.settings,
        .redactor = words->redactor,
        .name = str_text(&name),
        .dir = words->dir,
        .made_ms = (int64_t)info->st_mtim.tv_sec * MS_PER_S + info->st_mtim.tv_nsec / NS_PER_MS,
        .again = words->again,
    };
    import_run_open(&file->run, &setting);
    transcript_open(&file->transcript, words->config.settings.agents, words->agent, import_run_item,
                    file->run);
    import_run_of(file->run, file->transcript);
    bool ok = read_file(file, fd, err);
    progress_done(&file->progress);
    ok = ok && import_run_end(file->run, &result, err);
    if (ok && words->json)
        print_json(file, &result);
    else if (ok)
        print_text(file, &result);
    transcript_close(file->transcript);
    import_run_close(file->run);
    str_done(&name);
    return ok;
}

static int say_wrong(const char *path, const struct err *err)
{
    struct err said = {0};
    (void)err_set(&said, err->code, "%s: %s", path, err->message);
    (void)err_hint(&said, "%s", err->hint);
    return fail(&said);
}

/* Standard input has no time of its own, nor a size. */
static int import_path(const struct import_words *words, const char *path)
{
    struct err err = {0};
    struct stat info;
    struct import_file file = {.words = words, .path = path, .progress = progress_new()};
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : read_text_input_fd(path, &err);
    if (fd < 0 || fstat(fd, &info) != 0) {
        warn("%s: %s", path, err.code != ERR_NONE ? err.message : strerror(errno));
        return EXIT_NO_INPUT;
    }
    file.size = info.st_size;
    const bool ok = import_open(&file, fd, &info, &err);
    if (!is_stdin)
        (void)close(fd); /* only read */
    return ok ? EXIT_ALL_PASSED : say_wrong(path, &err);
}

/* Each file by itself: one that is none does not keep the others back. */
static int import_all(struct globals *globals, struct import_words *words, int count, char **paths)
{
    struct err err = {0};
    int code = EXIT_ALL_PASSED;
    if (words->agent && !adapters_find(words->config.settings.agents, words->agent))
        return fail_usage("settings can define one under \"agents\": docs/agents.md",
                          "there is no agent '%s'", words->agent);
    if (!find_log(globals->db, true, &words->place, &err) ||
        !secrets_redactor(&words->redactor, NULL, &words->config.settings.secrets, &err))
        return fail(&err);
    for (int i = 0; i < count; i++) {
        const int one = import_path(words, paths[i]);
        code = code == EXIT_ALL_PASSED ? one : code;
    }
    redactor_close(words->redactor);
    return code;
}

int cmd_import(struct globals *globals, int argc, char **argv)
{
    struct import_words words = {0};
    const struct option_spec specs[] = {
        {"agent", 0, "NAME", "whose output it is (default: detected from the first lines)", NULL,
         &words.agent},
        {"again", 0, NULL, "also what is already in the log", &words.again, NULL},
        {"json", 0, NULL, "a JSON object for each file", &words.json, NULL},
    };
    struct command_line line = {.name = "import",
                                .specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .min_operands = 1,
                                .max_operands = -1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (!getcwd(words.dir, sizeof(words.dir))) {
        warn("cannot determine the current folder: %s", strerror(errno));
        return EXIT_NO_INPUT;
    }
    code = config_read(words.dir, CONFIG_ACTS, &words.config);
    if (code != EXIT_ALL_PASSED)
        return code;
    code = import_all(globals, &words, line.operands, argv);
    config_done(&words.config);
    return code;
}
