"""Runs, checks and traces, compared with NumPy."""

import array

import numpy as np
import pytest
import visakit

IMAGES = """
kernel void invert(read_only image2d_t from, write_only image2d_t to, sampler_t how)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, 1.0f - read_imagef(from, how, at));
}
"""


@pytest.mark.parametrize("device", ["skl", "dg2", "pvc", "tgllp"])
def test_arrays_change_in_place(examples, device):
    a, b = np.arange(100, dtype=np.float32), np.random.default_rng(1).standard_normal(100).astype(np.float32)
    c = np.zeros(100, np.float32)
    path = examples / "vector_add" / f"vector_add.{device}.zebin"
    result = visakit.run(path, args={"a": a, "b": b, "c": c, "n": 100}, global_size=128, stats=True)
    assert np.array_equal(c, a + b) and result.buffers[2] is c
    assert result.instructions > 0 and sum(one["instructions"] for one in result.stats["by_opcode"].values()) > 0
    again = np.zeros(100, np.float32)
    visakit.run(path.read_bytes(), args=[a, b, again, np.uint32(50)], global_size=[128], local_size=(16,))
    assert np.array_equal(again[:50], (a + b)[:50]) and not again[50:].any()


def test_forms_of_buffers(examples):
    program = visakit.load(examples / "vector_add" / "vector_add.skl.zebin")
    assert [(index, name, kind) for index, name, _, kind in program.parameters][2:] == [(2, "c", "buffer"), (3, "n", "value")]
    whole = np.zeros((4, 8), np.float32)
    part = whole[:, ::2]
    visakit.run(program, args=[np.ones(16, np.float32), "fill:f32:16:2", part, 16], global_size=16)
    assert (part == 3).all() and not whole[:, 1::2].any()
    numbers = array.array("f", [0] * 4)
    visakit.run(program, args=[b"\0\0\x80?" * 4, bytearray(16), numbers, 4], global_size=4)
    assert numbers.tolist() == [1.0] * 4
    # An array that is given twice is one buffer.
    both = np.arange(4, dtype=np.float32)
    visakit.run(program, args=[both, both, both, 4], global_size=4)
    assert both.tolist() == [0, 2, 4, 6]
    fixed = np.zeros(4, np.float32)
    fixed.flags.writeable = False
    result = visakit.run(program, args=[both, both, fixed, 4], global_size=4)
    assert not fixed.any() and np.frombuffer(result.buffers[2], np.float32).tolist() == [0, 4, 8, 12]


def test_wrong_arguments_are_explained(examples):
    program = visakit.load(examples / "vector_add" / "vector_add.skl.zebin")
    a = np.zeros(4, np.float32)
    for args, code in [
        ([a, a, a], "argument-missing"),
        ({"nothing": 1}, "argument-unknown"),
        ([a, a, a, 1.5], "argument-kind"),
        ([a, a, a, a], "argument-kind"),
        ([1, a, a, 4], "argument-kind"),
        ([a, a, "nonsense", 4], None),
    ]:
        with pytest.raises(visakit.VisakitError) as caught:
            visakit.run(program, args=args, global_size=4)
        assert code is None or caught.value.code == code, args
        assert caught.value.help
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.run(program, args=[a, a, a, 4], global_size=0)
    assert caught.value.code == "launch-size"
    with pytest.raises(FileNotFoundError):
        visakit.run("/nowhere.zebin", global_size=1)
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.load(b"\x7fELF nothing", kernel="k")
    assert caught.value.findings


def test_faults_have_places(examples):
    a = np.zeros(4, np.float32)
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.run(examples / "vector_add" / "vector_add.pvc.zebin", args=[a, a.copy(), a.copy(), 1 << 20], global_size=1 << 20)
    assert caught.value.code == "fault-memory" and caught.value.line


