#!/usr/bin/env python3
"""Asks llama.cpp's library for the golden prompts' logits and greedy answers.

    llama_golden.py BINDINGS LIBRARY GGUF MODEL [--threads N]

BINDINGS is the folder of llama-cpp-python's source package, LIBRARY the one with libllama.so; MODEL
has golden.json. Prints {"prompts": [...]} as transformers_runner.py does. llama-bench cannot be
asked that, but runs the same library.
"""

import argparse
import ctypes
import json
import os
import sys
import types


def load_bindings(folder, library):
    """The low-level calls alone; the package around them wants more packages."""
    os.environ["LLAMA_CPP_LIB_PATH"] = library
    package = types.ModuleType("llama_cpp")
    package.__path__ = [os.path.join(folder, "llama_cpp")]
    sys.modules["llama_cpp"] = package
    from llama_cpp import llama_cpp
    return llama_cpp


class loaded_model:
    def __init__(self, llama, path, threads):
        self.llama = llama
        self.quiet = llama.llama_log_callback(lambda level, text, data: None)
        llama.llama_log_set(self.quiet, None)
        llama.llama_backend_init()
        self.model = llama.llama_model_load_from_file(
            path.encode(), llama.llama_model_default_params())
        if not self.model:
            sys.exit(f"llama.cpp cannot load {path}; run tests/peers/install again")
        options = llama.llama_context_default_params()
        options.n_ctx = 2048
        options.n_threads = options.n_threads_batch = threads
        self.context = llama.llama_init_from_model(self.model, options)
        self.vocabulary = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self.model))

    def forget(self):
        self.llama.llama_memory_clear(self.llama.llama_get_memory(self.context), True)

    def logits(self, ids):
        """After ids, which follow all since the last forget()."""
        held = (ctypes.c_int32 * len(ids))(*ids)
        if self.llama.llama_decode(self.context, self.llama.llama_batch_get_one(held, len(ids))):
            sys.exit("llama.cpp cannot run a golden prompt")
        return self.llama.llama_get_logits_ith(self.context, -1)[:self.vocabulary]


def answer_to(engine, prompt, ends):
    engine.forget()
    logits = engine.logits([token for segment in prompt["ids"] for token in segment])
    pairs = zip(logits, prompt["reference_logits"], strict=True)
    difference = max(abs(ours - theirs) for ours, theirs in pairs)
    expected, ids = prompt["full"]["generated"], []
    while len(ids) <= len(expected):
        likeliest = max(range(len(logits)), key=logits.__getitem__)
        if likeliest in ends:
            break
        ids.append(likeliest)
        logits = engine.logits([likeliest])
    return {"logit_difference": difference, "greedy_equal": ids == expected}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bindings")
    parser.add_argument("library")
    parser.add_argument("gguf")
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    with open(given.model + "/golden.json", encoding="utf-8") as file:
        prompts = json.load(file)
    with open(given.model + "/generation_config.json", encoding="utf-8") as file:
        ends = json.load(file)["eos_token_id"]
    engine = loaded_model(load_bindings(given.bindings, given.library), given.gguf, given.threads)
    ends = set(ends) if isinstance(ends, list) else {ends}
    print(json.dumps({"prompts": [answer_to(engine, prompt, ends) for prompt in prompts]}))


if __name__ == "__main__":
    main()
