/* git_open.c - finds a repository and makes the private repository for our commands. */
#define _GNU_SOURCE /* O_NOFOLLOW, realpath, mkdtemp */

#include "git.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foreign_file.h"
#include "program_find.h"
#include "tree_folder.h"
#include "xalloc.h"

enum {
    FOLDERS_UP_MAX = 128,
    SPLIT_INDEXES_MAX = 16, /* maximum number of linked "sharedindex.*" files */
    ALTERNATES_DEPTH_MAX =
        5, /* longest chain of object folders that borrow from each other; git follows 5 */
    LOOSE_FOLDERS =
        256, /* number of folders of loose objects; each is named after the first byte of the ids */
    REMOTES_MAX = 256, /* maximum number of remotes of a repository; includeIf conditions may test
                          their URLs */
};

static const int64_t ask_timeout_ms = 30 * 1000; /* time limit for reading settings or an index */

/* The private repository's config, except for the part that depends on the user's settings. The
 * commit graph of borrowed objects is not trusted, because it could name wrong parents. Split and
 * sparse indexes are the user's choice, not ours. */
static const char fixed_config[] =
    "[core]\n\tbare = false\n\thooksPath = /dev/null\n\tfsmonitor = false\n"
    "\tattributesFile = /dev/null\n\tcommitGraph = false\n\tlogAllRefUpdates = false\n"
    "\tquotePath = true\n\teditor = false\n\tpager = cat\n\tsshCommand = false\n"
    "\tuntrackedCache = false\n\tsplitIndex = false\n"
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol]\n\tallow = never\n"
    "[commit]\n\tgpgSign = false\n[rerere]\n\tenabled = false\n[submodule]\n\trecurse = false\n"
    "[index]\n\tsparse = false\n[merge]\n\trenames = true\n\tdirectoryRenames = conflict\n"
    "[diff]\n\tignoreSubmodules = all\n[apply]\n\twhitespace = nowarn\n"
    "[advice]\n\taddEmbeddedRepo = false\n\tdetachedHead = false\n";

/* fixed_environment is for all commands; closed_environment is not for commands that read the
 * user's settings. */
static const char *const fixed_environment[] = {
    "LC_ALL=C",
    "GIT_ATTR_NOSYSTEM=1",
    "GIT_NO_REPLACE_OBJECTS=1",
    "GIT_NO_LAZY_FETCH=1",
    "GIT_ALLOW_PROTOCOL=none",
    "GIT_TERMINAL_PROMPT=0",
    "GIT_OPTIONAL_LOCKS=0",
    "GIT_EDITOR=false",
    "GIT_SEQUENCE_EDITOR=false",
    "GIT_PAGER=cat",
    "GIT_ASKPASS=false",
    "GIT_SSH_COMMAND=false",
};
static const char *const closed_environment[] = {
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_CONFIG_GLOBAL=/dev/null",
    "GIT_CONFIG_SYSTEM=/dev/null",
};
/* Variables that a command inherits from the user. DEVS_RUN marks it, so that `devs run --continue`
 * finds a git process that outlived a killed devs. */
static const char *const inherited[] = {
    "HOME=", "XDG_CONFIG_HOME=", "TZ=", "TMPDIR=", "LD_LIBRARY_PATH=", "DEVS_RUN="};

/* The settings of the repository and the user, as data. */
struct person {
    struct str name, email, ignored, hash, storage;
    struct arg_list remotes; /* "KEY newline VALUE" of remote.*.url */
    bool is_bare;
    bool has_worktree_config;
};

static void person_done(struct person *person)
{
    str_done(&person->name);
    str_done(&person->email);
    str_done(&person->ignored);
    str_done(&person->hash);
    str_done(&person->storage);
    arg_list_done(&person->remotes);
}

/* Returns false if the path does not fit. */
static bool join_path(char out[PATH_MAX], const char *folder, const char *name)
{
    const int len = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return len > 0 && len < PATH_MAX;
}

