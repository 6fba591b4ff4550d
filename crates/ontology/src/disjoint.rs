//! Lists of disjoint classes or properties in RDF.
//!
//! Protégé writes `owl:AllDisjointClasses` and `owl:AllDisjointProperties` with a list of members;
//! horned-owl does not know the first and loses members of both. Lists of named classes are
//! therefore removed from the triples here and become axioms, and lists of named properties become
//! pairs. Lists with unnamed members are left unchanged and end up among the leftover triples.

use std::collections::BTreeMap;

use oxrdf::{GraphName, NamedNode, NamedOrBlankNode, Quad, Term};
use oxrdfio::{RdfFormat, RdfParser, RdfSerializer};

use crate::skos::{Malformed, explain};
use crate::syntax::Syntax;
use crate::vocabulary::{RDF_TYPE, owl, rdf};

/// A file without its lists of disjoint named classes and properties.
pub(crate) struct Expanded {
    /// The other triples, and the pairs of disjoint properties, as N-Triples.
    pub(crate) triples: Vec<u8>,
    /// The classes of each list of disjoint classes.
    pub(crate) classes: Vec<Vec<String>>,
}

/// Removes the lists of disjoint names from a file; returns `None` if it has no such list.
pub(crate) fn expanded(bytes: &[u8], syntax: Syntax) -> Result<Option<Expanded>, Malformed> {
    const MARK: &[u8] = b"AllDisjoint";
    let Some(format) = syntax.rdf_format() else { return Ok(None) };
    if !bytes.windows(MARK.len()).any(|window| window == MARK) {
        return Ok(None);
    }
    let quads: Result<Vec<Quad>, _> = RdfParser::from_format(format).for_slice(bytes).collect();
    let quads = quads.map_err(|error| explain(&error))?;
    let mut triples = Triples::of(&quads);
    let mut classes = Vec::new();
    for quad in quads.iter().filter(|quad| quad.predicate.as_str() == RDF_TYPE) {
        let Term::NamedNode(kind) = &quad.object else { continue };
        if kind.as_str() == owl::ALL_DISJOINT_CLASSES {
            let names = triples.take_members(&quad.subject);
            classes
                .extend(names.map(|names| names.iter().map(|it| it.as_str().to_owned()).collect()));
        } else if kind.as_str() == owl::ALL_DISJOINT_PROPERTIES {
            let names = triples.take_members(&quad.subject).unwrap_or_default();
            triples.add_pairs(&names);
        }
    }
    Ok(Some(Expanded { triples: triples.to_n_triples(), classes }))
}

/// Triples, indexed by subject.
struct Triples(BTreeMap<String, Vec<Quad>>);

impl Triples {
    fn of(quads: &[Quad]) -> Self {
        let mut triples: BTreeMap<String, Vec<Quad>> = BTreeMap::new();
        for quad in quads {
            triples.entry(quad.subject.to_string()).or_default().push(quad.clone());
        }
        Self(triples)
    }

    fn object(&self, subject: &str, predicate: &str) -> Option<&Term> {
        let of_subject = self.0.get(subject)?;
        of_subject.iter().find(|quad| quad.predicate.as_str() == predicate).map(|quad| &quad.object)
    }

    /// Removes a list of disjoint names and returns the names. Returns `None` if the list has
    /// properties besides its type and members, or unnamed members.
    fn take_members(&mut self, head: &NamedOrBlankNode) -> Option<Vec<NamedNode>> {
        let head = head.to_string();
        if self.0.get(&head).is_none_or(|triples| triples.len() != 2) {
            return None;
        }
        let start = self.object(&head, owl::MEMBERS)?.to_string();
        let (cells, names) = self.list(&start)?;
        for cell in cells.iter().chain([&head]) {
            self.0.remove(cell);
        }
        Some(names)
    }

    fn add_pairs(&mut self, names: &[NamedNode]) {
        for (place, one) in names.iter().enumerate() {
            for other in &names[place + 1..] {
                let predicate = NamedNode::new_unchecked(owl::PROPERTY_DISJOINT_WITH);
                let quad =
                    Quad::new(one.clone(), predicate, other.clone(), GraphName::DefaultGraph);
                self.0.entry(one.to_string()).or_default().push(quad);
            }
        }
    }

    /// Returns the cells of a list and the names in it, or `None` if it has unnamed members.
    fn list(&self, start: &str) -> Option<(Vec<String>, Vec<NamedNode>)> {
        let (mut cells, mut names) = (Vec::new(), Vec::new());
        let mut cell = start.to_owned();
        while cell != format!("<{}>", rdf::NIL) {
            // The list is circular.
            if cells.len() > self.0.len() {
                return None;
            }
            let Term::NamedNode(name) = self.object(&cell, rdf::FIRST)? else { return None };
            names.push(name.clone());
            let rest = self.object(&cell, rdf::REST)?.to_string();
            cells.push(std::mem::replace(&mut cell, rest));
        }
        Some((cells, names))
    }

    fn to_n_triples(&self) -> Vec<u8> {
        let mut writer = RdfSerializer::from_format(RdfFormat::NTriples).for_writer(Vec::new());
        for quad in self.0.values().flatten() {
            let triple = oxrdf::TripleRef::from(quad.as_ref());
            writer.serialize_triple(triple).expect("writing to memory does not fail");
        }
        writer.finish().expect("writing to memory does not fail")
    }
}
