/* What becomes of a line: what is masked, rule by rule, and what must stay. */
#include "fingerprint.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

struct taken {
    struct str text; /* normalised lines, each with a line feed */
    unsigned masked;
};

static void take(void *ctx, const struct normaliser_line *line)
{
    struct taken *taken = ctx;
    str_add_n(&taken->text, line->bytes, line->len);
    str_add_char(&taken->text, '\n');
    taken->masked |= line->masked;
}

static struct taken normalise(const char *raw)
{
    struct taken taken = {0};
    struct normaliser *normaliser;
    normaliser_open(&normaliser, NULL, take, &taken);
    normaliser_add(normaliser, raw, strlen(raw));
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    if (taken.text.len > 0)
        taken.text.data[--taken.text.len] = '\0'; /* the last line feed */
    return taken;
}

enum { NONE = -1, ANY = -2 };

struct row {
    const char *raw, *want;
    int mask; /* enum normaliser_mask, NONE or ANY */
};

static void check_row(const struct row *row)
{
    struct taken taken = normalise(row->raw);
    ck_assert_str_eq(str_text(&taken.text), row->want);
    if (row->mask == NONE)
        ck_assert_msg(taken.masked == 0, "%s", row->raw);
    else
        ck_assert_msg(taken.masked & (row->mask == ANY ? ~0U : 1U << row->mask), "%s", row->raw);

    struct taken again = normalise(row->want); /* what is normalised stays as it is */
    ck_assert_str_eq(str_text(&again.text), row->want);
    str_done(&taken.text);
    str_done(&again.text);
}

static const struct row times[] = {
    {"2026-08-21T14:06:15.803Z ERROR 42", "<ts> ERROR 42", NORMALISER_TIMES},
    {"2026-08-21T14:06:15+02:00 x", "<ts> x", NORMALISER_TIMES},
    {"2026-08-21 14:06:15,803 x", "<ts> x", NORMALISER_TIMES},
    {"2026-08-21 14:06 x", "<ts> x", NORMALISER_TIMES},
    {"2026/08/21 14:06:15 main.go:7: x", "<ts> main.go:7: x", NORMALISER_TIMES},
    {"2026-08-21 14:06:15 +0000 UTC x", "<ts> x", NORMALISER_TIMES},
    {"at 20260821T140322Z", "at <ts>", NORMALISER_TIMES},
    {"at 20260821-140322.log", "at <ts>.log", NORMALISER_TIMES},
    {"_logs/2026-08-21T14_03_22_123Z-debug-0.log", "_logs/<ts>-debug-0.log", NORMALISER_TIMES},
    {"Date: Fri, 21 Aug 2026 14:03:22 GMT", "Date: <ts>", NORMALISER_TIMES},
    {"- - [21/Aug/2026:14:03:22 +0000] \"GET /\"", "- - [<ts>] \"GET /\"", NORMALISER_TIMES},
    {"Aug 21 14:03:22 host app: x", "<ts> host app: x", NORMALISER_TIMES},
    {"Aug  1 14:03:22 host app: x", "<ts> host app: x", NORMALISER_TIMES},
    {"1 me me 120 Aug 21 14:03 a.c", "1 me me 120 <ts> a.c", NORMALISER_TIMES},
    {"Fri Aug 21 02:03:22 PM UTC 2026", "<ts>", NORMALISER_TIMES},
    {"Fri Aug 21 14:03:22 2026: x", "<ts>: x", NORMALISER_TIMES},
    {"[14:03:22] x", "[<ts>] x", NORMALISER_TIMES},
    {"14:03:22.123 x", "<ts> x", NORMALISER_TIMES},
    {"took 0:00:07", "took <ts>", NORMALISER_TIMES},
    {"epoch 1787300000 end", "epoch <ts> end", NORMALISER_TIMES},
    {"epoch 1787300000.123456 end", "epoch <ts> end", NORMALISER_TIMES},
    {"epoch 1787300000123 end", "epoch <ts> end", NORMALISER_TIMES},
    {"epoch 1787300000123456 end", "epoch <ts> end", NORMALISER_TIMES},
    {"epoch 1787300000123456789 end", "epoch <ts> end", NORMALISER_TIMES},
    {"#7 12.34 npm error", "<ts> npm error", NORMALISER_TIMES},
    {"[   12.345678] usb 1-1: new", "<ts> usb 1-1: new", NORMALISER_TIMES},
    {"E0821 14:03:22.123456    4711 main.go:12] x", "E<ts> main.go:12] x", NORMALISER_TIMES},
};

