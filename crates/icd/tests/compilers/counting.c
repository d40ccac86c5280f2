/* A compiler without a language: it counts the sources of its process, as the vendor's does, and shows the number in its output
   and in its messages. What it does depends on the words of a source. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int number;

static char text[100], message[100];
static uint8_t *contents[2] = { (uint8_t *)text, (uint8_t *)message };
static uint64_t sizes[2];
static char *names[2] = { "out", "stdout.log" };

int oclocInvoke(uint32_t argument_count, const char **arguments, uint32_t source_count, const uint8_t **sources, const uint64_t *source_sizes,
                const char **source_names, uint32_t header_count, const uint8_t **headers, const uint64_t *header_sizes,
                const char **header_names, uint32_t *count, uint8_t ***output, uint64_t **output_sizes, char ***output_names) {
    const char *source = source_count ? (const char *)sources[0] : "";
    int is_bad = strstr(source, "fail") != NULL;
    number++;
    if (strstr(source, "crash") && (number > 1 || !strstr(source, "later"))) abort();
    if (strstr(source, "print")) printf("source %d\n", number);
    while (strstr(source, "slow") && clock() < 2 * CLOCKS_PER_SEC) continue;
    sprintf(text, "%d", number);
    sprintf(message, is_bad ? "%d: error\n" : strstr(source, "warn") ? "%d: warning\n" : "Build succeeded.\n", number);
    sizes[0] = strlen(text);
    sizes[1] = strlen(message);
    *count = 2;
    *output = contents;
    *output_sizes = sizes;
    *output_names = names;
    return is_bad ? -11 : 0;
}
