#include "verify_run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "log_word.h"
#include "verify_found.h"
#include "xalloc.h"

/* On a terminal, so that a long run does not look like a hung program. */
static void show_progress(void *ctx, int64_t done, int64_t total)
{
    (void)ctx;
    (void)fprintf(stderr, "\r%lld of %lld events ", (long long)done, (long long)total);
    (void)fflush(stderr);
}

static void print(const struct verify_found *found, bool json)
{
    struct str out = {0};
    if (json) {
        verify_found_json(found, &out);
        (void)puts(out.data);
    } else {
        str_addf(&out, "run #%lld, decided once more\n", (long long)found->run);
        verify_found_text(found, &out);
        say(out.data);
    }
    str_done(&out);
}

/* All of a run hangs together: there is no verifying one task. */
static bool names_run(const char *word, const struct target *target, struct err *err)
{
    if (target->task[0] == '\0')
        return true;
    (void)err_set(err, ERR_INVALID, "'%s' is no run", word);
    return err_hint(err, "devs runs lists them");
}

static bool look(const struct debug_call *call, const char *rules, struct verify_found *found,
                 struct err *err)
{
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    struct place place;
    struct target target;
    struct log_reader *reader = NULL;
    struct log_run_info run = {0};
    bool ok = log_word_find(call->globals, word, &place, &target, err) &&
              names_run(word, &target, err) && log_reader_open(&reader, &place, err) &&
              log_reader_run(reader, target.run, &run, err);
    if (ok) {
        struct verify_asked asked = {.reader = reader,
                                     .run = run.number,
                                     .rules = rules,
                                     .differs = verify_found_decision,
                                     .verdict = verify_found_verdict,
                                     .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
                                     .ctx = found};
        found->run = run.number;
        ok = verify_run(&asked, &found->sum, err);
        if (asked.progress)
            (void)fputs("\r\033[K", stderr);
    }
    log_run_info_done(&run);
    log_reader_close(reader);
    return ok;
}

int verify_run_print(const struct debug_call *call)
{
    char dir[PATH_MAX];
    struct config config;
    struct err err = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder is not there any more");
    int code = config_read(dir, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct verify_found *found = xcalloc(1, sizeof(*found));
    found->asks_rules = call->words->rules;
    if (look(call, config.settings.rules, found, &err)) {
        print(found, call->words->json);
        code = verify_found_differs(found) ? EXIT_WOULD_CHANGE : EXIT_ALL_PASSED;
    } else {
        code = fail(&err);
    }
    verify_found_done(found);
    free(found);
    config_done(&config);
    return code;
}
