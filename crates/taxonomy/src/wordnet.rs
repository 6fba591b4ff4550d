//! Reads the nouns of WordNet from its own files (`data.noun`, `index.noun`, `noun.exc`). Their
//! format has not changed since version 1.6; versions 3.0 and 3.1 are the ones in use.
//!
//! Each synset becomes a concept. Its key is its first word with the sense number of that word,
//! such as `dog#1`. Hypernyms and instance hypernyms become parents; holonyms become relations.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::builder::TaxonomyBuilder;
use crate::taxonomy::{ConceptId, Label, Taxonomy};

/// The folders in which WordNet's files are searched for. Debian's package `wordnet-base` installs
/// them in the first.
const PLACES: [&str; 4] = [
    "/usr/share/wordnet",
    "/usr/local/share/wordnet",
    "/usr/share/wordnet/dict",
    "/usr/local/WordNet-3.0/dict",
];

/// Plural endings and their singular endings, from the rules of WordNet's own look-up.
const ENDINGS: [(&str, &str); 8] = [
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
];

/// Error while finding or reading WordNet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WordNetError {
    /// No folder holds WordNet's files.
    #[error(
        "cannot find WordNet in any of {}; install Debian's package `wordnet-base`, or give the \
         folder that holds data.noun with --wordnet",
        PLACES.join(", ")
    )]
    NotFound,
    /// Reading a file failed.
    #[error(
        "{path}: cannot read the file; a WordNet folder holds data.noun and index.noun",
        path = path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line is malformed or contradicts another file.
    #[error("{path}: line {line}: {reason}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: usize,
        /// The fault in the line.
        reason: String,
    },
    /// The hierarchy has a cycle.
    #[error("{path}: {cycle}", path = path.display())]
    Cycle {
        /// The file.
        path: PathBuf,
        /// The concepts on the cycle.
        cycle: crate::Cycle,
    },
}

/// The nouns of WordNet.
#[derive(Debug, Clone)]
pub struct WordNet {
    taxonomy: Arc<Taxonomy>,
    /// Irregular plurals and their singular forms.
    exceptions: HashMap<String, Vec<String>, FixedState>,
    /// The offset of each concept in `data.noun`, ascending.
    offsets: Vec<u32>,
    /// The text of `index.noun`, which numbers the senses of each word.
    index: String,
    /// The place of each word's entry in the index, computed when a sense is first looked up.
    entries: OnceLock<HashMap<String, Range<usize>, FixedState>>,
}

/// A line of `data.noun`.
struct Synset<'a> {
    line: usize,
    offset: u32,
    words: Vec<&'a str>,
    pointers: Vec<(&'a str, u32)>,
}

impl WordNet {
    /// Returns the folder in which WordNet is installed on this machine.
    pub fn place() -> Result<PathBuf, WordNetError> {
        let places = PLACES.iter().map(PathBuf::from);
        places.into_iter().find(|it| it.join("data.noun").is_file()).ok_or(WordNetError::NotFound)
    }

    /// Reads the nouns from a folder, or from its subfolder `dict`.
    pub fn read(folder: &Path) -> Result<Self, WordNetError> {
        let inner = folder.join("dict");
        let folder = if inner.join("data.noun").is_file() { &inner } else { folder };
        let path = folder.join("data.noun");
        let data = read(&path)?;
        let synsets = synsets(&path, &data)?;
        let index_path = folder.join("index.noun");
        let index = read(&index_path)?;
        let keys = keys(&index_path, &index, &synsets)?;
        let taxonomy = taxonomy(&path, &synsets, &keys)?;
        // The list of exceptions is optional.
        let exceptions = fs::read(folder.join("noun.exc")).unwrap_or_default();
        let exceptions = exceptions_of(&String::from_utf8_lossy(&exceptions));
        let offsets = synsets.iter().map(|synset| synset.offset).collect();
        let entries = OnceLock::new();
        Ok(Self { taxonomy: Arc::new(taxonomy), exceptions, offsets, index, entries })
    }

    /// Returns the hierarchy.
    #[must_use]
    pub fn taxonomy(&self) -> &Arc<Taxonomy> {
        &self.taxonomy
    }

