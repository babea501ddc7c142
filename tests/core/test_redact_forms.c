#include "redact_forms.h"

#include <stdlib.h>
#include <string.h>

#include "redact.h"
#include "redact_words.h"
#include "test_main.h"

static struct redactor *redactor;

static void setup(void)
{
    const struct redact_setting setting = {0};
    struct err err = {0};
    ck_assert_msg(redactor_open(&redactor, &setting, &err), "%s", err.message);
}

static void teardown(void)
{
    redactor_close(redactor);
}

#define A20 "abcdefghij0123456789"
#define B16 "ABCDEFGH23456789"
#define A36 A20 "ABCDEFGHIJ012345"

static const struct {
    const char *text, *want;
} cases[] = {
    {"key sk-ant-api03-" A36 "_-x.", "key [cut:anthropic-key]."},
    {"sk-proj-" A36 "-" A20 "\n", "[cut:openai-key]\n"},
    {"sk-" A36 "T3BlbkFJabcd", "[cut:openai-key]"},
    {"\\nsk-" A36 "T3BlbkFJabcd", "\\n[cut:openai-key]"},
    {"GITHUB=ghp_" A36, "GITHUB=[cut:github-token]"},
    {"x-access-token:ghs_" A36 "@", "x-access-token:[cut:github-token]@"},
    {"github_pat_11ABCDEFG0" A20 "_" A36, "[cut:github-token]"},
    {"glpat-" A20 ".01.abc", "[cut:gitlab-token]"},
    {"\"AKIA" B16 "\"", "\"[cut:aws-key-id]\""},
    {"aws_secret_access_key = " A36 "/+Ab", "aws_secret_access_key = [cut:aws-secret-key]"},
    {"\"SecretAccessKey\": \"" A36 "/+Ab\",", "\"SecretAccessKey\": \"[cut:aws-secret-key]\","},
    {"AIza" A20 "ABCDE-FGHI_JKLM", "[cut:google-key]"},
    {"ya29.a0" A36, "[cut:google-token]"},
    {"xoxb-123456789012-" A20, "[cut:slack-token]"},
    {"//registry.npmjs.org/:_authToken=npm_" A36,
     "//registry.npmjs.org/:_authToken=[cut:npm-token]"},
    {"pypi-AgEIcHlwaS5vcmc" A20 A36, "[cut:pypi-token]"},
    {"sk_live_" A20 "\tx", "[cut:stripe-key]\tx"},
    {"hf_" A36 ",", "[cut:huggingface-token],"},
    {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln", "[cut:jwt]"},
    {"Authorization: Bearer abc123DEF", "Authorization: Bearer [cut:authorization]"},
    {"-H 'authorization: Basic dXNlcjpwYXNz'", "-H 'authorization: Basic [cut:authorization]'"},
    {"{\"Authorization\":\"token " A20 "\"}", "{\"Authorization\":\"token [cut:authorization]\"}"},
    {"{\\\"Authorization\\\": \\\"Bearer " A20 "\\\"}",
     "{\\\"Authorization\\\": \\\"Bearer [cut:authorization]\\\"}"},
    {"git clone https://me:p%40ss@example.org/x",
     "git clone https://me:[cut:url-password]@example.org/x"},
    {"redis://:hunter2@cache:6379/0", "redis://:[cut:url-password]@cache:6379/0"},
    {"mongodb://u:a@b@h1,h2/db", "mongodb://u:[cut:url-password]@h1,h2/db"},
    {"Z2hwX2FiY2RlZmdoaWowMTIzNDU2Nzg5YWJjZGVmZ2hpajAxMjM0NSBhbmQgbW9yZQ==",
     "[cut:github-token]BhbmQgbW9yZQ=="},
    {"eGdocF9hYmNkZWZnaGlqMDEyMzQ1Njc4OWFiY2RlZmdoaWowMTIzNDUgYW5kIG1vcmU=",
     "eG[cut:github-token]gYW5kIG1vcmU="},
    {"eHlnaHBfYWJjZGVmZ2hpajAxMjM0NTY3ODlhYmNkZWZnaGlqMDEyMzQ1IGFuZCBtb3Jl",
     "eHl[cut:github-token]IGFuZCBtb3Jl"},
    {"aWQ9QUtJQUFCQ0RFRkdIMjM0NTY3ODkK", "aWQ9[cut:aws-key-id]K"},
    {"eD9zay1hbnQtYXBpMDMtYWJjZGVmZ2hpajAxMjM0NTY3ODlhYmNkZWZnaGlqMDEyMzQ1Njc4OT8_Pg==",
     "eD9[cut:anthropic-key]8_Pg=="},
    {"-----BEGIN PRIVATE KEY-----\n" A36 "\n" A20 "\nab==\n-----END PRIVATE KEY-----\nx",
     "-----BEGIN PRIVATE KEY-----[cut:private-key]\nx"},
    {"-----BEGIN RSA PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: "
     "AES-128-CBC,3F\r\n\r\n" A36 "\r\n-----END RSA PRIVATE KEY-----\r\n",
     "-----BEGIN RSA PRIVATE KEY-----[cut:private-key]\r\n"},
    {"\"-----BEGIN OPENSSH PRIVATE KEY-----\\n" A36
     "\\nab==\\n-----END OPENSSH PRIVATE KEY-----\\n\"",
     "\"-----BEGIN OPENSSH PRIVATE KEY-----[cut:private-key]\\n\""},
    {"-----BEGIN EC PRIVATE KEY-----\n  " A36 "\n  broken off",
     "-----BEGIN EC PRIVATE KEY-----[cut:private-key]\n  broken off"},
};

START_TEST(test_token_is_cut)
{
    char *got = redact_string(redactor, cases[_i].text, NULL);
    ck_assert_msg(strcmp(got, cases[_i].want) == 0, "%s\nis cut to %s\nand not %s", cases[_i].text,
                  got, cases[_i].want);
    free(got);
}
END_TEST

START_TEST(test_private_key_in_base64_is_cut)
{
    static const char text[] =
        "data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3"
        "h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3Bxcn"
        "N0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW"
        "5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaG"
        "lqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2"
        "RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzND"
        "UKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ej"
        "AxMjM0NQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dX"
        "Z3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcH"
        "Fyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2"
        "xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZm"
        "doaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YW"
        "JjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMT"
        "IzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3"
        "h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3Bxcn"
        "N0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW"
        "5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaG"
        "lqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2"
        "RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzND"
        "UKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ej"
        "AxMjM0NQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dX"
        "Z3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcH"
        "Fyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2"
        "xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZm"
        "doaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YW"
        "JjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMT"
        "IzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3"
        "h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2RlZmdoaWprbG1ub3Bxcn"
        "N0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDUKYWJjZGVmZ2hpamtsbW"
        "5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NQphYmNkZWZnaG"
        "lqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NWFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1CmFiY2"
        "RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6MDEyMzQ1YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzND"
        "UKYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDVhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ej"
        "AxMjM0NQotLS0tLUVORCBSU0EgUFJJVkFURSBLRVktLS0tLQo="
        "\n";
    char *got = redact_string(redactor, text, NULL);
    ck_assert_str_eq(got, "data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tL[cut:private-key]\n");
    free(got);
}
END_TEST

static const char *const ordinary[] = {
    "task-abc sk-learn disk-usage risk-0123456789012345678901234567890123",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeo==",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbXX0=",
    "ghp_short npm_config_registry=https://registry.npmjs.org/ npm_lifecycle_event",
    "AKIA is four letters, AKIAABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 too many",
    "http://localhost:8080/path?x=a@b http://[::1]:3000 ssh://git@github.com/a/b.git",
    "https://user:***@host https://user:xxxxx@host https://user:${PASSWORD}@host",
    "https://user:$PASS@host https://user:[cut:PASS]@host",
    "Authorization: Bearer authentication failed, authorization: basic required",
    "Authorization failed: token expired; authorization = none",
    "aws_secret_access_key is not set: 0123456789012345678901234567890123456789",
    "\"-----BEGIN RSA PRIVATE KEY-----\" expected\nFAILED: 3 tests\n",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUabcdefghijklmnopqrstuvwxyz0123\n",
    "-----BEGIN PRIVATE KEY-----\nnot a key at all\n",
    "hf_hub_download hf_transfer SG.x eyJ eyJh.b :// :///",
    "test_authorization ... ok",
};

START_TEST(test_ordinary_text_stays)
{
    char *got = redact_string(redactor, ordinary[_i], NULL);
    ck_assert_str_eq(got, ordinary[_i]);
    free(got);
}
END_TEST

START_TEST(test_every_form_is_in_the_docs)
{
    char *docs = test_read_file(test_source_path("docs/secrets.md"));
    ck_assert_ptr_nonnull(docs);
    for (size_t i = 0; i < redact_form_count(); i++) {
        const char *name = redact_form_name(i);
        ck_assert_msg(strstr(docs, name), "%s", name);
    }
    free(docs);
}
END_TEST

static const struct {
    const char *name;
    bool secret;
} names[] = {
    {"ANTHROPIC_API_KEY", true},
    {"GITHUB_TOKEN", true},
    {"AWS_SECRET_ACCESS_KEY", true},
    {"AWS_ACCESS_KEY_ID", true},
    {"DB_PASSWORD", true},
    {"PGPASSWORD", true},
    {"MYSQL_PWD", true},
    {"DBPASS", true},
    {"SENTRY_DSN", true},
    {"apikey", true},
    {"npm_config__authToken", true},
    {"SESSION_COOKIE", true},
    {"GOOGLE_CREDENTIALS", true},
    {"SSH_PRIVATE_KEY", true},
    {"AZURE_STORAGE_CONNECTION_STRING", true},
    {"SSH_AUTH_SOCK", false},
    {"PWD", false},
    {"OLDPWD", false},
    {"KEYBOARD_LAYOUT", false},
    {"TERM", false},
    {"GIT_AUTHOR_NAME", false},
    {"GIT_ASKPASS", false},
    {"MONKEY", false},
    {"SSH_KEY_PATH", false},
    {"GOOGLE_CREDENTIALS_FILE", false},
    {"TOKENIZERS_PARALLELISM", false},
    {"XAUTHORITY", false},
    {"OAUTH_TOKEN_URL", false},
    {"PATH", false},
    {"", false},
};

START_TEST(test_name_says_whether_it_is_a_secret)
{
    ck_assert_msg(redact_name_is_secret(names[_i].name) == names[_i].secret, "%s", names[_i].name);
}
END_TEST

static const struct {
    const char *value;
    bool secret;
} values[] = {
    {"s3cr3t-value", true},
    {"correct horse", true},
    {"/Ab3+x9Kd/Q2", true},
    {"1234567890123456", true},
    {"short", false},
    {"1234567", false},
    {"1700000000000", false},
    {"2026-11-22", false},
    {"********", false},
    {"abababababab", false},
    {"/home/me/key.pem", false},
    {"./secrets/key", false},
    {"~/.ssh/id_rsa", false},
    {"/work/main/x.key", false},
    {"password", false},
    {"disabled", false},
    {"[cut:A_TOKEN]", false},
    {"pg://me:[cut:X]@h", false},
};

START_TEST(test_value_looks_like_a_secret_or_not)
{
    ck_assert_msg(redact_may_be_secret(values[_i].value, strlen(values[_i].value)) ==
                      values[_i].secret,
                  "%s", values[_i].value);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("redact_forms");
    TCase *tcase = test_case(suite, "tokens");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_token_is_cut, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_private_key_in_base64_is_cut);
    tcase_add_test(tcase, test_every_form_is_in_the_docs);
    tcase_add_loop_test(tcase, test_ordinary_text_stays, 0, TABLE_LEN(ordinary));
    tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_name_says_whether_it_is_a_secret, 0, TABLE_LEN(names));
    tcase_add_loop_test(tcase, test_value_looks_like_a_secret_or_not, 0, TABLE_LEN(values));
    return suite;
}
