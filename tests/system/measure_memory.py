#!/usr/bin/env python3
"""What a large model takes of memory, at its first start and at later ones. Run by hand.

    measure_memory.py WEFT [--folder DIR] [--layers N] [--prefill N] [--cache-bytes BYTES]

writes a checkpoint of random bfloat16 weights into DIR (a temporary folder unless given; an
existing checkpoint in it is used, and stays), by default of two billion parameters in 3.8 GB, lets
`weft bench` prefill with it twice, and prints the resident set against what the model and the pools
may take: while the files are read for the first time, and after that at its highest and its median.
Exits 1 if reading took more than READING_MAX, or if anything took more than weights, pools and ROOM
together.
"""

import argparse
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MIB = 1 << 20
READING_MAX = 256 * MIB  # Pieces in flight, and what the program itself takes.
ROOM = 512 * MIB         # Working memory of a step, and the program.
SAMPLE_S = 0.02

# The shape of a published model of two billion parameters; --layers makes it smaller.
HIDDEN, INTERMEDIATE, VOCABULARY, INTERVAL = 2048, 6144, 248320, 4
HEADS, KEY_VALUE_HEADS, HEAD_DIM = 8, 2, 256
LINEAR_HEADS, LINEAR_DIM, KERNEL = 16, 128, 4


def config_of(layers):
    kinds = ["full_attention" if (i + 1) % INTERVAL == 0 else "linear_attention"
             for i in range(layers)]
    return {
        "architectures": ["Qwen3_5ForCausalLM"], "model_type": "qwen3_5_text",
        "attention_bias": False, "attn_output_gate": True, "eos_token_id": VOCABULARY - 1,
        "head_dim": HEAD_DIM, "hidden_act": "silu", "hidden_size": HIDDEN,
        "intermediate_size": INTERMEDIATE, "num_hidden_layers": layers,
        "num_attention_heads": HEADS, "num_key_value_heads": KEY_VALUE_HEADS,
        "linear_conv_kernel_dim": KERNEL, "linear_key_head_dim": LINEAR_DIM,
        "linear_num_key_heads": LINEAR_HEADS, "linear_num_value_heads": LINEAR_HEADS,
        "linear_value_head_dim": LINEAR_DIM, "full_attention_interval": INTERVAL,
        "layer_types": kinds, "max_position_embeddings": 32768, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True, "vocab_size": VOCABULARY,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e7,
                            "partial_rotary_factor": 0.25},
        "torch_dtype": "bfloat16",
    }


def tensors_of(config):
    """Names and shapes, with the range that each one's values are drawn from."""
    near = lambda dims: (dims, -(3 / dims[-1]) ** 0.5, (3 / dims[-1]) ** 0.5)
    norm = lambda width: ([width], -0.1, 0.1)
    values = LINEAR_HEADS * LINEAR_DIM
    found = {"model.embed_tokens.weight": near([VOCABULARY, HIDDEN]),
             "model.norm.weight": norm(HIDDEN)}
    for i, kind in enumerate(config["layer_types"]):
        layer = {"input_layernorm.weight": norm(HIDDEN),
                 "post_attention_layernorm.weight": norm(HIDDEN),
                 "mlp.gate_proj.weight": near([INTERMEDIATE, HIDDEN]),
                 "mlp.up_proj.weight": near([INTERMEDIATE, HIDDEN]),
                 "mlp.down_proj.weight": near([HIDDEN, INTERMEDIATE])}
        if kind == "linear_attention":
            mixer = {"in_proj_qkv.weight": near([3 * values, HIDDEN]),
                     "in_proj_z.weight": near([values, HIDDEN]),
                     "in_proj_b.weight": near([LINEAR_HEADS, HIDDEN]),
                     "in_proj_a.weight": near([LINEAR_HEADS, HIDDEN]),
                     "conv1d.weight": near([3 * values, 1, KERNEL]),
                     "A_log": ([LINEAR_HEADS], 0.0, 2.77),
                     "dt_bias": ([LINEAR_HEADS], -6.9, -2.25),
                     "norm.weight": ([LINEAR_DIM], 0.9, 1.1),
                     "out_proj.weight": near([HIDDEN, values])}
            layer.update({f"linear_attn.{name}": what for name, what in mixer.items()})
        else:
            keys = KEY_VALUE_HEADS * HEAD_DIM
            mixer = {"q_proj.weight": near([2 * HEADS * HEAD_DIM, HIDDEN]),
                     "k_proj.weight": near([keys, HIDDEN]), "v_proj.weight": near([keys, HIDDEN]),
                     "o_proj.weight": near([HIDDEN, HEADS * HEAD_DIM]),
                     "q_norm.weight": norm(HEAD_DIM), "k_norm.weight": norm(HEAD_DIM)}
            layer.update({f"self_attn.{name}": what for name, what in mixer.items()})
        found.update({f"model.layers.{i}.{name}": what for name, what in layer.items()})
    return found


