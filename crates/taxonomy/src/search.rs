//! Finding a concept by what a person calls it.

use crate::taxonomy::{ConceptId, Taxonomy};

/// How many names are suggested for one that is not there.
const SUGGESTIONS: usize = 5;
/// The longest name for which others like it are looked for, in characters.
const LONGEST_NAME: usize = 200;

/// Why a name leads to no concept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// No concept has it.
    #[error("there is no concept {name:?}{}", suggestion(nearest, *is_near))]
    None {
        /// The name.
        name: String,
        /// Names that are like it, the most alike first; or some of those that there are.
        nearest: Vec<String>,
        /// Whether they are like it.
        is_near: bool,
    },
    /// Several have it.
    #[error("{name:?} is a name of several concepts; name one by its IRI or key: {}", keys.join(", "))]
    Several {
        /// The name.
        name: String,
        /// The keys of those that have it.
        keys: Vec<String>,
    },
}

fn suggestion(names: &[String], are_near: bool) -> String {
    match (names, are_near) {
        ([], _) => String::new(),
        (names, true) => format!("; the nearest names are {}", names.join(", ")),
        (names, false) => format!("; there are, for instance, {}", names.join(", ")),
    }
}

impl Taxonomy {
    /// The concept that a person means: by its key, by the last part of its key, or by a label,
    /// whatever its case.
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
                let some =
                    || (0..self.len().min(SUGGESTIONS)).map(|id| self.name(id, "").to_owned());
                let nearest = if is_near { near } else { some().collect() };
                Err(SearchError::None { name: name.to_owned(), nearest, is_near })
            }
            several => Err(SearchError::Several {
                name: name.to_owned(),
                keys: several.iter().map(|&id| self.concept(id).key.clone()).collect(),
            }),
        }
    }

    fn with_name(&self, wanted: &str, counts: impl Fn(&crate::Label) -> bool) -> Vec<ConceptId> {
        let has_it = |&id: &ConceptId| {
            let concept = self.concept(id);
            let mut labels = concept.labels.iter().filter(|label| counts(label));
            labels.any(|label| folded(&label.text) == wanted)
                || folded(local_name(&concept.key)) == wanted
        };
        (0..self.len()).filter(has_it).collect()
    }

    /// The names most like one that is not there.
    fn nearest(&self, wanted: &str) -> Vec<String> {
        if wanted.is_empty() || wanted.chars().nth(LONGEST_NAME).is_some() {
            return Vec::new();
        }
        let mut scored: Vec<(f64, &str)> = Vec::new();
        for id in 0..self.len() {
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
        // Ties stay in the order of the taxonomy, labels before keys.
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

/// How alike two names are, from 0 to 1. One within the other is alike.
fn likeness(a: &str, b: &str) -> f64 {
    let alike = strsim::normalized_damerau_levenshtein(a, b);
    let is_within = !b.is_empty() && (a.contains(b) || b.contains(a));
    if is_within { alike.max(0.6) } else { alike }
}

/// A name without what does not tell it from others: case, and how words are joined.
pub(crate) fn folded(name: &str) -> String {
    let spaced = name.replace('_', " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last part of a key that is an IRI; another key as it is.
pub(crate) fn local_name(key: &str) -> &str {
    if !key.contains(':') {
        return key;
    }
    let name = key.trim_end_matches(['#', '/', ':']).rsplit(['#', '/', ':']).next();
    name.filter(|name| !name.is_empty()).unwrap_or(key)
}

/// The words of a name that is written as one: `FlashFlood`, `flash_flood` and `flash-flood` alike.
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
    fn concepts_are_found_by_key_label_and_last_part() {
        let taxonomy = sample();
        for name in ["http://ontrail.example/rain#Flood", "Flood", "FLOOD", " 洪涝 "] {
            assert_eq!(taxonomy.search(name), Ok(1), "{name}");
        }
    }

    #[test]
    fn names_that_are_not_there_lead_to_those_that_are() {
        let taxonomy = sample();
        let error = |name: &str| taxonomy.search(name).unwrap_err().to_string();
        assert_eq!(
            error("暴雨预"),
            "there is no concept \"暴雨预\"; the nearest names are 暴雨预警, 暴雨"
        );
        assert_eq!(
            error("rainstrom"),
            "there is no concept \"rainstrom\"; the nearest names are rainstorm"
        );
        assert_eq!(
            error("量子"),
            "there is no concept \"量子\"; there are, for instance, 暴雨, 洪涝, 暴雨预警"
        );
        let nothing = TaxonomyBuilder::new().finish().unwrap();
        let error = nothing.search("").unwrap_err().to_string();
        assert_eq!(error, "there is no concept \"\"");
    }

    #[test]
    fn keys_become_names_where_there_is_no_label() {
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
        assert_eq!(taxonomy.name(0, "en"), "FlashFlood");
        assert_eq!(taxonomy.search("storm"), Ok(1));
    }

    #[test]
    fn a_name_of_several_concepts_is_not_guessed_at() {
        let mut builder = TaxonomyBuilder::new();
        for key in ["x:bank1", "x:bank2"] {
            let id = builder.concept(key);
            builder.label(id, Label::preferred("bank", Some("en")));
        }
        let error = builder.finish().unwrap().search("Bank").unwrap_err().to_string();
        assert_eq!(
            error,
            "\"Bank\" is a name of several concepts; name one by its IRI or key: x:bank1, x:bank2"
        );
    }
}
