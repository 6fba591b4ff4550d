//! Makes a topic from an ontology: the Sem-weighted vector `W_T` (eq. 1 and 2 of fcits-oh).

use std::collections::BTreeMap;

use ontrail_taxonomy::{ConceptId, Measure};

use crate::topic::{Origin, Term, Topic, TopicError};

/// Selects the names of concepts that become terms.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The languages to take, compared by the first part of their tags; empty for all.
    pub languages: Vec<String>,
}

impl Names {
    fn takes(&self, language: Option<&str>) -> bool {
        let main = |tag: &str| tag.split('-').next().unwrap_or(tag).to_lowercase();
        match language {
            _ if self.languages.is_empty() => true,
            Some(tag) => self.languages.iter().any(|wanted| main(wanted) == main(tag)),
            None => false,
        }
    }
}

/// Returns the topic `W_T = (Sem(C, t_1), …, Sem(C, t_n))` (eq. 2 of fcits-oh): every name of every
/// concept, in the selected languages, with the similarity of its concept to the topic's concept as
/// its weight.
///
/// A name of several concepts belongs to the one most similar to the topic. A concept without
/// labels is named by the last part of its key. The topic is named after the first name of its
/// concept.
pub fn weigh(
    measure: &dyn Measure,
    concept: ConceptId,
    names: &Names,
) -> Result<Topic, TopicError> {
    let taxonomy = measure.taxonomy();
    let mut terms: BTreeMap<String, ((ConceptId, usize), Term)> = BTreeMap::new();
    for id in taxonomy.ids() {
        let weight = measure.similarity(concept, id);
        for (order, (text, language)) in taxonomy.names(id).into_iter().enumerate() {
            if !names.takes(language) || text.trim().is_empty() {
                continue;
            }
            let term = Term {
                term: text.trim().to_owned(),
                weight,
                language: language.map(str::to_owned),
                concept: Some(taxonomy.concept(id).key.clone()),
            };
            let known = terms.get(&term.term).map(|(_, known)| known.weight);
            if known.is_none_or(|known| known < weight) {
                // Terms of equal weight are listed in the order of the ontology and its labels.
                terms.insert(term.term.clone(), ((id, order), term));
            }
        }
    }
    let mut terms: Vec<((ConceptId, usize), Term)> = terms.into_values().collect();
    terms.sort_by_key(|&(place, _)| place);
    let own = taxonomy.names(concept);
    let name = own.iter().find(|(_, language)| names.takes(*language)).or_else(|| own.first());
    let name = name.map_or("", |(name, _)| name);
    Topic::new(name, Origin::Ontology, terms.into_iter().map(|(_, term)| term).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ontrail_taxonomy::{Label, Sem, TaxonomyBuilder};

    use super::*;

    /// 1 above 2 and 3; 2 above 4. With labels in two languages, a synonym, and a name that two
    /// concepts share. Returns the measure and concept 1.
    fn sample() -> (Sem, ConceptId) {
        let mut builder = TaxonomyBuilder::new();
        let [one, two, three, four] =
            ["x:one", "x:two", "x:HighWater", "x:four"].map(|key| builder.concept(key));
        builder.is_a(two, one);
        builder.is_a(three, one);
        builder.is_a(four, two);
        builder.label(one, Label::preferred("灾害", Some("zh")));
        builder.label(one, Label::preferred("disaster", Some("en")));
        builder.label(two, Label::preferred("洪涝", Some("zh-Hans")));
        builder.label(two, Label::synonym("洪水", Some("zh")));
        builder.label(four, Label::preferred("洪水", Some("zh")));
        builder.label(four, Label::preferred("flash flood", Some("en")));
        (Sem::with_defaults(Arc::new(builder.finish().unwrap())), one)
    }

    fn weights(topic: &Topic) -> Vec<(&str, f64)> {
        topic.terms.iter().map(|term| (term.term.as_str(), term.weight)).collect()
    }

    /// Sem(1,2) = Sem(1,3) = ⅕ (½ + 1 + ½ (3/9 + ⅓) + ½ + ½) with H = 3 and maxchild = 2;
    /// Sem(1,4) = ⅕ (⅕ + 1 + ½ (4/10 + ⅓) + ⅓ + ½).
    #[test]
    fn eq_2_of_fcits_oh() {
        let (sem, concept) = sample();
        let topic = weigh(&sem, concept, &Names::default()).unwrap();
        assert_eq!(topic.name, "灾害");
        let expected = [
            ("灾害", 1.0),
            ("disaster", 1.0),
            ("洪涝", 0.566_667),
            ("洪水", 0.566_667),
            ("High Water", 0.566_667),
            ("flash flood", 0.48),
        ];
        assert_eq!(weights(&topic), expected);
        assert_eq!(topic.terms[3].concept.as_deref(), Some("x:two"));
    }

    #[test]
    fn languages_can_be_chosen() {
        let names = Names { languages: vec!["en".to_owned()] };
        let (sem, concept) = sample();
        let topic = weigh(&sem, concept, &names).unwrap();
        assert_eq!(weights(&topic), [("disaster", 1.0), ("flash flood", 0.48)]);
        let none = Names { languages: vec!["fr".to_owned()] };
        assert!(matches!(weigh(&sem, concept, &none), Err(TopicError::NoTerms(_))));
    }
}
