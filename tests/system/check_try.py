#!/usr/bin/env python3
"""Reads what deploy/try printed and checks that it did its job.

    check_try.py ANSWERS LOG

ANSWERS has a line "NAME: ANSWER" for each prompt, and "NAME shuffled: ANSWER" where the order of
the documents changes it. Each prompt must have been answered rightly three times, with receipts and
times: cold with nothing reused, then warm and in another order with all that can be reused.
"""

import re
import sys

RUNS = ("cold", "warm", "shuffled")


def check_run(name, wanted, lines):
    text = "\n".join(lines)
    answer = re.search(r"^  answer: (.*)$", text, re.M)
    if not answer or answer.group(1).strip() != wanted:
        return f"answered {answer.group(1) if answer else 'nothing'!r} instead of {wanted!r}"
    receipts = re.findall(
        r"^ +\d+  (lead|document|question) +\d+ +\d+  (warm|cold|context)", text, re.M)
    if len(receipts) < 3 or receipts[0][0] != "lead" or receipts[-1] != ("question", "context"):
        return "has no receipt for each segment"
    times = re.search(r"(\d+) prompt tokens, (\d+) reused; time to first token [\d.]+ ms", text)
    if not times:
        return "does not tell the time to first token"
    expected = "cold" if name == "cold" else "warm"
    if any(verdict != expected for _, verdict in receipts[:-1]):
        return f"has receipts other than {expected}"
    if (int(times.group(2)) > 0) != (expected == "warm"):
        return f"reused {times.group(2)} tokens"
    return None


def faults_of(answers, log):
    log = re.sub(r"\x1b\[[0-9;]*m", "", log)
    parts = dict(re.findall(r"^== (\S+): [^\n]*\n(.*?)(?=^== |\Z)", log, re.M | re.S))
    faults = []
    for name, answer in answers.items():
        if name.endswith(" shuffled"):
            continue
        runs = re.split(r"^(cold|warm|shuffled)$", parts.get(name, ""), flags=re.M)
        found = dict(zip(runs[1::2], runs[2::2]))
        for run in RUNS:
            if run not in found:
                faults.append(f"{name}: no {run} run")
                continue
            wanted = answers.get(f"{name} {run}", answer)
            fault = check_run(run, wanted, found[run].split("\n"))
            if fault:
                faults.append(f"{name}: the {run} run {fault}")
    return faults


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = dict(line.rstrip("\n").split(": ", 1) for line in file if ": " in line)
    with open(sys.argv[2], encoding="utf-8") as file:
        faults = faults_of(answers, file.read())
    if not answers:
        faults.append("no answers are expected")
    for fault in faults:
        print(f"deploy/try: {fault}")
    print(f"deploy/try: {len(answers)} answers, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
