#include "spill_left.h"

#include <unistd.h>

#include "fail.h"
#include "log_reader.h"
#include "shell_word.h"
#include "spill.h"
#include "str.h"

/* Where the log was deleted, it must be named: gc makes no other one. */
static void add_command(const struct place *place, const struct place *spill, struct str *out)
{
    str_add(out, "devs gc ");
    if (access(place->db, F_OK) != 0) {
        str_add(out, "--db ");
        shell_word_add(place->db, out);
        str_add_char(out, ' ');
    }
    str_add(out, "--merge ");
    shell_word_add(spill->db, out);
}

void spill_left_tell(const struct place *place, const char *uid)
{
    struct str command = {0};
    struct place spill;
    struct spill_info info = {0};
    struct err err = {0};
    struct err why = {0};
    if (uid[0] == '\0' || !spill_find(uid, &spill))
        return;
    if (!spill_read_info(&spill, &info, &why) && why.code == ERR_NOT_FOUND)
        return; /* there was no room for a first row: it holds nothing */
    (void)err_set(&err, ERR_IO, "the log could not be written (%.160s): what it lacks is in '%s'",
                  why.code == ERR_NONE ? info.reason.why : why.message, spill.db);
    add_command(place, &spill, &command);
    (void)err_hint(&err, "%s",
                   command.len < ERR_HINT_MAX ? str_text(&command)
                                              : "devs gc --db LOG --merge THAT-FILE");
    (void)fail(&err);
    str_done(&command);
}
