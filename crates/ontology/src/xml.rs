//! Checks XML before the parsers of RDF and OWL see it, and writes its entities out.
//!
//! An entity can refer to others, so that a few hundred bytes expand to gigabytes. This is the only
//! place where entities are replaced, so the limits hold for every parser. Unlike the parsers, it
//! knows the line and column of an error.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::dtd::{Broken, Entities, Entity, PREDEFINED};

/// Maximum number of entities within each other. Namespaces need two or three.
const DEEPEST_ENTITY: usize = 10;

/// The entities of a file may make it longer by this many bytes, and also by ten times its length:
/// a reference to a namespace is short, and large ontologies have many of them.
const MOST_GROWTH: usize = 8 << 20;
const MOST_TIMES: usize = 10;

/// Returns XML without its document type declaration and with its entities replaced. Fails if it is
/// malformed, if elements are nested deeper than `deepest`, or if the entities are dangerous.
pub(crate) fn without_entities(bytes: &[u8], deepest: usize) -> Result<Cow<'_, [u8]>, Broken> {
    let Some(start) = declaration(bytes) else {
        check(bytes, deepest)?;
        return Ok(Cow::Borrowed(bytes));
    };
    let (entities, end) = Entities::read(bytes, start)?;
    // The lines and columns after the declaration stay the same.
    let blank = |&byte: &u8| if byte == b'\n' { b'\n' } else { b' ' };
    let mut plain = bytes.to_vec();
    plain[start..end].iter_mut().for_each(|byte| *byte = blank(byte));
    check(&plain, deepest)?;
    Expansion::of(&plain, &entities).map(Cow::Owned)
}

