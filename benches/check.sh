#!/usr/bin/env bash
# Measures everything and holds it against the goals of docs/reports/speed.md: ratios with a margin of 20 %, allocations and
# instructions exactly. Ends non-zero where a goal is missed; the last line names what. Wants a quiet machine.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

found=$(mktemp)
trap 'rm -f "$found"' EXIT
missed=()

measured() {
    printf '\n=== %s\n' "$*"
    "$@" | tee -a "$found" || missed+=("$*")
}

measured cargo bench --locked --bench overhead
measured cargo bench --locked --bench scaling
measured cargo bench --locked --bench contention
measured cargo bench --locked --bench hostile -- --gate
measured benches/instructions.sh
measured cargo run --locked --release --quiet --manifest-path benches/peers/Cargo.toml
measured cargo test --locked --quiet --test allocations

# goal NAME at-most|at-least LIMIT: NAME is the second word of a line `ratio NAME VALUE`, `value NAME VALUE` or
# `instructions NAME VALUE`.
goal() {
    local kind=$1 name=$2 how=$3 limit=$4 margin=1.2 value
    if [[ $kind == instructions ]]; then margin=1; fi
    value=$(awk -v kind="$kind" -v name="$name" '$1 == kind && $2 == name { print $3 }' "$found" | tail -n 1)
    if [[ -z $value ]]; then
        missed+=("$name: not measured")
    elif ! awk -v v="$value" -v l="$limit" -v m="$margin" -v how="$how" \
        'BEGIN { exit !(how == "at-most" ? v <= l * m : v >= l / m) }'; then
        missed+=("$name: $value, $how $limit")
    fi
}

goal ratio bare at-most 5                               # S1
goal instructions bare at-most 2500
goal ratio full at-most 10                              # S2
goal instructions full at-most 4500
goal ratio full_text_vs_rig at-least 2                  # S3
goal ratio full_text_vs_rig_server_1000 at-least 25
goal ratio bare_vs_rmcp_router at-least 1.8             # S4
goal ratio full_vs_rmcp_router at-least 1
goal ratio bare_vs_rmcp_duplex at-least 30
goal ratio per_pre_8 at-most 1                          # S5
goal ratio per_pre_64 at-most 1
goal ratio tools_10000 at-most 1.1                      # S6
goal ratio schemas_10000 at-most 1.1
goal value register_10000th_ms at-most 2
goal ratio plugin_1000 at-most 1.2
goal ratio result_100_kib at-most 2.2                   # S7
goal ratio rejected at-most 15                          # S8
goal ratio threads_2 at-least 1.6                       # S9
goal ratio with_writer at-most 1.1
goal ratio batch_10000 at-most 2                        # S10

if ((${#missed[@]} == 0)); then
    printf '\nall goals are reached\n'
else
    printf '\n%d goals are missed\n' "${#missed[@]}"
    printf 'missed: %s\n' "$(IFS=';'; printf '%s' "${missed[*]}")"
    exit 1
fi
