/* key_words.c - keys in sentences: they are named as the person has them. */
#include <string.h>

#include "keymap.h"
#include "str.h"

enum { ACT_NAME_MAX = 32 };

/* The act that a text in braces names; UI_NONE for anything else. */
static enum act act_in(const char *text, size_t len)
{
    char name[ACT_NAME_MAX];
    if (len == 0 || len >= sizeof(name))
        return UI_NONE;
    memcpy(name, text, len);
    name[len] = '\0';
    return keymap_parse_act(name);
}

/* Without a key it is a command. */
static void add_key(const struct keymap *keys, enum act act, struct str *out)
{
    char name[KEY_NAME_MAX];
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->rows[i].act == act) {
            str_add(out, keymap_key_name(keys->rows[i].key, true, name));
            return;
        }
    }
    str_addf(out, ":%s", keymap_act_name(act));
}

void keymap_say(const struct keymap *keys, const char *words, struct str *out)
{
    while (*words != '\0') {
        const size_t plain = strcspn(words, "{");
        str_add_n(out, words, plain);
        words += plain;
        const size_t len = *words == '{' ? strcspn(words + 1, "}") : 0;
        const enum act act =
            *words == '{' && words[1 + len] == '}' ? act_in(words + 1, len) : UI_NONE;
        if (act != UI_NONE) {
            add_key(keys, act, out);
            words += len + 2;
        } else if (*words != '\0') {
            str_add_char(out, *words++);
        }
    }
}
