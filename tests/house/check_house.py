#!/usr/bin/env python3
"""The rules of the house, checked on the source text.

    check_house.py [--root DIR]

lists every breach as FILE:LINE: sentence, and exits with 1 if there is one.

Rules: who includes whom; which library is named where; lengths of files, functions and lines;
white space; the form of TODOs; a README row for every noun; a test for every source file. Each
rule is a function from a tree to breaches; check_house_test.py plants a fault for each.
"""

import argparse
import re
import sys
from pathlib import Path

ROOMS = ("policies", "messages", "gpu", "actors")
OUTER_ROOMS = ("tests", "examples")
MAY_INCLUDE = {
    "policies": {"policies"},
    "messages": {"messages", "policies"},
    "gpu": {"gpu", "policies"},
    "actors": {"actors", "messages", "gpu", "policies"},
    "tests": {"tests", "examples", "actors", "messages", "gpu", "policies"},
    "examples": {"examples", "actors", "messages", "gpu", "policies"},
}
ALL_FOLDERS = set(MAY_INCLUDE) | {"deploy"}
CODE_SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".py", ".cmake", ".md", ".capnp"}

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
LINE_COLUMNS_MAX = 100

# The standard library and what POSIX adds; everything else in <> is a third party.
STANDARD_HEADERS = set("""
algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
condition_variable coroutine deque exception execution filesystem format forward_list fstream
functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list
locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges
ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits
typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef
cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype
""".split())

# Words that only some places may say: (pattern, where it may stand, the sentence).
WALLS = (
    # The border is the codecs' own header; tests forge messages that no codec would write.
    (re.compile(r"\bcapnp::"),
     lambda path: re.fullmatch(r"messages/wire/(\w+_codec\.cpp|codec_border\.hpp)", path)
     or path.startswith("tests/messages/"),
     "capnp:: is named outside messages/wire/*_codec.cpp and their border"),
    (re.compile(r"\b[cC][uU][dD][aA]\w*\s*[(<:]|#include\s*<cuda"),
     lambda path: path.startswith(("gpu/", "tests/gpu/")),
     "CUDA is named outside gpu"),
    (re.compile(r"\bcaf::"), lambda path: path.startswith(("actors/", "tests/actors/")),
     "caf:: is named outside actors"),
    (re.compile(r"\bactors::"),
     lambda path: not path.startswith(("gpu/", "messages/", "policies/")),
     "a lower room names actors"),
)

# Source files without a test of their own, and why. The key is the file, the value the reason.
UNTESTED = {
    "actors/program/main.cpp": "calls run_program, which tests call",
    "actors/program/console.cpp": "reads this process's terminals, which a test has none of",
    "gpu/comm/no_fault_hook.cpp": "the absent twin; tests are built with the other",
}
# One test file may speak for several nouns: "room/part/noun.cpp" -> the test that covers it.
COVERED_BY = {
    "actors/session/entry_names.cpp": "tests/actors/request_plan_test.cpp",
    "actors/session/entry_order.cpp": "tests/actors/entry_exchange_test.cpp",
    "actors/session/entry_work.cpp": "tests/actors/live_session_test.cpp",
    "actors/session/request_run.cpp": "tests/actors/live_session_test.cpp",
    "actors/session/session_make.cpp": "tests/actors/session_test.cpp",
    "actors/session/unit_desk.cpp": "tests/actors/live_session_test.cpp",
    "gpu/checkpoint/sparse_config.cpp": "tests/gpu/model_config_test.cpp",
    "gpu/comm/certificate_name.cpp": "tests/gpu/tls_identity_test.cpp",
    "gpu/comm/frame_channel.cpp": "tests/gpu/data_server_test.cpp",
    "gpu/comm/local_stream.cpp": "tests/gpu/data_client_test.cpp",
    "gpu/comm/pull_session.cpp": "tests/gpu/data_client_test.cpp",
    "gpu/comm/refusal.cpp": "tests/gpu/control_body_test.cpp",
    "gpu/comm/server_session.cpp": "tests/gpu/data_server_test.cpp",
    "gpu/comm/tcp_stream.cpp": "tests/gpu/data_client_test.cpp",
    "gpu/door/engine.cpp": "tests/gpu/host_engine_test.cpp",
    "gpu/door/step_plan.cpp": "tests/gpu/step_batch_test.cpp",
    "gpu/host/arena.cpp": "tests/gpu/host_engine_test.cpp",
    "gpu/host/attention_layer.cpp": "tests/gpu/engine_golden_test.cpp",
    "gpu/host/entry_layers.cpp": "tests/gpu/open_step_test.cpp",
    "gpu/host/feed_forward.cpp": "tests/gpu/engine_golden_test.cpp",
    "gpu/host/gated_delta_layer.cpp": "tests/gpu/engine_splice_test.cpp",
    "gpu/host/gated_delta_walk.cpp": "tests/gpu/engine_splice_test.cpp",
    "gpu/host/instructions.cpp": "tests/gpu/host_engine_test.cpp",
    "gpu/host/read_out.cpp": "tests/gpu/host_engine_test.cpp",
    "gpu/host/step_runner.cpp": "tests/gpu/open_step_test.cpp",
    "gpu/host/weights.cpp": "tests/gpu/model_weights_test.cpp",
    "messages/wire/common_codec.cpp": "tests/messages/serving_codec_test.cpp",
    "messages/wire/receipt_codec.cpp": "tests/messages/serving_codec_test.cpp",
}


