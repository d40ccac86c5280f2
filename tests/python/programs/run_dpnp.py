import dpnp
a = dpnp.arange(16, dtype=dpnp.float32).reshape(4, 4)
print(a.sycl_device.name, dpnp.asnumpy(a @ a)[3])
