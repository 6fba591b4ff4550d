//! Shared by all end-to-end tests: runs the real binary and returns its output.
//!
//! The binary is the one that `cargo test --workspace` builds beside the tests.

#![doc = "\n# The README, whose examples are tested here\n\n"]
#![doc = include_str!("../README.md")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

pub mod invariants;
pub mod laboratory;
pub mod redis;
pub mod scenarios;
pub mod small_disk;
pub mod web;

/// Returns the root of the checkout.
///
/// # Panics
///
/// Never: the tests are inside it.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root").to_owned()
}

/// Returns the names of the commands that a help text lists.
#[must_use]
pub fn commands_below(help: &str) -> Vec<String> {
    let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let listed = listed.lines().take_while(|line| !line.is_empty());
    // A command starts in the third column; lines further in continue its description.
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let first = names.filter_map(|line| line.split_whitespace().next());
    first.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Returns the commands in the shell blocks of a Markdown page. A line that ends in a backslash
/// continues on the next.
#[must_use]
pub fn shell_commands(text: &str) -> Vec<String> {
    let (mut is_shell, mut found, mut command) = (false, Vec::new(), String::new());
    for line in text.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
        } else if is_shell {
            command.push_str(line.trim_end_matches('\\'));
            if !line.ends_with('\\') {
                found.push(std::mem::take(&mut command));
            }
        }
    }
    found
}

/// A folder to run commands in.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// Creates a new, empty folder.
    ///
    /// # Panics
    ///
    /// If the folder cannot be created.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "creating a folder is not a default")]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("cannot create a temporary folder"))
    }

    /// Returns the path of a file in the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file in the folder.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("files lie in the folder"))
            .expect("cannot create the folder");
        fs::write(path, content).expect("cannot write the file");
    }

    /// Runs `ontrail` in the folder.
    ///
    /// # Panics
    ///
    /// If the binary has not been built.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with_input(args, "")
    }

    /// Starts `ontrail` in the folder without waiting for it.
    ///
    /// # Panics
    ///
    /// If the binary has not been built.
    #[must_use]
    pub fn spawn(&self, args: &[&str]) -> Child {
        let binary = binary();
        let mut command = Command::new(&binary);
        // Without COLUMNS help has its default width, and in the C locale messages are English.
        command.args(args).current_dir(self.0.path()).env_remove("COLUMNS").env("LC_ALL", "C");
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        pipes.spawn().unwrap_or_else(|error| {
            panic!("{}: {error}; run `cargo build` first", binary.display())
        })
    }

    /// Runs `ontrail` in the folder. Also returns the most memory that it used, in bytes; none if
    /// the system does not tell.
    ///
    /// # Panics
    ///
    /// If the binary has not been built.
    #[must_use]
    pub fn run_measured(&self, args: &[&str]) -> (Ran, Option<u64>) {
        let child = self.spawn(args);
        let (status, is_over) = (format!("/proc/{}/status", child.id()), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut peak = None;
                while !is_over.load(Ordering::Relaxed) {
                    // The system keeps the peak, but only while the process runs.
                    peak = peak.max(peak_memory(&status));
                    std::thread::sleep(Duration::from_millis(5));
                }
                peak
            });
            let output = child.wait_with_output().expect("a child can be waited for");
            is_over.store(true, Ordering::Relaxed);
            (Ran::new(&output), watcher.join().expect("the watcher does not panic"))
        })
    }

    /// Runs `ontrail` in the folder with this text on standard input.
    ///
    /// # Panics
    ///
    /// If the binary has not been built.
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

/// Returns the most memory that a process has used so far, in bytes.
fn peak_memory(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes * 1_024)
}

/// The output and the exit code of a command.
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

    /// Returns the result as JSON. The command must not have failed.
    ///
    /// # Panics
    ///
    /// If the command failed or printed something else.
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
    /// If it did not.
    pub fn refused(&self, message: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        assert!(self.stderr.contains(message), "{}\ndoes not contain\n{message}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// Returns the path of the binary under test. It lies beside the test binary: the test is
/// target/debug/deps/TEST, and the binary is target/debug/ontrail.
///
/// # Panics
///
/// Never: a test knows the path of its own binary.
#[must_use]
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a process knows its file");
    let profile = test.ancestors().nth(2).expect("tests lie two folders down");
    profile.join(format!("ontrail{}", std::env::consts::EXE_SUFFIX))
}