/* Reads a file of a repository, following links as git does. Returns false if it is missing, empty,
 * or larger than `max` bytes. */
static bool read_linked_file(const char *folder, const char *name, size_t max, struct str *out)
{
    char path[PATH_MAX];
    char real[PATH_MAX];
    return join_path(path, folder, name) && realpath(path, real) &&
           foreign_file_read(real, max, out);
}

/* Resolves the path that a file contains, such as "gitdir: ../x" or "../..", relative to the file's
 * folder. */
static bool follow_path_in(const char *folder, const char *file, const char *prefix,
                           char out[PATH_MAX])
{
    struct str text = {0};
    char path[PATH_MAX];
    bool ok = join_path(path, folder, file) && foreign_file_read(path, GIT_FILE_MAX, &text);
    if (ok)
        str_cut(&text, strcspn(text.data, "\r\n"));
    ok = ok && strncmp(text.data, prefix, strlen(prefix)) == 0;
    if (ok) {
        const char *to = text.data + strlen(prefix);
        ok = (*to == '/' || join_path(path, folder, to)) && realpath(*to == '/' ? to : path, out);
    }
    str_done(&text);
    return ok;
}

/* Fills in the paths of the repository whose ".git" is in `top`. Reads "commondir" only for a
 * worktree, where ".git" is a file: if ".git" is a folder, an attempt may have created that file in
 * it. */
static bool find_repository_places(const char *top, const struct stat *mark, struct git_places *out)
{
    char path[PATH_MAX];
    struct stat info;
    const bool is_file = S_ISREG(mark->st_mode);
    if (!realpath(top, out->top))
        return false;
    if (is_file ? !follow_path_in(out->top, ".git", "gitdir: ", out->dir)
                : !join_path(path, out->top, ".git") || !realpath(path, out->dir))
        return false;
    if (!is_file || !follow_path_in(out->dir, "commondir", "", out->common))
        memcpy(out->common, out->dir, sizeof(out->common));
    return join_path(path, out->dir, "HEAD") && lstat(path, &info) == 0 &&
           (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode)) &&
           join_path(path, out->common, "objects") && lstat(path, &info) == 0;
}

