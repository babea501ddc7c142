/* appearance.c - chooses the theme, ASCII mode and width of output, and reads the user's own
 * keys. */
#include "appearance.h"

#include <assert.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app.h"
#include "fail.h"
#include "json_edit.h"
#include "text_file.h"

/* The appearance. */

bool appearance_theme(const struct globals *globals, const struct ui_settings *ui,
                      struct theme *out, struct err *err)
{
    struct str text = {0}, known = {0};
    struct err why = {0};
    const char *other;
    const char *name = "auto";
    if (globals && globals->theme)
        name = globals->theme;
    else if (ui && ui->theme)
        name = ui->theme;
    if (ui_theme_is_file(name)) {
        const bool ok = read_text_file(name, THEME_BYTES_MAX, &text, &why) &&
                        theme_parse(str_text(&text), text.len, out, &why);
        str_done(&text);
        return ok || err_set(err, ERR_INVALID, "theme '%s': %s", name, why.message);
    }
    if (theme_named(name, out))
        return true;
    for (size_t i = 0; (other = theme_name_at(i)); i++)
        str_addf(&known, "%s%s", i > 0 ? ", " : "", other);
    (void)err_set(err, ERR_INVALID, "unknown theme '%s'", name);
    (void)err_hint(err, "use %s, or a file whose name contains a slash", str_text(&known));
    str_done(&known);
    return false;
}

bool appearance_print_ascii(const struct globals *globals)
{
    return globals->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int appearance_print_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

void appearance_set(struct app_options *options, const struct globals *globals,
                    const struct ui_settings *ui, struct theme *theme)
{
    struct err err = {0};
    if (!appearance_theme(globals, ui, theme, &err)) {
        warn("%s", err.message);
        bool is_known = theme_named("auto", theme);
        assert(is_known);
        (void)is_known;
    }
    options->theme = theme;
    options->ui = ui;
    options->ascii = globals->ascii || (ui && ui->ascii);
    options->color = globals->no_color ? TERM_COLOR_NONE : TERM_COLOR_AUTO;
}

/* The user's keys. */

/* Finds the path of keys.json. Returns false if the environment names no folder, or if the path is
 * too long. */
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

void keys_file_read(struct keys_file *out)
{
    struct str text = {0};
    struct err err = {0};
    *out = (struct keys_file){0};
    if (!find_path(out->path))
        return;
    const bool ok = read_text_file(out->path, OWN_KEYS_BYTES_MAX, &text, &err);
    out->is_there = ok || err.code != ERR_NOT_FOUND;
    if (ok) {
        /* Comments become blanks. Invalid JSON is kept: the parser reports the position of the
         * error. */
        struct jsonc jsonc = {0};
        const struct str *plain = jsonc_open(&jsonc, &text, NULL) ? &jsonc.plain : &text;
        out->keys = own_keys_read("keys.json", str_text(plain), plain->len, &out->problems);
        jsonc_close(&jsonc);
    } else if (out->is_there) {
        str_addf(&out->problems, "%s: %s\n", out->path, err.message);
    }
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
