#include "shop_story.h"

#include <string.h>

#include "attr.h"

const char *const shop_story_ids = "T-107 T-104 T-109 T-110 T-101 T-103 T-105 T-106 T-111 T-102";

static const struct {
    const char *id, *title;
} titles[] = {
    {"T-101", "cart: merge on login"},       {"T-102", "cart: clear on logout"},
    {"T-103", "orders: idempotency key"},    {"T-104", "checkout: tax rounding"},
    {"T-105", "mail: retry bounced"},        {"T-106", "seed: fixtures"},
    {"T-107", "auth: rotate refresh token"}, {"T-109", "api: cursor pagination"},
    {"T-110", "search: typo tolerance"},     {"T-111", "docs: openapi sync"},
};

const char *shop_story_title(const char *id)
{
    for (size_t i = 0; i < ARRAY_LEN(titles); i++) {
        if (strcmp(titles[i].id, id) == 0)
            return titles[i].title;
    }
    return id;
}

#define TAP_HEAD  "TAP version 13\nok 1 - adds tax per line\nok 2 - zero rate is zero\n"
#define TAP_FAULT "not ok 3 - rounds half to even\n  # expected 19.99, got 20.00\n"
#define TAP_PLACE "  # at tests/tax.c:88\nok 4 - many lines\nok 5 - empty basket\n"
#define TAP_END   "ok 6 - gift card\n# tests 14, passed 13, failed 1\n"

