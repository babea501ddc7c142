#include "workspace_note.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "str.h"
#include "tree_folder.h"

bool workspace_note_write(const char *path, const struct workspace_note *note, struct err *err)
{
    struct str text = {0};
    str_add(&text, "{");
    str_json_i64(&text, "v", 1);
    str_json_text(&text, "kind", workspace_kind_name(note->kind));
    str_json_text(&text, "base", note->base);
    str_json_text(&text, "admin", note->admin);
    str_json_text(&text, "branch", note->branch);
    str_json_text(&text, "commit", note->commit);
    str_add(&text, "}\n");
    const bool ok = whole_file_write(path, &text, err);
    str_done(&text);
    return ok;
}

/* False if it is no text, or does not fit. */
static bool take_text(const struct json *note, const char *key, char *out, size_t cap)
{
    const char *text = json_text(json_get(note, key), NULL);
    const size_t len = text ? strlen(text) : cap;
    if (len >= cap)
        return false;
    memcpy(out, text, len + 1);
    return true;
}

static bool parse(const char *bytes, size_t len, struct workspace_note *out)
{
    struct json *json = NULL;
    struct workspace_note note = {0};
    if (!json_parse(bytes, len, &json, NULL, NULL))
        return false;
    const char *kind = json_text(json_get(json, "kind"), NULL);
    const bool ok = kind && workspace_kind_parse(kind, &note.kind) &&
                    take_text(json, "base", note.base, sizeof(note.base)) &&
                    take_text(json, "admin", note.admin, sizeof(note.admin)) &&
                    take_text(json, "branch", note.branch, sizeof(note.branch)) &&
                    take_text(json, "commit", note.commit, sizeof(note.commit)) &&
                    !strchr(note.admin, '/');
    json_free(json);
    if (ok)
        *out = note;
    return ok;
}

bool workspace_note_read(const char *path, struct workspace_note *out, struct err *err)
{
    char bytes[WORKSPACE_NOTE_BYTES_MAX];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, "there is no '%s'", path);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    ssize_t got;
    do
        got = read(fd, bytes, sizeof(bytes));
    while (got < 0 && errno == EINTR);
    const int number = errno;
    (void)close(fd); /* it was only read */
    if (got < 0)
        return err_set_errno(err, number, "cannot read '%s'", path);
    if ((size_t)got == sizeof(bytes) || !parse(bytes, (size_t)got, out))
        return err_set(err, ERR_DAMAGED, "'%s' says nothing of a workspace", path);
    return true;
}