static const struct row ids[] = {
    {"id c389369b-3d97-4241-aa35-728507d2ab42.", "id <uuid>.", NORMALISER_IDS},
    {"id abcdefab-3d97-4241-aa35-728507d2ab42.", "id <uuid>.", NORMALISER_IDS},
    {"id C389369B-3D97-4241-AA35-728507D2AB42.", "id <uuid>.", NORMALISER_IDS},
    {"token=eyJhbGciOiJIUzI1NiJ9.V0ecDz-edu4q8.yfadqZRWC_kUr x", "token=<tok> x", NORMALISER_IDS},
    {"key aB3dE5fG7hI9jK1lM end", "key <id> end", NORMALISER_IDS},
    {"key aB3d-E5fG7h-9jK1lM2 end", "key <id> end", NORMALISER_IDS},
    {"x toolu_7LNLOFCzklCz5IzBkhwYLAyI y", "x <id> y", NORMALISER_IDS},
    {"'5A4GdkBAeGxWzFq1Csd652oVh7z/CrzcH96HeXZiPi+SVM9ZwXnv31EsJ='", "'<id>'", NORMALISER_IDS},
    {"/5A4GdkBAeGxWzFq1Csd652oVh7z/file", "/<id>/file", NORMALISER_IDS},
    {"{'x-amz-request-id': 'OYCVEU9259XXEBXD'}", "{'x-amz-request-id': '<v>'}", NORMALISER_IDS},
    {"< X-Request-Id: a1-b2", "< X-Request-Id: <v>", NORMALISER_IDS},
    {"session sessyfDtrNLTRIoZEKa5kqxND3gt y", "session <id> y", NORMALISER_IDS},
    {"api-7c9d8b6f5-x2x4q 0/1", "api-<id> 0/1", NORMALISER_IDS},
    {"main.pick(0xc0007f7be4, 0x81)", "main.pick(<addr>, <addr>)", NORMALISER_ADDRESSES},
    {"main.go:31 +0xb60", "main.go:31 +<addr>", NORMALISER_ADDRESSES},
    {"at 00007ff8`12340000 x", "at <addr> x", NORMALISER_ADDRESSES},
    {"commit 83db48f0a", "commit <hex>", NORMALISER_HEX},
    {"index 83db48f..bf2a1c0 100644", "index <hex>..<hex> 100644", NORMALISER_HEX},
    {"Running in 72488848277e", "Running in <hex>", NORMALISER_HEX},
    {"blob 123456789012", "blob <hex>", NORMALISER_HEX},
    {"sha256:0f3a5c0f3a5c0f3a5c0f3a5c0f3a5c0f", "sha256:<hex>", NORMALISER_HEX},
    {"[fix/empty 1301905] Fix it", "[fix/empty <hex>] Fix it", NORMALISER_HEX},
    {"ci@runner-9e3045", "ci@runner-<hex>", NORMALISER_HEX},
    {"ci@runner-ce9a15", "ci@runner-<hex>", NORMALISER_HEX},
    {"#18.7320ca35.1771341215.da3bb9a3", "#18.<hex>.<ts>.<hex>", NORMALISER_HEX},
};

