//! The documents that a classifier gets wrong, with the words that mislead it.

use serde::Serialize;

use crate::classifier::{Classifier, OTHER, Reason};
use crate::data::Labelled;

/// Number of words to name for a mistake.
const REASONS: usize = 6;
/// Number of characters of a text to show.
const SHOWN: usize = 80;

/// A document with a wrong answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mistake {
    /// The document's ID in its dataset.
    pub document: String,
    /// The beginning of its text.
    pub text: String,
    /// Its true class, or "other".
    pub class: String,
    /// The answer: a class, or "other".
    pub answer: String,
    /// The posterior of the likeliest class.
    pub posterior: f64,
    /// The features that speak most for the likeliest class and against the true one. There are
    /// none if the likeliest class is the true one and the answer is "other".
    pub reasons: Vec<Reason>,
}

/// The mistakes with the highest posteriors, at most a given number of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mistakes {
    most: usize,
    listed: Vec<Mistake>,
}

impl Mistakes {
    /// Returns an empty list for `most` mistakes.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, listed: Vec::new() }
    }

    /// Returns the mistakes, those with the highest posterior first.
    #[must_use]
    pub fn list(&self) -> &[Mistake] {
        &self.listed
    }

    /// Adds documents with wrong answers: the posterior of the likeliest class, and the place in
    /// `documents`.
    pub(crate) fn note(
        &mut self,
        classifier: &Classifier,
        documents: &[Labelled],
        mut wrong: Vec<(f64, usize)>,
    ) {
        wrong.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        wrong.truncate(self.most);
        let analyzer = Classifier::analyzer();
        let mut predictor = classifier.predictor(&analyzer);
        for (posterior, place) in wrong {
            let document = &documents[place];
            let truth = classifier.class_number(&document.label);
            let (prediction, reasons) =
                predictor.explain_against(&document.passages, truth, REASONS);
            let answer =
                if prediction.is_other { OTHER } else { classifier.class(prediction.class) };
            self.listed.push(Mistake {
                document: document.id.clone(),
                text: beginning(document.passages.text()),
                class: document.label.clone(),
                answer: answer.to_owned(),
                posterior,
                reasons: if truth == Some(prediction.class) { Vec::new() } else { reasons },
            });
        }
        // The sort is stable: mistakes with equal posteriors stay in the order of the documents.
        self.listed.sort_by(|a, b| b.posterior.total_cmp(&a.posterior));
        self.listed.truncate(self.most);
    }
}

/// Returns the beginning of a text on one line.
fn beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(SHOWN).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_on_one_line() {
        assert_eq!(beginning(" 暴雨\n\n预警 "), "暴雨 预警");
        let cut = beginning(&"雨".repeat(100));
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (SHOWN + 1, true));
    }
}
