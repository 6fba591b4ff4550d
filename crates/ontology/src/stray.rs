//! Terms of overrides that the context does not have, and the terms that were probably meant.

/// Least similarity of a term that is suggested for an unknown one.
const NEAR: f64 = 0.5;
/// Least similarity to a known term at which a new class is probably a misspelt term.
const ALIKE: f64 = 0.75;

/// A term of an override that has no effect, or another one than its author may think.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayTerm {
    /// The field of the override file: `drop`, or `class` for a new class.
    pub field: &'static str,
    /// The term.
    pub term: String,
    /// The most similar term of the context, if there is one.
    pub nearest: Option<String>,
}

impl StrayTerm {
    /// Returns a term to drop that does not exist.
    pub(crate) fn dropped<'a>(term: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let nearest = nearest(term, known, NEAR).map(str::to_owned);
        Self { field: "drop", term: term.to_owned(), nearest }
    }

    /// Returns a new class if it is almost a known term.
    pub(crate) fn added<'a>(term: &str, known: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let nearest = Some(nearest(term, known, ALIKE)?.to_owned());
        Some(Self { field: "class", term: term.to_owned(), nearest })
    }
}

/// Returns a suggestion to add to a message about an unknown term, or nothing.
pub(crate) fn suggestion<'a>(term: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(term, known, NEAR).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

/// Returns the known term that is most similar to a term, the first of several.
fn nearest<'a>(
    term: &str,
    known: impl IntoIterator<Item = &'a str>,
    least: f64,
) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for known in known {
        let alike = strsim::normalized_damerau_levenshtein(term, known);
        if alike >= least && best.is_none_or(|(most, _)| alike > most) {
            best = Some((alike, known));
        }
    }
    best.map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_term_is_suggested_if_it_is_similar_enough() {
        let known = ["暴雨", "台风", "floods"];
        assert_eq!(StrayTerm::dropped("暴鱼", known).nearest.as_deref(), Some("暴雨"));
        assert_eq!(StrayTerm::dropped("地震", known).nearest, None);
        assert_eq!(suggestion("flods", known), "; did you mean \"floods\"?");
        assert_eq!(suggestion("x", known), "");
        // A new class is normal; only an almost known term is suspicious.
        assert_eq!(StrayTerm::added("暴鱼", known), None);
        assert_eq!(StrayTerm::added("flood", known).unwrap().nearest.as_deref(), Some("floods"));
    }
}
