#include "ecma_property.h"

#include <string.h>

#include "attr.h"

/* PropertyValueAliases.txt of Unicode: long names of General_Category, which PCRE2 lacks. */
static const struct {
    const char *name;
    const char *category;
} categories[] = {
    {"Cased_Letter", "L&"},
    {"Close_Punctuation", "Pe"},
    {"Combining_Mark", "M"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"LC", "L&"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
    {"cntrl", "Cc"},
    {"digit", "Nd"},
    {"punct", "P"},
};

/* What stands before '=', and what PCRE2 has for it. */
static const struct {
    const char *name;
    const char *prefix;
} kinds[] = {
    {"General_Category", ""},      {"gc", ""}, {"Script", "sc:"}, {"sc", "sc:"}, {"scx", "scx:"},
    {"Script_Extensions", "scx:"},
};

static bool is_word(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

static bool is_name(const char *text, size_t len)
{
    static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_";
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\0' || !strchr(chars, text[i]))
            return false;
    }
    return len > 0;
}

static void add_value(struct str *out, const char *text, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(categories); i++) {
        if (is_word(text, len, categories[i].name)) {
            str_add(out, categories[i].category);
            return;
        }
    }
    str_add_n(out, text, len);
}

bool ecma_property(struct str *out, const char *name, size_t len, bool negated)
{
    const char *equals = memchr(name, '=', len);
    const char *value = equals ? equals + 1 : name;
    const size_t value_len = len - (size_t)(value - name);
    const char *prefix = equals ? NULL : "";
    for (size_t i = 0; equals && i < ARRAY_LEN(kinds); i++) {
        if (is_word(name, (size_t)(equals - name), kinds[i].name))
            prefix = kinds[i].prefix;
    }
    if (!prefix || !is_name(value, value_len))
        return false;
    const bool is_assigned = is_word(name, len, "Assigned");
    str_add(out, negated != is_assigned ? "\\P{" : "\\p{");
    str_add(out, prefix);
    if (*prefix)
        str_add_n(out, value, value_len);
    else
        add_value(out, is_assigned ? "Cn" : value, is_assigned ? 2 : value_len);
    str_add_char(out, '}');
    return true;
}
