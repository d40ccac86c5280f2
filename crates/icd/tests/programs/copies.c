/* Launches the kernels of the file that KERNELS names: each line of standard input is a kernel, its sizes, and its arguments. */
#include "common.h"

static void run(void) {
    static char source[1 << 20];
    FILE *file = fopen(getenv("KERNELS"), "rb");
    size_t length = file ? fread(source, 1, sizeof source - 1, file) : 0;
    if (file) fclose(file);
    source[length] = 0;
    cl_program program = make_program(source, "-g");
    cl_command_queue queue = make_queue(0);
    char line[300], name[100];
    rewind(stdin);
    while (fgets(line, sizeof line, stdin)) {
        size_t global[2], local[2];
        int dimensions = 0, at = 0, next = 0;
        cl_uint number = 0;
        cl_mem buffers[8];
        int count = 0;
        if (sscanf(line, "%99s %d %n", name, &dimensions, &at) < 2) continue;
        for (int n = 0; n < dimensions; n++, at += next) sscanf(line + at, "%zu %zu %n", &global[n], &local[n], &next);
        cl_kernel kernel = clCreateKernel(program, name, &code);
        CHECK(code);
        char kind[20];
        size_t size;
        /* `zeros` and `local` take bytes; `i32` and `f32` take a number of ascending elements. */
        for (; sscanf(line + at, "%19s %zu %n", kind, &size, &next) == 2; at += next, number++) {
            if (!strcmp(kind, "local")) {
                CHECK(clSetKernelArg(kernel, number, size, NULL));
                continue;
            }
            int is_zeros = !strcmp(kind, "zeros"), is_float = !strcmp(kind, "f32");
            size_t bytes = is_zeros ? size : size * 4;
            char *contents = calloc(bytes, 1);
            for (size_t n = 0; !is_zeros && n < size; n++) {
                if (is_float) ((float *)contents)[n] = n;
                else ((int *)contents)[n] = n;
            }
            cl_mem buffer = make_buffer(CL_MEM_COPY_HOST_PTR, bytes, contents);
            free(contents);
            CHECK(clSetKernelArg(kernel, number, sizeof buffer, &buffer));
            buffers[count++] = buffer;
        }
        CHECK(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL));
        clFinish(queue);
        printf("%s\n", name);
        while (count) CHECK(clReleaseMemObject(buffers[--count]));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
