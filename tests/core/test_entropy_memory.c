#include "entropy.h"

#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"
#include "json.h"
#include "loops_internal.h"
#include "str.h"
#include "test_main.h"

static struct entropy_memory *memory;
static struct entropy_limits limits;
static struct entropy_fact fact;

static void setup(void)
{
    limits = entropy_limits_new();
    entropy_memory_open(&memory, &limits);
}

static void teardown(void)
{
    entropy_memory_close(memory);
    memory = NULL;
}

static void take_line(void *ctx, const struct normaliser_line *line)
{
    entropy_memory_line(ctx, line);
}

static void end(const char *output, int code)
{
    struct normaliser *normaliser = NULL;
    const struct entropy_end how = {.failed = code > 0, .running = code < 0};
    normaliser_open(&normaliser, entropy_memory_words(memory), take_line, memory);
    normaliser_add(normaliser, output, strlen(output));
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    entropy_memory_end(memory, &how, &fact);
}

static void call(const char *tool, const char *args, const char *output, int code)
{
    struct json *json = NULL;
    ck_assert_msg(json_parse(args, strlen(args), &json, NULL, NULL), "%s", args);
    entropy_memory_begin_call(memory, tool, json);
    end(output, code);
    json_free(json);
}

static void shell(const char *command, const char *output, int code)
{
    struct str args = {0};
    str_add_char(&args, '{');
    str_json_text(&args, "command", command);
    str_add_char(&args, '}');
    call("shell", str_text(&args), output, code);
    str_done(&args);
}

static void take_hashed_line(void *ctx, const struct fingerprint_line *line)
{
    entropy_memory_hashed_line(ctx, line);
}

START_TEST(test_a_line_that_was_hashed_counts_as_any_other)
{
    static const char output[] = "cat: alpha.txt: 3 failed in 2 ms\nno matches for 'alpha'\n";
    struct json *args = NULL;
    struct fingerprint *fingerprint = NULL;
    const struct entropy_end how = {.failed = true};
    shell("cat alpha.txt", output, 1);
    const struct entropy_fact want = fact;
    entropy_memory_reset(memory);

    ck_assert(json_parse("{\"command\":\"cat alpha.txt\"}", 27, &args, NULL, NULL));
    entropy_memory_begin_call(memory, "shell", args);
    const struct fingerprint_setting setting = {
        .words = entropy_memory_words(memory), .line = take_hashed_line, .ctx = memory};
    fingerprint_open(&fingerprint, &setting);
    fingerprint_add(fingerprint, 0, output, sizeof(output) - 1);
    (void)fingerprint_finish(fingerprint, OUTCOME_EXIT, 1);
    fingerprint_close(fingerprint);
    entropy_memory_end(memory, &how, &fact);

    ck_assert(digest_equal(fact.call, want.call));
    ck_assert(digest_equal(fact.outcome, want.outcome));
    ck_assert_uint_eq(fact.raw, want.raw);
    ck_assert_int_eq(fact.lines, want.lines);
    ck_assert_int_eq(fact.new_permille, want.new_permille);
    ck_assert_int_eq((int)fact.gain, (int)want.gain);
    json_free(args);
}
END_TEST

static const struct {
    const char *output;
    bool same; /* as "no such file\n" */
} reminded[] = {
    {"no such file\n", true},
    {"no such file\n<system-reminder>\nThis is the third time.\n</system-reminder>", true},
    {"no such file\n\n<system-reminder>Stop.</system-reminder>\n"
     "<system-reminder>Try another way.</system-reminder>\n",
     true},
    {"no such file\n<system-reminder>Stop.</system-reminder>\nbut this one\n", false},
    {"no such file\nStop.</system-reminder>", false},
};

START_TEST(test_a_reminder_of_the_cli_is_no_part_of_the_result)
{
    const struct entropy_end how = {.failed = true};
    struct entropy_fact facts[2];
    for (int i = 0; i < 2; i++) {
        const char *output = i == 0 ? reminded[0].output : reminded[_i].output;
        entropy_memory_begin_call(memory, "Bash", NULL);
        entropy_memory_text(memory, output, strlen(output));
        entropy_memory_end(memory, &how, &facts[i]);
    }
    ck_assert_int_eq(digest_equal(facts[0].outcome, facts[1].outcome), reminded[_i].same);
}
END_TEST