class breach:
    def __init__(self, path, line, sentence):
        self.path, self.line, self.sentence = path, line, sentence

    def __str__(self):
        return f"{self.path}:{self.line}: {self.sentence}"


class tree:
    """The files of a checkout, read once, by path relative to its root."""

    def __init__(self, root):
        self.root = Path(root)
        self.files = {}
        for folder in sorted(ALL_FOLDERS):
            for path in sorted((self.root / folder).rglob("*")):
                relative = path.relative_to(self.root)
                if not path.is_file() or "__pycache__" in relative.parts:
                    continue
                if path.suffix in TEXT_SUFFIXES or path.name == "CMakeLists.txt":
                    self.files[relative.as_posix()] = path.read_text("utf-8", "replace")

    def code(self):
        return {path: text for path, text in self.files.items()
                if Path(path).suffix in CODE_SUFFIXES}


def without_comments_and_strings(text):
    """The same text with comments, strings and characters blanked; lines and columns stay."""
    pattern = re.compile(
        r'R"([^\s()\\]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def check_includes(house):
    for path, text in house.code().items():
        room = path.split("/")[0]
        if room not in MAY_INCLUDE:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            own = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if own:
                target = own.group(1).split("/")[0]
                if target not in ALL_FOLDERS:
                    yield breach(path, number, f'"{own.group(1)}" does not start at the root')
                elif target not in MAY_INCLUDE[room]:
                    yield breach(path, number, f"{room} must not include {target}")
            other = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
            if other and other.group(1).split("/")[0] in ALL_FOLDERS:
                yield breach(path, number, f"a room's header in angle brackets: <{other.group(1)}>")
            if other and room == "policies" and other.group(1) not in STANDARD_HEADERS:
                yield breach(path, number,
                             f"policies include the standard library only, not <{other.group(1)}>")


def check_walls(house):
    for path, text in house.code().items():
        plain = without_comments_and_strings(text)
        # Includes with quotes are blanked as strings, so a wall sees code alone.
        for number, line in enumerate(plain.splitlines(), 1):
            for pattern, allowed, sentence in WALLS:
                if pattern.search(line) and not allowed(path):
                    yield breach(path, number, sentence)


def check_file_lengths(house):
    for path, text in house.files.items():
        if Path(path).suffix == ".md":
            continue
        lines = text.count("\n")
        if lines >= FILE_LINES_MAX:
            yield breach(path, lines, f"{lines} lines; a file stays under {FILE_LINES_MAX}")


def brace_blocks(plain):
    """(first line, last line, heading) of every block in braces, outermost first."""
    open_blocks, blocks = [], []
    heading_start, depth_of_parens, line = 0, 0, 1
    for index, letter in enumerate(plain):
        if letter == "\n":
            line += 1
        elif letter == "(":
            depth_of_parens += 1
        elif letter == ")":
            depth_of_parens = max(0, depth_of_parens - 1)
        elif letter == ";" and depth_of_parens == 0:
            heading_start = index + 1
        elif letter == "{":
            heading = plain[heading_start:index]
            skipped = len(heading) - len(heading.lstrip())
            first = plain.count("\n", 0, heading_start + skipped) + 1
            open_blocks.append((first, heading, depth_of_parens, heading_start))
            heading_start, depth_of_parens = index + 1, 0
        elif letter == "}" and open_blocks:
            first, heading, depth_of_parens, heading_start = open_blocks.pop()
            if plain[index + 1:index + 100].lstrip()[:1] in ("{", ","):
                continue  # A member's initializer in braces; the heading goes on.
            blocks.append((first, line, heading.strip(), len(open_blocks)))
            heading_start = index + 1
    return blocks


def is_container(heading):
    heading = re.sub(r"^(?:\s*#[^\n]*\n|\s*(?:public|private|protected)\s*:)+", "", heading).strip()
    return bool(re.match(r"(?:(?:inline|export|static|typedef|constexpr|template\s*<[^{]*>)\s*)*"
                         r"(?:namespace|class|struct|union|enum|extern)\b", heading)) \
        and not re.search(r"\)\s*(?:const|noexcept|override|final|\s)*$", heading)


def check_function_lengths(house):
    for path, text in house.code().items():
        blocks = brace_blocks(without_comments_and_strings(text))
        containers = [(first, last) for first, last, heading, _ in blocks if is_container(heading)]
        for first, last, heading, depth in blocks:
            if is_container(heading) or ")" not in heading:
                continue
            around = [span for span in containers if span[0] <= first and last <= span[1]]
            if len(around) != depth:
                continue  # Inside a function: a loop, a lambda.
            length = last - first + 1
            if length > FUNCTION_LINES_MAX:
                yield breach(path, first,
                             f"a function of {length} lines; {FUNCTION_LINES_MAX} is the most")


def check_white_space(house):
    for path, text in house.files.items():
        is_code = Path(path).suffix in CODE_SUFFIXES | {".py"}
        for number, line in enumerate(text.split("\n"), 1):
            if "\t" in line:
                yield breach(path, number, "a tab")
            if line != line.rstrip() and Path(path).suffix != ".md":
                yield breach(path, number, "spaces at the line's end")
            if is_code and len(line) > LINE_COLUMNS_MAX:
                yield breach(path, number, f"{len(line)} columns; {LINE_COLUMNS_MAX} is the most")
        if text and not text.endswith("\n"):
            yield breach(path, text.count("\n") + 1, "the last line does not end")


def check_todos(house):
    for path, text in house.code().items():
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(r"\bTODO\b(?!\((?:perf|soon|someday)\): )|\bFIXME\b|\bXXX\b", line):
                yield breach(path, number, "a TODO reads TODO(perf|soon|someday): sentence")


def check_readme_rows(house):
    """Each room's README, or one nearer to the file, has a table row that names the noun."""
    for path in house.code():
        parts = path.split("/")
        if parts[0] not in ROOMS:
            continue
        noun = Path(path).stem
        pages = ["/".join(parts[:count]) + "/README.md" for count in range(1, len(parts))]
        rows = "\n".join(line for page in pages for line in house.files.get(page, "").splitlines()
                         if line.lstrip().startswith("|"))
        if not re.search(rf"`(?:[\w/]*/)?{re.escape(noun)}(?:\.\w+|\.\*)?`", rows):
            yield breach(path, 1, f"no row for `{noun}` in {' or '.join(pages)}")


def check_mirror(house, untested=None, covered_by=None):
    untested = UNTESTED if untested is None else untested
    covered_by = COVERED_BY if covered_by is None else covered_by
    for path in house.code():
        parts = path.split("/")
        if parts[0] not in ROOMS or Path(path).suffix not in {".cpp", ".cu"}:
            continue
        stem = Path(path).stem
        mirrors = [f"tests/{parts[0]}/{stem}_test.cpp",
                   f"tests/{parts[0]}/{parts[-2]}_{stem}_test.cpp"]
        if path in untested or any(mirror in house.files for mirror in mirrors):
            continue
        if path in covered_by and covered_by[path] in house.files:
            continue
        yield breach(path, 1, f"no {mirrors[0]}, and no reason why not in check_house.py")
    for path in [*untested, *covered_by]:
        if path not in house.files:
            yield breach(path, 1, "check_house.py excuses a file that is not there")
    for path, test in covered_by.items():
        if test not in house.files:
            yield breach(path, 1, f"its test {test} is not there")


RULES = (check_includes, check_walls, check_file_lengths, check_function_lengths,
         check_white_space, check_todos, check_readme_rows, check_mirror)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2])
    parser.add_argument("--rule", help="only this one, by its function's name")
    arguments = parser.parse_args()
    house = tree(arguments.root)
    if not house.code():
        print(f"no source files under {arguments.root}")
        return 1
    breaches = [str(found) for rule in RULES if arguments.rule in (None, rule.__name__)
                for found in rule(house)]
    for found in breaches:
        print(found)
    print(f"{len(house.files)} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
