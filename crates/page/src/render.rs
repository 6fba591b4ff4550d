//! Writes the text of a page with its structure: as plain text, or as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::collapse::push_collapsed;
use crate::html::Html;
use crate::paragraph::{Cell, Item, Paragraph, Role, Setting};

/// A cell with more characters than this is layout, not data.
const LONGEST_CELL: usize = 500;
/// Number of spaces by which a list inside an item is indented. With four, it is inside the item
/// whether that begins with `- ` or with `10. `.
const INDENT: usize = 4;
/// Depth of lists beyond which the indent does not grow, so that the text stays in proportion to
/// the page.
const DEEPEST: usize = 8;

/// The form of a text that shows its structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text without markup: cells are divided by tabs.
    Plain,
    /// Markdown (GFM).
    Markdown,
}

/// A paragraph that is written.
struct Piece {
    /// The lines, each with white space collapsed unless it is code. A line break that is followed
    /// by another one gives an empty line.
    text: String,
    setting: Setting,
}

/// Writes the main content, or else the whole body.
pub(crate) fn render(html: &Html, only_main: bool, form: Form) -> String {
    let pieces = html.paragraphs.iter().map(|paragraph| Piece::of(html, paragraph, only_main));
    let pieces: Vec<Piece> = pieces.filter(|piece| !piece.text.is_empty()).collect();
    let tables = Tables::among(&pieces);
    let mut writer = Writer { out: String::new(), form, lists: Vec::new(), item: None };
    let mut at = 0;
    while at < pieces.len() {
        let piece = &pieces[at];
        at += 1;
        match piece.setting.cell {
            Some(cell) if tables.has_data(cell.table) => {
                let is_same = |other: &Piece| {
                    other.setting.cell.is_some_and(|other| other.table == cell.table)
                };
                let end = at + pieces[at..].iter().take_while(|other| is_same(other)).count();
                writer.table(&pieces[at - 1..end], tables.columns(cell.table));
                at = end;
            }
            _ => writer.piece(piece),
        }
    }
    writer.out
}

impl Piece {
    fn of(html: &Html, paragraph: &Paragraph, only_main: bool) -> Self {
        let setting = paragraph.setting;
        let passages = html.passages.range(paragraph.passages.clone());
        let mut text = String::new();
        // A line is built on its own, so that white space at its start is dropped.
        let mut line = String::new();
        let mut end_line = |line: &mut String, breaks: u8| {
            text.push_str(line.trim_end());
            (0..breaks).for_each(|_| text.push('\n'));
            line.clear();
        };
        for passage in passages.filter(|passage| !only_main || passage.is_main()) {
            if setting.role == Role::Code {
                line.push_str(passage.text());
            } else {
                push_collapsed(&mut line, passage.text(), usize::MAX);
            }
            if passage.line_breaks > 0 {
                end_line(&mut line, passage.line_breaks);
            }
        }
        end_line(&mut line, 0);
        let text = if setting.role == Role::Code {
            text.trim_start_matches(['\n', '\r']).trim_end().to_owned()
        } else {
            text.trim().to_owned()
        };
        Self { text, setting }
    }
}

/// The tables that hold data. Many pages use tables for layout, and their cells are whole texts.
struct Tables(BTreeMap<u32, TableSize>);

#[derive(Default)]
struct TableSize {
    rows: usize,
    columns: usize,
    /// The columns so far of the last row.
    current: usize,
    last: Option<Cell>,
    longest: usize,
    /// The characters so far of the last cell.
    length: usize,
}

impl Tables {
    fn among(pieces: &[Piece]) -> Self {
        let mut tables: BTreeMap<u32, TableSize> = BTreeMap::new();
        for piece in pieces {
            if let Some(cell) = piece.setting.cell {
                tables.entry(cell.table).or_default().add(cell, piece.text.chars().count());
            }
        }
        Self(tables)
    }

    fn has_data(&self, table: u32) -> bool {
        let is_data =
            |it: &TableSize| it.rows >= 2 && it.columns >= 2 && it.longest <= LONGEST_CELL;
        self.0.get(&table).is_some_and(is_data)
    }

    fn columns(&self, table: u32) -> usize {
        self.0.get(&table).map_or(0, |it| it.columns)
    }
}

impl TableSize {
    fn add(&mut self, cell: Cell, length: usize) {
        if self.last.is_none_or(|last| last.row != cell.row) {
            self.rows += 1;
            self.current = 0;
        }
        if self.last.is_none_or(|last| last.id != cell.id) {
            self.current += 1;
            self.length = 0;
        }
        self.last = Some(cell);
        self.length += length;
        self.columns = self.columns.max(self.current);
        self.longest = self.longest.max(self.length);
    }
}

struct Writer {
    out: String,
    form: Form,
    /// The depths of the open items, from the outermost.
    lists: Vec<u8>,
    /// The item that the last paragraph belongs to.
    item: Option<u32>,
}

