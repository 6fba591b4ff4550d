//! A person's decisions about the terms of a domain, in a TOML file.
//!
//! ```toml
//! drop = ["记者", "网友"]            # terms that are not concepts
//!
//! [[class]]
//! term = "洪涝"                      # a term of the context, or a new term with a parent
//! parent = "次生灾害"                # replaces the parents that were found; may be a list
//! id = "Flood"                       # the last part of the IRI
//! label = { zh = "洪涝", en = "flood" }
//! synonyms = { en = ["inundation"] }
//! definition = { en = "Water where it does harm." }
//! merge = ["洪水"]                   # terms with the same meaning
//!                                    # (two terms with a [[class]] each stay separate classes)
//!
//! [[relation]]                       # every flood is detected by some water level
//! from = "洪涝"
//! to = "水位"
//! id = "isDetectedBy"
//! label = { en = "is detected by" }
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

/// Texts by language.
pub(crate) type ByLanguage<T> = BTreeMap<String, T>;

/// A person's decisions about the terms of a domain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overrides {
    #[serde(default)]
    pub(crate) drop: Vec<String>,
    #[serde(default, rename = "class")]
    pub(crate) classes: Vec<ClassOverride>,
    #[serde(default, rename = "relation")]
    pub(crate) relations: Vec<RelationOverride>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassOverride {
    pub(crate) term: String,
    #[serde(default)]
    pub(crate) parent: OneOrMore,
    pub(crate) id: Option<String>,
    #[serde(default)]
    pub(crate) label: ByLanguage<String>,
    #[serde(default)]
    pub(crate) synonyms: ByLanguage<Vec<String>>,
    #[serde(default)]
    pub(crate) definition: ByLanguage<String>,
    #[serde(default)]
    pub(crate) merge: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelationOverride {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) label: ByLanguage<String>,
}

/// A text or a list of texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "TextOrList")]
pub(crate) struct OneOrMore(pub(crate) Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrList {
    Text(String),
    List(Vec<String>),
}

impl From<TextOrList> for OneOrMore {
    fn from(value: TextOrList) -> Self {
        match value {
            TextOrList::Text(text) => Self(vec![text]),
            TextOrList::List(list) => Self(list),
        }
    }
}

/// The reason why a text is not an override file, with the place of the error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct OverridesError(String);

impl std::str::FromStr for Overrides {
    type Err = OverridesError;

    fn from_str(text: &str) -> Result<Self, OverridesError> {
        let overrides: Self = toml::from_str(text)
            .map_err(|error| OverridesError(error.to_string().trim().to_owned()))?;
        match overrides.empty_field() {
            Some(what) => Err(OverridesError(format!("{what} is empty"))),
            None => Ok(overrides),
        }
    }
}

impl Overrides {
    /// Returns the description of a field that is empty but must not be.
    fn empty_field(&self) -> Option<String> {
        let is_empty = |text: &str| text.trim().is_empty();
        for class in &self.classes {
            let term = &class.term;
            if is_empty(term) {
                return Some("the term of a class".to_owned());
            }
            if class.id.as_deref().is_some_and(is_empty) {
                return Some(format!("the id of {term:?}"));
            }
            let texts = class.label.values().chain(class.synonyms.values().flatten());
            if texts.chain(class.definition.values()).any(|text| is_empty(text)) {
                return Some(format!("a label, synonym or definition of {term:?}"));
            }
        }
        let relations = self.relations.iter();
        relations
            .filter(|it| is_empty(&it.id) || it.label.values().any(|label| is_empty(label)))
            .map(|it| {
                format!("the id or a label of the relation from {:?} to {:?}", it.from, it.to)
            })
            .next()
    }
}
