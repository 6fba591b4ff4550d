//! Messages in Chinese: the table of the cli crate has a row for every message in the sources.
//!
//! `ONTRAIL_BLESS=1 cargo test -p ontrail-tests --test messages` adds a row for each new message,
//! with nothing behind its tab (the Chinese form is yours to write), and removes rows that
//! nothing uses.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ontrail_tests::root;

const TABLE: &str = "crates/cli/messages.zh.tsv";
/// Calls and macros whose texts a user sees.
const CALLS: [&str; 14] = [
    "anyhow",
    "bail",
    "context",
    "with_context",
    "note",
    "warn",
    "line",
    "heading",
    "io",
    "skipped",
    "progress",
    "Err",
    "message",
    "next_help_heading",
];
/// Functions that return a text for users.
const FUNCTIONS: [&str; 3] = ["meaning", "message", "evaluation_title"];

/// Messages of clap, the parser of the command line.
const CLAP: [&str; 11] = [
    "error: unexpected argument '{}' found",
    "error: unrecognized subcommand '{}'",
    "error: the following required arguments were not provided:",
    "error: invalid value '{}' for '{}': {}",
    "error: a value is required for '{}' but none was supplied",
    "error: the argument '{}' cannot be used with '{}'",
    "error: the argument '{}' cannot be used multiple times",
    "tip: a similar argument exists: '{}'",
    "tip: a similar subcommand exists: '{}'",
    "Usage: {}",
    "For more information, try '--help'.",
];

/// A token of Rust, as far as it matters here.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Sign(char),
    Text(String),
}

/// Splits Rust into tokens, without comments.
fn tokens(source: &str) -> Vec<Token> {
    let letters: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let (letter, next) = (letters[at], letters.get(at + 1).copied().unwrap_or(' '));
        if letter == '/' && next == '/' {
            while at < letters.len() && letters[at] != '\n' {
                at += 1;
            }
        } else if letter == '"' {
            let (text, end) = string(&letters, at + 1);
            found.push(Token::Text(text));
            at = end;
        } else if letter == 'r' && (next == '"' || next == '#') && is_raw(&letters, at) {
            let (text, end) = raw_string(&letters, at + 1);
            found.push(Token::Text(text));
            at = end;
        } else if letter == '\'' {
            at += char_length(&letters, at);
        } else if letter.is_alphanumeric() || letter == '_' {
            let start = at;
            while at < letters.len() && (letters[at].is_alphanumeric() || letters[at] == '_') {
                at += 1;
            }
            found.push(Token::Word(letters[start..at].iter().collect()));
        } else {
            if !letter.is_whitespace() {
                found.push(Token::Sign(letter));
            }
            at += 1;
        }
    }
    found
}

/// Returns a string and the place behind it. A backslash at the end of a line joins lines.
fn string(letters: &[char], mut at: usize) -> (String, usize) {
    let mut text = String::new();
    while letters[at] != '"' {
        if letters[at] == '\\' {
            at += 1;
            match letters[at] {
                '\n' => {
                    while letters[at + 1].is_whitespace() {
                        at += 1;
                    }
                }
                'n' => text.push('\n'),
                't' => text.push('\t'),
                other => text.push(other),
            }
        } else {
            text.push(letters[at]);
        }
        at += 1;
    }
    (text, at + 1)
}

fn is_raw(letters: &[char], at: usize) -> bool {
    let behind = letters[at + 1..].iter().find(|letter| **letter != '#');
    let before = at.checked_sub(1).map_or(' ', |before| letters[before]);
    behind == Some(&'"') && !before.is_alphanumeric() && before != '_'
}

fn raw_string(letters: &[char], mut at: usize) -> (String, usize) {
    let mut marks = 0;
    while letters[at] == '#' {
        marks += 1;
        at += 1;
    }
    let start = at + 1;
    at = start;
    let is_end = |at: usize| {
        letters[at] == '"'
            && letters.get(at + 1..at + 1 + marks).is_some_and(|it| it.iter().all(|c| *c == '#'))
    };
    while !is_end(at) {
        at += 1;
    }
    (letters[start..at].iter().collect(), at + 1 + marks)
}

/// Returns the length of a character literal, or 1 for the mark of a lifetime.
fn char_length(letters: &[char], at: usize) -> usize {
    let close = |from: usize| letters[from..].iter().take(12).position(|it| *it == '\'');
    match (letters.get(at + 1), letters.get(at + 2)) {
        (Some('\\'), _) => 3 + close(at + 3).unwrap_or(0) + 1,
        (Some(_), Some('\'')) => 3,
        _ => 1,
    }
}

