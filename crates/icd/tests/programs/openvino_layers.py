#!/usr/bin/env python3
"""Single layers and small networks on OpenVINO's GPU plugin, compared with its CPU plugin.

    openvino_layers.py [--precision f32|f16|i8] [--only TEXT] [--sample N] [--time] [--list]

Needs the packages openvino and numpy from PyPI, and an OpenCL loader that finds the driver (OCL_ICD_VENDORS). Each model is
made here from random weights. The CPU plugin computes in singles. i8 quantizes the inputs and weights of each convolution and product to
8 bits. --sample takes the networks and N layers, by a seed. Prints a line for each model that differs or fails, and the counts; with --time
also the seconds of compiling with the first inference, and of the tenth inference.
"""
import argparse, sys, time

import numpy as np
import openvino as ov
from openvino import opset13 as op

RANDOM = np.random.default_rng(7)


def constant(*shape, scale=0.3, dtype=np.float32):
    return op.constant((RANDOM.standard_normal(shape) * scale).astype(dtype))


def integers(values):
    return op.constant(np.array(values, dtype=np.int64))


def unary(function):
    return lambda: ([(2, 3, 8, 8)], lambda x: function(x))


def positive(function):
    return lambda: ([(2, 3, 8, 8)], lambda x: function(op.add(op.abs(x), op.constant(np.float32(0.1)))))


def binary(function, other=(2, 3, 8, 8)):
    return lambda: ([(2, 3, 8, 8), other], function)


def reduce(function, axes):
    return lambda: ([(2, 5, 6, 7)], lambda x: function(x, integers(axes), True))


def convolution(channels, outputs, kernel, stride=1, pad=0, dilation=1, groups=1):
    def build(x):
        if groups == 1:
            return op.convolution(x, constant(outputs, channels, kernel, kernel), [stride] * 2, [pad] * 2, [pad] * 2, [dilation] * 2)
        weights = constant(groups, outputs // groups, channels // groups, kernel, kernel)
        return op.group_convolution(x, weights, [stride] * 2, [pad] * 2, [pad] * 2, [dilation] * 2)
    return lambda: ([(1, channels, 15, 17)], build)


def quantized(build):
    """A layer with inputs and weights of eight bits, by FakeQuantize."""
    def fake(x, low, high):
        return op.fake_quantize(x, *[op.constant(np.float32(v)) for v in (low, high, low, high)], 256)
    return lambda: ([(1, 16, 12, 12)], lambda x: build(fake(x, -3, 3), fake))


def matmul(a, b, ta=False, tb=False):
    return lambda: ([a, b], lambda x, y: op.matmul(x, y, ta, tb))


def attention(x):
    """Attention of four heads over 12 tokens of 32 numbers."""
    def heads(w):
        y = op.reshape(op.matmul(x, w, False, False), integers([1, 12, 4, 8]), False)
        return op.transpose(y, integers([0, 2, 1, 3]))
    q, k, v = (heads(constant(32, 32)) for _ in range(3))
    y = op.scaled_dot_product_attention(q, k, v)
    return op.reshape(op.transpose(y, integers([0, 2, 1, 3])), integers([1, 12, 32]), False)


def layer_norm(x):
    mvn = op.mvn(x, integers([-1]), True, 1e-5, "INSIDE_SQRT")
    return op.add(op.multiply(mvn, constant(32)), constant(32))


def block(x):
    y = op.add(x, attention(layer_norm(x)))
    z = op.matmul(op.gelu(op.matmul(layer_norm(y), constant(32, 64), False, False), "ERF"), constant(64, 32), False, False)
    return op.add(y, z)


def resnet(x):
    y = op.relu(op.convolution(x, constant(16, 3, 3, 3), [2, 2], [1, 1], [1, 1], [1, 1]))
    for _ in range(3):
        z = op.relu(op.convolution(y, constant(16, 16, 3, 3, scale=0.1), [1, 1], [1, 1], [1, 1], [1, 1]))
        z = op.convolution(z, constant(16, 16, 3, 3, scale=0.1), [1, 1], [1, 1], [1, 1], [1, 1])
        y = op.relu(op.add(y, z))
    y = op.reduce_mean(y, integers([2, 3]), False)
    return op.softmax(op.matmul(y, constant(16, 10), False, False), 1)


def mobile(x):
    y = op.relu(op.convolution(x, constant(16, 3, 3, 3), [2, 2], [1, 1], [1, 1], [1, 1]))
    for _ in range(3):
        z = op.hswish(op.group_convolution(y, constant(16, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1]))
        y = op.add(y, op.convolution(z, constant(16, 16, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1]))
    return op.matmul(op.reduce_mean(y, integers([2, 3]), False), constant(16, 5), False, False)


def perceptron(x):
    y = x
    for width, following in [(64, 48), (48, 32), (32, 8)]:
        y = op.tanh(op.add(op.matmul(y, constant(width, following), False, False), constant(following)))
    return op.log_softmax(y, 1)


def unet(x):
    a = op.relu(op.convolution(x, constant(8, 3, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1]))
    b = op.max_pool(a, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], "floor").output(0)
    b = op.relu(op.convolution(b, constant(16, 8, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1]))
    c = op.convolution_backprop_data(b, constant(16, 8, 2, 2), [2, 2])
    return op.sigmoid(op.convolution(op.concat([a, c], 1), constant(1, 16, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1]))


