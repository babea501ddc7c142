/* redact_forms.c - known tokens. A form starts with fixed bytes; code checks the rest. Lengths and
 * alphabets follow the documentation of the issuers and the rules of repository scanners;
 * docs/secrets.md has the list. */
#include <assert.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "redact_internal.h"

enum {
    MARK_MAX = 8,    /* maximum blanks and quotes before and after the = or : that follows a name */
    USER_MAX = 1024, /* maximum bytes between "://" and the end of the host */
    SCHEME_MAX = 16, /* maximum letters of a scheme, such as "Negotiate" */
    CREDENTIAL_MIN = 8,    /* minimum bytes of a credential that does not look like a word */
    CREDENTIAL_SURE = 20,  /* minimum bytes of a credential that may look like anything */
    JWT_HEADER_MIN = 14,   /* minimum letters of the header; {"alg":"HS256"} has more */
    JWT_HEADER_MAX = 2048, /* maximum letters of the header */
    JWT_BODY_MIN = 14,     /* minimum letters after the first full stop */
    PEM_LABEL_MAX = 48,    /* maximum bytes of a label, such as "OPENSSH PRIVATE KEY" */
};

enum form_kind {
    FORM_TOKEN,      /* cut as a whole */
    FORM_WEAK_TOKEN, /* like FORM_TOKEN, but the start is so short that the byte before it may rule
                        it out */
    FORM_ASSIGNED,   /* start = secret */
    FORM_AUTHORIZATION, /* Authorization: Bearer secret */
    FORM_JWT,
    FORM_PEM,
    FORM_URL,      /* scheme://user:secret@host */
    FORM_PASSWORD, /* recognized by the name before it, as are the next two; they differ in their
                      enum redact_trust */
    FORM_KEY,
    FORM_NAMED,
    FORM_COOKIE,
    FORM_NETRC,
    FORM_TWILIO,   /* like FORM_TOKEN, without a letter or digit before or after it */
    FORM_DISCORD,  /* three parts separated by full stops */
    FORM_TELEGRAM, /* bot number, colon, secret */
};

struct form {
    const char *name;
    const char *start;
    enum form_kind kind;
    enum redact_alphabet alphabet; /* alphabet of the bytes after the start */
    int min, max;                  /* number of bytes after the start; max 0: no limit */
};

/* One form for each value of the third byte, because a form must begin with three known bytes and
 * the issuer fixed only two. */
#define TWILIO(kind, digit)                                                                        \
    {                                                                                              \
        "twilio-key", kind digit, FORM_TWILIO, REDACT_LOWER_HEX, 31, 31                            \
    }
#define TWILIO_KEYS(kind)                                                                          \
    TWILIO(kind, "0"), TWILIO(kind, "1"), TWILIO(kind, "2"), TWILIO(kind, "3"), TWILIO(kind, "4"), \
        TWILIO(kind, "5"), TWILIO(kind, "6"), TWILIO(kind, "7"), TWILIO(kind, "8"),                \
        TWILIO(kind, "9"), TWILIO(kind, "a"), TWILIO(kind, "b"), TWILIO(kind, "c"),                \
        TWILIO(kind, "d"), TWILIO(kind, "e"), TWILIO(kind, "f")
/* Discord tokens begin with a user number in base64. The three letters encode its first two
 * digits. */
#define DISCORD(digits, half)                                                                      \
    {                                                                                              \
        "discord-token", digits half, FORM_DISCORD, REDACT_WORD, 0, 0                              \
    }
#define DISCORD_TOKENS(digits)                                                                     \
    DISCORD(digits, "A"), DISCORD(digits, "E"), DISCORD(digits, "I"), DISCORD(digits, "M"),        \
        DISCORD(digits, "Q"), DISCORD(digits, "U"), DISCORD(digits, "Y"), DISCORD(digits, "c"),    \
        DISCORD(digits, "g"), DISCORD(digits, "k")