/* Two ways to write one call. */
static const struct {
    const char *tool, *a, *b;
    bool same;
} keys[] = {
    {"read", "{\"path\":\"x\",\"limit\":1}", "{\"limit\":1.0,\"path\":\"x\"}", true},
    {"read", "{\"path\":\"x\"}", "{\"path\":\"x\",\"offset\":null}", true},
    {"read", "{\"path\":\"x\"}", "{\"path\":\"y\"}", false},
    {"read", "{\"path\":\"x\",\"offset\":1}", "{\"path\":\"x\",\"offset\":2}", false},
    {"read", "{\"path\":\"x\",\"task_progress\":\"a\"}", "{\"path\":\"x\",\"task_progress\":\"b\"}",
     true},
    {"read", "{\"path\":\"x\",\"description\":\"a\"}", "{\"path\":\"x\"}", true},
    {"mcp__tracker__create_issue", "{\"title\":\"a\"}", "{\"title\":\"b\"}", false},
    {"bash", "{\"command\":\"make   all\",\"description\":\"x\"}", "{\"command\":\" make all \"}",
     true},
    {"bash", "{\"command\":\"make all # try 2\"}", "{\"command\":\"make all\"}", true},
    {"bash", "{\"command\":\"# look\\nmake all\"}", "{\"command\":\"make all\"}", true},
    {"bash", "{\"command\":\"echo \\\"one\\\" && make\"}", "{\"command\":\"echo 'two'; make\"}",
     true},
    {"bash", "{\"command\":\"make; echo one\"}", "{\"command\":\"make\"}", true},
    {"bash", "{\"command\":\"make && echo one\"}", "{\"command\":\"make && echo two\"}", false},
    {"bash", "{\"command\":\"echo one\"}", "{\"command\":\"echo two\"}", false},
    {"bash", "{\"command\":\"echo $A; make\"}", "{\"command\":\"make\"}", false},
    {"shell", "{\"command\":[\"bash\",\"-lc\",\"make all\"]}", "{\"command\":\"make  all\"}", true},
    {"update_plan", "{\"plan\":[{\"step\":\"a\",\"status\":\"done\"}]}",
     "{\"plan\":[{\"step\":\"b\",\"status\":\"done\"}]}", true},
    {"update_plan", "{\"plan\":[{\"step\":\"a\",\"status\":\"done\"}]}",
     "{\"plan\":[{\"step\":\"a\",\"status\":\"pending\"}]}", false},
    {"job_get", "{\"job\":\"1c392e8e77\"}", "{\"job\":\"e272c95701\"}", true},
};

START_TEST(test_what_a_call_is)
{
    call(keys[_i].tool, keys[_i].a, "", 0);
    const struct digest a = fact.call;
    call(keys[_i].tool, keys[_i].b, "", 0);
    ck_assert_msg(digest_equal(a, fact.call) == keys[_i].same, "%s %s %s", keys[_i].tool,
                  keys[_i].a, keys[_i].b);
}
END_TEST

static const struct {
    const char *tool, *args;
    enum entropy_kind kind;
} kinds[] = {
    {"shell", "{\"command\":\"sleep 60\"}", ENTROPY_PAUSE},
    {"shell", "{\"command\":\"sleep 60; echo done\"}", ENTROPY_PAUSE},
    {"shell", "{\"command\":\"sleep 60 && make\"}", ENTROPY_CALL},
    {"wait", "{\"seconds\":5}", ENTROPY_PAUSE},
    {"wait_agent", "{\"id\":\"a\"}", ENTROPY_CALL},
    {"TodoWrite", "{\"todos\":[]}", ENTROPY_NEUTRAL},
    {"update_plan", "{}", ENTROPY_NEUTRAL},
    {"message", "{\"text\":\"hello\"}", ENTROPY_MESSAGE},
    {"think", "{\"thought\":\"hm\"}", ENTROPY_MESSAGE},
    {"unheard_of", "{}", ENTROPY_CALL},
};

START_TEST(test_what_kind_of_step_it_is)
{
    call(kinds[_i].tool, kinds[_i].args, "", 0);
    ck_assert_msg(fact.kind == kinds[_i].kind, "%s %s", kinds[_i].tool, kinds[_i].args);
}
END_TEST

