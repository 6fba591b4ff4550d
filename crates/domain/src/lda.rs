//! Latent Dirichlet allocation (LDA): finds the topics of a collection by collapsed Gibbs sampling
//! (Griffiths and Steyvers, 2004).
//!
//! Each word of each document is assigned to one of K topics. A sweep removes every word from its
//! topic in turn and draws a new topic with probability ∝ (d + α) · (w + β) / (t + V·β), where d is
//! the number of words of the document in the topic, w the number of occurrences of this word in
//! it, t the number of all words in it, and V the size of the vocabulary. No maintained crate
//! implements LDA, and this module is short.
//!
//! Time is O(sweeps · words · K). The result depends only on the input and the random seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Settings of the topic model.
///
/// | setting | default | purpose |
/// |---|---|---|
/// | `topics` | 10 | number of topics, K |
/// | `alpha` | 50 / K | the larger, the more evenly documents mix topics |
/// | `beta` | 0.01 | the larger, the more evenly topics mix words |
/// | `sweeps` | 1000 | number of Gibbs sweeps |
/// | `seed` | 42 | random seed |
#[derive(Debug, Clone)]
pub struct Lda {
    topics: usize,
    alpha: Option<f64>,
    beta: f64,
    sweeps: usize,
    seed: u64,
}

impl Default for Lda {
    fn default() -> Self {
        Self { topics: 10, alpha: None, beta: 0.01, sweeps: 1000, seed: 42 }
    }
}

/// The topics of a collection.
#[derive(Debug, Clone)]
pub struct Topics {
    /// Number of occurrences of each word in each topic: `counts[topic][word]`.
    pub counts: Vec<Vec<u32>>,
}

impl Lda {
    /// Returns the default settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of topics, at least 1.
    #[must_use]
    pub fn topics(mut self, topics: usize) -> Self {
        self.topics = topics.max(1);
        self
    }

    /// Sets α, the parameter of the prior distribution of topics in documents.
    #[must_use]
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = Some(alpha);
        self
    }

    /// Sets the number of sweeps.
    #[must_use]
    pub fn sweeps(mut self, sweeps: usize) -> Self {
        self.sweeps = sweeps;
        self
    }

    /// Sets the random seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Finds the topics of documents, which are lists of word numbers below `vocabulary`. Calls
    /// `tick` after each sweep.
    #[must_use]
    pub fn fit(&self, documents: &[Vec<u32>], vocabulary: usize, mut tick: impl FnMut()) -> Topics {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut state = State::random(documents, vocabulary, self.topics, &mut random);
        let alpha = self.alpha.unwrap_or(50.0 / self.topics as f64);
        for _ in 0..self.sweeps {
            state.sweep(documents, alpha, self.beta, &mut random);
            tick();
        }
        Topics { counts: state.counts() }
    }
}

impl Topics {
    /// Returns the most frequent words of a topic, at most `count`, those with the lower number
    /// first if equally frequent.
    #[must_use]
    pub fn top(&self, topic: usize, count: usize) -> Vec<u32> {
        let counts = &self.counts[topic];
        let mut words: Vec<u32> = (0..).zip(counts).filter(|it| *it.1 > 0).map(|it| it.0).collect();
        words.sort_by_key(|&word| (std::cmp::Reverse(counts[word as usize]), word));
        words.truncate(count);
        words
    }
}

/// The topic of each word of each document, and the resulting counts.
struct State {
    topics: usize,
    /// `assigned[document][position]`.
    assigned: Vec<Vec<usize>>,
    /// `in_document[document][topic]`: d in the formula.
    in_document: Vec<Vec<u32>>,
    /// `of_word[word * topics + topic]`: w in the formula. The counts of a word are adjacent in
    /// memory, because each draw reads them all.
    of_word: Vec<u32>,
    /// t in the formula, for each topic.
    in_topic: Vec<u32>,
    /// Cumulated weights of the topics in the current draw.
    weights: Vec<f64>,
}

impl State {
    fn random(
        documents: &[Vec<u32>],
        vocabulary: usize,
        topics: usize,
        random: &mut ChaCha8Rng,
    ) -> Self {
        let mut state = Self {
            topics,
            assigned: Vec::new(),
            in_document: vec![vec![0; topics]; documents.len()],
            of_word: vec![0; vocabulary * topics],
            in_topic: vec![0; topics],
            weights: vec![0.0; topics],
        };
        for (number, document) in documents.iter().enumerate() {
            let assigned: Vec<usize> =
                document.iter().map(|_| random.random_range(0..topics)).collect();
            for (&word, &topic) in document.iter().zip(&assigned) {
                state.in_document[number][topic] += 1;
                state.of_word[word as usize * topics + topic] += 1;
                state.in_topic[topic] += 1;
            }
            state.assigned.push(assigned);
        }
        state
    }

    fn sweep(&mut self, documents: &[Vec<u32>], alpha: f64, beta: f64, random: &mut ChaCha8Rng) {
        let all_words = self.of_word.len() as f64 / self.topics as f64 * beta;
        for (number, document) in documents.iter().enumerate() {
            for (place, &word) in document.iter().enumerate() {
                let of_word = &mut self.of_word[word as usize * self.topics..][..self.topics];
                let in_document = &mut self.in_document[number];
                let old = self.assigned[number][place];
                of_word[old] -= 1;
                in_document[old] -= 1;
                self.in_topic[old] -= 1;
                let mut total = 0.0;
                for topic in 0..self.topics {
                    total += (f64::from(in_document[topic]) + alpha)
                        * (f64::from(of_word[topic]) + beta)
                        / (f64::from(self.in_topic[topic]) + all_words);
                    self.weights[topic] = total;
                }
                let drawn = random.random::<f64>() * total;
                let new = self.weights.partition_point(|&sum| sum <= drawn).min(self.topics - 1);
                of_word[new] += 1;
                in_document[new] += 1;
                self.in_topic[new] += 1;
                self.assigned[number][place] = new;
            }
        }
    }

    fn counts(&self) -> Vec<Vec<u32>> {
        let of_topic =
            |topic| self.of_word.iter().skip(topic).step_by(self.topics).copied().collect();
        (0..self.topics).map(of_topic).collect()
    }
}
