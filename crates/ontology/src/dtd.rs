//! Reads the document type declaration of an XML file (XML 1.0, sections 2.8 and 4.2).
//!
//! Old ontologies declare the namespaces they use as entities: `<!ENTITY owl "http://…">`. Neither
//! quick-xml nor the RDF and OWL parsers read declarations by the standard: a `>` in a value is
//! enough to confuse them. So they never see a declaration: [`crate::xml`] reads it here, writes
//! the entities out within limits, and removes it.

use std::collections::BTreeMap;

/// Entities that every XML parser knows. A file may declare them again, but only as themselves.
pub(crate) const PREDEFINED: [&[u8]; 5] = [b"amp", b"lt", b"gt", b"quot", b"apos"];

/// The error of a declaration: its offset, and what is wrong.
pub(crate) type Broken = (usize, String);

/// The entities that a file declares.
#[derive(Debug, Default)]
pub(crate) struct Entities<'a> {
    by_name: BTreeMap<&'a [u8], Entity>,
}

/// An entity.
#[derive(Debug)]
pub(crate) enum Entity {
    /// The replacement text, in which references to other entities are not replaced yet.
    Internal(Vec<u8>),
    /// A reference to another file, which is never read.
    External,
}

impl<'a> Entities<'a> {
    /// Reads the declaration that starts at `start`, with `<!DOCTYPE`. Returns the entities and the
    /// offset of the declaration's end.
    pub(crate) fn read(bytes: &'a [u8], start: usize) -> Result<(Self, usize), Broken> {
        let mut declaration = Cursor { bytes, offset: start + b"<!DOCTYPE".len() };
        let mut entities = Self::default();
        loop {
            match declaration.peek() {
                Some(b'>') => return Ok((entities, declaration.offset + 1)),
                Some(b'[') => {
                    declaration.offset += 1;
                    entities.read_subset(&mut declaration)?;
                }
                Some(b'"' | b'\'') => drop(declaration.quoted()?),
                Some(b'<') => return Err(declaration.broken("expected [ or > in <!DOCTYPE …>")),
                Some(_) => declaration.offset += 1,
                None => return Err((start, "<!DOCTYPE …> has no end".to_owned())),
            }
        }
    }

    /// Returns the entity of the given name.
    pub(crate) fn get(&self, name: &[u8]) -> Option<&Entity> {
        self.by_name.get(name)
    }

    /// Reads the declarations up to and including the bracket that ends them.
    fn read_subset(&mut self, subset: &mut Cursor<'a>) -> Result<(), Broken> {
        loop {
            subset.skip_space();
            if subset.takes(b"]") {
                return Ok(());
            } else if subset.takes(b"<!--") {
                subset.skip_past(b"-->")?;
            } else if subset.takes(b"<?") {
                subset.skip_past(b"?>")?;
            } else if subset.takes(b"<!ENTITY") {
                self.read_entity(subset)?;
            } else if subset.takes(b"<!") {
                subset.skip_declaration()?;
            } else if subset.peek() == Some(b'%') {
                return Err(subset.broken(
                    "parameter entities are not supported; replace this one with its text",
                ));
            } else {
                return Err(subset.broken("expected <!ENTITY …> or another declaration, or ]"));
            }
        }
    }

    fn read_entity(&mut self, declaration: &mut Cursor<'a>) -> Result<(), Broken> {
        declaration.skip_space();
        if declaration.peek() == Some(b'%') {
            return declaration.skip_declaration();
        }
        let name = declaration.name()?;
        declaration.skip_space();
        let entity = match declaration.peek() {
            Some(b'"' | b'\'') => {
                let offset = declaration.offset;
                let text = with_characters(declaration.quoted()?);
                Entity::Internal(text.map_err(|reason| (offset, reason))?)
            }
            _ => Entity::External,
        };
        declaration.skip_declaration()?;
        // The first of several declarations counts (section 4.2).
        if !PREDEFINED.contains(&name) {
            self.by_name.entry(name).or_insert(entity);
        }
        Ok(())
    }
}

