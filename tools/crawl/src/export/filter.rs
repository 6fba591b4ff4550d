//! The language of `--where`: comparisons of columns, joined by `and`, `or` and `not`.
//!
//! ```text
//! expression = both { "or" both }
//! both       = single { "and" single }
//! single     = "not" single | "(" expression ")" | COLUMN [ test ]
//! test       = ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) VALUE
//!            | "contains" TEXT | "starts-with" TEXT | "is" [ "not" ] "null"
//! ```
//!
//! A column without a test must hold truth values. A missing value passes no test but `is null`.

use std::cmp::Ordering;

use ontrail_crawl::LogRow;

use super::columns::{COLUMNS, Column, HOST, Kind, Value};
use super::page::StoredPage;

/// Greatest number of expressions within expressions.
const DEPTH: usize = 100;

/// A condition that pages of an export fulfil.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    /// The expression as the user wrote it.
    pub(super) text: String,
    condition: Condition,
}

#[derive(Debug, Clone)]
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Test(&'static Column, Test),
}

#[derive(Debug, Clone)]
enum Test {
    Compare(Sign, Value),
    Contains(String),
    StartsWith(String),
    IsNull,
    IsTrue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Filter {
    /// Parses an expression. The error says where the fault is.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, end: text.chars().count() + 1 };
        let condition = parser.any(0)?;
        match parser.peek() {
            None => Ok(Self { text: text.to_owned(), condition }),
            Some(_) => Err(parser.wrong("expected `and`, `or` or the end of the expression here")),
        }
    }

    /// Returns true if pages have to be read to decide.
    pub(super) fn needs_page(&self) -> bool {
        self.condition.needs_page()
    }

    /// Returns true if a page fulfils the condition.
    pub(super) fn accepts(&self, row: &LogRow, page: Option<&StoredPage>) -> bool {
        self.condition.holds(row, page)
    }
}

impl Condition {
    fn needs_page(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::needs_page),
            Self::Not(inner) => inner.needs_page(),
            Self::Test(column, _) => column.needs_page(),
        }
    }

    fn holds(&self, row: &LogRow, page: Option<&StoredPage>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(row, page)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(row, page)),
            Self::Not(inner) => !inner.holds(row, page),
            Self::Test(column, test) => test.holds(&column.value(row, page)),
        }
    }
}

impl Test {
    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::IsNull, value) => *value == Value::Missing,
            (Self::IsTrue, value) => *value == Value::Flag(true),
            (Self::Contains(part), Value::Text(text)) => text.contains(part),
            (Self::StartsWith(start), Value::Text(text)) => text.starts_with(start),
            (Self::Compare(sign, with), value) => {
                order(value, with).is_some_and(|order| sign.accepts(order))
            }
            _ => false,
        }
    }
}

/// Compares two values of one kind; whole and other numbers are of one kind here.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (Value::Flag(left), Value::Flag(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
        (Value::Whole(left), Value::Number(right)) => (*left as f64).partial_cmp(right),
        _ => None,
    }
}

impl Sign {
    fn accepts(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(f64),
    Sign(Sign),
    Open,
    Close,
}

impl PartialEq<&str> for Token {
    fn eq(&self, word: &&str) -> bool {
        matches!(self, Self::Word(own) if own.eq_ignore_ascii_case(word))
    }
}

/// Splits an expression into tokens with their positions, which count characters from 1.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let letters: Vec<char> = text.chars().collect();
    let is_word = |letter: char| letter.is_alphanumeric() || "_.-+".contains(letter);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let start = at;
        at += 1;
        let token = match letter {
            _ if letter.is_whitespace() => continue,
            '(' => Token::Open,
            ')' => Token::Close,
            '"' | '\'' => {
                let length = letters[at..].iter().position(|it| *it == letter);
                let Some(length) = length else {
                    return Err(message(start + 1, "the closing quotation mark is missing"));
                };
                at += length + 1;
                Token::Text(letters[start + 1..at - 1].iter().collect())
            }
            '=' | '!' | '<' | '>' => {
                let is_longer = letters
                    .get(at)
                    .is_some_and(|next| *next == '=' || (letter == '<' && *next == '>'));
                at += usize::from(is_longer);
                let sign: String = letters[start..at].iter().collect();
                Token::Sign(match sign.as_str() {
                    "=" | "==" => Sign::Equal,
                    "!=" | "<>" => Sign::Unequal,
                    "<" => Sign::Less,
                    "<=" => Sign::AtMost,
                    ">" => Sign::Greater,
                    ">=" => Sign::AtLeast,
                    _ => return Err(message(start + 1, "write != for \"is not equal to\"")),
                })
            }
            _ if is_word(letter) => {
                at += letters[at..].iter().take_while(|it| is_word(**it)).count();
                let word: String = letters[start..at].iter().collect();
                match word.parse::<f64>() {
                    Ok(number) if number.is_finite() => Token::Number(number),
                    _ => Token::Word(word),
                }
            }
            _ => return Err(message(start + 1, &format!("`{letter}` has no meaning here"))),
        };
        found.push((start + 1, token));
    }
    Ok(found)
}

