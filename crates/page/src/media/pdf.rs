//! The text of PDF files.
//!
//! A PDF says where glyphs are drawn, not which of them form words and paragraphs. Text is read in
//! the order in which it is drawn; a move to another line ends a line, a greater one than usual
//! ends a paragraph, and a gap within a line is a space. Text without a known encoding is left out,
//! and so is text within pictures.
//!
//! Everything is bounded: the bytes that a stream may decompress to, the number of pages, and the
//! length of the text. A file that breaks the reader has no text.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use encoding_rs::{BIG5, EUC_KR, Encoding as Charset, GBK, SHIFT_JIS};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Encoding, LoadOptions, Object, ObjectId};

/// Largest number of bytes that a stream may decompress to.
const MOST_BYTES: usize = 16 << 20;
/// Largest number of bytes of page contents that are decoded in all.
const MOST_CONTENT: usize = 256 << 20;
/// Largest number of pages that are read.
const MOST_PAGES: usize = 2_000;
/// Length of the text in bytes at which reading ends.
const MOST_TEXT: usize = 8 << 20;
/// Thousandths of the font size by which the pen moves back to leave a gap between words.
const GAP: f32 = -180.0;
/// A step to the next line that is this many times the last one starts a paragraph.
const PARAGRAPH: f32 = 1.4;

/// Returns the text of a PDF; nothing if it is encrypted with a password or cannot be read.
pub(super) fn text(bytes: &[u8]) -> String {
    // The reader is checked against hostile files, but a panic must not end a crawl.
    catch_unwind(AssertUnwindSafe(|| read(bytes))).unwrap_or_default()
}

fn read(bytes: &[u8]) -> String {
    let options = LoadOptions { max_decompressed_size: Some(MOST_BYTES), ..LoadOptions::default() };
    let Ok(document) = Document::load_mem_with_options(bytes, options) else {
        return String::new();
    };
    let mut text = String::new();
    let mut left = MOST_CONTENT;
    for page in document.page_iter().take(MOST_PAGES) {
        let mut pen = Pen { text: std::mem::take(&mut text), ..Pen::default() };
        // A page that cannot be read does not hide the others.
        let _ = draw(&document, page, &mut pen, &mut left);
        text = pen.text;
        text.push_str("\n\n");
        if text.len() > MOST_TEXT || left == 0 {
            break;
        }
    }
    joined(&text)
}

/// Joins words that are hyphenated at the end of a line.
fn joined(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let goes_on = lines.peek().is_some_and(|next| next.starts_with(char::is_lowercase));
        match line.trim_end().strip_suffix('-') {
            Some(start) if goes_on && start.ends_with(char::is_lowercase) => whole.push_str(start),
            _ => {
                whole.push_str(line);
                whole.push('\n');
            }
        }
    }
    whole
}

/// Draws the text of a page. Its content counts against the bytes that are left.
fn draw(document: &Document, page: ObjectId, pen: &mut Pen, left: &mut usize) -> lopdf::Result<()> {
    let fonts: BTreeMap<Vec<u8>, Font<'_>> = document
        .get_page_fonts(page)?
        .into_iter()
        .filter_map(|(name, font)| Some((name, Font::of(document, font)?)))
        .collect();
    let content = document.get_page_content_with_limit(page, MOST_BYTES.min(*left))?;
    *left = left.saturating_sub(content.len());
    let content = Content::decode(&content)?;
    let mut font = None;
    for Operation { operator, operands } in &content.operations {
        if pen.text.len() > MOST_TEXT {
            break;
        }
        match operator.as_str() {
            "Tf" => font = operands.first().and_then(|it| fonts.get(it.as_name().ok()?)),
            "Td" | "TD" => pen.shift(number(operands, 0), number(operands, 1)),
            "Tm" => pen.place(number(operands, 4), number(operands, 5), number(operands, 3)),
            "T*" => pen.next_line(),
            "BT" => pen.begin(),
            "Tj" | "TJ" => pen.show(font, operands),
            "'" | "\"" => {
                pen.next_line();
                pen.show(font, operands);
            }
            _ => {}
        }
    }
    Ok(())
}

fn number(operands: &[Object], at: usize) -> f32 {
    operands.get(at).and_then(|it| it.as_float().ok()).filter(|it| it.is_finite()).unwrap_or(0.0)
}

