//! Writes ontologies.
//!
//! horned-owl writes the OWL syntaxes, and JSON-LD from triples; sophia turns its triples into
//! readable Turtle and N-Triples. The output is read back and compared, so that no axiom is lost
//! silently.

use curie::PrefixMapping;
use horned_owl::io::{ofn, omn, owx, rdf};
use horned_owl::model::{ArcAnnotatedComponent, ArcStr, Build, IRI, Literal};
use horned_owl::ontology::component_mapped::ComponentMappedOntology;
use horned_owl::visitor::mutable::{VisitMut, WalkMut};
use sophia_api::parser::TripleParser;
use sophia_api::prefix::{Prefix, PrefixMapPair};
use sophia_api::serializer::TripleSerializer;
use sophia_api::source::TripleSource;
use sophia_iri::Iri;
use sophia_turtle::parser::nt::NTriplesParser;
use sophia_turtle::serializer::nt::NtSerializer;
use sophia_turtle::serializer::turtle::{TurtleConfig, TurtleSerializer};

use crate::build::namespace;
use crate::diff::{diff, pairs};
use crate::error::OntologyError;
use crate::model::Ontology;
use crate::read::read_from;
use crate::syntax::Syntax;
use crate::vocabulary::{PREFIXES, STRING};

/// Number of triples up to which Turtle is formatted for reading.
const MOST_FOR_PRETTY: usize = 10_000;

impl Ontology {
    /// Serializes the ontology. Fails if reading the result back does not give the same axioms.
    pub fn to_bytes(&self, syntax: Syntax) -> Result<Vec<u8>, OntologyError> {
        let failed = |reason: String| OntologyError::CannotWrite { syntax: syntax.name(), reason };
        let bytes = self.serialize(syntax).map_err(failed)?;
        let is_xml = matches!(syntax, Syntax::RdfXml | Syntax::OwlXml);
        if let Some(control) = bytes.iter().find(|byte| is_xml && is_forbidden_in_xml(**byte)) {
            return Err(failed(format!("a text has the control character {control:#04x}")));
        }
        let read = read_from(&bytes, Some(syntax), syntax.name().as_ref())
            .map_err(|error| failed(format!("cannot read the result back: {error}")))?;
        let changes = diff(self, &read.ontology);
        if let Some(axiom) = changes.only_in_first.first().or(changes.only_in_second.first()) {
            return Err(failed(format!("reading the result back changes the axiom {axiom}")));
        }
        Ok(bytes)
    }

    fn serialize(&self, syntax: Syntax) -> Result<Vec<u8>, String> {
        // In RDF, horned-owl loses members of a list of more than two disjoint classes.
        let expand = |axiom| {
            if syntax.rdf_format().is_some() { pairs(axiom) } else { vec![axiom.clone()] }
        };
        let mapped: ComponentMappedOntology<ArcStr, ArcAnnotatedComponent> =
            self.axioms.iter().flat_map(expand).collect();
        let text = |error: horned_owl::error::HornedError| error.to_string();
        let out = Vec::new();
        match syntax {
            Syntax::RdfXml => {
                // Properties become tags, and a tag needs a prefix that is not empty.
                let prefixes = self.prefixes("this", |_| true);
                rdf::writer::write(out, &self.with_typed_strings(), Some(&prefixes)).map_err(text)
            }
            // With prefixes, this writer would write `IRI="rdfs:label"` where the standard requires
            // `abbreviatedIRI`, and other programs would read a different IRI. So IRIs are written
            // in full.
            Syntax::OwlXml => owx::writer::write(out, &mapped, None).map_err(text),
            Syntax::Functional => {
                // The standard forbids declaring the prefixes that it predefines.
                let prefixes =
                    self.prefixes("", |name| !["rdf", "rdfs", "owl", "xsd"].contains(&name));
                ofn::writer::write(out, &mapped, Some(&prefixes)).map_err(text)
            }
            Syntax::Manchester => {
                let prefixes = self.prefixes("", |_| true);
                omn::writer::write(out, &mapped, Some(&prefixes)).map_err(text)
            }
            Syntax::JsonLd => {
                rdf::writer::write_to_rdf_format(out, &mapped, "jsonld").map_err(text)
            }
            Syntax::Turtle | Syntax::NTriples => {
                let triples = rdf::writer::write_to_rdf_format(out, &mapped, "nt").map_err(text)?;
                self.with_sophia(&triples, syntax).map(|bytes| spaced(&bytes))
            }
        }
    }

