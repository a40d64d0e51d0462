/** Lines of Python that call the GPU's driver by its library alone, so that every computer with a GPU can run them. */
export const DRIVER = `import ctypes, math, os, signal, statistics, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        raise SystemExit(f"{name} ended with {code}")
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
def open_gpu(index, size):
    call("cuDeviceGet", ctypes.byref(device), index)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))`;
