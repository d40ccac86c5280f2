/* Reports everything that the library returns about each file; `api.rs` compares the report with the Rust
 * interface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visakit.h"

static void check(visakit_status status, const char *what) {
    if (status != VISAKIT_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", what, visakit_status_text((int)status));
        exit(1);
    }
}

static void print_findings(visakit_findings *findings) {
    size_t count;
    check(visakit_count_findings(findings, &count), "count");
    for (size_t i = 0; i < count; i++) {
        visakit_finding f;
        check(visakit_get_finding(findings, i, &f), "finding");
        printf("%s %d %s:%u:%u+%u %d 0x%llx %s | %s | %s\n", f.code, (int)f.severity, f.file, f.line, f.column, f.width,
               (int)f.has_offset, (unsigned long long)f.offset, f.message, f.help, f.quote);
    }
    visakit_finding none;
    if (visakit_get_finding(findings, count, &none) != VISAKIT_STATUS_INDEX)
        exit(2);
    check(visakit_findings_free(findings), "free findings");
}

static void print_buffer(visakit_status status, const char *what, const char *text, size_t size) {
    check(status, what);
    printf("%s %zu ", what, size);
    fwrite(text, 1, size, stdout);
    putchar('\n');
    if (text[size] != 0)
        exit(3);
    check(visakit_free(text), "free");
}

/* The call comes before the use of its results. */
#define PRINT(call, what)                         \
    do {                                          \
        visakit_status status = (call);           \
        print_buffer(status, (what), text, size); \
    } while (0)

static void print_object(visakit_object *object) {
    const char *text;
    const uint8_t *bytes;
    size_t size, routines, instructions;
    check(visakit_count_routines(object, &routines), "routines");
    for (size_t r = 0; r < routines; r++) {
        PRINT(visakit_name(object, r, &text, &size), "name");
        PRINT(visakit_print_routine(object, r, VISAKIT_STYLE_FULL, &text, &size), "routine");
        check(visakit_count_instructions(object, r, &instructions), "instructions");
        for (size_t i = 0; i < instructions; i++)
            PRINT(visakit_print_instruction(object, r, i, &text, &size), "instruction");
    }
    PRINT(visakit_print(object, VISAKIT_STYLE_VENDOR, &text, &size), "vendor");
    PRINT(visakit_print(object, VISAKIT_STYLE_EXPLICIT, &text, &size), "explicit");
    check(visakit_encode(object, &bytes, &size), "encode");
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + bytes[i];
    printf("bytes %zu %u\n", size, sum);
    check(visakit_free(bytes), "free");
    for (int n = 0; n < 2; n++) {
        visakit_findings *findings;
        check(visakit_verify(object, n == 0 ? NULL : "dg2", &findings), "verify");
        print_findings(findings);
    }
}

int main(int argc, char **argv) {
    for (int n = 1; n < argc; n++) {
        FILE *file = fopen(argv[n], "rb");
        if (file == NULL)
            return 4;
        size_t size = 0, room = 1 << 24;
        char *content = malloc(room);
        if (content == NULL)
            return 5;
        size = fread(content, 1, room, file);
        fclose(file);
        /* The exact size, so that valgrind notices a read of one byte more. */
        char *exact = malloc(size > 0 ? size : 1);
        if (exact == NULL)
            return 5;
        memcpy(exact, content, size);
        free(content);
        visakit_object *object = NULL;
        visakit_findings *findings = NULL;
        visakit_status status;
        if (strstr(argv[n], ".isa") != NULL)
            status = visakit_decode((const uint8_t *)exact, size, argv[n], &object, &findings);
        else
            status = visakit_parse(exact, size, argv[n], NULL, &object, &findings);
        free(exact);
        printf("file %s: %d\n", argv[n], (int)status);
        if (status == VISAKIT_STATUS_OK)
            print_object(object);
        else if (status == VISAKIT_STATUS_INPUT)
            print_findings(findings);
        check(visakit_object_free(object), "free object");
    }
    return 0;
}
