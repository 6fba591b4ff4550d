//! The plan of an experiment: a file that lists its blocks.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use ontrail_intake::read_text;
use serde::{Deserialize, Serialize};

/// A block as a plan has it. Paths are relative to the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct BlockFile {
    /// What it is called.
    pub(crate) name: String,
    /// The folder of a woven web, or an archive.
    pub(crate) web: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) labels: Option<PathBuf>,
    pub(crate) relevant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seed_urls: Option<PathBuf>,
    #[serde(default)]
    pub(crate) topics: Vec<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) classifier: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sdg: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wordnet: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ontology: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    block: Vec<BlockFile>,
}

/// Reads a plan.
pub(crate) fn read(path: &Path) -> Result<Vec<BlockFile>> {
    let text = read_text(path)?;
    let plan: PlanFile = toml::from_str(&text)
        .map_err(|error| anyhow!("{}: {}", path.display(), error.to_string().trim_end()))?;
    if plan.block.is_empty() {
        bail!("{}: no [[block]] in it", path.display());
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let from = |path: &Path| folder.join(path);
    let resolved = |block: BlockFile| BlockFile {
        web: from(&block.web),
        labels: block.labels.as_deref().map(from),
        seed_urls: block.seed_urls.as_deref().map(from),
        topics: block.topics.iter().map(|path| from(path)).collect(),
        classifier: block.classifier.as_deref().map(from),
        sdg: block.sdg.as_deref().map(from),
        wordnet: block.wordnet.as_deref().map(from),
        ontology: block.ontology.as_deref().map(from),
        ..block
    };
    Ok(plan.block.into_iter().map(resolved).collect())
}
