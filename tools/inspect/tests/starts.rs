//! Checks that the tool starts as a separate binary. The tests of its commands are in `tests/`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::process::Command;

#[test]
fn the_binary_starts() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ontrail-inspect")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(help.contains("Usage: ontrail-inspect "), "{help}");
}
