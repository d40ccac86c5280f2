/* Records the launches of an OpenCL program, as input for this suite: a layer for the OpenCL loader (ocl-icd 2.3 or newer).

     cc -O2 -shared -fPIC -o record.so record.c
     VISAKIT_RECORD=FOLDER OPENCL_LAYERS=$PWD/record.so PROGRAM...

   A CPU device such as pocl, below the layer, computes. The folder receives, for each program with launches,

     ID.cl, ID.options     its source and its build options; ID is a hash of both
     ID.PID.jsonl          a line of JSON for each launch: kernel, sizes, and each argument with its contents before and after

   from which record.py makes cases. Not recorded are programs without source, launches with more than VISAKIT_RECORD_BYTES
   (8 MiB) of memory, launches of a kernel after the first VISAKIT_RECORD_LAUNCHES (4), and launches that wait for user events.
   To match the targets, the layer limits groups to 256 work items and, with VISAKIT_RECORD_NO_DOUBLE, hides doubles, which
   tgllp and dg2 lack. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GROUP 256
#define MAX_ARGS 64

/* A growable text. */
struct text {
    char *at;
    size_t used, room;
};

/* Value set for an argument. */
struct value {
    size_t size;
    void *bytes; /* NULL: local memory of that size */
    int is_svm;
};

/* State of a kernel. The list keeps released kernels, because their handles are reused. */
struct kernel {
    cl_kernel handle;
    struct value values[MAX_ARGS];
    struct kernel *next;
};

/* Number of recorded launches of a program's kernel. */
struct count {
    uint64_t id;
    char *name;
    int launches;
    struct count *next;
};

/* Memory allocated by clSVMAlloc. */
struct svm {
    char *at;
    size_t size;
    struct svm *next;
};

/* An argument at a launch. */
struct argument {
    enum { VALUE, LOCAL, BUFFER, IMAGE, SAMPLER, UNSET } kind;
    char type[128];
    cl_mem memory;
    char *svm;
    size_t bytes;
    unsigned char *before, *after;
    cl_image_format format;
    cl_mem_object_type shape;
    size_t size[3], layers, region[3];
    int same; /* index of an earlier argument with the same memory, or -1 */
    int is_const;
};

static const cl_icd_dispatch *cl;
static cl_icd_dispatch layer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static struct count *counts;
static struct svm *svms;

static void add(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (text->used + length + 1 > text->room) {
        text->room = 2 * (text->used + length + 1);
        text->at = realloc(text->at, text->room);
    }
    va_start(list, format);
    vsnprintf(text->at + text->used, length + 1, format, list);
    va_end(list);
    text->used += length;
}

static void add_hex(struct text *text, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    if (text->used + 2 * size + 1 > text->room) {
        text->room = 2 * (text->used + 2 * size + 1);
        text->at = realloc(text->at, text->room);
    }
    for (size_t n = 0; n < size; n++) {
        text->at[text->used++] = digits[bytes[n] >> 4];
        text->at[text->used++] = digits[bytes[n] & 15];
    }
    text->at[text->used] = 0;
}

static void add_sizes(struct text *text, const char *name, const size_t *sizes, cl_uint count)
{
    add(text, "\"%s\":", name);
    if (!sizes)
        add(text, "null,");
    for (cl_uint n = 0; sizes && n < count; n++)
        add(text, "%s%zu%s", n ? "," : "[", sizes[n], n + 1 == count ? "]," : "");
}

static size_t setting(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Returns the entry of a kernel; the caller holds the lock. */
static struct kernel *find(cl_kernel handle)
{
    for (struct kernel *kernel = kernels; kernel; kernel = kernel->next)
        if (kernel->handle == handle)
            return kernel;
    struct kernel *kernel = calloc(1, sizeof *kernel);
    kernel->handle = handle;
    kernel->next = kernels;
    return kernels = kernel;
}

static void set(struct value *value, size_t size, const void *bytes, int is_svm)
{
    free(value->bytes);
    *value = (struct value){size, bytes ? malloc(size) : NULL, is_svm};
    if (bytes)
        memcpy(value->bytes, bytes, size);
}

static void forget(cl_kernel handle)
{
    pthread_mutex_lock(&lock);
    struct kernel *kernel = find(handle);
    for (int n = 0; n < MAX_ARGS; n++)
        set(&kernel->values[n], 0, NULL, 0);
    pthread_mutex_unlock(&lock);
}

/* Gets source and options of a kernel's program, and returns their hash; 0 without source. */
static uint64_t describe(cl_program program, cl_device_id device, char **source, char **options)
{
    size_t size = 0, more = 0;
    *source = *options = NULL;
    cl->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size);
    cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, 0, NULL, &more);
    if (size < 2)
        return 0;
    *source = calloc(1, size + 1);
    *options = calloc(1, more + 1);
    cl->clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, *source, NULL);
    if (more)
        cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, more, *options, NULL);
    uint64_t id = 0xcbf29ce484222325;
    for (const char *part = *source; part; part = part == *source ? *options : NULL)
        for (const char *c = part; *c; c++)
            id = (id ^ (unsigned char)*c) * 0x100000001b3;
    return id;
}

