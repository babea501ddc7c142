#define _DEFAULT_SOURCE
#include "place_check.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "db.h"
#include "log_own.h"
#include "private_file.h"
#include "schema.h"

enum { FILE_MODE = 0600, OTHERS_MODE = 077 };

/* From statfs(2). FUSE is not of the network ones: it may be local or not. */
static const struct type {
    unsigned long number;
    const char *name;
    bool is_network;
} types[] = {
    {0xef53, "ext4", false},        {0x9123683e, "btrfs", false}, {0x58465342, "xfs", false},
    {0x2fc12fc1, "zfs", false},     {0xf2f52010, "f2fs", false},  {0x01021994, "tmpfs", false},
    {0x794c7630, "overlay", false}, {0x65735546, "fuse", false},  {0x6969, "nfs", true},
    {0x517b, "smb", true},          {0xfe534d42, "smb2", true},   {0xff534d42, "cifs", true},
    {0x73757245, "coda", true},     {0x5346414f, "afs", true},    {0x6b414653, "kafs", true},
    {0x01021997, "9p", true},       {0x00c36400, "ceph", true},   {0x0bd00bd0, "lustre", true},
    {0x47504653, "gpfs", true},     {0x564c, "ncp", true},
};

static const struct type *find_type(unsigned long number)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (types[i].number == number)
            return &types[i];
    }
    return NULL;
}

bool place_type_is_network(unsigned long type)
{
    const struct type *known = find_type(type);
    return known && known->is_network;
}

bool place_disk(const char *dir, struct place_disk *out, struct err *err)
{
    struct statfs info;
    if (statfs(dir, &info) != 0)
        return err_set_errno(err, errno, "cannot look at '%s'", dir);
    /* The magic is 32 bits wide, the member is signed. */
    const unsigned long number = (unsigned long)info.f_type & 0xffffffffUL;
    const struct type *type = find_type(number);
    *out = (struct place_disk){
        .type = type ? type->name : "?",
        .is_network = place_type_is_network(number),
        .free_bytes = (int64_t)info.f_bavail * (int64_t)info.f_bsize,
    };
    return true;
}

bool place_check_folder(const char *dir, struct err *err)
{
    struct place_disk disk = {0};
    if (!place_disk(dir, &disk, err))
        return false;
    if (!disk.is_network)
        return true;
    (void)err_set(err, ERR_INVALID, "'%s' is on a network file system: a log would not be safe",
                  dir);
    return err_hint(err, "--db FILE with a file on a local disk");
}

/* A group with the user's own number is theirs alone: so many systems make accounts. */
static bool others_may_write(const struct stat *folder)
{
    bool own_group = folder->st_gid == getegid() && (unsigned long)folder->st_gid == geteuid();
    return (folder->st_mode & S_IWOTH) != 0 || ((folder->st_mode & S_IWGRP) != 0 && !own_group);
}

bool place_check_private(const char *dir, struct err *err)
{
    struct stat named;
    struct stat folder;
    if (lstat(dir, &named) != 0 || stat(dir, &folder) != 0)
        return err_set_errno(err, errno, "cannot look at '%s'", dir);
    if (S_ISLNK(named.st_mode) && (folder.st_uid != geteuid() || named.st_uid != geteuid())) {
        (void)err_set(err, ERR_INVALID, "'%s' is a link to a folder of somebody else's", dir);
        return err_hint(err, "--db FILE with a file in a folder of your own");
    }
    if (folder.st_uid != geteuid() && folder.st_uid != 0) {
        (void)err_set(err, ERR_INVALID, "'%s' is somebody else's folder, so no log is kept there",
                      dir);
        return err_hint(err, "--db FILE with a file in a folder of your own");
    }
    if (others_may_write(&folder)) {
        (void)err_set(err, ERR_INVALID, "others may write to '%s', so no log is kept there", dir);
        return err_hint(err, "chmod go-w '%s', or --db FILE in another folder", dir);
    }
    return true;
}

/* A second name leads to a second WAL; two WALs of one file are the end of it. */
static bool check_file(const struct place *place, struct stat *info, struct err *err)
{
    if (S_ISLNK(info->st_mode))
        return err_set(err, ERR_INVALID, "'%s' is a link: name the log itself", place->db);
    if (!S_ISREG(info->st_mode))
        return err_set(err, ERR_DAMAGED, "'%s' is no file", place->db);
    if (info->st_nlink > 1)
        return err_set(err, ERR_INVALID, "'%s' has a second name (hard link): no log can",
                       place->db);
    return true;
}

static void make_private(const char *db, const char *suffix)
{
    char path[PATH_MAX];
    struct stat info;
    if (private_path_join(path, sizeof(path), db, suffix, NULL) && lstat(path, &info) == 0 &&
        S_ISREG(info.st_mode) && (info.st_mode & OTHERS_MODE) != 0)
        private_mode_set(path, FILE_MODE);
}

static bool check_schema(const struct place *place, struct err *err)
{
    struct db db;
    if (!db_init(&db, place->db, DB_READ, err))
        return false;
    struct err why = {0};
    bool ok = schema_check(&db, &why) || (why.code != ERR_DAMAGED && why.code != ERR_INVALID);
    db_done(&db);
    if (!ok) {
        (void)err_set(err, why.code, "%s", why.message);
        return err_hint(err, "%s", why.hint);
    }
    return true; /* whatever else is in the way is met by whoever writes */
}

bool place_check_log(const struct place *place, struct err *err)
{
    struct stat info;
    if (lstat(place->db, &info) != 0)
        return err_set_errno(err, errno, "cannot look at '%s'", place->db);
    return check_file(place, &info, err) && check_schema(place, err);
}

bool place_check_write(const struct place *place, struct err *err)
{
    struct stat info;
    if (!place_check_private(place->dir, err))
        return false;
    if (lstat(place->db, &info) != 0 && errno == ENOENT)
        return log_own_check(place, err);
    if (lstat(place->db, &info) != 0)
        return err_set_errno(err, errno, "cannot look at '%s'", place->db);
    if (!check_file(place, &info, err) || (info.st_size > 0 && !check_schema(place, err)) ||
        !log_own_check(place, err))
        return false;
    make_private(place->db, "");
    make_private(place->db, "-wal");
    make_private(place->db, "-shm");
    return true;
}
