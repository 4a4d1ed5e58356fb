#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tessera developers
# SPDX-License-Identifier: Apache-2.0
#
# Usage: scripts/lint.sh [--fix] [--tidy | --tidy-all] [--readme]
#
# Checks what a compiler does not: formatting (clang-format 14), shell scripts (shellcheck),
# licence headers and file lengths, in seconds. `scripts/setup.sh --lint` installs the tools; one
# that is missing is named and skipped, unless CI is set.
#
#   --fix            reformat instead of complaining
#   --tidy           also run clang-tidy on the .cpp files of src/ and apps/ changed since main
#   --tidy-all       the same on all of them (needs scripts/test.sh or cmake --preset release before)
#   --readme         write the README's table of operations as build/release's program has it
#   -h, --help       print this text

set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname -- "$0")/lib.sh"
cd "$repo"

readonly longest_file=500 # lines
failed=()

# check NAME COMMAND...: runs one check and remembers whether it failed.
check() {
  local name=$1
  shift
  if "$@"; then say "$name: fine"; else failed+=("$name"); fi
}

# tool_missing NAME: a missing tool is a failure in CI and a word elsewhere.
tool_missing() {
  say "$1 is not installed, so its check is left out ('scripts/setup.sh --lint' installs it)"
  [ -z "${CI:-}" ]
}

# Prints the files of git that exist and match the patterns, new ones included, one a line.
files() {
  git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while IFS= read -r file; do
    if [ -f "$file" ]; then echo "$file"; fi
  done
}

formatter() {
  local candidate
  for candidate in clang-format-14 clang-format; do
    if have "$candidate" && "$candidate" --version | grep -q 'version 14\.'; then
      echo "$candidate"
      return 0
    fi
  done
}

check_format() {
  local tool odd
  tool=$(formatter)
  if [ -z "$tool" ]; then
    say "clang-format 14 is not here, so the format is not checked (later ones break lines differently)"
    return 0
  fi
  if [ -n "$fix" ]; then
    files '*.cpp' '*.hpp' | xargs -r "$tool" -i
    return 0
  fi
  odd=$(files '*.cpp' '*.hpp' | xargs -r "$tool" --dry-run 2>&1 |
    sed -n 's/:[0-9]*:[0-9]*: .*clang-format-violations.*//p' | sort | uniq -c)
  if [ -n "$odd" ]; then
    warn $'places that clang-format would change, by file:\n'"$odd"
    warn "'$program --fix' formats them"
    return 1
  fi
}

check_shell() {
  have shellcheck || { tool_missing shellcheck; return; }
  files '*.sh' '*.sbatch' .ci/run | xargs -r shellcheck -x
}

# Two lines on top of every text file, JSON and the licence itself excepted.
check_headers() {
  local file status=0
  while IFS= read -r file; do
    if ! head -n 8 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0'; then
      warn "$file: the SPDX lines are missing; copy them from the top of scripts/lint.sh"
      status=1
    fi
  done < <(files '*.cpp' '*.hpp' '*.inc' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' '*.sbatch' '*.yml' .ci/run)
  return "$status"
}

check_lengths() {
  local file lines status=0
  while IFS= read -r file; do
    lines=$(wc -l < "$file")
    if [ "$lines" -gt "$longest_file" ]; then
      warn "$file: $lines lines, more than $longest_file; split it by purpose"
      status=1
    fi
  done < <(files '*.cpp' '*.hpp' '*.py' '*.sh')
  return "$status"
}

# Kernels are left out: clang has no omp.h of its own beside GCC's OpenMP.
check_tidy() {
  local database=build/release base
  have clang-tidy || { tool_missing clang-tidy; return; }
  if [ ! -f "$database/compile_commands.json" ]; then
    warn "clang-tidy needs compile commands; run 'cmake --preset release' first"
    return 1
  fi
  if [ "$tidy" = all ]; then
    files 'src/*.cpp' 'apps/*.cpp'
  else
    base=$(git merge-base HEAD origin/main 2> /dev/null || git rev-parse HEAD)
    { git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 'apps/*.cpp' &&
      git ls-files --others --exclude-standard -- 'src/*.cpp' 'apps/*.cpp'; } | sort -u
  fi | xargs -r -n 1 -P "$(jobs)" clang-tidy --quiet --warnings-as-errors='*' -p "$database" 2> /dev/null
}

# The same script is the test that compares the two.
write_readme() {
  local tessera=build/release/apps/tessera/tessera
  [ -x "$tessera" ] || die "--readme needs the program; run 'cmake --build --preset release' first"
  "$(find_python)" tests/cli/readme_test.py --tessera "$tessera" --source . --fix
}

fix=
tidy=
readme=
for option in "$@"; do
  case $option in
    --fix) fix=yes ;;
    --tidy) tidy=changed ;;
    --tidy-all) tidy=all ;;
    --readme) readme=yes ;;
    -h | --help)
      print_help "$0"
      exit 0
      ;;
    *) unknown_option "$option" ;;
  esac
done

if [ -n "$readme" ]; then check "README" write_readme; fi
check "format" check_format
check "shell scripts" check_shell
check "licence headers" check_headers
check "file lengths" check_lengths
if [ -n "$tidy" ]; then check "clang-tidy" check_tidy; fi

if [ "${#failed[@]}" -gt 0 ]; then
  die "not clean: $(IFS=,; echo "${failed[*]}"); correct what is named above"
fi
say "clean"
