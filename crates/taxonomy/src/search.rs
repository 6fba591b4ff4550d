//! Finds a concept by the name that a person types.

use crate::taxonomy::{ConceptId, Taxonomy};

/// Number of names suggested when no concept has the given one.
const SUGGESTIONS: usize = 5;
/// Greatest length, in characters, of a name for which similar names are searched.
const LONGEST_NAME: usize = 200;

/// Error for a name that does not identify one concept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// No concept has the name.
    #[error("no concept is called {name:?}{}", suggestion(nearest, *is_near))]
    None {
        /// The name searched for.
        name: String,
        /// Similar names, the most similar first; if there are none, a few other names.
        nearest: Vec<String>,
        /// True if `nearest` holds similar names.
        is_near: bool,
    },
    /// Several concepts have the name.
    #[error(
        "{name:?} is a name of several concepts; give the IRI or key of one: {}",
        keys.join(", ")
    )]
    Several {
        /// The name searched for.
        name: String,
        /// The keys of the concepts that have the name.
        keys: Vec<String>,
    },
}

fn suggestion(names: &[String], are_near: bool) -> String {
    match (names, are_near) {
        ([], _) => String::new(),
        (names, true) => format!("; similar names: {}", names.join(", ")),
        (names, false) => format!("; some names that exist: {}", names.join(", ")),
    }
}

impl Taxonomy {
    /// Finds a concept by its key, the last part of its key, or a label, ignoring case.
    pub fn search(&self, name: &str) -> Result<ConceptId, SearchError> {
        if let Some(id) = self.find(name) {
            return Ok(id);
        }
        let wanted = folded(name);
        let mut found = self.with_name(&wanted, |label| label.is_preferred);
        if found.is_empty() {
            found = self.with_name(&wanted, |_| true);
        }
        match found.as_slice() {
            [id] => Ok(*id),
            [] => {
                let near = self.nearest(&wanted);
                let is_near = !near.is_empty();
                let examples =
                    || self.ids().take(SUGGESTIONS).map(|id| self.name(id, "").to_owned());
                let nearest = if is_near { near } else { examples().collect() };
                Err(SearchError::None { name: name.to_owned(), nearest, is_near })
            }
            several => Err(SearchError::Several {
                name: name.to_owned(),
                keys: several.iter().map(|&id| self.concept(id).key.clone()).collect(),
            }),
        }
    }

    fn with_name(&self, wanted: &str, counts: impl Fn(&crate::Label) -> bool) -> Vec<ConceptId> {
        let has_name = |&id: &ConceptId| {
            let concept = self.concept(id);
            let mut labels = concept.labels.iter().filter(|label| counts(label));
            labels.any(|label| folded(&label.text) == wanted)
                || folded(local_name(&concept.key)) == wanted
        };
        self.ids().filter(has_name).collect()
    }

    /// Returns the names most similar to one that no concept has.
    fn nearest(&self, wanted: &str) -> Vec<String> {
        if wanted.is_empty() || wanted.chars().nth(LONGEST_NAME).is_some() {
            return Vec::new();
        }
        let mut scored: Vec<(f64, &str)> = Vec::new();
        for id in self.ids() {
            let concept = self.concept(id);
            let labels = concept.labels.iter().map(|label| label.text.as_str());
            for name in labels.chain([local_name(&concept.key)]) {
                if name.len() > 4 * LONGEST_NAME {
                    continue;
                }
                let likeness = likeness(wanted, &folded(name));
                if likeness > 0.4 {
                    scored.push((likeness, name));
                }
            }
        }
        // The sort is stable: ties stay in the order of the taxonomy, labels before keys.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut names: Vec<String> = Vec::new();
        for (_, name) in scored {
            if !names.iter().any(|known| folded(known) == folded(name)) {
                names.push(name.to_owned());
            }
            if names.len() == SUGGESTIONS {
                break;
            }
        }
        names
    }
}

/// Returns the similarity of two names, from 0 to 1; at least 0.6 if one contains the other.
fn likeness(a: &str, b: &str) -> f64 {
    let alike = strsim::normalized_damerau_levenshtein(a, b);
    let is_within = !b.is_empty() && (a.contains(b) || b.contains(a));
    if is_within { alike.max(0.6) } else { alike }
}

