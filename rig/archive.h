/* The zip file of an FMU. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stddef.h>

#include "message.h"

typedef struct zip Archive;

Archive *archive_open(const char *path, Message *message);
void archive_close(Archive *archive);

/* A member's bytes, followed by a zero; to be freed. NULL if there is no such member or it is
 * damaged. */
char *archive_read(Archive *archive, const char *member, size_t *size);

/* Unpacks all members whose names begin with the prefix into a folder. */
bool archive_unpack(Archive *archive, const char *prefix, const char *folder, Message *message);

#endif
