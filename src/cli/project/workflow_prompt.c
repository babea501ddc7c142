#include "workflow_prompt.h"

#include <string.h>

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz_";

/* Length of the name if the text begins with {{name}}, else 0. */
static size_t name_len(const char *text)
{
    if (strncmp(text, "{{", 2) != 0)
        return 0;
    size_t len = strspn(text + 2, name_letters);
    return strncmp(text + 2 + len, "}}", 2) == 0 ? len : 0;
}

static const char *find_value(const struct workflow_values *values, const char *name, size_t len)
{
    for (size_t i = 0; i < values->count; i++) {
        const char *known = values->items[i].name;
        if (strlen(known) == len && strncmp(known, name, len) == 0)
            return values->items[i].text;
    }
    return NULL;
}

bool workflow_prompt_fill(const char *text, const struct workflow_values *values, struct str *out,
                          struct err *err)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "{");
        str_add_n(out, text, plain);
        text += plain;
        size_t len = name_len(text);
        if (len > 0) {
            const char *value = find_value(values, text + 2, len);
            if (!value)
                return err_set(err, ERR_INVALID, "there is nothing for {{%.*s}}", (int)len,
                               text + 2);
            str_add(out, value);
            text += len + 4;
        } else if (*text != '\0') {
            str_add_char(out, *text++);
        }
    }
    return true;
}
