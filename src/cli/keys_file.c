#include "keys_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "fail.h"
#include "json_edit.h"
#include "text_file.h"

/* False where the environment names no folder, or one that is too long. */
static bool find_path(char path[PATH_MAX])
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    int len = PATH_MAX;
    if (config && config[0] == '/')
        len = snprintf(path, PATH_MAX, "%s/devs/keys.json", config);
    else if (home && home[0] == '/')
        len = snprintf(path, PATH_MAX, "%s/.config/devs/keys.json", home);
    if (len >= PATH_MAX)
        path[0] = '\0';
    return len < PATH_MAX;
}

/* With blanks for its comments; a text that is not JSON is read as it is, which says where. */
static void take(struct keys_file *file, const struct str *text)
{
    struct jsonc jsonc = {0};
    const bool is_json = jsonc_open(&jsonc, text, NULL);
    const struct str *plain = is_json ? &jsonc.plain : text;
    file->keys = own_keys_read("keys.json", str_text(plain), plain->len, &file->problems);
    jsonc_close(&jsonc);
}

void keys_file_read(struct keys_file *out)
{
    struct str text = {0};
    struct err err = {0};
    *out = (struct keys_file){0};
    if (!find_path(out->path))
        return;
    const bool ok = read_text_file(out->path, OWN_KEYS_BYTES_MAX, &text, &err);
    out->is_there = ok || err.code != ERR_NOT_FOUND;
    if (ok)
        take(out, &text);
    else if (out->is_there)
        str_addf(&out->problems, "%s: %s\n", out->path, err.message);
    str_done(&text);
}

void keys_file_set(struct keys_file *out, struct app_options *options)
{
    keys_file_read(out);
    options->keys = out->keys;
    options->keys_problems = str_text(&out->problems);
    say_error(str_text(&out->problems));
}

void keys_file_done(struct keys_file *file)
{
    own_keys_free(file->keys);
    str_done(&file->problems);
    *file = (struct keys_file){0};
}
