#include "find_log.h"

#include "fail.h"

bool find_log(const char *db, bool create, struct place *out, struct err *err)
{
    if (!place_find(db, create, out, err))
        return false;
    if (out->is_shared)
        warn(create ? "no log can be kept in this folder: the run is recorded in '%s'"
                    : "no log in this folder or above: this is '%s', of all such projects",
             out->db);
    return true;
}
