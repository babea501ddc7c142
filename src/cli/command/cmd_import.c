/* cmd_import.c - devs import: turns an agent's own transcript into a run. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "agent_stream.h"
#include "attr.h"
#include "call_log.h"
#include "command.h"
#include "config.h"
#include "fail.h"
#include "redact.h"
#include "secrets.h"
#include "show.h"
#include "shown.h"
#include "str.h"
#include "target.h"
#include "text_file.h"
#include "transcript.h"
#include "xalloc.h"

/* The run made from a transcript. */

enum {
    IMPORT_WORDS_MAX = 16 * 1024 * 1024, /* bytes of readable text kept of a session */
    IMPORT_WAIT_MS = 10000,              /* how long to wait for other writers of the log */
};

/* The target of the import, and its options. Everything is borrowed. */
struct import_setting {
    const struct place *place;
    const struct settings *settings;
    const struct redactor *redactor;
    const char *name; /* the file's name: used as the session's id if the transcript has no id */
    const char *dir;  /* used as the folder if the transcript does not name one */
    int64_t made_ms;  /* UTC; the file's modification time: used if the transcript has no times */
    bool again;       /* import even if the log already has the session */
};

/* The result of an import. */
struct import_result {
    int64_t run; /* the new run, or the one that already has the session */
    bool was_there;
    int64_t messages, prompts;
    int suspected, stuck; /* how often a loop was suspected, and how often the agent was stuck */
    int64_t words_lost;   /* bytes dropped after IMPORT_WORDS_MAX */
};

struct import_run {
    const struct import_setting *setting;
    const struct transcript *transcript;
    struct call_log *log; /* owned; NULL before the first item */
    struct moment first;  /* time of the first item */
    struct moment at;     /* time of the current item; never goes back */
    char *session;        /* owned; the session's id in the log */
    struct str words;     /* owned; readable text of the current item */
    int64_t words_kept;
    bool is_stuck;
    struct import_result result;
    struct err err; /* the first error */
};

static bool import_run_is_over(const struct import_run *run)
{
    return run->err.code != ERR_NONE || run->result.was_there;
}

/* Sets the time of the current item. Times in a transcript may go back, for example if the lines of
 * a sub-agent come later. Times in a log may not. */
static void set_time(struct import_run *run, int64_t at_ms)
{
    enum { FIRST_MONO_MS = 1 };
    const int64_t ms = at_ms > 0 ? at_ms : run->setting->made_ms;
    if (run->first.at_ms == 0)
        run->first = run->at = (struct moment){.at_ms = ms, .mono_ms = FIRST_MONO_MS};
    if (at_ms <= run->at.at_ms)
        return; /* no time, or not later than the previous item: keep the previous time */
    run->at.at_ms = at_ms;
    run->at.mono_ms = FIRST_MONO_MS + at_ms - run->first.at_ms;
}

/* Called for the first item: finds the session in the log, or starts a run. */
static bool begin_import(struct import_run *run)
{
    const struct import_setting *setting = run->setting;
    const char *id = transcript_session(run->transcript);
    const char *dir = transcript_folder(run->transcript);
    const char *agent = transcript_agent(run->transcript);
    run->session = xstrndup(id ? id : setting->name, CALL_LOG_SESSION_MAX);
    if (!setting->again && call_log_find(setting->place, agent, run->session, &run->result.run)) {
        run->result.was_there = true;
        return false;
    }
    const struct call_session session = {.agent = agent,
                                         .id = run->session,
                                         .dir = dir ? dir : setting->dir,
                                         .settings = setting->settings,
                                         .redactor = setting->redactor,
                                         .wait_ms = IMPORT_WAIT_MS,
                                         .new_run = true};
    return call_log_open(&run->log, setting->place, &session, &run->first, &run->err);
}

/* Counts a suspected loop, or a stuck agent, which stays stuck until it does something else. */
static void take_verdict(struct import_run *run, const struct call_verdict *verdict)
{
    if (verdict->news && verdict->level == ENTROPY_SUSPECT)
        run->result.suspected++;
    if (verdict->level == ENTROPY_STUCK && !run->is_stuck)
        run->result.stuck++;
    run->is_stuck = verdict->level == ENTROPY_STUCK;
}

