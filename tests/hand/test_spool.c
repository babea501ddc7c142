#include "hand_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "test_main.h"

static char path[512];
static int dir;
static struct spool spool;
static struct hand_begin begin;

/* A directory with a spool that is being written. */
static void setup(void)
{
    struct utsname here;
    (void)snprintf(path, sizeof(path), "%s", test_path(test_tmpdir(), "attempt"));
    ck_assert_int_eq(uname(&here), 0);
    begin = (struct hand_begin){.lease_ms = 1000};
    (void)snprintf(begin.node, sizeof(begin.node), "%.*s", HAND_NODE_MAX, here.nodename);
    dir = dir_create(path);
    ck_assert_int_ge(dir, 0);
    ck_assert(spool_create(dir, &begin, &spool));
}

static void let_go(void)
{
    (void)close(spool.fd);
    (void)close(spool.control);
    spool.fd = spool.control = -1;
}

static void teardown(void)
{
    let_go();
    (void)!dir_remove(path, dir);
    (void)close(dir);
}

static void write_started(void)
{
    uint8_t frame[HAND_SMALL_FRAME_MAX];
    const struct hand_started started = {.keeper = 1, .command = 2};
    spool_write(&spool, frame, hand_started_write(frame, &started));
}

static void write_output(size_t len, uint8_t fill)
{
    static uint8_t frame[HAND_SPOOL_FRAME_MAX];
    memset(frame + HAND_HEAD_BYTES, fill, len);
    spool_write(&spool, frame, hand_frame_seal(frame, HAND_OUTPUT, HAND_STDOUT, len));
}

static bool write_end(void)
{
    const struct hand_end end = {
        .ended = HAND_EXITED,
        .proven = true,
        .spool_errno = (uint32_t)spool.number,
        .output_bytes = spool.output_bytes,
        .dropped_bytes = spool.dropped_bytes,
    };
    return spool_finish(&spool, &end);
}

/* Looks at the spool as another process would. */
static enum hand_state look(struct hand_spool *out, uint64_t *size)
{
    static struct spool_reader reader;
    struct attempt_dir attempt;
    ck_assert(attempt_open(path, &attempt));
    reader = (struct spool_reader){.fd = attempt.spool};
    const enum hand_state state = spool_look(&reader, size);
    *out = reader.spool;
    attempt_close(&attempt);
    return state;
}

START_TEST(test_directory_is_created_once)
{
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0700);
    ck_assert_int_eq(dir_create(path), -1);
    ck_assert_int_eq(errno, EEXIST);
}
END_TEST

START_TEST(test_states_of_an_attempt)
{
    struct hand_spool seen;
    uint64_t size;
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_RUNNING);
    write_started();
    write_output(100, 'x');
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_RUNNING);
    ck_assert_uint_eq(seen.output_bytes, 100);
    ck_assert(write_end());
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_ENDED);
    ck_assert_uint_eq(seen.whole, size);
    ck_assert(hand_end_passed(&seen.end));
}
END_TEST

START_TEST(test_without_its_writer_it_is_lost)
{
    struct hand_spool seen;
    uint64_t size;
    write_started();
    let_go();
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_LOST);
    ck_assert_int_eq(control_open(dir), -1);
    ck_assert_int_eq(errno, ENXIO);
}
END_TEST

START_TEST(test_on_another_machine_it_may_run)
{
    struct hand_spool seen;
    uint64_t size;
    teardown();
    (void)snprintf(begin.node, sizeof(begin.node), "another-machine");
    dir = dir_create(path);
    ck_assert_int_ge(dir, 0);
    ck_assert(spool_create(dir, &begin, &spool));
    let_go();
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_RUNNING);
    ck_assert(is_elsewhere(&seen.begin));
}
END_TEST

START_TEST(test_a_renamed_machine_is_the_same)
{
    struct hand_begin here;
    describe_machine(&here);
    ck_assert(!is_elsewhere(&here));
    (void)snprintf(here.node, sizeof(here.node), "another-name");
    ck_assert_int_eq(is_elsewhere(&here), here.boot[0] == '\0');
    (void)snprintf(here.boot, sizeof(here.boot), "another-boot");
    ck_assert(is_elsewhere(&here));
}
END_TEST

START_TEST(test_a_claim_keeps_an_attempt_from_starting)
{
    teardown();
    dir = dir_create(path);
    const int claim = dir_claim(dir);
    ck_assert_int_ge(claim, 0);
    ck_assert(!spool_create(dir, &begin, &spool));
    ck_assert_int_eq(dir_claim(dir), -1);
    ck_assert_int_eq(errno, EBUSY);
    ck_assert(dir_remove(path, dir));
    (void)close(claim);
    ck_assert(!spool_create(dir, &begin, &spool));
}
END_TEST

START_TEST(test_a_started_attempt_cannot_be_claimed)
{
    ck_assert_int_eq(dir_claim(dir), -1);
    ck_assert_int_eq(errno, EBUSY);
    ck_assert_int_ne(access(test_path(path, "spool.new"), F_OK), 0);
    let_go();
    ck_assert_int_eq(dir_claim(dir), -1);
    ck_assert_int_eq(access(test_path(path, "spool"), F_OK), 0);
}
END_TEST

