//! A synthetic context for benchmarks.

use crate::context::{Context, ContextBuilder, ContextError, Names};

/// Returns a context of documents and words in which the probability of the n-th word falls with n,
/// as in natural language. A linear congruential generator gives the same crosses on every machine.
pub fn words(documents: usize, words: u32) -> Result<Context, ContextError> {
    let mut state = 42u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut builder = ContextBuilder::new();
    for _ in 0..documents {
        let row: Vec<u32> =
            (0..words).filter(|&word| random() < 0.7 / (1.0 + f64::from(word) / 12.0)).collect();
        builder.row(&row);
    }
    builder.finish(Names::Numbered(documents), Names::Numbered(words as usize))
}