bool git_find(const char *folder, struct git_places *out, struct err *err)
{
    char at[PATH_MAX];
    char path[PATH_MAX];
    const size_t len = strlen(folder);
    if (len >= sizeof(at))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", folder);
    memcpy(at, folder, len + 1);
    for (int i = 0; i < FOLDERS_UP_MAX; i++) {
        struct stat info;
        if (join_path(path, at, ".git") && stat(path, &info) == 0) {
            if (find_repository_places(*at ? at : "/", &info, out))
                return true;
            break;
        }
        char *slash = strrchr(at, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    (void)err_set(err, ERR_NOT_FOUND, "'%s' is not in a git repository", folder);
    return err_hint(err, "use \"workspace\": \"copy\", which needs none");
}

static const char *find_variable(char *const *environment, const char *name)
{
    for (; environment && *environment; environment++) {
        if (strncmp(*environment, name, strlen(name)) == 0)
            return *environment;
    }
    return NULL;
}

static void add_git_environment(struct arg_list *list, char *const *environment)
{
    char program[PATH_MAX];
    for (size_t i = 0; i < ARRAY_LEN(fixed_environment); i++)
        arg_list_add(list, fixed_environment[i]);
    for (size_t i = 0; i < ARRAY_LEN(inherited); i++) {
        const char *entry = find_variable(environment, inherited[i]);
        if (entry)
            arg_list_add(list, entry);
    }
    char *slash = program_find_absolute("git", program) ? strrchr(program, '/') : NULL;
    if (slash)
        *slash = '\0';
    arg_list_addf(list, "PATH=%s%s/usr/local/bin:/usr/bin:/bin", slash ? program : "",
                  slash ? ":" : "");
}

static void add_closed_environment(struct arg_list *list)
{
    for (size_t i = 0; i < ARRAY_LEN(closed_environment); i++)
        arg_list_add(list, closed_environment[i]);
}

static void set_text(struct str *text, const char *value)
{
    str_clear(text);
    str_add(text, value);
}

/* Splits "KEY newline VALUE", git's format for a setting, and returns the value; "true" if there is
 * no value. */
static const char *split_setting(char *key)
{
    char *value = strchr(key, '\n');
    if (value)
        *value++ = '\0';
    return value ? value : "true";
}

static void apply_repository_setting(const char *key, const char *value, struct person *person)
{
    static const char remote[] = "remote.";
    const char *dot = strrchr(key, '.');
    if (strcmp(key, "user.name") == 0)
        set_text(&person->name, value);
    else if (strcmp(key, "user.email") == 0)
        set_text(&person->email, value);
    else if (strcmp(key, "core.bare") == 0)
        person->is_bare = strcmp(value, "true") == 0;
    else if (strcmp(key, "extensions.objectformat") == 0)
        set_text(&person->hash, value);
    else if (strcmp(key, "extensions.refstorage") == 0)
        set_text(&person->storage, value);
    else if (strcmp(key, "extensions.worktreeconfig") == 0)
        person->has_worktree_config = strcmp(value, "true") == 0;
    else if (strncmp(key, remote, strlen(remote)) == 0 && dot && strcmp(dot, ".url") == 0 &&
             person->remotes.count < REMOTES_MAX)
        arg_list_addf(&person->remotes, "%s\n%s", key, value);
}

/* Reads the settings in one config of the repository. We read the file, and git only parses the
 * text: git itself would follow includes, and block on a FIFO. */
static bool read_repository_config(const struct git *git, const char *folder, const char *name,
                                   struct person *person, struct err *err)
{
    static const char *const words[] = {"--git-dir=/dev/null", "config", "--file", "-", "--list",
                                        "--no-includes",       "-z",     NULL};
    char path[PATH_MAX];
    struct stat info;
    struct str text = {0};
    struct str list = {0};
    if (!read_linked_file(folder, name, GIT_CONFIG_MAX, &text)) {
        const bool is_unread =
            join_path(path, folder, name) && stat(path, &info) == 0 && info.st_size;
        str_done(&text);
        return !is_unread || err_set(err, ERR_INVALID, "git: cannot read '%s'", path);
    }
    const struct git_call call = {.words = words,
                                  .tree = "/",
                                  .input = text.data,
                                  .input_len = text.len,
                                  .timeout_ms = ask_timeout_ms};
    const bool ok = git_ask(git, &call, &list, err);
    for (size_t at = 0; ok && at < list.len;) {
        char *key = list.data + at;
        at += strlen(key) + 1;
        const char *value = split_setting(key);
        apply_repository_setting(key, value, person);
    }
    str_done(&text);
    str_done(&list);
    return ok;
}

static bool read_repository(const struct git *git, struct person *person, struct err *err)
{
    const struct git_places *places = git->places;
    return read_repository_config(git, places->common, "config", person, err) &&
           (!person->has_worktree_config ||
            read_repository_config(git, places->dir, "config.worktree", person, err));
}

/* Adds git's global and system configuration; the repository's user.name and user.email take
 * precedence. Git evaluates the conditions of includeIf with the path and the HEAD of the
 * repository, but with our configuration, to which only the URLs of its remotes are added. */
static bool read_person(const struct git *git, char *const *environment, struct person *person,
                        struct err *err)
{
    struct git asking = {.places = git->places};
    struct str git_dir = {0};
    struct str list = {0};
    struct str name = {0};
    struct str email = {0};
    str_addf(&git_dir, "--git-dir=%s", git->places->dir);
    add_git_environment(&asking.environment, environment);
    arg_list_addf(&asking.environment, "GIT_COMMON_DIR=%s", git->own);
    arg_list_addf(&asking.environment, "GIT_CONFIG_COUNT=%zu", person->remotes.count);
    for (size_t i = 0; i < person->remotes.count; i++) {
        const char *value = split_setting(person->remotes.items[i]);
        arg_list_addf(&asking.environment, "GIT_CONFIG_KEY_%zu=%s", i, person->remotes.items[i]);
        arg_list_addf(&asking.environment, "GIT_CONFIG_VALUE_%zu=%s", i, value);
    }
    const char *const words[] = {git_dir.data, "config",     "--list", "--show-scope",
                                 "-z",         "--includes", NULL};
    const struct git_call call = {.words = words, .tree = "/", .timeout_ms = ask_timeout_ms};
    const bool ok = git_ask(&asking, &call, &list, err);
    for (size_t at = 0; ok && at < list.len;) {
        const char *scope = list.data + at;
        char *key = list.data + at + strlen(scope) + 1;
        if (key >= list.data + list.len)
            break;
        at += strlen(scope) + 1 + strlen(key) + 1;
        const char *value = split_setting(key);
        if (strcmp(scope, "system") != 0 && strcmp(scope, "global") != 0)
            continue;
        if (strcmp(key, "user.name") == 0)
            set_text(&name, value);
        else if (strcmp(key, "user.email") == 0)
            set_text(&email, value);
        else if (strcmp(key, "core.excludesfile") == 0)
            set_text(&person->ignored, value);
    }
    if (person->name.len == 0)
        str_add(&person->name, str_text(&name));
    if (person->email.len == 0)
        str_add(&person->email, str_text(&email));
    str_done(&git_dir);
    str_done(&list);
    str_done(&name);
    str_done(&email);
    arg_list_done(&asking.environment);
    return ok;
}

static bool check_person(const struct git *git, const struct person *person, struct err *err)
{
    static const char hint[] = "use \"workspace\": \"copy\", which needs none";
    const bool is_worktree = strcmp(git->places->dir, git->places->common) != 0;
    if (person->is_bare && !is_worktree) { /* a bare repository may have worktrees */
        (void)err_set(err, ERR_INVALID, "'%s' is in a git repository without a working tree",
                      git->places->top);
        return err_hint(err, "%s", hint);
    }
    if (person->storage.len > 0 && strcmp(person->storage.data, "files") != 0) {
        (void)err_set(err, ERR_INVALID, "the git repository '%s' stores refs as '%.40s', not files",
                      git->places->top, person->storage.data);
        return err_hint(err, "use \"workspace\": \"copy\"");
    }
    return true;
}

/* Returns false, with an error, if one of the files is neither a regular file nor missing: git
 * would block on a FIFO, and read a device forever. */
static bool check_files(const char *folder, const char *const *names, size_t count, struct err *err)
{
    char path[PATH_MAX];
    struct stat info;
    for (size_t i = 0; i < count; i++) {
        if (join_path(path, folder, names[i]) && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
            return err_set(err, ERR_INVALID, "git: '%s' is not a file", path);
    }
    return true;
}

/* Calls check_files() for everything in a folder that is neither a regular file nor a folder;
 * follows links. */
static bool check_entries(const char *folder, struct err *err)
{
    bool ok = true;
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; ok && entry; entry = readdir(dir)) {
        if (entry->d_type != DT_REG && entry->d_type != DT_DIR)
            ok = check_files(folder, (const char *const[]){entry->d_name}, 1, err);
    }
    if (dir)
        (void)closedir(dir); /* opened for reading only */
    return ok;
}

/* Checks the files in an object folder that git may open. If an attempt creates a FIFO there later,
 * a command that needs the object will hit its time limit. */
static bool check_objects(const char *objects, int depth, struct err *err)
{
    char path[PATH_MAX];
    char loose[8];
    struct str list = {0};
    bool ok = (!join_path(path, objects, "pack") || check_entries(path, err)) &&
              (!join_path(path, objects, "info") || check_entries(path, err));
    for (int i = 0; ok && i < LOOSE_FOLDERS; i++) {
        (void)snprintf(loose, sizeof(loose), "%02x", (unsigned)i);
        ok = !join_path(path, objects, loose) || check_entries(path, err);
    }
    if (!ok || depth >= ALTERNATES_DEPTH_MAX ||
        !read_linked_file(objects, "info/alternates", GIT_CONFIG_MAX, &list)) {
        str_done(&list);
        return ok;
    }
    for (char *line = list.data, *end; ok && *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end ? (*end = '\0', 1) : 0;
        if (line[0] == '/')
            ok = check_objects(line, depth + 1, err);
        else if (line[0] && line[0] != '#' && join_path(path, objects, line))
            ok = check_objects(path, depth + 1, err);
    }
    str_done(&list);
    return ok;
}

/* Checks the folders and files of the repository. We write the user's objects and refs ourselves,
 * but never through a link that an attempt may have put in place of a folder. */
static bool check_folders(const struct git *git, struct err *err)
{
    static const char *const files[] = {"packed-refs", "shallow", "info/exclude", "config",
                                        "objects/info/alternates"};
    static const char *const own_files[] = {"HEAD", "commondir", "config.worktree"};
    static const char *const names[] = {"objects", "refs", "refs/heads"};
    char path[PATH_MAX];
    struct stat info;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!join_path(path, git->places->common, names[i]))
            return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", git->places->common);
        if (lstat(path, &info) != 0)
            return err_set_errno(err, errno, "git: '%s'", path);
        if (!S_ISDIR(info.st_mode)) {
            (void)err_set(err, ERR_INVALID, "git: '%s' is not a folder", path);
            return err_hint(err, "use \"workspace\": \"copy\": devs does not follow links there");
        }
    }
    return check_files(git->places->common, files, ARRAY_LEN(files), err) &&
           check_files(git->places->dir, own_files, ARRAY_LEN(own_files), err) &&
           join_path(path, git->places->common, "objects") && check_objects(path, 0, err);
}

