/* policy_digest.c - a policy as a digest: the same for policies that decide alike. */
#include "plan_policy.h"
#include "sha256.h"

struct digest policy_digest(const struct policy *policy)
{
    unsigned char hash[SHA256_BYTES];
    struct str text = {0};
    plan_policy_write(policy, &text);
    sha256_of(str_text(&text), text.len, hash);
    str_done(&text);
    return digest_from_bytes(hash);
}
