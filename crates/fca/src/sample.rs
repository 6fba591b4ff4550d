//! A context to measure with.

use crate::context::{Context, ContextBuilder, ContextError, Names};

/// Documents and words, the n-th word with a chance that falls with n, as in language. The same crosses
/// on every machine: a linear congruential generator is enough for them.
pub fn words(documents: usize, words: u32) -> Result<Context, ContextError> {
    let mut state = 42u64;
    let mut chance = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut builder = ContextBuilder::new();
    for _ in 0..documents {
        let row: Vec<u32> =
            (0..words).filter(|&word| chance() < 0.7 / (1.0 + f64::from(word) / 12.0)).collect();
        builder.row(&row);
    }
    builder.finish(Names::Numbered(documents), Names::Numbered(words as usize))
}