/* Returns true if this launch of a kernel is to be recorded. */
static int wanted(uint64_t id, const char *name)
{
    struct count *count = counts;
    pthread_mutex_lock(&lock);
    while (count && (count->id != id || strcmp(count->name, name)))
        count = count->next;
    if (!count) {
        count = calloc(1, sizeof *count);
        *count = (struct count){id, strdup(name), 0, counts};
        counts = count;
    }
    int is_wanted = count->launches++ < (int)setting("VISAKIT_RECORD_LAUNCHES", 4);
    pthread_mutex_unlock(&lock);
    return is_wanted;
}

/* Determines the kind of an argument. Returns 0 if it cannot be recorded. */
static int inspect(cl_kernel handle, cl_uint index, const struct value *value, struct argument *argument)
{
    cl_kernel_arg_address_qualifier space = 0;
    cl_kernel_arg_type_qualifier qualifier = 0;
    argument->same = -1;
    if (cl->clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL) ||
        cl->clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_TYPE_NAME, sizeof argument->type, argument->type, NULL))
        return 0;
    cl->clGetKernelArgInfo(handle, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL);
    argument->is_const = space == CL_KERNEL_ARG_ADDRESS_CONSTANT || (qualifier & CL_KERNEL_ARG_TYPE_CONST);
    argument->bytes = value->size;
    int is_image = !strncmp(argument->type, "image", 5);
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
        argument->kind = LOCAL;
    else if (!strcmp(argument->type, "sampler_t"))
        argument->kind = SAMPLER;
    else if (space == CL_KERNEL_ARG_ADDRESS_PRIVATE && !is_image)
        argument->kind = VALUE;
    else if (value->is_svm) {
        argument->kind = BUFFER;
        argument->svm = *(char **)value->bytes;
        struct svm *svm = svms;
        while (svm && svm->at != argument->svm)
            svm = svm->next;
        argument->bytes = svm ? svm->size : 0;
        return svm != NULL;
    } else {
        argument->memory = value->bytes ? *(cl_mem *)value->bytes : NULL;
        argument->kind = is_image ? IMAGE : argument->memory ? BUFFER : UNSET;
    }
    if (argument->kind == BUFFER)
        return !cl->clGetMemObjectInfo(argument->memory, CL_MEM_SIZE, sizeof(size_t), &argument->bytes, NULL);
    if (argument->kind != IMAGE)
        return argument->kind == LOCAL || argument->kind == UNSET || value->bytes;
    if (!argument->memory)
        return 0;
    cl_mem image = argument->memory;
    size_t texel = 0;
    cl->clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof argument->shape, &argument->shape, NULL);
    cl->clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof argument->format, &argument->format, NULL);
    cl->clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof texel, &texel, NULL);
    cl->clGetImageInfo(image, CL_IMAGE_ARRAY_SIZE, sizeof(size_t), &argument->layers, NULL);
    for (int n = 0; n < 3; n++) {
        cl->clGetImageInfo(image, CL_IMAGE_WIDTH + n, sizeof(size_t), &argument->size[n], NULL);
        argument->size[n] += !argument->size[n];
        argument->region[n] = argument->size[n];
    }
    if (argument->shape == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        argument->region[1] = argument->layers;
    if (argument->shape == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        argument->region[2] = argument->layers;
    argument->bytes = texel * argument->region[0] * argument->region[1] * argument->region[2];
    return texel != 0;
}

/* Returns the contents of a buffer or image; NULL if it cannot be read. */
static unsigned char *contents(cl_command_queue queue, const struct argument *argument)
{
    static const size_t origin[3];
    unsigned char *bytes = malloc(argument->bytes + 1);
    cl_int error = 0;
    if (argument->svm)
        memcpy(bytes, argument->svm, argument->bytes);
    else if (argument->kind == BUFFER)
        error = cl->clEnqueueReadBuffer(queue, argument->memory, CL_TRUE, 0, argument->bytes, bytes, 0, NULL, NULL);
    else
        error = cl->clEnqueueReadImage(queue, argument->memory, CL_TRUE, origin, argument->region, 0, 0, bytes, 0, NULL,
                                       NULL);
    if (error) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static void add_argument(struct text *text, const struct argument *argument, const struct value *value)
{
    add(text, "{\"type\":\"%s\",", argument->type);
    switch (argument->kind) {
    case UNSET:
        add(text, "\"kind\":\"null\"}");
        break;
    case LOCAL:
        add(text, "\"kind\":\"local\",\"size\":%zu}", argument->bytes);
        break;
    case VALUE:
        add(text, "\"kind\":\"value\",\"bytes\":\"");
        add_hex(text, value->bytes, value->size);
        add(text, "\"}");
        break;
    case SAMPLER: {
        cl_sampler sampler = *(cl_sampler *)value->bytes;
        cl_bool normalized = 0;
        cl_addressing_mode addressing = 0;
        cl_filter_mode filter = 0;
        cl->clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL);
        cl->clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing, NULL);
        cl->clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL);
        add(text, "\"kind\":\"sampler\",\"state\":[%u,%u,%u]}", normalized, addressing, filter);
        break;
    }
    case IMAGE:
        add(text, "\"order\":%u,\"part\":%u,\"shape\":%u,\"layers\":%zu,", argument->format.image_channel_order,
            argument->format.image_channel_data_type, argument->shape, argument->layers);
        add_sizes(text, "size", argument->size, 3);
        /* fall through */
    case BUFFER:
        add(text, "\"kind\":\"%s\",\"const\":%d,\"same\":%d,\"before\":\"", argument->kind == IMAGE ? "image" : "buffer",
            argument->is_const, argument->same);
        if (argument->same < 0)
            add_hex(text, argument->before, argument->bytes);
        add(text, "\",\"after\":\"");
        add_hex(text, argument->after, argument->bytes);
        add(text, "\"}");
    }
}

