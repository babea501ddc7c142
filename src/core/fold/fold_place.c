/* fold_place.c - where a task works: its workspace, its trees, its result, its sandbox. */
#include "fold.h"

#include <stdlib.h>

#include "xalloc.h"

enum { LACKS_MAX = 200 }; /* bytes of the words that name keys */

void fold_place_free(struct task_place *place)
{
    if (!place)
        return;
    free(place->path);
    free(place->branch);
    free(place->result);
    free(place->lacks);
    free(place);
}

static struct task_place *place_of(const struct fold *fold)
{
    if (!fold->task->place)
        fold->task->place = xcalloc(1, sizeof(*fold->task->place));
    return fold->task->place;
}

/* What the event's text says takes the place of what was known; what it does not say stays. */
static void keep_text(const struct fold *fold, const char *key, char **out)
{
    const char *text = json_text(json_get(fold->text, key), NULL);
    if (!text || text[0] == '\0')
        return;
    free(*out);
    *out = xstrdup(text);
}

static struct digest tree_of(const struct event *event)
{
    return (struct digest){.hi = (uint64_t)event->a, .lo = (uint64_t)event->b};
}

static void see_tree(const struct fold *fold)
{
    struct task_place *place = place_of(fold);
    place->tree = tree_of(fold->event);
    place->is_changed = false;
}

void fold_workspace_made(const struct fold *fold)
{
    struct task_place *place = place_of(fold);
    place->kind = (enum workspace_kind)fold->event->a;
    place->is_kept = false;
    keep_text(fold, "path", &place->path);
    keep_text(fold, "branch", &place->branch);
}

static struct step_trees *trees_of(struct step_state *step)
{
    if (!step->trees)
        step->trees = xcalloc(1, sizeof(*step->trees));
    return step->trees;
}

void fold_workspace_saved(const struct fold *fold)
{
    trees_of(fold->step)->saved = tree_of(fold->event);
    see_tree(fold);
}

void fold_workspace_reset(const struct fold *fold)
{
    see_tree(fold);
}

void fold_tree_proven(const struct fold *fold)
{
    struct step_trees *trees = trees_of(fold->step);
    trees->proven = tree_of(fold->event);
    trees->proven_attempt = fold->event->attempt;
    see_tree(fold);
}

static int32_t bounded(int64_t count)
{
    return count < 0 ? 0 : count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

static void keep_change(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct attempt_state *attempt = step_state_find_attempt(fold->step, event->attempt);
    if (!attempt)
        return;
    attempt->tree_known = event->d == 0;
    attempt->paths_changed = bounded(event->a);
    attempt->lines_added = bounded(event->b);
    attempt->lines_removed = bounded(event->c);
}

void fold_workspace_changed(const struct fold *fold)
{
    const bool all_is_known = fold->event->d == 0;
    keep_change(fold);
    if (fold->event->a == 0 && all_is_known)
        return;
    struct task_place *place = place_of(fold);
    place->tree = (struct digest){0};
    place->is_changed = true;
}

void fold_result_kept(const struct fold *fold)
{
    struct task_place *place = place_of(fold);
    place->is_kept = true;
    keep_text(fold, "branch", &place->branch);
    if (fold->event->a == EVENT_KEPT_TREE)
        keep_text(fold, "path", &place->result);
}

void fold_sandbox_lacks(const struct fold *fold)
{
    const struct json *keys = json_get(fold->text, "keys");
    struct task_place *place = place_of(fold);
    struct str words = {0};
    for (size_t i = 0; i < json_count(keys) && words.len < LACKS_MAX; i++)
        str_addf(&words, "%s%s", words.len > 0 ? ", " : "", json_text(json_at(keys, i), "?"));
    free(place->lacks);
    place->lacks = words.len > 0 ? xstrndup(words.data, words.len) : NULL;
    str_done(&words);
}

void fold_time_stopped(const struct fold *fold)
{
    fold->state->stopped_ms += fold->event->a;
    fold_wall_stand(fold, fold->event->a);
}

void fold_secrets_cut(const struct fold *fold)
{
    fold->state->secrets_cut += fold->event->a;
}
