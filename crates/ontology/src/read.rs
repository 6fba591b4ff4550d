//! Reading ontologies.
//!
//! horned-owl's parsers recurse, so they run on a thread with a large stack: a file that nests too
//! deeply must not end the program. Nothing is ever fetched; imports are named, not followed.

use std::path::{Path, PathBuf};

use horned_owl::io::{ParserConfiguration, RDFParserConfiguration};
use horned_owl::model::{
    AnnotatedComponent, ArcAnnotatedComponent, ArcStr, Build, Component, Literal,
};
use horned_owl::ontology::set::SetOntology;
use horned_owl::visitor::mutable::{VisitMut, WalkMut};
use ontrail_fca::format::{Place, place_of};
use ontrail_taxonomy::{Taxonomy, TaxonomyBuilder};

use crate::error::OntologyError;
use crate::model::Ontology;
use crate::syntax::Syntax;
use crate::{disjoint, skos, taxonomy, vocabulary};

/// The stack of the thread that parses.
const STACK: usize = 512 << 20;

/// How deeply elements and brackets may nest. No ontology made by people comes near it, and what
/// walks through expressions later has an ordinary stack.
const DEEPEST: usize = 500;
const TOO_DEEP: &str = "expressions nest more than 500 deep";

/// What was read from a file.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file.
    pub path: PathBuf,
    /// The syntax that it is in.
    pub syntax: Syntax,
    /// The axioms.
    pub ontology: Ontology,
    /// Triples that are no part of an axiom of OWL 2, as text.
    pub leftovers: Vec<String>,
    /// The concepts, if it is a SKOS file.
    pub(crate) skos: Option<TaxonomyBuilder>,
}

/// Reads an ontology in any of the syntaxes.
pub fn read(path: &Path) -> Result<Document, OntologyError> {
    let bytes = std::fs::read(path)
        .map_err(|source| OntologyError::Io { path: path.to_owned(), source })?;
    // Files called .owl and .rdf come in every syntax; the other names can be trusted.
    let named = Syntax::of(path).filter(|&syntax| syntax != Syntax::RdfXml);
    read_from(&bytes, named, path)
}

/// Reads an ontology from bytes, in a given syntax or in the one that they look like.
pub fn read_from(
    bytes: &[u8],
    syntax: Option<Syntax>,
    path: &Path,
) -> Result<Document, OntologyError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(OntologyError::malformed(path, Place::default(), "the file is empty"));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let reason = "in UTF-16; save it in UTF-8";
        return Err(OntologyError::malformed(path, Place::default(), reason));
    }
    let sniffed = || Syntax::sniff(bytes).or_else(|| Syntax::of(path));
    let syntax =
        syntax.or_else(sniffed).ok_or_else(|| OntologyError::Unknown { path: path.to_owned() })?;
    if matches!(syntax, Syntax::RdfXml | Syntax::OwlXml) {
        check_xml(bytes, path)?;
    } else if let Some(offset) = too_deep(bytes) {
        return Err(OntologyError::malformed(path, place_of(bytes, offset as u64), TOO_DEEP));
    } else if let Err(error) = std::str::from_utf8(bytes) {
        let place = place_of(bytes, error.valid_up_to() as u64);
        return Err(OntologyError::malformed(path, place, "not UTF-8"));
    }
    let malformed = |(reason, place)| OntologyError::malformed(path, place, reason);
    let skos = skos::read(bytes, syntax).map_err(malformed)?;
    let expanded = disjoint::expanded(bytes, syntax).map_err(malformed)?;
    let (bytes, syntax_read) = match &expanded {
        Some(expanded) => (expanded.triples.as_slice(), Syntax::NTriples),
        None => (bytes, syntax),
    };
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let spawned = thread.spawn_scoped(scope, || parse(bytes, syntax_read));
        match spawned.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(parsed)) => parsed,
            Ok(Err(_)) => Err(("the reader gave up on it".to_owned(), Place::default())),
            Err(error) => Err((format!("no thread to read it with: {error}"), Place::default())),
        }
    });
    let (mut ontology, leftovers) = parsed.map_err(malformed)?;
    for classes in expanded.map(|expanded| expanded.classes).unwrap_or_default() {
        ontology.add_disjoint(&classes);
    }
    Ok(Document { path: path.to_owned(), syntax, ontology, leftovers, skos })
}

