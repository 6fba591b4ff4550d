//! Opens and loads datasets.

use std::path::{Path, PathBuf};

use crate::document::Document;
use crate::error::{BadRow, CorpusError};
use crate::info::{Data, FILE_NAME, Info};
use crate::source::{self, Documents};
use crate::split::stratified;

/// Maximum number of bad rows that are kept as examples; the rest are only counted.
const MAX_EXAMPLES: usize = 10;

/// A dataset on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    path: PathBuf,
    info: Option<Info>,
    /// Each file or folder of documents, with the part of the dataset that it holds.
    places: Vec<(Option<String>, PathBuf, Data)>,
}

/// A dataset in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The documents, in order.
    pub documents: Vec<Document>,
    /// The bad rows that were skipped.
    pub skipped: Skipped,
}

/// Bad rows that were skipped.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Skipped {
    /// Number of skipped rows.
    pub count: usize,
    /// The first ten of them.
    pub examples: Vec<BadRow>,
}

impl Dataset {
    /// Opens the dataset at `path`. Reads nothing yet except a `dataset.toml`.
    pub fn open(path: &Path) -> Result<Self, CorpusError> {
        let info_path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        let is_described = info_path.file_name().is_some_and(|name| name == FILE_NAME);
        if !is_described || !info_path.exists() {
            std::fs::metadata(path).map_err(CorpusError::io(path))?;
            let places = vec![(None, path.to_owned(), Data::default())];
            return Ok(Self { path: path.to_owned(), info: None, places });
        }
        let info = Info::read(&info_path)?;
        let root = info_path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let root = root.unwrap_or(Path::new("."));
        let places = if info.parts.is_empty() {
            let data = info.data.path.clone().unwrap_or_default();
            vec![(None, root.join(data), info.data.clone())]
        } else {
            let place = |(part, file): (&String, &PathBuf)| {
                (Some(part.clone()), root.join(file), info.data.clone())
            };
            info.parts.iter().map(place).collect()
        };
        Ok(Self { path: path.to_owned(), info: Some(info), places })
    }

    /// Returns the path that was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content of its `dataset.toml`, if it has one.
    #[must_use]
    pub fn info(&self) -> Option<&Info> {
        self.info.as_ref()
    }

    /// Returns its name: the one in its `dataset.toml`, or else that of its file or folder.
    #[must_use]
    pub fn name(&self) -> String {
        let of_path = || self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.info.as_ref().map_or_else(of_path, |info| info.name.clone())
    }

    /// Returns an iterator over its documents.
    pub fn documents(&self) -> Result<Documents, CorpusError> {
        let mut all: Documents = Box::new(std::iter::empty());
        for (part, path, data) in &self.places {
            let opened = source::open(path, data)?;
            let part = part.clone();
            let with_part = opened.map(move |document| {
                document.map(|document| match &part {
                    Some(_) => Document { part: part.clone(), ..document },
                    None => document,
                })
            });
            all = Box::new(all.chain(with_part));
        }
        Ok(all)
    }

    /// Reads all documents into memory, and splits them into parts if the `dataset.toml` asks for
    /// it. With `skip_bad`, bad rows are counted and skipped; otherwise the first one is an error.
    pub fn load(&self, skip_bad: bool) -> Result<Loaded, CorpusError> {
        let mut documents = Vec::new();
        let mut skipped = Skipped::default();
        for document in self.documents()? {
            match document {
                Ok(document) => documents.push(document),
                Err(CorpusError::Row(row)) if skip_bad => {
                    skipped.count += 1;
                    if skipped.examples.len() < MAX_EXAMPLES {
                        skipped.examples.push(row);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if documents.is_empty() {
            return Err(match skipped.examples.into_iter().next() {
                Some(first) => CorpusError::AllBad { count: skipped.count, first },
                None => CorpusError::Empty { path: self.path.clone() },
            });
        }
        self.apply_split(&mut documents);
        Ok(Loaded { documents, skipped })
    }

    fn apply_split(&self, documents: &mut [Document]) {
        let Some(split) = self.info.as_ref().and_then(|info| info.split.as_ref()) else { return };
        if documents.iter().any(|document| document.part.is_some()) {
            return;
        }
        let (names, shares): (Vec<_>, Vec<_>) =
            split.parts.iter().map(|(name, share)| (name.clone(), *share)).unzip();
        let labels = documents.iter().map(|document| document.label.as_deref());
        let parts = stratified(labels, &shares, split.seed);
        for (document, part) in documents.iter_mut().zip(parts) {
            document.part = Some(names[part].clone());
        }
    }
}
