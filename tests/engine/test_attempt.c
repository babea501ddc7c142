#include "attempt_internal.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract.h"
#include "test_main.h"

static char path[] = "PATH=/bin";
static char home[] = "HOME=/root";
static char homestead[] = "HOMESTEAD=far";
static char stale_run[] = "DEVS_RUN=stale";
static char stale_step[] = "DEVS_STEP=stale";
static char *const inherited[] = {path, home, stale_run, homestead, stale_step, NULL};

static struct plan *plan;
static struct call_setting setting;
static struct call call;

static void setup_call(void)
{
    static const char text[] =
        "{\"version\":1,\"name\":\"t\",\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":["
        "{\"run\":[\"true\"]},"
        "{\"run\":[\"true\"],\"cwd\":\"sub\",\"stdin\":\"in.txt\",\"env\":{\"HOME\":\"/own\"}},"
        "{\"run\":[\"true\"],\"cwd\":\"/abs\",\"stdin\":\"/abs/in\"}]}]}";
    struct violations violations = {0};
    bool ok = plan_parse(text, sizeof(text) - 1, &plan, &violations);
    violations_done(&violations);
    ck_assert(ok);
    setting = (struct call_setting){
        .plan = plan, .run_dir = "/run", .environment = inherited, .run_mark = "DEVS_RUN=u"};
}

static void teardown_call(void)
{
    call_done(&call);
    plan_free(plan);
}

static int count_named(const char *name)
{
    int count = 0;
    for (size_t i = 0; call.environment[i]; i++)
        count += strncmp(call.environment[i], name, strlen(name)) == 0;
    return count;
}

static bool has_entry(const char *entry)
{
    for (size_t i = 0; call.environment[i]; i++) {
        if (strcmp(call.environment[i], entry) == 0)
            return true;
    }
    return false;
}

START_TEST(test_plain_step_gets_the_environment_and_our_marks)
{
    call_init(&call, &setting, 0, 0, 0);
    ck_assert_str_eq(call.cwd, "/run");
    ck_assert_ptr_null(call.stdin_path);
    ck_assert(has_entry("DEVS_RUN=u"));
    ck_assert(has_entry("DEVS_STEP=a/1"));
    ck_assert_int_eq(count_named("DEVS_RUN="), 1);
    ck_assert_int_eq(count_named("DEVS_STEP="), 1);
    ck_assert(has_entry("PATH=/bin"));
    ck_assert(has_entry("HOME=/root"));
}
END_TEST

START_TEST(test_own_entries_win_and_paths_are_the_runs)
{
    call_init(&call, &setting, 0, 1, 0);
    ck_assert_str_eq(call.cwd, "/run/sub");
    ck_assert_str_eq(call.stdin_path, "/run/in.txt");
    ck_assert(has_entry("HOME=/own"));
    ck_assert_int_eq(count_named("HOME="), 1);
    ck_assert(has_entry("HOMESTEAD=far"));
    ck_assert(has_entry("DEVS_STEP=a/2"));
}
END_TEST

START_TEST(test_absolute_paths_stay)
{
    call_init(&call, &setting, 0, 2, 0);
    ck_assert_str_eq(call.cwd, "/abs");
    ck_assert_str_eq(call.stdin_path, "/abs/in");
}
END_TEST

START_TEST(test_no_environment_at_all)
{
    static char *const none[] = {NULL};
    setting.environment = none;
    call_init(&call, &setting, 0, 0, 0);
    ck_assert_str_eq(call.environment[0], "DEVS_RUN=u");
    ck_assert_str_eq(call.environment[1], "DEVS_STEP=a/1");
    ck_assert_ptr_null(call.environment[2]);
}
END_TEST

START_TEST(test_slot_is_in_the_environment_once)
{
    static char slot[] = "DEVS_SLOT=9";
    static char port[] = "DEVS_PORT_1=1";
    static char *const outer[] = {slot, port, path, NULL};
    char entry[64];
    setting.environment = outer;
    call_init(&call, &setting, 0, 0, 3);
    ck_assert(has_entry("DEVS_SLOT=3"));
    ck_assert_int_eq(count_named("DEVS_SLOT="), 1);
    ck_assert_int_eq(count_named("DEVS_PORT_1="), 1);
    for (int i = 0; i < MACHINE_SLOT_PORTS; i++) {
        (void)snprintf(entry, sizeof(entry), "DEVS_PORT_%d=%d", i + 1, machine_slot_port(3) + i);
        ck_assert(has_entry(entry));
    }
    ck_assert_int_eq(machine_slot_port(3), machine_slot_port(2) + MACHINE_SLOT_PORTS);
    ck_assert(has_entry("PATH=/bin"));
}
END_TEST

static struct machine_slots *slots, *others; /* two devs on one machine */

static void setup_slots(void)
{
    const char *file = test_path(test_tmpdir(), "slots");
    slots = machine_slots_open(file);
    others = machine_slots_open(file);
}

static void teardown_slots(void)
{
    machine_slots_close(slots);
    machine_slots_close(others);
}

START_TEST(test_slots_are_never_two_alike)
{
    const int first = machine_slots_take(slots, 7, 0);
    const int second = machine_slots_take(others, 7, 0);
    const int third = machine_slots_take(slots, 8, second);
    ck_assert_int_gt(first, 0);
    ck_assert_int_gt(second, first);
    ck_assert_int_gt(third, second);

    machine_slots_rest(slots, 7); /* it waits, and keeps its slot */
    ck_assert_int_gt(machine_slots_take(others, 9, first), third);
    ck_assert_int_eq(machine_slots_take(slots, 7, 0), first);
    machine_slots_drop(slots, 7); /* its attempt runs */
    ck_assert_int_gt(machine_slots_take(others, 10, 0), third);
    machine_slots_rest(slots, 7);
    machine_slots_drop(slots, 7);
    ck_assert_int_eq(machine_slots_take(others, 11, 0), first);

    machine_slots_close(others); /* as if it was killed */
    others = NULL;
    ck_assert_int_eq(machine_slots_take(slots, 12, 0), first);
    ck_assert_int_eq(machine_slots_take(slots, 13, second), second);
}
END_TEST

static int listen_on(int family, int port)
{
    const int on = 1;
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in old = {.sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in6 new = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = in6addr_loopback};
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const int failed = family == AF_INET ? bind(fd, (const struct sockaddr *)&old, sizeof(old))
                                         : bind(fd, (const struct sockaddr *)&new, sizeof(new));
    if (fd < 0 || failed || listen(fd, 1) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

START_TEST(test_slot_with_a_port_in_use_is_skipped)
{
    static const int families[] = {AF_INET, AF_INET6};
    for (size_t i = 0; i < ARRAY_LEN(families); i++) {
        const int task = (int)i;
        const int free_one = machine_slots_take(slots, task, 0);
        machine_slots_rest(slots, task);
        machine_slots_drop(slots, task);
        const int fd = listen_on(families[i], machine_slot_port(free_one) + MACHINE_SLOT_PORTS - 1);
        if (fd < 0 && families[i] == AF_INET6)
            continue; /* this machine has no IPv6 */
        ck_assert_int_ge(fd, 0);
        ck_assert_int_gt(machine_slots_take(slots, task, free_one), free_one);
        (void)close(fd);
        ck_assert_int_eq(machine_slots_take(others, task, 0), free_one);
        machine_slots_rest(others, task);
        machine_slots_drop(others, task);
    }
}
END_TEST

START_TEST(test_waiting_task_gives_up_its_slot_when_all_are_taken)
{
    int count = 0;
    int last = 0;
    for (int slot; (slot = machine_slots_take(slots, count, 0)) > 0; count++)
        last = slot;
    ck_assert_int_le(count, MACHINE_SLOTS_MAX);
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq(machine_slots_take(others, 0, 0), 0);
    machine_slots_rest(slots, count - 1);
    ck_assert_int_eq(machine_slots_take(slots, count, 0), last);
    ck_assert_int_eq(machine_slots_take(slots, count - 1, last), 0);
}
END_TEST

START_TEST(test_no_slots_without_a_usable_file)
{
    const char *other = test_path(test_tmpdir(), "other");
    ck_assert_int_eq(symlink("elsewhere", other), 0);
    struct machine_slots *none = machine_slots_open(other);
    ck_assert_int_eq(machine_slots_take(none, 0, 0), 0);
    machine_slots_rest(none, 0);
    machine_slots_drop(none, 0);
    machine_slots_close(none);
    ck_assert_int_eq(unlink(other), 0);
    ck_assert_int_eq(mkfifo(other, 0600), 0);
    none = machine_slots_open(other);
    ck_assert_int_eq(machine_slots_take(none, 0, 0), 0);
    machine_slots_close(none);
}
END_TEST

enum { KIB = 1024, MIB = 1024 * 1024, START_MS = 1000 };

static struct output output;
static struct log_output pieces[OUTPUT_PIECES_MAX];

static void setup_output(void)
{
    output_init(&output, START_MS, MIB);
}

static void teardown_output(void)
{
    output_done(&output);
}

/* The byte that stands at this place of the test's stream. */
static char byte_at(int64_t offset)
{
    return (char)(offset % 100 == 99 ? '\n' : 'a' + offset / 7 % 26);
}

static void feed(int64_t len)
{
    static char chunk[OUTPUT_PIECE_BYTES];
    while (len > 0) {
        size_t count = len < (int64_t)sizeof(chunk) ? (size_t)len : sizeof(chunk);
        for (size_t i = 0; i < count; i++)
            chunk[i] = byte_at(output.bytes + (int64_t)i);
        output_add(&output, chunk, count);
        len -= (int64_t)count;
    }
}

static void check_bytes(const struct log_output *piece)
{
    for (size_t i = 0; i < piece->len; i++) {
        if (piece->bytes[i] != byte_at(piece->offset + (int64_t)i))
            ck_abort_msg("byte %zu of the piece at %" PRId64, i, piece->offset);
    }
}

/* Every piece holds the stream's bytes and follows the one before; where it ends. */
static int64_t check_run(enum log_output_part part, int64_t from, size_t first, size_t count)
{
    int64_t at = from;
    for (size_t i = first; i < count && pieces[i].part == part; i++) {
        ck_assert_int_eq(pieces[i].offset, at);
        ck_assert_int_eq(pieces[i].index, (int)(i - first));
        ck_assert_uint_le(pieces[i].len, OUTPUT_PIECE_BYTES);
        check_bytes(&pieces[i]);
        at += (int64_t)pieces[i].len;
    }
    return at;
}

START_TEST(test_a_silent_stream_allocates_nothing)
{
    ck_assert_ptr_null(output.kept);
    ck_assert_int_eq(output_due(&output), INT64_MAX);
    ck_assert_uint_eq(output_take(&output, INT64_MAX / 2, pieces), 0);
    ck_assert_uint_eq(output_take_rest(&output, START_MS, pieces), 0);
    ck_assert_uint_eq(output_tail(&output, 100).len, 0);
    ck_assert_ptr_null(output_tail(&output, 100).bytes);
    output_done(NULL);
}
END_TEST

START_TEST(test_head_comes_every_50_ms)
{
    feed(10);
    ck_assert_int_eq(output_due(&output), START_MS + OUTPUT_HEAD_MS);
    ck_assert_uint_eq(output_take(&output, START_MS + OUTPUT_HEAD_MS - 1, pieces), 0);
    ck_assert_uint_eq(output_take(&output, START_MS + OUTPUT_HEAD_MS, pieces), 1);
    ck_assert_int_eq(pieces[0].part, LOG_OUTPUT_HEAD);
    ck_assert_uint_eq(pieces[0].len, 10);
    ck_assert_int_eq(output_due(&output), INT64_MAX);

    feed(5);
    ck_assert_int_eq(output_due(&output), START_MS + 2 * OUTPUT_HEAD_MS);
    ck_assert_uint_eq(output_take_rest(&output, START_MS + 51, pieces), 1);
    ck_assert_int_eq(pieces[0].offset, 10);
    ck_assert_int_eq(pieces[0].index, 1);
    ck_assert_uint_eq(pieces[0].len, 5);
}
END_TEST

START_TEST(test_much_head_does_not_wait)
{
    feed(OUTPUT_URGENT_BYTES);
    ck_assert_int_le(output_due(&output), START_MS);
    ck_assert_uint_gt(output_take(&output, START_MS, pieces), 0);
    ck_assert_int_eq(check_run(LOG_OUTPUT_HEAD, 0, 0, 2), OUTPUT_URGENT_BYTES);
}
END_TEST

START_TEST(test_end_of_the_head_does_not_wait)
{
    feed(OUTPUT_HEAD_BYTES - 10);
    (void)output_take(&output, START_MS + 60, pieces);
    feed(9);
    ck_assert_int_gt(output_due(&output), START_MS + 60);
    feed(1);
    ck_assert_int_le(output_due(&output), START_MS + 60);
    ck_assert_uint_eq(output_take(&output, START_MS + 60, pieces), 1);
    ck_assert_uint_eq(pieces[0].len, 10);
}
END_TEST

START_TEST(test_live_tail_comes_twice_a_second)
{
    feed(OUTPUT_HEAD_BYTES);
    ck_assert_uint_eq(output_take(&output, START_MS + 50, pieces), 4);
    feed(100 * KIB);
    ck_assert_int_eq(output_due(&output), START_MS + OUTPUT_TAIL_MS);
    ck_assert_uint_eq(output_take(&output, START_MS + OUTPUT_TAIL_MS - 1, pieces), 0);
    ck_assert_uint_eq(output_take(&output, START_MS + OUTPUT_TAIL_MS, pieces), 1);
    ck_assert_int_eq(pieces[0].part, LOG_OUTPUT_TAIL);
    ck_assert_int_eq(pieces[0].index, 0);
    ck_assert_uint_eq(pieces[0].len, OUTPUT_PIECE_BYTES);
    ck_assert_int_eq(pieces[0].offset, OUTPUT_HEAD_BYTES + 36 * KIB);
    check_bytes(&pieces[0]);

    ck_assert_int_eq(output_due(&output), INT64_MAX); /* unchanged since */
    feed(1);
    ck_assert_int_eq(output_due(&output), START_MS + 2 * OUTPUT_TAIL_MS);
}
END_TEST

START_TEST(test_first_live_tail_starts_after_the_head)
{
    feed(OUTPUT_HEAD_BYTES + 10);
    size_t count = output_take(&output, START_MS + OUTPUT_TAIL_MS, pieces);
    ck_assert_uint_eq(count, 5);
    ck_assert_int_eq(pieces[4].part, LOG_OUTPUT_TAIL);
    ck_assert_int_eq(pieces[4].offset, OUTPUT_HEAD_BYTES);
    ck_assert_uint_eq(pieces[4].len, 10);
}
END_TEST

static const struct {
    const char *name;
    int64_t bytes;
    int64_t rest_from, rest_to; /* equal: no rest */
} ends[] = {
    {"one byte", 1, 0, 0},
    {"exactly the head", OUTPUT_HEAD_BYTES, 0, 0},
    {"one byte past it", OUTPUT_HEAD_BYTES + 1, OUTPUT_HEAD_BYTES, OUTPUT_HEAD_BYTES + 1},
    {"head and ring", OUTPUT_HEAD_BYTES + MIB, OUTPUT_HEAD_BYTES, OUTPUT_HEAD_BYTES + MIB},
    {"one byte of gap", OUTPUT_HEAD_BYTES + MIB + 1, OUTPUT_HEAD_BYTES + 1,
     OUTPUT_HEAD_BYTES + MIB + 1},
    {"a flood", 20 * MIB + 7, 19 * MIB + 7, 20 * MIB + 7},
};

START_TEST(test_end)
{
    int64_t head = ends[_i].bytes < OUTPUT_HEAD_BYTES ? ends[_i].bytes : OUTPUT_HEAD_BYTES;
    feed(head);
    size_t count = output_take(&output, START_MS + 50, pieces);
    ck_assert_int_eq(check_run(LOG_OUTPUT_HEAD, 0, 0, count), head);
    feed(ends[_i].bytes - head);

    count = output_take_rest(&output, START_MS + 60, pieces);

    int64_t rest_end = check_run(LOG_OUTPUT_REST, ends[_i].rest_from, 0, count);
    ck_assert_msg(rest_end == ends[_i].rest_to, "%s: rest ends at %" PRId64, ends[_i].name,
                  rest_end);
    ck_assert_int_eq(output.bytes, ends[_i].bytes);
    ck_assert_int_eq(output.lines, ends[_i].bytes / 100);
    ck_assert_uint_le(output.kept_cap, 2 * MIB);
}
END_TEST

START_TEST(test_end_without_any_take_has_the_head_too)
{
    feed(OUTPUT_HEAD_BYTES + 300 * KIB);
    size_t count = output_take_rest(&output, START_MS, pieces);
    ck_assert_int_eq(check_run(LOG_OUTPUT_HEAD, 0, 0, count), OUTPUT_HEAD_BYTES);
    ck_assert_int_eq(check_run(LOG_OUTPUT_REST, OUTPUT_HEAD_BYTES, 4, count), output.bytes);
}
END_TEST

static const int64_t lengths[] = {1,        4095,         4096,    4097,
                                  64 * KIB, 64 * KIB + 1, 3 * MIB, 5 * MIB + 3};

START_TEST(test_tail_is_the_last_bytes_in_one_piece)
{
    feed(lengths[_i] < OUTPUT_HEAD_BYTES ? lengths[_i] : OUTPUT_HEAD_BYTES);
    (void)output_take(&output, START_MS + 50, pieces);
    feed(lengths[_i] - output.bytes);

    struct classify_text tail = output_tail(&output, CLASSIFY_TAIL_MAX);

    int64_t want = lengths[_i] < CLASSIFY_TAIL_MAX ? lengths[_i] : CLASSIFY_TAIL_MAX;
    ck_assert_int_eq((int64_t)tail.len, want);
    ck_assert_int_eq(tail.offset, lengths[_i] - want);
    struct log_output piece = {.offset = tail.offset, .bytes = tail.bytes, .len = tail.len};
    check_bytes(&piece);
}
END_TEST

static const struct {
    const char *name;
    const char *bytes;
    int64_t line_max;
    int64_t lines;
} broken[] = {
    {"as long as it may be", "abcd\nab\n", 4, 2},
    {"one byte more", "abcde\nab\n", 4, 3},
    {"twice as long and more", "abcdefghi\n", 4, 3},
    {"without an end", "ab\nabcdefghi", 4, 3},
    {"line feeds alone", "\n\n\n", 1, 3},
};

/* However it comes in, a line that is too long is several. */
START_TEST(test_long_lines_count_as_several)
{
    const char *bytes = broken[_i].bytes;
    for (size_t cut = 0; cut <= strlen(bytes); cut++) {
        output_done(&output);
        output_init(&output, START_MS, broken[_i].line_max);
        output_add(&output, bytes, cut);
        output_add(&output, bytes + cut, strlen(bytes) - cut);
        ck_assert_msg(output.lines == broken[_i].lines, "%s, cut at %zu: %" PRId64, broken[_i].name,
                      cut, output.lines);
    }
}
END_TEST

/* Every so many bytes a line feed, and pieces that end anywhere. */
static const size_t feeds[] = {1, 2, 3, 7, 8, 9, 64, 255, 2041, OUTPUT_PIECE_BYTES};

START_TEST(test_line_feeds_are_counted_at_any_offset)
{
    static char text[OUTPUT_PIECE_BYTES];
    int64_t want = 0;
    for (size_t i = 0; i < sizeof(text); i++) {
        const bool ends_line = (i + 1) % feeds[_i] == 0;
        /* What is one bit away from a line feed is none. */
        text[i] = ends_line ? '\n' : "\v\b\x0e\x8a\x1a*J\x0b"[i % 8];
        want += ends_line;
    }
    for (size_t cut = 0; cut <= 17; cut++) {
        output_done(&output);
        output_init(&output, START_MS, INT64_MAX / 2);
        output_add(&output, text, cut);
        output_add(&output, text + cut, sizeof(text) - cut);
        ck_assert_msg(output.lines == want, "every %zu, cut at %zu: %" PRId64, feeds[_i], cut,
                      output.lines);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("attempt");
    TCase *call_cases = test_case(suite, "call");
    tcase_add_checked_fixture(call_cases, setup_call, teardown_call);
    tcase_add_test(call_cases, test_plain_step_gets_the_environment_and_our_marks);
    tcase_add_test(call_cases, test_own_entries_win_and_paths_are_the_runs);
    tcase_add_test(call_cases, test_absolute_paths_stay);
    tcase_add_test(call_cases, test_no_environment_at_all);
    tcase_add_test(call_cases, test_slot_is_in_the_environment_once);
    TCase *slot_cases = test_case(suite, "slots");
    tcase_add_checked_fixture(slot_cases, setup_slots, teardown_slots);
    tcase_add_test(slot_cases, test_slots_are_never_two_alike);
    tcase_add_test(slot_cases, test_slot_with_a_port_in_use_is_skipped);
    tcase_add_test(slot_cases, test_waiting_task_gives_up_its_slot_when_all_are_taken);
    tcase_add_test(slot_cases, test_no_slots_without_a_usable_file);
    TCase *live = test_case(suite, "live");
    tcase_add_checked_fixture(live, setup_output, teardown_output);
    tcase_add_test(live, test_a_silent_stream_allocates_nothing);
    tcase_add_test(live, test_head_comes_every_50_ms);
    tcase_add_test(live, test_much_head_does_not_wait);
    tcase_add_test(live, test_end_of_the_head_does_not_wait);
    tcase_add_test(live, test_live_tail_comes_twice_a_second);
    tcase_add_test(live, test_first_live_tail_starts_after_the_head);
    TCase *end = test_case(suite, "end");
    tcase_add_checked_fixture(end, setup_output, teardown_output);
    tcase_add_loop_test(end, test_end, 0, TABLE_LEN(ends));
    tcase_add_test(end, test_end_without_any_take_has_the_head_too);
    tcase_add_loop_test(end, test_tail_is_the_last_bytes_in_one_piece, 0, TABLE_LEN(lengths));
    tcase_add_loop_test(end, test_long_lines_count_as_several, 0, TABLE_LEN(broken));
    tcase_add_loop_test(end, test_line_feeds_are_counted_at_any_offset, 0, TABLE_LEN(feeds));
    return suite;
}
