//! The models that judge the pages of archives, beside the topic.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use ontrail_focus::{ModelFiles, Models};
use ontrail_pilot::Recipe;

/// The models of a judge that uses a classifier.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judge")]
pub(crate) struct JudgeArgs {
    /// Classifier (made by ontrail bcw train): pages are ranked by the probability of a class
    #[arg(long, value_name = "BUNDLE", requires = "by")]
    classifier: Option<PathBuf>,
    /// Class of the topic [default: that of --judge]
    #[arg(long, value_name = "NAME", requires = "classifier", group = "by")]
    class: Option<String>,
    /// Judge that combines topic, classifier and disambiguation graph (made by ontrail crawl
    /// judge): pages are ranked by its P(relevant)
    #[arg(long, value_name = "JUDGE", requires = "classifier", group = "by")]
    judge: Option<PathBuf>,
    /// Disambiguation graph that the judge was fitted with
    #[arg(long, value_name = "GRAPH", requires = "judge")]
    sdg: Option<PathBuf>,
}

impl JudgeArgs {
    /// Returns the files of the models.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        [&self.classifier, &self.judge, &self.sdg].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Reads the models, if pages are to be judged by more than the topic.
    pub(crate) fn read(&self, topic: &Path) -> Result<Option<Models>> {
        if self.classifier.is_none() {
            return Ok(None);
        }
        let kind = if self.judge.is_some() { "both" } else { "classifier" };
        let mut recipe = Recipe::find("ontrail", &[format!("judge.kind={kind:?}")])?;
        if let Some(class) = &self.class {
            recipe.set_class(class);
        }
        let files = ModelFiles {
            topics: vec![topic.to_owned()],
            classifier: self.classifier.clone(),
            sdg: self.sdg.clone(),
            judge: self.judge.clone(),
            ontology: None,
            wordnet: None,
            link_model: None,
        };
        let models = files.read()?;
        let recipe = models.fit(&recipe, &recipe.name, self.class.as_deref())?;
        Ok(Some(models.for_recipe(&recipe)?))
    }
}
