/* cmd_doctor.c - devs doctor: checks what works here, or on the hosts of executors. */
#define _GNU_SOURCE /* environ */

#include <assert.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "doctor.h"
#include "err.h"
#include "fail.h"
#include "follower.h"
#include "lines.h"
#include "place.h"
#include "plan_file.h"
#include "rows.h"
#include "str.h"
#include "term.h"
#include "text.h"
#include "version.h"
#include "watch.h"

/* A line has a status sign, a name, and text in the rest of 80 columns. */
enum {
    NAME_COLUMNS = 15,
    WORDS_COLUMN = 3 + 1 + NAME_COLUMNS + 1,
    WORDS_COLUMNS = 80 - WORDS_COLUMN
};

/* Lines are printed one at a time; JSON is collected first. */
struct report {
    bool json;
    bool breaks; /* something that every run needs does not work */
    struct str lines;
};

static const char *const state_words[] = {
    [DOCTOR_WORKS] = "works",
    [DOCTOR_LACKS] = "lacks",
    [DOCTOR_BREAKS] = "breaks",
};

/* Returns the bytes of the text that fit in one row. Breaks at blanks only, so that a path or
 * URL can be copied. */
static size_t row_bytes(const char *text)
{
    const size_t len = strlen(text);
    const size_t fit = line_wrap_fit(text, len, WORDS_COLUMNS);
    return fit == len || text[fit - 1] == ' ' ? fit : fit + strcspn(text + fit, " ");
}

static void put_rows(const char *text)
{
    struct str clean = {0};
    struct str rows = {0};
    text_clean(&clean, text, strlen(text));
    for (const char *rest = str_text(&clean); *rest;) {
        const size_t bytes = row_bytes(rest);
        str_add_n(&rows, rest, bytes);
        while (rows.len > 0 && rows.data[rows.len - 1] == ' ')
            str_cut(&rows, rows.len - 1);
        rest += bytes + strspn(rest + bytes, " ");
        if (*rest)
            str_addf(&rows, "\n%*s", WORDS_COLUMN, "");
    }
    (void)fputs(str_text(&rows), stdout);
    str_done(&rows);
    str_done(&clean);
}

/* Puts the hint after the text, or on rows of its own if it does not fit. */
static void put_line(const struct doctor_line *line)
{
    struct str all = {0};
    str_addf(&all, "%s%s%s", line->words, line->hint[0] ? "; " : "", line->hint);
    if (line->hint[0] && row_bytes(str_text(&all)) < all.len) {
        str_clear(&all);
        str_addf(&all, "%s;", line->words);
        put_rows(str_text(&all));
        (void)printf("\n%*s", WORDS_COLUMN, "");
        put_rows(line->hint);
    } else {
        put_rows(str_text(&all));
    }
    (void)putchar('\n');
    str_done(&all);
}

static void tell_line(void *ctx, const struct doctor_line *line)
{
    static const char *const signs[] = {
        [DOCTOR_WORKS] = "ok", [DOCTOR_LACKS] = "-", [DOCTOR_BREAKS] = "NO"};
    struct report *report = ctx;

    report->breaks = report->breaks || line->state == DOCTOR_BREAKS;
    if (report->json) {
        struct str *out = &report->lines;
        str_add(out, out->len > 0 ? ",{" : "{");
        str_json_text(out, "name", line->name);
        str_json_text(out, "state", state_words[line->state]);
        str_json_text(out, "words", line->words);
        if (line->hint[0])
            str_json_text(out, "hint", line->hint);
        str_add_char(out, '}');
        return;
    }
    (void)printf("%-3s %-*s ", signs[line->state], NAME_COLUMNS, line->name);
    put_line(line);
    (void)fflush(stdout); /* the next check may take a second */
}

/* The run log: whether it exists and can be read and written, and its file system. Creates
 * nothing. */

enum { PATH_SHOWN_MAX = 200 };

static void refuse_log(struct doctor_line *line, const struct err *err)
{
    line->state = DOCTOR_BREAKS;
    (void)snprintf(line->words, sizeof(line->words), "%.300s", err->message);
    (void)snprintf(line->hint, sizeof(line->hint), "%.199s", err->hint);
}

/* Reads the newest run to its end, because a log that opens may still be damaged later in the file.
 * A log written by a newer devs can be read, but no run can start in it. */
