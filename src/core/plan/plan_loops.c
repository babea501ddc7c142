#include "plan_loops.h"

#include <stddef.h>
#include <stdint.h>

#include "plan_reader.h"

void plan_loops_read(const struct json *value, struct entropy_limits *loops, bool *is_said)
{
    void *iter = NULL;
    const char *key;
    const struct json *member;
    *is_said = *is_said || json_kind(value) == JSON_KIND_OBJECT;
    while (json_next(value, &iter, &key, &member)) {
        const struct entropy_limit *limit = entropy_limit_named(key);
        int64_t number = -1;
        plan_reader_whole(member, &number);
        bool is_set = limit && entropy_limit_set(loops, limit, number, NULL);
        (void)is_set; /* the schema has complained */
    }
}

void plan_loops_write(const struct entropy_limits *loops, struct str *out)
{
    const struct entropy_limit *limit;
    str_add_char(out, '{');
    for (size_t i = 0; (limit = entropy_limit(i)) != NULL; i++)
        str_json_i64(out, limit->name, entropy_limit_get(loops, limit));
    str_add_char(out, '}');
}