/* Adds the item as redacted readable text. Marks lines that are not the agent's own. */
static bool add_words(struct import_run *run, const struct transcript_item *it)
{
    struct str lines = {0}, words = {0};
    const char *mark = it->is_prompt ? "[you] " : it->is_side ? "[sub] " : "";
    agent_item_words(&it->item, &lines);
    const char *at = str_text(&lines);
    while (*at != '\0') {
        const size_t len = strcspn(at, "\n") + 1;
        str_add(&words, mark);
        str_add_n(&words, at, at[len - 1] == '\n' ? len : len - 1);
        at += at[len - 1] == '\n' ? len : len - 1;
    }
    str_clear(&run->words);
    redact_text(run->setting->redactor, str_text(&words), words.len, &run->words, NULL);
    str_done(&words);
    str_done(&lines);
    const size_t len = run->words.len;
    if (run->words_kept + (int64_t)len > IMPORT_WORDS_MAX) {
        run->result.words_lost += (int64_t)len;
        return true;
    }
    run->words_kept += (int64_t)len;
    return len == 0 || call_log_add_words(run->log, run->words.data, len, &run->at, &run->err);
}

/* Adds a finished call. Calls of a sub-agent are only shown: they are not steps of the agent itself
 * and add no fact. */
static bool add_result(struct import_run *run, const struct transcript_item *it)
{
    const struct agent_item *item = &it->item;
    struct call_verdict verdict = {0};
    if (!item->tool)
        return true; /* the file does not contain the call of this result */
    const struct call_made call = {.tool = item->tool,
                                   .args = item->args,
                                   .output = item->text,
                                   .output_len = item->text ? strlen(item->text) : 0,
                                   .exit = item->exit > 0 ? item->exit : item->failed,
                                   .uncertain = it->is_side,
                                   .ms = it->took_ms,
                                   .at = run->at};
    if (!call_log_add(run->log, &call, &verdict, &run->err))
        return false;
    take_verdict(run, &verdict);
    return true;
}

static bool add_text(struct import_run *run, const struct transcript_item *it)
{
    struct call_verdict verdict = {0};
    if (it->is_prompt) {
        run->result.prompts++;
        run->is_stuck = false;
        return call_log_add_prompt(run->log, it->item.text, &run->at, &run->err);
    }
    run->result.messages++;
    if (it->is_side)
        return true;
    if (!call_log_add_message(run->log, it->item.text, &run->at, &verdict, &run->err))
        return false;
    if (verdict.level != ENTROPY_OK) /* text alone does not end a loop of calls */
        take_verdict(run, &verdict);
    return true;
}

static bool add_event(struct import_run *run, const struct transcript_item *it)
{
    switch (it->item.kind) {
    case AGENT_ITEM_TEXT:
        return add_text(run, it);
    case AGENT_ITEM_RESULT:
        return add_result(run, it);
    case AGENT_ITEM_NOTICE:
    case AGENT_ITEM_END:
        return !it->item.failed || !it->item.text ||
               call_log_add_note(run->log, it->item.text, &run->at, &run->err);
    case AGENT_ITEM_USED:
        return call_log_add_used(run->log, it->item.used, &run->at, &run->err);
    case AGENT_ITEM_SESSION:
    case AGENT_ITEM_CALL:
    case AGENT_ITEM_RETRY:
    case AGENT_ITEM_OTHER:
    case AGENT_ITEM_REFUSED:
    case AGENT_ITEM_KIND_COUNT:
        break;
    }
    return true;
}

static void import_run_item(void *ctx, const struct transcript_item *item)
{
    struct import_run *run = ctx;
    if (import_run_is_over(run))
        return;
    set_time(run, item->at_ms);
    if (item->item.kind == AGENT_ITEM_SESSION && !run->log)
        return; /* the id of a session alone does not start a run */
    if (item->item.kind == AGENT_ITEM_OTHER && !run->log)
        return; /* lines of unknown kinds before the first item are ignored */
    if (!run->log && !begin_import(run))
        return;
    if (add_words(run, item))
        (void)add_event(run, item); /* an error is in run->err */
}

