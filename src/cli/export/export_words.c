/* export_words.c - what an export says of itself, and what it asks before. */
#include "export.h"

#include <string.h>

#include "bundle_words.h"
#include "str.h"

static void write_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_json_key(out, name);
    str_add_char(out, '{');
    str_json_i64(out, "recorded", cut->recorded);
    str_json_i64(out, "now", cut->now);
    str_add_char(out, '}');
}

static void write_json(const struct bundle_contents *contents, const char *file, struct str *out)
{
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", contents->run);
    str_json_text(out, "file", file);
    str_json_i64(out, "bytes", contents->bytes);
    str_json_i64(out, "tasks", contents->tasks);
    str_json_i64(out, "attempts", contents->attempts);
    str_json_i64(out, "events", contents->events);
    str_json_i64(out, "captures", contents->captures);
    str_json_i64(out, "controls", contents->controls);
    str_json_i64(out, "bookmarks", contents->bookmarks);
    str_json_i64(out, "output_bytes", contents->output_bytes);
    str_json_key(out, "secrets");
    str_add_char(out, '{');
    for (int i = 0; i < contents->cut_count; i++)
        write_cut(&contents->cuts[i], contents->cuts[i].name, out);
    if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
        write_cut(&contents->other_cuts, "...", out);
    str_add(out, "}}\n");
}

void export_show(const struct bundle_contents *contents, const char *file,
                 const struct export_words *words, FILE *to)
{
    struct str text = {0};
    const bool is_whole = strcmp(words->format, "bundle") == 0; /* the others are made of it */
    if (words->json)
        write_json(contents, file, &text);
    else
        bundle_words(contents, file, is_whole, &text);
    (void)fputs(str_text(&text), to);
    (void)fflush(to);
    str_done(&text);
}