/* A short name and the delimiter after it, so that "tokens" and the like do not match. */
#define NAMED(name, start, kind)                                                                   \
    {                                                                                              \
        name, start, kind, REDACT_WORD, 0, 0                                                       \
    }
#define NAMED_SHORTLY(name, start, kind)                                                           \
    NAMED(name, start "=", kind), NAMED(name, start ":", kind), NAMED(name, start "\"", kind),     \
        NAMED(name, start "'", kind), NAMED(name, start "\\", kind), NAMED(name, start " ", kind), \
        NAMED(name, start "&", kind)

static const struct form forms[] = {
    {"anthropic-key", "sk-ant-", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"openai-key", "sk-proj-", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"openai-key", "sk-svcacct-", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"openai-key", "sk-admin-", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"openai-key", "sk-", FORM_WEAK_TOKEN, REDACT_ALNUM, 32, 64},
    {"openrouter-key", "sk-or-v1-", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"groq-key", "gsk_", FORM_WEAK_TOKEN, REDACT_ALNUM, 40, 64},
    {"xai-key", "xai-", FORM_WEAK_TOKEN, REDACT_ALNUM, 64, 100},
    {"perplexity-key", "pplx-", FORM_TOKEN, REDACT_ALNUM, 40, 64},
    {"github-token", "ghp_", FORM_TOKEN, REDACT_ALNUM, 36, 0},
    {"github-token", "gho_", FORM_TOKEN, REDACT_ALNUM, 36, 0},
    {"github-token", "ghu_", FORM_TOKEN, REDACT_ALNUM, 36, 0},
    {"github-token", "ghs_", FORM_TOKEN, REDACT_ALNUM, 36, 0},
    {"github-token", "ghr_", FORM_TOKEN, REDACT_ALNUM, 36, 0},
    {"github-token", "github_pat_", FORM_TOKEN, REDACT_NAME, 36, 0},
    {"gitlab-token", "glpat-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "gldt-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glrt-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glptt-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glcbt-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glsoat-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glagent-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"aws-key-id", "AKIA", FORM_WEAK_TOKEN, REDACT_UPPER, 16, 16},
    {"aws-key-id", "ASIA", FORM_WEAK_TOKEN, REDACT_UPPER, 16, 16},
    {"aws-secret-key", "aws_secret_access_key", FORM_ASSIGNED, REDACT_BASE64, 40, 40},
    {"aws-secret-key", "AWS_SECRET_ACCESS_KEY", FORM_ASSIGNED, REDACT_BASE64, 40, 40},
    {"aws-secret-key", "SecretAccessKey", FORM_ASSIGNED, REDACT_BASE64, 40, 40},
    {"aws-secret-key", "secretAccessKey", FORM_ASSIGNED, REDACT_BASE64, 40, 40},
    {"aws-session-token", "aws_session_token", FORM_ASSIGNED, REDACT_BASE64, 64, 0},
    {"aws-session-token", "AWS_SESSION_TOKEN", FORM_ASSIGNED, REDACT_BASE64, 64, 0},
    {"aws-session-token", "SessionToken", FORM_ASSIGNED, REDACT_BASE64, 64, 0},
    {"azure-key", "AccountKey", FORM_ASSIGNED, REDACT_BASE64, 40, 0},
    {"azure-key", "SharedAccessKey", FORM_ASSIGNED, REDACT_BASE64, 40, 0},
    {"google-key", "AIza", FORM_WEAK_TOKEN, REDACT_WORD, 35, 35},
    {"google-token", "ya29.", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"google-secret", "GOCSPX-", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"slack-token", "xoxb-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xoxp-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xoxa-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xoxr-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xoxs-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xoxe-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xapp-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-webhook", "hooks.slack.com/services/", FORM_TOKEN, REDACT_BASE64, 20, 0},
    {"npm-token", "npm_", FORM_WEAK_TOKEN, REDACT_ALNUM, 36, 36},
    {"pypi-token", "pypi-AgE", FORM_TOKEN, REDACT_WORD, 50, 0},
    {"stripe-key", "sk_live_", FORM_TOKEN, REDACT_ALNUM, 16, 0},
    {"stripe-key", "rk_live_", FORM_TOKEN, REDACT_ALNUM, 16, 0},
    {"stripe-key", "sk_test_", FORM_TOKEN, REDACT_ALNUM, 16, 0},
    {"stripe-key", "rk_test_", FORM_TOKEN, REDACT_ALNUM, 16, 0},
    {"stripe-key", "whsec_", FORM_TOKEN, REDACT_BASE64, 24, 0},
    {"huggingface-token", "hf_", FORM_WEAK_TOKEN, REDACT_ALNUM, 30, 50},
    {"sendgrid-key", "SG.", FORM_WEAK_TOKEN, REDACT_DOTTED, 66, 66},
    {"docker-token", "dckr_pat_", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"digitalocean-token", "dop_v1_", FORM_TOKEN, REDACT_ALNUM, 40, 0},
    {"databricks-token", "dapi", FORM_WEAK_TOKEN, REDACT_HEX, 32, 32},
    {"shopify-token", "shpat_", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"vault-token", "hvs.", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"linear-key", "lin_api_", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"grafana-token", "glsa_", FORM_TOKEN, REDACT_NAME, 32, 0},
    {"age-key", "AGE-SECRET-KEY-1", FORM_TOKEN, REDACT_UPPER, 40, 0},
    {"api-key", "x-api-key", FORM_ASSIGNED, REDACT_WORD, 16, 0},
    {"api-key", "X-Api-Key", FORM_ASSIGNED, REDACT_WORD, 16, 0},
    {"api-key", "X-API-Key", FORM_ASSIGNED, REDACT_WORD, 16, 0},
    {"authorization", "authorization", FORM_AUTHORIZATION, REDACT_BEARER, 0, 0},
    {"authorization", "Authorization", FORM_AUTHORIZATION, REDACT_BEARER, 0, 0},
    {"authorization", "AUTHORIZATION", FORM_AUTHORIZATION, REDACT_BEARER, 0, 0},
    {"gitlab-token", "gloas-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glft-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glimt-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glffct-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"gitlab-token", "glwt-", FORM_TOKEN, REDACT_DOTTED, 20, 0},
    {"slack-webhook", "hooks.slack.com/workflows/", FORM_TOKEN, REDACT_BASE64, 20, 0},
    {"slack-webhook", "hooks.slack.com/triggers/", FORM_TOKEN, REDACT_BASE64, 20, 0},
    {"slack-token", "xoxc-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"slack-token", "xoxd-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"teams-webhook", "/webhookb2/", FORM_TOKEN, REDACT_PATH, 60, 0},
    {"discord-webhook", "/api/webhooks/", FORM_TOKEN, REDACT_PATH, 40, 0},
    {"mailgun-key", "key-", FORM_WEAK_TOKEN, REDACT_LOWER_HEX, 32, 32},
    {"digitalocean-token", "doo_v1_", FORM_TOKEN, REDACT_ALNUM, 40, 0},
    {"digitalocean-token", "dor_v1_", FORM_TOKEN, REDACT_ALNUM, 40, 0},
    {"shopify-token", "shpca_", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"shopify-token", "shppa_", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"shopify-token", "shpss_", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"vault-token", "hvb.", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"vault-token", "hvr.", FORM_TOKEN, REDACT_WORD, 24, 0},
    {"linear-key", "lin_oauth_", FORM_TOKEN, REDACT_ALNUM, 32, 0},
    {"grafana-token", "glc_", FORM_WEAK_TOKEN, REDACT_BASE64, 32, 0},
    {"atlassian-token", "ATATT3", FORM_TOKEN, REDACT_BEARER, 40, 0},
    {"atlassian-token", "ATCTT3", FORM_TOKEN, REDACT_BEARER, 40, 0},
    {"bitbucket-token", "ATBB", FORM_WEAK_TOKEN, REDACT_ALNUM, 32, 36},
    {"doppler-token", "dp.pt.", FORM_TOKEN, REDACT_ALNUM, 40, 0},
    {"doppler-token", "dp.st.", FORM_TOKEN, REDACT_DOTTED, 40, 0},
    {"fly-token", "fo1_", FORM_TOKEN, REDACT_WORD, 40, 0},
    {"fly-token", "fm2_", FORM_TOKEN, REDACT_BASE64, 80, 0},
    {"figma-token", "figd_", FORM_TOKEN, REDACT_WORD, 40, 0},
    {"heroku-key", "HRKU-", FORM_TOKEN, REDACT_WORD, 36, 0},
    {"netlify-token", "nfp_", FORM_TOKEN, REDACT_ALNUM, 36, 0},
    {"newrelic-key", "NRAK-", FORM_TOKEN, REDACT_UPPER, 27, 0},
    {"notion-token", "ntn_", FORM_TOKEN, REDACT_ALNUM, 40, 0},
    {"notion-token", "secret_", FORM_WEAK_TOKEN, REDACT_ALNUM, 43, 43},
    {"postman-key", "PMAK-", FORM_TOKEN, REDACT_WORD, 59, 0},
    {"planetscale-token", "pscale_tkn_", FORM_TOKEN, REDACT_WORD, 32, 0},
    {"planetscale-token", "pscale_pw_", FORM_TOKEN, REDACT_WORD, 32, 0},
    {"pulumi-token", "pul-", FORM_WEAK_TOKEN, REDACT_LOWER_HEX, 40, 40},
    {"rubygems-key", "rubygems_", FORM_TOKEN, REDACT_LOWER_HEX, 48, 48},
    {"sentry-token", "sntrys_", FORM_TOKEN, REDACT_BASE64, 60, 0},
    {"sentry-token", "sntryu_", FORM_TOKEN, REDACT_LOWER_HEX, 64, 64},
    {"square-token", "sq0atp-", FORM_TOKEN, REDACT_WORD, 22, 0},
    {"square-token", "sq0csp-", FORM_TOKEN, REDACT_WORD, 43, 0},
    {"tailscale-key", "tskey-", FORM_TOKEN, REDACT_WORD, 20, 0},
    {"supabase-token", "sbp_", FORM_WEAK_TOKEN, REDACT_LOWER_HEX, 40, 40},
    {"replicate-token", "r8_", FORM_WEAK_TOKEN, REDACT_ALNUM, 37, 40},
    {"buildkite-token", "bkua_", FORM_TOKEN, REDACT_LOWER_HEX, 40, 40},
    {"circleci-token", "CCIPAT_", FORM_TOKEN, REDACT_NAME, 40, 0},
    {"brevo-key", "xkeysib-", FORM_TOKEN, REDACT_WORD, 64, 0},
    {"nvidia-key", "nvapi-", FORM_TOKEN, REDACT_WORD, 40, 0},
    {"langsmith-key", "lsv2_pt_", FORM_TOKEN, REDACT_NAME, 40, 0},
    {"tavily-key", "tvly-", FORM_TOKEN, REDACT_WORD, 28, 0},
    {"huggingface-token", "api_org_", FORM_TOKEN, REDACT_ALNUM, 30, 50},
    {"clojars-token", "CLOJARS_", FORM_TOKEN, REDACT_LOWER_HEX, 60, 60},
    {"telegram-token", ":AA", FORM_TELEGRAM, REDACT_WORD, 33, 33},
    {"password", "password", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "Password", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "PASSWORD", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "passwd", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "Passwd", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "PASSWD", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "passphrase", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "Passphrase", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"password", "PASSPHRASE", FORM_PASSWORD, REDACT_WORD, 0, 0},
    {"api-key", "api_key", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "apiKey", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "apikey", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "API_KEY", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "APIKEY", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "ApiKey", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "api-key", FORM_KEY, REDACT_WORD, 0, 0},
    {"api-key", "Api-Key", FORM_KEY, REDACT_WORD, 0, 0},
    {"secret", "secret_key", FORM_KEY, REDACT_WORD, 0, 0},
    {"secret", "secretKey", FORM_KEY, REDACT_WORD, 0, 0},
    {"secret", "SECRET_KEY", FORM_KEY, REDACT_WORD, 0, 0},
    {"secret", "secret", FORM_NAMED, REDACT_WORD, 0, 0},
    {"secret", "Secret", FORM_NAMED, REDACT_WORD, 0, 0},
    {"secret", "SECRET", FORM_NAMED, REDACT_WORD, 0, 0},
    NAMED_SHORTLY("token", "token", FORM_NAMED),
    NAMED_SHORTLY("token", "Token", FORM_NAMED),
    NAMED_SHORTLY("token", "TOKEN", FORM_NAMED),
    NAMED_SHORTLY("password", "pwd", FORM_PASSWORD),
    NAMED_SHORTLY("password", "Pwd", FORM_PASSWORD),
    NAMED_SHORTLY("password", "PWD", FORM_PASSWORD),
    NAMED_SHORTLY("npm-token", "_auth", FORM_KEY),
    {"cookie", "Cookie", FORM_COOKIE, REDACT_WORD, 0, 0},
    {"cookie", "cookie", FORM_COOKIE, REDACT_WORD, 0, 0},
    {"cookie", "COOKIE", FORM_COOKIE, REDACT_WORD, 0, 0},
    {"netrc-password", "machine ", FORM_NETRC, REDACT_WORD, 0, 0},
    TWILIO_KEYS("AC"),
    TWILIO_KEYS("SK"),
    DISCORD_TOKENS("MT"),
    DISCORD_TOKENS("Mj"),
    DISCORD_TOKENS("Mz"),
    DISCORD_TOKENS("ND"),
    DISCORD_TOKENS("NT"),
    DISCORD_TOKENS("Nj"),
    DISCORD_TOKENS("Nz"),
    DISCORD_TOKENS("OD"),
    DISCORD_TOKENS("OT"),
    {"jwt", "eyJ", FORM_JWT, REDACT_DOTTED, 0, 0},
    {"private-key", "-----BEGIN ", FORM_PEM, REDACT_BASE64, 0, 0},
    {"url-password", "://", FORM_URL, REDACT_WORD, 0, 0},
};

size_t redact_form_count(void)
{
    return ARRAY_LEN(forms);
}

const char *redact_form_start(size_t form)
{
    return forms[form].start;
}

const char *redact_form_name(size_t form)
{
    return forms[form].name;
}

bool redact_form_may_be_wrapped(size_t form)
{
    const enum form_kind kind = forms[form].kind;
    return kind == FORM_TOKEN || kind == FORM_WEAK_TOKEN || kind == FORM_PEM;
}

bool redact_form_is_named(size_t form)
{
    const enum form_kind kind = forms[form].kind;
    return kind == FORM_PASSWORD || kind == FORM_KEY || kind == FORM_NAMED;
}

/* Checks a run of the form's alphabet at `from`; cuts from `start` if it is long enough. An
 * unlimited run continues in the tail. */
static enum redact_found look_at_run(const struct form *form, const struct redact_place *place,
                                     size_t start, size_t from, struct redact_cut *cut)
{
    const size_t min = (size_t)form->min, max = (size_t)form->max;
    const size_t limit = max > 0 ? max + 1 : min;
    const size_t run = redact_run(form->alphabet, place->bytes + from, place->len - from, limit);
    if (run < limit && redact_is_open(place, from + run))
        return REDACT_MORE;
    if (run < min || (max > 0 && run > max))
        return REDACT_NOT;
    *cut = (struct redact_cut){.start = start, .end = from + run};
    if (max == 0)
        cut->tail = (struct redact_tail){REDACT_REST_RUN, form->alphabet, false};
    return REDACT_CUT;
}

/* Returns true if a token may follow this byte. Some letters and digits often precede a token
 * without being part of it: the ends of \n, \t, \r, of a terminal color, of a percent escape. */
static bool may_stand_before(int before)
{
    return before < 0 || !redact_is_in(REDACT_WORD, (unsigned char)before) ||
           strchr("nrtm02ABDF", before);
}

/* Skips blanks and quotes, at most MARK_MAX. */
static size_t skip_marks(const struct redact_place *place, size_t at)
{
    const size_t limit = at + MARK_MAX;
    while (at < place->len && at < limit &&
           redact_is_one_of((unsigned char)place->bytes[at], " \t\"'\\"))
        at++;
    return at;
}

/* Finds the value after a name: `": "`, `=`, ` = '`. Returns false and sets *found if there is none
 * or it has not arrived yet. */
static bool find_form_value(const struct redact_place *place, size_t *at, enum redact_found *found)
{
    *found = REDACT_NOT;
    *at = skip_marks(place, *at);
    if (redact_is_open(place, *at))
        *found = REDACT_MORE;
    if (*at >= place->len || (place->bytes[*at] != '=' && place->bytes[*at] != ':'))
        return false;
    *at = skip_marks(place, *at + 1);
    if (redact_is_open(place, *at))
        *found = REDACT_MORE;
    return *at < place->len;
}

static bool is_scheme(const char *bytes, size_t len)
{
    static const char *const schemes[] = {"basic",  "bearer", "token",     "digest",
                                          "apikey", "key",    "negotiate", "splunk"};
    char word[SCHEME_MAX + 1] = {0};
    assert(len <= SCHEME_MAX);
    for (size_t i = 0; i < len; i++)
        word[i] = (char)(bytes[i] | 0x20);
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        if (strcmp(word, schemes[i]) == 0)
            return true;
    }
    return false;
}