ATTR_MUST_USE static bool import_run_end(struct import_run *run, struct import_result *out,
                                         struct err *err)
{
    const bool has_begun = run->log || run->result.was_there;
    const bool is_output = transcript_form(run->transcript) == TRANSCRIPT_STREAM &&
                           transcript_session(run->transcript) != NULL;
    if (run->err.code == ERR_NONE && !has_begun && !is_output)
        (void)err_set(&run->err, ERR_INVALID, "it contains no events");
    if (run->err.code == ERR_NONE && !has_begun) {
        set_time(run, 0);
        (void)begin_import(run); /* an error is in run->err and run->result */
    }
    const enum agent_end how = transcript_state(run->transcript);
    const bool is_well = how == AGENT_END_DONE || how == AGENT_END_UNKNOWN;
    if (run->err.code == ERR_NONE && run->log &&
        (how != AGENT_END_CUT ||
         call_log_add_note(run->log, "the transcript breaks off here", &run->at, &run->err)) &&
        call_log_add_used(run->log, transcript_used(run->transcript), &run->at, &run->err) &&
        call_log_end(run->log, is_well ? 0 : 1, &run->at, &run->err))
        run->result.run = call_log_run(run->log);
    *out = run->result;
    return run->err.code == ERR_NONE || err_set(err, run->err.code, "%s", run->err.message);
}

/* The command. */

enum {
    READ_SIZE = 64 * 1024,
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
};

/* The options, and values derived from them. */
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
            return err_set_errno(err, errno, "cannot read the file");
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
        str_addf(&line, ": already imported as run #%lld (--again imports it again)\n",
                 (long long)result->run);
    } else {
        str_addf(&line, ": run #%lld", (long long)result->run);
        shown_used(transcript_used(file->transcript), &used);
        if (used.len > 0)
            str_addf(&line, ", %s", used.data);
        str_addf(&line, ", %s", end_word(file->transcript));
        add_number(&line, result->stuck, "stuck loop", "stuck loops");
        add_number(&line, result->suspected, "possible loop", "possible loops");
        add_number(&line, counts.unknown, "line is of an unknown kind",
                   "lines are of an unknown kind");
        add_number(&line, counts.broken, "line is not JSON", "lines are not JSON");
        add_number(&line, counts.too_long, "line is too long", "lines are too long");
        add_number(&line, result->words_lost, "byte of text was not kept",
                   "bytes of text were not kept");
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

static bool import_open(struct import_file *file, int fd, const struct stat *info, struct err *err)
{
    const struct import_words *words = file->words;
    const char *slash = strrchr(file->path, '/');
    const char *base = slash ? slash + 1 : file->path;
    const char *dot = strrchr(base, '.');
    struct str name = {0}; /* file name without folder and extension, for a session without an id */
    struct import_result result;
    str_add_n(&name, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    const struct import_setting setting = {
        .place = &words->place,
        .settings = &words->config.settings,
        .redactor = words->redactor,
        .name = str_text(&name),
        .dir = words->dir,
        .made_ms = (int64_t)info->st_mtim.tv_sec * MS_PER_S + info->st_mtim.tv_nsec / NS_PER_MS,
        .again = words->again,
    };
    struct import_run run = {.setting = &setting};
    file->run = &run;
    transcript_open(&file->transcript, words->config.settings.agents, words->agent, import_run_item,
                    &run);
    run.transcript = file->transcript;
    bool ok = read_file(file, fd, err);
    progress_done(&file->progress);
    ok = ok && import_run_end(&run, &result, err);
    if (ok && words->json)
        print_json(file, &result);
    else if (ok)
        print_text(file, &result);
    transcript_close(file->transcript);
    file->run = NULL;
    call_log_close(run.log);
    free(run.session);
    str_done(&run.words);
    str_done(&name);
    return ok;
}

/* Imports one file, or standard input, which has no modification time and no size. */
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
    if (ok)
        return EXIT_ALL_PASSED;
    struct err said = {0};
    (void)err_set(&said, err.code, "%s: %s", path, err.message);
    (void)err_hint(&said, "%s", err.hint);
    return fail(&said);
}

/* Imports each file separately: an invalid file does not stop the others. */
static int import_all(struct globals *globals, struct import_words *words, int count, char **paths)
{
    struct err err = {0};
    int code = EXIT_ALL_PASSED;
    if (words->agent && !adapters_find(words->config.settings.agents, words->agent))
        return fail_usage("define it under \"agents\" in devs.config.json; see docs/agents.md",
                          "unknown agent '%s'", words->agent);
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
        {"agent", 0, "NAME", "the agent that wrote FILE (default: detected from the first lines)",
         NULL, &words.agent},
        {"again", 0, NULL, "import sessions even if they are already in the log", &words.again,
         NULL},
        {"json", 0, NULL, "print a JSON object for each file", &words.json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = -1};
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
