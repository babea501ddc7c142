#include "verify_run.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "progress.h"
#include "run_choice.h"
#include "verify_found.h"
#include "xalloc.h"

static void show_progress(void *progress, int64_t done, int64_t total)
{
    progress_say(progress, "deciding", done, total);
}

static void add_brief(const struct verify_found *found, struct str *out)
{
    const struct verify_sum *sum = &found->sum;
    str_addf(out, "run #%lld: %lld of %lld decisions and %lld of %lld verdicts the same\n",
             (long long)found->run, (long long)sum->decisions.same,
             (long long)sum->decisions.decisions,
             (long long)(sum->verdicts.judged - sum->verdicts.different[VERIFY_RECORDED]),
             (long long)sum->verdicts.judged);
}

/* Of several runs, those that are the same are told by a line. */
static void print(const struct verify_found *found, bool json, bool is_one)
{
    struct str out = {0};
    if (json) {
        verify_found_json(found, &out);
        str_add_char(&out, '\n');
        say_json(out.data);
    } else if (is_one || verify_found_differs(found)) {
        str_addf(&out, "run #%lld, decided once more\n", (long long)found->run);
        verify_found_text(found, &out);
        say(out.data);
    } else {
        add_brief(found, &out);
        say(out.data);
    }
    str_done(&out);
}

/* What the runs are looked at with. All borrowed. */
struct call {
    const struct debug_call *debug;
    struct log_reader *reader;
    const char *rules;
    bool is_one;
};

static bool look(const struct call *call, int64_t run, int *code, struct err *err)
{
    struct verify_found *found = xcalloc(1, sizeof(*found));
    struct progress progress = progress_new();
    const struct verify_asked asked = {.reader = call->reader,
                                       .run = run,
                                       .rules = call->rules,
                                       .differs = verify_found_decision,
                                       .verdict = verify_found_verdict,
                                       .progress = show_progress,
                                       .ctx = found,
                                       .progress_ctx = &progress};
    found->run = run;
    found->asks_rules = call->debug->words->rules;
    const bool ok = verify_run(&asked, &found->sum, err);
    progress_done(&progress);
    if (ok)
        print(found, call->debug->words->json, call->is_one);
    if (ok && verify_found_differs(found))
        *code = EXIT_WOULD_CHANGE;
    verify_found_done(found);
    free(found);
    return ok;
}

static int look_at_runs(const struct debug_call *debug, const char *rules)
{
    struct call call = {.debug = debug, .rules = rules};
    struct run_choice choice = {0};
    struct err err = {0};
    int code = EXIT_ALL_PASSED;
    bool ok = run_choice_find(debug->globals, debug->operands, debug->operand_count, &call.reader,
                              &choice, &err);
    call.is_one = choice.count == 1;
    for (size_t i = 0; ok && i < choice.count; i++)
        ok = look(&call, choice.runs[i], &code, &err);
    run_choice_done(&choice);
    log_reader_close(call.reader);
    return ok ? code : fail(&err);
}

int verify_run_print(const struct debug_call *call)
{
    char dir[PATH_MAX];
    struct config config;
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder is not there any more");
    int code = config_read(dir, CONFIG_LOOKS, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    code = look_at_runs(call, config.settings.rules);
    config_done(&config);
    return code;
}
