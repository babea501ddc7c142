/* cmd_run.c - devs run: runs a plan, or the rest of a run. */
#include <unistd.h>

#include "command.h"
#include "continue_run.h"
#include "engine.h"
#include "fail.h"
#include "plan_file.h"
#include "session.h"
#include "target.h"

/* Removes all tasks except this one and its dependencies. */
static bool keep_only(struct plan_file *file, const char *id, struct err *err)
{
    struct plan *kept = NULL;
    if (!plan_only(file->plan, id, &kept, err))
        return err->code == ERR_NOT_FOUND
                   ? target_hint_near(file->plan, id, "devs run PLAN --dry-run", err)
                   : false;
    plan_free(file->plan);
    file->plan = kept;
    plan_file_rewrite(file);
    return true;
}

/* Frees the plan's text, which may take megabytes, because it is in the log by now. */
static void forget_text(void *ctx)
{
    struct str *text = ctx;
    str_done(text);
}

int cmd_run(struct globals *globals, int argc, char **argv)
{
    bool plain = false, json = false, dry = false;
    bool detach = false, failed = false;
    const char *jobs_text = NULL, *only = NULL, *again = NULL;
    const struct option_spec specs[] = {
        {"plain", 0, NULL, "print a line for each event instead of a screen", &plain, NULL},
        {"json", 0, NULL, "print a JSON object for each event", &json, NULL},
        {"jobs", 'j', "N", "number of attempts at a time (default: the plan's, or 2)", NULL,
         &jobs_text},
        {"only", 0, "TASK", "run only this task and the tasks that it needs", NULL, &only},
        {"continue", 0, "RUN", "run the rest of a run: 41, or last (see --failed)", NULL, &again},
        {"failed", 0, NULL, "with --continue, if the run has ended: run only the tasks that failed",
         &failed, NULL},
        {"detach", 0, NULL, "return at once; the run continues without a terminal", &detach, NULL},
        {"dry-run", 0, NULL, "show what would run, but start nothing; with --json, print the plan",
         &dry, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const struct continue_run_how how = {.jobs = jobs_text,
                                         .failed = failed,
                                         .detach = detach,
                                         .watch = session_choose_watch(plain, json)};
    if (again && (line.operands > 0 || only || dry))
        return fail_usage(
            "use devs run --continue RUN [--failed] [-j N] [--plain|--json] [--detach]",
            "run: --continue runs the plan in the log and cannot be combined with a plan, --only "
            "or --dry-run");
    if (again)
        return continue_run(globals, again, &how);
    if (failed)
        return fail_usage("use devs run --continue RUN --failed", "run: --failed needs --continue");
    if (line.operands == 0)
        return fail_usage(
            access("plan.json", F_OK) == 0
                ? "use devs run plan.json (in this folder), or devs run --continue RUN"
                : "use devs run PLAN, or devs run --continue RUN; devs init writes a starter plan",
            "run: missing PLAN");

    struct plan_file file;
    code = plan_file_read(argv[0], dry ? CONFIG_SHOWS : CONFIG_ACTS, &file);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct err err = {0};
    int jobs = 0;
    if (!plan_file_jobs(&file, jobs_text, &jobs, &err) || (only && !keep_only(&file, only, &err))) {
        plan_file_done(&file);
        (void)fail(&err);
        return EXIT_USAGE;
    }
    struct session session = {.globals = globals,
                              .plan = file.plan,
                              .plan_text = str_text(&file.text),
                              .kind = "plan",
                              .rules = file.config.settings.rules,
                              .ui = &file.config.settings.ui,
                              .secrets = &file.config.settings.secrets,
                              .retention = &file.config.settings.retention,
                              .run_dir = file.dir,
                              .plan_path = file.path[0] ? file.path : NULL,
                              .jobs = jobs,
                              .watch = how.watch,
                              .detach = detach,
                              .begun = forget_text,
                              .begun_ctx = &file.text};
    if (dry) {
        code = json ? plan_shown_json(&file) : plan_shown(&file, jobs);
        if (code == EXIT_ALL_PASSED && !engine_check_worktrees(file.plan, file.dir, &err))
            code = fail(&err);
    } else {
        code = plan_agents_check(file.plan);
    }
    if (!dry && code == EXIT_ALL_PASSED)
        code = session_run(&session);
    plan_file_done(&file);
    return code;
}
