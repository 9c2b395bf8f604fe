#!/usr/bin/env python3
"""The scores of every mode against those of an independent simulation.

    check_eval.py WEFT MODEL DATA REFERENCE

Runs `weft eval` once per row of REFERENCE (rag-reference.json) and compares exact match and F1, all
tasks together, with the row's, to 1.5 points: three samples of 200. Exits 1 if a row is off.
"""

import json
import subprocess
import sys
from pathlib import Path

POINTS_MAX = 1.5


def scores_of(weft, model, data, row):
    command = [weft, "eval", "--model", model, "--data", data, "--mode", row["mode"]]
    command += ["--json", "-", "--no-progress"]
    for option in ("head", "tail"):
        if option in row:
            command += [f"--{option}-tokens", str(row[option])]
    if row.get("profile"):
        command += ["--profile", str(Path(model, row["profile"]))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)["modes"][row["mode"]]


def main():
    if len(sys.argv) != 5:
        asked = {"-h", "--help"} & set(sys.argv[1:])
        print(__doc__.strip(), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    weft, model, data, reference = sys.argv[1:]
    faults = 0
    rows = json.loads(Path(reference).read_text())["modes"]
    for row in rows:
        found = scores_of(weft, model, data, row)
        samples = sum(1 for _ in open(data, encoding="utf-8"))
        off = [name for name in ("em", "f1")
               if not abs(found[name] - row[name]) <= POINTS_MAX]
        off += ["n"] if found["n"] != samples else []
        faults += bool(off)
        name = " ".join(str(row.get(part, "-")) for part in ("mode", "head", "tail", "profile"))
        print(f"{name}: "
              f"em {found['em']} ({row['em']}), f1 {found['f1']} ({row['f1']})"
              f"{' OFF: ' + ', '.join(off) if off else ''}", flush=True)
    print(f"{len(rows) - faults} rows agree, {faults} do not")
    sys.exit(1 if faults or not rows else 0)


main()
