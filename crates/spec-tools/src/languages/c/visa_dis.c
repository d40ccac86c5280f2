/* Prints the instructions of objects: visa_dis FILE... */
#include <stdio.h>
#include <stdlib.h>

#include "visa_isa.h"

/* Names the strings of a routine. */
static int name(void *user, int table, uint32_t id, char *out, size_t size)
{
    const char *string = table == VISA_TABLE_STRING ? visa_string(user, id) : NULL;
    if (string)
        snprintf(out, size, "%s", string);
    return string != NULL;
}

static int print(void *user, const visa_routine *routine)
{
    visa_names names = {name, NULL, (void *)routine, 0, 0, 0};
    visa_instruction instruction;
    visa_error *error = user;
    char text[65536];
    size_t at = 0, size;
    printf("%s %.*s\n", routine->is_kernel ? ".kernel" : ".function", (int)routine->name_size,
           routine->name);
    while (at < routine->code_size) {
        size = visa_decode(routine->code + at, routine->code_size - at, routine->version,
                           &instruction, error);
        if (size == 0) {
            error->offset += at;
            return -1;
        }
        visa_print(&instruction, &names, text, sizeof text);
        printf("%s\n", text);
        at += size;
    }
    return 0;
}

static int file(const char *path)
{
    visa_error error = {0, ""};
    uint8_t *bytes = NULL, *grown;
    size_t size = 0, room = 0, count;
    FILE *input = fopen(path, "rb");
    int result;
    if (!input) {
        perror(path);
        return 1;
    }
    do {
        if (size == room) {
            room = room ? 2 * room : 65536;
            grown = realloc(bytes, room);
            if (!grown) {
                fprintf(stderr, "%s: out of memory\n", path);
                free(bytes);
                fclose(input);
                return 1;
            }
            bytes = grown;
        }
        count = fread(bytes + size, 1, room - size, input);
        size += count;
    } while (count > 0);
    fclose(input);
    result = visa_object(bytes, size, print, &error, &error);
    if (result != 0)
        fprintf(stderr, "%s: offset 0x%zx: %s\n", path, error.offset, error.message);
    free(bytes);
    return result != 0;
}

int main(int count, char **paths)
{
    int i, failed = 0;
    if (count < 2) {
        fprintf(stderr, "usage: visa_dis FILE...\n");
        return 2;
    }
    for (i = 1; i < count; i++)
        failed |= file(paths[i]);
    return failed;
}
