//! Where the meanings of words come from: WordNet, or an ontology.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use ontrail_taxonomy::{ConceptId, Measure, MeasureKind, Taxonomy, WordNet};

use crate::sem::SemArgs;

/// Where meanings come from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Meanings")]
pub(crate) struct MeaningArgs {
    /// The folder of WordNet's files (data.noun, index.noun) [default: /usr/share/wordnet]
    #[arg(long, value_name = "DIR", conflicts_with = "ontology")]
    wordnet: Option<PathBuf>,
    /// An ontology instead of WordNet
    #[arg(long, value_name = "FILE")]
    ontology: Option<PathBuf>,
    #[command(flatten)]
    sem: SemArgs,
}

/// A taxonomy and where it came from.
pub(crate) struct Meanings {
    pub(crate) taxonomy: Arc<Taxonomy>,
    pub(crate) wordnet: Option<WordNet>,
    pub(crate) source: String,
}

impl Meanings {
    /// What a concept is called by a word that leads to it, where words have numbered senses.
    pub(crate) fn called(&self, word: &str, id: ConceptId) -> Option<String> {
        let wordnet = self.wordnet.as_ref()?;
        let word = word.rsplit_once('#').map_or(word, |(word, _)| word);
        wordnet.base_forms(word).iter().find_map(|form| wordnet.sense_name(form, id))
    }
}

impl MeaningArgs {
    /// The option that names a source of meanings, if there is one.
    pub(crate) fn option(&self) -> Option<&'static str> {
        let ontology = self.ontology.as_ref().map(|_| "--ontology");
        ontology.or(self.wordnet.as_ref().map(|_| "--wordnet"))
    }

    /// Refuses settings that a measure cannot have, before meanings are read.
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

    /// A measure over a taxonomy, Sem with the settings given.
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
