/* A header that changes between two builds is detected in every form of inclusion. */
#define _GNU_SOURCE
#include "common.h"
#include <sys/stat.h>
#include <unistd.h>

static char folder[100];

static void header(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    FILE *file = text ? fopen(path, "w") : NULL;
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

/* Builds a source and runs its kernel, which returns a number. */
static int build(const char *source, const char *options, int in_steps) {
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    if (in_steps) {
        /* The text includes a header in memory, which includes a header on disk. */
        const char *text = "#include \"h.h\"\n#define W V\n", *name = "memory.h";
        cl_program in_memory = clCreateProgramWithSource(context, 1, &text, NULL, &error);
        error = clCompileProgram(program, 1, &device, options, 1, &in_memory, &name, NULL, NULL);
        cl_program linked = error ? NULL : clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &error);
        clReleaseProgram(in_memory);
        clReleaseProgram(program);
        program = linked;
    } else {
        error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    }
    if (error) {
        return -1000 + error;
    }
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &error);
    size_t size = 1;
    cl_int value = -1;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return value;
}

static void run(void) {
    static const struct {
        const char *name, *text;
        int in_steps;
    } forms[] = {
        {"quotes", "#include \"h.h\"\n"},
        {"brackets", "#include<h.h>\n"},
        {"tab", "#include\t\"h.h\"\n"},
        {"blanks", "  #  include   \"h.h\"\n"},
        {"comment", "#include/**/\"h.h\"\n"},
        {"macro", "#define H \"h.h\"\n#include H\n"},
        {"continued", "#inc\\\nlude \"h.h\"\n"},
        {"digraph", "%:include \"h.h\"\n"},
        {"indirect", "#include \"g.h\"\n"},
        {"is there", "#if __has_include(\"new.h\")\n#define V 2\n#else\n#define V 1\n#endif\n"},
        {"in front", "#include \"front.h\"\n"},
        {"in steps", "#include \"memory.h\"\n", 1},
        {"in options", ""},
    };
    strcpy(folder, "/tmp/visakit-includes-XXXXXX");
    if (!mkdtemp(folder)) {
        return;
    }
    char path[300];
    snprintf(path, sizeof path, "%s/first", folder);
    mkdir(path, 0755);
    for (unsigned n = 0; n < sizeof forms / sizeof *forms; n++) {
        char source[1000], options[500];
        snprintf(source, sizeof source, "%skernel void k(global int *a) { *a = V; } // %s\n", forms[n].text, forms[n].name);
        snprintf(options, sizeof options, "-I %s/first -I %s", folder, folder);
        if (!*forms[n].text) {
            strcat(options, " -include h.h");
        }
        header("g.h", "#include \"h.h\"\n");
        header("new.h", NULL);
        header("first/front.h", NULL);
        header("front.h", "#define V 1\n");
        header("h.h", "#define V 1\n");
        int one = build(source, options, forms[n].in_steps);
        header("h.h", "#define V 2\n");
        header("new.h", "");
        header("first/front.h", "#define V 2\n");
        int two = build(source, options, forms[n].in_steps);
        /* An unknown option fails each time. */
        int is_refused = !*forms[n].text && one < 0 && two == one;
        if (!is_refused && (one != 1 || two != 2)) {
            printf("%s: %d, then %d\n", forms[n].name, one, two);
        }
    }
    puts("done");
    header("first/front.h", NULL);
    header("h.h", NULL);
    header("g.h", NULL);
    header("new.h", NULL);
    header("front.h", NULL);
    rmdir(path);
    rmdir(folder);
}
