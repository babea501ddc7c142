/* event_text_place.c - the words of events about workspaces, trees and sandboxes. */
#include <stddef.h>

#include "digest.h"
#include "event_look.h"
#include "shown.h"

enum {
    COMMIT_SHOWN = 12, /* hex digits of a commit or a tree */
    PATHS_SHOWN = 5,
    NAMES_SHOWN = 8,
};

/* "31 ms", "0.4 s", "3:12". */
static void add_time(struct str *out, int64_t ms)
{
    enum { SHOWN_MS_MAX = 100 };
    if (ms < SHOWN_MS_MAX)
        str_addf(out, "%lld ms", (long long)ms);
    else
        shown_seconds(ms, out);
}

static const char *text_of(const struct event_look *w, const char *key)
{
    return json_text(json_get(event_look_text(w), key), "");
}

void event_words_workspace_made(const struct event_look *w)
{
    const char *base = text_of(w, "base");
    const char *branch = text_of(w, "branch");
    const int64_t setup_ms = json_i64(json_get(event_look_text(w), "setup_ms"), 0);
    str_addf(w->out, "workspace made: %s", workspace_kind_name((enum workspace_kind)w->event->a));
    if (*text_of(w, "path") != '\0')
        str_addf(w->out, " at %s", text_of(w, "path"));
    if (*base != '\0')
        str_addf(w->out, " from %.*s", COMMIT_SHOWN, base);
    if (*branch != '\0')
        str_addf(w->out, " for %s", branch);
    str_add(w->out, " in ");
    add_time(w->out, w->event->b);
    if (setup_ms == 0)
        return;
    str_add(w->out, ", setup ");
    add_time(w->out, setup_ms);
}

static void add_files(const struct event_look *w)
{
    shown_count(w->event->c, "file", "files", w->out);
    str_add(w->out, ", ");
    shown_size(w->event->d, w->out);
    str_add(w->out, " in ");
    add_time(w->out, w->event->e);
}

void event_words_workspace_saved(const struct event_look *w)
{
    str_add(w->out, "tree saved: ");
    add_files(w);
}

void event_words_workspace_reset(const struct event_look *w)
{
    if (w->event->c == 0) {
        str_add(w->out, "tree unchanged: checked in ");
    } else {
        str_add(w->out, "tree restored: ");
        shown_count(w->event->c, "path", "paths", w->out);
        str_add(w->out, " in ");
    }
    add_time(w->out, w->event->e);
}

void event_words_tree_proven(const struct event_look *w)
{
    char hex[DIGEST_HEX_MAX];
    digest_to_hex((struct digest){.hi = (uint64_t)w->event->a, .lo = (uint64_t)w->event->b}, hex);
    str_addf(w->out, "proven on tree %.*s: ", COMMIT_SHOWN, hex);
    add_files(w);
}

/* "M src/a.c, D src/b.c, ..." */
static void add_paths(const struct event_look *w)
{
    const struct json *paths = json_get(event_look_text(w), "paths");
    const size_t count = json_count(paths);
    for (size_t i = 0; i < count && i < PATHS_SHOWN; i++) {
        const struct json *path = json_at(paths, i);
        str_addf(w->out, "%s%s %s", i > 0 ? ", " : ": ", json_text(json_at(path, 0), "?"),
                 json_text(json_at(path, 1), "?"));
    }
    str_add(w->out, w->event->a > PATHS_SHOWN && count > 0 ? ", ..." : "");
}

void event_words_workspace_changed(const struct event_look *w)
{
    const char *why = text_of(w, "why");
    if (w->event->a == 0 && w->event->d != 0) {
        str_addf(w->out, "what it changed is not known%s%s", *why ? ": " : "", why);
        return;
    }
    str_add(w->out, "changed ");
    shown_count(w->event->a, "path", "paths", w->out);
    if (w->event->b > 0 || w->event->c > 0)
        str_addf(w->out, ", +%lld -%lld lines", (long long)w->event->b, (long long)w->event->c);
    add_paths(w);
    if (w->event->d != 0)
        str_addf(w->out, " (not all was looked at%s%s)", *why ? ": " : "", why);
}

void event_words_result_kept(const struct event_look *w)
{
    if (w->event->a == EVENT_KEPT_TREE) {
        str_addf(w->out, "result kept: tree at %s", text_of(w, "path"));
        return;
    }
    str_addf(w->out, "result kept: branch %s", text_of(w, "branch"));
    if (*text_of(w, "commit") != '\0')
        str_addf(w->out, " at %.*s", COMMIT_SHOWN, text_of(w, "commit"));
}

void event_words_sandbox_lacks(const struct event_look *w)
{
    const struct json *keys = json_get(event_look_text(w), "keys");
    const char *why = text_of(w, "why");
    str_add(w->out, "sandbox does not enforce");
    for (size_t i = 0; i < json_count(keys) && i < NAMES_SHOWN; i++)
        str_addf(w->out, "%s%s", i > 0 ? ", " : " ", json_text(json_at(keys, i), "?"));
    str_addf(w->out, "%s%s", *why ? ": " : "", why);
}

void event_words_time_stopped(const struct event_look *w)
{
    str_add(w->out, "devs was suspended for ");
    add_time(w->out, w->event->a);
    str_add(w->out, ", not counted by timeouts");
}

void event_words_secrets_cut(const struct event_look *w)
{
    const char *name;
    const struct json *count;
    void *iter = NULL;
    int shown = 0;
    str_add(w->out, "cut ");
    shown_count(w->event->a, "secret", "secrets", w->out);
    while (shown < NAMES_SHOWN &&
           json_next(json_get(event_look_text(w), "names"), &iter, &name, &count)) {
        str_addf(w->out, "%s%s", shown++ > 0 ? ", " : ": ", name);
        if (json_i64(count, 1) > 1)
            str_addf(w->out, " %lldx", (long long)json_i64(count, 1));
    }
}
