#include "options.h"

#include <stdio.h>
#include <string.h>

#include "line_wrap.h"

static const struct option_spec *find_long(const struct options *options, const char *name,
                                           size_t len)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *known = options->specs[i].name;
        if (strlen(known) == len && strncmp(known, name, len) == 0)
            return &options->specs[i];
    }
    return NULL;
}

static const struct option_spec *find_letter(const struct options *options, char letter)
{
    for (size_t i = 0; i < options->count; i++) {
        if (options->specs[i].letter == letter && letter != '\0')
            return &options->specs[i];
    }
    return NULL;
}

/* A command line while it is parsed. */
struct reading {
    const struct options *options;
    int argc;
    char **argv;
    int at; /* the current word */
};

static bool may_be_repeated(const struct option_spec *spec)
{
    static const char dots[] = "...";
    const size_t len = strlen(spec->metavar);
    return len >= strlen(dots) && strcmp(spec->metavar + len - strlen(dots), dots) == 0;
}

/* Appends to the earlier values of a repeatable option; otherwise replaces the earlier value. */
static bool set_value(const struct option_spec *spec, const char *value, struct err *err)
{
    size_t count = 0;
    while (may_be_repeated(spec) && spec->value[count])
        count++;
    if (count == OPTION_WORDS_MAX)
        return err_set(err, ERR_INVALID, "--%s is given more than %d times", spec->name,
                       OPTION_WORDS_MAX);
    spec->value[count] = value;
    return true;
}

static bool set_option(struct reading *reading, const struct option_spec *spec,
                       const char *inline_value, struct err *err)
{
    if (spec->flag) {
        if (inline_value)
            return err_set(err, ERR_INVALID, "--%s takes no value", spec->name);
        *spec->flag = true;
        return true;
    }
    if (!inline_value) {
        if (reading->at + 1 >= reading->argc)
            return err_set(err, ERR_INVALID, "--%s needs %s", spec->name, spec->metavar);
        inline_value = reading->argv[++reading->at];
    }
    return set_value(spec, inline_value, err);
}

static bool take_long(struct reading *reading, const char *word, struct err *err)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_spec *spec = find_long(reading->options, name, len);
    if (!spec)
        return err_set(err, ERR_INVALID, "unknown option '%s'", word);
    return set_option(reading, spec, equals ? equals + 1 : NULL, err);
}

static bool take_letters(struct reading *reading, const char *word, struct err *err)
{
    const struct option_spec *spec = find_letter(reading->options, word[1]);
    if (!spec)
        return err_set(err, ERR_INVALID, "unknown option '%s'", word);
    if (spec->flag && word[2] != '\0')
        return err_set(err, ERR_INVALID, "unknown option '%s'", word);
    return set_option(reading, spec, word[2] != '\0' ? word + 2 : NULL, err);
}

/* "-1" is a number: no option is named by a digit. */
static bool looks_like_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9');
}

bool options_parse(const struct options *options, int argc, char **argv, int *count_out,
                   struct err *err)
{
    struct reading reading = {.options = options, .argc = argc, .argv = argv};
    int operands = 0;
    bool only_operands = false;
    for (; reading.at < argc; reading.at++) {
        char *word = argv[reading.at];
        bool is_option = !only_operands && looks_like_option(word);
        if (is_option && strcmp(word, "--") == 0) {
            only_operands = true;
            continue;
        }
        if (!is_option) {
            argv[operands++] = word;
            only_operands = only_operands || options->rest_after_first;
            continue;
        }
        bool ok =
            word[1] == '-' ? take_long(&reading, word, err) : take_letters(&reading, word, err);
        if (!ok)
            return false;
    }
    *count_out = operands;
    return true;
}

enum { HELP_COLUMNS = 80, HELP_WORDS_AT = 27 };

/* Prints the text from column `at`, wrapped into lines below in the column of the descriptions. */
static void print_words(const char *words, int at)
{
    size_t len = strlen(words);
    for (;;) {
        const size_t fit = line_wrap_fit(words, len, HELP_COLUMNS - at);
        size_t shown = fit;
        while (shown > 0 && words[shown - 1] == ' ')
            shown--;
        (void)printf("%.*s\n", (int)shown, words);
        words += fit;
        len -= fit;
        if (len == 0)
            return;
        at = printf("%*s", HELP_WORDS_AT, "");
    }
}

void options_help(const struct options *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_spec *spec = &options->specs[i];
        char left[40];
        char letter[5] = "    ";
        if (spec->letter != '\0')
            (void)snprintf(letter, sizeof(letter), "-%c, ", spec->letter);
        (void)snprintf(left, sizeof(left), "%s--%s%s%s", letter, spec->name,
                       spec->metavar ? " " : "", spec->metavar ? spec->metavar : "");
        print_words(spec->words, printf("  %-*s ", HELP_WORDS_AT - 3, left));
    }
}
