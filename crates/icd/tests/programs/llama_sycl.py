#!/usr/bin/env python3
"""A small model on llama.cpp's SYCL backend, compared with its CPU backend.

    llama_sycl.py [--types f32,f16,q8_0,…] [--tokens N]

Needs the packages cyllama-sycl, gguf and numpy from PyPI, the runtime that the wheel names (intel-sycl-rt 2025.3, onemkl-sycl-blas 2025.3,
mkl 2025.3, onednn 2025.3, tbb), and an OpenCL loader that finds the driver (OCL_ICD_VENDORS; ONEAPI_DEVICE_SELECTOR=opencl:gpu). The model
is made here: three layers of random weights, grouped heads, and a vocabulary of bytes. A prompt is decoded at once and token by token on both
backends. The largest difference of the logits counts in units of their own spread. The backends round activations differently, by
eight bits where weights are quantized.
"""
import argparse, os, sys, tempfile

import gguf
import numpy as np
from cyllama.llama import llama_cpp as llama

WIDTH, HEADS, GROUPS, INNER, LAYERS, VOCABULARY = 256, 8, 4, 512, 3, 259
TOLERANCE, QUANTIZED_TOLERANCE = 0.02, 0.2
QUANTIZED = {"q4_0": 2, "q4_1": 3, "q8_0": 7, "q5_0": 8, "q5_1": 9, "q2_k": 10, "q3_k": 12, "q4_k": 15, "q5_k": 17, "q6_k": 18, "iq4_nl": 25}


def write_model(path, kind):
    """Writes a model of random weights, in singles or halves."""
    random = np.random.default_rng(5)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(GROUPS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    kinds = gguf.TokenType
    writer.add_token_list([b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)])
    writer.add_token_scores([0.0] * VOCABULARY)
    writer.add_token_types([kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.BYTE] * 256)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    def matrix(name, rows, columns, scale=1.0):
        data = (random.standard_normal((rows, columns)) * scale / np.sqrt(columns)).astype(np.float32)
        writer.add_tensor(name, data.astype(np.float16) if kind == "f16" else data)

    def norm(name):
        writer.add_tensor(name, (1 + 0.1 * random.standard_normal(WIDTH)).astype(np.float32))

    matrix("token_embd.weight", VOCABULARY, WIDTH, 16)
    for layer in range(LAYERS):
        norm(f"blk.{layer}.attn_norm.weight")
        matrix(f"blk.{layer}.attn_q.weight", WIDTH, WIDTH, 2)
        matrix(f"blk.{layer}.attn_k.weight", WIDTH * GROUPS // HEADS, WIDTH, 2)
        matrix(f"blk.{layer}.attn_v.weight", WIDTH * GROUPS // HEADS, WIDTH)
        matrix(f"blk.{layer}.attn_output.weight", WIDTH, WIDTH)
        norm(f"blk.{layer}.ffn_norm.weight")
        matrix(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        matrix(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    norm("output_norm.weight")
    matrix("output.weight", VOCABULARY, WIDTH, 3)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def logits(path, layers, flash, prompt, following):
    """Returns the logits after the prompt, decoded at once, and after each following token."""
    parameters = llama.LlamaModelParams()
    parameters.n_gpu_layers = layers
    model = llama.LlamaModel(path, parameters, verbose=False)
    parameters = llama.LlamaContextParams()
    parameters.n_ctx = 256
    parameters.offload_kqv = layers > 0
    parameters.op_offload = layers > 0
    parameters.flash_attn_type = flash
    context = llama.LlamaContext(model, parameters, verbose=False)
    rows = []
    for tokens in [prompt] + [[token] for token in following]:
        context.decode(llama.llama_batch_get_one(tokens, sum(map(len, rows and [prompt] or [])) + max(0, len(rows) - 1)))
        rows.append(np.array(context.get_logits_ith(-1), dtype=np.float64)[:VOCABULARY])
    return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", default="f32,f16," + ",".join(QUANTIZED))
    parser.add_argument("--tokens", type=int, default=4)
    options = parser.parse_args()
    llama.ggml_backend_load_all()
    print(llama.ggml_backend_dev_info())
    random, failed = np.random.default_rng(11), 0
    prompt = [1] + [int(token) for token in random.integers(3, VOCABULARY, 37)]
    following = [int(token) for token in random.integers(3, VOCABULARY, options.tokens)]
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.types.split(","):
            path = os.path.join(folder, f"{kind}.gguf")
            write_model(path, "f16" if kind == "f16" else "f32")
            if kind in QUANTIZED:
                whole, path = path, os.path.join(folder, f"{kind}.quantized.gguf")
                settings = llama.LlamaModelQuantizeParams()
                settings.ftype = QUANTIZED[kind]
                llama.model_quantize(whole, path, settings)
            for flash in (0, 1):
                name = f"{kind}{', flash attention' if flash else ''}"
                expected = logits(path, 0, flash, prompt, following)
                got = logits(path, 99, flash, prompt, following)
                difference = np.abs(got - expected).max() / expected.std()
                wrong = not difference < (QUANTIZED_TOLERANCE if kind in QUANTIZED else TOLERANCE)
                failed += wrong
                print(f"{name}: {difference:.2g}{' WRONG' if wrong else ''}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
