//! What can be wrong with a training set, a setting or a model.

use ontrail_artifact::ArtifactError;

/// Why a classifier could not be trained, read or joined with another.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BcwError {
    /// A setting has a value that it cannot have.
    #[error("{setting} is {value}; {allowed}")]
    Setting {
        /// Which setting.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// A feature that there is not.
    #[error("no feature is called `{0}`; there are words, pairs and c1 to c8, joined by commas")]
    UnknownFeature(String),
    /// Fewer than two classes.
    #[error("{found}; a classifier needs documents of two classes at least")]
    Classes {
        /// What was found instead.
        found: String,
    },
    /// A class without a document, or without a word.
    #[error("the class `{label}` {reason}; take it out or give it documents")]
    EmptyClass {
        /// The class.
        label: String,
        /// What it lacks.
        reason: &'static str,
    },
    /// A name that no class can have: tables of results could not be read.
    #[error("its label {label:?} {reason}")]
    Label {
        /// The name.
        label: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// More classes than can be numbered.
    #[error("there are more than {most} classes; is the column of labels the right one?")]
    TooManyClasses {
        /// The most there may be.
        most: usize,
    },
    /// A prior for a class that there is not, or none for one that there is.
    #[error("priors: {0}")]
    Priors(String),
    /// Nothing is left of the features.
    #[error("no feature is left: {0}")]
    NoFeatures(String),
    /// Too few documents to choose by.
    #[error(
        "no class has five documents, so none can be held out to choose a model by; add documents, or name \
         mode and features"
    )]
    TooFew,
    /// Two models that cannot be joined.
    #[error("the models cannot be joined: {0}")]
    Unlike(String),
    /// A model that keeps nothing to build on.
    #[error(
        "this model was trained with --final and keeps nothing to add to; train again on all \
         documents, or leave --final out"
    )]
    Final,
    /// Records and labels that do not fit.
    #[error("{documents} documents, but {labels} labels")]
    Lengths {
        /// How many documents.
        documents: usize,
        /// How many labels.
        labels: usize,
    },
    /// A file of a bundle that does not hold what it should.
    #[error("{file}: {reason}; the bundle is damaged, copy it whole or train it again")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system or the format.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// What linfa or linfa-bayes refused.
    #[error("{0}")]
    Linfa(String),
}

impl From<linfa::Error> for BcwError {
    fn from(error: linfa::Error) -> Self {
        Self::Linfa(error.to_string())
    }
}
