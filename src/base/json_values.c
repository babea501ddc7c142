/* json_values.c - how many values a text has at the most, before it is parsed. */
#include "json.h"

size_t json_values_at_most(const char *text, size_t len, size_t enough)
{
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < len && values < enough; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            values += text[i] == ',' || text[i] == '{' || text[i] == '[';
    }
    return values;
}
