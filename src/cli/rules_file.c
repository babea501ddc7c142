/* rules_file.c - adds a rule to devs.config.json.
 *
 * The folder is locked, because two concurrent savers would undo each other's changes. The new text
 * is checked as devs run will check it, and is trusted afterwards only if the old one was. If the
 * file is a link, its target is changed. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "classify.h"
#include "json.h"
#include "json_edit.h"
#include "text_file.h"
#include "trust.h"

enum {
    LOCK_TRIES = 12000, /* one minute: on a slow disk each of several savers may take a second */
    LOCK_PAUSE_NS = 5 * 1000 * 1000,
};

/* The settings being changed. */
struct edit {
    char path[PATH_MAX];  /* path of the file with links resolved */
    char found[PATH_MAX]; /* path of the file as found */
    bool is_trusted;      /* whether the text as read was trusted */
    int folder;           /* owned, locked; -1 = none */
    struct str text;      /* owned */
    struct json *rules;   /* owned; a list of the rules to add */
};

/* Finds the file, or the path at which to create it. */
static bool find_file(const char *dir, struct edit *edit, struct err *err)
{
    FILE *file = NULL;
    if (!config_open(dir, edit->found, &file, err))
        return false;
    if (!file) {
        int len = snprintf(edit->path, sizeof(edit->path), "%s/devs.config.json", dir);
        (void)snprintf(edit->found, sizeof(edit->found), "%s", edit->path);
        return (len >= 0 && (size_t)len < sizeof(edit->path)) ||
               err_set(err, ERR_LIMIT, "the path '%s' is too long", dir);
    }
    (void)fclose(file);                         /* only its path is needed */
    return realpath(edit->found, edit->path) || /* if it is a link, change its target */
           err_set_errno(err, errno, "cannot find '%s'", edit->found);
}

/* Lets one saver work at a time, because two savers that read the same text would undo each other's
 * changes. Continues without a lock if the file system has none. */
static bool lock_folder(struct edit *edit, struct err *err)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", edit->path);
    char *slash = strrchr(folder, '/');
    slash[slash == folder ? 1 : 0] = '\0';
    edit->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (edit->folder < 0)
        return err_set_errno(err, errno, "cannot open '%s'", folder);
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(edit->folder, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR))
            return true;
        (void)nanosleep(&pause, NULL); /* if interrupted, it just tries again early */
    }
    return err_set(err, ERR_BUSY, "'%s' is locked by another program", folder);
}

/* Reads the settings file. Without one, starts from an empty object. */
static bool read_old(struct edit *edit, struct err *err)
{
    struct err why = {0};
    if (read_text_file(edit->path, SETTINGS_BYTES_MAX, &edit->text, &why)) {
        edit->is_trusted = trust_find(edit->found, &edit->text) == TRUST_GIVEN;
        return true;
    }
    if (why.code != ERR_NOT_FOUND)
        return err_set(err, why.code, "cannot read '%s': %s", edit->path, why.message);
    str_add(&edit->text, "{}\n");
    return true;
}

/* Saves the new text, which is trusted if the old one was. */
static bool save_text(const struct edit *edit, struct err *err)
{
    struct err why = {0};
    if (!save_file(edit->path, &edit->text, err))
        return false;
    if (!edit->is_trusted || trust_record(edit->found, &edit->text, &why))
        return true;
    (void)err_set(err, why.code, "%s: saved, but no longer trusted: %s", edit->path, why.message);
    return err_hint(err, "run devs trust");
}

/* Parses the text as `devs run` will, and compiles its rules. */
static bool check_text(const struct edit *edit, struct err *err)
{
    struct settings settings = {0};
    struct violations violations = {0};
    struct classifier *classifier = NULL;
    bool ok = settings_parse(str_text(&edit->text), edit->text.len, &settings, &violations);
    if (!ok) {
        struct str shown = {0};
        violations_display(&violations, &shown);
        (void)err_set(err, ERR_INVALID, "%s: %.*s", edit->path,
                      (int)strcspn(str_text(&shown), "\n"), str_text(&shown));
        str_done(&shown);
    }
    ok = ok && classifier_open(&classifier, settings.rules, err);
    classifier_close(classifier);
    settings_done(&settings);
    violations_done(&violations);
    return ok;
}

/* Finds the rule of this name in the text. */
static bool find_rule(const struct edit *edit, struct json_span list, const char *name,
                      struct json_span *out)
{
    bool found = false;
    for (size_t i = 0; !found && json_edit_element(edit->text.data, list, i, out); i++) {
        struct json *rule = NULL;
        if (!json_parse(edit->text.data + out->start, out->end - out->start, &rule, NULL, NULL))
            return false;
        found = strcmp(rule_list_name(rule), name) == 0;
        json_free(rule);
    }
    return found;
}

static void put_rule(struct edit *edit, const struct json *rule)
{
    struct json_span list;
    struct json_span place;
    char *text = json_brief(rule, RULE_LIST_BYTES_MAX);
    if (!json_edit_member(edit->text.data, "rules", &list)) {
        json_edit_add_member(&edit->text, "rules", "[]");
        (void)json_edit_member(edit->text.data, "rules", &list); /* the list exists now */
    }
    if (find_rule(edit, list, rule_list_name(rule), &place))
        json_edit_replace(&edit->text, place, text);
    else
        json_edit_append(&edit->text, list, text);
    free(text);
}

bool rules_add(const char *dir, const char *rule_json, struct err *err)
{
    struct edit edit = {.folder = -1};
    struct str list = {0}; /* the new rules, checked */
    bool ok = rule_list_add(NULL, rule_json, &list, err) &&
              json_parse(list.data, list.len, &edit.rules, NULL, err);
    str_done(&list);
    ok = ok && find_file(dir, &edit, err) && lock_folder(&edit, err) && read_old(&edit, err) &&
         check_text(&edit, err);
    for (size_t i = 0; ok && i < json_count(edit.rules); i++)
        put_rule(&edit, json_at(edit.rules, i));
    ok = ok && check_text(&edit, err) && save_text(&edit, err);
    if (edit.folder >= 0)
        (void)close(edit.folder); /* closing releases the lock */
    json_free(edit.rules);
    str_done(&edit.text);
    return ok;
}