/// Returns a format string with `{}` for each value, or nothing if it has hardly any text.
fn form(text: &str) -> Option<String> {
    let mut form = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('{', Some('{')) | ('}', Some('}')) => {
                form.push(letter);
                letters.next();
            }
            ('{', _) => {
                form += "{}";
                letters.by_ref().find(|letter| *letter == '}');
            }
            _ => form.push(letter),
        }
    }
    let is_message = form.chars().filter(char::is_ascii_alphabetic).count() >= 3;
    is_message.then_some(form)
}

/// Returns the messages of a source: a line of a message is a message.
fn messages(source: &str) -> BTreeSet<String> {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap();
    let tokens = tokens(source);
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let is_attribute = word == "error" && at > 1 && tokens[at - 1] == Token::Sign('[');
        let is_function = FUNCTIONS.contains(&word.as_str())
            && at > 0
            && tokens[at - 1] == Token::Word("fn".to_owned());
        let open = if tokens.get(at + 1) == Some(&Token::Sign('!')) { at + 2 } else { at + 1 };
        if is_function {
            let body = tokens[at..].iter().position(|it| *it == Token::Sign('{'));
            found.extend(body.map(|body| texts(&tokens, at + body)).unwrap_or_default());
        } else if (is_attribute || CALLS.contains(&word.as_str()))
            && tokens.get(open) == Some(&Token::Sign('('))
        {
            found.extend(texts(&tokens, open));
        } else if word == "next_help_heading"
            && let Some(Token::Text(text)) = tokens.get(at + 2)
        {
            found.insert(text.clone());
        } else if word == "Table" && tokens.get(at + 3) == Some(&Token::Word("new".to_owned())) {
            found.extend(texts(&tokens, at + 4));
        }
    }
    let lines = found.iter().flat_map(|text| text.split('\n'));
    lines.filter_map(|line| form(line.trim())).collect()
}

/// Returns all texts between brackets.
fn texts(tokens: &[Token], open: usize) -> Vec<String> {
    let mut depth = 0;
    let mut found = Vec::new();
    for token in &tokens[open..] {
        match token {
            Token::Sign('(' | '{' | '[') => depth += 1,
            Token::Sign(')' | '}' | ']') => depth -= 1,
            Token::Text(text) => found.push(text.clone()),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Returns every message of the libraries and tools. Benchmarks are for developers.
fn all_messages() -> BTreeSet<String> {
    let mut found: BTreeSet<String> = CLAP.map(str::to_owned).into();
    for folder in ["crates", "tools"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let (mut paths, package) = (Vec::new(), entry.unwrap().path());
            if package.ends_with("tools/bench") {
                continue;
            }
            sources(&package.join("src"), &mut paths);
            paths
                .iter()
                .for_each(|path| found.extend(messages(&fs::read_to_string(path).unwrap())));
        }
    }
    found
}

#[test]
fn every_message_has_a_chinese_form() {
    let path = root().join(TABLE);
    let text = fs::read_to_string(&path).unwrap();
    let mut rows: BTreeMap<&str, &str> =
        text.lines().filter_map(|row| row.split_once('\t')).collect();
    let wanted = all_messages();
    assert!(wanted.len() > 300, "{}", wanted.len());
    if std::env::var_os("ONTRAIL_BLESS").is_some() {
        rows.retain(|english, _| wanted.contains(*english));
        wanted.iter().for_each(|english| _ = rows.entry(english).or_default());
        let rows: Vec<String> = rows.iter().map(|(en, zh)| format!("{en}\t{zh}\n")).collect();
        fs::write(&path, rows.concat()).unwrap();
        return;
    }
    let missing: Vec<&String> =
        wanted.iter().filter(|it| rows.get(it.as_str()).is_none_or(|zh| zh.is_empty())).collect();
    assert!(missing.is_empty(), "{TABLE} lacks {} messages: {missing:#?}", missing.len());
    let unused: Vec<&&str> = rows.keys().filter(|it| !wanted.contains(**it)).collect();
    assert!(unused.is_empty(), "{TABLE} has rows that nothing uses: {unused:#?}");
}

#[test]
fn messages_are_found_in_sources() {
    let source = r#"
        // bail!("a comment")
        #[error("{}: cannot read {name}", path.display())]
        fn f() { bail!("no {} in \
            it", 'x'); printer.note(format_args!("{n:>3} pages{}", if n == 1 { "" } else { "s" })) }
        fn meaning(self) -> &'static str { match self { Self::A => "the first", _ => "other" } }
        #[cfg(test)]
        mod tests { fn g() { bail!("in a test") } }
    "#;
    let source = source.replace("        #[cfg(test)]\n        mod", "#[cfg(test)]\nmod");
    let found = messages(&source);
    let wanted = ["no {} in it", "other", "the first", "{} pages{}", "{}: cannot read {}"];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), wanted);
}