static const struct {
    const char *tool, *args, *output;
    int code;
    bool poll;
} polls[] = {
    {"shell", "{\"command\":\"kubectl get pods\"}", "api 0/1 ImagePullBackOff", 0, true},
    {"shell", "{\"command\":\"tail -n 5 x.log\"}", "step 4", 0, true},
    {"shell", "{\"command\":\"make | tail -n 5\"}", "ok", 0, false},
    {"shell", "{\"command\":\"sleep 5; curl -s localhost\"}", "no", 7, true},
    {"shell", "{\"command\":\"sleep 5; cat x\"}", "cat: x: No such file or directory", 1, false},
    {"shell", "{\"command\":\"\"}", "compiling", -1, true},
    {"shell", "{\"command\":\"git status\"}", "still", 0, false},
    {"shell", "{\"command\":\"cat state\"}", "running", 0, false},
    {"shell", "{\"command\":\"./state\"}", "running", 0, true},
    {"shell", "{\"command\":\"./state\"}", "running\ncompleted", 0, false},
    {"shell", "{\"command\":\"pg_isready\"}", "no response", 2, true},
    {"shell", "{\"command\":\"docker ps\"}", "Cannot connect. Is the daemon running?", 1, false},
    {"write_stdin", "{\"session_id\":1,\"chars\":\"\"}", "", -1, true},
    {"write_stdin", "{\"session_id\":1,\"chars\":\"next\\n\"}", "9 {", 0, false},
    {"shell", "{\"command\":\"npm start\"}", "Server running at http://x", 0, false},
    {"process", "{\"action\":\"poll\"}", "Process still running", 0, true},
    {"job_status", "{\"id\":1}", "queued", 0, true},
    {"job_status", "{\"id\":1}", "completed", 0, false},
    {"git_status", "{}", "clean", 0, false},
    {"todo_status", "{}", "pending", 0, false},
};

START_TEST(test_what_looks_at_something)
{
    call(polls[_i].tool, polls[_i].args, polls[_i].output, polls[_i].code);
    ck_assert_msg(!(fact.bits & ENTROPY_POLL) == !polls[_i].poll, "%s %s: %s", polls[_i].tool,
                  polls[_i].args, polls[_i].output);
}
END_TEST

/* A second step after a first one: what is news. */
static const struct {
    const char *name;
    const char *first, *first_output;
    int first_code;
    const char *second, *second_output;
    int second_code;
    enum entropy_gain gain;
} gains[] = {
    {"nothing", "make", "a\nb", 0, "make", "b\na", 0, ENTROPY_GAIN_NONE},
    {"a line", "make", "a", 0, "make", "a\nb", 0, ENTROPY_GAIN_LINE},
    {"only masked", "make", "took 3.1s", 1, "make", "took 4.5s", 1, ENTROPY_GAIN_NONE},
    {"a number", "make", "3 failed", 1, "make", "2 failed", 1, ENTROPY_GAIN_LINE},
    {"it succeeds", "make", "a", 1, "make", "a", 0, ENTROPY_GAIN_FLIP},
    {"the same of another", "cat a", "x", 0, "cat b", "x", 0, ENTROPY_GAIN_NONE},
    {"nothing from another", "cat a", "x", 0, "cat b", "", 0, ENTROPY_GAIN_NONE},
    {"acted on another", "conv a", "ok", 0, "conv b", "ok", 0, ENTROPY_GAIN_SILENT},
    {"answered with", "python3 -c 'f(1)'", "41", 0, "python3 -c 'f(2)'", "41", 0,
     ENTROPY_GAIN_NONE},
    {"went wrong", "conv a", "error: x", 0, "conv b", "error: x", 0, ENTROPY_GAIN_NONE},
    {"failed to find a quotation", "edit abc 'def load(self, path):'",
     "no 'def load(self, path):' in it", 1, "edit abc 'def load(self,path) as f:'",
     "no 'def load(self,path) as f:' in it", 1, ENTROPY_GAIN_NONE},
    {"failed at another line", "cat abc", "error in abc:12", 1, "cat abc", "error in abc:7", 1,
     ENTROPY_GAIN_LINE},
    {"checked another", "grep -q x a", "", 0, "grep -q x b", "", 0, ENTROPY_GAIN_SILENT},
    {"looked into another", "grep x a", "", 0, "grep x b 2>/dev/null", "", 0, ENTROPY_GAIN_NONE},
    {"acted again", "conv a", "ok", 0, "conv a", "ok", 0, ENTROPY_GAIN_NONE},
    {"more of the same", "conv a", "ok", 0, "conv a; conv a", "ok", 0, ENTROPY_GAIN_NONE},
    {"changed", "mv a b", "", 0, "mv b c", "", 0, ENTROPY_GAIN_CHANGE},
    {"changed again", "mv a b", "", 0, "mv a b", "", 0, ENTROPY_GAIN_NONE},
    {"changed nothing", "mv a b", "", 0, "mv c d", "nothing to do", 0, ENTROPY_GAIN_NONE},
    {"failed in its own words", "cat abc", "no abc", 1, "cat def", "no def", 1, ENTROPY_GAIN_NONE},
    {"found nothing", "find abc", "abc: no matches", 0, "find def", "def: no matches", 0,
     ENTROPY_GAIN_NONE},
};

