//! Runs the commands of the tutorials, one after the other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::os::unix::fs::symlink;
use std::process::Command;

use ontrail_tests::{Folder, binary, root, shell_commands};

/// Runs all commands of a tutorial in a new folder.
fn follow(name: &str) {
    let page = std::fs::read_to_string(root().join("docs/tutorials").join(name)).unwrap();
    let commands = shell_commands(&page);
    assert!(commands.len() > 5, "{name} has {} commands", commands.len());
    let folder = Folder::new();
    for shipped in ["datasets", "ontologies", "models"] {
        symlink(root().join(shipped), folder.path(shipped)).unwrap();
    }
    let tools = binary().parent().unwrap().display().to_string();
    let path = format!("{tools}:{}", std::env::var("PATH").unwrap());
    for command in commands {
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &command])
            .current_dir(folder.path("."))
            .env("PATH", &path)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{name}: {command}\n{errors}");
    }
}

#[test]
fn the_ontology_tutorial_works() {
    follow("ontology.md");
}

#[test]
fn the_classifier_tutorial_works() {
    follow("classifier.md");
}

#[test]
fn the_disambiguation_tutorial_works() {
    follow("senses.md");
}

#[test]
fn the_crawl_tutorial_works() {
    follow("crawl.md");
}

#[test]
fn the_comparison_tutorial_works() {
    follow("comparison.md");
}
