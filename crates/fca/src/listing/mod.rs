//! Lists all concepts of a context.
//!
//! The algorithm belongs to the Close-by-One family (Kuznetsov; `FCbO` by Krajča, Outrata and
//! Vychodil). From a concept (A, B) that was reached by adding attribute y, it tries every later
//! attribute j outside B. A ∩ j′ is the extent of a lower concept, and that concept belongs to this
//! branch if and only if its intent has no attribute before j that B lacks (the canonicity test).
//! Each concept is thus generated once, without a table of the concepts already seen. As in `FCbO`,
//! the attribute i that made the test of j fail is remembered, since it makes j fail further down
//! too, until i itself joins the intent.
//!
//! The search is fast because each branch has its own context, with only the objects of its extent
//! and the attributes that still distinguish them ([`dense`]). Most concepts have few objects: deep
//! in the tree a whole column is one machine word, and a test is one instruction. Extents of more
//! than [`dense::MOST_ROWS`] rows are kept as lists ([`sparse`]), as in LCM (Uno, Asai, Uchida,
//! Arimura).
//!
//! Attributes are tried by ascending support, which makes the canonicity test fail less often.
//!
//! Branches are independent. In parallel they run on all threads of the current rayon pool, and
//! their results are joined in the order in which one thread would have found them.
//!
//! Time is O(|concepts| · |M|² · words of the branch's extent). Memory, besides the stored
//! concepts, is that of the branch contexts on the path from the root.

mod dense;
mod sparse;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::bits::{BitSet, words_for};
use crate::concepts::Concepts;
use crate::context::Context;
use crate::lattice::Lattice;

/// Settings for listing the concepts of a context.
///
/// | setting | default | purpose |
/// |---|---|---|
/// | `min_support` | 0 | omit concepts with fewer objects (the iceberg lattice) |
/// | `limit` | 10 million | fail if there are more concepts than this |
/// | `parallel` | true | use all threads of the current rayon pool |
///
/// ```
/// use ontrail_fca::{ContextBuilder, Listing, Names};
///
/// let mut builder = ContextBuilder::new();
/// builder.row(&[0, 1]);
/// builder.row(&[1, 2]);
/// let context = builder.finish(Names::Numbered(2), Names::Numbered(3))?;
/// let lattice = Listing::new().lattice(&context)?;
/// assert_eq!((lattice.len(), lattice.edge_count(), lattice.height()), (4, 4, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Listing {
    min_support: u32,
    limit: u64,
    parallel: bool,
}

impl Default for Listing {
    fn default() -> Self {
        Self { min_support: 0, limit: 10_000_000, parallel: true }
    }
}

/// The reason why a listing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListingError {
    /// There are more concepts than the limit allows.
    #[error("there are more than {limit} concepts")]
    TooManyConcepts {
        /// The limit.
        limit: u64,
    },
}

impl Listing {
    /// Returns the default settings: all concepts, up to ten million, on all threads.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Omits concepts with fewer objects.
    #[must_use]
    pub fn min_support(mut self, objects: u32) -> Self {
        self.min_support = objects;
        self
    }

    /// Fails if there are more concepts.
    #[must_use]
    pub fn limit(mut self, concepts: u64) -> Self {
        self.limit = concepts;
        self
    }

    /// Uses all threads of the current rayon pool if true, one thread if false.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }

    /// Returns the number of concepts, without storing them.
    pub fn count(&self, context: &Context) -> Result<u64, ListingError> {
        let mut counter = Counter::default();
        self.run(context, &mut counter)?;
        Ok(counter.0)
    }

    /// Returns all concepts, ordered by falling number of objects.
    pub fn concepts(&self, context: &Context) -> Result<Concepts, ListingError> {
        let mut concepts = Concepts::none(context.attributes().len());
        self.run(context, &mut concepts)?;
        concepts.sort(self.parallel);
        Ok(concepts)
    }

    /// Returns all concepts and their cover relation.
    pub fn lattice(&self, context: &Context) -> Result<Lattice, ListingError> {
        let concepts = self.concepts(context)?;
        let mut covers = crate::lattice::Covers::of(&concepts);
        self.run(context, &mut covers)?;
        let (index, edges) = covers.into_parts();
        Ok(Lattice::new(concepts, index, edges, self.min_support == 0))
    }

    /// Runs a search with as much stack as it may need. The recursion goes one level down for each
    /// attribute that a branch adds, and every level loses at least one row, so its depth is at
    /// most the number of attributes and at most the number of distinct rows.
    fn with_stack(&self, context: &Context, search: impl FnOnce() + Send) {
        const STACK_PER_LEVEL: usize = 32 << 10;
        /// Levels for which every ordinary stack is large enough.
        const SAFE_LEVELS: usize = 30;
        let deepest = context.attributes().len().min(context.distinct_rows().len());
        if deepest <= SAFE_LEVELS {
            return search();
        }
        let threads = if self.parallel { rayon::current_num_threads() } else { 1 };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size((deepest + 64) * STACK_PER_LEVEL)
            .build();
        match pool {
            Ok(pool) => pool.install(search),
            // No threads can be started: the only stack left is the caller's.
            Err(_) => search(),
        }
    }