/// Normalises a name for comparison: lower case, words joined by single spaces.
pub(crate) fn folded(name: &str) -> String {
    let spaced = name.replace('_', " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the last part of a key that is an IRI, and any other key unchanged.
pub(crate) fn local_name(key: &str) -> &str {
    if !key.contains(':') {
        return key;
    }
    let name = key.trim_end_matches(['#', '/', ':']).rsplit(['#', '/', ':']).next();
    name.filter(|name| !name.is_empty()).unwrap_or(key)
}

/// Splits a compound name such as `FlashFlood`, `flash_flood` or `flash-flood` into words.
pub(crate) fn words_of(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for c in name.chars() {
        let c = if c == '_' || c == '-' { ' ' } else { c };
        if c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            words.push(' ');
        }
        words.push(c);
        before = c;
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::{Label, Taxonomy, TaxonomyBuilder};

    fn sample() -> Taxonomy {
        let mut builder = TaxonomyBuilder::new();
        let names = [("Rainstorm", "暴雨", "rainstorm"), ("Flood", "洪涝", "flood")];
        for (key, chinese, english) in names {
            let id = builder.concept(&format!("http://ontrail.example/rain#{key}"));
            builder.label(id, Label::preferred(chinese, Some("zh")));
            builder.label(id, Label::preferred(english, Some("en")));
        }
        let warning = builder.concept("http://ontrail.example/rain#Warning");
        builder.label(warning, Label::preferred("暴雨预警", Some("zh")));
        builder.label(warning, Label::synonym("洪涝", Some("zh")));
        builder.finish().unwrap()
    }

    #[test]
    fn concepts_are_found_by_key_label_and_last_part_of_the_key() {
        let taxonomy = sample();
        for name in ["http://ontrail.example/rain#Flood", "Flood", "FLOOD", " 洪涝 "] {
            assert_eq!(taxonomy.search(name).unwrap().index(), 1, "{name}");
        }
    }

    #[test]
    fn an_unknown_name_gets_suggestions() {
        let taxonomy = sample();
        let error = |name: &str| taxonomy.search(name).unwrap_err().to_string();
        assert_eq!(
            error("暴雨预"),
            "no concept is called \"暴雨预\"; similar names: 暴雨预警, 暴雨"
        );
        assert_eq!(
            error("rainstrom"),
            "no concept is called \"rainstrom\"; similar names: rainstorm"
        );
        assert_eq!(
            error("量子"),
            "no concept is called \"量子\"; some names that exist: 暴雨, 洪涝, 暴雨预警"
        );
        let nothing = TaxonomyBuilder::new().finish().unwrap();
        let error = nothing.search("").unwrap_err().to_string();
        assert_eq!(error, "no concept is called \"\"");
    }

    #[test]
    fn a_concept_without_labels_is_named_by_its_key() {
        let mut builder = TaxonomyBuilder::new();
        let keys = [
            "http://x/#FlashFlood",
            "http://x/Storm/",
            "http://x/heavy_rain",
            "plain",
            "x:GDP2024Q3",
        ];
        let ids = keys.map(|key| builder.concept(key));
        let taxonomy = builder.finish().unwrap();
        let names = ids.map(|id| taxonomy.names(id)[0].0.clone().into_owned());
        assert_eq!(names, ["Flash Flood", "Storm", "heavy rain", "plain", "GDP2024 Q3"]);
        assert_eq!(taxonomy.name(ids[0], "en"), "FlashFlood");
        assert_eq!(taxonomy.search("storm"), Ok(ids[1]));
    }

    #[test]
    fn an_ambiguous_name_is_refused() {
        let mut builder = TaxonomyBuilder::new();
        for key in ["x:bank1", "x:bank2"] {
            let id = builder.concept(key);
            builder.label(id, Label::preferred("bank", Some("en")));
        }
        let error = builder.finish().unwrap().search("Bank").unwrap_err().to_string();
        assert_eq!(
            error,
            "\"Bank\" is a name of several concepts; give the IRI or key of one: x:bank1, x:bank2"
        );
    }
}
