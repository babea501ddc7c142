#include "ui_settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "plan_list.h"
#include "text_list.h"
#include "ui_settings_read.h"
#include "xalloc.h"

enum { COMMAND_ARGS_MAX = 64 };

static const char *const times_names[] = {
    [SHOWN_TIMES_AGO] = "ago", [SHOWN_TIMES_CLOCK] = "clock", [SHOWN_TIMES_UTC] = "utc"};
static_assert(ARRAY_LEN(times_names) == SHOWN_TIMES_COUNT, "every way to show times has a name");

static const struct {
    const char *name;
    unsigned flag;
} notify_names[] = {
    {"needs-you", NOTIFY_NEEDS_YOU}, {"asks", NOTIFY_ASKS},     {"stuck", NOTIFY_STUCK},
    {"gave-up", NOTIFY_GAVE_UP},     {"budget", NOTIFY_BUDGET}, {"host-lost", NOTIFY_HOST_LOST},
    {"ended", NOTIFY_ENDED},
};

static void read_times(const struct json *value, enum shown_times *out)
{
    const char *name = json_text(value, "");
    for (size_t i = 0; i < ARRAY_LEN(times_names); i++) {
        if (strcmp(times_names[i], name) == 0)
            *out = (enum shown_times)i;
    }
}

static unsigned notify_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(notify_names); i++) {
        if (strcmp(notify_names[i].name, name) == 0)
            return notify_names[i].flag;
    }
    return 0;
}

const char *ui_notify_name(unsigned flag)
{
    for (size_t i = 0; i < ARRAY_LEN(notify_names); i++) {
        if (notify_names[i].flag == flag)
            return notify_names[i].name;
    }
    return "?";
}

void ui_settings_read(struct plan_reader *reader, const struct json *value, struct ui_settings *out)
{
    static const struct json_pointer root = {0};
    const struct json_pointer path = {.up = &root, .key = "ui"};
    const struct json_pointer command = {.up = &path, .key = "notify_command"};
    const struct json *notify = json_get(value, "notify");
    const char *theme = json_text(json_get(value, "theme"), NULL);
    out->theme = theme ? xstrdup(theme) : NULL;
    out->ascii = json_bool(json_get(value, "ascii"), false);
    out->leaves_mouse = !json_bool(json_get(value, "mouse"), true);
    read_times(json_get(value, "time"), &out->times);
    for (size_t i = 0; json_kind(notify) == JSON_KIND_ARRAY && i < json_count(notify); i++)
        out->notify |= notify_flag(json_text(json_at(notify, i), ""));
    plan_list_read(reader, &command, json_get(value, "notify_command"), COMMAND_ARGS_MAX,
                   &out->notify_command);
    if (!notify && out->notify_command)
        out->notify = NOTIFY_DEFAULT;
}

bool ui_notify_parse(const char *names, unsigned *out)
{
    static const char between[] = " ,";
    enum { NAME_MAX_LEN = 15 };
    unsigned flags = 0;
    for (const char *at = names + strspn(names, between); *at;) {
        char name[NAME_MAX_LEN + 1] = "";
        const size_t len = strcspn(at, between);
        if (len <= NAME_MAX_LEN)
            memcpy(name, at, len);
        const unsigned flag = notify_flag(name);
        if (flag == 0 && strcmp(name, "off") != 0)
            return false;
        flags = flag == 0 ? 0 : flags | flag;
        at += len;
        at += strspn(at, between);
    }
    *out = flags;
    return true;
}

bool ui_theme_is_file(const char *theme)
{
    return strchr(theme, '/') != NULL;
}

void ui_settings_done(struct ui_settings *ui)
{
    if (!ui)
        return;
    free(ui->theme);
    text_list_free(ui->notify_command);
    *ui = (struct ui_settings){0};
}