    /// Finds a sense by a word and its sense number, such as `unit#4`. The key of a concept has
    /// only the first word of its synset; this function accepts any of the words.
    #[must_use]
    pub fn sense(&self, name: &str) -> Option<ConceptId> {
        let (word, number) = name.rsplit_once('#')?;
        let number: usize = number.parse().ok()?;
        let word = crate::search::folded(word).replace(' ', "_");
        let offset = *self.sense_offsets(&word)?.get(number.checked_sub(1)?)?;
        self.offsets.binary_search(&offset).ok().map(ConceptId::new)
    }

    /// Returns the name of a sense by one of its words: for the word "cat", the concept `guy#1` is
    /// `cat#2`.
    #[must_use]
    pub fn sense_name(&self, word: &str, id: ConceptId) -> Option<String> {
        let word = crate::search::folded(word).replace(' ', "_");
        let offset = self.offsets.get(id.index())?;
        let number = self.sense_offsets(&word)?.iter().position(|it| it == offset)?;
        Some(format!("{word}#{}", number + 1))
    }

    /// Returns the offsets of a word's senses, in the order of their numbers.
    fn sense_offsets(&self, word: &str) -> Option<Vec<u32>> {
        let entry = self.entries.get_or_init(|| entries(&self.index)).get(word)?;
        entry_of(&self.index[entry.clone()]).map(|(_, offsets)| offsets)
    }

    /// Returns the forms under which a word may be listed: the word itself, then the words whose
    /// plural it may be.
    #[must_use]
    pub fn base_forms(&self, word: &str) -> Vec<String> {
        let word = crate::search::folded(word);
        let irregular = self.exceptions.get(&word).into_iter().flatten().cloned();
        let regular = ENDINGS.iter().filter_map(|(ending, instead)| {
            let stem = word.strip_suffix(ending).filter(|stem| !stem.is_empty())?;
            Some(format!("{stem}{instead}"))
        });
        let mut forms: Vec<String> =
            std::iter::once(word.clone()).chain(irregular).chain(regular).collect();
        let mut seen = std::collections::BTreeSet::new();
        forms.retain(|form| seen.insert(form.clone()));
        forms
    }
}

fn read(path: &Path) -> Result<String, WordNetError> {
    let bytes =
        fs::read(path).map_err(|source| WordNetError::Io { path: path.to_owned(), source })?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Returns the lines of a file with their numbers, without the licence, which is indented.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = (1..).zip(text.lines());
    numbered.filter(|(_, line)| !line.starts_with("  ") && !line.trim().is_empty())
}

/// Returns the place of each word's entry in the index.
fn entries(index: &str) -> HashMap<String, Range<usize>, FixedState> {
    let mut entries = HashMap::default();
    let mut start = 0;
    for line in index.split_inclusive('\n') {
        if let Some(word) = line.split(' ').next().filter(|word| !word.is_empty()) {
            entries.entry(word.to_owned()).or_insert(start..start + line.len());
        }
        start += line.len();
    }
    entries
}

fn wrong(path: &Path, line: usize, reason: impl Into<String>) -> WordNetError {
    WordNetError::Line { path: path.to_owned(), line, reason: reason.into() }
}

/// Returns the synsets in the order of the file, which is the order of their offsets.
fn synsets<'a>(path: &Path, data: &'a str) -> Result<Vec<Synset<'a>>, WordNetError> {
    let mut synsets: Vec<Synset<'a>> = Vec::new();
    for (number, line) in lines(data) {
        let synset = synset(number, line).ok_or_else(|| {
            let reason = "not a synset: expected an offset, a file number, `n`, words and pointers";
            wrong(path, number, reason)
        })?;
        if synsets.last().is_some_and(|last| last.offset >= synset.offset) {
            return Err(wrong(path, number, "the offset is not greater than the one before it"));
        }
        synsets.push(synset);
    }
    if synsets.is_empty() {
        return Err(wrong(path, 1, "the file has no synset"));
    }
    Ok(synsets)
}

/// Parses a line of `data.noun`:
/// `offset file-number n words(hex) word id … pointers symbol offset part source-target … |`
fn synset(number: usize, line: &str) -> Option<Synset<'_>> {
    let mut fields = line.split(' ');
    let offset = fields.next()?.parse().ok()?;
    fields.next()?;
    (fields.next()? == "n").then_some(())?;
    let count = usize::from_str_radix(fields.next()?, 16).ok()?;
    let mut words = Vec::with_capacity(count.min(256));
    for _ in 0..count {
        words.push(fields.next()?);
        fields.next()?;
    }
    (!words.is_empty()).then_some(())?;
    let count: usize = fields.next()?.parse().ok()?;
    let mut pointers = Vec::with_capacity(count.min(1_000));
    for _ in 0..count {
        let (symbol, offset) = (fields.next()?, fields.next()?.parse().ok()?);
        let part = fields.next()?;
        fields.next()?;
        if part == "n" {
            pointers.push((symbol, offset));
        }
    }
    Some(Synset { line: number, offset, words, pointers })
}

