#include "shell_word.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
    static const char safe[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
    return *word && strspn(word, safe) == strlen(word);
}

void shell_word_add(const char *word, struct str *out)
{
    if (is_plain(word)) {
        str_add(out, word);
        return;
    }
    str_add_char(out, '\'');
    for (const char *c = word; *c; c++) {
        if (*c == '\'')
            str_add(out, "'\\''");
        else
            str_add_char(out, *c);
    }
    str_add_char(out, '\'');
}

void shell_words_add(char *const *words, int count, struct str *out)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            str_add_char(out, ' ');
        shell_word_add(words[i], out);
    }
}