/// Returns the value of an entity with its character references replaced (section 4.4.5).
fn with_characters(value: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.windows(2).position(|it| it == b"&#") {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + 2..];
        let end = rest.iter().position(|&it| it == b';').unwrap_or(rest.len());
        let number = String::from_utf8_lossy(&rest[..end]).into_owned();
        let code = match number.strip_prefix('x') {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => number.parse(),
        };
        let character = code.ok().and_then(char::from_u32);
        let Some(character) = character else {
            return Err(format!("&#{number}; is not a character"));
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    Ok(text)
}

/// A place in the file.
struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn broken(&self, reason: &str) -> Broken {
        (self.offset, reason.to_owned())
    }

    fn skip_space(&mut self) {
        let space = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace());
        self.offset += space.count();
    }

    fn takes(&mut self, text: &[u8]) -> bool {
        let takes = self.rest().starts_with(text);
        self.offset += if takes { text.len() } else { 0 };
        takes
    }

    fn skip_past(&mut self, end: &[u8]) -> Result<(), Broken> {
        let at = self.rest().windows(end.len()).position(|it| it == end);
        let at = at.ok_or_else(|| self.broken("<!DOCTYPE …> has no end"))?;
        self.offset += at + end.len();
        Ok(())
    }

    /// Skips the rest of a declaration, with the `>` that ends it. Those in quotes do not.
    fn skip_declaration(&mut self) -> Result<(), Broken> {
        loop {
            match self.peek() {
                Some(b'>') => {
                    self.offset += 1;
                    return Ok(());
                }
                Some(b'"' | b'\'') => drop(self.quoted()?),
                Some(b'<') => return Err(self.broken("expected > at the end of a declaration")),
                Some(_) => self.offset += 1,
                None => return Err(self.broken("<!DOCTYPE …> has no end")),
            }
        }
    }

    fn quoted(&mut self) -> Result<&'a [u8], Broken> {
        let rest = self.rest();
        let quote = rest[0];
        let length = rest[1..].iter().position(|&it| it == quote);
        let Some(length) = length else { return Err(self.broken("this quote has no end")) };
        self.offset += length + 2;
        Ok(&rest[1..=length])
    }

    fn name(&mut self) -> Result<&'a [u8], Broken> {
        let rest = self.rest();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>&;%".contains(byte);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.broken("expected the name of an entity"));
        }
        self.offset += length;
        Ok(&rest[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str, name: &str) -> Option<String> {
        let (entities, end) = Entities::read(source.as_bytes(), 0).unwrap();
        assert_eq!(&source[end..], "<r/>");
        match entities.get(name.as_bytes())? {
            Entity::Internal(text) => Some(String::from_utf8(text.clone()).unwrap()),
            Entity::External => Some("(external)".to_owned()),
        }
    }

    #[test]
    fn entities_are_read_by_the_standard() {
        let source = "<!DOCTYPE r PUBLIC 'a>b' \"c[d\" [\n\
                      <!-- <!ENTITY a 'comment'> ]> --><?pi ]> ?>\n\
                      <!ELEMENT r (#PCDATA)> <!ATTLIST r x CDATA \">\">\n\
                      <!ENTITY a \"x>'y\"> <!ENTITY a 'second'>\n\
                      <!ENTITY b '\"&a;&#x41;&#38;#60;' >\
                      <!ENTITY c SYSTEM 'file:///etc/passwd'>\
                      <!ENTITY % d 'parameter'><!ENTITY lt 'nonsense'>] ><r/>";
        assert_eq!(text(source, "a").as_deref(), Some("x>'y"));
        assert_eq!(text(source, "b").as_deref(), Some("\"&a;A&#60;"));
        assert_eq!(text(source, "c").as_deref(), Some("(external)"));
        assert_eq!(text(source, "d"), None);
        assert_eq!(text(source, "lt"), None);
        assert_eq!(text("<!DOCTYPE r><r/>", "a"), None);
    }

    #[test]
    fn a_broken_declaration_is_refused_with_its_place() {
        for (source, offset, reason) in [
            ("<!DOCTYPE r [", 13, "expected <!ENTITY"),
            ("<!DOCTYPE r", 0, "has no end"),
            ("<!DOCTYPE r [<!ENTITY a 'b>]><r/>", 24, "this quote has no end"),
            ("<!DOCTYPE r [<!ENTITY a 'b' <r/>", 28, "expected >"),
            ("<!DOCTYPE r [<<!ENTITY a 'b'>]><r/>", 13, "expected <!ENTITY"),
            ("<!DOCTYPE r [%a;]><r/>", 13, "parameter entities"),
            ("<!DOCTYPE r [<!ENTITY a '&#xD800;'>]><r/>", 24, "not a character"),
            ("<!DOCTYPE r [<!ENTITY 'a'>]><r/>", 22, "expected the name"),
            ("<!DOCTYPE r [<!-- ]><r/>", 17, "has no end"),
            ("<!DOCTYPE r <r/>", 12, "expected [ or >"),
        ] {
            let (at, message) = Entities::read(source.as_bytes(), 0).unwrap_err();
            assert_eq!(at, offset, "{source}");
            assert!(message.contains(reason), "{source}: {message}");
        }
    }
}
