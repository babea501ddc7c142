/* Secrets that are known by their form, or by the name in front of them. */
#include "redact.h"

#include <stdlib.h>
#include <string.h>

#include "redact_internal.h"
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

static void collect(void *ctx, const char *bytes, size_t len)
{
    str_add_n(ctx, bytes, len);
}

/* Asserts what is left of a text, also if it comes byte by byte. */
static void check(const char *text, const char *want)
{
    struct redact_stream *stream = NULL;
    struct str pieces = {0};
    char *got = redact_string(redactor, text, NULL);
    ck_assert_msg(strcmp(got, want) == 0, "%s\nis cut to %s\nand not %s", text, got, want);
    free(got);
    redact_stream_open(&stream, redactor);
    for (const char *c = text; *c; c++)
        redact_stream_add(stream, c, 1, collect, &pieces);
    redact_stream_end(stream, collect, &pieces);
    ck_assert_str_eq(str_text(&pieces), want);
    redact_stream_close(stream);
    str_done(&pieces);
}

#define A20   "abcdefghij0123456789"
#define B16   "ABCDEFGH23456789"
#define A36   A20 "ABCDEFGHIJ012345"
#define HEX32 "0123456789abcdef0123456789abcdef"

/* All of them are made up. */
static const struct {
    const char *text, *want;
} secrets[] = {
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
    /* known by the name in front of it */
    {"password=hunter2", "password=[cut:password]"},
    {"PASSWORD=S3cr3t! next", "PASSWORD=[cut:password] next"},
    {"--db-password=Tr0ub4dor&3", "--db-password=[cut:password]&3"},
    {"db_password = 'Tr0ub4dor&3'", "db_password = '[cut:password]'"},
    {"password: \"correct-horse-9\"\n", "password: \"[cut:password]\"\n"},
    {"password: hunter2\n", "password: [cut:password]\n"},
    {"  passwd: x9!kk-2z # comment", "  passwd: [cut:password] # comment"},
    {"{\"password\":\"hunter2\",\"a\":1}", "{\"password\":\"[cut:password]\",\"a\":1}"},
    {"{\"dbPassword\": \"p@ss/w0rd\"}", "{\"dbPassword\": \"[cut:password]\"}"},
    {"\"{\\\"password\\\":\\\"hunter2\\\"}\"", "\"{\\\"password\\\":\\\"[cut:password]\\\"}\""},
    {"\\\\\\\"password\\\\\\\": \\\\\\\"hun\\\\\\\\ter2\\\\\\\"",
     "\\\\\\\"password\\\\\\\": \\\\\\\"[cut:password]\\\\\\\""},
    {"{\"password\":\"a\\\"b9c-d\"}", "{\"password\":\"[cut:password]\"}"},
    {"&quot;password&quot;:&quot;hunter2&quot;", "&quot;password&quot;:&quot;[cut:password]&quot;"},
    {"'password' => 'hunter2',", "'password' => '[cut:password]',"},
    {"Server=db;User Id=sa;Password=Adm1n-x;Encrypt=1",
     "Server=db;User Id=sa;Password=[cut:password];Encrypt=1"},
    {"host=db password=s3cr3t9 dbname=x", "host=db password=[cut:password] dbname=x"},
    {"jdbc:x://h/d?user=a&password=s3cr3t9&ssl=1",
     "jdbc:x://h/d?user=a&password=[cut:password]&ssl=1"},
    {"pwd=Winter2031", "pwd=[cut:password]"},
    {"passphrase: \"seven words 9\" or \"sevenwords9\"",
     "passphrase: \"seven words 9\" or \"sevenwords9\""},
    {"\"access_token\":\"2YotnFZFEjr1zCsicMWpAA\"", "\"access_token\":\"[cut:token]\""},
    {"\"refreshToken\": \"tGzv3JOkF0XG5Qx2TlKWIA\"", "\"refreshToken\": \"[cut:token]\""},
    {"?access_token=2YotnFZFEjr1zCsic&x=1", "?access_token=[cut:token]&x=1"},
    {"\\\"id_token\\\":\\\"abc9abc9abc9\\\"", "\\\"id_token\\\":\\\"[cut:token]\\\""},
    {"client_secret=8fK2-kd92_kdK", "client_secret=[cut:secret]"},
    {"\"clientSecret\": \"8fK2-kd92_kdK\"", "\"clientSecret\": \"[cut:secret]\""},
    {"API_KEY=a1b2c3d4e5f6", "API_KEY=[cut:api-key]"},
    {"\"apiKey\":\"a1b2c3d4e5f6\"", "\"apiKey\":\"[cut:api-key]\""},
    {"_auth=dXNlcjpwYXNzdzByZA==", "_auth=[cut:npm-token]"},
    {"//r.example.org/:_authToken=0a1b2c3d-e5f6", "//r.example.org/:_authToken=[cut:token]"},
    {"SESSION_TOKEN=" A20, "SESSION_TOKEN=[cut:token]"},
    {"\"token\": \"" A20 "\"", "\"token\": \"[cut:token]\""},
    {"DEPLOY_SECRET=" A20, "DEPLOY_SECRET=[cut:secret]"},
    {"Cookie: sid=abcdef123; theme=dark\r\nHost: x", "Cookie: sid=[cut:cookie]\r\nHost: x"},
    {"-H 'Cookie: sid=abcdef123; a=b' x", "-H 'Cookie: sid=[cut:cookie]' x"},
    {"Set-Cookie: sid=abcdef123; Path=/; HttpOnly",
     "Set-Cookie: sid=[cut:cookie]; Path=/; HttpOnly"},
    {"{\"cookie\":\"sid=abcdef123\"}", "{\"cookie\":\"sid=[cut:cookie]\"}"},
    {"machine api.example.org login me password s3cr3t9\n",
     "machine api.example.org login me password [cut:netrc-password]\n"},
    {"machine h\n  login me\n  password plainword\n",
     "machine h\n  login me\n  password [cut:netrc-password]\n"},
    {"machine h\\n  password plainword\\nx", "machine h\\n  password [cut:netrc-password]\\nx"},
    {"sid SK" HEX32 " AC" HEX32, "sid [cut:twilio-key] [cut:twilio-key]"},
    {"key-" HEX32 ",", "[cut:mailgun-key],"},
    {"MTA1NzY4OTk5OTk5OTk5OTk5.GabcDE.abcdefghijklmnopqrstuvwxyz0123456789AB",
     "[cut:discord-token]"},
    {"https://discord.com/api/webhooks/123456789012345678/" A36 A20,
     "https://discord.com[cut:discord-webhook]"},
    {"bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawq/getMe",
     "bot110201543:[cut:telegram-token]/getMe"},
    {"hvb.AAAAAQJ" A20, "[cut:vault-token]"},
    {"shpss_" HEX32, "[cut:shopify-token]"},
    {"gloas-" A20, "[cut:gitlab-token]"},
    {"figd_" A36 "-_" A20, "[cut:figma-token]"},
    {"tskey-auth-" A20, "[cut:tailscale-key]"},
    {"nvapi-" A36 A20, "[cut:nvidia-key]"},
};