START_TEST(test_what_is_news)
{
    shell(gains[_i].first, gains[_i].first_output, gains[_i].first_code);
    shell(gains[_i].second, gains[_i].second_output, gains[_i].second_code);
    ck_assert_msg(fact.gain == gains[_i].gain, "%s: %d", gains[_i].name, (int)fact.gain);
}
END_TEST

static int count_gains(const int *numbers, int count)
{
    int gained = 0;
    for (int i = 0; i < count; i++) {
        struct str text = {0};
        str_addf(&text, "found: %d", numbers[i]);
        shell("./count", str_text(&text), 0);
        gained += fact.gain == ENTROPY_GAIN_LINE;
        str_done(&text);
    }
    return gained;
}

START_TEST(test_a_number_that_drifts_is_no_news_after_two_turns)
{
    static const int drifting[] = {47, 45, 44, 46, 43, 48, 42, 49, 41, 50};
    /* first seen, down, down, the first turn; the second one ends it */
    ck_assert_int_eq(count_gains(drifting, 10), 4);
}
END_TEST

START_TEST(test_a_number_that_goes_its_way_stays_news)
{
    int falling[40];
    for (int i = 0; i < 40; i++)
        falling[i] = 1000 - 7 * i;
    ck_assert_int_eq(count_gains(falling, 40), 40);
}
END_TEST

START_TEST(test_a_counter_of_steps_is_no_news_after_twelve)
{
    int counter[40];
    for (int i = 0; i < 40; i++)
        counter[i] = i;
    ck_assert_int_eq(count_gains(counter, 40), 13);
}
END_TEST

START_TEST(test_flips_are_news_four_times)
{
    int gained = 0;
    shell("./flaky", "a", 0);
    for (int i = 0; i < 20; i++) {
        shell("./flaky", "a", i % 2 == 0);
        gained += fact.gain == ENTROPY_GAIN_FLIP;
    }
    ck_assert_int_eq(gained, limits.flips);
}
END_TEST

