#include "plan_kind.h"

void plan_agent_word_check(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    (void)value; /* whatever it is, there is nothing that could use it */
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                    "agents are not in this version, use \"run\"", NULL, NULL);
}