/* Returns false for words, which are all of one case: "Authorization: bearer authentication failed"
 * has no credential. */
static bool is_credential(const char *bytes, size_t len)
{
    bool lower = false, upper = false;
    for (size_t i = 0; i < len; i++) {
        if (!redact_is_in(REDACT_LETTER, (unsigned char)bytes[i]))
            return len >= CREDENTIAL_MIN;
        lower = lower || bytes[i] >= 'a';
        upper = upper || bytes[i] <= 'Z';
    }
    return len >= CREDENTIAL_SURE || (len >= CREDENTIAL_MIN && lower && upper);
}

static enum redact_found look_at_authorization(const struct form *form,
                                               const struct redact_place *place,
                                               struct redact_cut *cut)
{
    enum redact_found found = REDACT_NOT;
    size_t at = strlen(form->start);
    if (!find_form_value(place, &at, &found))
        return found;
    const size_t scheme = redact_run(REDACT_LETTER, place->bytes + at, place->len - at, SCHEME_MAX);
    if (scheme < SCHEME_MAX && redact_is_open(place, at + scheme))
        return REDACT_MORE;
    const bool named = is_scheme(place->bytes + at, scheme);
    at += scheme;
    if (!named || at >= place->len || !redact_is_blank(place->bytes[at]))
        return REDACT_NOT;
    at = skip_marks(place, at);
    if (redact_is_open(place, at))
        return REDACT_MORE;
    const size_t run =
        redact_run(form->alphabet, place->bytes + at, place->len - at, CREDENTIAL_SURE);
    if (run < CREDENTIAL_SURE && redact_is_open(place, at + run))
        return REDACT_MORE;
    if (!is_credential(place->bytes + at, run))
        return REDACT_NOT;
    *cut = (struct redact_cut){
        .start = at, .end = at + run, .tail = {REDACT_REST_RUN, form->alphabet, false}};
    return REDACT_CUT;
}

