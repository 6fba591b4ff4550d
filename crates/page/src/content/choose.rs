//! Chooses the element that holds the main content.

use super::outline::{Block, Kind, Outline};
use crate::hint::Hint;

/// The place of the main content.
#[derive(Debug)]
pub(crate) struct Place {
    /// The container.
    pub(crate) container: usize,
    /// For each block of the page, true if it is in something beside the main content.
    pub(crate) is_beside: Vec<bool>,
}

/// Chooses the container whose blocks have the largest total weight.
pub(crate) fn place(outline: &Outline) -> Place {
    let is_beside = beside(outline);
    let sums = sums(outline, &is_beside);
    let total = |at: usize| {
        let container = &outline.containers[at];
        sums[container.end_block as usize] - sums[container.first_block as usize]
    };
    let mut best = (0, f64::MIN);
    for at in 0..outline.containers.len() {
        if !is_structural(outline.containers[at].kind) {
            continue;
        }
        let value = total(at) * prior(outline, at);
        // Of equal ones the inner one is closer to the text.
        if value >= best.1 {
            best = (at, value);
        }
    }
    // Where nothing looks like an article, as on a page of a few words, no part is better than the
    // whole.
    let container = if best.1 > 0.0 { inner(outline, best.0, &total) } else { 0 };
    Place { container, is_beside }
}

/// Goes inwards as long as one container holds nearly everything.
fn inner(outline: &Outline, from: usize, total: &impl Fn(usize) -> f64) -> usize {
    let mut place = from;
    let mut at = place + 1;
    while at < outline.containers[place].end as usize {
        let hint = outline.containers[at].hint;
        let share = match hint {
            Hint::ArticleBody => 0.5,
            Hint::Article => 0.75,
            _ => 0.97,
        };
        if is_structural(outline.containers[at].kind) && total(at) >= share * total(place) {
            place = at;
        }
        at += 1;
    }
    place
}

/// Returns true for containers that can hold a whole text.
fn is_structural(kind: Kind) -> bool {
    matches!(kind, Kind::Root | Kind::Article | Kind::Main | Kind::Other | Kind::Cell)
}

/// Returns the factor by which the kind of a container makes it more or less likely.
fn prior(outline: &Outline, at: usize) -> f64 {
    let container = &outline.containers[at];
    let by_kind = match container.kind {
        Kind::Article => 1.15,
        Kind::Main => 1.05,
        _ => 1.0,
    };
    let by_hint = match container.hint {
        Hint::ArticleBody => 1.4,
        Hint::Article => 1.2,
        Hint::Main => 1.05,
        Hint::None => 1.0,
        Hint::Boilerplate | Hint::Hidden => 0.5,
    };
    by_kind * by_hint
}

/// Returns the sums of the weights of all blocks before each block.
fn sums(outline: &Outline, is_beside: &[bool]) -> Vec<f64> {
    let mut sums = Vec::with_capacity(outline.blocks.len() + 1);
    let mut sum = 0.0;
    sums.push(sum);
    for (block, &is_beside) in outline.blocks.iter().zip(is_beside) {
        if !is_beside {
            sum += weight(block, outline);
        }
        sums.push(sum);
    }
    sums
}

/// Returns the weight of a block: positive if it looks like main content.
fn weight(block: &Block, outline: &Outline) -> f64 {
    let kind = outline.containers[block.container as usize].kind;
    let free = f64::from(block.letters - block.linked.min(block.letters));
    let worth = match kind {
        Kind::Paragraph | Kind::Quote | Kind::Code => 1.0,
        Kind::Heading(_) => 0.3,
        Kind::Item => 0.6,
        Kind::Cell | Kind::Caption => 0.5,
        _ => 0.7,
    };
    let worth = if block.marks == 0 && kind != Kind::Cell { 0.3 * worth } else { worth };
    let cost = if kind == Kind::Cell { 0.5 } else { 20.0 };
    let linked_cost = if 2 * block.linked > block.letters { 0.7 } else { 0.2 };
    worth * free - cost - linked_cost * f64::from(block.linked)
}

/// Returns, for each block, true if it is in something beside the main content by its markup.
fn beside(outline: &Outline) -> Vec<bool> {
    let mut is_beside = vec![false; outline.blocks.len()];
    let letters: Vec<u64> = std::iter::once(0)
        .chain(outline.blocks.iter().scan(0, |sum, block| {
            *sum += u64::from(block.letters - block.linked.min(block.letters));
            Some(*sum)
        }))
        .collect();
    let of = |first: u32, end: u32| letters[end as usize] - letters[first as usize];
    let all = of(0, u32::try_from(outline.blocks.len()).unwrap_or(u32::MAX));
    let mut at = 0;
    while at < outline.containers.len() {
        let container = &outline.containers[at];
        let is_marked = match container.hint {
            Hint::Hidden => true,
            Hint::Boilerplate => container.kind != Kind::Article,
            Hint::ArticleBody | Hint::Article => false,
            Hint::None | Hint::Main => {
                matches!(container.kind, Kind::Aside | Kind::Caption)
            }
        };
        // Some sites wrap the whole page in a form, or call its main part a banner.
        let holds_most = 2 * of(container.first_block, container.end_block) > all
            && container.kind != Kind::Caption;
        let is_root = container.kind == Kind::Root;
        if is_marked && !is_root && !holds_most {
            let blocks = container.first_block as usize..container.end_block as usize;
            is_beside[blocks].fill(true);
            at = container.end as usize;
        } else {
            at += 1;
        }
    }
    is_beside
}