START_TEST(test_secret_is_cut)
{
    check(secrets[_i].text, secrets[_i].want);
}
END_TEST

static void add_base64(struct str *out, const struct str *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->len; i += 3) {
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < bytes->len ? (unsigned char)bytes->data[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            str_add_char(out, i + k <= bytes->len ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
}

START_TEST(test_private_key_in_base64_is_cut)
{
    struct str key = {0}, text = {0};
    str_add(&key, "-----BEGIN RSA PRIVATE KEY-----\n");
    for (int i = 0; i < 30; i++)
        str_add(&key, "abcdefghijklmnopqrstuvwxyz012345abcdefghijklmnopqrstuvwxyz012345\n");
    str_add(&key, "-----END RSA PRIVATE KEY-----\n");
    str_add(&text, "data: ");
    add_base64(&text, &key);
    str_add_char(&text, '\n');
    check(str_text(&text), "data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tL[cut:private-key]\n");
    str_done(&key);
    str_done(&text);
}
END_TEST

/* A prompt that ends in a name is held back no longer than any other text. */
START_TEST(test_prompt_is_shown)
{
    struct redact_stream *stream = NULL;
    struct str got = {0};
    redact_stream_open(&stream, redactor);
    redact_stream_add(stream, "Your password", 13, collect, &got);
    ck_assert_str_eq(str_text(&got), "Your passwor");
    redact_stream_add(stream, ": hunter2\n", 10, collect, &got);
    redact_stream_end(stream, collect, &got);
    ck_assert_str_eq(str_text(&got), "Your password: [cut:password]\n");
    redact_stream_close(stream);
    str_done(&got);
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
    "password: ",
    "Password:",
    "Enter password: \nPassword again: \n",
    "password=$DB_PASSWORD password=${DB_PASSWORD} password=\"$P4SS\" password={{ vault.db1 }}",
    "password=<your-password-1> password=*** password=\"********\" password=xxxxxxxx9",
    "password = get_password()",
    "password = getpass.getpass(prompt1)",
    "password = os.environ['DB_PASSWORD_2']",
    "password=args.password2, password=self.db_password_2",
    "user.password == \"hunter2\"",
    "password: string; password?: string1 | null; password: Option<String>, password: [u8; 32]",
    "password: must be at least 8 characters long",
    "password: SHA-256 hashed, passwd: files systemd",
    "passwd:         files systemd\ngroup: files\n",
    "\"password\": {\"type\": \"string\"}, \"type\": \"password\"",
    "\"password\": \"Passwort\", \"password\": \"Please enter 2 words\", \"password\": null",
    "\"password\": \"[cut:DB_PASSWORD]\" password=[cut:X] password_min_length=12 "
    "passwords=12345678",
    "PWD=/work/main/build2 OLDPWD=/work2/x1 pwd=../a1b2c3",
    "token = request.headers[\"Authorization2\"]",
    "token = parser.next_token_2(); token: Token1 token=IDENT",
    "token: 550e8400-e29b-41d4-a716-446655440000",
    "token=9fceb02d0ae598e95dc970b74767f19372d61af8",
    "\"input_tokens\": 12345678901234567890, \"max_tokens\": 4096, tokens=1234567890123456",
    "\"nextPageToken\": \"page-2\", token=abc",
    "secret: \"mounted\" secret = load_secret_2() secretName: db-credentials-production",
    "api_key: str = Field(min_length=8) api_key=None api_key=api_key_1",
    "access_token = response.json()[\"access_token\"]",
    "if (accessToken === undefined) accessToken: string, access_token=$TOKEN2",
    "Cookie: none Cookie policy: a=b cookie=yes; cookies: a=bcdefgh",
    "machine learning: a login page with password reset",
    "machine translation of passwords; default login shell",
    "AC0123456789abcdef SK0123456789abcdef0123456789abcdef0 xSK" HEX32 "0",
    "cache-key-" HEX32 " key-0123456789ABCDEF0123456789ABCDEF",
    "MTA1NzY4OTk5OTk5OTk5OTk5 MTA.b MTIzNDU2Nzg5MDEyMzQ1Njc4.short.x",
    "00:AA:BB:CC:DD:EE 12:AAAA 7:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawqTooLongForOne",
    "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuw==\"",
    "var passwordField = document.getElementById('password1');",
    "<input type=\"password\" name=\"password\" id=\"pw1\">",
    "git config credential.helper 'cache --timeout=3600' # password caching",
};

START_TEST(test_ordinary_text_stays)
{
    check(ordinary[_i], ordinary[_i]);
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

static const char *const secret_names[] = {
    "ANTHROPIC_API_KEY",
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "DB_PASSWORD",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DBPASS",
    "SENTRY_DSN",
    "apikey",
    "npm_config__authToken",
    "SESSION_COOKIE",
    "GOOGLE_CREDENTIALS",
    "SSH_PRIVATE_KEY",
    "AZURE_STORAGE_CONNECTION_STRING",
};

static const char *const plain_names[] = {
    "SSH_AUTH_SOCK",
    "PWD",
    "OLDPWD",
    "KEYBOARD_LAYOUT",
    "TERM",
    "GIT_AUTHOR_NAME",
    "GIT_ASKPASS",
    "MONKEY",
    "SSH_KEY_PATH",
    "GOOGLE_CREDENTIALS_FILE",
    "TOKENIZERS_PARALLELISM",
    "XAUTHORITY",
    "OAUTH_TOKEN_URL",
    "PATH",
    "",
};

static const char *const secret_values[] = {
    "s3cr3t-value",
    "correct horse",
    "/Ab3+x9Kd/Q2",
    "1234567890123456",
};

static const char *const plain_values[] = {
    "short",        "1234567",          "1700000000000", "2026-11-22",        "********",
    "abababababab", "/home/me/key.pem", "./secrets/key", "~/.ssh/id_rsa",     "/work/main/x.key",
    "password",     "disabled",         "[cut:A_TOKEN]", "pg://me:[cut:X]@h",
};

START_TEST(test_name_says_whether_it_is_a_secret)
{
    for (int i = 0; i < TABLE_LEN(secret_names); i++)
        ck_assert_msg(redact_name_is_secret(secret_names[i]), "%s", secret_names[i]);
    for (int i = 0; i < TABLE_LEN(plain_names); i++)
        ck_assert_msg(!redact_name_is_secret(plain_names[i]), "%s", plain_names[i]);
}
END_TEST

START_TEST(test_value_looks_like_a_secret_or_not)
{
    for (int i = 0; i < TABLE_LEN(secret_values); i++)
        ck_assert_msg(redact_may_be_secret(secret_values[i], strlen(secret_values[i])), "%s",
                      secret_values[i]);
    for (int i = 0; i < TABLE_LEN(plain_values); i++)
        ck_assert_msg(!redact_may_be_secret(plain_values[i], strlen(plain_values[i])), "%s",
                      plain_values[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("redact_forms");
    TCase *tcase = test_case(suite, "texts");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_secret_is_cut, 0, TABLE_LEN(secrets));
    tcase_add_test(tcase, test_private_key_in_base64_is_cut);
    tcase_add_test(tcase, test_prompt_is_shown);
    tcase_add_loop_test(tcase, test_ordinary_text_stays, 0, TABLE_LEN(ordinary));
    tcase_add_test(tcase, test_every_form_is_in_the_docs);
    tcase = test_case(suite, "words");
    tcase_add_test(tcase, test_name_says_whether_it_is_a_secret);
    tcase_add_test(tcase, test_value_looks_like_a_secret_or_not);
    return suite;
}
