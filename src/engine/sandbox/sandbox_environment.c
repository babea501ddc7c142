/* sandbox_environment.c - the variables that a step in a sandbox has. */
#include <stdbool.h>
#include <string.h>

#include "sandbox.h"
#include "xalloc.h"

/* Let in without being named. What says where things are on this machine means
 * nothing in a container, which has its own. A name that ends in '*' is a prefix. */
static const char *const names_everywhere[] = {"DEVS_*", "LANG", "LANGUAGE", "LC_*", "TERM", "TZ"};
static const char *const names_of_here[] = {"HOME", "LOGNAME", "PATH", "SHELL", "USER"};

static bool name_fits(const char *pattern, const char *entry)
{
    size_t len = strlen(pattern);
    if (len > 0 && pattern[len - 1] == '*')
        return strncmp(entry, pattern, len - 1) == 0;
    return strncmp(entry, pattern, len) == 0 && entry[len] == '=';
}

static bool fits_any(const char *const *patterns, size_t count, const char *entry)
{
    for (size_t i = 0; i < count; i++) {
        if (name_fits(patterns[i], entry))
            return true;
    }
    return false;
}

static bool is_own(char *const *own, const char *entry)
{
    size_t len = strcspn(entry, "=");
    for (size_t i = 0; own && own[i]; i++) {
        if (strncmp(own[i], entry, len) == 0 && own[i][len] == '=')
            return true;
    }
    return false;
}

static bool is_let_in(const struct sandbox_spec *spec, char *const *own, const char *entry)
{
    if (spec->kind == SANDBOX_NONE || is_own(own, entry))
        return true;
    if (fits_any(names_everywhere, ARRAY_LEN(names_everywhere), entry))
        return true;
    bool is_here = !sandbox_kind_is_container(spec->kind);
    if (is_here && fits_any(names_of_here, ARRAY_LEN(names_of_here), entry))
        return true;
    for (size_t i = 0; spec->env && spec->env[i]; i++) {
        if (name_fits(spec->env[i], entry))
            return true;
    }
    return false;
}

char **sandbox_environment(const struct sandbox_spec *spec, char *const *own,
                           char *const *environment)
{
    size_t all = 0;
    size_t count = 0;
    while (environment[all])
        all++;
    char **out = xcalloc(all + 1, sizeof(*out));
    for (size_t i = 0; i < all; i++) {
        if (is_let_in(spec, own, environment[i]))
            out[count++] = environment[i];
    }
    return out;
}