static void read_newest(const struct place *place, struct doctor_line *line)
{
    struct err err = {0};
    struct follower *follower = NULL;
    struct log_trouble trouble = {0};
    struct str words = {0};
    const bool ok = follower_open(&follower, place, 0, &err) &&
                    follower_read(follower, 0, NULL, NULL, NULL, &err);
    if (ok)
        follower_trouble(follower, 0, &trouble);
    if (ok && trouble.kind == LOG_TROUBLE_NEWER) {
        log_trouble_words(&trouble, &words);
        line->state = DOCTOR_BREAKS;
        (void)snprintf(line->words, sizeof(line->words), "%.300s", str_text(&words));
        (void)snprintf(line->hint, sizeof(line->hint), "update devs, or use --db FILE");
    } else if (!ok && err.code == ERR_DAMAGED) {
        refuse_log(line, &err);
    }
    follower_close(follower);
    str_done(&words);
}

/* Appends ", on ext4, 12 GiB free". */
static void add_disk(const struct place_disk *disk, struct str *out)
{
    const int64_t mib = disk->free_bytes / (1024 * 1024);
    const bool is_large = mib >= 10 * 1024;
    str_addf(out, ", on %s, %" PRId64 " %s free", disk->type, is_large ? mib / 1024 : mib,
             is_large ? "GiB" : "MiB");
}

/* Reports a lack of disk space. A run that is out of disk space continues in a spill log, but no
 * run can start on a full disk. */
static void look_for_space(const struct place_disk *disk, struct doctor_line *line)
{
    enum { FREE_MIB_MIN = 1, FREE_MIB_GOOD = 64 };
    const int64_t mib = disk->free_bytes / (1024 * 1024);
    if (mib >= FREE_MIB_GOOD)
        return;
    line->state = mib < FREE_MIB_MIN ? DOCTOR_BREAKS : DOCTOR_LACKS;
    (void)snprintf(line->hint, sizeof(line->hint), "%s",
                   mib < FREE_MIB_MIN
                       ? "free some space, or use --db FILE on another disk"
                       : "free some space: events that do not fit go into a spill log");
}

static void look_for_room(const char *dir, struct doctor_line *line)
{
    struct place_disk disk = {.type = "?"};
    struct str words = {0};
    const bool is_known = place_disk(dir, &disk, NULL);
    str_add(&words, "none yet: the first run creates .devs");
    if (is_known) {
        add_disk(&disk, &words);
        look_for_space(&disk, line);
    }
    if (access(dir, W_OK | X_OK) != 0 || disk.is_network) {
        line->state = DOCTOR_BREAKS;
        str_clear(&words);
        str_addf(&words, "none yet, and this folder %s",
                 disk.is_network ? "is on a network file system: a log would not be safe"
                                 : "cannot be written");
        (void)snprintf(line->hint, sizeof(line->hint), "use --db FILE with a file on a local disk");
    }
    (void)snprintf(line->words, sizeof(line->words), "%.300s", str_text(&words));
    str_done(&words);
}

static void look_at_place(const struct place *place, struct doctor_line *line)
{
    struct place_disk disk;
    struct str words = {0};
    const bool writable = access(place->dir, W_OK | X_OK) == 0 &&
                          (access(place->db, F_OK) != 0 || access(place->db, W_OK) == 0);
    str_addf(&words, "%.*s", PATH_SHOWN_MAX, place->db);
    line->state = writable ? DOCTOR_WORKS : DOCTOR_BREAKS;
    if (!writable) {
        str_add(&words, " cannot be written");
        (void)snprintf(line->hint, sizeof(line->hint),
                       "use --db FILE in a folder that you can write to");
    } else if (place_disk(place->dir, &disk, NULL)) {
        add_disk(&disk, &words);
        look_for_space(&disk, line);
    }
    (void)snprintf(line->words, sizeof(line->words), "%.300s", str_text(&words));
    str_done(&words);
    if (writable)
        read_newest(place, line);
}

/* Checks the run log. `db` is the value of --db, or NULL; `dir` is the folder in which a first log
 * would be created. */
static struct doctor_line doctor_log(const char *db, const char *dir)
{
    struct err err = {0};
    struct place place;
    struct doctor_line line = {.name = "run log", .state = DOCTOR_WORKS};
    if (place_find(db, false, &place, &err))
        look_at_place(&place, &line);
    else if (err.code == ERR_NOT_FOUND && !db)
        look_for_room(dir, &line);
    else
        refuse_log(&line, &err);
    return line;
}

/* Reports the version and path of this devs, because several may be installed. */
static void look_at_self(struct report *report)
{
    char path[PATH_MAX];
    struct doctor_line line = {.name = "devs", .state = DOCTOR_WORKS};
    const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    (void)snprintf(line.words, sizeof(line.words), "%.60s%s%.*s", version_text(),
                   len > 0 ? ", " : "", len > 0 ? (int)(len < 240 ? len : 240) : 0, path);
    tell_line(report, &line);
}

