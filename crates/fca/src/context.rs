//! Formal contexts: which object has which attribute.
//!
//! A context is a triple (G, M, I) of objects, attributes and the relation "has". Rows are kept as
//! lists of attribute numbers, and equal rows once only: memory grows with the crosses of the
//! *distinct* rows, so that a transaction file of many gigabytes that repeats itself is no burden.

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use crate::bits::BitSet;

/// The names of objects or attributes: given, or just their numbers from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Names from a file or a program.
    Given(Vec<String>),
    /// So many things without names, called 1, 2, 3, …
    Numbered(usize),
}

impl Names {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Given(names) => names.len(),
            Self::Numbered(count) => *count,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of one.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[must_use]
    pub fn get(&self, index: usize) -> Cow<'_, str> {
        match self {
            Self::Given(names) => Cow::Borrowed(&names[index]),
            Self::Numbered(count) => {
                assert!(index < *count, "{index} of {count}");
                Cow::Owned((index + 1).to_string())
            }
        }
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The first name that occurs twice, with both places.
    fn duplicate(&self) -> Option<(usize, usize)> {
        let Self::Given(names) = self else { return None };
        let mut seen = HashMap::<&str, usize, _>::with_hasher(FixedState::default());
        names
            .iter()
            .enumerate()
            .find_map(|(index, name)| seen.insert(name, index).map(|first| (first, index)))
    }
}

/// What a context cannot be made of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// There is no object.
    #[error("the context has no objects, so there is nothing to build a lattice from")]
    NoObjects,
    /// Two objects or attributes share a name.
    #[error("{what} {first} and {second} are both called {name:?}; names must be unique")]
    DuplicateName {
        /// `objects` or `attributes`.
        what: &'static str,
        /// The number of the first, from 1.
        first: usize,
        /// The number of the second, from 1.
        second: usize,
        /// The name.
        name: String,
    },
    /// More things than 32 bits can number.
    #[error("more than {} {what}, which is more than Ontrail numbers", u32::MAX)]
    TooMany {
        /// `objects`, `attributes` or `distinct rows`.
        what: &'static str,
    },
}

/// A formal context.
///
/// ```
/// use ontrail_fca::{BitSet, Context, ContextBuilder, Names};
///
/// // What lives in water and what moves.
/// let attributes = Names::Given(vec!["lives in water".into(), "moves".into()]);
/// let mut builder = ContextBuilder::new();
/// builder.row(&[0, 1]);
/// builder.row(&[0]);
/// let objects = Names::Given(vec!["bream".into(), "reed".into()]);
/// let context = builder.finish(objects, attributes)?;
///
/// let moving = BitSet::of(2, [1]);
/// assert_eq!(context.extent(&moving), BitSet::of(2, [0]));
/// assert_eq!(context.closure(&moving), BitSet::of(2, [0, 1])); // all that moves lives in water
/// # Ok::<(), ontrail_fca::ContextError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Context {
    objects: Names,
    attributes: Names,
    /// The distinct rows, and which of them each object has.
    rows: Rows,
    row_of: Vec<u32>,
}

/// Lists of numbers, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rows {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn get(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row]..self.starts[row + 1]]
    }

    pub(crate) fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
        self.starts.push(self.items.len());
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|row| self.get(row))
    }
}

/// Takes rows one by one and keeps each distinct one once.
#[derive(Debug, Default)]
pub struct ContextBuilder {
    rows: Rows,
    row_of: Vec<u32>,
    known: HashTable<u32>,
    sorted: Vec<u32>,
}

impl ContextBuilder {
    /// Without rows yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an object with these attributes, in any order; what stands twice counts once.
    pub fn row(&mut self, attributes: &[u32]) {
        self.sorted.clear();
        self.sorted.extend_from_slice(attributes);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        let hash = |row: &[u32]| FixedState::default().hash_one(row);
        let (rows, sorted) = (&self.rows, &self.sorted);
        let found =
            self.known.find(hash(sorted), |&row| rows.get(row as usize) == sorted.as_slice());
        let row = if let Some(&row) = found {
            row
        } else {
            // More distinct rows than this would not fit into memory; `finish` refuses them.
            let row = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            self.rows.push(self.sorted.iter().copied());
            let rows = &self.rows;
            self.known.insert_unique(hash(&self.sorted), row, |&row| hash(rows.get(row as usize)));
            row
        };
        self.row_of.push(row);
    }

    /// How many objects there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.row_of.len()
    }

    /// Whether there is no object yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.row_of.is_empty()
    }

    /// The context of the rows so far.
    ///
    /// # Panics
    ///
    /// If there are fewer names than objects or than the attributes in the rows.
    pub fn finish(self, objects: Names, attributes: Names) -> Result<Context, ContextError> {
        assert_eq!(objects.len(), self.row_of.len(), "a name for each object");
        let used = self.rows.items.iter().max().map_or(0, |&most| most as usize + 1);
        assert!(used <= attributes.len(), "a name for each attribute");
        if objects.is_empty() {
            return Err(ContextError::NoObjects);
        }
        for (what, names) in [("objects", &objects), ("attributes", &attributes)] {
            if u32::try_from(names.len()).is_err() {
                return Err(ContextError::TooMany { what });
            }
            if let Some((first, second)) = names.duplicate() {
                let name = names.get(first).into_owned();
                let (first, second) = (first + 1, second + 1);
                return Err(ContextError::DuplicateName { what, first, second, name });
            }
        }
        if u32::try_from(self.rows.len()).is_err() {
            return Err(ContextError::TooMany { what: "distinct rows" });
        }
        Ok(Context { objects, attributes, rows: self.rows, row_of: self.row_of })
    }
}

impl Context {
    /// The objects' names.
    #[must_use]
    pub fn objects(&self) -> &Names {
        &self.objects
    }