/* Appends a value, quoted as in git's config files. */
static void add_quoted(struct str *out, const char *value)
{
    str_add_char(out, '"');
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            str_add_char(out, '\\');
        if (*value == '\n')
            str_add(out, "\\n");
        else
            str_add_char(out, *value);
    }
    str_add_char(out, '"');
}

/* Writes a small file. Does not write if the file already has this content, because another devs
 * process may be reading it. */
static bool write_small(int folder, const char *name, const struct str *text, struct err *err)
{
    char now[GIT_FILE_MAX];
    struct err why = {0};
    for (int round = 0; round < 2; round++) {
        const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        const ssize_t len = fd >= 0 ? read(fd, now, sizeof(now)) : -1;
        if (fd >= 0)
            (void)close(fd); /* opened for reading only */
        if (len >= 0 && (size_t)len == text->len && memcmp(now, text->data, text->len) == 0)
            return true;
        if (round == 0 && whole_file_write_at(folder, name, text, &why))
            return true;
    }
    return err_set(err, why.code, "%s", why.message);
}

static bool write_config(int own, const struct person *person, struct err *err)
{
    struct str text = {0};
    str_add(&text, fixed_config);
    if (person->ignored.len > 0) {
        str_add(&text, "[core]\n\texcludesFile = ");
        add_quoted(&text, person->ignored.data);
        str_add_char(&text, '\n');
    }
    if (person->hash.len > 0) {
        str_add(&text, "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = ");
        add_quoted(&text, person->hash.data);
        str_add_char(&text, '\n');
    }
    const bool ok = write_small(own, "config", &text, err);
    str_done(&text);
    return ok;
}

