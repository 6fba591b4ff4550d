//! Errors of training sets, settings and models.

use ontrail_artifact::ArtifactError;

/// An error in training, reading or joining classifiers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BcwError {
    /// A setting has an invalid value.
    #[error("{setting} is {value}; {allowed}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: String,
        /// The allowed values.
        allowed: &'static str,
    },
    /// A feature that does not exist.
    #[error("unknown feature `{0}`; use words, pairs and c1 to c8, separated by commas")]
    UnknownFeature(String),
    /// Fewer than two classes.
    #[error("{found}; a classifier needs documents of at least two classes")]
    Classes {
        /// A description of the classes found.
        found: String,
    },
    /// A class without documents, or without words.
    #[error("the class `{label}` {reason}; remove it or add documents")]
    EmptyClass {
        /// The class.
        label: String,
        /// The reason: it has no documents or no words.
        reason: &'static str,
    },
    /// A name that a class cannot have, because it would break tables of results.
    #[error("the label {label:?} {reason}")]
    Label {
        /// The name.
        label: String,
        /// The problem with it.
        reason: &'static str,
    },
    /// More classes than can be numbered.
    #[error("there are more than {most} classes; check that the labels are in the right column")]
    TooManyClasses {
        /// The largest possible number of classes.
        most: usize,
    },
    /// A prior for an unknown class, or a class without a prior.
    #[error("priors: {0}")]
    Priors(String),
    /// No features are left.
    #[error("no feature is left: {0}")]
    NoFeatures(String),
    /// Too few documents to choose a model.
    #[error(
        "no class has five documents, so no documents can be held out to choose a model; add \
         documents, or specify the mode and the features"
    )]
    TooFew,
    /// Two models that cannot be joined.
    #[error("the models cannot be joined: {0}")]
    Unlike(String),
    /// A model that does not keep its training data.
    #[error(
        "this model was trained with --final and cannot be updated; train a new model on all \
         documents, or train this model again without --final"
    )]
    Final,
    /// The numbers of records and labels differ.
    #[error("{documents} documents, but {labels} labels")]
    Lengths {
        /// Number of documents.
        documents: usize,
        /// Number of labels.
        labels: usize,
    },
    /// A file of a bundle with invalid content.
    #[error("{file}: {reason}; the bundle is damaged: copy it again, or train a new model")]
    Damaged {
        /// The file.
        file: String,
        /// The problem with it.
        reason: String,
    },
    /// An error of the file system or of the artifact format.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// An error of linfa or linfa-bayes.
    #[error("{0}")]
    Linfa(String),
}

impl From<linfa::Error> for BcwError {
    fn from(error: linfa::Error) -> Self {
        Self::Linfa(error.to_string())
    }
}
