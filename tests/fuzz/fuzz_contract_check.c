/*
 * A contract on the first line, a text behind it: the answer is the same each time, and the
 * same whether what is wrong is collected or only yes or no is asked; what is said of it is
 * bounded and holds no control.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const char *contract;
    size_t contract_len;
    const char *text;
    size_t len;
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct input split(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    const char *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    const size_t len = end ? (size_t)(end - bytes) : size;
    const size_t rest = end ? len + 1 : len;
    return (struct input){
        .contract = bytes, .contract_len = len, .text = bytes + rest, .len = size - rest};
}

static bool is_limited(const struct violations *wrong)
{
    bool limited = false;
    for (size_t i = 0; i < wrong->count; i++)
        limited = limited || strstr(wrong->items[i].message, "too many steps") ||
                  strstr(wrong->items[i].message, "not fully checked");
    return limited;
}

/* Through `anyOf` only yes or no is asked. References would lead elsewhere from there. */
static void check_silently(const struct input *input, bool fits)
{
    struct str text = {0};
    struct contract *contract = NULL;
    struct violations wrong = {0};
    str_add(&text, "{\"anyOf\":[");
    str_add_n(&text, input->contract, input->contract_len);
    str_add(&text, "]}");
    if (!strchr(str_text(&text), '$') &&
        contract_load(str_text(&text), text.len, &contract, &wrong)) {
        const bool same =
            contract_check_text(contract, input->text, input->len, NULL, &wrong) == fits;
        must(same || is_limited(&wrong));
    }
    contract_free(contract);
    violations_done(&wrong);
    str_done(&text);
}

static void check_prompt(const struct violations *wrong)
{
    struct str prompt = {0};
    repair_prompt(wrong, &prompt);
    must(prompt.len <= REPAIR_PROMPT_MAX);
    for (size_t i = 0; i < prompt.len; i++)
        must((unsigned char)prompt.data[i] >= ' ' || prompt.data[i] == '\n');
    str_done(&prompt);
}

static void check_text(const struct contract *contract, const struct input *input)
{
    struct violations wrong = {0};
    struct violations again = {0};
    struct str first = {0};
    struct str second = {0};
    const bool fits = contract_check_text(contract, input->text, input->len, NULL, &wrong);
    must(fits == (wrong.count == 0));
    must(contract_check_text(contract, input->text, input->len, NULL, &again) == fits);
    violations_display(&wrong, &first);
    violations_display(&again, &second);
    must(strcmp(str_text(&first), str_text(&second)) == 0);
    check_prompt(&wrong);
    if (!is_limited(&wrong))
        check_silently(input, fits);
    violations_done(&wrong);
    violations_done(&again);
    str_done(&first);
    str_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct input input = split(data, size);
    struct contract *contract = NULL;
    struct violations wrong = {0};
    if (contract_load(input.contract, input.contract_len, &contract, &wrong))
        check_text(contract, &input);
    contract_free(contract);
    violations_done(&wrong);
    return 0;
}
