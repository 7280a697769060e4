#define _POSIX_C_SOURCE 200809L
#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

#include "memory.h"

/* No friction element is larger; a file that unpacks to more is no FMU but a bomb. */
static const size_t LARGEST_MEMBER = 64u << 20;

Archive *archive_open(const char *path, Message *message) {
    int code;
    Archive *archive = zip_open(path, ZIP_RDONLY, &code);
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN)
            fail(message, "%s: %s.", path, strerror(errno));
        else
            fail(message, "%s: not an FMU, the zip file cannot be read (%s).", path,
                 zip_error_strerror(&error));
        zip_error_fini(&error);
    }
    return archive;
}

void archive_close(Archive *archive) {
    if (archive) zip_discard(archive);
}

char *archive_read(Archive *archive, const char *member, size_t *size) {
    zip_stat_t facts;
    if (zip_stat(archive, member, 0, &facts) != 0 || !(facts.valid & ZIP_STAT_SIZE)) return NULL;
    zip_file_t *file = zip_fopen(archive, member, 0);
    if (!file) return NULL;
    /* The size comes from the file and may be damaged: memory grows with the bytes that are really
     * there. */
    char *bytes = NULL;
    size_t length = 0;
    zip_int64_t got;
    do {
        bytes = grown_array(bytes, length + 65537, 1);
        got = zip_fread(file, bytes + length, 65536);
        if (got > 0) length += (size_t)got;
    } while (got > 0 && length <= LARGEST_MEMBER);
    const bool good = got == 0 && zip_fclose(file) == 0 && length == facts.size;
    if (!good) {
        free(bytes);
        return NULL;
    }
    bytes[length] = '\0';
    if (size) *size = length;
    return bytes;
}

/* A member may not leave the folder it is unpacked into. */
static bool is_inside(const char *member) {
    return member[0] != '/' && !strstr(member, "..") && !strchr(member, '\\');
}

static void make_folders(const char *path) {
    char *part = copied(path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0700);
        *slash = '/';
    }
    free(part);
}

static bool write_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

bool archive_unpack(Archive *archive, const char *prefix, const char *folder, Message *message) {
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *member = zip_get_name(archive, (zip_uint64_t)i, 0);
        if (!member || strncmp(member, prefix, strlen(prefix)) != 0 ||
            member[strlen(member) - 1] == '/')
            continue;
        if (!is_inside(member))
            return fail(message, "the name of the member \"%s\" leaves the archive", member);
        size_t size;
        char *bytes = archive_read(archive, member, &size);
        if (!bytes) return fail(message, "its member \"%s\" is damaged", member);
        char *path = joined(folder, "/", member);
        make_folders(path);
        const bool written = write_file(path, bytes, size);
        if (!written) fail(message, "\"%s\" cannot be written: %s", path, strerror(errno));
        free(path);
        free(bytes);
        if (!written) return false;
    }
    return true;
}
