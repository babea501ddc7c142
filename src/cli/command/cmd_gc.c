/* cmd_gc.c - devs gc: removes old data from the log and the disk. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "config.h"
#include "fail.h"
#include "follower.h"
#include "gc.h"
#include "log_merge.h"
#include "log_own.h"
#include "log_reader.h"
#include "owner.h"
#include "parse.h"
#include "spill.h"
#include "target.h"

enum { DAYS_MAX = 36500, MS_PER_DAY = 24 * 60 * 60 * 1000 };

static const char *action_word(enum gc_action action)
{
    static const char *const words[] = {
        [GC_KEPT] = "kept",
        [GC_REMOVED] = "removed",
        [GC_WOULD_REMOVE] = "would remove",
        [GC_MERGED] = "merged",
        [GC_WOULD_MERGE] = "would merge",
    };
    return words[action];
}

void gc_tell(struct gc *gc, const struct gc_thing *thing)
{
    struct str out = {0};
    if (gc->json) {
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_text(&out, "kind", thing->kind);
        str_json_text(&out, "name", thing->name);
        str_json_text(&out, "action", action_word(thing->action));
        if (thing->bytes >= 0)
            str_json_i64(&out, "bytes", thing->bytes);
        str_json_text(&out, "why", thing->why);
        str_add(&out, "}\n");
    } else {
        str_addf(&out, "%-14s %-10s %s  %s\n", action_word(thing->action), thing->kind, thing->name,
                 thing->why);
    }
    say(str_text(&out));
    str_done(&out);
    gc->count++;
}

/* Merges a spill of this log unless its run is still active; removes an empty spill. Keeps a spill
 * that cannot be merged, because it is the only record of how the run ended. */
static void take_spill(struct gc *gc, const struct spill_info *info)
{
    struct err err = {0};
    struct log_merged merged;
    char why[ERR_MESSAGE_MAX] = "";
    struct gc_thing thing = {
        .kind = "spill", .name = info->place.db, .bytes = info->bytes, .why = why};
    if (info->is_empty) {
        thing.action = gc->dry ? GC_WOULD_REMOVE : GC_REMOVED;
        (void)snprintf(why, sizeof(why), "it is empty");
        if (!gc->dry)
            spill_remove(&info->place);
    } else if (info->alive) {
        (void)snprintf(why, sizeof(why), "run #%lld is still active", (long long)info->run);
    } else if (gc->dry) {
        thing.action = GC_WOULD_MERGE;
        (void)snprintf(why, sizeof(why), "run #%lld, events %lld to %lld", (long long)info->run,
                       (long long)info->first_seq, (long long)info->last_seq);
    } else if (log_merge(&gc->place, &info->place, &merged, &err)) {
        thing.action = GC_MERGED;
        spill_remove(&info->place);
        (void)snprintf(why, sizeof(why), "run #%lld: %lld events", (long long)merged.run,
                       (long long)merged.events);
    } else {
        (void)snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, err.message);
    }
    gc_tell(gc, &thing);
}

static void take_locks(struct gc *gc)
{
    size_t count = owner_clear_left(&gc->place, gc->dry ? OWNER_COUNT : OWNER_REMOVE);
    char why[64];
    if (count == 0)
        return;
    (void)snprintf(why, sizeof(why), "%zu left by runs whose devs was killed", count);
    const struct gc_thing thing = {.kind = "lock",
                                   .name = "owner/",
                                   .bytes = -1,
                                   .action = gc->dry ? GC_WOULD_REMOVE : GC_REMOVED,
                                   .why = why};
    gc_tell(gc, &thing);
}

