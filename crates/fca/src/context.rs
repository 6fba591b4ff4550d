//! Formal contexts: which object has which attribute.
//!
//! A context is a triple (G, M, I) of objects, attributes and the relation "has". Rows are lists of
//! attribute numbers, and equal rows are stored only once. Memory thus grows with the crosses of
//! the *distinct* rows, so a repetitive transaction file of many gigabytes fits into memory.

use std::borrow::Cow;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

use crate::bits::BitSet;

/// The names of objects or attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Explicit names.
    Given(Vec<String>),
    /// The number of objects or attributes, which are called 1, 2, 3, …
    Numbered(usize),
}

impl Names {
    /// Returns the number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Given(names) => names.len(),
            Self::Numbered(count) => *count,
        }
    }

    /// Returns true if there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the name at `index`, counted from 0.
    ///
    /// # Panics
    ///
    /// If `index` is out of range.
    #[must_use]
    pub fn get(&self, index: usize) -> Cow<'_, str> {
        match self {
            Self::Given(names) => Cow::Borrowed(&names[index]),
            Self::Numbered(count) => {
                assert!(index < *count, "index {index} is out of range for {count} names");
                Cow::Owned((index + 1).to_string())
            }
        }
    }

    /// Returns all names in order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns the positions of the first two equal names.
    fn duplicate(&self) -> Option<(usize, usize)> {
        let Self::Given(names) = self else { return None };
        let mut seen = HashMap::<&str, usize, _>::with_hasher(FixedState::default());
        names
            .iter()
            .enumerate()
            .find_map(|(index, name)| seen.insert(name, index).map(|first| (first, index)))
    }
}

/// The reason why a context cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// The context has no objects.
    #[error("the context has no objects, so there is nothing to build a lattice from")]
    NoObjects,
    /// Two objects or attributes share a name.
    #[error("{what} {first} and {second} are both called {name:?}; names must be unique")]
    DuplicateName {
        /// `objects` or `attributes`.
        what: &'static str,
        /// The number of the first, counted from 1.
        first: usize,
        /// The number of the second, counted from 1.
        second: usize,
        /// The shared name.
        name: String,
    },
    /// There are more items than 32 bits can number.
    #[error("more than {} {what}, the most that a context can have", u32::MAX)]
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
/// // Bream live in water and move; reed only lives in water.
/// let attributes = Names::Given(vec!["lives in water".into(), "moves".into()]);
/// let mut builder = ContextBuilder::new();
/// builder.row(&[0, 1]);
/// builder.row(&[0]);
/// let objects = Names::Given(vec!["bream".into(), "reed".into()]);
/// let context = builder.finish(objects, attributes)?;
///
/// let moving = BitSet::of(2, [1]);
/// assert_eq!(context.extent(&moving), BitSet::of(2, [0]));
/// // Everything that moves also lives in water.
/// assert_eq!(context.closure(&moving), BitSet::of(2, [0, 1]));
/// # Ok::<(), ontrail_fca::ContextError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Context {
    objects: Names,
    attributes: Names,
    /// The distinct rows.
    rows: Rows,
    /// The number of each object's row in `rows`.
    row_of: Vec<u32>,
}

/// Lists of numbers, stored one after the other in one vector.
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

/// Builds a context row by row and stores equal rows only once.
#[derive(Debug, Default)]
pub struct ContextBuilder {
    rows: Rows,
    row_of: Vec<u32>,
    known: HashTable<u32>,
    sorted: Vec<u32>,
}

