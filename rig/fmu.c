#define _XOPEN_SOURCE 700
#include "fmu.h"

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.h"
#include "memory.h"

#ifdef __APPLE__
#define PLATFORM "darwin64"
#define SUFFIX ".dylib"
#else
#include <elf.h>
#define PLATFORM "linux64"
#define SUFFIX ".so"
#endif

static const struct {
    const char *name;
    size_t place;
} functions[] = {
#define PLACE(member, name, more) {"fmi2" #name, offsetof(Functions, member)},
    FUNCTIONS_OF_A_HOST(PLACE, )
#undef PLACE
};

static char *stem(const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = copied(slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = '\0';
    return name;
}

static bool read_description(Fmu *fmu, Archive *archive, Message *message) {
    size_t size;
    char *xml = archive_read(archive, "modelDescription.xml", &size);
    if (!xml)
        return fail(message, "%s: not an FMU, it has no readable modelDescription.xml.", fmu->path);
    Message why;
    const bool good = description_read(&fmu->description, xml, size, &why);
    free(xml);
    return good ||
           fail(message, "%s: its modelDescription.xml cannot be used: %s.", fmu->path, why.text);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Folders that are there now, to be removed also where the program ends in the middle, as without
 * memory. */
enum { FOLDERS = 256 };
static char folders[FOLDERS][256];

static void remove_folder(const char *folder) {
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    for (int i = 0; i < FOLDERS; i++)
        if (strcmp(folders[i], folder) == 0) folders[i][0] = '\0';
}

static void remove_folders(void) {
    for (int i = 0; i < FOLDERS; i++)
        if (folders[i][0]) remove_folder(folders[i]);
}

static void remember_folder(const char *folder) {
    static bool registered;
    if (!registered) registered = atexit(remove_folders) == 0;
    for (int i = 0; i < FOLDERS; i++)
        if (!folders[i][0]) {
            if (strlen(folder) < sizeof folders[i]) strcpy(folders[i], folder);
            return;
        }
}

static bool unpack(Fmu *fmu, Archive *archive, Message *message) {
    const char *root = getenv("TMPDIR");
    fmu->folder = joined(root && *root ? root : "/tmp", "/rig-", "XXXXXX");
    if (!mkdtemp(fmu->folder)) {
        fail(message, "%s: no folder to unpack it can be made: %s.", fmu->folder, strerror(errno));
        free(fmu->folder);
        fmu->folder = NULL;
        return false;
    }
    remember_folder(fmu->folder);
    Message why;
    return (archive_unpack(archive, "binaries/" PLATFORM "/", fmu->folder, &why) &&
            archive_unpack(archive, "resources/", fmu->folder, &why)) ||
           fail(message, "%s: %s.", fmu->path, why.text);
}

/* Whether all parts of a library that are to be mapped lie within its file: the system's loader
 * takes that for granted, and dies of a library that was cut off. */
static bool is_whole(const char *path) {
    bool good = true;
#ifndef __APPLE__
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    Elf64_Ehdr header;
    Elf64_Phdr part;
    good = fread(&header, sizeof header, 1, file) == 1 &&
           memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    for (int i = 0; good && i < header.e_phnum; i++)
        good = fseek(file, (long)(header.e_phoff + (Elf64_Off)i * sizeof part), SEEK_SET) == 0 &&
               fread(&part, sizeof part, 1, file) == 1 && size >= 0 &&
               part.p_offset <= (Elf64_Off)size && part.p_filesz <= (Elf64_Off)size - part.p_offset;
    fclose(file);
#endif
    return good;
}

static bool load(Fmu *fmu, Message *message) {
    char *file = joined(fmu->description.identifier, SUFFIX, "");
    char *path = joined(fmu->folder, "/binaries/" PLATFORM "/", file);
    if (access(path, R_OK) != 0)
        fail(message, "%s: it has no binary for this platform (binaries/" PLATFORM "/%s).",
             fmu->path, file);
    else if (!is_whole(path))
        fail(message, "%s: its binary is damaged.", fmu->path);
    else if (!(fmu->library = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
        fail(message, "%s: its binary cannot be loaded: %s.", fmu->path, dlerror());
    free(file);
    free(path);
    if (!fmu->library) return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(fmu->library, functions[i].name);
        if (!symbol)
            return fail(message, "%s: its binary lacks the function %s.", fmu->path,
                        functions[i].name);
        memcpy((char *)&fmu->call + functions[i].place, &symbol, sizeof symbol);
    }
    return true;
}

bool fmu_open(Fmu *fmu, const char *path, Message *message) {
    memset(fmu, 0, sizeof *fmu);
    Archive *archive = archive_open(path, message);
    if (!archive) return false;
    fmu->path = copied(path);
    fmu->name = stem(path);
    const bool good = read_description(fmu, archive, message) && unpack(fmu, archive, message) &&
                      load(fmu, message);
    archive_close(archive);
    if (good)
        fmu_find_states(fmu);
    else
        fmu_close(fmu);
    return good;
}

void fmu_close(Fmu *fmu) {
    if (fmu->library) dlclose(fmu->library);
    if (fmu->folder) remove_folder(fmu->folder);
    description_free(&fmu->description);
    free(fmu->folder);
    free(fmu->path);
    free(fmu->name);
    free(fmu->states);
    free(fmu->rates);
    memset(fmu, 0, sizeof *fmu);
}