START_TEST(test_reader_follows_the_writer)
{
    static struct spool_reader reader;
    struct hand_frame frame;
    reader = (struct spool_reader){.fd = spool.fd};
    ck_assert_int_eq(spool_next(&reader, &frame), HAND_WHOLE);
    ck_assert_uint_eq(frame.type, HAND_BEGIN);
    ck_assert_int_eq(spool_next(&reader, &frame), HAND_MORE);
    write_started();
    ck_assert_int_eq(spool_next(&reader, &frame), HAND_WHOLE);
    for (size_t len = 1; len <= HAND_OUTPUT_MAX; len = len * 3 + 1) {
        write_output(len, (uint8_t)len);
        write_output(len, (uint8_t)(len + 1));
        for (uint8_t i = 0; i < 2; i++) {
            ck_assert_int_eq(spool_next(&reader, &frame), HAND_WHOLE);
            ck_assert_uint_eq(frame.len, len);
            ck_assert_uint_eq(frame.bytes[len - 1], (uint8_t)(len + i));
        }
        ck_assert_int_eq(spool_next(&reader, &frame), HAND_MORE);
    }
    ck_assert(write_end());
    ck_assert_int_eq(spool_next(&reader, &frame), HAND_WHOLE);
    ck_assert_uint_eq(frame.type, HAND_END);
}
END_TEST

START_TEST(test_cut_anywhere)
{
    write_started();
    write_output(7, 'a');
    ck_assert(write_end());
    const uint64_t whole = spool.size;
    for (uint64_t cut = 0; cut < whole; cut++) {
        struct hand_spool seen;
        uint64_t size;
        let_go();
        ck_assert_int_eq(truncate(test_path(path, "spool"), (off_t)(whole - 1 - cut)), 0);
        ck_assert_int_eq(look(&seen, &size), HAND_STATE_LOST);
        ck_assert_uint_eq(size, whole - 1 - cut);
        ck_assert_uint_le(seen.whole, size);
        ck_assert_int_ne(seen.stage, HAND_STAGE_ENDED);
    }
}
END_TEST

START_TEST(test_zeros_are_damage)
{
    static const char zeros[100];
    struct hand_spool seen;
    uint64_t size;
    ck_assert_int_eq(pwrite(spool.fd, zeros, sizeof(zeros), (off_t)spool.size), sizeof(zeros));
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_DAMAGED);
    ck_assert_uint_eq(seen.whole, spool.size);
    ck_assert_uint_eq(size, spool.size + sizeof(zeros));
}
END_TEST

START_TEST(test_output_beyond_the_limit_is_dropped)
{
    struct hand_spool seen;
    uint64_t size;
    write_started();
    spool.limit = 10000;
    write_output(9000, 'a');
    ck_assert_int_eq(spool.number, 0);
    write_output(900, 'b');
    ck_assert_int_eq(spool.number, EFBIG);
    write_output(1, 'c'); /* would fit, but would hide the gap */
    ck_assert_uint_eq(spool.dropped_bytes, 901);
    ck_assert(write_end());
    ck_assert_int_eq(look(&seen, &size), HAND_STATE_ENDED);
    ck_assert_uint_eq(seen.output_bytes, 9000);
    ck_assert_uint_eq(seen.end.dropped_bytes, 901);
    ck_assert_uint_le(size, spool.limit);
}
END_TEST

START_TEST(test_space_for_the_end_is_reserved)
{
    struct stat info;
    write_started();
    write_output(1000, 'a');
    ck_assert_int_eq(fstat(spool.fd, &info), 0);
    ck_assert_uint_eq((uint64_t)info.st_size, spool.size);
    if (!spool.no_reserve)
        ck_assert_uint_ge((uint64_t)info.st_blocks * 512, spool.size + HAND_SMALL_FRAME_MAX);
    ck_assert(write_end());
    ck_assert_int_eq(fstat(spool.fd, &info), 0);
    ck_assert_uint_lt((uint64_t)info.st_blocks * 512, 64 * 1024); /* and released */
}
END_TEST

START_TEST(test_removes_only_its_own_files)
{
    test_write_file(test_path(path, "other"), "x", 0600);
    ck_assert(!dir_remove(path, dir));
    ck_assert_int_eq(errno, ENOTEMPTY);
    ck_assert_int_eq(access(test_path(path, "spool"), F_OK), 0);
    ck_assert_int_eq(unlink(test_path(path, "other")), 0);
    ck_assert(dir_remove(path, dir));
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(test_foreign_directories)
{
    char *link_path = test_path(test_tmpdir(), "link");
    char slash[600];
    (void)snprintf(slash, sizeof(slash), "%s//", link_path);
    ck_assert_int_eq(symlink(path, link_path), 0);
    ck_assert_int_eq(dir_open(link_path), -1);
    ck_assert_int_eq(dir_open(slash), -1);
    ck_assert_int_eq(chmod(path, 0750), 0);
    ck_assert_int_eq(dir_open(path), -1);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(chmod(path, 0700), 0);
    ck_assert_int_eq(dir_open(""), -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hand spool");
    TCase *tcase = test_case(suite, "spool");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_directory_is_created_once);
    tcase_add_test(tcase, test_states_of_an_attempt);
    tcase_add_test(tcase, test_without_its_writer_it_is_lost);
    tcase_add_test(tcase, test_on_another_machine_it_may_run);
    tcase_add_test(tcase, test_a_renamed_machine_is_the_same);
    tcase_add_test(tcase, test_a_claim_keeps_an_attempt_from_starting);
    tcase_add_test(tcase, test_a_started_attempt_cannot_be_claimed);
    tcase_add_test(tcase, test_reader_follows_the_writer);
    tcase_add_test(tcase, test_cut_anywhere);
    tcase_add_test(tcase, test_zeros_are_damage);
    tcase_add_test(tcase, test_output_beyond_the_limit_is_dropped);
    tcase_add_test(tcase, test_space_for_the_end_is_reserved);
    tcase_add_test(tcase, test_removes_only_its_own_files);
    tcase_add_test(tcase, test_foreign_directories);
    return suite;
}
