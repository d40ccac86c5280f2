/* Decodes lines of an object's version and an instruction in hexadecimal; prints size and text.
 * With `--columns`, prints the cells of all lists instead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visa_isa.h"

static void print_cell(const visa_cell *cell)
{
    int32_t at;
    switch (cell->kind) {
    case VISA_CELL_FLAG:
        printf(" %s", cell->value ? "yes" : "no");
        break;
    case VISA_CELL_NUMBER:
        printf(" %lld", (long long)cell->value);
        break;
    case VISA_CELL_NUMBERS:
        for (at = cell->first; at < cell->first + cell->count; at++)
            printf(" %lld", (long long)visa_numbers[at].value);
        break;
    case VISA_CELL_WORDS:
        for (at = cell->first; at < cell->first + cell->count; at++)
            printf(" %s", visa_words[at].name);
        break;
    default:
        printf(" -");
    }
    putchar('\n');
}

static void print_columns(void)
{
    const visa_list *row;
    int32_t value, column;
    for (row = visa_lists; row < visa_lists + VISA_LISTS; row++)
        for (value = row->values; value < row->values + row->value_count; value++)
            for (column = 0; column < row->column_count; column++) {
                printf("%s %s %lld", row->name, visa_columns[row->columns + column].name,
                       (long long)visa_values[value].code);
                print_cell(&visa_cells[visa_values[value].cells + column]);
            }
}

int main(int count, char **arguments)
{
    static char line[1 << 16], text[1 << 16];
    FILE *input = count > 1 ? fopen(arguments[1], "r") : NULL;
    if (count > 1 && !strcmp(arguments[1], "--columns")) {
        print_columns();
        return 0;
    }
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
