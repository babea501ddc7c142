#include "build_log.h"

#include <stdint.h>

#include "attr.h"

/* Returns pseudo-random numbers, the same in every run (splitmix64). */
struct chance {
    uint64_t state;
};

static uint64_t draw(struct chance *chance)
{
    uint64_t z = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int below(struct chance *chance, int limit)
{
    return (int)(draw(chance) % (uint64_t)limit);
}

static const char *one_of(struct chance *chance, const char *const *words, int count)
{
    return words[below(chance, count)];
}

#define ONE_OF(chance, words) one_of(chance, words, (int)ARRAY_LEN(words))

static const char *const names[] = {
    "core",   "engine",  "scheduler", "parser", "tokens",  "network", "session",
    "buffer", "storage", "render",    "layout", "widgets", "codec",   "transport",
};

static void write_cmake(struct chance *chance, int line, struct str *out)
{
    const char *name = ONE_OF(chance, names);
    const char *other = ONE_OF(chance, names);
    str_addf(out, "[%3d%%] Building CXX object src/%s/CMakeFiles/%s.dir/%s_%s.cpp.o\n", line % 100,
             name, name, other, name);
    if (below(chance, 12) == 0)
        str_addf(out,
                 "/home/ci/work/app/src/%s/%s.cpp:%d:%d: warning: unused variable '%s_count' "
                 "[-Wunused-variable]\n  %d |     int %s_count = 0;\n      |         ^~~~~~~~\n",
                 name, other, below(chance, 900), below(chance, 80), name, below(chance, 900),
                 name);
    if (below(chance, 30) == 0)
        str_addf(out, "[%3d%%] Linking CXX static library lib%s.a\n[%3d%%] Built target %s\n",
                 line % 100, name, line % 100, name);
}

static void write_cargo(struct chance *chance, int line, struct str *out)
{
    const char *name = ONE_OF(chance, names);
    if (line % 7 == 0)
        str_addf(out, "test %s::%s::tests::handles_empty_input ... ok\n", name,
                 ONE_OF(chance, names));
    else
        str_addf(out, "   Compiling %s-%s v%d.%d.%d\n", name, ONE_OF(chance, names),
                 below(chance, 3), below(chance, 30), below(chance, 20));
    if (below(chance, 20) == 0)
        str_addf(out,
                 "warning: field `%s` is never read\n  --> src/%s/mod.rs:%d:%d\n   |\n"
                 "%d |     %s: usize,\n   |     ^^^^^\n   |\n",
                 name, name, below(chance, 900), below(chance, 60), below(chance, 900), name);
    if (below(chance, 60) == 0)
        str_addf(out, "    Finished `dev` profile [unoptimized] target(s) in %d.%02ds\n",
                 below(chance, 90), below(chance, 100));
}

static void write_pytest(struct chance *chance, int line, struct str *out)
{
    const char *name = ONE_OF(chance, names);
    str_addf(out, "tests/%s/test_%s.py::test_%s_%s[%d] PASSED%*s[%3d%%]\n", name, name, name,
             ONE_OF(chance, names), below(chance, 12), 1 + below(chance, 20), "", line % 100);
    if (below(chance, 25) == 0)
        str_addf(out,
                 "E       AssertionError: assert %d == %d\nE        +  where %d = <built-in "
                 "method total of Cart object at 0x7f%010llx>\n\ntests/test_%s.py:%d: "
                 "AssertionError\n",
                 below(chance, 99), below(chance, 99), below(chance, 99),
                 (unsigned long long)(draw(chance) & 0xffffffffff), name, below(chance, 400));
    if (below(chance, 80) == 0)
        str_addf(out, "==== %d failed, %d passed in %d.%02ds ====\n", below(chance, 9),
                 below(chance, 400), below(chance, 90), below(chance, 100));
}

static void write_npm(struct chance *chance, int line, struct str *out)
{
    const char *name = ONE_OF(chance, names);
    if (line % 3 == 0)
        str_addf(out, "npm http fetch GET 200 https://registry.npmjs.org/%s-%s %dms (cache miss)\n",
                 name, ONE_OF(chance, names), below(chance, 900));
    else
        str_addf(out, "  \xe2\x9c\x93 %s renders the %s list when it is empty (%d ms)\n", name,
                 ONE_OF(chance, names), below(chance, 90));
    if (below(chance, 30) == 0)
        str_addf(out, "npm warn deprecated %s@%d.%d.%d: this version is no longer supported\n",
                 name, below(chance, 9), below(chance, 30), below(chance, 9));
}

static void write_docker(struct chance *chance, int line, struct str *out)
{
    const char *name = ONE_OF(chance, names);
    str_addf(out,
             "#%d %d.%03d Get:%d http://deb.debian.org/debian bookworm/main amd64 lib%s%d "
             "amd64 %d.%d.%d-%d [%d kB]\n",
             5 + line % 9, below(chance, 99), below(chance, 1000), line % 400, name,
             below(chance, 9), below(chance, 9), below(chance, 20), below(chance, 9),
             below(chance, 5), below(chance, 900));
    if (below(chance, 20) == 0)
        str_addf(out,
                 "#%d extracting sha256:%016llx%016llx%016llx%016llx %d.%ds done\n#%d DONE "
                 "%d.%ds\n",
                 line % 9, (unsigned long long)draw(chance), (unsigned long long)draw(chance),
                 (unsigned long long)draw(chance), (unsigned long long)draw(chance),
                 below(chance, 9), below(chance, 10), line % 9, below(chance, 60),
                 below(chance, 10));
}

static const struct {
    const char *name;
    void (*write)(struct chance *chance, int line, struct str *out);
} kinds[] = {
    [BUILD_LOG_CMAKE] = {"cmake and gcc", write_cmake},  [BUILD_LOG_CARGO] = {"cargo", write_cargo},
    [BUILD_LOG_PYTEST] = {"pytest", write_pytest},       [BUILD_LOG_NPM] = {"npm", write_npm},
    [BUILD_LOG_DOCKER] = {"docker build", write_docker},
};

const char *build_log_name(enum build_log kind)
{
    return kinds[kind].name;
}

void build_log_write(enum build_log kind, size_t size, struct str *out)
{
    struct chance chance = {.state = (uint64_t)kind + 1};
    for (int line = 0; out->len < size; line++)
        kinds[kind].write(&chance, line, out);
}
