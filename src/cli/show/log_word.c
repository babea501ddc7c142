#include "log_word.h"

#include <string.h>
#include <unistd.h>

#include "find_log.h"

static bool ends_with(const char *word, const char *end)
{
    const size_t len = strlen(word);
    return len > strlen(end) && strcmp(word + len - strlen(end), end) == 0;
}

/* As logs and bundles are called; of a task with such an id its run has to be said. */
static bool is_like_file(const char *word)
{
    const char *slash = strchr(word, '/');
    if (!slash)
        return ends_with(word, ".db") || ends_with(word, ".devs");
    struct target target;
    return !target_parse(word, &target, NULL);
}

bool log_word_find(const struct globals *globals, const char *word, struct place *place,
                   struct target *target, struct err *err)
{
    *target = (struct target){0};
    bool is_file = word && (access(word, F_OK) == 0 || word[0] == '/' || word[0] == '.');
    if (word && !is_file && is_like_file(word))
        return err_set(err, ERR_NOT_FOUND, "there is no file '%s'", word);
    bool is_newest = !word || strcmp(word, "last") == 0; /* as of devs run --continue */
    const char *db = is_file ? word : globals->db;
    return (is_newest || is_file || target_parse(word, target, err)) &&
           find_log(db, false, place, err);
}
