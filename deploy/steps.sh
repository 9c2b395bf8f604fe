# shellcheck shell=bash
# Steps that the scripts of this folder share; sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${WEFT_BUILD_JOBS:-$(nproc)}

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }

# build PRESET [TARGET...]: configures and builds into build/PRESET, with the words that failed last.
build() {
  local preset=$1
  shift
  local log
  log=$(mktemp)
  say "configuring build/$preset"
  (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  say "building build/$preset with $jobs jobs"
  (cd "$root" && cmake --build "build/$preset" --parallel "$jobs" ${@:+--target "$@"}) >"$log" 2>&1 ||
    { tail -n 60 "$log" >&2; exit 1; }
  rm -f "$log"
}