static enum redact_found look_at_jwt(const struct form *form, const struct redact_place *place,
                                     struct redact_cut *cut)
{
    size_t header = place->letters ? *place->letters : 0;
    if (header >= JWT_HEADER_MAX) {
        header = JWT_HEADER_MAX;
    } else {
        header += redact_run(REDACT_WORD, place->bytes + header, place->len - header,
                             JWT_HEADER_MAX - header);
        if (place->letters)
            *place->letters = header;
    }
    if (header < JWT_HEADER_MAX && redact_is_open(place, header))
        return REDACT_MORE;
    if (header < JWT_HEADER_MIN || header >= place->len || place->bytes[header] != '.')
        return REDACT_NOT;
    const size_t from = header + 1;
    const size_t body =
        redact_run(REDACT_WORD, place->bytes + from, place->len - from, JWT_BODY_MIN);
    if (body < JWT_BODY_MIN)
        return redact_is_open(place, from + body) ? REDACT_MORE : REDACT_NOT;
    *cut = (struct redact_cut){
        .start = 0, .end = from + body, .tail = {REDACT_REST_RUN, form->alphabet, false}};
    return REDACT_CUT;
}

/* Cuts the key after "-----BEGIN RSA PRIVATE KEY-----", if there is one. */
static enum redact_found look_at_pem(const struct form *form, const struct redact_place *place,
                                     struct redact_cut *cut)
{
    static const char rule[] = "-----";
    static const char key[] = "PRIVATE KEY";
    const size_t from = strlen(form->start);
    const char *label = place->bytes + from;
    const size_t len = redact_run(REDACT_LABEL, label, place->len - from, PEM_LABEL_MAX);
    const size_t end = from + len + sizeof(rule) - 1;
    bool is_key = false;
    for (size_t i = 0; i + sizeof(key) - 1 <= len; i++)
        is_key = is_key || memcmp(label + i, key, sizeof(key) - 1) == 0;
    if (place->len < end)
        return place->ended || len == PEM_LABEL_MAX ? REDACT_NOT : REDACT_MORE;
    if (!is_key || memcmp(label + len, rule, sizeof(rule) - 1) != 0)
        return REDACT_NOT;
    *cut = (struct redact_cut){
        .start = end, .end = end, .tail = {REDACT_REST_PEM, REDACT_BASE64, false}};
    return REDACT_CUT;
}

