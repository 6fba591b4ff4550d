//! Files of ConExp: its own XML format, and its text export of line diagrams.
//!
//! The text export lists the nodes of the diagram with reduced labels:
//!
//! ```text
//! Node: 1, 20, 35
//! Edge: 2, 1
//! Object: 2, bream
//! Attribute: 1, lives in water
//! EOF
//! ```
//!
//! An edge goes from the lower node to the upper one. An object has the attributes of its node and
//! of all nodes above it. A diagram without objects still orders its attributes; its nodes then
//! become the objects, which preserves that order.

use std::io::BufRead;

use hashbrown::HashMap;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Lines, ParseError, place_of};
use crate::context::{Context, ContextBuilder, Names};

type Map<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

pub(crate) fn read_cex(mut input: impl BufRead) -> Result<Context, ParseError> {
    // quick-xml reports positions as byte offsets, so the bytes are kept to find the line.
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let mut reader = Reader::from_reader(bytes.as_slice());
    let mut state = Cex::default();
    loop {
        let event = match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => event,
            Err(error) => {
                let place = place_of(&bytes, reader.error_position());
                return Err(ParseError::Malformed(place, format!("malformed XML: {error}")));
            }
        };
        let at = reader.buffer_position();
        state
            .event(&event)
            .map_err(|reason| ParseError::Malformed(place_of(&bytes, at), reason))?;
    }
    state.finish()
}

/// The content read so far from a .cex file.
#[derive(Default)]
struct Cex {
    attributes: Vec<String>,
    by_identifier: Map<String, u32>,
    objects: Vec<String>,
    rows: Vec<Vec<u32>>,
    /// The elements that are open.
    path: Vec<Vec<u8>>,
    contexts: usize,
}

