#include "log_word.h"

#include <string.h>
#include <unistd.h>

#include "find_log.h"

bool log_word_find(const struct globals *globals, const char *word, struct place *place,
                   struct target *target, struct err *err)
{
    *target = (struct target){0};
    bool is_file = word && (access(word, F_OK) == 0 || word[0] == '/' || word[0] == '.');
    bool is_newest = !word || strcmp(word, "last") == 0; /* as of devs run --continue */
    const char *db = is_file ? word : globals->db;
    return (is_newest || is_file || target_parse(word, target, err)) &&
           find_log(db, false, place, err);
}