    /// Passes every concept to the visitor.
    fn run<V: Visitor>(&self, context: &Context, visitor: &mut V) -> Result<(), ListingError> {
        let attributes = context.attributes().len();
        if context.objects().len() < self.min_support as usize {
            return Ok(());
        }
        let mut rows = context.distinct_rows().iter();
        let search = Search {
            min_support: self.min_support.max(1),
            has_bottom: self.min_support == 0 && rows.all(|row| row.len() < attributes),
            everything: BitSet::full(attributes),
            parallel: self.parallel,
            limit: self.limit,
            found: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        };
        self.with_stack(context, || sparse::start(&search, context, visitor));
        if search.has_bottom {
            search.show(visitor, search.everything.words(), 0);
        }
        match search.found.load(Ordering::Relaxed) {
            found if found > self.limit => Err(ListingError::TooManyConcepts { limit: self.limit }),
            _ => Ok(()),
        }
    }
}

/// Receives the concepts of a listing. In parallel each branch has its own visitor, and the
/// visitors are joined in order afterwards.
trait Visitor: Send + Sync {
    /// True if the visitor needs the lower neighbours of each concept.
    const COVERS: bool;

    /// Creates a visitor for a branch.
    fn fork(&self) -> Self;

    /// Adds the results of the visitor of the next branch.
    fn join(&mut self, branch: Self);

    /// Visits a concept.
    fn concept(&mut self, intent: &[u64], support: u32);

    /// Visits a lower neighbour of the concept visited last.
    fn lower_neighbour(&mut self, intent: &[u64]);
}

/// The state that all branches of one listing share.
struct Search {
    /// At least 1: the search does not find the concept without objects; `run` adds it.
    min_support: u32,
    /// True if the bottom concept, which has all attributes, has no objects and must be listed.
    has_bottom: bool,
    everything: BitSet,
    parallel: bool,
    limit: u64,
    found: AtomicU64,
    stopped: AtomicBool,
}

/// Branches at depths below this run in parallel.
const PARALLEL_DEPTH: usize = 3;

impl Search {
    fn show<V: Visitor>(&self, visitor: &mut V, intent: &[u64], support: u32) {
        visitor.concept(intent, support);
        if self.found.fetch_add(1, Ordering::Relaxed) >= self.limit {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Runs the branches of a node, in parallel if the node is near the root.
    fn branches<T: Send + Sync, V: Visitor>(
        &self,
        depth: usize,
        children: &[T],
        visitor: &mut V,
        run: impl Fn(&T, &mut V) + Sync,
    ) {
        use rayon::prelude::*;
        if !self.parallel || depth >= PARALLEL_DEPTH || children.len() < 2 {
            children.iter().for_each(|child| run(child, visitor));
            return;
        }
        let whole: &V = visitor;
        let seen: Vec<V> = children
            .par_iter()
            .with_max_len(1)
            .map(|child| {
                let mut branch = whole.fork();
                run(child, &mut branch);
                branch
            })
            .collect();
        seen.into_iter().for_each(|branch| visitor.join(branch));
    }

    /// Reports the bottom as lower neighbour of a concept that no attribute can be added to, if the
    /// bottom has no objects.
    fn show_bottom<V: Visitor>(&self, visitor: &mut V) {
        if self.has_bottom {
            visitor.lower_neighbour(self.everything.words());
        }
    }
}

/// Adds an attribute to an intent.
fn add(intent: &mut [u64], attribute: u32) {
    intent[attribute as usize / 64] |= 1 << (attribute % 64);
}

/// Returns true if an intent has an attribute.
fn holds(intent: &[u64], attribute: u32) -> bool {
    intent[attribute as usize / 64] & (1 << (attribute % 64)) != 0
}

/// Counts the concepts without storing them.
#[derive(Debug, Default)]
struct Counter(u64);

impl Visitor for Counter {
    const COVERS: bool = false;

    fn fork(&self) -> Self {
        Self(0)
    }

    fn join(&mut self, branch: Self) {
        self.0 += branch.0;
    }

    fn concept(&mut self, _: &[u64], _: u32) {
        self.0 += 1;
    }

    fn lower_neighbour(&mut self, _: &[u64]) {}
}

impl Visitor for Concepts {
    const COVERS: bool = false;

    fn fork(&self) -> Self {
        Self::none(self.attribute_count())
    }

    fn join(&mut self, branch: Self) {
        self.append(branch);
    }

    fn concept(&mut self, intent: &[u64], support: u32) {
        self.push(intent, support);
    }

    fn lower_neighbour(&mut self, _: &[u64]) {}
}

impl Visitor for crate::lattice::Covers<'_> {
    const COVERS: bool = true;

    fn fork(&self) -> Self {
        Self::fork(self)
    }

    fn join(&mut self, branch: Self) {
        Self::join(self, branch);
    }

    fn concept(&mut self, intent: &[u64], _: u32) {
        self.enter(intent);
    }

    fn lower_neighbour(&mut self, intent: &[u64]) {
        self.covers(intent);
    }
}

/// Returns an empty intent in a context with this number of attributes.
fn no_attributes(attributes: usize) -> Vec<u64> {
    vec![0; words_for(attributes)]
}
