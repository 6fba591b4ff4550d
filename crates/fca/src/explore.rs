//! Attribute exploration: asks a person questions until all implications of a domain are known.
//!
//! The known examples suggest implications. For each, the person either confirms that it holds in
//! the domain or gives a counterexample, which is added to the examples. At the end the accepted
//! implications are the Duquenne–Guigues basis of the domain, and the examples have the same
//! lattice of intents as the domain.

use crate::bits::BitSet;
use crate::context::{Context, ContextBuilder, ContextError, Names};
use crate::implication::{Implication, close, next_question};

/// An attribute exploration in progress.
#[derive(Debug, Clone)]
pub struct Exploration {
    examples: Context,
    accepted: Vec<Implication>,
}

/// The reason why an object is not accepted as a counterexample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCounterexample {
    /// The object lacks an attribute of the premise.
    #[error("not a counterexample: it lacks {0:?}, which the question takes as given")]
    LacksPremise(String),
    /// The object has every attribute of the conclusion.
    #[error("not a counterexample: it has every attribute that the question asks about")]
    Agrees,
    /// The object contradicts an implication that was accepted before.
    #[error(
        "you accepted that {premise} implies {conclusion}, but this example has the former \
         without the latter"
    )]
    Contradicts {
        /// The premise of that implication.
        premise: String,
        /// The attributes of its conclusion that the object lacks.
        conclusion: String,
    },
    /// The object cannot be added to the examples, for instance because its name is taken.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl Exploration {
    /// Starts an exploration, or resumes one with the implications accepted so far.
    #[must_use]
    pub fn new(examples: Context, accepted: Vec<Implication>) -> Self {
        Self { examples, accepted }
    }

    /// Returns the examples so far.
    #[must_use]
    pub fn examples(&self) -> &Context {
        &self.examples
    }

    /// Returns the implications accepted so far.
    #[must_use]
    pub fn accepted(&self) -> &[Implication] {
        &self.accepted
    }

    /// Returns the next implication to ask about, or `None` when the exploration is complete.
    #[must_use]
    pub fn question(&self) -> Option<Implication> {
        next_question(&self.examples, &self.accepted)
    }

    /// Records that an implication holds in the domain.
    pub fn accept(&mut self, implication: Implication) {
        self.accepted.push(implication);
    }

    /// Adds an object that has the premise of the question but not its whole conclusion.
    pub fn refute(
        &mut self,
        question: &Implication,
        name: &str,
        attributes: &BitSet,
    ) -> Result<(), NoCounterexample> {
        let called = |attribute| self.examples.attributes().get(attribute).into_owned();
        let mut lacking = question.premise.clone();
        lacking.subtract(attributes);
        if let Some(attribute) = lacking.iter().next() {
            return Err(NoCounterexample::LacksPremise(called(attribute)));
        }
        if question.conclusion.is_subset(attributes) {
            return Err(NoCounterexample::Agrees);
        }
        if let Some(broken) = self.accepted.iter().find(|known| {
            known.premise.is_subset(attributes) && !known.conclusion.is_subset(attributes)
        }) {
            let mut missing = close(&broken.premise, std::slice::from_ref(broken));
            missing.subtract(attributes);
            let list = |set: &BitSet| set.iter().map(called).collect::<Vec<_>>().join(", ");
            let (premise, conclusion) = (list(&broken.premise), list(&missing));
            return Err(NoCounterexample::Contradicts { premise, conclusion });
        }
        self.examples = with_row(&self.examples, name, attributes)?;
        Ok(())
    }
}

/// Returns the context with one more object.
fn with_row(context: &Context, name: &str, attributes: &BitSet) -> Result<Context, ContextError> {
    let mut builder = ContextBuilder::new();
    (0..context.objects().len()).for_each(|object| builder.row(context.row(object)));
    let row: Vec<u32> = attributes
        .iter()
        .map(|it| u32::try_from(it).expect("attribute numbers fit into 32 bits"))
        .collect();
    builder.row(&row);
    let mut objects: Vec<String> =
        context.objects().iter().map(std::borrow::Cow::into_owned).collect();
    objects.push(name.to_owned());
    builder.finish(Names::Given(objects), context.attributes().clone())
}