static const struct row places[] = {
    {"cc1plus: /tmp/ccUwfH2T.s: no space", "cc1plus: <tmp>: no space", NORMALISER_TEMPS},
    {"/tmp/cckwVNts.o", "<tmp>", NORMALISER_TEMPS},
    {"'/tmp/pytest-of-ci/pytest-30/test_io0/out'", "'<tmp>/test_io0/out'", NORMALISER_TEMPS},
    {"in /tmp/tmpk3j9x2ab/f.py", "in <tmp>/f.py", NORMALISER_TEMPS},
    {"in /tmp/tmp.Xa81bQz0Kd.", "in <tmp>.", NORMALISER_TEMPS},
    {"/tmp/build.rsIJdlpF /tmp/build.S1vstrlh", "<tmp> <tmp>", NORMALISER_TEMPS},
    {"log: /var/tmp/build.OOnOli", "log: <tmp>", NORMALISER_TEMPS},
    {"/tmp/go-build1234567/b001/x.a", "<tmp>/b001/x.a", NORMALISER_TEMPS},
    {"/tmp/app.4711", "<tmp>", NORMALISER_TEMPS},
    {"/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/x.c", "<tmp>/T/x.c", NORMALISER_TEMPS},
    {"file:///tmp/a8Kd2xQ1/x", "file://<tmp>/x", NORMALISER_TEMPS},
    {"--out=/dev/shm/a8Kd2xQ1", "--out=<tmp>", NORMALISER_TEMPS},
    {"C:\\AppData\\Local\\Temp\\a8Kd2xQ1\\x", "C:\\AppData\\Local\\Temp\\<tmp>\\x",
     NORMALISER_TEMPS},
    {"%TEMP%\\a8Kd2xQ1", "%TEMP%\\<tmp>", NORMALISER_TEMPS},
    {"\"C:\\\\Temp\\\\a8Kd2xQ1\\\\x\"", "\"C:\\\\Temp\\\\<tmp>\\\\x\"", NORMALISER_TEMPS},
    {"Local\\Temp\\MSBuildTempKfsaZYot\\gen.cs", "Local\\Temp\\<tmp>\\gen.cs", NORMALISER_TEMPS},
    {"Full output saved to: /x/toolu_7LNLOF.txt", "Full output saved to: <tmp>", NORMALISER_TEMPS},
    {"Output saved to /home/me/out/17.txt now", "Output saved to <tmp> now", NORMALISER_TEMPS},
};

static const struct row amounts[] = {
    {"1 failed in 0.38s", "1 failed in <dur>", NORMALISER_DURATIONS},
    {"adds (5 ms)", "adds (<dur>)", NORMALISER_DURATIONS},
    {"Time:        1.91 s", "Time: <dur>", NORMALISER_DURATIONS},
    {"12\xc2\xb5s and 13 \xce\xbcs", "<dur> and <dur>", NORMALISER_DURATIONS},
    {"up 3m22s, 2d4h, 1h 5m", "up <dur>, <dur>, <dur>", NORMALISER_DURATIONS},
    {"took 1,234 ms", "took <dur>", NORMALISER_DURATIONS},
    {"1 test in 0.234 (0.456) seconds", "1 test in <dur>", NORMALISER_DURATIONS},
    {"2 minutes ago", "<dur> ago", NORMALISER_DURATIONS},
    {"mdev = 0.031/0.052/0.070/0.012 ms", "mdev = <dur>", NORMALISER_DURATIONS},
    {"x2x4q 0/1 Pending 0 14s", "x2x4q 0/1 Pending 0 <dur>", NORMALISER_DURATIONS},
    {"# duration_ms 93.095237", "# duration_ms <dur>", NORMALISER_DURATIONS},
    {"10/10 [00:05<00:00,  1.9it/s]", "10/10 [<dur>, <rate>]", NORMALISER_DURATIONS},
    {"10 MB at 3.2MB/s", "10 MB at <rate>", NORMALISER_RATES},
    {"3.2s/it, 17 tok/s, 90 ns/op, 60 fps", "<rate>, <rate>, <rate>, <rate>", NORMALISER_RATES},
    {"fps= 25 size= 256kB bitrate= 52.3kbits/s speed=1.02x",
     "fps= <rate> size= 256kB bitrate= <rate> speed=<rate>", NORMALISER_RATES},
    {"34% 932M 0s", "34% <rate> <dur>", NORMALISER_RATES},
    {"100   155  100   155    0     0   914      0 --:--:-- --:--:-- --:--:--   821", "<rate>",
     NORMALISER_RATES},
};