/// A font, by the way its codes become characters.
enum Font<'d> {
    /// An encoding that the reader knows.
    Known(Encoding<'d>),
    /// A charset of East Asia: older files name it and have no table.
    Charset(&'static Charset),
}

impl<'d> Font<'d> {
    fn of(document: &'d Document, font: &'d Dictionary) -> Option<Self> {
        let name = font.get_deref(b"Encoding", document).and_then(Object::as_name).unwrap_or(b"");
        let has_table = font.has(b"ToUnicode");
        let charset = [
            (&b"GB"[..], GBK),
            (b"B5", BIG5),
            (b"ETen-B5", BIG5),
            (b"90ms-RKSJ", SHIFT_JIS),
            (b"KSC", EUC_KR),
        ];
        let named = charset.iter().find(|(start, _)| name.starts_with(start) && !has_table);
        if let Some((_, charset)) = named {
            return Some(Self::Charset(charset));
        }
        font.get_font_encoding_with_limit(document, MOST_BYTES).ok().map(Self::Known)
    }

    fn write(&self, codes: &[u8], text: &mut String) {
        match self {
            Self::Known(encoding) => {
                // A code without a character is left out with the rest of its string.
                let _ = encoding.write_to_string(codes, text);
            }
            Self::Charset(charset) => text.push_str(&charset.decode_without_bom_handling(codes).0),
        }
    }
}

/// The text so far, and the place of the current line.
#[derive(Default)]
struct Pen {
    text: String,
    /// The start of the current line, and the scale of the coordinates.
    at: (f32, f32),
    scale: f32,
    /// The last step from one line to the next.
    step: f32,
}

impl Pen {
    fn begin(&mut self) {
        // Coordinates start anew, so the next place says how the text goes on.
        self.scale = 1.0;
    }

    /// Moves the start of the line.
    fn shift(&mut self, x: f32, y: f32) {
        let scale = if self.scale == 0.0 { 1.0 } else { self.scale };
        self.go((self.at.0 + x * scale, self.at.1 + y * scale));
    }

    fn place(&mut self, x: f32, y: f32, scale: f32) {
        self.scale = scale.abs();
        self.go((x, y));
    }

    fn go(&mut self, to: (f32, f32)) {
        let step = (self.at.1 - to.1).abs();
        if step > 1.0 {
            self.end_line(step);
        } else if to.0 > self.at.0 + 0.5 {
            self.space();
        }
        self.at = to;
    }

    fn next_line(&mut self) {
        self.end_line(self.step);
    }

    /// Ends a line, and the paragraph if the step is much greater than the last one.
    fn end_line(&mut self, step: f32) {
        self.leave_out_leaders();
        if self.text.is_empty() || self.text.ends_with('\n') {
            return;
        }
        let is_paragraph = self.step > 0.0 && step > PARAGRAPH * self.step;
        self.text.push_str(if is_paragraph { "\n\n" } else { "\n" });
        if !is_paragraph {
            self.step = step;
        }
    }

    /// Removes the current line if it has only dots, as in a table of contents.
    fn leave_out_leaders(&mut self) {
        let start = self.text.rfind('\n').map_or(0, |at| at + 1);
        if self.text[start..].chars().all(|it| matches!(it, '.' | ' ')) {
            self.text.truncate(start);
        }
    }

    fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    fn show(&mut self, font: Option<&Font<'_>>, operands: &[Object]) {
        let Some(font) = font else { return };
        for operand in operands {
            match operand {
                Object::String(codes, _) => font.write(codes, &mut self.text),
                Object::Array(parts) => {
                    for part in parts {
                        match part {
                            Object::String(codes, _) => font.write(codes, &mut self.text),
                            gap if gap.as_float().is_ok_and(|gap| gap < GAP) => self.space(),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphenated_words_are_joined() {
        assert_eq!(joined("the sys-\ntem\n\nA-\nB x-\n\ny"), "the system\n\nA-\nB x-\n\ny\n");
    }

    #[test]
    fn leaders_are_left_out_and_steps_make_paragraphs() {
        let mut pen = Pen { text: "1.1 Rain".to_owned(), ..Pen::default() };
        pen.end_line(12.0);
        pen.text.push_str(". . . .");
        pen.end_line(12.0);
        pen.text.push_str("next");
        pen.end_line(30.0);
        assert_eq!(pen.text, "1.1 Rain\nnext\n\n");
    }
}