def test_check_finds_the_race(examples):
    args = [np.arange(128, dtype=np.int32), np.zeros(2, np.int32), visakit.Local(256)]
    bugs = visakit.check(examples / "reduction" / "reduction.skl.zebin", "race", args=args, global_size=128, local_size=64)
    assert not bugs and bugs[0].code == "check-race" and bugs[0].line == 9 and bugs[0].related
    assert bugs[0].place["memory"] == "local" and bugs[0].place["name"] == "part" and bugs[0].count > 1
    assert not args[1].any()
    fixed = examples / "reduction" / "reduction_fixed.skl.zebin"
    assert visakit.check(fixed, ["race", "bounds", "uninit", "sync"], args=args, global_size=128, local_size=64)
    visakit.run(fixed, args=args, global_size=128, local_size=64)
    assert args[1].tolist() == [sum(range(64)), sum(range(64, 128))]
    with pytest.raises(visakit.VisakitError, match="unknown check"):
        visakit.check(fixed, "nothing", args=args, global_size=128, local_size=64)


def test_check_finds_accesses_out_of_bounds(examples):
    a = np.zeros(4, np.float32)
    args = [a, a.copy(), a.copy(), 8]
    bugs = visakit.check(examples / "vector_add" / "vector_add.dg2.zebin", "bounds", args=args, global_size=8)
    assert {bug.code for bug in bugs} == {"check-bounds"} and {bug.place["name"] for bug in bugs} == {"a", "b", "c"}


def test_trace_shows_values(examples):
    a, b = np.arange(8, dtype=np.float32), np.full(8, 0.5, np.float32)
    args = [a, b, np.zeros(8, np.float32), 8]
    steps = visakit.trace(examples / "vector_add" / "vector_add.skl.zebin", [3, (5, 0, 0)], args=args, global_size=8)
    adds = {step.item[0]: step for step in steps if step.text.startswith("add") and 3.5 in sum(step.writes.values(), [])}
    assert 3 in adds and "-> " in str(adds[3])
    assert {step.item for step in steps} == {(3, 0, 0), (5, 0, 0)}
    with pytest.raises(visakit.VisakitError, match="no work item"):
        visakit.trace(examples / "vector_add" / "vector_add.skl.zebin", [8], args=args, global_size=8)


def test_sources_are_compiled(compiler, tmp_path):
    source = tmp_path / "scale.cl"
    source.write_text("kernel void scale(global int *x, int2 by) { x[get_global_id(0)] *= by.x + by.y; }\n")
    x = np.arange(10, dtype=np.int32)
    visakit.run(source, args={"x": x, "by": (1, 2)}, global_size=10)
    assert x.tolist() == [3 * n for n in range(10)]
    zebin = visakit.compile(source.read_text(), options="-cl-std=CL1.2")
    visakit.run(zebin, args=[x, (0, 1)], global_size=10)
    assert x.tolist() == [3 * n for n in range(10)]
    source.write_text("kernel void wrong(global int *x)\n{\n    x[0] = y;\n}\n")
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.load(source)
    assert caught.value.line == 3 and caught.value.file == str(source)


def test_images(compiler):
    zebin = visakit.compile(IMAGES)
    texels = np.random.default_rng(2).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    result = np.zeros_like(texels)
    args = [visakit.Image(texels, "rgba8unorm"), visakit.Image(result, "rgba8unorm"), "sampler:clamp,nearest"]
    visakit.run(zebin, args=args, global_size=(7, 5))
    assert np.array_equal(result, 255 - texels)
    single, out = np.linspace(0, 1, 35, dtype=np.float32).reshape(5, 7), np.zeros((5, 7), np.float32)
    visakit.run(zebin, args=[visakit.Image(single, "r32f"), visakit.Image(out, "r32f"), args[2]], global_size=(7, 5))
    assert np.array_equal(out, 1 - single)


def test_a_missing_compiler_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("VISAKIT_OCLOC", "/nowhere/ocloc")
    with pytest.raises(visakit.VisakitError) as caught:
        visakit.compile("kernel void k() {}\n")
    assert caught.value.code == "compiler-missing" and caught.value.help == visakit._device.how_to_get_compiler()
