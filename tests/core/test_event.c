#include "event.h"

#include "test_main.h"

/* The numbers are in every log ever written. A row may be added, none changed. */
static const struct {
    int number;
    const char *name;
} kinds[] = {
    {1, "run_started"},        {2, "run_ended"},        {3, "attempt_started"},
    {4, "attempt_running"},    {5, "attempt_ended"},    {6, "attempt_judged"},
    {7, "wait_started"},       {8, "wait_ended"},       {9, "step_ended"},
    {10, "step_reopened"},     {11, "task_blocked"},    {12, "task_held"},
    {13, "task_released"},     {14, "cancel_asked"},    {15, "control_answered"},
    {16, "attempt_quiet"},     {17, "attempt_heard"},   {18, "note"},
    {19, "gate_closed"},       {20, "gate_opened"},     {21, "class_corrected"},
    {22, "run_recovered"},     {23, "loop_suspected"},  {24, "workspace_made"},
    {25, "workspace_saved"},   {26, "workspace_reset"}, {27, "tree_proven"},
    {28, "workspace_changed"}, {29, "result_kept"},     {30, "sandbox_lacks"},
    {31, "time_stopped"},      {32, "secrets_cut"},     {33, "agent_session"},
    {34, "agent_used"},        {35, "agent_call"},      {36, "budget"},
    {37, "round_started"},     {38, "task_added"},      {39, "hint_given"},
};

static const int64_t unknown[] = {
    INT64_MIN, -1, 0, EVENT_KIND_COUNT, EVENT_KIND_COUNT + 1, 1000, (int64_t)1 << 32, INT64_MAX,
};

START_TEST(test_number_and_name_stay)
{
    ck_assert(event_kind_is_known(kinds[_i].number));
    ck_assert_str_eq(event_kind_name((enum event_kind)kinds[_i].number), kinds[_i].name);
}
END_TEST

START_TEST(test_unknown_kind)
{
    ck_assert(!event_kind_is_known(unknown[_i]));
}
END_TEST

START_TEST(test_name_of_an_unknown_kind)
{
    ck_assert_str_eq(event_kind_name((enum event_kind)EVENT_KIND_COUNT), "?");
    ck_assert_str_eq(event_kind_name((enum event_kind)1000), "?");
}
END_TEST

START_TEST(test_every_kind_is_pinned)
{
    ck_assert_int_eq(TABLE_LEN(kinds), EVENT_KIND_COUNT - 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event");
    TCase *names = test_case(suite, "names");
    tcase_add_loop_test(names, test_number_and_name_stay, 0, TABLE_LEN(kinds));
    tcase_add_loop_test(names, test_unknown_kind, 0, TABLE_LEN(unknown));
    tcase_add_test(names, test_name_of_an_unknown_kind);
    tcase_add_test(names, test_every_kind_is_pinned);
    return suite;
}
