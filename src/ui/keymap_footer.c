/* keymap_footer.c - the row of keys at the bottom of a screen. */
#include <string.h>

#include "keymap.h"
#include "text.h"

enum { FOOTER_GAP = 2 };

static int columns_of(const char *text)
{
    return text_width(text, strlen(text));
}

void keymap_footer(struct canvas *canvas, int row, const struct footer *footer)
{
    int column = 1;
    for (size_t i = 0; i < footer->count; i++) {
        const struct key_binding *binding = keymap_of(footer->keys, footer->acts[i], footer->place);
        if (!binding)
            continue;
        char name[KEY_NAME_MAX];
        keymap_key_name(binding->key, canvas->ascii, name);
        const char *brief = footer->briefs ? footer->briefs[binding->act] : NULL;
        if (!brief)
            brief = binding->brief;
        int width = columns_of(name) + 1 + columns_of(brief);
        if (column + width > canvas->columns)
            continue;
        struct spot spot = {row, column, width};
        canvas_add_zone(canvas, spot, binding->key);
        spot.column += canvas_text(canvas, spot, STYLE_KEY, name) + 1;
        canvas_text(canvas, spot, STYLE_PLAIN, brief);
        column += width + FOOTER_GAP;
    }
}
