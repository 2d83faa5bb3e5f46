#!/usr/bin/env bash
# How long a clean debug build takes, against that of `jsonschema` alone, and how many crates it has.
# Prints `ratio debug_build X` and `value crates N`. Wants a quiet machine.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

version=$(sed -n '/^name = "jsonschema"/{n;s/version = "\(.*\)"/\1/p}' "$root/Cargo.lock")
mkdir -p "$scratch/alone/src"
touch "$scratch/alone/src/lib.rs"
cp "$root/Cargo.lock" "$scratch/alone/"
cat >"$scratch/alone/Cargo.toml" <<TOML
[package]
name = "alone"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
jsonschema = { version = "=$version", default-features = false }
TOML

seconds() {
    local start
    start=$(date +%s.%N)
    CARGO_TARGET_DIR=$scratch/target cargo build --quiet --lib --manifest-path "$1"
    awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'
    rm -rf "$scratch/target"
}

cargo fetch --quiet --locked --manifest-path "$root/Cargo.toml"
ours=$(seconds "$root/Cargo.toml") alone=$(seconds "$scratch/alone/Cargo.toml")
awk -v a="$ours" -v b="$alone" 'BEGIN { printf "ratio debug_build %.2f\n", a / b }'
printf 'value crates %d\n' "$(cargo tree --locked --edges normal,build --prefix none --manifest-path "$root/Cargo.toml" | sed 's/ (\*)$//' | sort -u | wc -l)"
