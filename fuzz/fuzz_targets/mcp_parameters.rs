#![no_main]

#[allow(dead_code, reason = "each target uses one of the bodies")]
#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::mcp_parameters::run(data));
