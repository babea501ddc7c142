#include "find_log.h"

#include "bundle.h"
#include "fail.h"
#include "log_own.h"

static bool find(const char *db, bool create, struct place *out, struct err *err)
{
    if (!place_find(db, create, out, err))
        return false;
    if (out->is_shared)
        warn(create ? "no log can be kept in this folder: the run is recorded in '%s'"
                    : "no log in this folder or above: this is '%s', of all such projects",
             out->db);
    return true;
}

bool find_log(const char *db, bool create, struct place *out, struct err *err)
{
    struct err why = {0};
    if (!find(db, create, out, err))
        return false;
    if (!create && !log_own_check(out, &why) && why.code == ERR_INVALID && !bundle_is_one(out))
        warn("%s", why.message);
    return true;
}

bool find_log_to_write(const char *db, struct place *out, struct err *err)
{
    return find(db, false, out, err) && (bundle_is_one(out) || log_own_check(out, err));
}
