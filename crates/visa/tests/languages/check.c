/* Decodes lines of an object's version and an instruction in hexadecimal; prints size and text. */
#include <stdio.h>
#include <stdlib.h>

#include "visa_isa.h"

int main(int count, char **arguments)
{
    static char line[1 << 16], text[1 << 16];
    FILE *input = count > 1 ? fopen(arguments[1], "r") : NULL;
    if (!input)
        return 2;
    while (fgets(line, sizeof line, input)) {
        char *hex;
        uint32_t version = (uint32_t)strtoul(line, &hex, 10);
        size_t size = 0, length, decoded;
        unsigned byte;
        uint8_t *code;
        visa_instruction instruction;
        visa_error error;
        for (hex++; sscanf(hex + 2 * size, "%2x", &byte) == 1; size++)
            ;
        /* An exact allocation, so that a sanitizer sees every access past the end. */
        code = malloc(size ? size : 1);
        if (!code)
            return 2;
        for (length = 0; length < size; length++) {
            if (sscanf(hex + 2 * length, "%2x", &byte) != 1)
                return 2;
            code[length] = (uint8_t)byte;
        }
        decoded = visa_decode(code, size, version, &instruction, &error);
        if (decoded) {
            length = visa_print(&instruction, NULL, text, sizeof text);
            /* A buffer that is too small holds the beginning of the same text. */
            if (visa_print(&instruction, NULL, text + length + 1, length / 2) != length)
                return 3;
            printf("%zu %s\n", decoded, text);
        } else {
            puts("error");
        }
        free(code);
    }
    fclose(input);
    return 0;
}