def rnn(cell):
    gates = {"lstm": 4, "gru": 3}[cell]
    def build(x):
        lengths = op.constant(np.array([6, 6], dtype=np.int32))
        w, r, b = constant(1, gates * 16, 8), constant(1, gates * 16, 16), constant(1, gates * 16)
        h = op.constant(np.zeros((2, 1, 16), np.float32))
        if cell == "lstm":
            return op.lstm_sequence(x, h, h, lengths, w, r, b, 16, "forward").output(0)
        return op.gru_sequence(x, h, lengths, w, r, b, 16, "forward").output(0)
    return lambda: ([(2, 6, 8)], build)


MODELS = {
    **{name: unary(getattr(op, name)) for name in
       "abs sin cos exp floor ceiling negative relu sigmoid sign tanh sinh cosh atan asinh erf softplus mish hsigmoid hswish softsign".split()},
    **{name: positive(getattr(op, name)) for name in "log sqrt".split()},
    **{name: binary(getattr(op, name)) for name in
       "add subtract multiply maximum minimum squared_difference less greater equal not_equal less_equal greater_equal".split()},
    **{name + "_broadcast": binary(getattr(op, name), (1, 3, 1, 1)) for name in "add subtract multiply maximum".split()},
    "divide": lambda: ([(2, 3, 8, 8)], lambda x: op.divide(x, op.constant(np.float32(1.7)))),
    "power": positive(lambda x: op.power(x, op.constant(np.float32(1.5)))),
    "floor_mod": positive(lambda x: op.floor_mod(x, op.constant(np.float32(0.7)))),
    "clamp": unary(lambda x: op.clamp(x, -0.5, 0.7)), "elu": unary(lambda x: op.elu(x, 0.9)),
    "selu": unary(lambda x: op.selu(x, op.constant(np.float32(1.6)), op.constant(np.float32(1.05)))),
    "swish": unary(op.swish), "gelu": unary(lambda x: op.gelu(x, "ERF")), "gelu_tanh": unary(lambda x: op.gelu(x, "TANH")),
    "prelu": unary(lambda x: op.prelu(x, constant(3))), "round": unary(lambda x: op.round(x, "HALF_TO_EVEN")),
    "hard_sigmoid": unary(lambda x: op.hard_sigmoid(x, op.constant(np.float32(0.2)), op.constant(np.float32(0.5)))),
    **{f"{name}_{'_'.join(map(str, axes))}": reduce(getattr(op, name), axes) for name in
       "reduce_sum reduce_mean reduce_max reduce_min".split() for axes in ([1], [2, 3], [0, 1, 2, 3])},
    "reduce_prod": reduce(op.reduce_prod, [3]), "reduce_l1": reduce(op.reduce_l1, [1]), "reduce_l2": reduce(op.reduce_l2, [1]),
    "softmax_channels": unary(lambda x: op.softmax(x, 1)), "softmax_last": unary(lambda x: op.softmax(x, 3)),
    "log_softmax": unary(lambda x: op.log_softmax(x, 1)),
    "convolution": convolution(3, 16, 3, pad=1), "convolution_1x1": convolution(16, 8, 1), "convolution_stride": convolution(16, 32, 3, 2, 1),
    "convolution_dilated": convolution(8, 8, 3, 1, 2, 2), "convolution_5x5": convolution(4, 6, 5, pad=2),
    "convolution_groups": convolution(16, 32, 3, pad=1, groups=4), "convolution_depthwise": convolution(16, 16, 3, pad=1, groups=16),
    "convolution_3d": lambda: ([(1, 4, 6, 7, 8)], lambda x: op.convolution(x, constant(6, 4, 3, 3, 3), [1] * 3, [1] * 3, [1] * 3, [1] * 3)),
    "convolution_1d": lambda: ([(1, 4, 30)], lambda x: op.convolution(x, constant(6, 4, 3), [1], [1], [1], [1])),
    "deconvolution": lambda: ([(1, 8, 9, 9)], lambda x: op.convolution_backprop_data(x, constant(8, 4, 3, 3), [2, 2])),
    "max_pool": lambda: ([(1, 8, 12, 12)], lambda x: op.max_pool(x, [2, 2], [1, 1], [0, 0], [0, 0], [3, 3], "floor").output(0)),
    "avg_pool": lambda: ([(1, 8, 12, 12)], lambda x: op.avg_pool(x, [2, 2], [1, 1], [1, 1], [3, 3], False, "floor")),
    "matmul": matmul((24, 40), (40, 18)), "matmul_batched": matmul((3, 24, 40), (3, 40, 18)), "matmul_transposed": matmul((40, 24), (18, 40), True, True),
    "matmul_vector": matmul((1, 40), (40, 18)), "matmul_large": matmul((100, 130), (130, 70)),
    "fully_connected": lambda: ([(4, 64)], lambda x: op.matmul(x, constant(64, 30), False, False)),
    "mvn": lambda: ([(2, 5, 6, 7)], lambda x: op.mvn(x, integers([2, 3]), True, 1e-5, "INSIDE_SQRT")),
    "layer_norm": lambda: ([(2, 9, 32)], layer_norm),
    "batch_norm": lambda: ([(2, 6, 7, 8)], lambda x: op.batch_norm_inference(x, constant(6), constant(6), constant(6), op.abs(constant(6)), 1e-3)),
    "group_norm": lambda: ([(2, 6, 7, 8)], lambda x: op.group_normalization(x, constant(6), constant(6), 3, 1e-5)),
    "lrn": unary(lambda x: op.lrn(x, integers([1]), 1e-3, 0.75, 1.0, 3)),
    "normalize_l2": unary(lambda x: op.normalize_l2(x, integers([1]), 1e-6, "add")),
    "transpose": unary(lambda x: op.transpose(x, integers([0, 2, 3, 1]))), "reshape": unary(lambda x: op.reshape(x, integers([2, -1]), False)),
    "concat": binary(lambda x, y: op.concat([x, y], 1)), "concat_last": binary(lambda x, y: op.concat([x, y], 3)),
    "split": unary(lambda x: op.split(x, integers(3), 4).output(1)),
    "slice": unary(lambda x: op.slice(x, integers([0, 0, 1, 2]), integers([2, 3, 7, 8]), integers([1, 1, 2, 3]))),
    "strided_slice": unary(lambda x: op.strided_slice(x, integers([0, 0, 1, 2]), integers([2, 3, 7, 8]), integers([1, 1, 2, 3]), [0] * 4, [0] * 4)),
    "pad": unary(lambda x: op.pad(x, integers([0, 0, 1, 2]), integers([0, 0, 3, 1]), "reflect")),
    "tile": unary(lambda x: op.tile(x, integers([1, 2, 1, 3]))), "broadcast": lambda: ([(1, 3, 1, 8)], lambda x: op.broadcast(x, integers([2, 3, 4, 8]))),
    "gather": unary(lambda x: op.gather(x, integers([5, 0, 3]), integers(2))),
    "gather_nd": unary(lambda x: op.gather_nd(x, integers([[0, 1, 2], [1, 2, 7]]))),
    "gather_elements": unary(lambda x: op.gather_elements(x, op.constant(np.array(RANDOM.integers(0, 8, (2, 3, 8, 4)), dtype=np.int32)), 3)),
    "scatter_update": unary(lambda x: op.scatter_update(x, integers([1, 4]), constant(2, 3, 2, 8), integers(2))),
    "depth_to_space": lambda: ([(1, 8, 4, 5)], lambda x: op.depth_to_space(x, "blocks_first", 2)),
    "space_to_depth": lambda: ([(1, 2, 8, 6)], lambda x: op.space_to_depth(x, "blocks_first", 2)),
    "shuffle_channels": lambda: ([(1, 12, 4, 5)], lambda x: op.shuffle_channels(x, 1, 3)),
    "reverse_sequence": unary(lambda x: op.reverse_sequence(x, op.constant(np.array([3, 6], np.int32)), 0, 2)),
    "cum_sum": unary(lambda x: op.cum_sum(x, integers(2))), "roll": unary(lambda x: op.roll(x, integers([3]), integers([2]))),
    "interpolate_nearest": unary(lambda x: op.interpolate(x, integers([16, 24]), "nearest", "sizes", [0] * 4, [0] * 4, axes=integers([2, 3]))),
    "interpolate_linear": unary(lambda x: op.interpolate(x, integers([13, 5]), "linear_onnx", "sizes", [0] * 4, [0] * 4, axes=integers([2, 3]))),
    "topk": unary(lambda x: op.topk(x, integers(3), 3, "max", "value").output(0)),
    "select": binary(lambda x, y: op.select(op.greater(x, y), x, op.multiply(y, y))),
    "one_hot": lambda: ([(2, 3)], lambda x: op.one_hot(op.convert(op.abs(x), "i32"), integers(5), op.constant(np.float32(1)), op.constant(np.float32(0)), -1)),
    "convert": unary(lambda x: op.convert(op.convert(op.multiply(x, op.constant(np.float32(20))), "i32"), "f32")),
    "quantized_convolution": quantized(lambda x, fake: op.convolution(x, fake(constant(16, 16, 3, 3), -1, 1), [1, 1], [1, 1], [1, 1], [1, 1])),
    "quantized_pool": quantized(lambda x, fake: op.avg_pool(x, [2, 2], [0, 0], [0, 0], [2, 2], False, "floor")),
    "quantized_matmul": quantized(lambda x, fake: op.matmul(op.reshape(x, integers([16, 144]), False), fake(constant(144, 20), -1, 1), False, False)),
    "attention": lambda: ([(1, 12, 32)], attention), "lstm": rnn("lstm"), "gru": rnn("gru"),
    "network_resnet": lambda: ([(1, 3, 32, 32)], resnet), "network_mobile": lambda: ([(1, 3, 32, 32)], mobile),
    "network_perceptron": lambda: ([(4, 64)], perceptron), "network_unet": lambda: ([(1, 3, 24, 24)], unet),
    "network_transformer": lambda: ([(1, 12, 32)], lambda x: block(block(x))),
}


