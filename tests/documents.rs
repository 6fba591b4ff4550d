//! The documents agree with the code: paths, tests, and the commands of both READMEs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::{commands_below, root};

/// Returns everything in backticks, line by line.
fn quoted(text: &str) -> Vec<String> {
    let of_line = |line: &str| -> Vec<String> {
        line.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    text.lines().flat_map(of_line).collect()
}

fn is_path(text: &str) -> bool {
    let starts = ["crates/", "tools/", "tests/", "docs/", "datasets/", "ontologies/", "models/"];
    starts.iter().any(|start| text.starts_with(start)) && !text.contains([' ', '*', '…'])
}

#[test]
fn every_equation_is_mapped_to_existing_code_and_tests() {
    let text = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let (mut paths, mut tests) = (0, 0);
    for quoted in quoted(&text).iter().filter(|it| is_path(it)) {
        let (path, name) =
            quoted.split_once("::").map_or((quoted.as_str(), None), |(a, b)| (a, Some(b)));
        let file = root().join(path);
        assert!(file.exists(), "{path} does not exist");
        paths += 1;
        if let Some(name) = name {
            let name = name.rsplit("::").next().unwrap();
            let code = fs::read_to_string(&file).unwrap();
            let is_defined =
                code.contains(&format!("fn {name}(")) || code.contains(&format!("def {name}("));
            assert!(is_defined, "{path} has no {name}");
            tests += 1;
        }
    }
    // Every paper has dozens of equations.
    assert!(paths > 200 && tests > 100, "{paths} paths, {tests} tests");
    for paper in ["## fcits-oh", "## bcw-cc", "## gafc", "## sdvsm"] {
        assert!(text.contains(paper), "{paper}");
    }
}

#[test]
fn every_file_that_the_architecture_names_is_there() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let found: Vec<String> =
        quoted(&text).into_iter().filter(|it| is_path(it) && !it.contains('<')).collect();
    assert!(found.len() > 15, "{found:?}");
    for path in found {
        assert!(root().join(&path).exists(), "{path} does not exist");
    }
}

/// The two READMEs have the same commands; only the text is in another language.
#[test]
fn the_chinese_readme_has_the_same_commands() {
    let commands = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let mut is_code = false;
        let mut found = Vec::new();
        for line in text.lines() {
            if line.starts_with("```") {
                is_code = !is_code;
                continue;
            }
            // A comment behind a command is in the language of the README.
            let command = line.split("  #").next().unwrap_or(line).trim_end();
            if is_code && !command.trim_start().starts_with("# ") {
                found.push(command.to_owned());
            }
        }
        found
    };
    assert_eq!(commands("README.md"), commands("README.zh-CN.md"));
}

/// Returns the page of a command: its help, and the help of all its subcommands.
fn page(folder: &ontrail_tests::Folder, words: &[String]) -> String {
    let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
    args.push("--help");
    let help = folder.run(&args).stdout;
    let (marks, name) = ("#".repeat(words.len()), format!("ontrail {}", words.join(" ")));
    let mut text = format!("{marks} {name}\n\n```text\n{}\n```\n", help.trim_end());
    for verb in commands_below(&help) {
        text += &format!("\n{}", page(folder, &[words, &[verb]].concat()));
    }
    text
}

/// Each tool has a page that is its help.
/// `ONTRAIL_BLESS=1 cargo test -p ontrail-tests --test documents` writes the pages again.
#[test]
fn every_tool_has_a_page_with_its_help() {
    let folder = ontrail_tests::Folder::new();
    let tools = commands_below(&folder.run(&["--help"]).stdout);
    assert!(tools.len() >= 11, "{tools:?}");
    let commands = root().join("docs/commands");
    for tool in &tools {
        let written = page(&folder, std::slice::from_ref(tool));
        let path = commands.join(format!("{tool}.md"));
        if std::env::var_os("ONTRAIL_BLESS").is_some() {
            fs::create_dir_all(&commands).unwrap();
            fs::write(&path, &written).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == written,
            "docs/commands/{tool}.md is out of date; set ONTRAIL_BLESS=1 to write it again"
        );
    }
    let mut kept: Vec<String> = fs::read_dir(&commands)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    let mut expected = tools;
    expected.sort();
    assert_eq!(kept, expected, "there must be a page for each tool, and no other");
}