/* Copies the user's HEAD, so that "HEAD" means the same in the private repository. */
static bool write_head(const struct git *git, int own, struct err *err)
{
    char path[PATH_MAX];
    struct str text = {0};
    bool ok =
        join_path(path, git->places->dir, "HEAD") && foreign_file_read(path, GIT_FILE_MAX, &text);
    if (ok)
        str_cut(&text, strcspn(text.data, "\r\n"));
    const bool is_ref = ok && strncmp(text.data, "ref: refs/", 10) == 0;
    ok = ok && (is_ref || isxdigit((unsigned char)*text.data));
    if (is_ref && !git_ref_is_readable(git->places, text.data + 5)) {
        (void)err_set(err, ERR_INVALID, "git: '%s' is not a file", text.data + 5);
        str_done(&text);
        return false;
    }
    if (!ok)
        (void)err_set(err, ERR_INVALID, "git: cannot read '%s'", path);
    str_add_char(&text, '\n');
    ok = ok && write_small(own, "HEAD", &text, err);
    str_done(&text);
    return ok;
}

static bool write_alternates(const struct git *git, int own, struct err *err)
{
    struct str text = {0};
    add_quoted(&text, git->places->common);
    str_cut(&text, text.len - 1);
    str_add(&text, "/objects\"\n");
    const int fd = tree_folder_open(own, "objects");
    const int info = fd >= 0 ? tree_folder_open(fd, "info") : -1;
    const bool ok = info >= 0 ? write_small(info, "alternates", &text, err)
                              : err_set_errno(err, errno, "cannot open 'objects/info'");
    if (info >= 0)
        (void)close(info); /* folders; the file is written */
    if (fd >= 0)
        (void)close(fd);
    str_done(&text);
    return ok;
}

