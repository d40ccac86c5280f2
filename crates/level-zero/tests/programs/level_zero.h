/* Level Zero without its headers and its loader: the driver is opened as a library. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                  \
    do {                                                             \
        long result = (long)(call);                                  \
        if (result != 0) {                                           \
            printf("line %d: %s: 0x%lx\n", __LINE__, #call, result); \
            exit(1);                                                 \
        }                                                            \
    } while (0)

/* Structures of Level Zero, without its headers. */
struct desc { uint32_t stype; void *next; uint32_t a, b, c, d, e; };
struct module_desc { uint32_t stype; void *next; uint32_t format; size_t size; const void *bytes; const char *flags; void *constants; };
struct kernel_desc { uint32_t stype; void *next; uint32_t flags; const char *name; };
typedef uint32_t (*function)();

static void *driver, *device, *context;
static function address_of;

/* Returns a function of the Level Zero driver. */
static function ze(const char *name) {
    void *found = NULL;
    CHECK(address_of(driver, name, &found));
    return (function)found;
}

/* Opens a driver, and creates a context with its first device. */
static void open_driver(const char *library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    function drivers[64] = {0}, globals[64] = {0};
    CHECK(((function)dlsym(handle, "zeGetGlobalProcAddrTable"))(0x10011, globals));
    CHECK(((function)dlsym(handle, "zeGetDriverProcAddrTable"))(0x10011, drivers));
    uint32_t count = 1;
    CHECK(globals[0](0));
    CHECK(drivers[0](&count, &driver));
    address_of = drivers[5];
    count = 1;
    CHECK(ze("zeDeviceGet")(driver, &count, &device));
    struct desc desc = {0xd};
    CHECK(ze("zeContextCreate")(driver, &desc, &context));
}
