/* Calls every function wrongly: each call returns an error and changes nothing. */
#include <stdio.h>
#include <string.h>

#include "visakit.h"

#define EXPECT(call, expected)                                                              \
    do {                                                                                    \
        visakit_status got = (call);                                                        \
        if (got != (expected)) {                                                            \
            printf("line %d: %s: %s\n", __LINE__, #call, visakit_status_text((int)got));    \
            return 1;                                                                       \
        }                                                                                   \
    } while (0)

static const char TEXT[] = ".version 4.1\n.kernel \"k\"\n    ret (M1, 1)\n";

int main(void) {
    visakit_object *object = NULL;
    visakit_findings *findings = NULL;
    visakit_finding finding;
    const char *text = NULL;
    const uint8_t *bytes = NULL;
    size_t size = 77;
    size_t length = strlen(TEXT);

    /* Null pointers. */
    EXPECT(visakit_decode(NULL, 8, NULL, &object, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_decode(NULL, 0, NULL, NULL, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_decode(NULL, 0, NULL, &object, NULL), VISAKIT_STATUS_INPUT);
    EXPECT(visakit_parse(NULL, 8, NULL, NULL, &object, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_parse(TEXT, length, NULL, NULL, NULL, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_count_routines(NULL, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_count_instructions(NULL, 0, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_verify(NULL, NULL, &findings), VISAKIT_STATUS_NULL);
    EXPECT(visakit_print(NULL, VISAKIT_STYLE_FULL, &text, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_print_routine(NULL, 0, VISAKIT_STYLE_FULL, &text, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_print_instruction(NULL, 0, 0, &text, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_name(NULL, 0, &text, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_encode(NULL, &bytes, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_count_findings(NULL, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_get_finding(NULL, 0, &finding), VISAKIT_STATUS_NULL);
    EXPECT(visakit_object_free(NULL), VISAKIT_STATUS_OK);
    EXPECT(visakit_findings_free(NULL), VISAKIT_STATUS_OK);
    EXPECT(visakit_free(NULL), VISAKIT_STATUS_OK);

    /* Sizes, names and texts. */
    EXPECT(visakit_decode((const uint8_t *)TEXT, SIZE_MAX, NULL, &object, NULL), VISAKIT_STATUS_SIZE);
    EXPECT(visakit_parse("\xff", 1, NULL, NULL, &object, NULL), VISAKIT_STATUS_UTF8);
    EXPECT(visakit_parse(TEXT, length, "\xff", NULL, &object, NULL), VISAKIT_STATUS_UTF8);
    EXPECT(visakit_parse(TEXT, length, NULL, "voodoo2", &object, NULL), VISAKIT_STATUS_PLATFORM);
    EXPECT(visakit_parse("ret (M9, 1)", 11, NULL, NULL, &object, NULL), VISAKIT_STATUS_INPUT);
    EXPECT(visakit_parse("ret (M9, 1)", 11, NULL, NULL, &object, &findings), VISAKIT_STATUS_INPUT);
    if (object != NULL || text != NULL || bytes != NULL || size != 77 || findings == NULL)
        return 2;

    /* Handles of another kind. */
    EXPECT(visakit_count_routines((visakit_object *)findings, &size), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_object_free((visakit_object *)findings), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_get_finding(findings, 1000, &finding), VISAKIT_STATUS_INDEX);
    EXPECT(visakit_get_finding(findings, 0, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_get_finding(findings, 0, &finding), VISAKIT_STATUS_OK);
    if (finding.line != 1 || finding.severity != VISAKIT_SEVERITY_ERROR)
        return 3;
    EXPECT(visakit_findings_free(findings), VISAKIT_STATUS_OK);
    EXPECT(visakit_findings_free(findings), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_count_findings(findings, &size), VISAKIT_STATUS_HANDLE);

    /* Indices, styles and null results. */
    EXPECT(visakit_parse(TEXT, length, NULL, "dg2", &object, &findings), VISAKIT_STATUS_OK);
    if (findings != NULL)
        return 4;
    EXPECT(visakit_count_routines(object, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_count_instructions(object, 1, &size), VISAKIT_STATUS_INDEX);
    EXPECT(visakit_print_routine(object, 1, VISAKIT_STYLE_FULL, &text, NULL), VISAKIT_STATUS_INDEX);
    EXPECT(visakit_print_instruction(object, 0, 1, &text, NULL), VISAKIT_STATUS_INDEX);
    EXPECT(visakit_name(object, SIZE_MAX, &text, NULL), VISAKIT_STATUS_INDEX);
    EXPECT(visakit_print(object, 3, &text, NULL), VISAKIT_STATUS_STYLE);
    EXPECT(visakit_print(object, VISAKIT_STYLE_FULL, NULL, &size), VISAKIT_STATUS_NULL);
    EXPECT(visakit_encode(object, &bytes, NULL), VISAKIT_STATUS_NULL);
    EXPECT(visakit_verify(object, "", &findings), VISAKIT_STATUS_PLATFORM);
    EXPECT(visakit_verify(object, NULL, NULL), VISAKIT_STATUS_NULL);
    if (text != NULL || bytes != NULL || size != 77 || findings != NULL)
        return 5;

    /* Buffers and handles that were freed. */
    EXPECT(visakit_free(TEXT), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_name(object, 0, &text, NULL), VISAKIT_STATUS_OK);
    if (strcmp(text, "k") != 0)
        return 6;
    EXPECT(visakit_free(text + 1), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_free(text), VISAKIT_STATUS_OK);
    EXPECT(visakit_free(text), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_object_free(object), VISAKIT_STATUS_OK);
    EXPECT(visakit_object_free(object), VISAKIT_STATUS_HANDLE);
    EXPECT(visakit_encode(object, &bytes, &size), VISAKIT_STATUS_HANDLE);

    for (int status = -1; status < 20; status++)
        if (strlen(visakit_status_text(status)) < 5)
            return 7;
    puts(visakit_version());
    return 0;
}