/* Creates or corrects a link in the private repository that leads to the user's repository. */
static bool link_to(int own, const char *name, const char *folder, const char *target,
                    struct err *err)
{
    char path[PATH_MAX];
    char now[PATH_MAX];
    if (!join_path(path, folder, target))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", folder);
    const ssize_t len = readlinkat(own, name, now, sizeof(now) - 1);
    if (len > 0 && (size_t)len == strlen(path) && memcmp(now, path, (size_t)len) == 0)
        return true;
    (void)unlinkat(own, name, 0); /* it may not exist */
    return symlinkat(path, own, name) == 0 || errno == EEXIST ||
           err_set_errno(err, errno, "cannot create the link '%s'", name);
}

/* Links to the parts of a split index, because git looks for them in the private repository. */
static bool link_split_index(const struct git *git, int own, struct err *err)
{
    static const char prefix[] = "sharedindex.";
    DIR *dir = opendir(git->places->dir);
    bool ok = true;
    int count = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; ok && entry && count < SPLIT_INDEXES_MAX;
         entry = readdir(dir)) {
        if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0) {
            ok = check_files(git->places->dir, (const char *const[]){entry->d_name}, 1, err) &&
                 link_to(own, entry->d_name, git->places->dir, entry->d_name, err);
            count++;
        }
    }
    if (dir)
        (void)closedir(dir); /* opened for reading only */
    return ok;
}

/* Opens the private repository after creating it and its folders if they are missing. Returns -1
 * with an error on failure. */
static int open_own(const struct git *git, struct err *err)
{
    static const char *const folders[] = {"info", "objects", "objects/info"};
    if (mkdir(git->own, 0700) != 0 && errno != EEXIST) {
        (void)err_set_errno(err, errno, "cannot create '%s'", git->own);
        return -1;
    }
    const int own = tree_folder_open(AT_FDCWD, git->own);
    bool ok = own >= 0 || err_set_errno(err, errno, "cannot open '%s'", git->own);
    for (size_t i = 0; ok && i < ARRAY_LEN(folders); i++)
        ok = mkdirat(own, folders[i], 0700) == 0 || errno == EEXIST ||
             err_set_errno(err, errno, "cannot create '%s/%s'", git->own, folders[i]);
    if (ok || own < 0)
        return own;
    (void)close(own); /* a folder opened for reading; nothing to flush */
    return -1;
}