impl ContextBuilder {
    /// Creates a builder without rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an object with these attributes, given in any order. Repeated attributes count once.
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
            // More than `u32::MAX` distinct rows would hardly fit into memory; `finish` refuses
            // them.
            let row = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            self.rows.push(self.sorted.iter().copied());
            let rows = &self.rows;
            self.known.insert_unique(hash(&self.sorted), row, |&row| hash(rows.get(row as usize)));
            row
        };
        self.row_of.push(row);
    }

    /// Returns the number of objects added so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.row_of.len()
    }

    /// Returns true if no object was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.row_of.is_empty()
    }

    /// Returns the context of the rows added so far.
    ///
    /// # Panics
    ///
    /// If the number of object names is not the number of rows, or if a row has an attribute
    /// without a name.
    pub fn finish(self, objects: Names, attributes: Names) -> Result<Context, ContextError> {
        assert_eq!(objects.len(), self.row_of.len(), "every object needs a name");
        let used = self.rows.items.iter().max().map_or(0, |&most| most as usize + 1);
        assert!(used <= attributes.len(), "every attribute needs a name");
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
    /// Returns the names of the objects.
    #[must_use]
    pub fn objects(&self) -> &Names {
        &self.objects
    }

    /// Returns the names of the attributes.
    #[must_use]
    pub fn attributes(&self) -> &Names {
        &self.attributes
    }

    /// Returns the row of an object: its attributes in ascending order (g′).
    #[must_use]
    pub fn row(&self, object: usize) -> &[u32] {
        self.rows.get(self.row_of[object] as usize)
    }

    /// Returns true if an object has an attribute.
    #[must_use]
    pub fn has(&self, object: usize, attribute: usize) -> bool {
        u32::try_from(attribute).is_ok_and(|it| self.row(object).binary_search(&it).is_ok())
    }

    /// Returns the number of crosses in the table.
    #[must_use]
    pub fn crosses(&self) -> usize {
        self.row_of.iter().map(|&row| self.rows.get(row as usize).len()).sum()
    }

    /// Returns the objects that have all these attributes (B′).
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

    /// Returns the attributes that all these objects have (A′).
    #[must_use]
    pub fn intent(&self, objects: &BitSet) -> BitSet {
        let mut shared = BitSet::full(self.attributes.len());
        for object in objects.iter() {
            shared.intersect(&self.row_set(object));
        }
        shared
    }

    /// Returns the attributes that all objects with these attributes have (B″).
    #[must_use]
    pub fn closure(&self, attributes: &BitSet) -> BitSet {
        self.intent(&self.extent(attributes))
    }

    /// Returns the objects of each attribute (m′ for every m).
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

    /// Returns the attributes of an object as a set.
    #[must_use]
    pub fn row_set(&self, object: usize) -> BitSet {
        let members = self.row(object).iter().map(|&attribute| attribute as usize);
        BitSet::of(self.attributes.len(), members)
    }

    /// Returns the distinct rows.
    pub(crate) fn distinct_rows(&self) -> &Rows {
        &self.rows
    }

    /// Returns the number of objects with each distinct row.
    pub(crate) fn multiplicities(&self) -> Vec<u32> {
        let mut counts = vec![0; self.rows.len()];
        self.row_of.iter().for_each(|&row| counts[row as usize] += 1);
        counts
    }

    /// Returns the context of only these objects and attributes, in the order given.
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

/// Contexts are equal if their names and crosses are equal; the order in which distinct rows were
/// first stored does not matter.
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
        builder.finish(objects, Names::Numbered(attributes)).expect("a valid context")
    }

    #[test]
    fn equal_rows_are_stored_once() {
        let context = context(&[&[2, 0], &[1], &[0, 2, 2], &[]], 3);
        assert_eq!(context.distinct_rows().len(), 3);
        assert_eq!(context.multiplicities(), [2, 1, 1]);
        assert_eq!(context.row(2), [0, 2]);
        assert_eq!(context.crosses(), 5);
        assert!(context.has(0, 2) && !context.has(1, 2) && !context.has(1, usize::MAX));
    }

    #[test]
    fn the_derivation_of_the_empty_set_is_everything() {
        let context = context(&[&[0, 1], &[0]], 2);
        assert_eq!(context.extent(&BitSet::empty(2)), BitSet::full(2));
        assert_eq!(context.intent(&BitSet::empty(2)), BitSet::full(2));
        assert_eq!(context.closure(&BitSet::empty(2)), BitSet::of(2, [0]));
    }

    #[test]
    fn contexts_without_objects_or_with_equal_names_are_refused() {
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
