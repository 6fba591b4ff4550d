//! The source of the meanings of words: WordNet or an ontology.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use ontrail_taxonomy::{ConceptId, Measure, MeasureKind, Taxonomy, WordNet};

use crate::sem::SemArgs;

/// The arguments that choose the source of meanings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Source of meanings")]
pub(crate) struct MeaningArgs {
    /// Folder of WordNet's files (data.noun, index.noun) [default: /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// Ontology to use instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    #[command(flatten)]
    sem: SemArgs,
}

/// A taxonomy and its source.
pub(crate) struct Meanings {
    pub(crate) taxonomy: Arc<Taxonomy>,
    pub(crate) wordnet: Option<WordNet>,
    pub(crate) source: String,
}

impl Meanings {
    /// Returns the name of a concept as a numbered sense of a word, such as `cat#2`; `None` without
    /// WordNet.
    pub(crate) fn sense_name(&self, word: &str, id: ConceptId) -> Option<String> {
        let wordnet = self.wordnet.as_ref()?;
        let word = word.rsplit_once('#').map_or(word, |(word, _)| word);
        wordnet.base_forms(word).iter().find_map(|form| wordnet.sense_name(form, id))
    }
}

impl MeaningArgs {
    /// Returns the name of the option that was given, if any.
    pub(crate) fn option(&self) -> Option<&'static str> {
        let ontology = self.ontology.as_ref().map(|_| "--ontology");
        ontology.or(self.wordnet.as_ref().map(|_| "--wordnet"))
    }

    /// Checks the settings of the measures before meanings are read.
    pub(crate) fn check(&self, kinds: &[MeasureKind]) -> Result<()> {
        if kinds.contains(&MeasureKind::Sem) { self.sem.check() } else { Ok(()) }
    }

    pub(crate) fn read(&self) -> Result<Meanings> {
        if let Some(path) = &self.ontology {
            let taxonomy = Arc::new(ontrail_ontology::read(path)?.taxonomy()?);
            return Ok(Meanings { taxonomy, wordnet: None, source: path.display().to_string() });
        }
        let folder = match &self.wordnet {
            Some(folder) => folder.clone(),
            None => WordNet::place()?,
        };
        let wordnet = WordNet::read(&folder)?;
        let taxonomy = Arc::clone(wordnet.taxonomy());
        let source = format!("WordNet in {}", folder.display());
        Ok(Meanings { taxonomy, wordnet: Some(wordnet), source })
    }

    /// Creates a measure for a taxonomy; Sem gets the given settings.
    pub(crate) fn measure(
        &self,
        kind: MeasureKind,
        taxonomy: &Arc<Taxonomy>,
    ) -> Result<Box<dyn Measure>> {
        Ok(match kind {
            MeasureKind::Sem => Box::new(self.sem.over(taxonomy)?),
            kind => kind.over(Arc::clone(taxonomy)),
        })
    }
}