/* Creates the private repository, or updates it after a change of the user's HEAD or settings. Also
 * reads the user's settings, for which the repository must exist. */
static bool make_own(const struct git *git, char *const *environment, struct person *person,
                     struct err *err)
{
    struct stat info;
    const char *common = git->places->common;
    const int own = open_own(git, err);
    const bool ok = own >= 0 && link_to(own, "refs", common, "refs", err) &&
                    link_to(own, "packed-refs", common, "packed-refs", err) &&
                    link_to(own, "shallow", common, "shallow", err) &&
                    link_to(own, "info/exclude", common, "info/exclude", err) &&
                    link_split_index(git, own, err) && write_alternates(git, own, err) &&
                    write_head(git, own, err) &&
                    (fstatat(own, "config", &info, 0) == 0 || write_config(own, person, err)) &&
                    read_person(git, environment, person, err) && write_config(own, person, err);
    if (own >= 0)
        (void)close(own); /* a folder; its files are written */
    return ok;
}

bool git_open(struct git *out, const char *folder, const char *own, char *const *environment,
              struct err *err)
{
    static const char *const roles[] = {"AUTHOR", "COMMITTER"};
    struct git git = {.places = xcalloc(1, sizeof(*git.places))};
    struct person person = {.is_bare = false};
    program_avoid(folder);
    add_git_environment(&git.environment, environment);
    add_closed_environment(&git.environment);
    bool ok = git_find(folder, git.places, err) && check_folders(&git, err) &&
              read_repository(&git, &person, err) && check_person(&git, &person, err);
    if (ok) {
        git.own = xstrdup(own);
        ok = make_own(&git, environment, &person, err);
        const bool is_known = person.name.len > 0 && person.email.len > 0;
        for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
            arg_list_addf(&git.environment, "GIT_%s_NAME=%s", roles[i],
                          is_known ? person.name.data : "devs");
            arg_list_addf(&git.environment, "GIT_%s_EMAIL=%s", roles[i],
                          is_known ? person.email.data : "devs@localhost");
        }
    }
    person_done(&person);
    if (ok)
        *out = git;
    else
        git_done(&git);
    return ok;
}

void git_alone(struct git *out, const char *folder, char *const *environment)
{
    const char *slash = strrchr(folder, '/');
    struct git git = {.places = xcalloc(1, sizeof(*git.places))};
    (void)snprintf(git.places->top, sizeof(git.places->top), "%s", folder);
    add_git_environment(&git.environment, environment);
    add_closed_environment(&git.environment);
    arg_list_addf(&git.environment, "GIT_CEILING_DIRECTORIES=%.*s",
                  slash ? (int)(slash - folder) : 0, folder);
    *out = git;
}

/* Finds the repository of a git folder: the folder itself or, for a worktree's folder, the folder
 * named in "commondir". */
static bool find_common(struct git_places *places)
{
    char path[PATH_MAX];
    struct str text = {0};
    bool ok = true;
    memcpy(places->common, places->dir, sizeof(places->common));
    if (read_linked_file(places->dir, "commondir", GIT_FILE_MAX, &text)) {
        str_cut(&text, strcspn(text.data, "\r\n"));
        ok = (text.data[0] == '/' || join_path(path, places->dir, text.data)) &&
             realpath(text.data[0] == '/' ? text.data : path, places->common);
    }
    str_done(&text);
    return ok;
}

/* Makes a private repository with just enough to read an index. It borrows the user's objects,
 * which a sparse index refers to. */
