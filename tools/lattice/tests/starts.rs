//! The separate binary starts. The tests of its commands are in `tests/` of the workspace.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::process::Command;

#[test]
fn the_binary_starts() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_ontrail-lattice")).arg("--help").output().unwrap();
    let help = String::from_utf8_lossy(&output.stdout);
    assert!(help.contains("Usage: ontrail-lattice "), "{help}");
}