static const struct row counts[] = {
    {"pid 123 (process 4711)", "pid <pid> (process <pid>)", NORMALISER_PIDS},
    {"Process Group PGID: 4711", "Process Group PGID: <pid>", NORMALISER_PIDS},
    {"host sshd[4711]: Failed", "host sshd[<pid>]: Failed", NORMALISER_PIDS},
    {"2026-11-21 14:03:22.123 UTC [48211] LOG: x", "<ts> [<pid>] LOG: x", NORMALISER_PIDS},
    {"[48211] text", "[<pid>] text", NORMALISER_PIDS},
    {"./run.sh: line 3: 48211 Segmentation fault", "./run.sh: line 3: <pid> Segmentation fault",
     NORMALISER_PIDS},
    {"[error] 28#28: *161 connect() failed", "[error] <pid> connect() failed", NORMALISER_PIDS},
    {"#PID<0.866.0> #Reference<0.685826879.3733540943.224434>", "#PID<<pid>> #Reference<<pid>>",
     NORMALISER_PIDS},
    {"ansible-tmp-1787300000.12-62623-2/x", "ansible-tmp-<ts>-<pid>-2/x", NORMALISER_PIDS},
    {"linux-sandbox/15/execroot", "linux-sandbox/<pid>/execroot", NORMALISER_PIDS},
    {"CRON[4711]: x", "CRON[<pid>]: x", NORMALISER_PIDS},
    {"agent[14877] works", "agent[<pid>] works", NORMALISER_PIDS},
    {"2026-08-21T14:06:15Z agent[14877] works", "<ts> agent[<pid>] works", NORMALISER_PIDS},
    {"[1]   48211", "[1] <pid>", NORMALISER_PIDS},
    {"goroutine 79 [running]:", "goroutine <pid> [running]:", NORMALISER_PIDS},
    {"Thread-12 and ForkPoolWorker-3", "Thread-<pid> and ForkPoolWorker-<pid>", NORMALISER_PIDS},
    {"[pool-23-thread-1] WARN", "[pool-<pid>-thread-<pid>] WARN", NORMALISER_PIDS},
    {"[New Thread 0x7fa0 (LWP 13470)]", "[New Thread <addr> (LWP <pid>)]", NORMALISER_PIDS},
    {"==5277== Invalid read of size 4", "==<pid>== Invalid read of size 4", NORMALISER_PIDS},
    {"==5277==ERROR: leak", "==<pid>==ERROR: leak", NORMALISER_PIDS},
    {"thread 'main' (5797) panicked at a.rs:7", "thread 'main' (<pid>) panicked at a.rs:7",
     NORMALISER_PIDS},
    {"[gw3] [ 20%] PASSED a", "[<pid>] PASSED a", NORMALISER_PIDS},
    {"localhost:54321 127.0.0.1:43210 [::1]:50000",
     "localhost:<port> 127.0.0.1:<port> [::1]:<port>", NORMALISER_PORTS},
    {"listening on port 45678", "listening on port <port>", NORMALISER_PORTS},
    {"attempt 3: x", "attempt <try>: x", NORMALISER_TRIES},
    {"app-0 0/1 Error 7 (42s ago)", "app-0 0/1 Error <try> (<dur> ago)", NORMALISER_TRIES},
    {"7 (42 days long)", "7 (<dur> long)", NORMALISER_DURATIONS},
    {"[notice: identical call 9 with x]", "[notice: identical call <try> with x]",
     NORMALISER_TRIES},
    {"Retrying (2/5), try 3 of 5, iteration #12", "Retrying (<try>), try <try>, iteration #<try>",
     NORMALISER_TRIES},
    {"a.c (12/12 lines shown \xc2\xb7 read 4 times)", "a.c", NORMALISER_TRIES},
    {"(2/3 lines shown) a (1/1 lines shown) b", "a b", NORMALISER_TRIES},
    {"Randomized with seed 7788", "Randomized with seed <seed>", NORMALISER_SEEDS},
    {"--seed=99 random_seed: 12", "--seed=<seed> random_seed: <seed>", NORMALISER_SEEDS},
};

static const struct row noise[] = {
    {"\033[91m\xe2\xa0\x8b\033[0m Resolving \033[1;31mx\033[m", "Resolving x", NONE},
    {"\033]0;title\007text \033]8;;http://x\033\\link\033]8;;\033\\", "text link", NONE},
    {" 10%\r 50%\r100%", "100%", NONE},
    {"all\r\nof it\r\n", "all\nof it", NONE},
    {"abd\bc", "abc", NONE},
    {"a\xc3\xa9\b\bb", "b", NONE},
    {"\xe2\x97\x90 busy \xe2\x97\xb4", "busy", NONE},
    {"  a \t b  \n\n \t \n\x01\x7f\n", "a b", NONE},
    {"\xe2\x9c\x93 caf\xc3\xa9 \xe6\xbc\xa2", "\xe2\x9c\x93 caf\xc3\xa9 \xe6\xbc\xa2", NONE},
    {"\xff\xfe a\xc2\x9b", "\xff\xfe a", NONE},
};

