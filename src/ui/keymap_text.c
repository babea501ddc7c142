/* keymap_text.c - the table of keys as text. */
#include <string.h>

#include "keymap.h"
#include "text.h"

enum { TABLE_KEY_COLUMNS = 6 };

static const char *modes_name(unsigned modes)
{
    if (modes == KEYS_IN_ALL)
        return "live, replay";
    return modes == KEYS_IN_LIVE ? "live" : "replay";
}

void keymap_to_text(struct str *out, bool ascii)
{
    const struct keymap *keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        char name[KEY_NAME_MAX];
        keymap_key_name(keys->rows[i].key, ascii, name);
        int pad = TABLE_KEY_COLUMNS - text_width(name, strlen(name));
        str_addf(out, "%s%*s  %-5s  %-12s  %s\n", name, pad > 0 ? pad : 0, "",
                 keymap_group_name(keys->rows[i].group), modes_name(keys->rows[i].modes),
                 keys->rows[i].words);
    }
}
