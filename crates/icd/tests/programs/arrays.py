# Compares array operations in Python with numpy. Prints differences, then "done".
import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
queue = cl.CommandQueue(context)
rng = np.random.default_rng(7)
a, b = rng.standard_normal((2, 5000)).astype(np.float32)
x, y = cl.array.to_device(queue, a), cl.array.to_device(queue, b)

def same(what, found, wanted, most=0.0):
    off = np.abs(np.asarray(found, np.float64) - np.asarray(wanted, np.float64)).max()
    if not off <= most:
        print(what, "is off by", off)

same("2x + y", (2 * x + y).get(), 2 * a + b)
same("x > y", (x > y).get(), a > b)
same("maximum", cl.array.maximum(x, y).get(), np.maximum(a, b))
same("sum", cl.array.sum(x).get(), a.astype(np.float64).sum(), 1e-2)
dot = ReductionKernel(context, np.float32, neutral="0", reduce_expr="a + b",
                      map_expr="v[i] * w[i]", arguments="__global const float *v, __global const float *w")
same("dot", dot(x, y).get(), np.dot(a.astype(np.float64), b), 1e-2)
numbers = rng.integers(-1000, 1000, 5000).astype(np.int32)
z = cl.array.to_device(queue, numbers)
InclusiveScanKernel(context, np.int32, "a + b", neutral="0")(z)
same("scan", z.get(), numbers.cumsum())
print("done")