/* The progress signal and what only looks like a token. */
static const char *const kept[] = {
    "2 failed, 117 passed",
    "[ 12%] Building C object a.o",
    "[3/400] Building a.o",
    "version 1.2.3, 10.5.3, 3.10, v18.20.4",
    "ratio 12:30, line 14:03",
    "foo.c:12:30: error: x",
    "foo.c:34000:5: error: x",
    "released 2026-08-21",
    "Aug 21 2025 a.c",
    "deadbeef accede facade1 defaced decade42",
    "a1b2c3.txt",
    "[5] of 12, [404] not found, line 3: 17 Errors",
    "port 8080, localhost:8080, http://127.0.0.1:3000/x",
    "test_foo[3] test_http[404] PASSED",
    "items[12]: must be a string",
    "make[1]: Entering directory",
    "index out of range [5] with length 5",
    "testParsesRfc3339TimestampsCorrectly1 testIPv4AddrParsesOk2 NSURLSessionDataTask2Handler",
    "test_Rfc3339_Parses_Utf8_Names_2 HTTP2ServerTLS13Config2 DEVS_2_MAX_OF_ALL_X",
    "C:\\Temp\\report\\a.txt and \\temp\\",
    "10 MB, 256kB, 5 m, 3 x 4",
    "0.333333333333333 and 3.141592653589793",
    "1e-10 1234567 12345678",
    "/tmp/req.txt /tmp/output2.json /tmp/MyProject/README.md /tmp/x.sha256",
    "https://example.org/tmp/a8Kd2xQ1",
    "sleep-5s k8s-3d 5m3 v2h",
    "rapid 5, entry 7, pids 3",
    "retry after lunch, 3 attempts",
    "\"exitCode\": 0, \"count\": 12, \"retry\": true, \"seed\": null",
    "10.0.0.1 192.168.1.12",
    "$ 100 %5 #12 @3",
    "src/main.ts:88: const x",
    "SQLSTATE[40001]: Serialization failure",
    "printf(\"%04d %-11s %2ds\", 11 s.send_response, 12 ms(3))",
};

START_TEST(test_times_are_masked)
{
    check_row(&times[_i]);
}
END_TEST

START_TEST(test_ids_addresses_and_hex_are_masked)
{
    check_row(&ids[_i]);
}
END_TEST

START_TEST(test_temporary_paths_are_masked)
{
    check_row(&places[_i]);
}
END_TEST

START_TEST(test_durations_and_rates_are_masked)
{
    check_row(&amounts[_i]);
}
END_TEST

START_TEST(test_processes_ports_tries_and_seeds_are_masked)
{
    check_row(&counts[_i]);
}
END_TEST

START_TEST(test_terminal_noise_is_removed)
{
    check_row(&noise[_i]);
}
END_TEST

START_TEST(test_other_numbers_stay)
{
    const struct row row = {kept[_i], kept[_i], NONE};
    check_row(&row);
}
END_TEST

static const char *const keys[] = {
    "completedAt", "correlationId", "created_at", "durationMs", "durationSeconds", "elapsedMs",
    "etag",        "expiresAt",     "finishedAt", "latency_ms", "messageId",       "nonce",
    "request-id",  "runId",         "sessionId",  "spanId",     "startedAt",       "startTime",
    "timestamp",   "tookMs",        "traceId",    "ts",         "updatedAt",
};

/* What stands before and after a key, and what becomes of what is after it. */
static const struct {
    const char *before, *after, *want;
} forms[] = {
    {"{\"", "\": \"req x\", \"n\": 3}", "\": \"<v>\", \"n\": 3}"},
    {"{\"", "\":17.5,\"n\":3}", "\":<v>,\"n\":3}"},
    {"{'n': 1, '", "': 'a'}", "': '<v>'}"},
    {"\"{\\\"", "\\\":\\\"a\\\"}\"", "\\\":\\\"<v>\\\"}\""},
    {"n=1 ", "=a1b; c=2", "=<v>; c=2"},
    {"x: ", ": a1b c", ": <v> c"},
};

