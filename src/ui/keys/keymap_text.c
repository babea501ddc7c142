/* keymap_text.c - the table of keys as text and as JSON. */
#include <ctype.h>
#include <string.h>

#include "keymap.h"
#include "text.h"

enum { KEY_COLUMNS = 10, ACT_COLUMNS = 15, MODES_COLUMNS = 12 };

/* A key that devs itself does not give to this act. */
static bool is_own(const struct key_binding *row)
{
    const struct keymap *builtin = keymap_builtin();
    for (size_t i = 0; i < builtin->count; i++) {
        if (builtin->rows[i].act == row->act && builtin->rows[i].key == row->key)
            return false;
    }
    return true;
}

static const char *const mode_names[] = {
    [KEYMAP_LIVE] = "live", [KEYMAP_PAST] = "past", [KEYMAP_REPLAY] = "replay"};

static void add_modes(unsigned modes, struct str *out)
{
    const char *between = "";
    if (modes == KEYS_IN_ALL) {
        str_add(out, "always");
        return;
    }
    for (enum keymap_mode mode = 0; mode < KEYMAP_MODE_COUNT; mode++) {
        if ((modes & (1u << mode)) == 0)
            continue;
        str_addf(out, "%s%s", between, mode_names[mode]);
        between = ", ";
    }
}

/* "all", "Detail, Log", "all but Runs": the shortest. */
static void add_screens(unsigned screens, struct str *out)
{
    const unsigned others = KEYS_ON_ALL & ~screens;
    const bool but_one = others != 0 && (others & (others - 1)) == 0;
    const char *between = "";
    str_add(out, others == 0 ? "all" : but_one ? "all but " : "");
    for (enum screen screen = 0; screen < SCREEN_COUNT; screen++) {
        if (others == 0 || ((but_one ? others : screens) & (1u << screen)) == 0)
            continue;
        str_addf(out, "%s%s", between, screen_name(screen));
        between = ", ";
    }
}

static void add_padded(const char *text, int columns, struct str *out)
{
    const int pad = columns - text_width(text, strlen(text));
    str_addf(out, "%s%*s  ", text, pad > 0 ? pad : 0, "");
}

static void add_line(const struct key_binding *row, bool ascii, struct str *out)
{
    struct str modes = {0}, screens = {0};
    char name[KEY_NAME_MAX];
    add_modes(row->modes, &modes);
    add_screens(row->screens, &screens);
    add_padded(keymap_key_name(row->key, ascii, name), KEY_COLUMNS, out);
    str_addf(out, "%-5s  ", keymap_group_name(row->group));
    add_padded(keymap_act_name(row->act), ACT_COLUMNS, out);
    add_padded(str_text(&modes), MODES_COLUMNS, out);
    str_addf(out, "%s%s (%s)\n", is_own(row) ? "yours: " : "", row->words, str_text(&screens));
    str_done(&modes);
    str_done(&screens);
}

void keymap_to_text(const struct keymap *keys, bool ascii, struct str *out)
{
    if (!keys)
        keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++)
        add_line(&keys->rows[i], ascii, out);
}

static void add_small(struct str *out, const char *key, const char *capitals)
{
    char small[KEY_NAME_MAX] = "";
    for (size_t i = 0; capitals[i] && i + 1 < sizeof(small); i++)
        small[i] = (char)tolower((unsigned char)capitals[i]);
    str_json_text(out, key, small);
}

static void add_object(const struct key_binding *row, struct str *out)
{
    char name[KEY_NAME_MAX];
    str_add_char(out, '{');
    str_json_text(out, "key", keymap_key_name(row->key, true, name));
    str_json_text(out, "act", keymap_act_name(row->act));
    add_small(out, "group", keymap_group_name(row->group));
    str_json_key(out, "modes");
    str_add_char(out, '[');
    for (enum keymap_mode mode = 0; mode < KEYMAP_MODE_COUNT; mode++) {
        if ((row->modes & (1u << mode)) != 0)
            str_addf(out, "%s\"%s\"", out->data[out->len - 1] == '[' ? "" : ",", mode_names[mode]);
    }
    str_add_char(out, ']');
    str_json_key(out, "views");
    str_add_char(out, '[');
    for (enum screen screen = 0; screen < SCREEN_COUNT; screen++) {
        if ((row->screens & (1u << screen)) != 0)
            str_addf(out, "%s\"%s\"", out->data[out->len - 1] == '[' ? "" : ",",
                     screen_name(screen));
    }
    str_add_char(out, ']');
    str_json_text(out, "words", row->words);
    str_json_bool(out, "own", is_own(row));
    str_add_char(out, '}');
}

void keymap_to_json(const struct keymap *keys, struct str *out)
{
    if (!keys)
        keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        str_add(out, i > 0 ? "," : "");
        add_object(&keys->rows[i], out);
    }
}
