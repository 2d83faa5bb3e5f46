#!/usr/bin/env bash
# How many instructions one call takes, counted by callgrind: calls that are made and run against the same calls that are
# only made.
# Prints a line `instructions ROW N` for each row.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v valgrind >/dev/null || { echo "SKIPPED LOUDLY: instructions: there is no valgrind"; exit 0; }
calls=1000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

binary=$(cargo bench --locked --bench overhead --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"name":"overhead".*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)

total() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/out" "$binary" "$1" "$2" $calls 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

for row in ${@:-floor_v bare full full_from_text rejected}; do
    printf 'instructions %s %d\n' "$row" $((($(total --calls "$row") - $(total --ready "$row")) / calls))
done