def bytes_of(dims):
    return 2 * math.prod(dims)


def drawn(low, high, source):
    """A few thousand bfloat16 values; tensors repeat them."""
    return b"".join(struct.pack("<f", source.uniform(low, high))[2:] for _ in range(65521))


def write_checkpoint(folder, layers):
    config = config_of(layers)
    tensors = tensors_of(config)
    header, end = {}, 0
    for name, (dims, _, _) in tensors.items():
        header[name] = {"dtype": "BF16", "shape": dims, "data_offsets": [end, end + bytes_of(dims)]}
        end += bytes_of(dims)
    text = json.dumps(header).encode()
    source = random.Random(1)
    with open(folder / "model.safetensors", "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for dims, low, high in tensors.values():
            pool, left = drawn(low, high, source), bytes_of(dims)
            while left > 0:
                left -= out.write(pool[:left])
    (folder / "config.json").write_text(json.dumps(config))


def sizes_of(pid):
    """Resident bytes of a process: all, and those of no file."""
    found = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(("VmRSS", "RssAnon")):
            found[line.split(":")[0]] = int(line.split()[1]) * 1024
    return found.get("VmRSS", 0), found.get("RssAnon", 0)


def start(options, folder, cache):
    command = [options.weft, "bench", "--model", folder, "--only", "prefill", "--runs", "1",
               "--prefill", str(options.prefill), "--cache-bytes", str(options.cache_bytes),
               "--no-progress"]
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    known = any(cache.glob("weft/fingerprints-*"))
    reading, reading_s, later = 0, 0.0, []
    while child.poll() is None:
        try:
            now = sizes_of(child.pid)
        except (OSError, ValueError):
            break
        if known:
            later.append(now)
        else:
            reading, reading_s = max(reading, now[0]), time.monotonic() - began
            known = any(cache.glob("weft/fingerprints-*"))
        time.sleep(SAMPLE_S)
    if child.wait() != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    later.sort()
    return {"reading": reading, "reading_s": reading_s, "highest": later[-1][0],
            "usual": later[len(later) // 2]}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("weft")
    arguments.add_argument("--folder", type=Path)
    arguments.add_argument("--layers", type=int, default=24)
    arguments.add_argument("--prefill", type=int, default=128)
    arguments.add_argument("--cache-bytes", type=int, default=512 * MIB)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch, "model")
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "model.safetensors").exists():
            write_checkpoint(folder, options.layers)
        weights = (folder / "model.safetensors").stat().st_size
        allowed = weights + options.cache_bytes + ROOM
        print(f"weights {weights / MIB:.0f} MiB, pools at most {options.cache_bytes / MIB:.0f} MiB")
        faults = 0
        for name in ("first start", "second start"):
            found = start(options, folder, Path(scratch))
            usual, anonymous = found["usual"]
            print(f"{name}: while reading {found['reading'] / MIB:.0f} MiB "
                  f"({found['reading_s']:.1f} s), highest {found['highest'] / MIB:.0f} MiB, "
                  f"usual {usual / MIB:.0f} MiB, of which {anonymous / MIB:.0f} MiB "
                  f"are no file's", flush=True)
            faults += found["reading"] > READING_MAX or found["highest"] > allowed
        sys.exit(1 if faults else 0)


main()
