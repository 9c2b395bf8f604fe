"""The engines that compare.py runs: how each is started, asked for a figure and for the golden
answers. What they print is read by figures.py.

An engine has `name`, `versions`, `golden_tolerance`, measures(figure), measure(figure), which
returns tokens/s and the processor seconds that the engine spent meanwhile, golden() and stop().
"""

import json
import os
import resource
import statistics
import subprocess
import tempfile

import figures


class failed(Exception):
    """One sentence for people, with the remedy."""


def own_seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def output_of(words, text=None):
    """Standard output of a command that must succeed, and the processor seconds it took."""
    before = own_seconds_of_children()
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise failed(f"cannot run {words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        last = "\n".join((done.stderr or done.stdout).splitlines()[-10:])
        raise failed(f"{' '.join(map(str, words))} failed with {done.returncode}:\n{last}")
    return done.stdout, own_seconds_of_children() - before


def need(path, remedy):
    if not path.exists():
        raise failed(f"{path} is missing; {remedy}")
    return path


class transformers_engine:
    """One process for all figures: importing torch takes longer than what is measured."""
    name = "transformers"
    golden_tolerance = 1e-4

    def __init__(self, place, model, threads):
        python = need(place / "venv/bin/python", f"run tests/peers/install {place}")
        runner = str(model.parents[2] / "tests/peers/transformers_runner.py")
        self.complaints = tempfile.TemporaryFile("w+")  # A pipe that nobody reads would fill.
        self.process = subprocess.Popen(
            [python, "-B", runner, model, "--threads", str(threads)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints,
            env={**os.environ, "OMP_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1"})
        self.golden_file = str(model / "golden.json")
        self.versions = self.answer()
        self.warm = set()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.complaints.seek(0)
            last = "\n".join(self.complaints.read().splitlines()[-10:])
            raise failed(f"transformers_runner.py ended:\n{last}\ntests/peers/install may help")
        return json.loads(line)

    def ask(self, **order):
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended, and answer() says of what.
        return self.answer()

    def own_seconds(self):
        # Behind the name, which may hold anything but ends with the last parenthesis.
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measures(self, asked):
        return asked.prompt_tokens > 0

    def warm_up(self, asked):
        """The other engines warm up within their processes; this one before its first turn."""
        if asked.key not in self.warm:
            self.warm.add(asked.key)
            self.ask(prompt_tokens=asked.prompt_tokens, new_tokens=asked.new_tokens, repeats=1)

    def measure(self, asked):
        before = self.own_seconds()
        found = self.ask(prompt_tokens=asked.prompt_tokens, new_tokens=asked.new_tokens,
                         repeats=asked.repeats)
        tokens = asked.new_tokens or asked.prompt_tokens
        return tokens / statistics.median(found["seconds"]), self.own_seconds() - before

    def golden(self):
        return self.ask(golden=self.golden_file)["prompts"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class llama_engine:
    """llama-bench, a process for each turn; it warms up with a run that it does not count."""
    name = "llama.cpp"
    # Its keys and values are kept in half precision.
    golden_tolerance = 1e-2

    def __init__(self, place, model, threads):
        remedy = f"run tests/peers/install {place}"
        self.place, self.model, self.threads = place, model, threads
        self.program = need(place / "llama-build/bin/llama-bench", remedy)
        self.file = need(place / f"{model.name}-f32.gguf", remedy)
        sources = sorted(place.glob("llama_cpp_python-*"))
        self.bindings = sources[-1] if sources else None
        package = self.bindings.name.split("-")[1] if self.bindings else "unknown"
        self.versions = {"llama_cpp_python": package, "threads": threads, "weights": "f32"}

    def measures(self, asked):
        return True

    def warm_up(self, asked):
        pass

    def measure(self, asked):
        prompt, new, depth = figures.llama_test(asked)
        printed, own = output_of(
            [self.program, "-m", self.file, "-t", str(self.threads), "-p", str(prompt),
             "-n", str(new), "-d", str(depth), "-r", str(asked.repeats), "-o", "json"])
        return statistics.median(figures.llama_rates(printed, asked)), own

    def golden(self):
        python = need(self.place / "venv/bin/python", "run tests/peers/install, or give --no-check")
        script = self.model.parents[2] / "tests/peers/llama_golden.py"
        bindings = self.bindings or need(self.place / "llama_cpp_python", "give --no-check")
        printed, _ = output_of(
            [python, "-B", script, bindings, self.program.parent, self.file, self.model,
             "--threads", str(self.threads)])
        return json.loads(printed)["prompts"]

    def stop(self):
        pass


class weft_engine:
    """The program itself, a process for each turn."""
    name = figures.WEFT
    golden_tolerance = 1e-4

    def __init__(self, program, model, threads):
        self.program = need(program, "build it, or name it with --weft")
        self.model, self.threads = model, threads
        self.help_text, _ = output_of([program, "bench", "--help"])
        self.versions = {"program": str(program), "threads": threads}

    def common(self, word):
        return [self.program, word, "--model", self.model, "--device", "host",
                "--threads", str(self.threads), "--json", "-"]

    def measures(self, asked):
        return figures.weft_arguments(asked, self.help_text) is not None

    def warm_up(self, asked):
        pass

    def measure(self, asked):
        printed, own = output_of(
            self.common("bench") + ["--no-progress"]
            + figures.weft_arguments(asked, self.help_text))
        return figures.weft_rate(printed, asked), own

    def golden(self):
        with open(self.model / "golden.json", encoding="utf-8") as file:
            prompts = json.load(file)
        mode = ["--mode", "full_recompute"]
        lines = "".join(json.dumps({"ids": prompt["ids"]}) + "\n" for prompt in prompts)
        printed, _ = output_of(self.common("score") + mode + ["--logits", "--no-cache"], lines)
        found = []
        for prompt, line in zip(prompts, printed.splitlines(), strict=True):
            scored = json.loads(line)
            if "error" in scored:
                raise failed(f"weft score: {scored['error']}")
            pairs = zip(scored["last_logits"], prompt["reference_logits"], strict=True)
            expected = prompt["full"]["generated"]
            asked = {"segments": prompt["segments"], "max_tokens": len(expected) + 1}
            answer, _ = output_of(self.common("run") + mode, json.dumps(asked))
            answered = json.loads(answer[answer.index('{"mode"'):].splitlines()[0])
            found.append({"logit_difference": max(abs(a - b) for a, b in pairs),
                          "greedy_equal": answered["runs"][0]["ids"] == expected})
        return found

    def stop(self):
        pass