static bool make_own_for_index(const struct git *git, const struct person *person, struct err *err)
{
    struct str head = {0};
    const int own = open_own(git, err);
    str_add(&head, "ref: refs/heads/none\n");
    const bool ok = own >= 0 &&
                    (mkdirat(own, "refs", 0700) == 0 ||
                     err_set_errno(err, errno, "cannot create '%s/refs'", git->own)) &&
                    link_split_index(git, own, err) && write_alternates(git, own, err) &&
                    write_config(own, person, err) && write_small(own, "HEAD", &head, err);
    if (own >= 0)
        (void)close(own); /* a folder; its files are written */
    str_done(&head);
    return ok;
}

bool git_list_index(const char *dir, const char *top, char *const *environment, struct str *out,
                    struct err *err)
{
    static const char *const words[] = {"ls-files", "-s", "-z", NULL};
    char own[] = "/tmp/devs-index-XXXXXX";
    char index[PATH_MAX];
    char objects[PATH_MAX];
    struct git git;
    struct person person = {.is_bare = false};
    git_alone(&git, top, environment);
    (void)snprintf(git.places->dir, sizeof(git.places->dir), "%s", dir);
    const struct git_call call = {
        .words = words, .index = index, .out_max = GIT_INDEX_MAX, .timeout_ms = ask_timeout_ms};
    bool ok = (find_common(git.places) && join_path(index, dir, "index")) ||
              err_set(err, ERR_INVALID, "git: cannot find the repository of '%s'", dir);
    ok = ok && join_path(objects, git.places->common, "objects") &&
         check_objects(objects, 0, err) && read_repository(&git, &person, err);
    if (ok && !mkdtemp(own))
        ok = err_set_errno(err, errno, "cannot create '%s'", own);
    else if (ok) {
        git.own = xstrdup(own);
        ok = make_own_for_index(&git, &person, err) && git_ask(&git, &call, out, err);
        ok = tree_folder_remove(AT_FDCWD, own, ok ? err : NULL) && ok;
    }
    person_done(&person);
    git_done(&git);
    return ok;
}

void git_find_configs(char *const *environment, struct arg_list *out)
{
    static const char *const words[] = {
        "--git-dir=/dev/null", "config", "--list", "--show-origin", "-z", "--no-includes", NULL};
    static const char prefix[] = "file:/";
    static const char *const chosen[] = {"GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM="};
    const struct git_call call = {.words = words, .tree = "/", .timeout_ms = ask_timeout_ms};
    struct git git = {.places = xcalloc(1, sizeof(*git.places))};
    struct str list = {0};
    const char *home = find_variable(environment, "HOME=");
    const char *config = find_variable(environment, "XDG_CONFIG_HOME=");
    add_git_environment(&git.environment, environment);
    for (size_t i = 0; i < ARRAY_LEN(chosen); i++) {
        const char *entry = find_variable(environment, chosen[i]);
        if (entry)
            arg_list_add(&git.environment, entry);
    }
    const bool ok = git_ask(&git, &call, &list, NULL);
    /* The format is "file:PATH NUL KEY newline VALUE NUL" for each key. */
    for (size_t at = 0; ok && at < list.len;) {
        const char *origin = list.data + at;
        at += strlen(origin) + 1;
        at += at < list.len ? strlen(list.data + at) + 1 : 0;
        const char *path = origin + strlen(prefix) - 1;
        if (strncmp(origin, prefix, strlen(prefix)) == 0 && !arg_list_has(out, path))
            arg_list_add(out, path);
    }
    if (home && home[strlen("HOME=")] == '/')
        arg_list_addf(out, "%s/.gitconfig", home + strlen("HOME="));
    if (config && config[strlen("XDG_CONFIG_HOME=")] == '/')
        arg_list_addf(out, "%s/git/config", config + strlen("XDG_CONFIG_HOME="));
    else if (home && home[strlen("HOME=")] == '/')
        arg_list_addf(out, "%s/.config/git/config", home + strlen("HOME="));
    str_done(&list);
    git_done(&git);
}

void git_done(struct git *git)
{
    if (!git)
        return;
    free(git->places);
    free(git->own);
    arg_list_done(&git->environment);
    *git = (struct git){0};
}