/* Writes the program once, and the launch. */
static void keep(uint64_t id, const char *source, const char *options, const struct text *line)
{
    const char *folder = getenv("VISAKIT_RECORD"), *part = source;
    char path[4096];
    for (const char *suffix = "cl"; suffix; part = options, suffix = *suffix == 'c' ? "options" : NULL) {
        snprintf(path, sizeof path, "%s/%016llx.%s", folder, (unsigned long long)id, suffix);
        FILE *file = access(path, F_OK) ? fopen(path, "w") : NULL;
        if (file) {
            fputs(part, file);
            fclose(file);
        }
    }
    snprintf(path, sizeof path, "%s/%016llx.%d.jsonl", folder, (unsigned long long)id, (int)getpid());
    FILE *file = fopen(path, "a");
    if (file) {
        fwrite(line->at, 1, line->used, file);
        fclose(file);
    }
}

/* A launch that is being recorded. */
struct launch {
    uint64_t id;
    char *source, *options, name[512];
    cl_uint count;
    struct value values[MAX_ARGS];
    struct argument arguments[MAX_ARGS];
};

/* Records the state before a launch; NULL if the launch is not to be recorded. */
static struct launch *begin(cl_command_queue queue, cl_kernel handle, cl_uint events, const cl_event *waits)
{
    cl_program program = NULL;
    cl_device_id device = NULL;
    if (!getenv("VISAKIT_RECORD"))
        return NULL;
    for (cl_uint n = 0; n < events; n++) {
        cl_command_type type = 0;
        cl->clGetEventInfo(waits[n], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
        if (type == CL_COMMAND_USER)
            return NULL;
    }
    struct launch *launch = calloc(1, sizeof *launch);
    cl->clGetKernelInfo(handle, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    cl->clGetKernelInfo(handle, CL_KERNEL_FUNCTION_NAME, sizeof launch->name, launch->name, NULL);
    cl->clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof launch->count, &launch->count, NULL);
    cl->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    launch->id = describe(program, device, &launch->source, &launch->options);
    int good = launch->id && launch->count <= MAX_ARGS && wanted(launch->id, launch->name);
    if (good && events)
        cl->clWaitForEvents(events, waits);
    good = good && !cl->clFinish(queue);
    pthread_mutex_lock(&lock);
    struct kernel *kernel = find(handle);
    size_t bytes = 0;
    for (cl_uint n = 0; good && n < launch->count; n++) {
        set(&launch->values[n], kernel->values[n].size, kernel->values[n].bytes, kernel->values[n].is_svm);
        good = inspect(handle, n, &launch->values[n], &launch->arguments[n]);
        if (good && launch->arguments[n].kind != VALUE)
            bytes += launch->arguments[n].bytes;
    }
    pthread_mutex_unlock(&lock);
    good = good && bytes <= setting("VISAKIT_RECORD_BYTES", 8 << 20);
    for (cl_uint n = 0; good && n < launch->count; n++) {
        struct argument *argument = &launch->arguments[n];
        if (argument->kind != BUFFER && argument->kind != IMAGE)
            continue;
        for (int other = n - 1; other >= 0; other--)
            if (launch->arguments[other].memory == argument->memory && launch->arguments[other].svm == argument->svm)
                argument->same = other;
        argument->before = contents(queue, argument);
        good = argument->before != NULL;
    }
    if (good)
        return launch;
    for (cl_uint n = 0; n < launch->count && n < MAX_ARGS; n++) {
        free(launch->values[n].bytes);
        free(launch->arguments[n].before);
    }
    free(launch->source);
    free(launch->options);
    free(launch);
    return NULL;
}

/* Records the memory after a launch, and writes the recording unless an error occurred. */
static void end(struct launch *launch, cl_command_queue queue, cl_int error, cl_uint dimensions, const size_t *offset,
                const size_t *global, const size_t *local)
{
    struct text line = {0};
    int good = !error && !cl->clFinish(queue);
    add(&line, "{\"kernel\":\"%s\",", launch->name);
    add_sizes(&line, "glob", global, dimensions);
    add_sizes(&line, "loc", local, dimensions);
    add_sizes(&line, "off", offset, dimensions);
    add(&line, "\"args\":[");
    for (cl_uint n = 0; n < launch->count; n++) {
        struct argument *argument = &launch->arguments[n];
        if (argument->kind == BUFFER || argument->kind == IMAGE) {
            argument->after = contents(queue, argument);
            good = good && argument->after;
        }
        if (good) {
            add(&line, n ? "," : "");
            add_argument(&line, argument, &launch->values[n]);
        }
        free(argument->before);
        free(argument->after);
        free(launch->values[n].bytes);
    }
    add(&line, "]}\n");
    pthread_mutex_lock(&lock);
    if (good)
        keep(launch->id, launch->source, launch->options, &line);
    pthread_mutex_unlock(&lock);
    free(line.at);
    free(launch->source);
    free(launch->options);
    free(launch);
}

static cl_int CL_API_CALL set_arg(cl_kernel handle, cl_uint index, size_t size, const void *value)
{
    cl_int error = cl->clSetKernelArg(handle, index, size, value);
    pthread_mutex_lock(&lock);
    if (!error && index < MAX_ARGS)
        set(&find(handle)->values[index], size, value, 0);
    pthread_mutex_unlock(&lock);
    return error;
}

static cl_int CL_API_CALL set_arg_svm(cl_kernel handle, cl_uint index, const void *value)
{
    cl_int error = cl->clSetKernelArgSVMPointer(handle, index, value);
    pthread_mutex_lock(&lock);
    if (!error && index < MAX_ARGS)
        set(&find(handle)->values[index], sizeof value, &value, 1);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Builds with argument information, which provides the types of arguments. */
static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *done)(cl_program, void *), void *data)
{
    struct text all = {0};
    add(&all, "%s -cl-kernel-arg-info", options ? options : "");
    cl_int error = cl->clBuildProgram(program, count, devices, all.at, done, data);
    free(all.at);
    return error;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error)
{
    cl_kernel handle = cl->clCreateKernel(program, name, error);
    if (handle)
        forget(handle);
    return handle;
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room, cl_kernel *handles, cl_uint *count)
{
    cl_uint made = 0;
    cl_int error = cl->clCreateKernelsInProgram(program, room, handles, &made);
    for (cl_uint n = 0; !error && handles && n < made && n < room; n++)
        forget(handles[n]);
    if (count)
        *count = made;
    return error;
}

static cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int *error)
{
    cl_kernel handle = cl->clCloneKernel(source, error);
    pthread_mutex_lock(&lock);
    for (int n = 0; handle && n < MAX_ARGS; n++) {
        const struct value *value = &find(source)->values[n];
        set(&find(handle)->values[n], value->size, value->bytes, value->is_svm);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

static void *CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    char *at = cl->clSVMAlloc(context, flags, size, alignment);
    struct svm *svm = malloc(sizeof *svm);
    pthread_mutex_lock(&lock);
    *svm = (struct svm){at, size, svms};
    svms = svm;
    pthread_mutex_unlock(&lock);
    return at;
}

/* Removes flags that forbid host reads. */
static cl_mem_flags readable(cl_mem_flags flags)
{
    return flags & ~(cl_mem_flags)(CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    return cl->clCreateBuffer(context, readable(flags), size, host, error);
}

static cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                       const cl_image_desc *shape, void *host, cl_int *error)
{
    return cl->clCreateImage(context, readable(flags), format, shape, host, error);
}

static cl_int CL_API_CALL run(cl_command_queue queue, cl_kernel handle, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint events, const cl_event *waits,
                              cl_event *done)
{
    struct launch *launch = begin(queue, handle, events, waits);
    cl_int error =
        cl->clEnqueueNDRangeKernel(queue, handle, dimensions, offset, global, local, events, waits, done);
    if (launch)
        end(launch, queue, error, dimensions, offset, global, local);
    return error;
}

static cl_int CL_API_CALL run_task(cl_command_queue queue, cl_kernel handle, cl_uint events, const cl_event *waits,
                                   cl_event *done)
{
    static const size_t one = 1;
    return run(queue, handle, 1, NULL, &one, &one, events, waits, done);
}

static void limit(void *value, size_t room, int is_limit)
{
    size_t count = room / sizeof(size_t);
    for (size_t n = 0; is_limit && value && n < count && n < 3; n++)
        if (((size_t *)value)[n] > MAX_GROUP)
            ((size_t *)value)[n] = MAX_GROUP;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t room, void *value, size_t *size)
{
    cl_int error = cl->clGetDeviceInfo(device, name, room, value, size);
    if (!error && value && getenv("VISAKIT_RECORD_NO_DOUBLE")) {
        char *word = name == CL_DEVICE_EXTENSIONS ? strstr(value, "cl_khr_fp64") : NULL;
        if (word)
            memset(word, ' ', strlen("cl_khr_fp64"));
        if (name == CL_DEVICE_DOUBLE_FP_CONFIG)
            memset(value, 0, room);
    }
    limit(value, room, !error && (name == CL_DEVICE_MAX_WORK_GROUP_SIZE || name == CL_DEVICE_MAX_WORK_ITEM_SIZES));
    return error;
}

static cl_int CL_API_CALL group_info(cl_kernel handle, cl_device_id device, cl_kernel_work_group_info name, size_t room,
                                     void *value, size_t *size)
{
    cl_int error = cl->clGetKernelWorkGroupInfo(handle, device, name, room, value, size);
    limit(value, room, !error && name == CL_KERNEL_WORK_GROUP_SIZE);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void *value, size_t *size)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char title[] = "visakit recorder";
    const void *from = name == CL_LAYER_NAME ? (const void *)title : &version;
    size_t needed = name == CL_LAYER_NAME ? sizeof title : sizeof version;
    if (name != CL_LAYER_NAME && name != CL_LAYER_API_VERSION)
        return CL_INVALID_VALUE;
    if (size)
        *size = needed;
    if (value && room < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, needed);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *below, cl_uint *count_ret,
                                            const cl_icd_dispatch **layer_ret)
{
    size_t known = sizeof layer / sizeof(void *);
    if (!below || !count_ret || !layer_ret || count < known)
        return CL_INVALID_VALUE;
    cl = below;
    layer = *below;
    layer.clSetKernelArg = set_arg;
    layer.clSetKernelArgSVMPointer = set_arg_svm;
    layer.clBuildProgram = build;
    layer.clCreateKernel = create_kernel;
    layer.clCreateKernelsInProgram = create_kernels;
    layer.clCloneKernel = clone_kernel;
    layer.clCreateBuffer = create_buffer;
    layer.clCreateImage = create_image;
    layer.clSVMAlloc = svm_alloc;
    layer.clEnqueueNDRangeKernel = run;
    layer.clEnqueueTask = run_task;
    layer.clGetDeviceInfo = device_info;
    layer.clGetKernelWorkGroupInfo = group_info;
    *count_ret = known;
    *layer_ret = &layer;
    return CL_SUCCESS;
}