/// Returns the offset of the document type declaration, which can only follow comments and
/// processing instructions.
fn declaration(bytes: &[u8]) -> Option<usize> {
    let mut reader = Reader::from_reader(bytes);
    loop {
        let offset = position(&reader);
        if bytes[offset..].starts_with(b"<!DOCTYPE") {
            return Some(offset);
        }
        match reader.read_event() {
            Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_)) => {}
            Ok(Event::Text(text)) if text.trim_ascii().is_empty() => {}
            _ => return None,
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// Checks that XML is well-formed, not nested too deeply, and has no declaration in a wrong place.
fn check(bytes: &[u8], deepest: usize) -> Result<(), Broken> {
    let mut reader = Reader::from_reader(bytes);
    let mut depth = 0usize;
    loop {
        match reader.read_event() {
            Ok(Event::Eof) if depth > 0 => {
                return Err((
                    bytes.len(),
                    "malformed XML: the file ends within an element".to_owned(),
                ));
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(Event::DocType(_)) => {
                return Err((
                    position(&reader),
                    "malformed XML: <!DOCTYPE …> must come once, before all elements".to_owned(),
                ));
            }
            Ok(Event::Start(_)) if depth == deepest => {
                let reason = format!("expressions are nested more than {deepest} levels deep");
                return Err((position(&reader), reason));
            }
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(_) => {}
            Err(error) => {
                let offset = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                return Err((offset, format!("malformed XML: {error}")));
            }
        }
    }
}

/// XML whose entities are being replaced.
struct Expansion<'a> {
    entities: &'a Entities<'a>,
    written: Vec<u8>,
    /// The number of bytes that entities may still add.
    allowed: usize,
}

impl<'a> Expansion<'a> {
    fn of(bytes: &'a [u8], entities: &'a Entities<'a>) -> Result<Vec<u8>, Broken> {
        let allowed = MOST_GROWTH.saturating_add(bytes.len().saturating_mul(MOST_TIMES));
        let mut expansion = Self { entities, written: Vec::with_capacity(bytes.len()), allowed };
        let mut reader = Reader::from_reader(bytes);
        loop {
            let start = position(&reader);
            let event = reader.read_event();
            let source = &bytes[start..position(&reader)];
            match event {
                // Text and the values of attributes can refer to entities, and nothing else can.
                Ok(Event::Text(_) | Event::Start(_) | Event::Empty(_)) => {
                    expansion.copy(source, start)?;
                }
                Ok(Event::Eof) => return Ok(expansion.written),
                Ok(_) => expansion.written.extend_from_slice(source),
                Err(error) => return Err((start, format!("malformed XML: {error}"))),
            }
        }
    }

    /// Copies a part of the file, and replaces the references to declared entities in it.
    fn copy(&mut self, mut source: &[u8], mut offset: usize) -> Result<(), Broken> {
        while let Some(at) = source.iter().position(|&byte| byte == b'&') {
            let (before, reference) = source.split_at(at);
            self.written.extend_from_slice(before);
            offset += at;
            let length = self.replace(reference, 1).map_err(|reason| (offset, reason))?;
            offset += length;
            source = &reference[length..];
        }
        self.written.extend_from_slice(source);
        Ok(())
    }

    /// Writes the text of the reference that `source` starts with. Returns the reference's length.
    fn replace(&mut self, source: &[u8], depth: usize) -> Result<usize, String> {
        let end = source.iter().position(|&byte| byte == b';' || byte.is_ascii_whitespace());
        let Some(end) = end.filter(|&end| source[end] == b';' && end > 1) else {
            return Err("malformed XML: & begins no reference; write it as &amp;".to_owned());
        };
        let (reference, name) = (&source[..=end], &source[1..end]);
        if name.starts_with(b"#") || PREDEFINED.contains(&name) {
            self.written.extend_from_slice(reference);
            return Ok(reference.len());
        }
        let shown = String::from_utf8_lossy(name);
        if depth > DEEPEST_ENTITY {
            return Err(format!(
                "the entity {shown} is reached through more than {DEEPEST_ENTITY} others, or \
                 refers to itself; write its text instead"
            ));
        }
        let text = match self.entities.get(name) {
            Some(Entity::Internal(text)) => text,
            Some(Entity::External) => {
                return Err(format!(
                    "the entity {shown} is in another file, which is never loaded; write its text \
                     instead"
                ));
            }
            None => return Err(format!("the entity {shown} is not declared")),
        };
        // An entity without text costs time too.
        self.spend(text.len() + 1)?;
        self.write(text, depth)?;
        Ok(reference.len())
    }

    /// Writes the text of an entity, escaped so that it is text wherever the reference was.
    fn write(&mut self, text: &[u8], depth: usize) -> Result<(), String> {
        let mut offset = 0;
        while let Some(&byte) = text.get(offset) {
            offset += 1;
            match byte {
                b'&' => offset += self.replace(&text[offset - 1..], depth + 1)? - 1,
                b'<' => {
                    let text = String::from_utf8_lossy(text);
                    return Err(format!("an entity holds elements, not only text: {text}"));
                }
                b'>' => self.written.extend_from_slice(b"&gt;"),
                b'"' => self.written.extend_from_slice(b"&quot;"),
                b'\'' => self.written.extend_from_slice(b"&apos;"),
                b'\n' => self.written.extend_from_slice(b"&#10;"),
                _ => self.written.push(byte),
            }
        }
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), String> {
        if bytes > self.allowed {
            return Err(format!(
                "the entities of this file expand to more than {} MB and {MOST_TIMES} times its \
                 length, which could fill the memory; write their text instead",
                MOST_GROWTH >> 20
            ));
        }
        self.allowed -= bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(xml: &str) -> Result<String, Broken> {
        let xml = without_entities(xml.as_bytes(), 10)?;
        Ok(String::from_utf8(xml.into_owned()).unwrap())
    }

    #[test]
    fn entities_are_replaced_in_texts_and_attributes_only() {
        let declared = "<!DOCTYPE r [<!ENTITY w 'http://w3/'><!ENTITY o '&w;\"owl#\"'>]>";
        let body = "<r a='&o;x&amp;&#65;'>&o;<!-- &o; --><?p &o;?><![CDATA[&o;]]>1 &lt; 2</r>";
        let owl = "http://w3/&quot;owl#&quot;";
        let expected = format!(
            "{}<r a='{owl}x&amp;&#65;'>{owl}<!-- &o; --><?p &o;?><![CDATA[&o;]]>1 &lt; 2</r>",
            " ".repeat(declared.len())
        );
        assert_eq!(expanded(&format!("{declared}{body}")), Ok(expected));
    }

    #[test]
    fn text_from_an_entity_never_becomes_markup() {
        let xml = "<!DOCTYPE r [<!ENTITY a '&#60;b>'><!ENTITY c '&#38;#60;&lt;>'>]><r>&c;</r>";
        assert!(expanded(xml).unwrap().ends_with("<r>&#60;&lt;&gt;</r>"));
        let (_, reason) = expanded(&xml.replace("&c;<", "&a;<")).unwrap_err();
        assert!(reason.contains("holds elements, not only text: <b>"), "{reason}");
    }

    #[test]
    fn a_file_without_a_declaration_is_not_copied() {
        assert!(matches!(without_entities(b"<r>&amp;</r>", 10), Ok(Cow::Borrowed(_))));
        assert!(matches!(without_entities(b"", 10), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn entities_that_expand_without_end_are_refused() {
        let levels = |text: &str, name: &str| {
            let deeper = (1..8).map(|level| {
                format!("<!ENTITY {name}{level} '{}'>", format!("&{name}{};", level - 1).repeat(20))
            });
            let deeper: String = deeper.collect();
            format!("<!DOCTYPE r [<!ENTITY {name}0 '{text}'>{deeper}]><r>&{name}7;</r>")
        };
        // Also when they expand to nothing, which costs time instead of memory.
        for text in ["0123456789", "", "x>"] {
            let (offset, reason) = expanded(&levels(text, "e")).unwrap_err();
            assert!(reason.contains("expand to more than 8 MB"), "{reason}");
            assert!(levels(text, "e")[offset..].starts_with("&e7;"));
        }
        // Each is small, but there are many.
        let text = format!("<!DOCTYPE r [<!ENTITY a '{}'>]>", "a".repeat(100_000));
        let (_, reason) = expanded(&format!("{text}<r>{}</r>", "&a;".repeat(1_000))).unwrap_err();
        assert!(reason.contains("expand to more than 8 MB"), "{reason}");
    }

    #[test]
    fn an_entity_that_refers_to_itself_is_refused() {
        let own = "<!DOCTYPE r [<!ENTITY a '&b;'><!ENTITY b 'x&a;'>]><r>&a;</r>";
        let (_, reason) = expanded(own).unwrap_err();
        assert!(reason.contains("refers to itself"), "{reason}");
    }

    #[test]
    fn references_that_cannot_be_replaced_are_refused_with_their_place() {
        let declared = "<!DOCTYPE r [<!ENTITY a SYSTEM 'b'><!ENTITY c '& d'>]>\n";
        for (body, reason) in [
            ("<r>&a;</r>", "another file, which is never loaded"),
            ("<r>&z;</r>", "the entity z is not declared"),
            ("<r>&c;</r>", "write it as &amp;"),
            ("<r>&</r>", "write it as &amp;"),
            ("<r>&;</r>", "write it as &amp;"),
        ] {
            let (offset, message) = expanded(&format!("{declared}{body}")).unwrap_err();
            assert!(message.contains(reason), "{body}: {message}");
            assert_eq!(offset, declared.len() + 3, "{body}");
        }
        let (_, reason) = expanded("<r/><!DOCTYPE r>").unwrap_err();
        assert!(reason.contains("must come once"), "{reason}");
    }
}