fn message(position: usize, fault: &str) -> String {
    format!("position {position}: {fault}")
}

struct Parser<'t> {
    tokens: &'t [(usize, Token)],
    at: usize,
    /// The position behind the expression.
    end: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    /// Skips a word, if it comes next.
    fn skip(&mut self, word: &str) -> bool {
        let is_next = self.peek().is_some_and(|token| *token == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn wrong(&self, fault: &str) -> String {
        message(self.tokens.get(self.at).map_or(self.end, |(position, _)| *position), fault)
    }

    fn any(&mut self, depth: usize) -> Result<Condition, String> {
        let mut parts = vec![self.all(depth)?];
        while self.skip("or") {
            parts.push(self.all(depth)?);
        }
        Ok(Condition::Any(parts))
    }

    fn all(&mut self, depth: usize) -> Result<Condition, String> {
        let mut parts = vec![self.single(depth)?];
        while self.skip("and") {
            parts.push(self.single(depth)?);
        }
        Ok(Condition::All(parts))
    }

    fn single(&mut self, depth: usize) -> Result<Condition, String> {
        if depth > DEPTH {
            return Err(self.wrong("the expression is nested too deeply"));
        }
        if self.skip("not") {
            return Ok(Condition::Not(Box::new(self.single(depth + 1)?)));
        }
        if self.peek() == Some(&Token::Open) {
            self.at += 1;
            let inner = self.any(depth + 1)?;
            if self.peek() != Some(&Token::Close) {
                return Err(self.wrong("a closing parenthesis is missing here"));
            }
            self.at += 1;
            return Ok(inner);
        }
        let column = self.column()?;
        if let Some(Token::Sign(sign)) = self.peek() {
            let sign = *sign;
            self.at += 1;
            return Ok(Condition::Test(column, Test::Compare(sign, self.value(column)?)));
        }
        if self.skip("contains") {
            return Ok(Condition::Test(column, Test::Contains(self.text(column)?)));
        }
        if self.skip("starts-with") {
            return Ok(Condition::Test(column, Test::StartsWith(self.text(column)?)));
        }
        if self.skip("is") {
            let is_not = self.skip("not");
            if !self.skip("null") {
                return Err(self.wrong("`null` is missing here"));
            }
            let test = Condition::Test(column, Test::IsNull);
            return Ok(if is_not { Condition::Not(Box::new(test)) } else { test });
        }
        if column.kind == Kind::Flag {
            return Ok(Condition::Test(column, Test::IsTrue));
        }
        Err(self.wrong(&format!(
            "a comparison of {} is missing here: =, !=, <, <=, >, >=, contains, starts-with or is null",
            column.name
        )))
    }

    fn column(&mut self) -> Result<&'static Column, String> {
        static ALL: [Column; COLUMNS.len()] = COLUMNS;
        static HOSTS: Column = HOST;
        let names = || {
            let names: Vec<&str> = ALL.iter().chain([&HOSTS]).map(|it| it.name).collect();
            names.join(", ")
        };
        let Some(Token::Word(word)) = self.peek() else {
            return Err(
                self.wrong(&format!("a column is missing here; the columns are {}", names()))
            );
        };
        let column = ALL.iter().chain([&HOSTS]).find(|it| it.name.eq_ignore_ascii_case(word));
        let Some(column) = column else {
            return Err(
                self.wrong(&format!("there is no column `{word}`; the columns are {}", names()))
            );
        };
        self.at += 1;
        Ok(column)
    }

    /// Takes a value that can be compared with a column.
    fn value(&mut self, column: &Column) -> Result<Value, String> {
        let value = match (column.kind, self.peek()) {
            (Kind::Text, Some(Token::Text(text))) => Value::Text(text.clone()),
            (Kind::Number | Kind::Whole, Some(Token::Number(number))) => Value::Number(*number),
            (Kind::Flag, Some(word)) if *word == "true" => Value::Flag(true),
            (Kind::Flag, Some(word)) if *word == "false" => Value::Flag(false),
            (kind, _) => {
                let (name, wanted) = (column.name, kind.meaning());
                return Err(self.wrong(&format!("{name} can only be compared with {wanted}")));
            }
        };
        self.at += 1;
        Ok(value)
    }

    fn text(&mut self, column: &Column) -> Result<String, String> {
        if column.kind != Kind::Text {
            return Err(self.wrong(&format!("{} is not a text column", column.name)));
        }
        match self.value(column)? {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong("a text in quotation marks is missing here")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(text: &str) -> bool {
        let row = LogRow {
            url: "http://a.example/暴雨".to_owned(),
            final_url: "http://www.a.example/x".to_owned(),
            anchor: "暴雨 warning".to_owned(),
            relevance: Some(0.5),
            relevant: Some(true),
            depth: 3,
            ..LogRow::default()
        };
        Filter::parse(text).unwrap().accepts(&row, None)
    }

    #[test]
    fn conditions_hold_as_written() {
        for (text, expected) in [
            ("relevance > 0.4", true),
            ("relevance >= 0.5 and relevance <= 0.5", true),
            ("relevance <> 0.5", false),
            ("depth = 3", true),
            ("depth<3", false),
            ("host = \"www.a.example\"", true),
            ("HOST = 'www.a.example' AND NOT depth = 4", true),
            ("anchor contains '暴雨'", true),
            ("anchor starts-with 'warning'", false),
            ("is_relevant", true),
            ("not is_relevant", false),
            ("is_relevant = false", false),
            // `and` binds more tightly than `or`, and `not` than both.
            ("depth = 3 or depth = 4 and depth = 5", true),
            ("(depth = 3 or depth = 4) and depth = 5", false),
            ("not depth = 4 and depth = 5", false),
            ("not (depth = 4 and depth = 5)", true),
            // A missing value passes no test but one.
            ("class = 'x' or class != 'x'", false),
            ("class is null and anchor is not null", true),
            ("relevance > -1e9", true),
        ] {
            assert_eq!(accepts(text), expected, "{text}");
        }
    }

    #[test]
    fn only_columns_of_the_page_need_the_page() {
        assert!(!Filter::parse("host = 'a' and relevance > 0").unwrap().needs_page());
        assert!(Filter::parse("host = 'a' or not (text contains 'b')").unwrap().needs_page());
    }

    #[test]
    fn errors_have_a_position_and_name_the_columns() {
        for (text, expected) in [
            ("", "position 1: a column is missing here; the columns are url, final_url, "),
            ("relevance > 0.8 and hots = 'a'", "position 21: there is no column `hots`; the col"),
            ("relevance > 'a'", "position 13: relevance can only be compared with a number"),
            ("title = 3", "position 9: title can only be compared with a text in quotation marks"),
            ("暴雨 = 3", "position 1: there is no column `暴雨`"),
            ("title = 'a", "position 9: the closing quotation mark is missing"),
            ("(depth = 1", "position 11: a closing parenthesis is missing here"),
            ("depth = 1 depth = 2", "position 11: expected `and`, `or` or the end"),
            ("depth", "position 6: a comparison of depth is missing here"),
            ("depth contains 'a'", "position 16: depth is not a text column"),
            ("depth ! 3", "position 7: write != for"),
            ("depth = 1 & depth = 2", "position 11: `&` has no meaning here"),
            ("title is 3", "position 10: `null` is missing here"),
            ("relevance > nan", "position 13: relevance can only be compared with a number"),
        ] {
            let error = Filter::parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        let deep = "(".repeat(100_000);
        assert!(Filter::parse(&deep).unwrap_err().contains("nested too deeply"));
        let nots = "not ".repeat(100_000) + "is_relevant";
        assert!(Filter::parse(&nots).unwrap_err().contains("nested too deeply"));
    }
}
