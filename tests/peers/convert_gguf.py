#!/usr/bin/env python3
"""Turns the bundled checkpoint into llama.cpp's format, by llama.cpp's own converter.

    convert_gguf.py LLAMA_CPP CHECKPOINT FILE TYPE

TYPE is f32, f16 or bf16. Two things differ from calling the converter: it recognises a tokenizer by
a hash that ours is not listed under, though llama.cpp knows its split pattern (qwen35), so it is
told; and the multi-token layers that it expects of this architecture are said to be absent.
"""

import argparse
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("llama_cpp", help="its source folder")
    parser.add_argument("checkpoint", help="the model's folder")
    parser.add_argument("file", help="the .gguf file to write")
    parser.add_argument("type", choices=("f32", "f16", "bf16"))
    given = parser.parse_args()

    sys.path[:0] = [given.llama_cpp, given.llama_cpp + "/gguf-py"]
    import convert_hf_to_gguf
    from conversion.base import TextModel

    TextModel.get_vocab_base_pre = lambda self, tokenizer: "qwen35"
    sys.argv = ["convert_hf_to_gguf.py", given.checkpoint, "--no-mtp",
                "--outtype", given.type, "--outfile", given.file]
    convert_hf_to_gguf.main()


if __name__ == "__main__":
    main()