impl Cex {
    fn event(&mut self, event: &Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(element) => {
                self.path.push(element.local_name().as_ref().to_vec());
                self.open(element)
            }
            Event::Empty(element) => self.open(element),
            Event::Text(text) => {
                let text = text.unescape().map_err(|error| format!("malformed XML: {error}"))?;
                self.text(&text);
                Ok(())
            }
            Event::CData(text) => {
                self.text(&String::from_utf8_lossy(text));
                Ok(())
            }
            Event::End(_) => {
                self.path.pop();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        // A saved diagram repeats the intents of its concepts; they are not part of the context.
        let is_inside = |name: &[u8]| self.path.iter().any(|open| open == name);
        if is_inside(b"Lattices") {
            return Ok(());
        }
        match element.local_name().as_ref() {
            b"Context" => {
                self.contexts += 1;
                if self.contexts > 1 {
                    let reason = "the file has a second context; save each in a separate file";
                    return Err(reason.to_owned());
                }
            }
            b"Attribute" => {
                let number =
                    u32::try_from(self.attributes.len()).map_err(|_| "too many attributes")?;
                let identifier = value(element, "Identifier")?;
                if self.by_identifier.insert(identifier.clone(), number).is_some() {
                    return Err(format!("two attributes have the identifier {identifier:?}"));
                }
                self.attributes.push(String::new());
            }
            b"Object" => {
                self.objects.push(String::new());
                self.rows.push(Vec::new());
            }
            b"HasAttribute" => {
                let identifier = value(element, "AttributeIdentifier")?;
                let attribute = self
                    .by_identifier
                    .get(&identifier)
                    .ok_or_else(|| format!("no attribute has the identifier {identifier:?}"))?;
                let row = self.rows.last_mut().ok_or("<HasAttribute> outside of an <Object>")?;
                row.push(*attribute);
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        let [.., owner, name] = self.path.as_slice() else { return };
        let names = match (owner.as_slice(), name.as_slice()) {
            (b"Attribute", b"Name") => &mut self.attributes,
            (b"Object", b"Name") => &mut self.objects,
            _ => return,
        };
        if let Some(name) = names.last_mut() {
            name.push_str(text);
        }
    }

    fn finish(self) -> Result<Context, ParseError> {
        if let Some(open) = self.path.last() {
            let open = String::from_utf8_lossy(open);
            return Err(ParseError::nowhere(format!("the file ends within <{open}>")));
        }
        if self.contexts == 0 {
            let reason = "the file has no <Context> element; is it a ConExp file?";
            return Err(ParseError::nowhere(reason));
        }
        let mut builder = ContextBuilder::new();
        self.rows.iter().for_each(|row| builder.row(row));
        Ok(builder.finish(Names::Given(self.objects), Names::Given(self.attributes))?)
    }
}

fn value(element: &BytesStart<'_>, name: &str) -> Result<String, String> {
    let attribute = element.try_get_attribute(name).map_err(|error| error.to_string())?;
    let attribute = attribute.ok_or_else(|| format!("the element lacks {name}"))?;
    let value = attribute.unescape_value().map_err(|error| error.to_string())?;
    Ok(value.into_owned())
}

/// The content read so far from an exported diagram.
#[derive(Default)]
struct Diagram {
    nodes: Vec<String>,
    by_name: Map<String, usize>,
    uppers: Vec<Vec<usize>>,
    objects: Vec<(usize, String)>,
    attributes: Vec<(usize, String)>,
}

pub(crate) fn read_text(mut lines: Lines<impl BufRead>) -> Result<Context, ParseError> {
    let mut diagram = Diagram::default();
    let mut is_ended = false;
    while let Some(line) = lines.next()? {
        let line = line.trim();
        if line == "EOF" {
            is_ended = true;
            break;
        }
        if !line.is_empty() {
            let added = diagram.line(line);
            added.map_err(|reason| ParseError::at_line(lines.number(), reason))?;
        }
    }
    if !is_ended {
        let reason = "no line EOF at the end; is this ConExp's text export of a line diagram?";
        return Err(ParseError::at_line(lines.number() + 1, reason));
    }
    diagram.context()
}

impl Diagram {
    fn line(&mut self, line: &str) -> Result<(), String> {
        const EXPECTED: &str = "expected `Node:`, `Edge:`, `Object:` or `Attribute:`";
        let (kind, rest) = line.split_once(':').ok_or(EXPECTED)?;
        let (first, second) =
            rest.split_once(',').ok_or("expected two values separated by a comma")?;
        let (first, second) = (first.trim(), second.trim());
        match kind.trim() {
            "Node" => {
                if self.by_name.insert(first.to_owned(), self.nodes.len()).is_some() {
                    return Err(format!("node {first} is defined twice"));
                }
                self.nodes.push(first.to_owned());
                self.uppers.push(Vec::new());
            }
            "Edge" => {
                let (lower, upper) = (self.node(first)?, self.node(second)?);
                self.uppers[lower].push(upper);
            }
            "Object" => self.objects.push((self.node(first)?, second.to_owned())),
            "Attribute" => self.attributes.push((self.node(first)?, second.to_owned())),
            _ => return Err(EXPECTED.to_owned()),
        }
        Ok(())
    }

    fn node(&self, name: &str) -> Result<usize, String> {
        self.by_name.get(name).copied().ok_or_else(|| format!("node {name} is not defined above"))
    }

    fn context(self) -> Result<Context, ParseError> {
        let mut own = vec![Vec::new(); self.nodes.len()];
        for (number, (node, _)) in (0..).zip(&self.attributes) {
            own[*node].push(number);
        }
        let objects = if self.objects.is_empty() {
            let name = |(node, name): (usize, &String)| (node, format!("node {name}"));
            self.nodes.iter().enumerate().map(name).collect()
        } else {
            self.objects.clone()
        };
        let mut builder = ContextBuilder::new();
        for &(node, _) in &objects {
            builder.row(&self.attributes_from(node, &own));
        }
        let names = |named: Vec<(usize, String)>| {
            Names::Given(named.into_iter().map(|(_, name)| name).collect())
        };
        Ok(builder.finish(names(objects), names(self.attributes))?)
    }

    fn attributes_from(&self, node: usize, own: &[Vec<u32>]) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![node];
        let mut attributes = Vec::new();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                attributes.extend(&own[node]);
                open.extend(&self.uppers[node]);
            }
        }
        attributes
    }
}