/* Looks for the password in a URL. Searches to the end of the host; the last @ before that ends the
 * password. */
static enum redact_found look_at_url(const struct form *form, const struct redact_place *place,
                                     struct redact_cut *cut)
{
    const size_t from = strlen(form->start);
    if (place->before < 0 || !redact_is_in(REDACT_ALNUM, (unsigned char)place->before))
        return REDACT_NOT;
    const char *user = place->bytes + from;
    const size_t len = redact_run(REDACT_AUTHORITY, user, place->len - from, USER_MAX);
    if (len < USER_MAX && redact_is_open(place, from + len))
        return REDACT_MORE;
    const char *colon = memchr(user, ':', len);
    size_t at = len;
    while (at > 0 && user[at - 1] != '@')
        at--;
    if (!colon || at == 0)
        return REDACT_NOT;
    const size_t start = (size_t)(colon - user) + 1;
    const size_t end = at - 1;
    if (end <= start)
        return REDACT_NOT;
    /* Not a placeholder for a removed password: ***, xxxxx, ${NAME}, $NAME, [cut:NAME]. */
    const char *password = user + start;
    size_t same = 0;
    while (same < end - start && password[same] == password[0])
        same++;
    const bool is_filled = same == end - start && same >= 3 && strchr("*xX.-", password[0]);
    if (is_filled || password[0] == '$' || password[0] == '{' ||
        (end - start > 5 && memcmp(password, "[cut:", 5) == 0))
        return REDACT_NOT;
    *cut = (struct redact_cut){.start = from + start, .end = from + end};
    return REDACT_CUT;
}