const struct shop_step shop_story[] = {
    {0, "T-105", SHOP_START, 0, NULL},
    {10, "T-102", SHOP_START, 0, NULL},
    {20, "T-107", SHOP_START, 0, NULL},
    {22, "T-107", SHOP_SAY, 0, "reading src/token.c\n"},
    {30, "T-105", SHOP_PASS, 0, NULL},
    {30, "T-105", SHOP_START, 0, NULL},
    {30, "T-106", SHOP_START, 0, NULL},
    {60, "T-102", SHOP_PASS, 0, NULL},
    {60, "T-102", SHOP_START, 0, NULL},
    {70, "T-105", SHOP_FAIL, SHOP_TIMEOUT, NULL},
    {70, "T-105", SHOP_WAIT, 11, NULL},
    {80, "T-107", SHOP_PASS, 0, NULL},
    {80, "T-107", SHOP_START, 0, NULL},
    {81, "T-105", SHOP_AGAIN, 0, NULL},
    {90, "T-106", SHOP_CANCEL, 0, NULL},
    {120, "T-110", SHOP_START, 0, NULL},
    {150, "T-110", SHOP_PASS, 0, NULL},
    {150, "T-110", SHOP_START, 0, NULL},
    {150, "T-102", SHOP_PASS, 0, NULL},
    {150, "T-102", SHOP_START, 0, NULL},
    {150, "T-105", SHOP_FAIL, SHOP_TIMEOUT, NULL},
    {150, "T-105", SHOP_WAIT, 22, NULL},
    {168, "T-102", SHOP_SAY, 0, "not ok 2 - basket is empty after logout\n"},
    {170, "T-102", SHOP_FAIL, SHOP_TEST, NULL},
    {170, "T-102", SHOP_WAIT, 11, NULL},
    {172, "T-105", SHOP_AGAIN, 0, NULL},
    {181, "T-102", SHOP_AGAIN, 0, NULL},
    {199, "T-107", SHOP_SAY, 0, "not ok 4 - old token is refused\n"},
    {200, "T-102", SHOP_PASS, 0, NULL},
    {200, "T-102", SHOP_START, 0, NULL},
    {200, "T-107", SHOP_FAIL, SHOP_TEST, NULL},
    {200, "T-107", SHOP_WAIT, 15, NULL},
    {215, "T-107", SHOP_AGAIN, 0, NULL},
    {230, "T-105", SHOP_FAIL, SHOP_TIMEOUT, NULL},
    {230, "T-105", SHOP_WAIT, 45, NULL},
    {250, "T-102", SHOP_PASS, 0, NULL},
    {275, "T-105", SHOP_AGAIN, 0, NULL},
    {300, "T-109", SHOP_START, 0, NULL},
    {329, "T-107", SHOP_SAY, 0, "not ok 4 - old token is refused\n"},
    {330, "T-105", SHOP_FAIL, SHOP_TIMEOUT, NULL},
    {330, "T-105", SHOP_WAIT, 90, NULL},
    {330, "T-107", SHOP_FAIL, SHOP_TEST, NULL},
    {330, "T-107", SHOP_WAIT, 30, NULL},
    {340, "T-109", SHOP_PASS, 0, NULL},
    {340, "T-109", SHOP_START, 0, NULL},
    {348, "T-110", SHOP_SAY, 0, "not ok 1 - 'tshirt' finds 't-shirt'\n"},
    {350, "T-110", SHOP_FAIL, SHOP_TEST, NULL},
    {350, "T-110", SHOP_WAIT, 27, NULL},
    {355, "T-104", SHOP_START, 0, NULL},
    {360, "T-107", SHOP_AGAIN, 0, NULL},
    {377, "T-110", SHOP_AGAIN, 0, NULL},
    {381, "T-104", SHOP_SAY, 0, "not ok 3 - rounds half to even\n"},
    {382, "T-104", SHOP_PASS, 0, NULL},
    {382, "T-104", SHOP_START, 0, NULL},
    {384, "T-104", SHOP_SAY, 0, "reading src/tax.c\nedit src/tax.c, src/money.c\n"},
    {420, "T-105", SHOP_AGAIN, 0, NULL},
    {467, "T-110", SHOP_SAY, 0, "building the index of 41,000 names\n"},
    {470, "T-105", SHOP_FAIL, SHOP_TIMEOUT, NULL},
    {470, "T-105", SHOP_WAIT, 180, NULL},
    {470, "T-107", SHOP_PASS, 0, NULL},
    {470, "T-107", SHOP_START, 0, NULL},
    {477, "T-104", SHOP_SAY, 0, TAP_HEAD TAP_FAULT "# tests 3, passed 2, failed 1\n"},
    {479, "T-104", SHOP_FAIL, SHOP_TEST,
     "\"fingerprint\":\"51d90000000000000000000000000001\",\"new_permille\":610"},
    {479, "T-104", SHOP_CHANGE, 2, "M src/tax.c\nM src/money.c"},
    {479, "T-104", SHOP_WAIT, 11, NULL},
    {490, "T-104", SHOP_AGAIN, 0, NULL},
    {492, "T-104", SHOP_SAY, 0, "reading src/tax.c\nedit src/tax.c\n"},
    {499, "T-107", SHOP_SAY, 0, "not ok 7 - two devices, one login\n"},
    {500, "T-107", SHOP_FAIL, SHOP_TEST, NULL},
    {500, "T-107", SHOP_WAIT, 60, NULL},
    {527, "T-110", SHOP_QUIET, 60, NULL},
    {560, "T-107", SHOP_AGAIN, 0, NULL},
    {565, "T-101", SHOP_START, 0, NULL},
    {595, "T-107", SHOP_WARN, 0, "POST /v1/messages\n401 token expired\n"},
    {596, "T-107", SHOP_FAIL, SHOP_AUTH, NULL},
    {596, "T-107", SHOP_ASK, 0, NULL},
    {599, "T-104", SHOP_SAY, 0, TAP_HEAD TAP_FAULT "# tests 3, passed 2, failed 1\n"},
    {600, "T-101", SHOP_PASS, 0, NULL},
    {600, "T-101", SHOP_START, 0, NULL},
    {601, "T-104", SHOP_FAIL, SHOP_TEST,
     "\"fingerprint\":\"7c1e0000000000000000000000000001\",\"new_permille\":220"},
    {601, "T-104", SHOP_CHANGE, 1, "M src/tax.c"},
    {601, "T-104", SHOP_WAIT, 22, NULL},
    {623, "T-104", SHOP_AGAIN, 0, NULL},
    {623, "T-104", SHOP_SAY, 0, "$ agent --task T-104 --phase green --try 3\n"},
    {624, "T-104", SHOP_SAY, 0, "reading src/tax.c\n"},
    {639, "T-109", SHOP_WARN, 0, "429 Too Many Requests: tokens per min, retry after 60 s\n"},
    {640, "T-109", SHOP_FAIL, SHOP_RATE_LIMIT, NULL},
    {640, "T-109", SHOP_WAIT, 60, "asked for"},
    {641, "T-104", SHOP_SAY, 0, "edit src/tax.c (no change)\n"},
    {650, "T-105", SHOP_AGAIN, 0, NULL},
    {690, "T-101", SHOP_SAY, 0, "ok 1 - guest basket joins the account's\n"},
    {699, "T-105", SHOP_SAY, 0, "connecting to mail.example:25\n"},
    {700, "T-105", SHOP_FAIL, SHOP_TIMEOUT, NULL},
    {700, "T-105", SHOP_GIVE_UP, 0, NULL},
    {700, "T-101", SHOP_PASS, 0, NULL},
    {700, "T-101", SHOP_START, 0, NULL},
    {700, "T-109", SHOP_AGAIN, 0, NULL},
    {716, "T-103", SHOP_START, 0, NULL},
    {718, "T-104", SHOP_SAY, 0, "All tests pass now.\n"},
    {719, "T-104", SHOP_SAY, 0, "$ make test\n"},
    {720, "T-104", SHOP_BUILD, 50, NULL},
    {724, "T-104", SHOP_SAY, 0, TAP_HEAD},
    {726, "T-104", SHOP_SAY, 0, TAP_FAULT TAP_PLACE},
    {729, "T-104", SHOP_SAY, 0, TAP_END},
    {730, "T-104", SHOP_FAIL, SHOP_TEST,
     "\"fingerprint\":\"7c1e0000000000000000000000000001\",\"new_permille\":40"},
    {730, "T-104", SHOP_CHANGE, 0, ""},
    {730, "T-104", SHOP_WAIT, 45, NULL},
    {736, "T-109", SHOP_WARN, 0, "429 Too Many Requests: tokens per min, retry after 84 s\n"},
    {737, "T-109", SHOP_FAIL, SHOP_RATE_LIMIT, NULL},
    {737, "T-109", SHOP_WAIT, 84, "asked for"},
    {740, "T-101", SHOP_SAY, 0, "ok 2 - prices are those of today\n"},
    {750, "T-103", SHOP_SAY, 0, "writing tests/orders_test.c\n"},
};
const size_t shop_story_count = ARRAY_LEN(shop_story);
