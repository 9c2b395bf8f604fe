#!/usr/bin/env python3
"""transformers on the processor, for compare.py: measures what it is told to, one order a line.

    transformers_runner.py MODEL [--threads N]

The first line it prints tells versions. Then every line of JSON on standard input is answered by
one: {"prompt_tokens", "new_tokens", "repeats"} by {"seconds": [...]}, of the forward passes alone,
and {"golden": FILE} by {"prompts": [...]}. It stops at the end of its input.
"""

import argparse
import json
import sys
import time


class runner:
    def __init__(self, folder, threads):
        import torch
        import transformers

        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.torch = torch
        self.model = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="sdpa").eval()
        self.versions = {"torch": torch.__version__, "transformers": transformers.__version__,
                         "threads": torch.get_num_threads()}
        with open(folder + "/golden.json", encoding="utf-8") as file:
            self.text_ids = [token for prompt in json.load(file)
                             for segment in prompt["ids"] for token in segment]

    def prompt(self, tokens):
        """The golden prompts one after the other, again and again: text of the model's own kind."""
        again = tokens // len(self.text_ids) + 1
        return self.torch.tensor([(self.text_ids * again)[:tokens]])

    def forward(self, ids, cache=None):
        return self.model(ids, cache=cache, use_cache=True, logits_to_keep=1)

    def prefill_seconds(self, ids):
        start = time.perf_counter()
        self.forward(ids)
        return time.perf_counter() - start

    def decode_seconds(self, ids, new_tokens):
        step = self.forward(ids)
        start = time.perf_counter()
        for _ in range(new_tokens):
            likeliest = step.logits[:, -1].argmax(-1, keepdim=True)
            step = self.forward(likeliest, step.cache)
        return time.perf_counter() - start

    def measure(self, order):
        ids = self.prompt(order["prompt_tokens"])
        if order["new_tokens"] > 0:
            return [self.decode_seconds(ids, order["new_tokens"]) for _ in range(order["repeats"])]
        return [self.prefill_seconds(ids) for _ in range(order["repeats"])]

    def greedy(self, ids, most):
        """Greedy ids up to an end token, which is left out."""
        ends = self.model.generation_config.eos_token_id
        ends = set(ends) if isinstance(ends, list) else {ends}
        step, answer = self.forward(ids), []
        while len(answer) < most:
            likeliest = step.logits[:, -1].argmax(-1, keepdim=True)
            if likeliest.item() in ends:
                break
            answer.append(likeliest.item())
            step = self.forward(likeliest, step.cache)
        return answer

    def golden(self, path):
        with open(path, encoding="utf-8") as file:
            prompts = json.load(file)
        found = []
        for prompt in prompts:
            ids = self.torch.tensor([[token for segment in prompt["ids"] for token in segment]])
            reference = self.torch.tensor(prompt["reference_logits"])
            difference = (self.forward(ids).logits[0, -1] - reference).abs().max().item()
            expected = prompt["full"]["generated"]
            found.append({"logit_difference": difference,
                          "greedy_equal": self.greedy(ids, len(expected) + 1) == expected})
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="the checkpoint's folder, with golden.json")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    engine = runner(given.model, given.threads)
    print(json.dumps(engine.versions), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "golden" in order:
            answer = {"prompts": engine.golden(order["golden"])}
        else:
            answer = {"seconds": engine.measure(order)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
