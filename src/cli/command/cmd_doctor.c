/* cmd_doctor.c - devs doctor: can devs work here, and how well? */
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
#include "doctor_log.h"
#include "exit_code.h"
#include "fail.h"
#include "line_wrap.h"
#include "str.h"
#include "term.h"
#include "text.h"
#include "version.h"
#include "watch.h"

/* A line: the sign, the name, and the words in what is left of a terminal's 80 columns. */
enum {
    NAME_COLUMNS = 15,
    WORDS_COLUMN = 3 + 1 + NAME_COLUMNS + 1,
    WORDS_COLUMNS = 80 - WORDS_COLUMN
};

/* What is told goes out line by line; JSON is put together first. */
struct report {
    bool json;
    bool breaks; /* something that plain runs need */
    struct str lines;
};

static const char *const state_words[] = {
    [DOCTOR_WORKS] = "works",
    [DOCTOR_LACKS] = "lacks",
    [DOCTOR_BREAKS] = "breaks",
};

static void add_json(struct str *out, const struct doctor_line *line)
{
    if (out->len > 0)
        str_add_char(out, ',');
    str_add_char(out, '{');
    str_json_text(out, "name", line->name);
    str_json_text(out, "state", state_words[line->state]);
    str_json_text(out, "words", line->words);
    if (line->hint[0])
        str_json_text(out, "hint", line->hint);
    str_add_char(out, '}');
}

/* Bytes of the text for one row, its end at a blank: a path or an address stays whole, so that it
 * can be copied. */
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

/* What would help stands behind the words, and where that is too long on rows of its own. */
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

static void tell(void *ctx, const struct doctor_line *line)
{
    static const char *const signs[] = {
        [DOCTOR_WORKS] = "ok", [DOCTOR_LACKS] = "-", [DOCTOR_BREAKS] = "NO"};
    struct report *report = ctx;

    report->breaks = report->breaks || line->state == DOCTOR_BREAKS;
    if (report->json) {
        add_json(&report->lines, line);
        return;
    }
    (void)printf("%-3s %-*s ", signs[line->state], NAME_COLUMNS, line->name);
    put_line(line);
    (void)fflush(stdout); /* the next question may take a second */
}

/* Which devs this is, where several may be installed. */
static void look_at_self(struct report *report)
{
    char path[PATH_MAX];
    struct doctor_line line = {.name = "devs", .state = DOCTOR_WORKS};
    const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    (void)snprintf(line.words, sizeof(line.words), "%.60s%s%.*s", version_text(),
                   len > 0 ? ", " : "", len > 0 ? (int)(len < 240 ? len : 240) : 0, path);
    tell(report, &line);
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
        (void)snprintf(line.hint, sizeof(line.hint), "sysctl fs.inotify.max_user_instances=512");
    }
    tell(report, &line);
}

static void describe_terminal(struct doctor_line *line)
{
    struct winsize size = {0};
    (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size); /* all zero where it does not know */
    (void)snprintf(line->words, sizeof(line->words), "%.60s, %ux%u, %d colors", getenv("TERM"),
                   (unsigned)size.ws_col, (unsigned)size.ws_row, term_color_count());
}

static void look_at_terminal(struct report *report)
{
    struct err err = {0};
    struct doctor_line line = {.name = "terminal", .state = DOCTOR_WORKS};

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "none here: plain lines, no cockpit");
    } else if (!term_check(&err)) {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "%.200s: plain lines, no cockpit",
                       err.message);
        (void)snprintf(line.hint, sizeof(line.hint), "TERM=xterm-256color");
    } else {
        describe_terminal(&line);
    }
    tell(report, &line);
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
    tell(report, &line);
}

/* May a run start with the settings here, and with all their keys? */
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
    tell(report, &line);
    str_done(&brief);
}

/* What all lines come to, for one who sees them for the first time. */
static void tell_end(const struct report *report)
{
    struct str json = {0};
    str_addf(&json, "{\"works\":%s,\"checks\":[%s]}\n", report->breaks ? "false" : "true",
             str_text(&report->lines));
    if (report->json)
        say_json(str_text(&json));
    else
        (void)puts(report->breaks ? "plain runs do not work here: see the lines with NO"
                                  : "plain runs work here; lines with - are optional");
    str_done(&json);
}

static void print_more(void)
{
    (void)puts("\nok  works\n"
               "-   not available here; plans that need it are rejected\n"
               "NO  plain runs need it\n"
               "after a semicolon: what would help; exit code 1 if there is a NO");
}

int cmd_doctor(struct globals *globals, int argc, char **argv)
{
    struct report report = {.json = false};
    const struct option_spec specs[] = {
        {"json", 0, NULL, "one JSON object", &report.json, NULL},
    };
    struct command_line line = {.name = "doctor",
                                .specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = 0,
                                .print_more = print_more};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;

    char dir[PATH_MAX];
    struct config config;
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "cannot determine the current folder");
    code = config_read(dir, CONFIG_LOOKS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    look_at_self(&report);
    struct doctor_line log = doctor_log(globals->db, dir);
    tell(&report, &log);
    look_at_settings(&report, &config);
    look_at_watch(&report);
    look_at_terminal(&report);
    look_at_locale(&report);
    doctor_look(dir, &config.settings.sandbox, tell, &report);
    doctor_look_at_agents(config.settings.agents, tell, &report);
    config_done(&config);
    tell_end(&report);
    str_done(&report.lines);
    return report.breaks ? EXIT_GAVE_UP : EXIT_ALL_PASSED;
}
