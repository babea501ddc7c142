#include "debug_mode.h"

#include <stdio.h>

#include "bookmark_run.h"
#include "diff_run.h"
#include "err.h"
#include "exit_code.h"
#include "fail.h"
#include "forensics_print.h"
#include "lnav_format.h"
#include "log_word.h"
#include "records_print.h"
#include "retries_run.h"
#include "verify_run.h"
#include "what_if_run.h"

static int run_frame(const struct debug_call *call)
{
    struct err err = {0};
    struct place place;
    struct target target;
    const char *word = call->operand_count > 0 ? call->operands[0] : NULL;
    if (call->words->record.tasks.words[0] && call->words->record.tasks.words[1])
        return fail_usage(NULL, "debug --frame: one --task can be the chosen one");
    if (!log_word_find(call->globals, word, &place, &target, &err))
        return fail(&err);
    struct frame_words frame = call->words->frame;
    frame.task = call->words->record.tasks.words[0];
    return frame_print(call->globals, &frame, &place, &target);
}

static int run_forensics(const struct debug_call *call)
{
    return forensics_print(call->globals, call->operands[0], &call->words->attempt,
                           call->words->json);
}

/* For lnav -i: what a record's members are. */
static int run_lnav_format(const struct debug_call *call)
{
    (void)call;
    (void)fwrite(lnav_format, 1, lnav_format_len, stdout);
    return EXIT_ALL_PASSED;
}

static const struct debug_mode modes[] = {
    {"frame", "logs at view replay svg task",
     "devs debug --logs [RUN] --frame 80x24 [--at TIME] [--view V] [--svg]", 0, 1, run_frame},
    {"forensics", "try step json", "devs debug --forensics [RUN/]TASK [--try N] [--step N]", 1, 1,
     run_forensics},
    {"what-if", "json", "devs debug --what-if POLICY.json [RUN...|all] [--json]", 0, -1,
     what_if_run},
    {"diff", "step json", "devs debug --diff [RUN/]TASK#1 3 [--step N], or --diff RUN RUN [--json]",
     1, 2, diff_run},
    {"verify", "json rules", "devs debug --verify [RUN...|FILE] [--rules] [--json]", 0, -1,
     verify_run_print},
    {"retries", "json", "devs debug --retries [RUN...|FILE] [--json]", 0, -1, retries_run},
    {"mark", "at name json", "devs debug --mark [RUN] [--at TIME] [--name TEXT]", 0, 1,
     bookmark_run_mark},
    {"marks", "json", "devs debug --marks [RUN]", 0, 1, bookmark_run_marks},
    {"unmark", "", "devs debug --unmark N", 0, 1, bookmark_run_unmark},
    {"lnav-format", "", "devs debug --lnav-format >devs_log.json && lnav -i devs_log.json", 0, 0,
     run_lnav_format},
    {"logs", "plain json task kind level since until grep follow at view",
     "devs debug --logs [RUN...|FILE|all] [--at TIME] [--plain|--json] ...", 0, -1, records_run},
};

const struct debug_mode *debug_mode_at(size_t index)
{
    return index < ARRAY_LEN(modes) ? &modes[index] : NULL;
}

void debug_mode_help(void)
{
    (void)puts("\nin full:");
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        (void)printf("  %s\n", modes[i].usage);
}
