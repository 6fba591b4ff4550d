//! What the documents say of the code is there: paths, tests, and the commands of both READMEs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;

use ontrail_tests::root;

/// What stands in backticks in a text, one line at a time.
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
fn every_equation_is_mapped_to_code_and_tests_that_are_there() {
    let text = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let (mut paths, mut tests) = (0, 0);
    for quoted in quoted(&text).iter().filter(|it| is_path(it)) {
        let (path, name) =
            quoted.split_once("::").map_or((quoted.as_str(), None), |(a, b)| (a, Some(b)));
        let file = root().join(path);
        assert!(file.exists(), "{path} is not there");
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
    // Every paper has dozens of them.
    assert!(paths > 200 && tests > 100, "{paths} paths, {tests} tests");
    for paper in ["## fcits-oh", "## bcw-cc", "## gafc", "## sdvsm"] {
        assert!(text.contains(paper), "{paper}");
    }
}

/// The commands of the two READMEs are the same; only what stands around them is in another language.
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
            // What is behind two blanks and a # is for people.
            let command = line.split("  #").next().unwrap_or(line).trim_end();
            if is_code && !command.trim_start().starts_with("# ") {
                found.push(command.to_owned());
            }
        }
        found
    };
    assert_eq!(commands("README.md"), commands("README.zh-CN.md"));
}