def quantize(model):
    """Quantizes the inputs of the model's convolutions and products to 8 bits."""
    for node in model.get_ordered_ops():
        if node.get_type_name() in ("Convolution", "GroupConvolution", "ConvolutionBackpropData", "MatMul"):
            for port in node.inputs()[:2]:
                source = port.get_source_output()
                is_weight = source.get_node().get_type_name() == "Constant"
                bound = float(np.abs(source.get_node().data).max()) if is_weight else 4.0
                low, high = op.constant(np.float32(-bound)), op.constant(np.float32(bound if is_weight else bound * 127 / 128))
                port.replace_source_output(op.fake_quantize(source, low, high, low, high, 255 if is_weight else 256).output(0))
    model.validate_nodes_and_infer_types()


def infer(core, model, device, hint, data, times):
    """Returns the result of the first inference. Adds its time, and that of the tenth, to `times`."""
    begin = time.monotonic()
    compiled = core.compile_model(model, device, {"INFERENCE_PRECISION_HINT": hint})
    result = compiled(data)[0].copy()
    if times is not None:
        times.append(time.monotonic() - begin)
        for _ in range(9):
            begin = time.monotonic()
            compiled(data)
        times.append(time.monotonic() - begin)
    return result


def compare(core, name, precision, times=None):
    """Returns the greatest difference, relative to the greatest value."""
    shapes, build = MODELS[name]()
    inputs = [op.parameter(shape, np.float32, name=f"x{n}") for n, shape in enumerate(shapes)]
    result = build(*inputs)
    model = ov.Model([op.convert(result, "f32")], inputs, name)
    if precision == "i8":
        quantize(model)
    data = [RANDOM.standard_normal(shape).astype(np.float32) for shape in shapes]
    hints = (("CPU", "f32"), ("GPU", "f16" if precision == "f16" else "f32"))
    expected, found = (infer(core, model, device, hint, data, times) for device, hint in hints)
    if not np.isfinite(found).all():
        return float("inf")
    return float(np.abs(found - expected).max() / max(1e-3, np.abs(expected).max()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", choices=["f32", "f16", "i8"], default="f32")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    names = [name for name in MODELS if args.only in name]
    if args.sample:
        layers = [name for name in names if not name.startswith("network_")]
        chosen = set(np.random.default_rng(7).choice(layers, min(args.sample, len(layers)), replace=False))
        names = [name for name in names if name in chosen or name.startswith("network_")]
    if args.list:
        sys.exit("\n".join(names))
    core, right = ov.Core(), 0
    for name in names:
        # Quantised values may fall on either side of a step.
        limit = 0.05 if "quantized" in name else {"f32": 2e-4, "f16": 3e-2, "i8": 0.05}[args.precision]
        times = [] if args.time else None
        try:
            error = compare(core, name, args.precision, times)
        except Exception as exception:
            print(f"{name}: {str(exception).strip().splitlines()[-1]}", flush=True)
            continue
        if error <= limit:
            right += 1
        else:
            print(f"{name}: differs by {error:.2g}", flush=True)
        if times:
            print("{}: CPU {:.3g} s, then {:.3g} s; GPU {:.3g} s, then {:.3g} s".format(name, *times), flush=True)
    print(f"{right} of {len(names)} models agree ({core.get_property('GPU', 'FULL_DEVICE_NAME')}, {args.precision})")
    sys.exit(right != len(names))


main()