fn position(synsets: &[Synset<'_>], offset: u32) -> Option<usize> {
    synsets.binary_search_by_key(&offset, |synset| synset.offset).ok()
}

/// Parses an entry of the index, and returns its word and the offsets of its senses:
/// `word n sense-count pointer-count symbol … sense-count tagged-count offset …`
fn entry_of(line: &str) -> Option<(&str, Vec<u32>)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let count: usize = fields.get(2)?.parse().ok()?;
    let start = fields.len().checked_sub(count).filter(|&start| start > 2)?;
    let offsets = fields[start..].iter().map(|offset| offset.parse().ok());
    Some((fields[0], offsets.collect::<Option<_>>()?))
}

/// Returns the key of each synset: its first word, with the sense number from the index.
fn keys(path: &Path, index: &str, synsets: &[Synset<'_>]) -> Result<Vec<String>, WordNetError> {
    let mut keys: Vec<Option<String>> = vec![None; synsets.len()];
    for (number, line) in lines(index) {
        let (word, offsets) = entry_of(line).ok_or_else(|| {
            let reason = "not an entry: expected a word, `n`, counts and offsets";
            wrong(path, number, reason)
        })?;
        for (sense, offset) in (1..).zip(offsets) {
            let place = position(synsets, offset).ok_or_else(|| {
                let reason =
                    format!("{word} points to {offset:08}, but data.noun has no such synset");
                wrong(path, number, reason)
            })?;
            if synsets[place].words[0].eq_ignore_ascii_case(word) {
                keys[place] = Some(format!("{word}#{sense}"));
            }
        }
    }
    let listed = synsets.iter().zip(keys).map(|(synset, key)| {
        key.ok_or_else(|| {
            let word = synset.words[0];
            let reason = format!(
                "{word} is in data.noun but not in this file; take both files from the same version"
            );
            wrong(path, index.lines().count().max(1), reason)
        })
    });
    listed.collect()
}

fn taxonomy(
    path: &Path,
    synsets: &[Synset<'_>],
    keys: &[String],
) -> Result<Taxonomy, WordNetError> {
    let mut builder = TaxonomyBuilder::new();
    for (synset, key) in synsets.iter().zip(keys) {
        if builder.find(key).is_some() {
            let reason = format!("this is the second synset that index.noun calls {key}");
            return Err(wrong(path, synset.line, reason));
        }
        let id = builder.concept(key);
        for (place, word) in synset.words.iter().enumerate() {
            let text = word.replace('_', " ");
            let label = if place == 0 { Label::preferred } else { Label::synonym };
            builder.label(id, label(text, Some("en")));
        }
    }
    // Every synset is a new concept, so the position of a synset is the index of its concept.
    for (id, synset) in synsets.iter().enumerate() {
        let id = ConceptId::new(id);
        for &(symbol, offset) in &synset.pointers {
            let property = match symbol {
                "@" | "@i" => None,
                "#p" => Some("part of"),
                "#m" => Some("member of"),
                "#s" => Some("substance of"),
                _ => continue,
            };
            let other = position(synsets, offset).map(ConceptId::new).ok_or_else(|| {
                let reason = format!("a pointer leads to {offset:08}, but there is no such synset");
                wrong(path, synset.line, reason)
            })?;
            if other == id {
                return Err(wrong(path, synset.line, "a pointer of the synset leads to itself"));
            }
            match property {
                None => builder.is_a(id, other),
                Some(property) => builder.relate(id, property, other),
            }
        }
    }
    builder.finish().map_err(|cycle| WordNetError::Cycle { path: path.to_owned(), cycle })
}

/// Parses the lines of `noun.exc`: an irregular plural, followed by its singular forms.
fn exceptions_of(text: &str) -> HashMap<String, Vec<String>, FixedState> {
    let mut exceptions: HashMap<String, Vec<String>, FixedState> = HashMap::default();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace().map(|word| word.replace('_', " "));
        if let Some(plural) = words.next() {
            exceptions.entry(plural).or_default().extend(words);
        }
    }
    exceptions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, ContentForm, Measure, MeasureKind, Words};

    /// Writes the files of a small WordNet.
    fn written(synsets: &[&str], index: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let licence = "  1 This is a licence.  \n";
        fs::write(folder.path().join("data.noun"), format!("{licence}{}\n", synsets.join("\n")))
            .unwrap();
        fs::write(folder.path().join("index.noun"), format!("{licence}{}\n", index.join("\n")))
            .unwrap();
        fs::write(folder.path().join("noun.exc"), "mice mouse\ngeese goose\n").unwrap();
        folder
    }

    const SYNSETS: [&str; 4] = [
        "00000100 03 n 01 entity 0 001 ~ 00000200 n 0000 | all there is",
        "00000200 05 n 02 animal 0 living_beast 0 001 @ 00000100 n 0000 | alive",
        "00000300 05 n 01 mouse 0 002 @ 00000200 n 0000 #m 00000100 n 0000 | small",
        "00000400 06 n 01 mouse 1 002 @ 00000100 n 0000 + 00001234 v 0101 | with buttons",
    ];
    const INDEX: [&str; 4] = [
        "animal n 1 1 @ 1 1 00000200  ",
        "entity n 1 1 ~ 1 1 00000100  ",
        "living_beast n 1 1 @ 1 0 00000200  ",
        "mouse n 2 2 @ #m 2 1 00000300 00000400  ",
    ];

    #[test]
    fn synsets_become_concepts() {
        let folder = written(&SYNSETS, &INDEX);
        let wordnet = WordNet::read(folder.path()).unwrap();
        let taxonomy = wordnet.taxonomy();
        let ids: Vec<ConceptId> = taxonomy.ids().collect();
        let keys: Vec<&str> = ids.iter().map(|&id| taxonomy.concept(id).key.as_str()).collect();
        assert_eq!(keys, ["entity#1", "animal#1", "mouse#1", "mouse#2"]);
        assert_eq!(taxonomy.parents(ids[2]), [ids[1]]);
        assert_eq!(taxonomy.relations()[0].property, "member of");
        assert_eq!(taxonomy.search("living beast"), Ok(ids[1]));
        let senses = ["mouse#1", "Mouse#2", "living beast#1", "mouse#3", "mouse#0", "mo#1", "x"];
        let senses = senses.map(|name| wordnet.sense(name).map(ConceptId::index));
        assert_eq!(senses, [Some(2), Some(3), Some(1), None, None, None, None]);
        assert_eq!(wordnet.sense_name("Mouse", ids[3]).as_deref(), Some("mouse#2"));
        assert_eq!(wordnet.sense_name("living beast", ids[1]).as_deref(), Some("living_beast#1"));
        assert_eq!(wordnet.sense_name("mouse", ids[0]), None);
        let words = Words::new(MeasureKind::Lin.over(Arc::clone(taxonomy)));
        assert_eq!(words.senses(words.find("mouse").unwrap()), [ids[2], ids[3]]);
    }

    #[test]
    fn plurals_lead_to_their_singular_forms() {
        let wordnet = WordNet::read(written(&SYNSETS, &INDEX).path()).unwrap();
        assert_eq!(wordnet.base_forms("Mice"), ["mice", "mouse"]);
        assert_eq!(wordnet.base_forms("boxes"), ["boxes", "boxe", "box"]);
        assert_eq!(wordnet.base_forms("women"), ["women", "woman"]);
    }

    #[test]
    fn errors_name_the_line_of_a_damaged_file() {
        let error = |synsets: &[&str], index: &[&str]| {
            let folder = written(synsets, index);
            let error = WordNet::read(folder.path()).unwrap_err().to_string();
            error.split_once("noun: ").unwrap().1.to_owned()
        };
        assert!(error(&["00000100 03 n zz entity 0"], &[]).starts_with("line 2: not a synset"));
        assert_eq!(
            error(&[SYNSETS[1], SYNSETS[0]], &[]),
            "line 3: the offset is not greater than the one before it"
        );
        assert_eq!(
            error(&SYNSETS[..1], &INDEX[..1]),
            "line 2: animal points to 00000200, but data.noun has no such synset"
        );
        assert!(error(&SYNSETS[..1], &["animal n 9 1"]).starts_with("line 2: not an entry"));
        let dangling = "00000300 05 n 01 mouse 0 001 @ 00000999 n 0000 | small";
        let index = ["entity n 1 0 1 1 00000100", "mouse n 1 0 1 0 00000300"];
        assert_eq!(
            error(&[SYNSETS[0], dangling], &index),
            "line 3: a pointer leads to 00000999, but there is no such synset"
        );
        let itself = "00000300 05 n 01 mouse 0 001 @ 00000300 n 0000 | small";
        assert_eq!(
            error(&[SYNSETS[0], itself], &index),
            "line 3: a pointer of the synset leads to itself"
        );
        assert_eq!(
            error(&SYNSETS, &INDEX[..3]),
            "line 4: mouse is in data.noun but not in this file; take both files from the same \
             version"
        );
        let twice = [INDEX[0], INDEX[1], "mouse n 1 0 1 0 00000300", "mouse n 1 0 1 0 00000400"];
        assert_eq!(
            error(&SYNSETS, &twice),
            "line 5: this is the second synset that index.noun calls mouse#1"
        );
        let cycle = [
            "00000100 03 n 01 a 0 001 @ 00000200 n 0000 | x",
            "00000200 03 n 01 b 0 001 @ 00000100 n 0000 | x",
        ];
        let index = ["a n 1 0 1 0 00000100", "b n 1 0 1 0 00000200"];
        let found = error(&cycle, &index);
        assert!(found.starts_with("a cycle in the hierarchy: a#1 → b#1 → a#1"), "{found}");
        assert_eq!(error(&[], &[]), "line 1: the file has no synset");
        let nowhere = WordNet::read(Path::new("no/such/folder")).unwrap_err().to_string();
        assert!(nowhere.starts_with("no/such/folder/data.noun: cannot read the file"), "{nowhere}");
    }

    proptest::proptest! {
        /// Damaged files are either read or refused with an error.
        #[test]
        fn damaged_files_cause_no_panic(
            changes in proptest::collection::vec((0..600_usize, 0..128_u8), 1..6),
            of_index in proptest::bool::ANY,
        ) {
            let mut texts = [SYNSETS.join("\n").into_bytes(), INDEX.join("\n").into_bytes()];
            let text = &mut texts[usize::from(of_index)];
            for (place, byte) in changes {
                let place = place % text.len();
                text[place] = byte;
            }
            let [synsets, index] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
            let folder = written(&[&synsets], &[&index]);
            if let Ok(wordnet) = WordNet::read(folder.path()) {
                let _ = wordnet.sense("mouse#2");
                let words = Words::new(MeasureKind::Lin.over(Arc::clone(wordnet.taxonomy())));
                for (_, word) in words.iter() {
                    let found = words.compare(word, word);
                    proptest::prop_assert!((found.similarity - 1.0).abs() < 1e-12);
                }
            }
        }
    }

    /// Values for WordNet 3.0 that were counted and computed separately. Needs its files.
    #[test]
    fn wordnet_3_0_gives_the_known_values() {
        let installed = WordNet::place().map(|folder| WordNet::read(&folder).unwrap());
        let Some(wordnet) = installed.ok().filter(|it| it.taxonomy().len() == 82_115) else {
            eprintln!("skipped: WordNet 3.0 is not installed (Debian: wordnet-base)");
            return;
        };
        let taxonomy = wordnet.taxonomy();
        let below = taxonomy.descendant_counts();
        let id = |key: &str| taxonomy.find(key).unwrap();
        assert_eq!((below[id("dog#1").index()], below[id("cat#1").index()]), (189, 38));
        assert_eq!(taxonomy.roots(), [id("entity#1")]);
        let content = Content::new(Arc::clone(taxonomy), ContentForm::Lin);
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-5, "{found}");
        close(content.content(id("dog#1")), 0.5363);
        close(content.content(id("cat#1")), 0.6762);
        close(content.content(id("entity#1")), 0.0);
        close(content.value(id("entity#1"), id("dog#1")), 0.0);
        let words = Words::new(Box::new(content));
        for (a, b, expected) in [
            ("dog", "cat", 0.7890),
            ("car", "automobile", 1.0),
            ("car", "bicycle", 0.6926),
            ("rain", "storm", 0.7081),
            ("computer", "network", 0.3244),
            ("neuron", "computer", 0.1517),
        ] {
            let [a, b] = [a, b].map(|word| words.find(word).unwrap());
            close(words.compare(a, b).value, expected);
        }
    }
}
