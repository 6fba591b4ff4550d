//! Checks that the separate binary starts; the tests in `tests/` check what the tool does.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::process::Command;

#[test]
fn the_binary_starts() {
    let output = Command::new(env!("CARGO_BIN_EXE_ontrail-crawl")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(help.contains("Usage: ontrail-crawl "), "{help}");
}
