#include "looks.h"

#include <assert.h>
#include <langinfo.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fail.h"
#include "text_file.h"

static void list_themes(struct str *out)
{
    const char *name;
    for (size_t i = 0; (name = theme_name_at(i)); i++)
        str_addf(out, "%s%s", i > 0 ? ", " : "", name);
}

static bool named(const char *name, struct theme *out, struct err *err)
{
    struct str known = {0};
    if (theme_named(name, out))
        return true;
    list_themes(&known);
    (void)err_set(err, ERR_INVALID, "there is no theme '%s'", name);
    (void)err_hint(err, "%s, or a file with a slash in its name", str_text(&known));
    str_done(&known);
    return false;
}

static bool from_file(const char *path, struct theme *out, struct err *err)
{
    struct str text = {0};
    struct err why = {0};
    bool ok = read_text_file(path, THEME_BYTES_MAX, &text, &why) &&
              theme_parse(str_text(&text), text.len, out, &why);
    str_done(&text);
    return ok || err_set(err, ERR_INVALID, "theme '%s': %s", path, why.message);
}

bool looks_theme(const struct globals *globals, const struct ui_settings *ui, struct theme *out,
                 struct err *err)
{
    const char *name = "auto";
    if (globals && globals->theme)
        name = globals->theme;
    else if (ui && ui->theme)
        name = ui->theme;
    return ui_theme_is_file(name) ? from_file(name, out, err) : named(name, out, err);
}

bool looks_print_ascii(const struct globals *globals)
{
    return globals->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

int looks_print_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

void looks_set(struct app_options *options, const struct globals *globals,
               const struct ui_settings *ui, struct theme *theme)
{
    struct err err = {0};
    if (!looks_theme(globals, ui, theme, &err)) {
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
