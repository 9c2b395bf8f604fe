#!/usr/bin/env python3
"""The decisions of compare.py and the refusals of its scripts; no engine is needed."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import figures

HERE = Path(__file__).resolve().parent
FIGURE = {each.key: each for each in figures.FIGURES}


def turn(rate, others_s=0.0, own_s=2.0):
    return figures.turn(rate, 1.0, own_s, others_s)


def printed_by_llama_bench(prompt, new, depth, rates):
    return {"build_commit": "unknown", "n_threads": 2, "n_prompt": prompt, "n_gen": new,
            "n_depth": depth, "avg_ts": sum(rates) / len(rates), "samples_ts": rates}


class a_disturbed_turn(unittest.TestCase):
    def clocks(self, busy, idle, stolen=0.0):
        return figures.clocks(busy, idle, stolen)

    def test_the_clocks_are_read_from_the_line_of_all_cores(self):
        text = "cpu  100 20 30 400 50 6 7 8 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
        read = figures.clocks_of(text, 100)
        self.assertAlmostEqual(read.busy, 1.63)
        self.assertAlmostEqual(read.idle, 4.5)
        self.assertAlmostEqual(read.stolen, 0.08)

    def test_a_machine_is_quiet_up_to_a_twentieth_of_use(self):
        start = self.clocks(10, 100)
        self.assertTrue(figures.is_quiet(start, self.clocks(10.19, 103.81)))
        self.assertFalse(figures.is_quiet(start, self.clocks(10.25, 103.75)))
        self.assertFalse(figures.is_quiet(start, self.clocks(10, 103.7, 0.3)))

    def test_what_the_engine_used_itself_is_not_the_others(self):
        before, after = self.clocks(10, 100), self.clocks(14, 101, 0.25)
        self.assertAlmostEqual(figures.others_seconds(before, after, 3.5), 0.75)

    def test_ticks_in_anothers_name_make_no_negative_time(self):
        before, after = self.clocks(10, 100), self.clocks(12, 101)
        self.assertEqual(figures.others_seconds(before, after, 2.02), 0.0)

    def test_it_is_disturbed_beyond_a_twentieth_of_its_own_time(self):
        self.assertFalse(figures.is_disturbed(0.5, 10))
        self.assertTrue(figures.is_disturbed(0.6, 10))

    def test_a_few_ticks_disturb_no_short_turn(self):
        self.assertFalse(figures.is_disturbed(0.03, 0.1))
        self.assertTrue(figures.is_disturbed(0.05, 0.1))


class a_summary(unittest.TestCase):
    def test_it_leaves_disturbed_turns_out(self):
        found = figures.summary_of([turn(100), turn(10, others_s=1.5), turn(300), turn(200)])
        self.assertEqual((found["median"], found["min"], found["max"]), (200, 100, 300))
        self.assertEqual((found["counted"], found["disturbed"]), (3, 1))
        self.assertFalse(found["all_disturbed"])

    def test_it_counts_all_and_says_so_where_all_were_disturbed(self):
        found = figures.summary_of([turn(100, others_s=1.0), turn(50, others_s=1.0)])
        self.assertEqual((found["median"], found["counted"], found["disturbed"]), (75, 2, 2))
        self.assertTrue(found["all_disturbed"])


class a_comparison(unittest.TestCase):
    def test_the_ratio_is_to_the_faster_peer(self):
        rows = figures.compared({"prefill_512": {
            "transformers": [turn(100)], "llama.cpp": [turn(400), turn(500), turn(600)],
            "weft": [turn(750)]}})
        self.assertEqual(rows["prefill_512"]["faster_peer"], "llama.cpp")
        self.assertAlmostEqual(rows["prefill_512"]["ratio"], 1.5)

    def test_there_is_no_ratio_where_weft_or_the_peers_are_missing(self):
        rows = figures.compared({
            "decode_empty": {"transformers": [], "llama.cpp": [turn(700)], "weft": []},
            "prefill_512": {"weft": [turn(750)]}})
        self.assertIsNone(rows["decode_empty"]["ratio"])
        self.assertEqual(list(rows["decode_empty"]["engines"]), ["llama.cpp"])
        self.assertIsNone(rows["prefill_512"]["ratio"])

    def test_the_table_shows_every_engine_and_one_ratio(self):
        text = figures.table_text(figures.compared({"prefill_2048": {
            "transformers": [turn(1000)], "llama.cpp": [turn(800)], "weft": [turn(2500)]}}))
        lines = text.splitlines()
        self.assertEqual([line.split("  ")[0] for line in lines[1:]], ["prefill of 2,048"] * 3)
        self.assertEqual([line.endswith("2.50") for line in lines], [False, False, False, True])
        self.assertNotIn("*", text)

    def test_the_table_marks_what_was_always_disturbed_and_its_ratio(self):
        text = figures.table_text(figures.compared({"prefill_512": {
            "llama.cpp": [turn(800, others_s=1.0)], "weft": [turn(400)]}}))
        self.assertIn("800*", text)
        self.assertIn("0.50*", text)
        self.assertIn("disturbed by other processes", text)


class what_llama_bench_prints(unittest.TestCase):
    def test_the_repeats_of_the_figure_are_read(self):
        text = json.dumps([printed_by_llama_bench(512, 0, 0, [1.0, 2.0]),
                           printed_by_llama_bench(0, 64, 512, [576.5, 580.25, 570.0])])
        self.assertEqual(figures.llama_rates(text, FIGURE["prefill_512"]), [1.0, 2.0])
        self.assertEqual(figures.llama_rates(text, FIGURE["decode_after_512"]),
                         [576.5, 580.25, 570.0])

    def test_an_empty_context_is_not_one_of_512(self):
        text = json.dumps([printed_by_llama_bench(0, 64, 512, [576.0])])
        with self.assertRaisesRegex(ValueError, "no line for decode_empty"):
            figures.llama_rates(text, FIGURE["decode_empty"])

    def test_other_output_is_an_error_with_its_reason(self):
        for text in ("", "| model | size |", '{"a": 1}', '[{"n_prompt": 512}]', "3"):
            with self.assertRaisesRegex(ValueError, "other JSON"):
                figures.llama_rates(text, FIGURE["prefill_512"])


class what_weft_bench_prints(unittest.TestCase):
    def test_the_last_line_is_read(self):
        text = ("prefill of 512 tokens: 1627 tokens/s\n"
                '{"prefill_tokens_per_s":{"512":1626.5},"decode_tokens_per_s":{"1":111.25}}\n')
        self.assertEqual(figures.weft_rate(text, FIGURE["prefill_512"]), 1626.5)
        self.assertEqual(figures.weft_rate(text, FIGURE["decode_after_512"]), 111.25)

    def test_a_missing_length_is_an_error(self):
        for text in ("", "no JSON\n", '{"prefill_tokens_per_s":{"512":1.0}}\n'):
            with self.assertRaisesRegex(ValueError, "prefill_tokens_per_s of 8192"):
                figures.weft_rate(text, FIGURE["prefill_8192"])

    def test_it_is_asked_for_the_figure_alone_where_it_can_be(self):
        options = "--prefill LENGTHS  --only KINDS"
        self.assertEqual(figures.weft_arguments(FIGURE["prefill_2048"], options),
                         ["--runs", "3", "--only", "prefill", "--prefill", "2048"])
        self.assertIn("decode", figures.weft_arguments(FIGURE["decode_after_512"], options))

    def test_it_is_given_a_prompt_of_that_length_where_it_cannot(self):
        words = figures.weft_arguments(FIGURE["prefill_8192"], "--segments N")
        self.assertEqual(words[-2:], ["--question-tokens", "8160"])

    def test_it_decodes_from_no_empty_context(self):
        self.assertIsNone(figures.weft_arguments(FIGURE["decode_empty"], "--only --prefill"))


class golden_answers(unittest.TestCase):
    def found(self, *differences, equal=True):
        return [{"logit_difference": each, "greedy_equal": equal} for each in differences]

    def test_close_logits_and_equal_ids_have_no_fault(self):
        self.assertEqual(figures.golden_faults("weft", self.found(1e-5, 1e-4), 1e-4), [])

    def test_far_logits_and_other_ids_and_no_answers_are_faults(self):
        self.assertIn("0.002", figures.golden_faults("weft", self.found(1e-5, 2e-3), 1e-4)[0])
        wrong = self.found(0.0, equal=False)
        self.assertIn("prompts 0", figures.golden_faults("weft", wrong, 1e-4)[0])
        self.assertEqual(len(figures.golden_faults("weft", [], 1e-4)), 1)

    def test_a_nan_is_a_fault(self):
        self.assertEqual(len(figures.golden_faults("weft", self.found(float("nan")), 1e-4)), 1)


class the_scripts(unittest.TestCase):
    def run_script(self, *words):
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def test_compare_names_the_script_that_installs_missing_peers(self):
        with tempfile.TemporaryDirectory() as folder:
            for peer in ("transformers", "llama"):
                done = self.run_script(sys.executable, "-B", str(HERE / "compare.py"),
                                       "--peers", folder, "--peer", peer)
                self.assertEqual(done.returncode, 1)
                self.assertIn("run tests/peers/install", done.stderr)

    def test_install_refuses_what_it_does_not_know(self):
        for words, named in ((["--only", "vllm"], "vllm"), (["--fast"], "--fast"),
                             (["--only"], "--only"), (["a", "b"], "a and b")):
            done = self.run_script("bash", str(HERE / "install"), *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(named, done.stderr)

    def test_both_explain_themselves(self):
        for program, script in (("bash", "install"), (sys.executable, "compare.py")):
            done = self.run_script(program, str(HERE / script), "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("FOLDER", done.stdout)


if __name__ == "__main__":
    unittest.main()