static void look_at_watch(struct report *report)
{
    struct err err = {0};
    struct watch *watch;
    struct doctor_line line = {.name = "inotify", .state = DOCTOR_WORKS};

    if (watch_open(&watch, &err)) {
        watch_close(watch);
        (void)snprintf(line.words, sizeof(line.words), "screens are notified of changes");
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "%.200s: screens poll every %d ms",
                       err.message, WATCH_POLL_MS);
        (void)snprintf(line.hint, sizeof(line.hint),
                       "run sysctl fs.inotify.max_user_instances=512");
    }
    tell_line(report, &line);
}

static void look_at_terminal(struct report *report)
{
    struct err err = {0};
    struct winsize size = {0};
    struct doctor_line line = {.name = "terminal", .state = DOCTOR_WORKS};

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "none here: plain lines, no cockpit");
    } else if (!term_check(&err)) {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "%.200s: plain lines, no cockpit",
                       err.message);
        (void)snprintf(line.hint, sizeof(line.hint), "set TERM=xterm-256color");
    } else {
        /* All zero if the terminal does not report its size. */
        (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
        (void)snprintf(line.words, sizeof(line.words), "%.60s, %ux%u, %d colors", getenv("TERM"),
                       (unsigned)size.ws_col, (unsigned)size.ws_row, term_color_count());
    }
    tell_line(report, &line);
}

static void look_at_locale(struct report *report)
{
    const char *codeset = nl_langinfo(CODESET);
    bool utf8 = strcmp(codeset, "UTF-8") == 0;
    struct doctor_line line = {.name = "locale", .state = utf8 ? DOCTOR_WORKS : DOCTOR_LACKS};

    (void)snprintf(line.words, sizeof(line.words),
                   utf8 ? "%.60s" : "not UTF-8 but %.60s: symbols are drawn in ASCII", codeset);
    if (!utf8)
        (void)snprintf(line.hint, sizeof(line.hint), "LC_ALL=C.UTF-8");
    tell_line(report, &line);
}

/* Reports whether a run can start with all keys of these settings. */
static void look_at_settings(struct report *report, const struct config *config)
{
    struct doctor_line line = {.name = "settings", .state = DOCTOR_WORKS};
    struct str brief = {0};
    if (config->path[0] == '\0') {
        (void)snprintf(line.words, sizeof(line.words), "no devs.config.json here or above");
    } else if (config_trust_waits(&config->trust)) {
        config_trust_brief(&config->trust, &brief);
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "%.160s: %.150s", config->path,
                       str_text(&brief));
        (void)snprintf(line.hint, sizeof(line.hint), "read the file, then run: devs trust");
    } else {
        const bool is_given = config->trust.state == TRUST_GIVEN;
        (void)snprintf(line.words, sizeof(line.words), "%.250s, %s", config->path,
                       is_given ? "trusted" : "no key needs trust");
    }
    tell_line(report, &line);
    str_done(&brief);
}

/* The hosts of executors. */

static const char *const fault_words[] = {
    [DOCTOR_HOST_WORKS] = "works",     [DOCTOR_HOST_DOWN] = "down",
    [DOCTOR_HOST_REFUSED] = "refused", [DOCTOR_HOST_HAND] = "hand",
    [DOCTOR_HOST_DIR] = "dir",         [DOCTOR_HOST_HERE] = "here",
    [DOCTOR_HOST_SHARED] = "shared",   [DOCTOR_HOST_QUEUE] = "queue",
    [DOCTOR_HOST_ATTEMPT] = "attempt", [DOCTOR_HOST_GIT] = "git",
};
static_assert(ARRAY_LEN(fault_words) == DOCTOR_FAULT_COUNT, "every fault has its word");

/* The same advice as for a task that cannot start there. */
static const char *host_hint(const struct doctor_host *host)
{
    switch (host->fault) {
    case DOCTOR_HOST_DOWN:
        return "the machine must be on and reachable: try the command in a terminal";
    case DOCTOR_HOST_REFUSED:
        return shown_start_remedy(START_EXECUTOR_REFUSED);
    case DOCTOR_HOST_HAND:
        return shown_start_remedy(START_HAND_MISSING);
    case DOCTOR_HOST_DIR:
        return "the folder must be yours, with space left: check \"dir\"";
    case DOCTOR_HOST_HERE:
        return "the folder must exist here and be writable: check \"shared\"";
    case DOCTOR_HOST_SHARED:
        return shown_start_remedy(START_NO_FOLDER);
    case DOCTOR_HOST_QUEUE:
        return "the cluster must have room: ask it why the job waits";
    case DOCTOR_HOST_GIT:
        return "install git 2.29 or newer and flock there, or set \"shared\"";
    default:
        return "";
    }
}

