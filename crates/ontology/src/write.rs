//! Writing ontologies.
//!
//! horned-owl writes the syntaxes of OWL and, as triples, JSON-LD; sophia makes readable Turtle and
//! N-Triples of its triples. What was written is read again and compared, so that no axiom is ever
//! lost on the way without a word.

use curie::PrefixMapping;
use horned_owl::io::{ofn, omn, owx, rdf};
use horned_owl::model::{ArcAnnotatedComponent, ArcStr};
use horned_owl::ontology::component_mapped::ComponentMappedOntology;
use sophia::api::parser::TripleParser;
use sophia::api::prefix::{Prefix, PrefixMapPair};
use sophia::api::serializer::TripleSerializer;
use sophia::api::source::TripleSource;
use sophia::iri::Iri;
use sophia::turtle::parser::nt::NTriplesParser;
use sophia::turtle::serializer::nt::NtSerializer;
use sophia::turtle::serializer::turtle::{TurtleConfig, TurtleSerializer};

use crate::diff::diff;
use crate::error::OntologyError;
use crate::model::Ontology;
use crate::read::read_from;
use crate::syntax::Syntax;
use crate::vocabulary::PREFIXES;

impl Ontology {
    /// The ontology in a syntax. Fails if reading it back does not give the same axioms.
    pub fn to_bytes(&self, syntax: Syntax) -> Result<Vec<u8>, OntologyError> {
        let failed = |reason: String| OntologyError::CannotWrite { syntax: syntax.name(), reason };
        let bytes = self.serialize(syntax).map_err(failed)?;
        let read = read_from(&bytes, Some(syntax), syntax.name().as_ref())?;
        let lost = diff(self, &read.ontology);
        if let Some(axiom) = lost.only_in_first.first().or(lost.only_in_second.first()) {
            return Err(failed(format!("reading it back does not give {axiom}")));
        }
        Ok(bytes)
    }

    fn serialize(&self, syntax: Syntax) -> Result<Vec<u8>, String> {
        let mapped: ComponentMappedOntology<ArcStr, ArcAnnotatedComponent> =
            self.axioms.iter().cloned().collect();
        // Names of properties are tags in RDF/XML, and a tag needs a prefix with a name.
        let prefixes = self.prefixes(if syntax == Syntax::RdfXml { "this" } else { "" });
        let text = |error: horned_owl::error::HornedError| error.to_string();
        let out = Vec::new();
        match syntax {
            Syntax::RdfXml => rdf::writer::write(out, &mapped, Some(&prefixes)).map_err(text),
            // With prefixes, this writer would put `IRI="rdfs:label"` where the standard wants
            // `abbreviatedIRI`, which others read as another IRI. So IRIs are written in full.
            Syntax::OwlXml => owx::writer::write(out, &mapped, None).map_err(text),
            Syntax::Functional => ofn::writer::write(out, &mapped, Some(&prefixes)).map_err(text),
            Syntax::Manchester => omn::writer::write(out, &mapped, Some(&prefixes)).map_err(text),
            Syntax::JsonLd => {
                rdf::writer::write_to_rdf_format(out, &mapped, "jsonld").map_err(text)
            }
            Syntax::Turtle | Syntax::NTriples => {
                let triples = rdf::writer::write_to_rdf_format(out, &mapped, "nt").map_err(text)?;
                self.with_sophia(&triples, syntax)
            }
        }
    }

    /// The IRI that the names of the ontology's own classes begin with.
    fn namespace(&self) -> Option<String> {
        let iri = self.iri()?;
        Some(if iri.ends_with(['#', '/']) { iri } else { format!("{iri}#") })
    }

    fn prefixes(&self, own: &str) -> PrefixMapping {
        let mut prefixes = PrefixMapping::default();
        let known = PREFIXES.iter().map(|&(name, iri)| (name, iri.to_owned()));
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
            let config =
                TurtleConfig::new().with_pretty(true).with_own_prefix_map(self.turtle_prefixes()?);
            let triples: Result<Vec<[sophia::api::term::SimpleTerm<'static>; 3]>, _> =
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
