/* cmd_cockpit.c - devs without a command: the cockpit for this project's log, or for one on another
 * machine. */
#include <unistd.h>

#include "app.h"
#include "command.h"
#include "continue_run.h"
#include "fail.h"
#include "far.h"
#include "place.h"
#include "session.h"
#include "target.h"

/* Reports that nothing has run in this folder yet, and what to do next. */
static int fail_without_log(const struct err *why)
{
    struct err err = {0};
    (void)err_set(&err, why->code, "%s", why->message);
    if (why->code != ERR_NOT_FOUND)
        (void)err_hint(&err, "%s", why->hint);
    else if (access("plan.json", F_OK) == 0)
        (void)err_hint(&err, "devs run plan.json runs the plan in this folder and creates a log; "
                             "--db FILE opens another one");
    else
        (void)err_hint(&err, "devs init writes a starter plan, devs run plan.json creates a log; "
                             "--db FILE opens another one");
    return fail(&err);
}

int cmd_cockpit(struct globals *globals, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct err err = {0};
    struct place place;
    if (!find_log(globals->db, false, &place, &err))
        return fail_without_log(&err);
    if (!session_has_screen())
        return command_run(command_find("status"), globals, 0, argv);
    const struct watch_words current = {0};
    return watch_run(globals, &place, &current, APP_LIVE);
}

/* Shows the current run of a log on another machine. Returns the exit code. */
static int watch_far(struct globals *globals, const struct far_place *far)
{
    struct err err = {0};
    struct far_link *link = NULL;
    struct app_far app;
    struct watch_words words = {.far = &app};
    stop_signal_watch();
    if (!far_link_open(&link, far, 0, &err))
        return stop_signal() != 0 ? 128 + stop_signal() : fail(&err);
    far_link_app(link, &app);
    words.run = far_link_run(link);
    words.far_name = far_link_name(link);
    if (!far_link_desk(link, &words.far_desk, &err)) {
        far_link_close(link);
        return fail(&err);
    }
    const int code = watch_run(globals, far_link_place(link), &words, APP_LIVE);
    control_desk_stop(words.far_desk);
    far_link_close(link);
    return code;
}

int command_far(struct globals *globals, int argc, char **argv)
{
    struct far_place far;
    struct err err = {0};
    if (!far_place_parse(globals->on, &far, &err))
        return fail(&err);
    if (globals->db)
        return fail_usage("name the folder of the log: --on HOST:DIR",
                          "--on and --db are mutually exclusive");
    if (argc == 0 && session_has_screen())
        return watch_far(globals, &far);
    char status[] = "status";
    char *words[] = {status, NULL};
    if (argc == 0)
        return far_run(&far, 1, words);
    const struct command *command = command_find(argv[0]);
    if (!command)
        return command_fail_unknown(argv[0]);
    if (!command->is_far)
        return fail_usage("ssh HOST devs ... runs any command there",
                          "devs %s cannot be used with --on", command->name);
    return far_run(&far, argc, argv);
}