impl Document {
    /// Refuses a file with triples that are no axiom of OWL 2: whoever writes it again would lose them.
    pub fn check_whole(&self) -> Result<(), OntologyError> {
        match self.leftovers.first() {
            Some(triple) if !self.is_skos() => Err(OntologyError::NotWhole {
                path: self.path.clone(),
                count: self.leftovers.len(),
                triple: triple.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Whether the file is a SKOS vocabulary rather than an ontology.
    #[must_use]
    pub fn is_skos(&self) -> bool {
        self.skos.is_some()
    }

    /// The hierarchy of its classes or SKOS concepts.
    pub fn taxonomy(&self) -> Result<Taxonomy, OntologyError> {
        let built = self.hierarchy().finish();
        built.map_err(|cycle| OntologyError::Cycle { path: self.path.clone(), cycle })
    }

    /// The concepts and their order, which may have cycles.
    pub(crate) fn hierarchy(&self) -> TaxonomyBuilder {
        self.skos.clone().unwrap_or_else(|| taxonomy::builder(&self.ontology))
    }
}

/// The place where expressions nest too deeply, in the syntaxes that are not XML. They nest by brackets,
/// and those of Manchester syntax also by words, which need no brackets. Texts, IRIs and comments do not
/// count.
fn too_deep(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut words) = (0usize, 0usize);
    let mut offset = 0;
    while let Some(&byte) = bytes.get(offset) {
        let rest = &bytes[offset + 1..];
        match byte {
            b'"' => offset += text_length(rest),
            b'<' => offset += iri_length(rest),
            b'#' => offset += rest.iter().position(|&it| it == b'\n').unwrap_or(rest.len()),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b'\n' => words = 0,
            b' ' if [&b"some "[..], b"only ", b"not "]
                .iter()
                .any(|word| rest.starts_with(word)) =>
            {
                words += 1;
            }
            _ => {}
        }
        if depth.max(words) > DEEPEST {
            return Some(offset.min(bytes.len()));
        }
        offset += 1;
    }
    None
}

/// How far it is to the quote that ends a text.
fn text_length(rest: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = rest.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 1)
}

/// How far it is to the bracket that ends an IRI; nothing if it is none but a comparison.
fn iri_length(rest: &[u8]) -> usize {
    let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    end.filter(|&end| rest[end] == b'>').map_or(0, |end| end + 1)
}

/// XML that is not well-formed is refused here, where line and column are known.
fn check_xml(bytes: &[u8], path: &Path) -> Result<(), OntologyError> {
    let mut reader = quick_xml::Reader::from_reader(bytes);
    let mut depth = 0usize;
    let error = loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) if depth > 0 => {
                break (bytes.len() as u64, "the file ends within an element".to_owned());
            }
            Ok(quick_xml::events::Event::Eof) => return Ok(()),
            Ok(quick_xml::events::Event::DocType(text)) => {
                if let Some(entity) = bad_entity(&String::from_utf8_lossy(&text)) {
                    let place = place_of(bytes, reader.buffer_position());
                    let reason = format!(
                        "the entity {entity} is long or refers to others, which could fill the memory"
                    );
                    return Err(OntologyError::malformed(path, place, reason));
                }
            }
            Ok(quick_xml::events::Event::Start(_)) if depth == DEEPEST => {
                let place = place_of(bytes, reader.buffer_position());
                return Err(OntologyError::malformed(path, place, TOO_DEEP));
            }
            Ok(quick_xml::events::Event::Start(_)) => depth += 1,
            Ok(quick_xml::events::Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(_) => {}
            Err(error) => break (reader.error_position(), error.to_string()),
        }
    };
    let (offset, reason) = error;
    Err(OntologyError::malformed(path, place_of(bytes, offset), format!("broken XML: {reason}")))
}

/// An entity that is longer than any IRI, or made of other entities: a small file of such expands to
/// gigabytes.
fn bad_entity(declarations: &str) -> Option<String> {
    let entities = declarations.split("<!ENTITY").skip(1);
    entities
        .map(|declaration| declaration.split('>').next().unwrap_or(declaration))
        .find(|declaration| declaration.len() > 1_000 || declaration.contains('&'))
        .map(|declaration| declaration.split_whitespace().next().unwrap_or_default().to_owned())
}

type Parsed = Result<(Ontology, Vec<String>), (String, Place)>;

fn parse(mut bytes: &[u8], syntax: Syntax) -> Parsed {
    let build = Build::<ArcStr>::new();
    let config = ParserConfiguration::new(&build);
    let whole = bytes;
    let failed = |error: &horned_owl::error::HornedError| explain(error, whole);
    let plain =
        |set: SetOntology<ArcStr>| whole_or_too_deep(set).map(|ontology| (ontology, Vec::new()));
    match syntax {
        Syntax::OwlXml => {
            let read = horned_owl::io::owx::reader::read(&mut bytes, config);
            read.map_err(|error| failed(&error)).and_then(|(set, _)| plain(set))
        }
        Syntax::Functional => {
            let read = horned_owl::io::ofn::reader::read(&mut bytes, config);
            read.map_err(|error| failed(&error)).and_then(|(set, _)| plain(set))
        }
        Syntax::Manchester => {
            let read = horned_owl::io::omn::reader::read(&mut bytes, config);
            read.map_err(|error| failed(&error)).and_then(|(set, _)| plain(set))
        }
        Syntax::RdfXml | Syntax::Turtle | Syntax::NTriples | Syntax::JsonLd => {
            let mut config = RDFParserConfiguration::from(config);
            config.format = syntax.rdf_format();
            let read = horned_owl::io::rdf::reader::read::<ArcStr, ArcAnnotatedComponent, _, _>(
                &mut bytes, config,
            );
            let (ontology, rest) = read.map_err(|error| failed(&error))?;
            let leftovers = leftovers(&rest);
            Ok((whole_or_too_deep(ontology.into())?, leftovers))
        }
    }
}

