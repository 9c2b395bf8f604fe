#!/usr/bin/env python3
"""Plants a fault for each rule of check_house.py and expects it to be found, alone."""

import tempfile
import unittest
from pathlib import Path

import check_house

CLEAN = {
    "policies/README.md": "| noun | is |\n|---|---|\n| `rank` | an order |\n",
    "policies/rank.hpp": "#pragma once\n#include <vector>\nint rank();\n",
    "policies/rank.cpp": '#include "policies/rank.hpp"\nint rank() { return 1; }\n',
    "tests/policies/rank_test.cpp": '#include "policies/rank.hpp"\n',
}


def breaches_of(rule, changes, **arguments):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {**CLEAN, **changes}.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return [str(found) for found in rule(check_house.tree(folder), **arguments)]


class includes(unittest.TestCase):
    def test_a_clean_tree_has_no_breach(self):
        self.assertEqual(breaches_of(check_house.check_includes, {}), [])

    def test_every_upward_include_is_found(self):
        allowed = 0
        for room, targets in check_house.MAY_INCLUDE.items():
            for target in check_house.ALL_FOLDERS:
                text = f'#include "{target}/thing.hpp"\n'
                found = breaches_of(check_house.check_includes, {f"{room}/new.cpp": text})
                self.assertEqual(found == [], target in targets, f"{room} -> {target}: {found}")
                allowed += found == []
        self.assertEqual(allowed, 1 + 2 + 2 + 4 + 6 + 5)

    def test_a_third_party_in_policies_is_found(self):
        text = "#include <nlohmann/json.hpp>\n"
        found = breaches_of(check_house.check_includes, {"policies/new.cpp": text})
        self.assertEqual(len(found), 1)
        self.assertIn("nlohmann/json.hpp", found[0])
        self.assertEqual(breaches_of(check_house.check_includes, {"gpu/new.cpp": text}), [])

    def test_angle_brackets_hide_no_room(self):
        text = "#include <actors/session/session.hpp>\n"
        found = breaches_of(check_house.check_includes, {"messages/new.cpp": text})
        self.assertEqual(len(found), 1)
        self.assertIn("actors/session/session.hpp", found[0])

    def test_an_include_from_the_side_is_found(self):
        found = breaches_of(check_house.check_includes, {"gpu/new.cpp": '#include "x.hpp"\n'})
        self.assertEqual(len(found), 1)


class walls(unittest.TestCase):
    def found(self, path, text):
        return breaches_of(check_house.check_walls, {path: text})

    def test_capnp_is_named_in_codecs_only(self):
        text = "capnp::word w;\n"
        for path in ("messages/wire/serving_codec.cpp", "messages/wire/codec_border.hpp",
                     "tests/messages/serving_codec_test.cpp"):
            self.assertEqual(self.found(path, text), [], path)
        for path in ("messages/wire/serving.cpp", "messages/wire/serving_codec.hpp",
                     "messages/prompt/key_codec.cpp", "messages/wire/deep/key_codec.cpp",
                     "actors/serving_codec.cpp", "tests/actors/a_test.cpp"):
            self.assertEqual(len(self.found(path, text)), 1, path)

    def test_cuda_is_named_in_gpu_only(self):
        for text in ("cudaFree(p);\n", "#include <cuda_runtime.h>\n", "cuda::stream_ref s;\n"):
            self.assertEqual(self.found("gpu/device.cpp", text), [])
            self.assertEqual(len(self.found("actors/device.cpp", text)), 1, text)

    def test_caf_is_named_in_actors_only(self):
        self.assertEqual(self.found("actors/a.cpp", "caf::actor a;\n"), [])
        self.assertEqual(len(self.found("messages/a.cpp", "caf::actor a;\n")), 1)

    def test_lower_rooms_do_not_name_actors(self):
        self.assertEqual(len(self.found("gpu/a.cpp", "weft::actors::session* s;\n")), 1)

    def test_comments_and_strings_may_name_anything(self):
        text = '// caf::actor\n/* cudaFree(x) */ const char* a = "capnp::word";\n'
        self.assertEqual(self.found("policies/a.cpp", text), [])


