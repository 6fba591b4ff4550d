//! Rules for everything that people read: the length of lines, and an example in every help text.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use ontrail_tests::{Folder, commands_below, root};

/// Greatest number of columns of a line.
const COLUMNS: usize = 100;

/// Finds the files below a folder that have an extension. Build results are left out.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                files(&path, extension, found);
            }
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

/// Returns the lines that are too long, as `FILE:LINE: TEXT`.
fn too_long(extension: &str, is_checked: impl Fn(&str) -> bool) -> Vec<String> {
    let mut paths = Vec::new();
    files(&root(), extension, &mut paths);
    assert!(paths.len() > 20, "{} files", paths.len());
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            if line.chars().count() > COLUMNS && is_checked(line) {
                let name = path.strip_prefix(root()).unwrap().display();
                let start: String = line.chars().take(60).collect();
                found.push(format!("{name}:{}: {start}", number + 1));
            }
        }
    }
    found
}

/// Chinese has no blanks to break lines at, and a break would show as one.
fn is_chinese(line: &str) -> bool {
    let han = line.chars().filter(|it| ('\u{4e00}'..='\u{9fff}').contains(it)).count();
    han * 4 > line.chars().count()
}

#[test]
fn lines_of_markdown_fit() {
    let is_checked = |line: &str| {
        let is_table = line.trim_start().starts_with('|');
        !is_table && !line.contains("](") && !line.contains("://") && !is_chinese(line)
    };
    let found = too_long("md", is_checked);
    assert!(found.is_empty(), "{} lines are too long: {found:#?}", found.len());
}

#[test]
fn lines_of_comments_fit() {
    let is_checked = |line: &str| {
        line.trim_start().starts_with("//") && !line.contains("://") && !is_chinese(line)
    };
    let found = too_long("rs", is_checked);
    assert!(found.is_empty(), "{} lines are too long: {found:#?}", found.len());
}

/// Checks the help of a command and of all commands below it. Returns the number of commands.
fn check_help(folder: &Folder, words: &[String]) -> usize {
    let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
    args.push("--help");
    let help = folder.run(&args).stdout;
    let name = words.join(" ");
    assert!(help.contains("Example"), "the help of `ontrail {name}` has no example");
    let global = help.find("\nGlobal options:\n").unwrap_or_else(|| panic!("{name}: {help}"));
    let last = help.rfind(":\n  -").or(help.rfind(":\n      --")).unwrap();
    assert!(last < global + 20, "global options are not the last of `ontrail {name}`");
    for line in help.lines() {
        assert!(line.chars().count() <= COLUMNS, "ontrail {name}: {line}");
    }
    let below = commands_below(&help);
    below.into_iter().map(|verb| check_help(folder, &[words, &[verb]].concat())).sum::<usize>() + 1
}

#[test]
fn every_help_has_an_example_and_global_options_last() {
    assert!(check_help(&Folder::new(), &[]) > 50);
}
