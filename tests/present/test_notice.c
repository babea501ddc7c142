/* Which events a person is notified of, and how several are put in one message. */
#include "notice.h"
#include "play.h"
#include "test_main.h"
#include "ui_settings.h"

static const char plan_json[] =
    "{\"version\":1,\"name\":\"p\",\"idempotent\":true,\"policies\":{\"once\":{\"like\":"
    "\"default\",\"max_attempts\":1}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],"
    "\"policy\":\"once\"}]},{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"y\"]}]}]}";

START_TEST(test_an_end_says_why)
{
    struct play play;
    struct notice notice;
    play_open(&play, plan_json);
    play_start(&play, 1);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    unsigned seen = 0;
    for (size_t i = 0; i < play.events.count; i++)
        seen |= notice_of(&play.state, &play.events.items[i]);
    ck_assert_uint_eq(seen, NOTIFY_GAVE_UP | NOTIFY_ENDED);
    notice_make(&play.state, play_last(&play, EVENT_STEP_ENDED), 41,
                "first\n\033[31mlast \033[0m line\r\n\n", &notice);
    ck_assert_str_eq(notice.task, "a");
    ck_assert_str_eq(notice.reason, "1 of 1 tries used (exit 1)");
    ck_assert_str_eq(notice.line, "last  line");
    ck_assert_str_eq(notice.command, "devs why 41/a");
    notice_done(&notice);
    notice_make(&play.state, play_last(&play, EVENT_RUN_ENDED), 41, NULL, &notice);
    ck_assert_str_eq(notice.reason, "0 of 2 passed");
    ck_assert_str_eq(notice.command, "devs status 41");
    ck_assert_ptr_null(notice.task);
    notice_done(&notice);
    play_close(&play);
}
END_TEST

/* Borrows its texts, so it is never freed. */
static struct notice made(unsigned event, const char *task, const char *reason)
{
    static char none[] = "";
    return (struct notice){.event = event,
                           .task = (char *)(uintptr_t)task,
                           .reason = (char *)(uintptr_t)reason,
                           .line = none,
                           .command = none};
}

START_TEST(test_many_are_one_message)
{
    struct str message = {0};
    const struct notice items[] = {
        made(NOTIFY_GAVE_UP, "a", "1 of 1 tries used"),     made(NOTIFY_STUCK, "b", ""),
        made(NOTIFY_BUDGET, NULL, "budget: 9 of 10 turns"), made(NOTIFY_NEEDS_YOU, "c", "no login"),
        made(NOTIFY_ENDED, NULL, "0 of 9 passed"),
    };
    const struct notice_list list = {
        .items = items, .count = ARRAY_LEN(items), .total = 20, .run = 7, .name = "p", .dir = "/p"};
    notice_message(&list, &message);
    ck_assert_str_eq(str_text(&message),
                     "#7 p: a gave up: 1 of 1 tries used; b is stuck; the run: budget: 9 of 10 "
                     "turns; the run has ended: 0 of 9 passed; and 16 more");
    ck_assert_str_eq(notice_chief(&list)->task, "c");
    str_done(&message);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("notice");
    TCase *tcase = test_case(suite, "notice");
    tcase_add_test(tcase, test_an_end_says_why);
    tcase_add_test(tcase, test_many_are_one_message);
    return suite;
}