/* Merges a file named on the command line. Deletes it only if it is in the folder of spills. */
static int merge_file(const struct gc *gc, const char *file)
{
    struct err err = {0};
    struct place spill;
    struct log_merged merged = {0};
    struct spill_info info;
    if (!place_of_file(file, &spill, &err) || !spill_read_info(&spill, &info, &err) ||
        !log_own_check(&spill, &err) || !log_merge(&gc->place, &spill, &merged, &err))
        return fail(&err);
    struct place known;
    bool is_in_place = spill_find(info.uid, &known) && strcmp(known.db, spill.db) == 0;
    if (is_in_place)
        spill_remove(&spill);
    if (gc->json)
        (void)printf("{\"v\":1,\"run\":%lld,\"events\":%lld}\n", (long long)merged.run,
                     (long long)merged.events);
    else if (merged.events == 0)
        (void)printf("run #%lld: everything was already in the log\n", (long long)merged.run);
    else
        (void)printf("run #%lld: %lld events merged\n", (long long)merged.run,
                     (long long)merged.events);
    return EXIT_ALL_PASSED;
}

/* Returns false, so that nothing is removed, if the log cannot be read or a name is not an existing
 * RUN or RUN/TASK: a task alone could belong to any run. */
static bool check_log(const struct gc *gc, struct err *err)
{
    struct log_reader *reader = NULL;
    struct target target;
    int task = 0;
    bool ok = log_reader_open(&reader, &gc->place, err);
    log_reader_close(reader);
    for (int i = 0; ok && !gc->deletes && i < gc->name_count; i++) {
        struct follower *follower = NULL;
        if (!target_parse(gc->names[i], &target, err))
            return false;
        if (target.run == 0)
            return err_set(err, ERR_INVALID, "'%s' does not name a run; use RUN or RUN/TASK",
                           gc->names[i]);
        ok = target_follow(&target, &gc->place, &follower, err) &&
             (target.task[0] == '\0' ||
              target_task(&target, follower_state(follower)->plan, &task, err));
        follower_close(follower);
    }
    return ok;
}

/* Says how to remove workspaces and branches that accumulate over many runs. */
static void hint_at_old(const struct gc *gc)
{
    enum { KEPT_MANY = 5 };
    if (gc->json || gc->older_ms >= 0)
        return;
    if (gc->kept_workspaces >= KEPT_MANY)
        (void)printf("hint: %d workspaces are kept; devs gc --older 7 removes those that are older "
                     "than 7 days\n",
                     gc->kept_workspaces);
    if (gc->branches >= KEPT_MANY)
        (void)printf("hint: %d branches devs/RUN/TASK hold results; git branch -D removes those "
                     "that you have merged or do not want\n",
                     gc->branches);
}

static int collect_all(struct gc *gc)
{
    /* each contains paths: too large for the stack */
    static struct spill_info spills[SPILL_LIST_MAX];
    struct err err = {0};
    if (!check_log(gc, &err))
        return fail(&err);
    if (!gc->deletes) {
        const size_t count = spill_list(spills, SPILL_LIST_MAX);
        for (size_t i = 0; i < count; i++) {
            if (strcmp(spills[i].home, gc->place.db) == 0 || spills[i].is_empty)
                take_spill(gc, &spills[i]);
        }
        take_locks(gc);
        if (!gc_workspaces(gc, &err))
            return fail(&err);
    }
    if (!gc_runs(gc, &err))
        return fail(&err);
    if (gc->count == 0 && !gc->json)
        (void)puts("nothing to clean up");
    hint_at_old(gc);
    return gc->kept_named ? EXIT_GAVE_UP : EXIT_ALL_PASSED;
}

