//! What the end-to-end tests share: running the real binary and looking at what it did.
//!
//! The binary is the one that `cargo test --workspace` builds beside the tests.

#![doc = "\n# The README, whose examples are tested here\n\n"]
#![doc = include_str!("../README.md")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub mod web;

/// The root of the checkout.
///
/// # Panics
///
/// Never: the tests lie in it.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root").to_owned()
}

/// A folder to run commands in.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// A new, empty folder.
    ///
    /// # Panics
    ///
    /// When none can be made.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "making a folder is no default")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    /// The path of something in the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file in the folder.
    ///
    /// # Panics
    ///
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("files lie in the folder"))
            .expect("folders can be made");
        fs::write(path, content).expect("files can be written");
    }

    /// Runs `ontrail` in the folder.
    ///
    /// # Panics
    ///
    /// When the binary has not been built.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with_input(args, "")
    }

    /// Starts `ontrail` in the folder and lets it run.
    ///
    /// # Panics
    ///
    /// When the binary has not been built.
    #[must_use]
    pub fn spawn(&self, args: &[&str]) -> Child {
        let binary = binary();
        let mut command = Command::new(&binary);
        // Help is as wide as it is where nothing says how wide a terminal is.
        command.args(args).current_dir(self.0.path()).env_remove("COLUMNS");
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().unwrap_or_else(|error| {
            panic!("{}: {error}; run `cargo build` first", binary.display())
        })
    }

    /// Runs `ontrail` in the folder with something on standard input.
    ///
    /// # Panics
    ///
    /// When the binary has not been built.
    #[must_use]
    pub fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        let mut child = self.spawn(args);
        let mut stdin = child.stdin.take().expect("standard input is a pipe");
        // A command that reads nothing may have closed it already.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        Ran::new(&child.wait_with_output().expect("a child can be waited for"))
    }
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub code: i32,
}

impl Ran {
    fn new(output: &Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// The result as JSON, of a command that was to succeed.
    ///
    /// # Panics
    ///
    /// When the command failed or printed something else.
    #[must_use]
    pub fn json(&self) -> Value {
        assert!(self.code < 2, "exit {}: {}", self.code, self.stderr);
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Checks that the command failed with this message and printed no result.
    ///
    /// # Panics
    ///
    /// When it did not.
    pub fn refused(&self, message: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        assert!(self.stderr.contains(message), "{}\ndoes not say\n{message}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// The `ontrail` binary beside the test binary: target/debug/deps/test and target/debug/ontrail.
/// The binary under test.
///
/// # Panics
///
/// Never: a test knows its own file.
#[must_use]
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a process knows its file");
    let profile = test.ancestors().nth(2).expect("tests lie two folders down");
    profile.join(format!("ontrail{}", std::env::consts::EXE_SUFFIX))
}
