/* keymap_footer.c - the row of keys at the bottom of a screen. */
#include <string.h>

#include "keymap.h"
#include "text.h"

enum { FOOTER_GAP = 2 };

static int columns_of(const char *text)
{
    return text_width(text, strlen(text));
}

/* A key as it stands in the row. */
struct named_key {
    uint32_t key;
    char name[KEY_NAME_MAX];
    const char *brief; /* "": its word is that of the next key */
    int width;
};

static bool name_key(const struct canvas *canvas, const struct footer *footer, enum act act,
                     struct named_key *out)
{
    const struct key_binding *binding = keymap_of(footer->keys, act, footer->place);
    if (!binding)
        return false;
    out->key = binding->key;
    keymap_key_name(binding->key, canvas->ascii, out->name);
    out->brief = footer->briefs ? footer->briefs[act] : NULL;
    if (!out->brief)
        out->brief = binding->brief;
    out->width = columns_of(out->name) + (*out->brief != '\0' ? 1 + columns_of(out->brief) : 0);
    return true;
}

static void put_key(struct canvas *canvas, struct spot spot, const struct named_key *key)
{
    spot.width = key->width;
    canvas_add_zone(canvas, spot, key->key);
    spot.column += canvas_text(canvas, spot, STYLE_KEY, key->name) + 1;
    canvas_text(canvas, spot, STYLE_PLAIN, key->brief);
}

/* Of the last keys, with the gap before each. */
static int width_of_last(const struct canvas *canvas, const struct footer *footer, size_t kept)
{
    int width = 0;
    struct named_key key;
    for (size_t i = footer->count > kept ? footer->count - kept : 0; i < footer->count; i++) {
        if (name_key(canvas, footer, footer->acts[i], &key))
            width += FOOTER_GAP + key.width;
    }
    return width;
}

void keymap_footer(struct canvas *canvas, int row, const struct footer *footer)
{
    int column = 1;
    struct named_key key;
    const size_t kept = footer->kept > 0 ? footer->kept : 1;
    for (size_t i = 0; i < footer->count; i++) {
        const bool is_last = i + 1 == footer->count;
        const bool is_kept = i + kept >= footer->count;
        struct named_key next = {0};
        if (!name_key(canvas, footer, footer->acts[i], &key))
            continue;
        if (*key.brief == '\0' && !is_last && name_key(canvas, footer, footer->acts[i + 1], &next))
            next.width++;
        if (column + key.width + next.width + (is_kept ? 0 : width_of_last(canvas, footer, kept)) >
            canvas->columns) {
            i += next.width > 0; /* neither stands without the other */
            continue;
        }
        put_key(canvas, (struct spot){row, column, key.width}, &key);
        column += key.width + (*key.brief == '\0' ? 1 : FOOTER_GAP);
    }
}
