//! The commands of the tutorials, run as they stand there, one after the other.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::os::unix::fs::symlink;
use std::process::Command;

use ontrail_tests::{Folder, binary, root};

/// The commands of a page: the lines of its blocks of shell, those that end in a backslash joined with the next.
fn commands(text: &str) -> Vec<String> {
    let (mut is_shell, mut found, mut begun) = (false, Vec::new(), String::new());
    for line in text.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
        } else if is_shell {
            begun.push_str(line.trim_end_matches('\\'));
            if !line.ends_with('\\') {
                found.push(std::mem::take(&mut begun));
            }
        }
    }
    found
}

fn follow(name: &str) {
    let page = std::fs::read_to_string(root().join("docs/tutorials").join(name)).unwrap();
    let commands = commands(&page);
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
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{name}: {command}\n{said}");
    }
}

#[test]
fn an_ontology_is_made() {
    follow("ontology.md");
}

#[test]
fn a_classifier_is_trained() {
    follow("classifier.md");
}

#[test]
fn a_topic_is_crawled() {
    follow("crawl.md");
}

#[test]
fn crawlers_are_compared() {
    follow("comparison.md");
}
