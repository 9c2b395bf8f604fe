#!/usr/bin/env python3
"""Writes tests/data/key-vectors.json: keys computed from the framing that messages/prompt/key.hpp
documents, with Python's hashlib and nothing of Weft. Run it after a change of layout_version and
read the difference."""
import hashlib
import json
import pathlib
import struct


def u64(value):
    return struct.pack("<Q", value)


def ids(values):
    return b"".join(struct.pack("<I", value) for value in values)


def frame(name, value):
    return u64(len(name)) + name.encode("ascii") + u64(len(value)) + value


def key(fields):
    anchor = u64(len(fields["anchor"]))
    for segment in fields["anchor"]:
        anchor += u64(len(segment)) + ids(segment)
    message = frame("weft", b"key")
    message += frame("layout", u64(fields["layout"]))
    message += frame("model", fields["model"].encode())
    message += frame("tokenizer", fields["tokenizer"].encode())
    message += frame("numerics", fields["numerics"].encode())
    message += frame("dtype", fields["dtype"].encode())
    message += frame("kind", fields["kind"].encode())
    message += frame("predecessor", bytes.fromhex(fields["predecessor"] or ""))
    message += frame("head", u64(fields["head"]))
    message += frame("tail", u64(fields["tail"]))
    message += frame("anchor", anchor)
    message += frame("scope", fields["scope"].encode())
    message += frame("tokens", ids(fields["tokens"]))
    return hashlib.sha256(message).hexdigest()


plain = {
    "layout": 1, "model": "", "tokenizer": "", "numerics": "", "dtype": "", "kind": "entry",
    "predecessor": None, "head": 0, "tail": 0, "anchor": [], "scope": "", "tokens": [],
}
usual = plain | {
    "model": "9f" * 32, "tokenizer": "0a" * 32, "numerics": "host-avx2-1", "dtype": "f32",
    "head": 8, "tail": 16, "scope": "default", "tokens": [0, 1, 255, 256, 65535, 248076],
}
lead = usual | {"kind": "checkpoint", "head": 0, "tail": 0, "tokens": [248045, 8678, 198]}
cases = [
    ("every field empty", plain),
    ("an entry", usual),
    ("another scope", usual | {"scope": "tenant Ünï"}),
    ("another seam", usual | {"head": 16, "tail": 8}),
    ("behind an anchor of two segments", usual | {"anchor": [[1, 2], [3]]}),
    ("behind the same ids as one segment", usual | {"anchor": [[1, 2, 3]]}),
    ("behind an anchor without tokens", usual | {"anchor": [[]]}),
    ("a checkpoint", lead),
    ("a checkpoint behind another", lead | {"predecessor": key(lead), "tokens": [7] * 100}),
    ("another layout", usual | {"layout": 2}),
    ("the largest numbers",
     usual | {"layout": 2**64 - 1, "head": 2**63 - 1, "tokens": [2**31 - 1]}),
]

path = pathlib.Path(__file__).parent.parent / "data" / "key-vectors.json"
vectors = [{"about": about, "fields": fields, "key": key(fields)} for about, fields in cases]
about = "keys of cached entries, framed as messages/prompt/key.hpp says; by make_key_vectors.py"
file = {"about": about, "vectors": vectors}
path.write_text(json.dumps(file, indent=1, ensure_ascii=False) + "\n")
