/*
 * replay.c - a fuzzer without libFuzzer: every file of a folder, once.
 * usage: fuzz_NAME FOLDER
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH_BYTES = 4096, INPUT_MAX = 1024 * 1024 };

static size_t read_input(const char *path, uint8_t *data)
{
    FILE *file = fopen(path, "re");
    const size_t size = file ? fread(data, 1, INPUT_MAX, file) : 0;
    if (!file || ferror(file)) {
        (void)fprintf(stderr, "cannot read '%s'\n", path);
        exit(2);
    }
    (void)fclose(file);
    return size;
}

static int play(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    uint8_t *data = malloc(INPUT_MAX);
    if (!data || snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        exit(2);
    (void)printf("%s\n", name); /* the last one named is the one that fails */
    (void)fflush(stdout);
    const size_t size = read_input(path, data);
    uint8_t *exact = malloc(size > 0 ? size : 1); /* so that a byte past the end is found */
    if (!exact)
        exit(2);
    memcpy(exact, data, size);
    free(data);
    int verdict = LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return verdict;
}

int main(int argc, char **argv)
{
    int count = 0;
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (!dir) {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        if (play(argv[1], entry->d_name) != 0)
            return 1;
    }
    (void)closedir(dir);
    (void)printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