START_TEST(test_rewriting_a_file_in_other_words_is_no_change)
{
    const char *tool = "write_file";
    call(tool, "{\"path\":\"d.md\",\"content\":\"the service takes a request and stores it\"}",
         "ok", 0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_CHANGE);
    call(tool, "{\"path\":\"d.md\",\"content\":\"the service takes a request and keeps it\"}", "ok",
         0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_CHANGE);
    limits.rewrite_percent = 70;
    teardown();
    entropy_memory_open(&memory, &limits);
    call(tool, "{\"path\":\"d.md\",\"content\":\"the service takes a request and stores it\"}",
         "ok", 0);
    call(tool, "{\"path\":\"d.md\",\"content\":\"the service takes a request and keeps it\"}", "ok",
         0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    call(tool, "{\"path\":\"e.md\",\"content\":\"the service takes a request and holds it\"}", "ok",
         0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_CHANGE);
}
END_TEST

START_TEST(test_messages_alike)
{
    entropy_memory_begin_message(memory, "I will fix the import now.", 26);
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    ck_assert(!(fact.bits & ENTROPY_ALIKE));
    entropy_memory_begin_message(memory, "Now I will fix the import!", 26);
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    ck_assert(fact.bits & ENTROPY_ALIKE);
    entropy_memory_begin_message(memory, "The tests need a database.", 26);
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    ck_assert(!(fact.bits & ENTROPY_ALIKE));
    entropy_memory_begin_message(memory, "I will fix the import now.", 26);
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    ck_assert(fact.bits & ENTROPY_ALIKE);
    shell("make", "", 0);
    entropy_memory_begin_message(memory, "I will fix the import now.", 26);
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    ck_assert(!(fact.bits & ENTROPY_ALIKE));
}
END_TEST

static const struct {
    const char *before, *piece, *after;
    int times;
    bool chants;
} chants[] = {
    {"", "I will do it. ", "", 10, true},
    {"", "I will do it. ", "", 9, false},
    {"A beginning. ", "I will do it. ", "An end.", 12, true},
    {"", "I will do it.\n", "", 12, true},
    {"", "- I will do it.\n", "", 30, false},
    {"", "1. I will do it.\n", "", 30, false},
    {"", "| cell | cell |\n", "", 30, false},
    {"", "> quoted words\n", "", 30, false},
    {"```\n", "x = call(y)\n", "```\n", 30, false},
    {"~~~\n", "x = call(y)\n", "~~~\n", 30, false},
    {"", "==========", "", 30, false},
    {"", "\xe2\x94\x80\xe2\x94\x80", "", 200, false},
    {"", "ha ", "", 200, false},
    {"", "\xe6\x88\x91\xe4\xbc\x9a\xe5\x81\x9a\xe3\x80\x82", "", 12, true},
};

START_TEST(test_what_chants)
{
    struct str text = {0};
    str_add(&text, chants[_i].before);
    for (int i = 0; i < chants[_i].times; i++)
        str_add(&text, chants[_i].piece);
    str_add(&text, chants[_i].after);
    entropy_memory_begin_message(memory, str_text(&text), text.len);
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    ck_assert_msg(!(fact.bits & ENTROPY_CHANTS) == !chants[_i].chants, "%s x %d", chants[_i].piece,
                  chants[_i].times);
    str_done(&text);
}
END_TEST

static const struct {
    const char *line;
    unsigned hints;
} hinted[] = {
    {"", 0},
    {"0 results", HINT_EMPTY},
    {"found 10 results", 0},
    {"HTTP 429", HINT_PASSES},
    {"3 failed", HINT_OVER},
    {"unfailed", 0},
    {"Failed to connect to x", HINT_OVER | HINT_PASSES | CAUSE_REFUSED},
    {"status: IN PROGRESS", HINT_PENDING},
    {"Is it running?", HINT_PENDING},
    {"still running, not done", HINT_PENDING | HINT_OVER | HINT_ACK},
    {"no matches found", HINT_EMPTY | HINT_NO_CHANGE},
    {"Already up to date.", HINT_NO_CHANGE},
    {"Permission denied", HINT_HOPELESS | CAUSE_DENIED},
    {"cat: x: No such file or directory", HINT_EMPTY | HINT_HOPELESS},
    {"waiting", HINT_BUSY},
    {"Running 5 tests", HINT_BUSY},
    {"server running on port 80", HINT_BUSY},
    {"process running", HINT_PENDING},
    {"{\"items\":[]}", HINT_EMPTY},
    {"int a[] = {1};", 0},
    {"error: x", HINT_TROUBLE},
    {"saved", HINT_ACK},
    {"awaiting", 0},
    {"zero", 0},
};

START_TEST(test_words_of_a_result_are_hints)
{
    const unsigned hints = entropy_hints(hinted[_i].line, strlen(hinted[_i].line));
    ck_assert_msg(hints == hinted[_i].hints, "%s: %x", hinted[_i].line, hints);
}
END_TEST

START_TEST(test_an_attempt_is_a_step)
{
    entropy_memory_begin_attempt(memory, (struct digest){1, 2});
    ck_assert_ptr_null(entropy_memory_words(memory));
    end("3 failed in 1.2s\n", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_LINE);
    ck_assert_int_eq(fact.new_permille, 1000);
    ck_assert(digest_equal(fact.call, (struct digest){1, 2}));
    const struct entropy_fact first = fact;
    entropy_memory_begin_attempt(memory, (struct digest){1, 2});
    end("3 failed in 1.7s\n", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    ck_assert_int_eq(fact.new_permille, 0);
    ck_assert(digest_equal(fact.outcome, first.outcome));
    ck_assert_uint_ne(fact.raw, first.raw);
    ck_assert_uint_eq(fact.bits, ENTROPY_FAILED | ENTROPY_MASKED);
    entropy_memory_begin_attempt(memory, (struct digest){1, 2});
    entropy_memory_end(memory, &(struct entropy_end){.failed = true, .transient = true}, &fact);
    ck_assert(fact.bits & ENTROPY_POLL);
    ck_assert_int_eq(fact.new_permille, -1);
}
END_TEST

START_TEST(test_equal_results_bring_nothing_new)
{
    const struct entropy_end same = {.failed = true, .result = {5, 6}};
    struct normaliser *normaliser = NULL;
    for (int i = 0; i < 2; i++) {
        const char *json = i == 0 ? "{\"a\":1,\"b\":2}\n" : "{\"b\":2,\"a\":1}\n";
        entropy_memory_begin_attempt(memory, (struct digest){1, 2});
        normaliser_open(&normaliser, NULL, take_line, memory);
        normaliser_add(normaliser, json, strlen(json));
        normaliser_end(normaliser);
        normaliser_close(normaliser);
        entropy_memory_end(memory, &same, &fact);
        ck_assert(digest_equal(fact.outcome, same.result));
        ck_assert_int_eq(fact.new_permille, i == 0 ? 1000 : 0);
        ck_assert_int_eq(fact.gain, i == 0 ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE);
    }
}
END_TEST

START_TEST(test_a_step_that_passes_is_progress)
{
    for (uint64_t step = 0; step < 5; step++) {
        entropy_memory_begin_attempt(memory, (struct digest){1, step + 1});
        end("a line\n100% tests passed\n", 0);
        ck_assert_int_ne(fact.gain, ENTROPY_GAIN_NONE);
    }
    entropy_memory_begin_attempt(memory, (struct digest){1, 1});
    end("a line\n100% tests passed\n", 0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
}
END_TEST

START_TEST(test_samples_show_what_was_masked)
{
    ck_assert_ptr_null(entropy_memory_last(memory));
    shell("make", "plain\n3 failed in 1.2s", 1);
    shell("make", "plain\n3 failed in 1.7s", 1);
    shell("make", "plain\n3 failed in 2.9s", 1);
    const struct entropy_sample *first = entropy_memory_first(memory);
    const struct entropy_sample *last = entropy_memory_last(memory);
    ck_assert_int_eq(first->count, 1);
    ck_assert_str_eq(first->lines[0].raw, "3 failed in 1.2s");
    ck_assert_str_eq(last->lines[0].raw, "3 failed in 2.9s");
    ck_assert_str_eq(last->lines[0].normal, first->lines[0].normal);
    ck_assert_uint_eq(last->masks, 1u << NORMALISER_DURATIONS);
}
END_TEST

START_TEST(test_a_long_line_is_cut_in_a_sample)
{
    struct str text = {0};
    for (int i = 0; i < 3000; i++)
        str_add(&text, "\xc3\xa9");
    str_add(&text, " 1.2s");
    shell("make", str_text(&text), 1);
    const struct entropy_sample *last = entropy_memory_last(memory);
    ck_assert_int_eq(last->count, 1);
    ck_assert_uint_eq(strlen(last->lines[0].raw), (ENTROPY_SAMPLE_BYTES - 1) / 2 * 2);
    str_done(&text);
}
END_TEST

/* Fills every table well over its limit. */
static void flood(struct entropy_memory *into)
{
    struct entropy_memory *const mine = memory;
    memory = into;
    for (int i = 0; i < 6000; i++) {
        struct str args = {0};
        struct str output = {0};
        str_addf(&args, "tool-%d --x", i);
        for (int k = 0; k < 5; k++)
            str_addf(&output, "%c%c%c line %d\n", 'a' + i % 26, 'a' + i / 26 % 26,
                     'a' + i / 676 % 26, i * 5 + k);
        shell(str_text(&args), str_text(&output), i % 3 == 0);
        str_done(&args);
        str_done(&output);
    }
    memory = mine;
}

START_TEST(test_what_is_known_can_be_saved_and_loaded)
{
    struct entropy_memory *other = NULL;
    struct str saved = {0};
    struct str again = {0};
    struct err err = {0};
    entropy_memory_open(&other, &limits);
    flood(memory);
    entropy_memory_save(memory, &saved);
    ck_assert_uint_le(saved.len, ENTROPY_BLOB_BYTES_MAX);
    ck_assert_uint_gt(saved.len, ENTROPY_LINES_MAX * 8);
    ck_assert_msg(entropy_memory_load(other, saved.data, saved.len, &err), "%s", err.message);
    entropy_memory_save(other, &again);
    ck_assert_uint_eq(again.len, saved.len);
    ck_assert_mem_eq(again.data, saved.data, saved.len);
    shell("new --tool", "aaa line 1\nnew", 1);
    const struct entropy_fact want = fact;
    struct entropy_memory *const mine = memory;
    memory = other;
    shell("new --tool", "aaa line 1\nnew", 1);
    memory = mine;
    ck_assert_mem_eq(&fact, &want, sizeof(fact));
    entropy_memory_close(other);
    str_done(&saved);
    str_done(&again);
}
END_TEST

static void reload(struct entropy_memory **at)
{
    struct entropy_memory *other = NULL;
    struct str saved = {0};
    struct str again = {0};
    struct err err = {0};
    entropy_memory_open(&other, &limits);
    entropy_memory_save(*at, &saved);
    ck_assert_msg(entropy_memory_load(other, saved.data, saved.len, &err), "%s", err.message);
    entropy_memory_save(other, &again);
    ck_assert_uint_eq(again.len, saved.len);
    ck_assert_mem_eq(again.data, saved.data, saved.len);
    entropy_memory_close(*at);
    *at = other;
    str_done(&saved);
    str_done(&again);
}

static void play_step(struct entropy_memory *at, const struct json *step, struct entropy_fact *out)
{
    const int64_t exit = json_i64(json_get(step, "exit"), 0);
    const struct entropy_end end = {.failed = exit != 0 && exit != -1, .running = exit == -1};
    const char *output = json_text(json_get(step, "output"), "");
    entropy_memory_begin_call(at, json_text(json_get(step, "tool"), ""), json_get(step, "args"));
    entropy_memory_text(at, output, strlen(output));
    entropy_memory_end(at, &end, out);
}

static bool same_fact(const struct entropy_fact *a, const struct entropy_fact *b)
{
    return a->kind == b->kind && a->gain == b->gain && a->bits == b->bits && a->raw == b->raw &&
           digest_equal(a->call, b->call) && digest_equal(a->outcome, b->outcome) &&
           a->new_permille == b->new_permille && a->lines == b->lines;
}

/* A memory that is loaded before each step makes the facts that one makes which stays: but for
 * messages, which are not saved. */
START_TEST(test_saved_after_each_step_knows_the_same)
{
    char *text = test_read_file(test_source_path("tests/data/loops-fresh.jsonl"));
    ck_assert_ptr_nonnull(text);
    int steps_played = 0;
    for (char *line = text; *line != '\0';) {
        char *line_end = strchr(line, '\n');
        struct json *row = NULL;
        struct entropy_memory *whole = NULL;
        struct entropy_memory *parts = NULL;
        ck_assert_ptr_nonnull(line_end);
        ck_assert(json_parse(line, (size_t)(line_end - line), &row, NULL, NULL));
        entropy_memory_open(&whole, &limits);
        entropy_memory_open(&parts, &limits);
        const struct json *steps = json_get(row, "steps");
        for (size_t i = 0; i < json_count(steps); i++, steps_played++) {
            struct entropy_fact a;
            struct entropy_fact b;
            play_step(whole, json_at(steps, i), &a);
            play_step(parts, json_at(steps, i), &b);
            ck_assert_msg(a.kind == ENTROPY_MESSAGE || same_fact(&a, &b), "%s, step %zu",
                          json_text(json_get(row, "id"), ""), i + 1);
            reload(&parts);
        }
        entropy_memory_close(whole);
        entropy_memory_close(parts);
        json_free(row);
        line = line_end + 1;
    }
    ck_assert_int_gt(steps_played, 1000);
    free(text);
}
END_TEST

START_TEST(test_bytes_that_nobody_saved_are_refused)
{
    struct str saved = {0};
    struct err err = {0};
    shell("make", "3 failed\n2 skipped", 1);
    entropy_memory_save(memory, &saved);
    for (size_t len = 0; len < saved.len; len++)
        ck_assert(!entropy_memory_load(memory, saved.data, len, NULL));
    ck_assert(!entropy_memory_load(memory, saved.data, saved.len - 1, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    for (size_t i = 0; i < 20; i++) {
        saved.data[i] = (char)~saved.data[i];
        ck_assert(!entropy_memory_load(memory, saved.data, saved.len, NULL));
        saved.data[i] = (char)~saved.data[i];
    }
    shell("make", "3 failed\n2 skipped", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    ck_assert(entropy_memory_load(memory, saved.data, saved.len, NULL));
    str_done(&saved);
}
END_TEST

/* `count` lines, of which those from `other` on are of another kind. */
static void long_result(int count, int other)
{
    struct str output = {0};
    for (int i = 0; i < count; i++)
        str_addf(&output, "%s %c%c%c %d\n", i < other ? "unit" : "item", 'a' + i % 26,
                 'a' + i / 26 % 26, 'a' + i / 676 % 26, i);
    shell("make", str_text(&output), 1);
    str_done(&output);
}

static const int long_results[] = {100, 4000, 5000, 17000, 70000};

START_TEST(test_the_share_of_a_long_result_is_right)
{
    const int count = long_results[_i];
    long_result(count, count);
    ck_assert_int_eq(fact.new_permille, 1000);
    ck_assert_int_eq(fact.lines, count);
    long_result(count, count);
    ck_assert_int_eq(fact.new_permille, 0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    long_result(count, count / 4 * 3);
    ck_assert_int_ge(fact.new_permille, 220);
    ck_assert_int_le(fact.new_permille, 280);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_LINE);
    /* Short results are looked at line by line, whatever came before. */
    shell("cat x", "one\ntwo\nthree\nfour", 0);
    ck_assert_int_eq(fact.new_permille, 1000);
    shell("cat x", "one\ntwo\nthree\nfive", 0);
    ck_assert_int_eq(fact.new_permille, 250);
}
END_TEST

START_TEST(test_a_reset_forgets)
{
    shell("make", "a", 1);
    entropy_memory_reset(memory);
    ck_assert_ptr_null(entropy_memory_last(memory));
    shell("make", "a", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_LINE);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = test_case(suite, name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    return tcase;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("entropy_memory");
    TCase *calls = add_case(suite, "calls");
    tcase_add_loop_test(calls, test_what_a_call_is, 0, TABLE_LEN(keys));
    tcase_add_loop_test(calls, test_what_kind_of_step_it_is, 0, TABLE_LEN(kinds));
    tcase_add_loop_test(calls, test_what_looks_at_something, 0, TABLE_LEN(polls));
    tcase_add_test(calls, test_an_attempt_is_a_step);
    tcase_add_test(calls, test_a_line_that_was_hashed_counts_as_any_other);
    tcase_add_test(calls, test_equal_results_bring_nothing_new);
    tcase_add_test(calls, test_a_step_that_passes_is_progress);
    tcase_add_loop_test(calls, test_words_of_a_result_are_hints, 0, TABLE_LEN(hinted));
    TCase *news = add_case(suite, "news");
    tcase_add_loop_test(news, test_what_is_news, 0, TABLE_LEN(gains));
    tcase_add_test(news, test_a_number_that_drifts_is_no_news_after_two_turns);
    tcase_add_test(news, test_a_number_that_goes_its_way_stays_news);
    tcase_add_test(news, test_a_counter_of_steps_is_no_news_after_twelve);
    tcase_add_test(news, test_flips_are_news_four_times);
    tcase_add_test(news, test_rewriting_a_file_in_other_words_is_no_change);
    TCase *words = add_case(suite, "words");
    tcase_add_test(words, test_messages_alike);
    tcase_add_loop_test(words, test_what_chants, 0, TABLE_LEN(chants));
    TCase *keeping = add_case(suite, "keeping");
    tcase_add_test(keeping, test_samples_show_what_was_masked);
    tcase_add_test(keeping, test_a_long_line_is_cut_in_a_sample);
    tcase_add_test(keeping, test_what_is_known_can_be_saved_and_loaded);
    tcase_add_test(keeping, test_saved_after_each_step_knows_the_same);
    tcase_add_test(keeping, test_bytes_that_nobody_saved_are_refused);
    tcase_add_test(keeping, test_a_reset_forgets);
    tcase_add_loop_test(news, test_a_reminder_of_the_cli_is_no_part_of_the_result, 0,
                        TABLE_LEN(reminded));
    tcase_add_loop_test(news, test_the_share_of_a_long_result_is_right, 0, TABLE_LEN(long_results));
    return suite;
}
