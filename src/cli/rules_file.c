#define _XOPEN_SOURCE 700 /* realpath */
#include "rules_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "classify.h"
#include "config.h"
#include "json.h"
#include "json_edit.h"
#include "read_text.h"
#include "rule_list.h"

enum { NEW_FILE_MODE = 0644, MODE_BITS = 07777 };

/* The settings as they are to be. */
struct edit {
    char path[PATH_MAX];
    mode_t mode;
    struct str text;    /* owned */
    struct json *rules; /* owned; what is added: a list */
};

/* Where there are no settings yet, an empty object is changed. */
static bool read_old(const char *dir, struct edit *edit, struct err *err)
{
    FILE *file = NULL;
    struct stat info;
    char named[PATH_MAX];
    if (!config_open(dir, named, &file, err))
        return false;
    if (!file) {
        edit->mode = NEW_FILE_MODE;
        int len = snprintf(edit->path, sizeof(edit->path), "%s/devs.config.json", dir);
        if (len < 0 || (size_t)len >= sizeof(edit->path))
            return err_set(err, ERR_LIMIT, "'%s' is too long a name", dir);
        str_add(&edit->text, "{}\n");
        return true;
    }
    bool ok = read_text(file, SETTINGS_BYTES_MAX, &edit->text, err);
    if (ok && fstat(fileno(file), &info) != 0)
        ok = err_set_errno(err, errno, "cannot look at '%s'", named);
    (void)fclose(file);                     /* only read */
    if (ok && !realpath(named, edit->path)) /* behind a link is the file to change */
        ok = err_set_errno(err, errno, "cannot find '%s'", named);
    edit->mode = ok ? info.st_mode & MODE_BITS : NEW_FILE_MODE;
    return ok;
}

/* Read the text as `devs run` will, and compile its rules. */
static bool check(const struct edit *edit, struct err *err)
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

/* Where the rule of this name stands in the text, if it does. */
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
        (void)json_edit_member(edit->text.data, "rules", &list); /* it is there now */
    }
    if (find_rule(edit, list, rule_list_name(rule), &place))
        json_edit_replace(&edit->text, place, text);
    else
        json_edit_append(&edit->text, list, text);
    free(text);
}

/* What is to be added, as a list that has been looked through. */
static bool read_rules(const char *rule_json, struct edit *edit, struct err *err)
{
    struct str list = {0};
    bool ok = rule_list_add(NULL, rule_json, &list, err) &&
              json_parse(list.data, list.len, &edit->rules, NULL, err);
    str_done(&list);
    return ok;
}

static bool write_all(int fd, const struct str *text)
{
    size_t done = 0;
    while (done < text->len) {
        ssize_t put = write(fd, text->data + done, text->len - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* The folder knows the new name for good; where it cannot say so the file is there all
 * the same. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return;
    *slash = '\0';
    int fd = open(*folder ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd); /* best effort */
    (void)close(fd);
}

/* A new file beside the old one takes its name: whoever reads sees one or the other. */
static bool put_in_place(const struct edit *edit, struct err *err)
{
    char temporary[PATH_MAX];
    int len = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", edit->path);
    if (len < 0 || (size_t)len >= sizeof(temporary))
        return err_set(err, ERR_LIMIT, "'%s' is too long a name", edit->path);
    int fd = mkstemp(temporary);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot write beside '%s'", edit->path);
    bool ok = write_all(fd, &edit->text) && fchmod(fd, edit->mode) == 0 && fsync(fd) == 0;
    int why = errno;
    (void)close(fd); /* it is on the disk, or of no use */
    if (ok && rename(temporary, edit->path) != 0) {
        why = errno;
        ok = false;
    }
    if (!ok) {
        (void)unlink(temporary); /* best effort */
        return err_set_errno(err, why, "cannot write '%s'", edit->path);
    }
    sync_folder(edit->path);
    return true;
}

bool rules_add(const char *dir, const char *rule_json, struct err *err)
{
    struct edit edit = {0};
    bool ok = read_rules(rule_json, &edit, err) && read_old(dir, &edit, err) && check(&edit, err);
    for (size_t i = 0; ok && i < json_count(edit.rules); i++)
        put_rule(&edit, json_at(edit.rules, i));
    ok = ok && check(&edit, err) && put_in_place(&edit, err);
    json_free(edit.rules);
    str_done(&edit.text);
    return ok;
}