impl Writer {
    fn piece(&mut self, piece: &Piece) {
        let Piece { text, setting } = piece;
        let continues = setting.item.is_some() && setting.item.map(|item| item.id) == self.item;
        let marker = match setting.item {
            Some(item) if !continues => self.open_item(item),
            Some(_) => String::new(),
            None => {
                self.lists.clear();
                self.item = None;
                String::new()
            }
        };
        let is_item = !marker.is_empty();
        let indent = match setting.item {
            Some(_) => self.lists.len().min(DEEPEST) * INDENT,
            None => 0,
        };
        // Items that follow each other stand close together.
        let follows_item = is_item && self.out.lines().next_back().is_some_and(is_list_line);
        self.separate(if follows_item { "\n" } else { "\n\n" });
        if is_item {
            let before = indent - INDENT;
            let _ = write!(self.out, "{:before$}{marker}", "");
        }
        let text = self.marked_up(text, setting.role);
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                self.out.push('\n');
            }
            if (at > 0 || !is_item) && !line.is_empty() {
                let _ = write!(self.out, "{:indent$}", "");
            }
            self.out.push_str(line);
        }
    }

    /// Returns the text with the markup of its role.
    fn marked_up(&self, text: &str, role: Role) -> String {
        if self.form == Form::Plain {
            return text.to_owned();
        }
        match role {
            Role::Text => lines(text, ""),
            Role::Quote => lines(text, "> "),
            Role::Heading(level) => {
                let line: Vec<&str> = text.split_whitespace().collect();
                format!("{} {}", "#".repeat(usize::from(level)), escaped(&line.join(" ")))
            }
            Role::Code => {
                let mut longest = 2;
                for ticks in text.split(|c| c != '`') {
                    longest = longest.max(ticks.len());
                }
                let fence = "`".repeat(longest + 1);
                format!("{fence}\n{text}\n{fence}")
            }
        }
    }

    /// Opens an item inside the open items of smaller depth, and returns its marker.
    fn open_item(&mut self, item: Item) -> String {
        while self.lists.last().is_some_and(|depth| *depth >= item.depth) {
            self.lists.pop();
        }
        self.lists.push(item.depth);
        self.item = Some(item.id);
        item.number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "))
    }

    /// Writes the cells of a table, one line per row.
    fn table(&mut self, pieces: &[Piece], columns: usize) {
        self.lists.clear();
        self.item = None;
        let cell_of = |piece: &Piece| piece.setting.cell;
        let rows = pieces.chunk_by(|a, b| cell_of(a).map(|a| a.row) == cell_of(b).map(|b| b.row));
        for (at, row) in rows.enumerate() {
            let cells = row.chunk_by(|a, b| cell_of(a).map(|a| a.id) == cell_of(b).map(|b| b.id));
            let cells: Vec<String> = cells.map(|pieces| self.cell(pieces)).collect();
            self.separate(if at == 0 { "\n\n" } else { "\n" });
            if self.form == Form::Plain {
                self.out.push_str(&cells.join("\t"));
                continue;
            }
            let _ = write!(self.out, "| {} |", cells.join(" | "));
            // The first row is the head of the table, which must name every column.
            if at == 0 {
                self.out.push_str(&"  |".repeat(columns.saturating_sub(cells.len())));
                let _ = write!(self.out, "\n|{}", "---|".repeat(columns));
            }
        }
    }

    fn cell(&self, pieces: &[Piece]) -> String {
        let words: Vec<&str> =
            pieces.iter().flat_map(|piece| piece.text.split_whitespace()).collect();
        let text = words.join(" ");
        if self.form == Form::Plain { text } else { escaped(&text).replace('|', "\\|") }
    }

    fn separate(&mut self, by: &str) {
        if !self.out.is_empty() {
            self.out.push_str(by);
        }
    }
}

/// Returns true for the first line of an item, indented or not.
fn is_list_line(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    line.starts_with("- ") || (digits > 0 && line[digits..].starts_with(". "))
}

/// Returns escaped lines, each after `mark`, with line breaks between them.
fn lines(text: &str, mark: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = write!(out, "{mark}{}", escaped(line));
        if let Some(next) = lines.peek() {
            // Two spaces make a line break; an empty line ends the paragraph.
            let is_break = !line.is_empty() && !next.is_empty();
            out.push_str(if is_break { "  \n" } else { "\n" });
        }
    }
    out
}

/// Returns a line of Markdown that shows `text` as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_number = digits > 0 && text[digits..].starts_with(['.', ')']);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '~' => true,
            '#' | '>' | '+' | '-' | '=' => at == 0,
            '.' | ')' => is_number && at == digits,
            '_' => {
                !(before.is_some_and(char::is_alphanumeric)
                    && after.is_some_and(char::is_alphanumeric))
            }
            '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
            '&' => after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '#'),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}