/* Returns the length of the form's name without the delimiter after it. */
static size_t name_len(const struct form *form)
{
    const size_t len = strlen(form->start);
    return ascii_is_letter(form->start[len - 1]) ? len : len - 1;
}

/* Looks for a Twilio token that is not part of a longer hash or word. */
static enum redact_found look_at_twilio(const struct form *form, const struct redact_place *place,
                                        struct redact_cut *cut)
{
    const size_t from = strlen(form->start);
    const size_t run =
        redact_run(REDACT_ALNUM, place->bytes + from, place->len - from, (size_t)form->max + 1);
    if (!may_stand_before(place->before) || ascii_is_digit(place->before))
        return REDACT_NOT;
    if (run <= (size_t)form->max && redact_is_open(place, from + run))
        return REDACT_MORE;
    return run == (size_t)form->max ? look_at_run(form, place, 0, from, cut) : REDACT_NOT;
}

/* Looks for a Discord token: three runs of certain lengths, separated by full stops. */
static enum redact_found look_at_discord(const struct redact_place *place, struct redact_cut *cut)
{
    static const struct {
        size_t min, max;
    } parts[] = {{23, 28}, {6, 6}, {27, 45}};
    size_t at = 0;
    if (!may_stand_before(place->before))
        return REDACT_NOT;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const size_t run =
            redact_run(REDACT_WORD, place->bytes + at, place->len - at, parts[i].max + 1);
        if (run <= parts[i].max && redact_is_open(place, at + run))
            return REDACT_MORE;
        if (run < parts[i].min || run > parts[i].max)
            return REDACT_NOT;
        at += run;
        if (i + 1 < ARRAY_LEN(parts) && (at >= place->len || place->bytes[at++] != '.'))
            return REDACT_NOT;
    }
    *cut = (struct redact_cut){.start = 0, .end = at};
    return REDACT_CUT;
}

