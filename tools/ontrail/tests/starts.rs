//! The binary starts. It is tested at length in `tests/`; this test beside it makes
//! `cargo test --workspace` build it.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::process::Command;

#[test]
fn the_binary_starts() {
    let output = Command::new(env!("CARGO_BIN_EXE_ontrail")).arg("--version").output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        concat!("ontrail ", env!("CARGO_PKG_VERSION"))
    );
}