static void add_host_json(const struct doctor_host *host, struct str *out)
{
    const char *hint = host_hint(host);
    str_add(out, out->len > 0 ? ",{" : "{");
    str_json_text(out, "executor", host->executor);
    str_json_text(out, "host", host->host);
    str_json_text(out, "state", fault_words[host->fault]);
    if (host->hand[0]) {
        str_json_text(out, "hand", host->hand);
        str_json_i64(out, "connect_ms", host->connect_ms);
    }
    if (host->words[0])
        str_json_text(out, "words", host->words);
    if (*hint)
        str_json_text(out, "hint", hint);
    str_add_char(out, '}');
}

static size_t without_stop(const char *text)
{
    const size_t len = strlen(text);
    return len > 0 && text[len - 1] == '.' ? len - 1 : len;
}

static void tell_host(void *ctx, const struct doctor_host *host)
{
    enum { MS_PER_S = 1000 };
    struct report *report = ctx;
    struct str name = {0};
    const bool works = host->fault == DOCTOR_HOST_WORKS;
    struct doctor_line line = {.state = works ? DOCTOR_WORKS : DOCTOR_BREAKS};

    report->breaks = report->breaks || !works;
    if (report->json) {
        add_host_json(host, &report->lines);
        return;
    }
    str_addf(&name, "%s/%s", host->executor, host->host);
    if (works)
        (void)snprintf(line.words, sizeof(line.words), "devs-hand %s, connected in %.2f s",
                       host->hand, (double)host->connect_ms / MS_PER_S);
    else /* ssh's own line may end with a full stop */
        (void)snprintf(line.words, sizeof(line.words), "%.*s", (int)without_stop(host->words),
                       host->words);
    (void)snprintf(line.hint, sizeof(line.hint), "%.199s", host_hint(host));
    sayf("%-3s %-*s ", works ? "ok" : "NO", NAME_COLUMNS, str_text(&name));
    if (name.len > NAME_COLUMNS)
        (void)printf("\n%*s", WORDS_COLUMN, "");
    put_line(&line);
    (void)fflush(stdout); /* the next host may take a while */
    str_done(&name);
}

/* Returns whether the executor starts only programs that an executor of the settings, which need
 * trust, starts too, or devs-hand in the PATH of the host. */
static bool is_plain(const struct plan_executor *executor, const struct settings *settings)
{
    for (int i = 0; i < settings->executor_count; i++) {
        const struct plan_executor *trusted = &settings->executors[i];
        size_t same = 0;
        const size_t count = text_list_count(executor->args);
        while (same < count && same < text_list_count(trusted->args) &&
               strcmp(executor->args[same], trusted->args[same]) == 0)
            same++;
        if (same == count && count == text_list_count(trusted->args) &&
            strcmp(executor->hand, trusted->hand) == 0 &&
            executor_adapter_equals(&executor->adapter, &trusted->adapter))
            return true;
    }
    return !executor->args && strcmp(executor->hand, "devs-hand") == 0 &&
           executor_adapter_is_builtin(&executor->adapter, executor->kind);
}

/* Opens the plan, or plan.json if none is named; without it, only the settings. Prints errors and
 * returns the exit code. */
static int read_executors(const char *path, struct plan_file *out)
{
    char dir[PATH_MAX];
    if (!path && access("plan.json", F_OK) != 0) {
        *out = (struct plan_file){.plan = NULL};
        return getcwd(dir, sizeof(dir)) ? config_read(dir, CONFIG_ACTS, &out->config)
                                        : fail_usage(NULL, "cannot determine the current folder");
    }
    const int code = plan_file_read(path ? path : "plan.json", CONFIG_ACTS, out);
    if (code != EXIT_ALL_PASSED || path || out->plan->executor_count == 0 ||
        trust_find(out->path, &out->source) == TRUST_GIVEN)
        return code;
    /* An attempt may have written it. It may start any program, such as a ProxyCommand of ssh. */
    for (int i = 0; i < out->plan->executor_count; i++) {
        const struct plan_executor *executor = &out->plan->executors[i];
        if (is_plain(executor, &out->config.settings))
            continue;
        (void)fail_usage("read the plan, then run: devs doctor --executors plan.json",
                         "doctor: plan.json sets \"%s\" of an executor, so it must be named",
                         executor->args                        ? "args"
                         : strcmp(executor->hand, "devs-hand") ? "hand"
                                                               : "adapter");
        plan_file_done(out);
        return EXIT_USAGE;
    }
    return code;
}