    /// Returns the axioms with explicit datatypes on plain strings. Otherwise the RDF/XML writer
    /// turns some annotations into XML attributes, which is allowed, but some programs ignore them.
    fn with_typed_strings(&self) -> ComponentMappedOntology<ArcStr, ArcAnnotatedComponent> {
        struct TypedStrings(IRI<ArcStr>);
        impl VisitMut<ArcStr> for TypedStrings {
            fn visit_literal(&mut self, literal: &mut Literal<ArcStr>) {
                if let Literal::Simple { literal: text } = literal {
                    let (text, datatype_iri) = (std::mem::take(text), self.0.clone());
                    *literal = Literal::Datatype { literal: text, datatype_iri };
                }
            }
        }
        let mut walk = WalkMut::new(TypedStrings(Build::new().iri(STRING)));
        let mut axioms: Vec<_> = self.axioms.iter().flat_map(pairs).collect();
        axioms.iter_mut().for_each(|axiom| walk.annotated_component(axiom));
        axioms.into_iter().collect()
    }

    /// Returns the prefix of the IRIs of the ontology's own classes.
    fn namespace(&self) -> Option<String> {
        self.iri().map(|iri| namespace(&iri))
    }

    /// Returns the common prefixes that pass the filter, and the prefix `own` for the ontology's
    /// own names.
    fn prefixes(&self, own: &str, is_wanted: impl Fn(&str) -> bool) -> PrefixMapping {
        let mut prefixes = PrefixMapping::default();
        let known = PREFIXES.iter().map(|&(name, iri)| (name, iri.to_owned()));
        let known = known.filter(|&(name, _)| is_wanted(name));
        for (name, iri) in known.chain(self.namespace().map(|namespace| (own, namespace))) {
            prefixes.add_prefix(name, &iri).expect("none of them is reserved");
        }
        prefixes
    }

    fn with_sophia(&self, triples: &[u8], syntax: Syntax) -> Result<Vec<u8>, String> {
        // Sorted, so that equal axioms give equal bytes.
        let mut lines: Vec<&str> =
            std::str::from_utf8(triples).map_err(|error| error.to_string())?.lines().collect();
        lines.sort_unstable();
        let sorted = lines.join("\n");
        let source = NTriplesParser {}.parse(sorted.as_bytes());
        let mut out = Vec::new();
        if syntax == Syntax::NTriples {
            let mut serializer = NtSerializer::new(&mut out);
            serializer.serialize_triples(source).map_err(|error| error.to_string())?;
        } else {
            // Formatting takes time quadratic in the number of triples, and nobody reads that many.
            let is_small = lines.len() <= MOST_FOR_PRETTY;
            let config = TurtleConfig::new()
                .with_pretty(is_small)
                .with_own_prefix_map(self.turtle_prefixes()?);
            let triples: Result<Vec<[sophia_api::term::SimpleTerm<'static>; 3]>, _> =
                source.collect_triples();
            let triples = triples.map_err(|error| error.to_string())?;
            let mut serializer = TurtleSerializer::new_with_config(&mut out, config);
            serializer.serialize_graph(&triples).map_err(|error| error.to_string())?;
        }
        Ok(out)
    }

    fn turtle_prefixes(&self) -> Result<Vec<PrefixMapPair>, String> {
        let own = self.namespace().map(|namespace| (String::new(), namespace));
        let known = PREFIXES.iter().map(|&(name, iri)| (name.to_owned(), iri.to_owned()));
        known
            .chain(own)
            .map(|(name, iri)| {
                let prefix = Prefix::new(name.into()).map_err(|error| error.to_string())?;
                let iri = Iri::new(iri.into()).map_err(|error| error.to_string())?;
                Ok((prefix, iri))
            })
            .collect()
    }
}

/// Rewrites Turtle and N-Triples so that every program can read them: `@prefix` instead of
/// `PREFIX`, and a space before the dot that ends a statement, without which some programs read
/// `3.` as a decimal number.
fn spaced(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match (line.strip_prefix("PREFIX "), line.strip_suffix('.')) {
            (Some(rest), _) => out += &format!("@prefix {rest} ."),
            (None, Some(rest)) => out += &format!("{rest} ."),
            (None, None) => out += line,
        }
        out.push('\n');
    }
    out.into_bytes()
}

/// Returns true if a byte is a control character that XML does not allow.
fn is_forbidden_in_xml(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}
