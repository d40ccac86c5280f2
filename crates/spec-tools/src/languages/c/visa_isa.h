/* Decoder and printer of vISA instructions, by the tables of a specification.
 *
 * The tables are generated; this file and visa_isa.c are the same for every specification. They
 * need a C99 compiler and its standard library, allocate no memory, and have no state: all
 * functions may be called by several threads at once. Bytes without a meaning on any page are
 * errors; no input leads to an access outside of the given bytes.
 */
#ifndef VISA_ISA_H
#define VISA_ISA_H

#include <stddef.h>
#include <stdint.h>

#include "visa_tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of an object's layout, for the parameters `version`. */
#define VISA_VERSION(major, minor) (256 * (major) + (minor))

/* Problem of the input. */
typedef struct visa_error {
    /* Offset of the problem in the given bytes. */
    size_t offset;
    /* Sentence without a final dot. */
    char message[160];
} visa_error;

/* Value of a field. */
typedef struct visa_slot {
    /* 1 if the field is present. */
    int present;
    /* Number, index, or bits of a list; 0 for an operand. */
    int64_t value;
    /* Offset of the field in the instruction. */
    size_t offset;
    /* Number of repetitions; 1 for a field that is not repeated. */
    uint32_t count;
} visa_slot;

/* Decoded instruction. It refers to the bytes that it was decoded from. */
typedef struct visa_instruction {
    /* Page of the instruction, with its name. */
    const visa_page *page;
    /* Layout: the fields are visa_fields[form->fields] and those after it. */
    const visa_form *form;
    /* Bytes of the instruction, and their number. */
    const uint8_t *bytes;
    size_t size;
    uint32_t version;
    /* Values, by position of the field. */
    visa_slot slots[VISA_MAX_FIELDS];
} visa_instruction;

/* Names of variables and properties of a text. Zeros stand for the defaults. */
typedef struct visa_names {
    /* Writes the name of an entry of a table (VISA_TABLE_...) and returns 1, or returns 0 for the
     * letter of the table and the number. */
    int (*name)(void *user, int table, uint32_t id, char *out, size_t size);
    /* Returns the bits of an element of a general variable, or 0 if they are not known. */
    int (*element_bits)(void *user, uint32_t id);
    void *user;
    /* Text revision as year times 100 plus month; 0 for the oldest printer. */
    uint32_t revision;
    /* 1 for texts that keep what the vendor's text loses. */
    int full;
    /* Size of a register; 0 for 32. */
    uint32_t register_bytes;
} visa_names;

/* Kernel or function of an object. */
typedef struct visa_routine {
    /* Name, which does not end with a zero, and its length. */
    const char *name;
    size_t name_size;
    /* 0 for a function. */
    int is_kernel;
    /* Version of the object, for visa_decode. */
    uint32_t version;
    /* Instructions. */
    const uint8_t *code;
    size_t code_size;
    /* Strings, each with a zero after it, and their number. */
    const char *strings;
    uint32_t string_count;
} visa_routine;

/* Decodes the instruction at the start of `code`. Returns its size, or 0 and an error. */
size_t visa_decode(const uint8_t *code, size_t size, uint32_t version, visa_instruction *out,
                   visa_error *error);

/* Prints an instruction in assembly syntax. `names` may be NULL. Returns the length of the text;
 * if it is not less than `size`, the text in `buffer` is cut. `buffer` ends with a zero. */
size_t visa_print(const visa_instruction *instruction, const visa_names *names, char *buffer,
                  size_t size);

/* Returns a string of a routine, or NULL for a number without a string. */
const char *visa_string(const visa_routine *routine, uint32_t id);

/* Calls `each` for the kernels, then the functions of an object, until it returns a number other
 * than 0. Returns that number, 0 at the end, or -1 and an error. */
int visa_object(const uint8_t *bytes, size_t size,
                int (*each)(void *user, const visa_routine *routine), void *user,
                visa_error *error);

#ifdef __cplusplus
}
#endif

#endif
