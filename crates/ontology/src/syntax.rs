//! The syntaxes of ontology files.

use std::path::Path;

/// A syntax of ontology files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Syntax {
    /// RDF/XML: `.owl`, `.rdf`.
    RdfXml,
    /// OWL/XML: `.owx`.
    OwlXml,
    /// Functional syntax: `.ofn`.
    Functional,
    /// Manchester syntax: `.omn`.
    Manchester,
    /// Turtle: `.ttl`.
    Turtle,
    /// N-Triples: `.nt`.
    NTriples,
    /// JSON-LD: `.jsonld`.
    JsonLd,
}

impl Syntax {
    /// All syntaxes.
    pub const ALL: [Self; 7] = [
        Self::RdfXml,
        Self::OwlXml,
        Self::Functional,
        Self::Manchester,
        Self::Turtle,
        Self::NTriples,
        Self::JsonLd,
    ];

    /// Returns the syntax that a file's extension stands for.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_lowercase().as_str() {
            "owl" | "rdf" => Some(Self::RdfXml),
            "owx" => Some(Self::OwlXml),
            "ofn" | "fss" => Some(Self::Functional),
            "omn" => Some(Self::Manchester),
            "ttl" => Some(Self::Turtle),
            "nt" => Some(Self::NTriples),
            "jsonld" => Some(Self::JsonLd),
            _ => None,
        }
    }

    /// Returns the usual file extension, without a dot.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::RdfXml => "owl",
            Self::OwlXml => "owx",
            Self::Functional => "ofn",
            Self::Manchester => "omn",
            Self::Turtle => "ttl",
            Self::NTriples => "nt",
            Self::JsonLd => "jsonld",
        }
    }

    /// Returns the name of the syntax.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RdfXml => "RDF/XML",
            Self::OwlXml => "OWL/XML",
            Self::Functional => "functional syntax",
            Self::Manchester => "Manchester syntax",
            Self::Turtle => "Turtle",
            Self::NTriples => "N-Triples",
            Self::JsonLd => "JSON-LD",
        }
    }

    /// Guesses the syntax from the content. Files named `.owl` are often not in RDF/XML.
    pub(crate) fn sniff(bytes: &[u8]) -> Option<Self> {
        use horned_owl::io::{ResourceType, detect_format};
        let start = bytes[..bytes.len().min(64 * 1024)].trim_ascii_start();
        match start {
            [b'{' | b'[', ..] => return Some(Self::JsonLd),
            [b'_', b':', ..] => return Some(Self::NTriples),
            // Turtle with prefixes in the style of SPARQL; in Manchester syntax the keyword is
            // directly followed by a colon.
            [b'P' | b'B', rest @ ..]
                if rest.starts_with(b"REFIX ") || rest.starts_with(b"ASE ") =>
            {
                return Some(Self::Turtle);
            }
            _ => {}
        }
        match detect_format(start)? {
            (ResourceType::RDF, Some(oxrdfio::RdfFormat::RdfXml) | None) => Some(Self::RdfXml),
            (ResourceType::RDF, Some(_)) => Some(Self::Turtle),
            (ResourceType::OWX, _) => Some(Self::OwlXml),
            (ResourceType::OFN, _) => Some(Self::Functional),
            (ResourceType::OMN, _) => Some(Self::Manchester),
            (ResourceType::OBO, _) => None,
        }
    }

    pub(crate) fn rdf_format(self) -> Option<oxrdfio::RdfFormat> {
        use oxrdfio::{JsonLdProfileSet, RdfFormat};
        match self {
            Self::RdfXml => Some(RdfFormat::RdfXml),
            Self::Turtle => Some(RdfFormat::Turtle),
            Self::NTriples => Some(RdfFormat::NTriples),
            Self::JsonLd => Some(RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() }),
            Self::OwlXml | Self::Functional | Self::Manchester => None,
        }
    }
}
