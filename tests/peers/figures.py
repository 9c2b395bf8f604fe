"""What is measured, and what its numbers mean: the decisions of compare.py, without a clock or a
process, so that figures_test.py can call them.

A figure is one thing that every engine does, in tokens per second. Every engine measures it once a
round, in turns; a turn is the median of a few repeats, and disturbed where other processes took
time from it.
"""

import dataclasses
import json
import statistics

WEFT = "weft"


@dataclasses.dataclass(frozen=True)
class figure:
    key: str
    words: str
    prompt_tokens: int
    new_tokens: int  # 0: the prompt itself is measured.
    repeats: int     # In one turn: so many that a turn takes tenths of a second or more.


FIGURES = (
    figure("prefill_512", "prefill of 512", 512, 0, 5),
    figure("prefill_2048", "prefill of 2,048", 2048, 0, 3),
    figure("prefill_8192", "prefill of 8,192", 8192, 0, 1),
    figure("decode_after_512", "decode of 64 after 512", 512, 64, 3),
    figure("decode_empty", "decode of 64 after none", 0, 64, 3),
)


@dataclasses.dataclass(frozen=True)
class clocks:
    """Seconds since boot, all cores together, as /proc/stat counts them."""
    busy: float
    idle: float
    stolen: float  # By other guests of the host.


def clocks_of(stat_text, ticks_per_s):
    """Of the first line of /proc/stat: user, nice, system, idle, wait, two interrupts, stolen."""
    user, nice, system, idle, wait, hard, soft, stolen = (
        int(word) / ticks_per_s for word in stat_text.split("\n", 1)[0].split()[1:9])
    return clocks(user + nice + system + hard + soft, idle + wait, stolen)


def is_quiet(before, after):
    """Whether at most a twentieth of the machine was in use between two readings."""
    idle = after.idle - before.idle
    return idle >= 0.95 * (after.busy - before.busy + idle + after.stolen - before.stolen)


def others_seconds(before, after, own):
    """Processor time between two readings that neither `own` seconds nor idling account for."""
    return max(0.0, after.busy - before.busy - own) + after.stolen - before.stolen


def is_disturbed(others, own):
    # With as many threads as cores each step waits for the thread that was pushed aside, so a
    # twentieth counts. The kernel counts in hundredths, some of them in another process's name.
    return others > 0.05 * own + 0.03


def llama_rates(text, asked):
    """Tokens/s of every repeat in what `llama-bench -o json` printed for one figure."""
    try:
        found = json.loads(text)
        for each in found:
            if (each["n_prompt"], each["n_gen"], each["n_depth"]) == llama_test(asked):
                return [float(rate) for rate in each["samples_ts"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"llama-bench printed other JSON than expected: {error!r}") from error
    raise ValueError(f"llama-bench printed no line for {asked.key}")


def llama_test(asked):
    """Its -p, -n and -d: a prompt is either measured or lies before the new tokens."""
    if asked.new_tokens == 0:
        return asked.prompt_tokens, 0, 0
    return 0, asked.new_tokens, asked.prompt_tokens


def weft_arguments(asked, help_text):
    """The words after `weft bench` that measure a figure; None where bench cannot.

    Without --prefill and --only it measures a fixed list and the length of its own prompt, which is
    32 tokens and the question.
    """
    if asked.new_tokens > 0 and asked.prompt_tokens == 0:
        return None
    words = ["--runs", str(asked.repeats)]
    if "--prefill" in help_text and "--only" in help_text:
        if asked.new_tokens > 0:
            return [*words, "--only", "decode", "--decode-batch", "1",
                    "--decode-prompt", str(asked.prompt_tokens)]
        return [*words, "--only", "prefill", "--prefill", str(asked.prompt_tokens)]
    return [*words, "--mode", "full_recompute", "--segments", "0",
            "--question-tokens", str(asked.prompt_tokens - 32)]


def weft_rate(text, asked):
    """Tokens/s in what `weft bench --json -` printed for one figure."""
    key, by = ("prefill_tokens_per_s", asked.prompt_tokens)
    if asked.new_tokens > 0:
        key, by = ("decode_tokens_per_s", 1)
    # The machine's line is the last; people's table comes before it.
    lines = [line for line in text.splitlines() if line.startswith("{")]
    try:
        return float(json.loads(lines[-1])[key][str(by)])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"weft bench printed no {key} of {by}: {error!r}") from error


@dataclasses.dataclass(frozen=True)
class turn:
    tokens_per_s: float
    wall_s: float
    own_s: float     # Processor time of the engine.
    others_s: float  # Of everything else meanwhile.

    @property
    def disturbed(self):
        return is_disturbed(self.others_s, self.own_s)


def summary_of(turns):
    """Median, least and most of the undisturbed turns; of all where all were disturbed."""
    clean = [each for each in turns if not each.disturbed]
    rates = [each.tokens_per_s for each in clean or turns]
    return {"median": statistics.median(rates), "min": min(rates), "max": max(rates),
            "counted": len(rates), "disturbed": len(turns) - len(clean),
            "all_disturbed": not clean}


def compared(turns_of):
    """Rows of turns_of[figure key][engine]: a summary per engine, and Weft / the faster peer."""
    rows = {}
    for key, engines in turns_of.items():
        row = {engine: summary_of(turns) for engine, turns in engines.items() if turns}
        peers = {engine: each["median"] for engine, each in row.items() if engine != WEFT}
        rows[key] = {"engines": row, "faster_peer": None, "ratio": None}
        if peers and WEFT in row:
            faster = max(peers, key=peers.get)
            rows[key] |= {"faster_peer": faster, "ratio": row[WEFT]["median"] / peers[faster]}
    return rows


def table_text(rows):
    """For people: a line per figure and engine; * marks what only disturbed turns have told."""
    words = {each.key: each.words for each in FIGURES}
    lines = [("tokens/s", "engine", "median", "min", "max", "turns", "disturbed", "Weft / faster")]
    for key, row in rows.items():
        for engine, each in row["engines"].items():
            mark = "*" if each["all_disturbed"] else ""
            ratio = ""
            if engine == WEFT and row["ratio"] is not None:
                unsure = any(each["all_disturbed"] for each in row["engines"].values())
                ratio = f"{row['ratio']:.2f}{'*' if unsure else ''}"
            lines.append((words[key], engine, f"{each['median']:.0f}{mark}",
                          f"{each['min']:.0f}", f"{each['max']:.0f}",
                          str(each["counted"]), str(each["disturbed"]), ratio))
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    text = ""
    for line in lines:
        cells = [cell.ljust(width) if index < 2 else cell.rjust(width)
                 for index, (cell, width) in enumerate(zip(line, widths))]
        text += "  ".join(cells).rstrip() + "\n"
    if "*" in text:
        text += "* every turn was disturbed by other processes: no figure to rely on.\n"
    return text


def golden_faults(engine, found, tolerance):
    """What is wrong with an engine's answers to the golden prompts: sentences, none if all is well.

    found: for every prompt the largest difference of its last logits from the reference, and
    whether its greedy ids are the reference's.
    """
    if not found:
        return [f"{engine} answered no golden prompt"]
    worst = max(each["logit_difference"] for each in found)
    faults = []
    if not worst <= tolerance:  # A NaN is a fault too.
        faults.append(f"{engine}: logits differ by {worst:.2g}, more than {tolerance:g}")
    wrong = [str(index) for index, each in enumerate(found) if not each["greedy_equal"]]
    if wrong:
        faults.append(f"{engine}: greedy answers differ for prompts {', '.join(wrong)}")
    return faults