/* Returns whether the path is the folder or below it. */
static bool is_within(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Warns about recent runs whose folder is not the project of this log: the runs of a copied log
 * still name the original folder. */
static void warn_of_folders(const struct place *place)
{
    static struct log_run_info runs[LOG_PAGE_RUNS];
    char project[PATH_MAX];
    char other[PATH_MAX] = "";
    size_t count = 0;
    bool has_more = false;
    struct log_reader *reader = NULL;
    (void)snprintf(project, sizeof(project), "%s", place->dir);
    char *slash = strrchr(project, '/');
    if (slash && strcmp(slash, "/.devs") == 0)
        *slash = '\0';
    if (place->is_shared || !log_reader_open(&reader, place, NULL))
        return;
    if (!log_reader_runs(reader, 0, runs, LOG_PAGE_RUNS, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *dir = runs[i].dir;
        if (other[0] == '\0' && !is_within(dir, project))
            (void)snprintf(other, sizeof(other), "%s", dir);
        else if (!is_within(dir, project) && !is_within(dir, other))
            has_more = true;
        log_run_info_done(&runs[i]);
    }
    log_reader_close(reader);
    if (other[0] != '\0')
        warn("its runs belong to '%.120s'%s, not to '%.120s': devs apply and devs run --continue"
             " work there",
             other, has_more ? " and other folders" : "", project);
}

/* Adopts the log, so that its plans may run from now on; only a person can do that. */
static int adopt_log(const struct globals *globals)
{
    struct err err = {0};
    struct place place;
    if (!place_find(globals->db, false, &place, &err) || !log_own_adopt(&place, &err))
        return fail(&err);
    (void)printf("'%s' is yours now: its runs can be continued\n", place.db);
    warn_of_folders(&place);
    return EXIT_ALL_PASSED;
}

/* Reads the limits from the command line, or else from the project's settings. `older` is the value
 * of --older, or NULL. */
static int read_limits(struct gc *gc, const struct gc_limit_words *words, const char *older)
{
    char dir[PATH_MAX];
    struct err err = {0};
    struct config config = {0};
    int64_t days = 0;
    const int code = getcwd(dir, sizeof(dir))
                         ? config_read(dir, gc->dry ? CONFIG_SHOWS : CONFIG_ACTS, &config)
                         : EXIT_ALL_PASSED;
    if (code != EXIT_ALL_PASSED)
        return code;
    bool ok = gc_limits(words, &config.settings.retention, &gc->limits, &err);
    config_done(&config);
    if (ok && older && !parse_i64(older, 0, DAYS_MAX, &days, &err))
        ok = err_hint(&err, "--older takes a number of days");
    gc->older_ms = older ? days * MS_PER_DAY : -1;
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int cmd_gc(struct globals *globals, int argc, char **argv)
{
    struct gc gc = {.now_ms = clock_now().at_ms};
    const char *merge = NULL;
    const char *older = NULL;
    bool adopts = false;
    struct gc_limit_words words = {0};
    const struct option_spec specs[] = {
        {"dry-run", 0, NULL, "show what would be done", &gc.dry, NULL},
        {"json", 0, NULL, "print a JSON object for each item", &gc.json, NULL},
        {"older", 0, "DAYS",
         "also remove kept workspaces, including results of copies, that have not changed for DAYS "
         "days",
         NULL, &older},
        {"merge", 0, "FILE", "merge a spill log into the run log", NULL, &merge},
        {"adopt", 0, NULL,
         "take over a log that came with a clone or a copy, so that its runs can be continued",
         &adopts, NULL},
        {"keep-days", 0, "N", "remove runs from the log N days after their last event", NULL,
         &words.days},
        {"keep-runs", 0, "N", "keep only the newest N runs in the log", NULL, &words.runs},
        {"keep-mib", 0, "N", "keep only the newest runs that fit into N MiB together", NULL,
         &words.mib},
        {"delete", 0, NULL,
         "remove the named runs (41, 38-41, all) from the log and do nothing else", &gc.deletes,
         NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = GC_NAMES_MAX};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (gc.deletes && line.operands == 0)
        return fail_usage("use devs gc --delete RUN...", "gc: missing RUN");
    if (adopts && (merge || gc.deletes || gc.dry || line.operands > 0))
        return fail_usage("use devs gc --adopt on its own",
                          "--adopt cannot be combined with other actions");
    if (adopts)
        return adopt_log(globals);
    code = read_limits(&gc, &words, older);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct err err = {0};
    gc.names = argv;
    gc.name_count = line.operands;
    bool makes_log = merge && globals->db;
    const bool only_looks = gc.dry && !merge;
    if (!(makes_log || only_looks ? find_log(globals->db, makes_log, &gc.place, &err)
                                  : find_log_to_write(globals->db, &gc.place, &err)))
        return fail(&err);
    return merge ? merge_file(&gc, merge) : collect_all(&gc);
}