START_TEST(test_values_of_known_keys_are_masked)
{
    for (int form = 0; form < TABLE_LEN(forms); form++) {
        struct str raw = {0};
        struct str want = {0};
        str_addf(&raw, "%s%s%s", forms[form].before, keys[_i], forms[form].after);
        str_addf(&want, "%s%s%s", forms[form].before, keys[_i], forms[form].want);
        check_row(&(const struct row){str_text(&raw), str_text(&want), ANY});
        str_done(&raw);
        str_done(&want);
    }
}
END_TEST

static const struct row keyed[] = {
    {"<shellId: 7 completed with exit code 0>", "<shellId: <pid> completed with exit code 0>",
     NORMALISER_PIDS},
    {"{\"pid\": 15514, \"ppid\":1}", "{\"pid\": <pid>, \"ppid\":<pid>}", NORMALISER_PIDS},
    {"pid=1 tid: 2", "pid=<pid> tid: <pid>", NORMALISER_PIDS},
    {"attempt=3/5 retry: 2", "attempt=<try> retry: <try>", NORMALISER_TRIES},
    {"{\"try\":1,\"iteration\":2}", "{\"try\":<try>,\"iteration\":<try>}", NORMALISER_TRIES},
    {"{\"seed\":1}", "{\"seed\":<seed>}", NORMALISER_SEEDS},
    {"<case time=\"0.003\" n=\"3\">", "<case time=\"<v>\" n=\"3\">", NORMALISER_DURATIONS},
    {"{\"duration\":0.1,\"elapsed\":2,\"uptime\":3}",
     "{\"duration\":<v>,\"elapsed\":<v>,\"uptime\":<v>}", NORMALISER_DURATIONS},
    {"{\"fps\":1,\"bitrate\":2,\"speed\":3}",
     "{\"fps\":<rate>,\"bitrate\":<rate>,\"speed\":<rate>}", NORMALISER_RATES},
    {"< X-Runtime: 0.113224", "< X-Runtime: <v>", NORMALISER_DURATIONS},
    /* in plain text these words mean many things */
    {"time: 3, duration: 4, speed: 5", "time: 3, duration: 4, speed: 5", NONE},
    {"nonce: none, etag: null", "nonce: none, etag: null", NONE},
    {"{\"nonce\": null, \"ts\": {}, \"runId\": \"\"}",
     "{\"nonce\": null, \"ts\": {}, \"runId\": \"\"}", NONE},
    {"{\"announce\": \"x1\", \"pids\": 3}", "{\"announce\": \"x1\", \"pids\": 3}", NONE},
};

START_TEST(test_keys_decide_by_their_form)
{
    check_row(&keyed[_i]);
}
END_TEST

START_TEST(test_kinds_have_words)
{
    static const char *const words[] = {"times",        "ids",       "addresses", "temp paths",
                                        "hex",          "durations", "pids",      "ports",
                                        "try counters", "seeds",     "rates",     "arguments"};
    ck_assert_int_eq(TABLE_LEN(words), NORMALISER_MASK_COUNT);
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++)
        ck_assert_str_eq(normaliser_mask_words((enum normaliser_mask)i), words[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("normaliser");
    TCase *masked = test_case(suite, "masked");
    tcase_add_loop_test(masked, test_times_are_masked, 0, TABLE_LEN(times));
    tcase_add_loop_test(masked, test_ids_addresses_and_hex_are_masked, 0, TABLE_LEN(ids));
    tcase_add_loop_test(masked, test_temporary_paths_are_masked, 0, TABLE_LEN(places));
    tcase_add_loop_test(masked, test_durations_and_rates_are_masked, 0, TABLE_LEN(amounts));
    tcase_add_loop_test(masked, test_processes_ports_tries_and_seeds_are_masked, 0,
                        TABLE_LEN(counts));
    tcase_add_loop_test(masked, test_values_of_known_keys_are_masked, 0, TABLE_LEN(keys));
    tcase_add_loop_test(masked, test_keys_decide_by_their_form, 0, TABLE_LEN(keyed));
    tcase_add_test(masked, test_kinds_have_words);
    TCase *others = test_case(suite, "others");
    tcase_add_loop_test(others, test_terminal_noise_is_removed, 0, TABLE_LEN(noise));
    tcase_add_loop_test(others, test_other_numbers_stay, 0, TABLE_LEN(kept));
    return suite;
}
