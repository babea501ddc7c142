/* cmd_keys.c - devs keys: prints the table of keys. */

#include "appearance.h"
#include "attr.h"
#include "command.h"
#include "fail.h"
#include "own_keys.h"

static void add_lines(const struct keys_file *file, bool ascii, struct str *out)
{
    keymap_to_text(file->keys, ascii, out);
    if (file->is_there)
        str_addf(out, "\nyour keys: %s\n", file->path);
    else if (file->path[0])
        str_addf(out, "\ndefine your own keys in %s\n", file->path);
}

static void add_json(const struct keys_file *file, struct str *out)
{
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_text(out, "file", file->path);
    str_json_bool(out, "file_is_there", file->is_there);
    str_json_key(out, "keys");
    str_add_char(out, '[');
    keymap_to_json(file->keys, out);
    str_add(out, "]}\n");
}

int cmd_keys(struct globals *globals, int argc, char **argv)
{
    bool json = false;
    const struct option_spec specs[] = {
        {"json", 0, NULL, "print a JSON object with all keys", &json, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct str text = {0};
    struct keys_file file;
    keys_file_read(&file);
    if (json)
        add_json(&file, &text);
    else
        add_lines(&file, appearance_print_ascii(globals), &text);
    say_json(str_text(&text));
    say_error(str_text(&file.problems));
    code = file.problems.len > 0 ? EXIT_USAGE : EXIT_ALL_PASSED;
    str_done(&text);
    keys_file_done(&file);
    return code;
}