enum redact_found redact_form_look(size_t number, const struct redact_place *place,
                                   struct redact_cut *cut)
{
    assert(number < ARRAY_LEN(forms));
    const struct form *form = &forms[number];
    enum redact_found found = REDACT_NOT;
    enum redact_trust trust = REDACT_TRUST_TOKEN;
    size_t at = strlen(form->start);
    switch (form->kind) {
    case FORM_WEAK_TOKEN:
        if (!may_stand_before(place->before))
            return REDACT_NOT;
        return look_at_run(form, place, 0, at, cut);
    case FORM_TOKEN:
        return look_at_run(form, place, 0, at, cut);
    case FORM_ASSIGNED:
        return find_form_value(place, &at, &found) ? look_at_run(form, place, at, at, cut) : found;
    case FORM_AUTHORIZATION:
        return look_at_authorization(form, place, cut);
    case FORM_JWT:
        return look_at_jwt(form, place, cut);
    case FORM_PEM:
        return look_at_pem(form, place, cut);
    case FORM_URL:
        return look_at_url(form, place, cut);
    case FORM_PASSWORD:
        return redact_assigned_look(REDACT_TRUST_PASSWORD, place, name_len(form), cut);
    case FORM_KEY:
        return redact_assigned_look(REDACT_TRUST_KEY, place, name_len(form), cut);
    case FORM_NAMED: /* "access_token", "clientSecret": more specific than "token" alone */
        if (place->before == '_' || place->before == '-' ||
            (ascii_is_upper(form->start[0]) && ascii_is_lower(place->before)))
            trust = REDACT_TRUST_KEY;
        return redact_assigned_look(trust, place, name_len(form), cut);
    case FORM_COOKIE:
        return redact_cookie_look(place, at, cut);
    case FORM_NETRC:
        return redact_netrc_look(place, at, cut);
    case FORM_TWILIO:
        return look_at_twilio(form, place, cut);
    case FORM_DISCORD:
        return look_at_discord(place, cut);
    case FORM_TELEGRAM:
        return place->before >= 0 && ascii_is_digit(place->before)
                   ? look_at_run(form, place, 1, at, cut)
                   : REDACT_NOT;
    }
    return REDACT_NOT;
}

size_t redact_tail_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended)
{
    size_t taken = 0;
    switch (tail->rest) {
    case REDACT_REST_NONE:
        break;
    case REDACT_REST_RUN:
        taken = redact_run(tail->alphabet, bytes, len, len);
        if (taken < len || ended)
            tail->rest = REDACT_REST_NONE;
        break;
    case REDACT_REST_PEM:
        taken = redact_pem_take(tail, bytes, len, ended);
        break;
    }
    return taken;
}
