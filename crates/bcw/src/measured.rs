//! Evaluations with the names of their classes, as they are shown and stored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ontrail_artifact::{ArtifactError, Destination, Format, Provenance, read_json, write_json};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::classifier::OTHER;
use crate::evaluate::{Evaluation, Figures};

/// The artifact format of an evaluation's figures.
pub const EVALUATION: Format =
    Format { kind: "evaluation", version: 1, oldest: 1, rebuild: "ontrail bcw eval" };

/// An evaluation with its description.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The classifier and the data that were evaluated, in a few words.
    pub what: String,
    /// A description of the classifier's training.
    pub settings: String,
    /// The names of the classes, in the order of their numbers.
    pub classes: Vec<String>,
    /// The results of the classifier.
    pub evaluation: Evaluation,
    /// The results of the baseline, if it was evaluated.
    pub baseline: Option<Evaluation>,
}

/// A confusion matrix with names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    /// The true classes.
    pub classes: Vec<String>,
    /// The answers: first the classes in their order.
    pub answers: Vec<String>,
    /// Number of documents by true class and answer.
    pub counts: Vec<Vec<u64>>,
}

impl Measured {
    /// Returns the true classes. "Other" is included only if there were such documents.
    #[must_use]
    pub fn rows(&self) -> Vec<&str> {
        let supports = self.evaluation.confusion().rows();
        let has_other = supports.into_iter().next_back().is_some_and(|row| row.sum() > 0);
        self.classes.iter().map(String::as_str).chain(has_other.then_some("(other)")).collect()
    }

    /// Returns the answers. "Other" is included only if it is a true class or was an answer.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        let has_other = self.rows().len() > self.classes.len() || self.evaluation.others() > 0;
        self.classes.iter().map(String::as_str).chain(has_other.then_some("(other)")).collect()
    }

    /// Returns the confusion matrix of these classes and answers.
    #[must_use]
    pub fn confusion(&self) -> Confusion {
        let (classes, answers) = (self.rows(), self.columns());
        let counts = self.evaluation.confusion();
        let row = |row| (0..answers.len()).map(|column| counts[[row, column]]).collect();
        Confusion {
            counts: (0..classes.len()).map(row).collect(),
            classes: classes.into_iter().map(str::to_owned).collect(),
            answers: answers.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Returns the figures as JSON, for other programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let evaluation = &self.evaluation;
        let names: Vec<&str> = self.classes.iter().map(String::as_str).chain([OTHER]).collect();
        let rows = self.rows().len();
        let figures = names[..rows].iter().zip(evaluation.figures());
        let classes: Map<String, Value> =
            figures.map(|(name, figures)| ((*name).to_owned(), json!(figures))).collect();
        let row = |truth: usize| -> Map<String, Value> {
            let answers = names.iter().enumerate();
            let answers =
                answers.map(|(answer, name)| (*name, evaluation.confusion()[[truth, answer]]));
            let met = answers.filter(|&(_, number)| number > 0);
            met.map(|(name, number)| (name.to_owned(), json!(number))).collect()
        };
        let confusion = names[..rows].iter().enumerate();
        let confusion: Map<String, Value> =
            confusion.map(|(truth, class)| ((*class).to_owned(), row(truth).into())).collect();
        let mut all = json!({
            "what": self.what,
            "accuracy": evaluation.accuracy(),
            "macro_f1": evaluation.macro_f1(),
            "documents": evaluation.documents(),
            "classes": classes,
            "confusion": confusion,
            "log_loss": evaluation.log_loss(),
            "calibration_error": evaluation.calibration_error(),
            "other": evaluation.others(),
            "without_known_words": evaluation.without_known_words,
        });
        if let Some(baseline) = &self.baseline {
            all["baseline"] =
                json!({ "accuracy": baseline.accuracy(), "macro_f1": baseline.macro_f1() });
        }
        all
    }

    /// Writes the figures to a file.
    pub fn write<'a>(
        &self,
        to: impl Into<Destination<'a>>,
        provenance: &Provenance,
    ) -> Result<(), ArtifactError> {
        write_json(to, &EVALUATION, provenance, &self.to_json())
    }
}

/// An evaluation read from a file, to be shown again. The file has more fields than these.
#[derive(Debug, Clone, Deserialize)]
pub struct Evaluated {
    /// The classifier and the data that were evaluated.
    pub what: String,
    /// Share of documents that got the right answer.
    pub accuracy: f64,
    /// Mean F1 of the classes.
    pub macro_f1: f64,
    /// Number of documents.
    pub documents: u64,
    /// Expected calibration error.
    pub calibration_error: f64,
    /// The results for each class.
    pub classes: BTreeMap<String, Figures>,
    confusion: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Evaluated {
    /// Reads a file that [`Measured::write`] wrote.
    pub fn read(path: &Path) -> Result<Self, ArtifactError> {
        Ok(read_json(path, &EVALUATION)?.1)
    }

    /// Returns the confusion matrix.
    #[must_use]
    pub fn confusion(&self) -> Confusion {
        let classes: Vec<&String> = self.confusion.keys().collect();
        let given = self.confusion.values().flat_map(BTreeMap::keys);
        // A class that was never an answer gets a column too.
        let others: BTreeSet<&String> = given.filter(|answer| !classes.contains(answer)).collect();
        let answers: Vec<&String> = classes.iter().copied().chain(others).collect();
        let row = |counts: &BTreeMap<String, u64>| {
            answers.iter().map(|answer| counts.get(*answer).copied().unwrap_or(0)).collect()
        };
        Confusion {
            counts: self.confusion.values().map(row).collect(),
            classes: classes.into_iter().cloned().collect(),
            answers: answers.into_iter().cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_evaluation_is_read_and_other_is_shown_only_if_it_occurs() {
        let mut evaluation = Evaluation::new(2);
        evaluation.add_answer(0, 0);
        evaluation.add_answer(0, 1);
        evaluation.add_answer(1, 1);
        let classes = vec!["a".to_owned(), "b".to_owned()];
        let (what, settings) = ("a model on data".to_owned(), String::new());
        let mut measured = Measured { what, settings, classes, evaluation, baseline: None };
        assert_eq!((measured.rows(), measured.columns()), (vec!["a", "b"], vec!["a", "b"]));
        measured.evaluation.add_answer(1, 2);
        assert_eq!(measured.columns(), ["a", "b", "(other)"]);
        assert_eq!(measured.confusion().counts, [vec![1, 1, 0], vec![0, 1, 1]]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("evaluation.json");
        measured.write(&path, &Provenance::of_this_process("a test")).unwrap();
        let read = Evaluated::read(&path).unwrap();
        assert_eq!((read.documents, read.classes["b"].support), (4, 2));
        assert_eq!(read.confusion().answers, ["a", "b", OTHER]);
        assert_eq!(read.confusion().counts, [vec![1, 1, 0], vec![0, 1, 1]]);
    }
}
