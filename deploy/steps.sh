# shellcheck shell=bash
# Steps that the scripts of this folder share; sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${WEFT_BUILD_JOBS:-$(nproc)}

# minutes_since SECONDS: "3.2 min", of what began when bash's SECONDS was that.
minutes_since() {
  local tenths=$(((SECONDS - $1) * 10 / 60))
  printf '%d.%d min' $((tenths / 10)) $((tenths % 10))
}

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }

# build PRESET [TARGET...]: configures and builds into build/PRESET; what a compiler says goes to
# build/PRESET.log, and is shown when it fails.
build() {
  local preset=$1
  shift
  local log=$root/build/$preset.log begin=$SECONDS
  mkdir -p "$root/build"
  say "configuring build/$preset"
  (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  say "building build/$preset with $jobs jobs (the first time takes minutes; tail -f build/$preset.log)"
  (cd "$root" && cmake --build "build/$preset" --parallel "$jobs" ${@:+--target "$@"}) >"$log" 2>&1 ||
    { tail -n 60 "$log" >&2; exit 1; }
  say "built build/$preset in $(minutes_since "$begin")"
}
