#include <catch2/catch.hpp>

#include "actors/program/words.hpp"
#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;

TEST_CASE("help lists every word and every word has help", "[actors][words]") {
  const program_outcome help = run_weft({"--help"});
  CHECK(help.code == exit_done);
  CHECK(help.err.empty());
  for (const word& each : all_words()) {
    const std::string name(each.name);
    CHECK(contains(help.out, "  " + name + " "));
    const program_outcome own = run_weft({name, "--help"});
    CHECK(own.code == exit_done);
    CHECK(contains(own.out, "usage: weft " + name));
    for (const option_rule& rule : each.rules) {
      CHECK(contains(own.out, "  " + std::string(rule.name)));
      CHECK_FALSE(rule.sentence.empty());
    }
  }
}

TEST_CASE("no word and an unknown word are wrong use and show the list", "[actors][words]") {
  const program_outcome nothing = run_weft({});
  CHECK(nothing.code == exit_wrong_use);
  CHECK(contains(nothing.err, "usage: weft WORD"));
  const program_outcome unknown = run_weft({"evla"});
  CHECK(unknown.code == exit_wrong_use);
  CHECK(unknown.out.empty());
  CHECK(contains(unknown.err, "unknown word 'evla'; did you mean 'eval'?"));
  for (const word& each : all_words()) CHECK(contains(unknown.err, std::string(each.name)));
}

TEST_CASE("help may be asked for as a word", "[actors][words]") {
  const program_outcome help = run_weft({"help"});
  CHECK(help.code == exit_done);
  CHECK(help.out == run_weft({"--help"}).out);
}

TEST_CASE("a question to the user ends without a full stop", "[actors][words]") {
  const program_outcome slip = run_weft({"run", "--model", "x", "--mode", "stiched"});
  CHECK(slip.code == exit_wrong_use);
  CHECK(contains(slip.err, "did you mean stitched?\n"));
}

TEST_CASE("the version is printed", "[actors][words]") {
  const program_outcome version = run_weft({"--version"});
  CHECK(version.code == exit_done);
  CHECK(version.out.find("weft ") == 0);
}

TEST_CASE("wrong use names the option and exits with 2", "[actors][words]") {
  for (const word& each : all_words()) {
    const std::string name(each.name);
    const program_outcome wrong = run_weft({name, "--no-such-option"});
    CHECK(wrong.code == exit_wrong_use);
    CHECK(contains(wrong.err, "weft " + name + ": unknown option '--no-such-option'"));
    CHECK(wrong.out.empty());
  }
  CHECK(run_weft({"run"}).code == exit_wrong_use);
  CHECK(contains(run_weft({"run"}).err, "--model DIR is missing"));
}

TEST_CASE("a failure is one sentence with the word before it and exits with 1", "[actors][words]") {
  for (const std::string word : {"run", "score", "tokenize", "inspect", "bench"}) {
    const program_outcome failed = run_weft({word, "--model", "/no/such/model"});
    CHECK(failed.code == exit_failed);
    CHECK(failed.err.find("weft " + word + ": ") == 0);
    CHECK(contains(failed.err, "/no/such/model"));
    CHECK(lines_of(failed.err).size() == 1);
  }
}

TEST_CASE("help names all that a choice may be, and nothing that this build lacks",
          "[actors][words]") {
  for (const word& each : all_words()) {
    const std::string page = run_weft({std::string(each.name), "--help"}).out;
    CHECK_FALSE(contains(page, "cuda"));
    for (const option_rule& rule : each.rules)
      for (const std::string_view choice : rule.choices) {
        CAPTURE(each.name, rule.name, choice);
        CHECK(contains(std::string(rule.sentence), std::string(choice)));
      }
  }
}

TEST_CASE("options that mean the same everywhere are spelled the same everywhere",
          "[actors][words]") {
  for (const word& each : all_words())
    for (const option_rule& rule : each.rules) CHECK(rule.name.substr(0, 2) == "--");
  for (const std::string word : {"run", "eval", "score", "bench"})
    for (const std::string option : {"--device", "--threads", "--head-tokens", "--tail-tokens",
                                     "--profile", "--mode", "--json"})
      CHECK(contains(run_weft({word, "--help"}).out, "  " + option + " "));
}
