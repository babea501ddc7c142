#include "executor_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "xalloc.h"

static void name_run(struct executor *executor)
{
    const char *client = executor->server->client;
    if (*client == '\0')
        client = "mcp";
    (void)snprintf(executor->by, sizeof(executor->by), "%s", client);
    executor->name = xstrdup(executor->options->name ? executor->options->name : client);
}

/* What was opened of a run that cannot be begun. */
static void let_go(struct executor *executor)
{
    control_desk_stop(executor->desk);
    follower_close(executor->follower);
    engine_stop(executor->engine, NULL);
    session_tree_close(executor->tree);
    free(executor->name);
    executor->desk = NULL;
    executor->follower = NULL;
    executor->engine = NULL;
    executor->tree = NULL;
    executor->name = NULL;
}

/* The folder that calls work in, if it is not the user's. */
static bool make_tree(struct executor *executor, struct engine_options *options, struct err *err)
{
    const struct workspace_spec *spec = executor->options->workspace;
    if (!spec || spec->kind == WORKSPACE_INPLACE)
        return true;
    const struct session_tree_call call = {.spec = spec,
                                           .run_dir = options->run_dir,
                                           .log_dir = executor->place.dir,
                                           .log_db = executor->place.db,
                                           .sandbox = &options->plan->sandbox,
                                           .processes = options->plan->limits.processes,
                                           .seed = options->seed,
                                           .environment = options->environment};
    if (!session_tree_make(&executor->tree, &call, err))
        return false;
    options->run_dir = session_tree_dir(executor->tree);
    return true;
}

/* Whoever looks at the run is to know that it is not their tree. */
static void tell_tree(const struct executor *executor)
{
    struct str note = {0};
    str_addf(&note, "its calls work in %s", session_tree_dir(executor->tree));
    engine_note(executor->engine, -1, str_text(&note));
    str_done(&note);
}

bool executor_run_begin(struct executor *executor, struct err *err)
{
    struct engine_options options = executor->options->engine;
    name_run(executor);
    bool ok = place_find(executor->options->db, true, &executor->place, err);
    options.place = &executor->place;
    options.kind = "mcp";
    options.name = executor->name;
    options.by = executor->by;
    options.at_end = ENGINE_LEAVE;
    ok = ok && make_tree(executor, &options, err) &&
         engine_start(&executor->engine, &options, &executor->run, err) &&
         follower_open(&executor->follower, &executor->place, executor->run, err) &&
         control_desk_start(&executor->desk, &executor->place, err);
    if (!ok) {
        let_go(executor);
        return false;
    }
    follower_watch(executor->follower);
    mcp_loops_open(&executor->loops, &options.plan->loops);
    if (executor->tree)
        tell_tree(executor);
    return true;
}

static void keep_tree(struct executor *executor, struct proxy_result *result)
{
    struct str title = {0};
    str_addf(&title, "devs mcp: %s", executor->name);
    if (!session_tree_keep(executor->tree, str_text(&title), &result->kept, &result->err))
        result->recording_failed = true;
    str_done(&title);
}

void executor_run_end(struct executor *executor, struct proxy_result *result)
{
    struct engine_result ended = {0};
    result->run = executor->run;
    if (executor->engine) {
        engine_stop(executor->engine, &ended);
        executor->engine = NULL;
        result->recording_failed = ended.recording_failed;
        result->err = ended.err;
        result->notify_err = ended.notify_err;
    }
    if (executor->tree)
        keep_tree(executor, result);
    let_go(executor);
    mcp_loops_close(executor->loops);
    executor->loops = NULL;
}