class lengths(unittest.TestCase):
    def test_a_file_of_400_lines_is_found(self):
        rule = check_house.check_file_lengths
        self.assertEqual(breaches_of(rule, {"gpu/a.cpp": "\n" * 399}), [])
        self.assertEqual(len(breaches_of(rule, {"gpu/a.cpp": "\n" * 400})), 1)

    def function(self, lines, heading="int f(int a,\n      int b)"):
        body_lines = lines - heading.count("\n") - 2
        return ("namespace weft {\nstruct s {\n  int x = 0;\n};\n\n" + heading + " {\n"
                + "  if (a) { a = '}'; }  // }\n" * body_lines + "}\n\n}  // namespace weft\n")

    def test_a_function_of_71_lines_is_found(self):
        rule = check_house.check_function_lengths
        self.assertEqual(breaches_of(rule, {"gpu/a.cpp": self.function(70)}), [])
        found = breaches_of(rule, {"gpu/a.cpp": self.function(71)})
        self.assertEqual(len(found), 1)
        self.assertIn("gpu/a.cpp:6: a function of 71 lines", found[0])

    def test_a_long_method_and_a_long_constructor_are_found(self):
        rule = check_house.check_function_lengths
        for heading in ("  void m() const", "  c(int a) : x(a), y{a}"):
            text = "class c {\n public:\n" + self.function(80, heading) + "};\n"
            self.assertEqual(len(breaches_of(rule, {"gpu/a.cpp": text})), 1, heading)

    def test_long_namespaces_classes_and_tables_are_no_functions(self):
        text = ("namespace weft {\nclass c {\n" + "  int f() { return 1; }\n" * 90 + "};\n"
                + "constexpr int table[] = {\n" + "  1,\n" * 90 + "};\n}\n")
        self.assertEqual(breaches_of(check_house.check_function_lengths, {"gpu/a.cpp": text}), [])


class white_space(unittest.TestCase):
    def test_tabs_trailing_spaces_long_lines_and_open_ends_are_found(self):
        rule = check_house.check_white_space
        for text in ("\tint a;\n", "int a; \n", "/" * 101 + "\n", "int a;"):
            self.assertEqual(len(breaches_of(rule, {"gpu/a.cpp": text})), 1, repr(text))
        self.assertEqual(breaches_of(rule, {"gpu/a.cpp": "/" * 100 + "\n"}), [])


class todos(unittest.TestCase):
    def test_only_sorted_todos_pass(self):
        rule = check_house.check_todos
        for text in ("// TODO: later\n", "// TODO(me): later\n", "// FIXME\n"):
            self.assertEqual(len(breaches_of(rule, {"gpu/a.cpp": text})), 1, text)
        self.assertEqual(breaches_of(rule, {"gpu/a.cpp": "// TODO(perf): later.\n"}), [])


class rows(unittest.TestCase):
    def test_a_noun_without_a_row_is_found(self):
        rule = check_house.check_readme_rows
        self.assertEqual(breaches_of(rule, {}), [])
        self.assertEqual(len(breaches_of(rule, {"policies/new.hpp": "\n"})), 1)
        row = {"policies/new.hpp": "\n", "policies/README.md": "`new` and `rank` in prose\n"}
        self.assertEqual(len(breaches_of(rule, row)), 3)  # new.hpp, rank.hpp, rank.cpp.

    def test_a_row_nearer_to_the_file_counts(self):
        changes = {"gpu/host/tile.cpp": "\n", "gpu/host/README.md": "| `tile` | a tile |\n"}
        self.assertEqual(breaches_of(check_house.check_readme_rows, changes), [])


class mirror(unittest.TestCase):
    def found(self, changes, **excuses):
        arguments = {"untested": {}, "covered_by": {}, **excuses}
        return breaches_of(check_house.check_mirror, changes, **arguments)

    def test_a_source_file_without_a_test_is_found(self):
        self.assertEqual(self.found({}), [])
        self.assertEqual(len(self.found({"gpu/x/a.cpp": "\n"})), 1)
        for test in ("tests/gpu/a_test.cpp", "tests/gpu/x_a_test.cpp"):
            self.assertEqual(self.found({"gpu/x/a.cpp": "\n", test: "\n"}), [])

    def test_an_excuse_needs_its_file_and_its_test(self):
        file = {"gpu/x/a.cpp": "\n"}
        self.assertEqual(self.found(file, untested={"gpu/x/a.cpp": "why"}), [])
        self.assertEqual(len(self.found({}, untested={"gpu/x/a.cpp": "why"})), 1)
        test = {**file, "tests/gpu/b_test.cpp": "\n"}
        excuse = {"gpu/x/a.cpp": "tests/gpu/b_test.cpp"}
        self.assertEqual(self.found(test, covered_by=excuse), [])
        self.assertGreaterEqual(len(self.found(file, covered_by=excuse)), 1)


if __name__ == "__main__":
    unittest.main()