    /// The attributes' names.
    #[must_use]
    pub fn attributes(&self) -> &Names {
        &self.attributes
    }

    /// The attributes of an object, in order: its row, g′.
    #[must_use]
    pub fn row(&self, object: usize) -> &[u32] {
        self.rows.get(self.row_of[object] as usize)
    }

    /// Whether an object has an attribute.
    #[must_use]
    pub fn has(&self, object: usize, attribute: usize) -> bool {
        u32::try_from(attribute).is_ok_and(|it| self.row(object).binary_search(&it).is_ok())
    }

    /// How many crosses the table has.
    #[must_use]
    pub fn crosses(&self) -> usize {
        self.row_of.iter().map(|&row| self.rows.get(row as usize).len()).sum()
    }

    /// The objects that have all these attributes: B′.
    #[must_use]
    pub fn extent(&self, attributes: &BitSet) -> BitSet {
        let needed = attributes.len();
        let has_all = |row: &[u32]| {
            row.iter().filter(|&&item| attributes.contains(item as usize)).count() == needed
        };
        let rows: Vec<bool> = self.rows.iter().map(has_all).collect();
        let members = self.row_of.iter().enumerate().filter(|&(_, &row)| rows[row as usize]);
        BitSet::of(self.objects.len(), members.map(|(object, _)| object))
    }

    /// The attributes that all these objects have: A′.
    #[must_use]
    pub fn intent(&self, objects: &BitSet) -> BitSet {
        let mut shared = BitSet::full(self.attributes.len());
        for object in objects.iter() {
            shared.intersect(&self.row_set(object));
        }
        shared
    }

    /// The attributes that all objects with these attributes have: B″.
    #[must_use]
    pub fn closure(&self, attributes: &BitSet) -> BitSet {
        self.intent(&self.extent(attributes))
    }

    /// The objects of each attribute: m′ for every m.
    #[must_use]
    pub fn columns(&self) -> Vec<BitSet> {
        let mut columns = vec![BitSet::empty(self.objects.len()); self.attributes.len()];
        for object in 0..self.objects.len() {
            for &attribute in self.row(object) {
                columns[attribute as usize].insert(object);
            }
        }
        columns
    }

    /// The attributes of an object as a set.
    #[must_use]
    pub fn row_set(&self, object: usize) -> BitSet {
        let members = self.row(object).iter().map(|&attribute| attribute as usize);
        BitSet::of(self.attributes.len(), members)
    }

    /// The distinct rows.
    pub(crate) fn distinct_rows(&self) -> &Rows {
        &self.rows
    }

    /// How many objects have each distinct row.
    pub(crate) fn multiplicities(&self) -> Vec<u32> {
        let mut counts = vec![0; self.rows.len()];
        self.row_of.iter().for_each(|&row| counts[row as usize] += 1);
        counts
    }

    /// The context of some objects and attributes only, in the order given.
    #[must_use]
    pub fn restricted(&self, objects: &[usize], attributes: &[usize]) -> Self {
        let mut place = vec![None; self.attributes.len()];
        for (new, &old) in (0..).zip(attributes) {
            place[old] = Some(new);
        }
        let mut builder = ContextBuilder::new();
        for &object in objects {
            let row = self.row(object).iter().filter_map(|&item| place[item as usize]);
            builder.row(&row.collect::<Vec<u32>>());
        }
        let named = |names: &Names, kept: &[usize]| {
            Names::Given(kept.iter().map(|&index| names.get(index).into_owned()).collect())
        };
        let (objects, attributes) =
            (named(&self.objects, objects), named(&self.attributes, attributes));
        Self { objects, attributes, rows: builder.rows, row_of: builder.row_of }
    }
}

/// Contexts are equal if their names and crosses are; how equal rows are shared does not matter.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.objects.iter().eq(other.objects.iter())
            && self.attributes.iter().eq(other.attributes.iter())
            && (0..self.objects.len()).all(|object| self.row(object) == other.row(object))
    }
}

impl Eq for Context {}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(rows: &[&[u32]], attributes: usize) -> Context {
        let mut builder = ContextBuilder::new();
        rows.iter().for_each(|row| builder.row(row));
        let objects = Names::Numbered(builder.len());
        builder.finish(objects, Names::Numbered(attributes)).expect("a good context")
    }

    #[test]
    fn equal_rows_are_kept_once() {
        let context = context(&[&[2, 0], &[1], &[0, 2, 2], &[]], 3);
        assert_eq!(context.distinct_rows().len(), 3);
        assert_eq!(context.multiplicities(), [2, 1, 1]);
        assert_eq!(context.row(2), [0, 2]);
        assert_eq!(context.crosses(), 5);
        assert!(context.has(0, 2) && !context.has(1, 2) && !context.has(1, usize::MAX));
    }

    #[test]
    fn the_empty_sets_derive_to_everything() {
        let context = context(&[&[0, 1], &[0]], 2);
        assert_eq!(context.extent(&BitSet::empty(2)), BitSet::full(2));
        assert_eq!(context.intent(&BitSet::empty(2)), BitSet::full(2));
        assert_eq!(context.closure(&BitSet::empty(2)), BitSet::of(2, [0]));
    }

    #[test]
    fn bad_contexts_are_refused() {
        let none = ContextBuilder::new().finish(Names::Numbered(0), Names::Numbered(3));
        assert_eq!(none.unwrap_err(), ContextError::NoObjects);
        let mut builder = ContextBuilder::new();
        (0..3).for_each(|_| builder.row(&[]));
        let names = ["a", "b", "a"].map(str::to_owned).to_vec();
        let error = builder.finish(Names::Given(names), Names::Numbered(0)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "objects 1 and 3 are both called \"a\"; names must be unique"
        );
    }
}
