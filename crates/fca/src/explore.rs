//! Attribute exploration: a person is asked until the implications of a domain are known.
//!
//! The examples at hand suggest implications. For each the person either agrees that it holds in the
//! domain, or names a counterexample, which joins the examples. In the end the accepted implications
//! are the Duquenne–Guigues basis of the domain, and the examples have the same lattice as it.

use crate::bits::BitSet;
use crate::context::{Context, ContextBuilder, ContextError, Names};
use crate::implication::{Implication, close, next_question};

/// An exploration under way.
#[derive(Debug, Clone)]
pub struct Exploration {
    examples: Context,
    accepted: Vec<Implication>,
}

/// Why a counterexample is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCounterexample {
    /// It lacks something of the premise.
    #[error("it has not {0:?}, which the question is about")]
    LacksPremise(String),
    /// It has all that the implication says.
    #[error("it has all that the question says, so it does not speak against it")]
    Agrees,
    /// It contradicts an implication that was accepted before.
    #[error(
        "you accepted that {premise} implies {conclusion}, and it has the one without the other"
    )]
    Contradicts {
        /// The premise of that implication.
        premise: String,
        /// What of its conclusion the example lacks.
        conclusion: String,
    },
    /// It cannot be added to the examples.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl Exploration {
    /// Begins with examples, or goes on with what was accepted before.
    #[must_use]
    pub fn new(examples: Context, accepted: Vec<Implication>) -> Self {
        Self { examples, accepted }
    }

    /// The examples so far.
    #[must_use]
    pub fn examples(&self) -> &Context {
        &self.examples
    }

    /// The implications accepted so far.
    #[must_use]
    pub fn accepted(&self) -> &[Implication] {
        &self.accepted
    }

    /// What to ask next; none when all is known.
    #[must_use]
    pub fn question(&self) -> Option<Implication> {
        next_question(&self.examples, &self.accepted)
    }

    /// The person says that it holds.
    pub fn accept(&mut self, implication: Implication) {
        self.accepted.push(implication);
    }

    /// The person names an object that has the premise and not the conclusion.
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

/// The context with one more object.
fn with_row(context: &Context, name: &str, attributes: &BitSet) -> Result<Context, ContextError> {
    let mut builder = ContextBuilder::new();
    (0..context.objects().len()).for_each(|object| builder.row(context.row(object)));
    let row: Vec<u32> =
        attributes.iter().map(|it| u32::try_from(it).expect("attributes are 32 bits")).collect();
    builder.row(&row);
    let mut objects: Vec<String> =
        context.objects().iter().map(std::borrow::Cow::into_owned).collect();
    objects.push(name.to_owned());
    builder.finish(Names::Given(objects), context.attributes().clone())
}
