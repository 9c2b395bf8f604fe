#!/usr/bin/env python3
"""Measures Weft beside transformers and llama.cpp on the bundled checkpoint, in turns.

    compare.py [--peers FOLDER] [--weft PROGRAM] [--rounds N] [--json FILE] ...

Each round every engine measures each figure once, one after the other, so that what the machine
does to one it does to all; only ratios of one run count. Before each turn the machine should be
quiet, and a turn that other processes disturbed is marked and tried again. First each engine is
checked against the golden answers. README.md tells what is measured and what it does not say.
"""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import engines
import figures

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples/models/tiny-qwen3_5"
QUIET_LOOK_S = 2


def say(words):
    print(f"compare: {words}", file=sys.stderr, flush=True)


def clocks_now():
    with open("/proc/stat", encoding="ascii") as file:
        return figures.clocks_of(file.read(), os.sysconf("SC_CLK_TCK"))


def wait_for_quiet(wait_s):
    """Until the machine is quiet, or wait_s have passed."""
    end = time.monotonic() + wait_s
    while time.monotonic() < end:
        before = clocks_now()
        time.sleep(QUIET_LOOK_S)
        if figures.is_quiet(before, clocks_now()):
            return


def one_turn(engine, asked):
    before, start = clocks_now(), time.monotonic()
    rate, own = engine.measure(asked)
    wall = time.monotonic() - start
    return figures.turn(rate, wall, own, figures.others_seconds(before, clocks_now(), own))


def least_disturbed_turn(engine, asked, given):
    """The first undisturbed turn of a few tries, or else the one that was disturbed the least."""
    tried = []
    for _ in range(given.tries):
        wait_for_quiet(given.quiet_wait)
        tried.append(one_turn(engine, asked))
        if not tried[-1].disturbed:
            return tried[-1]
    return min(tried, key=lambda each: each.others_s / max(each.own_s, 0.01))


def check(running):
    """Each engine's answers to the golden prompts; a fault ends the comparison."""
    found, faults = {}, []
    for engine in running:
        say(f"checking {engine.name} against the golden answers")
        found[engine.name] = engine.golden()
        faults += figures.golden_faults(
            engine.name, found[engine.name], engine.golden_tolerance)
    if faults:
        raise engines.failed("the engines do not compute the same: " + "; ".join(faults))
    return found


def measure(running, asked_for, given):
    """turns_of[figure key][engine name] -> turns, one a round."""
    turns_of = {asked.key: {engine.name: [] for engine in running} for asked in asked_for}
    say("warming up")
    for asked in asked_for:
        for engine in running:
            if engine.measures(asked):
                engine.warm_up(asked)
    for number in range(1, given.rounds + 1):
        for asked in asked_for:
            told = []
            for engine in running:
                if not engine.measures(asked):
                    continue
                turn = least_disturbed_turn(engine, asked, given)
                turns_of[asked.key][engine.name].append(turn)
                told.append(f"{engine.name} {turn.tokens_per_s:.0f}{'*' * turn.disturbed}")
            say(f"round {number} of {given.rounds}, {asked.words}: {', '.join(told)}")
    return turns_of


def processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.processor()


def document_of(running, given, checks, turns_of, rows):
    rounded = {
        key: {engine: [{"tokens_per_s": round(turn.tokens_per_s, 2),
                        "wall_s": round(turn.wall_s, 3), "own_s": round(turn.own_s, 3),
                        "others_s": round(turn.others_s, 3), "disturbed": turn.disturbed}
                       for turn in turns]
              for engine, turns in by_engine.items() if turns}
        for key, by_engine in turns_of.items()}
    return {"processor": processor(), "cores": os.cpu_count(), "threads": given.threads,
            "rounds": given.rounds, "load_after": os.getloadavg(),
            "engines": {engine.name: engine.versions for engine in running},
            "golden": checks, "figures": rows, "turns": rounded}


def start_engines(given):
    """In the order of their turns."""
    peers = given.peer or ["transformers", "llama"]
    running = []
    try:
        if "transformers" in peers:
            say("starting transformers")
            running.append(engines.transformers_engine(given.peers, MODEL, given.threads))
        if "llama" in peers:
            running.append(engines.llama_engine(given.peers, MODEL, given.threads))
        running.append(engines.weft_engine(given.weft, MODEL, given.threads))
    except Exception:
        for engine in running:
            engine.stop()
        raise
    return running


def count(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def arguments():
    keys = [each.key for each in figures.FIGURES]
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--peers", type=Path, default=ROOT / "build/peers", metavar="FOLDER",
                        help="where tests/peers/install has installed them")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/weft", metavar="PROGRAM",
                        help="the program that is compared")
    parser.add_argument("--peer", action="append", choices=("transformers", "llama"),
                        help="only this one; may be given twice (default: both)",
                        default=argparse.SUPPRESS)
    parser.add_argument("--figure", action="append", choices=keys, default=argparse.SUPPRESS,
                        help="only this one; may be given several times (default: all)")
    parser.add_argument("--threads", type=count, default=2, help="of each engine")
    parser.add_argument("--rounds", type=count, default=5, help="turns of each engine and figure")
    parser.add_argument("--tries", type=count, default=3,
                        help="of a turn, while other processes disturb it")
    parser.add_argument("--quiet-wait", type=float, default=60, metavar="SECONDS",
                        help="the longest that a turn waits for a quiet machine")
    parser.add_argument("--no-check", action="store_true",
                        help="skip the golden answers: for a folder that has llama-bench alone")
    parser.add_argument("--json", metavar="FILE", default=argparse.SUPPRESS,
                        help="write all turns there; - is standard output")
    given = parser.parse_args()
    for name in ("peer", "figure", "json"):
        setattr(given, name, getattr(given, name, None))
    given.peers, given.weft = given.peers.resolve(), given.weft.resolve()
    return given


def compare(given):
    asked_for = [each for each in figures.FIGURES
                 if given.figure is None or each.key in given.figure]
    running = start_engines(given)
    try:
        checks = None if given.no_check else check(running)
        turns_of = measure(running, asked_for, given)
    finally:
        for engine in running:
            engine.stop()
    rows = figures.compared(turns_of)
    if given.json != "-":
        print(figures.table_text(rows), end="")
    if given.json:
        text = json.dumps(document_of(running, given, checks, turns_of, rows), indent=1) + "\n"
        if given.json == "-":
            print(text, end="")
        else:
            Path(given.json).write_text(text, encoding="utf-8")


def main():
    try:
        compare(arguments())
    except (engines.failed, ValueError, OSError) as error:
        say(error)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