enum { EXECUTORS_MAX = 2 * PLAN_EXECUTORS_MAX };

/* Collects the executors of the plan, then those of the settings with other names. */
static size_t list_executors(const struct plan_file *file,
                             const struct plan_executor *out[EXECUTORS_MAX])
{
    const struct settings *settings = &file->config.settings;
    const int own = file->plan ? file->plan->executor_count : 0;
    size_t count = 0;
    for (int i = 0; i < own; i++)
        out[count++] = &file->plan->executors[i];
    for (int i = 0; i < settings->executor_count; i++) {
        int same = 0;
        while (same < own &&
               strcmp(file->plan->executors[same].name, settings->executors[i].name) != 0)
            same++;
        if (same == own)
            out[count++] = &settings->executors[i];
    }
    return count;
}

static int look_at_executors(struct report *report, const char *path)
{
    struct plan_file file;
    struct err err = {0};
    const struct plan_executor *executors[EXECUTORS_MAX];
    int code = read_executors(path, &file);
    if (code != EXIT_ALL_PASSED)
        return code;
    const size_t count = list_executors(&file, executors);
    if (count == 0)
        code = fail_usage("define \"executors\" in a plan or in devs.config.json",
                          "doctor: there are no executors%s",
                          file.plan ? " in the plan or the settings" : " and no plan.json here");
    else if (!doctor_look_at_hosts(executors, count, environ, tell_host, report, &err))
        code = fail(&err);
    plan_file_done(&file);
    if (code != EXIT_ALL_PASSED)
        return code;
    if (report->json) {
        struct str json = {0};
        str_addf(&json, "{\"works\":%s,\"hosts\":[%s]}\n", report->breaks ? "false" : "true",
                 str_text(&report->lines));
        say_json(str_text(&json));
        str_done(&json);
    } else {
        (void)puts(report->breaks ? "some hosts do not work: see the lines with NO"
                                  : "all hosts work");
    }
    str_done(&report->lines);
    return report->breaks ? EXIT_GAVE_UP : EXIT_ALL_PASSED;
}

static void print_more(void)
{
    (void)puts("\nok  works\n"
               "-   not available here; plans that need it are rejected\n"
               "NO  does not work; every run needs it\n"
               "after a semicolon: how to fix it; exit code 1 if any line has NO\n"
               "\n"
               "--executors runs an attempt on each host of the executors of PLAN\n"
               "(default: plan.json, if it exists) and of devs.config.json, and\n"
               "removes what it made; exit code 1 if any host does not work");
}

int cmd_doctor(struct globals *globals, int argc, char **argv)
{
    struct report report = {.json = false};
    bool executors = false;
    const struct option_spec specs[] = {
        {"executors", 0, NULL, "try the hosts of the plan's executors instead", &executors, NULL},
        {"json", 0, NULL, "print one JSON object", &report.json, NULL},
    };
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = 1,
                                .print_more = print_more};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (executors)
        return look_at_executors(&report, line.operands > 0 ? argv[0] : NULL);
    if (line.operands > 0)
        return fail_usage("use devs doctor --executors PLAN", "doctor: unexpected argument '%s'",
                          argv[0]);

    char dir[PATH_MAX];
    struct config config;
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "cannot determine the current folder");
    code = config_read(dir, CONFIG_LOOKS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    look_at_self(&report);
    struct doctor_line log = doctor_log(globals->db, dir);
    tell_line(&report, &log);
    look_at_settings(&report, &config);
    look_at_watch(&report);
    look_at_terminal(&report);
    look_at_locale(&report);
    doctor_look(dir, &config.settings.sandbox, tell_line, &report);
    doctor_look_at_agents(config.settings.agents, tell_line, &report);
    config_done(&config);
    struct str json = {0};
    str_addf(&json, "{\"works\":%s,\"checks\":[%s]}\n", report.breaks ? "false" : "true",
             str_text(&report.lines));
    if (report.json)
        say_json(str_text(&json));
    else /* a summary of all lines, for first-time users */
        (void)puts(report.breaks ? "runs do not work here: see the lines with NO"
                                 : "runs work here; lines with - are optional");
    str_done(&json);
    str_done(&report.lines);
    return report.breaks ? EXIT_GAVE_UP : EXIT_ALL_PASSED;
}
