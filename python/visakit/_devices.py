"""Prints the name of each OpenCL device. It runs in a process of its own, because the loader reads its settings once."""

import ctypes
import sys

CL_DEVICE_NAME, CL_DEVICE_TYPE_ALL = 0x102B, 0xFFFFFFFF


def main() -> int:
    try:
        opencl = ctypes.CDLL("libOpenCL.so.1")
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    count = ctypes.c_uint()
    platforms = (ctypes.c_void_p * 16)()
    if opencl.clGetPlatformIDs(16, platforms, ctypes.byref(count)) != 0:
        return 1
    for platform in platforms[: min(count.value, 16)]:
        number, devices = ctypes.c_uint(), (ctypes.c_void_p * 64)()
        kinds = ctypes.c_ulong(CL_DEVICE_TYPE_ALL)
        if opencl.clGetDeviceIDs(ctypes.c_void_p(platform), kinds, 64, devices, ctypes.byref(number)) != 0:
            continue
        for device in devices[: min(number.value, 64)]:
            name = ctypes.create_string_buffer(256)
            opencl.clGetDeviceInfo(ctypes.c_void_p(device), CL_DEVICE_NAME, ctypes.c_size_t(256), name, None)
            print(name.value.decode(errors="replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