/// The axioms, unless an expression nests too deeply. Asked on the thread with the large stack, where
/// the deep ones are taken apart too.
fn whole_or_too_deep(set: SetOntology<ArcStr>) -> Result<Ontology, (String, Place)> {
    let ontology = normalised(set);
    if ontology.is_too_deep(DEEPEST) {
        return Err((TOO_DEEP.to_owned(), Place::default()));
    }
    Ok(ontology)
}

/// What a parser says, and where.
fn explain(error: &horned_owl::error::HornedError, bytes: &[u8]) -> (String, Place) {
    use horned_owl::error::{HornedError, Location};
    let place = |location: &Location| match location {
        Location::BytePosition(offset) => place_of(bytes, *offset),
        Location::ByteSpan(span) => place_of(bytes, span.start),
        Location::Unknown => Place::default(),
    };
    match error {
        HornedError::ParserError(cause, location) => (cause.to_string(), place(location)),
        HornedError::ValidityError(reason, location) => (reason.clone(), place(location)),
        other => (other.to_string(), Place::default()),
    }
}

/// Axioms as they are compared: without the place they were loaded from, and with one form for plain
/// strings, which some syntaxes write with their datatype and some without.
fn normalised(set: SetOntology<ArcStr>) -> Ontology {
    struct PlainStrings;
    impl VisitMut<ArcStr> for PlainStrings {
        fn visit_literal(&mut self, literal: &mut Literal<ArcStr>) {
            if let Literal::Datatype { literal: text, datatype_iri } = literal
                && **datatype_iri == *vocabulary::STRING
            {
                *literal = Literal::Simple { literal: std::mem::take(text) };
            }
            if let Literal::Language { lang, .. } = literal {
                lang.make_ascii_lowercase();
            }
        }
    }
    let mut walk = WalkMut::new(PlainStrings);
    let keep =
        |axiom: &AnnotatedComponent<ArcStr>| !matches!(axiom.component, Component::DocIRI(_));
    let mut axioms: Vec<_> = set.into_iter().filter(keep).collect();
    axioms.iter_mut().for_each(|axiom| walk.annotated_component(axiom));
    axioms.into_iter().collect()
}

/// The triples that no axiom was made of, as text.
fn leftovers(rest: &horned_owl::io::rdf::reader::IncompleteParse<ArcStr>) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let triple = |triple: &[horned_owl::io::rdf::reader::Term<ArcStr>; 3]| {
        triple.iter().map(term_text).collect::<Vec<_>>().join(" ")
    };
    texts.extend(rest.simple.iter().map(|it| triple(it.triple())));
    texts.extend(rest.bnode.iter().flat_map(|it| it.vec_triple().iter().map(triple)));
    let list = |it: &Vec<_>| it.iter().map(term_text).collect::<Vec<_>>().join(" ");
    texts.extend(rest.bnode_seq.iter().map(list));
    texts.extend(rest.class_expression.iter().map(|it| format!("{it:?}")));
    texts.extend(rest.object_property_expression.iter().map(|it| format!("{it:?}")));
    texts.extend(rest.data_range.iter().map(|it| format!("{it:?}")));
    let mut annotated: Vec<String> = Vec::new();
    #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
    for annotation in rest.ann_map.keys() {
        annotated.push(triple(annotation));
    }
    #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
    for atom in rest.atom.values() {
        annotated.push(format!("{atom:?}"));
    }
    texts.extend(annotated);
    texts.sort();
    texts
}

fn term_text(term: &horned_owl::io::rdf::reader::Term<ArcStr>) -> String {
    use horned_owl::io::rdf::reader::Term;
    match term {
        Term::Iri(iri) => format!("<{iri}>"),
        Term::Literal(literal) => format!("{:?}", literal.literal()),
        // Their names are new with every reading, and say nothing.
        Term::BNode(_) => "[]".to_owned(),
        Term::OWL(word) => format!("<{}>", word.as_ref()),
        Term::RDF(word) => format!("<{}>", word.as_ref()),
        Term::RDFS(word) => format!("<{}>", word.as_ref()),
        Term::SWRL(word) => format!("<{}>", word.as_ref()),
        Term::FacetTerm(word) => format!("<{}>", word.as_ref()),
    }
}
