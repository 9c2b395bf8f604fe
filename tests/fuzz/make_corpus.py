#!/usr/bin/env python3
"""Makes the first inputs of the fuzz targets from the bundled examples and the golden messages.

    make_corpus.py [FOLDER]

writes FOLDER/TARGET/..., by default the corpus beside this script. The tokenizer is reduced to
the first merges of the bundled one: a fuzzer that changes a byte at a time gains nothing from more.
"""

import json
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODEL = ROOT / "examples/models/tiny-qwen3_5"
MERGES = 200  # Words of a few letters; more would only be more of the same.


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def bundled(name):
    return json.loads((MODEL / name).read_text("utf-8"))


def reduced_tokenizer(merges_kept):
    file = bundled("tokenizer.json")
    letters = sorted(token for token in file["model"]["vocab"] if len(token) == 1)
    merges = file["model"]["merges"][:merges_kept]
    tokens = letters + list(dict.fromkeys("".join(merge) for merge in merges))
    file["model"]["vocab"] = {token: index for index, token in enumerate(tokens)}
    file["model"]["merges"] = merges
    for index, added in enumerate(file["added_tokens"]):
        added["id"] = len(tokens) + index
    for content in ("<think>", "</think>"):
        file["added_tokens"].append({"id": len(tokens) + len(file["added_tokens"]),
                                     "content": content, "special": False})
    return file


def small_tokenizer(**changes):
    """A few letters, merges as text."""
    letters = list("helo wrdĠĊ!")
    tokens = letters + ["he", "ll", "hell", "hello"]
    file = {"model": {"type": "BPE", "vocab": {token: i for i, token in enumerate(tokens)},
                      "merges": ["#version: 0.2", "h e", "l l", "he ll", "hell o"]},
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
            "decoder": {"type": "ByteLevel"}}
    file.update(changes)
    return file


def tokenizer_files():
    flags = [{"id": 20 + i, "content": "<" + flag + ">", flag: True}
             for i, flag in enumerate(("special", "single_word", "lstrip", "rstrip", "normalized"))]
    sequence = {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"String": "."}, "behavior": "Isolated"},
        {"type": "Split", "pattern": {"Regex": "(?i:'s)|\\p{L}+|\\s+(?!\\S)|[^x-z]"},
         "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]}
    yield "reduced.json", compact(reduced_tokenizer(MERGES))
    yield "small.json", compact(small_tokenizer())
    yield "flags", compact(small_tokenizer(
        added_tokens=flags, normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}]},
        pre_tokenizer=sequence)) + b"\0hello <single_word> <lstrip>  hell<rstrip> o<normalized>"
    whole = small_tokenizer()
    whole["model"].update(ignore_merges=True, dropout=None, byte_fallback=False, unk_token=None)
    yield "whole_words", compact(whole) + b"\0hello hell  held"


def safetensors(header, data):
    text = compact(header)
    return struct.pack("<Q", len(text)) + text + data


def safetensors_files():
    one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    yield "one", safetensors({"w": one}, bytes(8))
    yield "several", safetensors(
        {"__metadata__": {"format": "pt"},
         "a": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]},
         "b": {"dtype": "F16", "shape": [1, 1, 4], "data_offsets": [12, 20]},
         "none": {"dtype": "F32", "shape": [0, 5], "data_offsets": [20, 20]},
         "other": {"dtype": "F8_E4M3", "shape": [3], "data_offsets": [24, 27]},
         "scalar": {"dtype": "F32", "shape": [], "data_offsets": [20, 24]}}, bytes(27))
    yield "empty", safetensors({}, b"")


def configs():
    yield "tiny-qwen3_5.json", compact(bundled("config.json"))
    for name in ("random-qwen3_5_moe", "random-qwen3_next"):
        path = ROOT / "tests/data/models" / name / "config.json"
        yield name + ".json", compact(json.loads(path.read_text("utf-8")))
    text = bundled("config.json")
    del text["layer_types"]
    yield "wrapped.json", compact({"architectures": ["Qwen3_5ForConditionalGeneration"],
                                   "model_type": "qwen3_5", "text_config": text,
                                   "tie_word_embeddings": True, "eos_token_id": 5})


def prompt_files():
    for path in sorted((ROOT / "examples/prompts").glob("*.json")):
        yield path.name, compact(json.loads(path.read_text("utf-8")))
    yield "objects.json", compact({"segments": ["a", {"text": "b", "reuse": False}, ""],
                                   "max_tokens": 64})
    yield "plain.txt", "first<<PIC_SEP>>second\nthird é<<PIC_SEP>>".encode()


def profiles():
    for name in ("weft.json", "weft-anchored.json"):
        yield name, compact(bundled(name))
    yield "separator.json", b'{"separator": "--", "anchor": []}'
    yield "off.json", b'{"separator": null}'


def texts():
    yield "english", b"The mayor of Bravelmo is Trolisk Haruvo.\n\n  It's 4100, isn't it?\r\n"
    yield "chat", b"<|im_start|>user\nhe said: <think>\n\n</think> hello<|im_end|>\n"
    yield "marks", "A\u030a\u0301 e\u0301 \u1112\u1161\u11ab \u0915\u093c \u0344 \u2126".encode()
    yield "scripts", ("\u4f60\u597d \u041f\u0440\u0438\u0432\u0435\u0442 "
                      "\U0001f600\u200d\U0001f525").encode()
    yield "broken", b"a\xff\xe2\x82 b\xf0\x9f\x98 \xed\xa0\x80"


def chats():
    yield "plain.json", compact([{"role": "system", "content": "Answer."},
                                 {"role": "user", "content": "a\nb\n<|im_end|>"},
                                 {"role": "assistant", "content": "<think>\nx\n</think>\n\nyes"},
                                 {"role": "user", "content": "and?", "name": "n"}])
    yield "parts.json", compact([{"role": "developer", "content": ["s"]},
                                 {"role": "user", "content": [{"type": "text", "text": "document"},
                                                              "question"]}])


CONVERSATIONS = ("membership", "directory", "serving", "prefill")  # By number, from 1.


def wires():
    for path in sorted((ROOT / "tests/data/wire").glob("*.bin")):
        number = 1 + CONVERSATIONS.index(path.name.split(".")[0])
        yield path.stem, struct.pack("<Q", number) + path.read_bytes()


TARGETS = {
    "chat": chats, "model_config": configs, "profile": profiles, "prompt_file": prompt_files,
    "safetensors": safetensors_files, "text": texts, "tokenizer_file": tokenizer_files,
    "wire": wires,
    "shard_map": lambda: [("two.json", compact({
        "metadata": {"total_size": 8},
        "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors", "c": "x"}}))],
}


def main():
    corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "corpus"
    for target, inputs in TARGETS.items():
        (corpus / target).mkdir(parents=True, exist_ok=True)
        for name, content in inputs():
            (corpus / target / name).write_bytes(content)


if __name__ == "__main__":
    main()
