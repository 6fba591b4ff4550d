//! Fuzzy inference after Mamdani: numbers become degrees of membership, rules draw conclusions from
//! them, and the conclusions become a number again (eq. 1–4 of sdvsm).
//!
//! The module knows nothing about terms and topics. It has the shapes that the paper uses and those
//! that it names as further work: sets with straight flanks, triangles and bells. The conditions of
//! a rule are joined by "and". A rule holds to the minimum degree of its conditions, a conclusion
//! to the maximum over its rules, and the output is the mean of the numbers at which its sets have
//! the inferred degrees.
//!
//! ```
//! use ontrail_sdg::fuzzy::{Inference, Membership, Variable};
//!
//! let heat = Variable::new("heat", [
//!     ("low", Membership::Falling { from: 10.0, to: 30.0 }),
//!     ("high", Membership::Rising { from: 10.0, to: 30.0 }),
//! ]);
//! let fan = Variable::new("fan", [
//!     ("slow", Membership::Falling { from: 0.0, to: 100.0 }),
//!     ("fast", Membership::Rising { from: 0.0, to: 100.0 }),
//! ]);
//! let rules = [(vec!["low"], "slow"), (vec!["high"], "fast")];
//! let inference = Inference::new(vec![heat], fan, rules)?;
//! // At 25 degrees it is hot to 0.75 and cold to 0.25.
//! assert_eq!(inference.infer(&[25.0]).value, 75.0);
//! # Ok::<(), ontrail_sdg::fuzzy::FuzzyError>(())
//! ```

/// A fuzzy set of numbers: each number belongs to it with a degree from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Membership {
    /// 1 up to `from`, 0 from `to` on, a straight line between (eq. 1, second form).
    Falling {
        /// The last number with degree 1.
        from: f64,
        /// The first number with degree 0.
        to: f64,
    },
    /// 0 up to `from`, 1 from `to` on, a straight line between (eq. 1, first form).
    Rising {
        /// The last number with degree 0.
        from: f64,
        /// The first number with degree 1.
        to: f64,
    },
    /// A triangle: 1 at the peak, 0 outside its feet. A flank is vertical if its foot is at the
    /// peak.
    Triangle {
        /// The left foot.
        left: f64,
        /// The peak.
        peak: f64,
        /// The right foot.
        right: f64,
    },
    /// 1 up to `middle`, then the right half of a bell curve.
    FallingBell {
        /// The last number with degree 1.
        middle: f64,
        /// Its standard deviation.
        deviation: f64,
    },
    /// The left half of a bell curve up to `middle`, then 1.
    RisingBell {
        /// The first number with degree 1.
        middle: f64,
        /// Its standard deviation.
        deviation: f64,
    },
}

impl Membership {
    /// Returns the degree to which `x` belongs to the set.
    #[must_use]
    pub fn degree(&self, x: f64) -> f64 {
        match *self {
            Self::Falling { from, to } => ((to - x) / (to - from)).clamp(0.0, 1.0),
            Self::Rising { from, to } => ((x - from) / (to - from)).clamp(0.0, 1.0),
            Self::Triangle { left, peak, right } => {
                if x < left || x > right {
                    0.0
                } else if x < peak {
                    (x - left) / (peak - left)
                } else if x > peak {
                    (right - x) / (right - peak)
                } else {
                    1.0
                }
            }
            Self::FallingBell { middle, deviation } => bell((x - middle).max(0.0) / deviation),
            Self::RisingBell { middle, deviation } => bell((middle - x).max(0.0) / deviation),
        }
    }

    /// Returns the number on the flank that has this degree, if the flank is a straight line: the
    /// inverse of eq. 14.
    fn place_of(&self, degree: f64) -> Option<f64> {
        match *self {
            Self::Falling { from, to } => Some(to - degree * (to - from)),
            Self::Rising { from, to } => Some(from + degree * (to - from)),
            _ => None,
        }
    }

    /// Returns true if the set gives a degree to every number.
    fn is_sound(&self) -> bool {
        // The difference must be finite too.
        let is_wide = |from: f64, to: f64| from < to && (to - from).is_finite();
        match *self {
            Self::Falling { from, to } | Self::Rising { from, to } => is_wide(from, to),
            Self::Triangle { left, peak, right } => {
                is_wide(left, right) && left <= peak && peak <= right
            }
            Self::FallingBell { middle, deviation } | Self::RisingBell { middle, deviation } => {
                middle.is_finite() && deviation.is_finite() && deviation > 0.0
            }
        }
    }
}

fn bell(deviations: f64) -> f64 {
    (-0.5 * deviations * deviations).exp()
}

/// A variable with a fuzzy set for each word that describes it, such as "low" and "high".
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    name: &'static str,
    sets: Vec<(&'static str, Membership)>,
}

impl Variable {
    /// Returns a variable with its fuzzy sets.
    #[must_use]
    pub fn new(
        name: &'static str,
        sets: impl IntoIterator<Item = (&'static str, Membership)>,
    ) -> Self {
        Self { name, sets: sets.into_iter().collect() }
    }

    fn word(&self, word: &str) -> Result<usize, FuzzyError> {
        let found = self.sets.iter().position(|(name, _)| *name == word);
        found.ok_or_else(|| FuzzyError::Word {
            variable: self.name.to_owned(),
            word: word.to_owned(),
        })
    }

    fn degrees(&self, x: f64) -> Vec<f64> {
        self.sets.iter().map(|(_, set)| set.degree(x)).collect()
    }
}

/// IF x₁ is A₁ AND x₂ is A₂ … THEN y is B (eq. 2), by the indices of the sets.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    conditions: Vec<usize>,
    conclusion: usize,
}

/// Rules from input variables to an output variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Inference {
    inputs: Vec<Variable>,
    output: Variable,
    rules: Vec<Rule>,
}

/// The result of an inference.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// The degree to which each input belongs to each of its sets.
    pub memberships: Vec<Vec<f64>>,
    /// The degree to which each rule holds: the minimum over its conditions.
    pub rules: Vec<f64>,
    /// The degree to which the output belongs to each of its sets: the maximum over the rules that
    /// conclude it, 0 if there are none (eq. 3, eq. 13).
    pub degrees: Vec<f64>,
    /// The output as a number: the mean of the numbers at which its sets have these degrees (eq. 4,
    /// eq. 15).
    pub value: f64,
}

/// An error in the definition of an inference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FuzzyError {
    /// A fuzzy set whose numbers are out of order.
    #[error(
        "the fuzzy set `{word}` of {variable} is invalid: its numbers must be finite and in order"
    )]
    Set {
        /// The variable.
        variable: String,
        /// The fuzzy set.
        word: String,
    },
    /// A fuzzy set of the output that does not give back a number for each degree.
    #[error("the fuzzy set `{0}` of the output must fall or rise in a straight line")]
    Output(String),
    /// A fuzzy set that a variable does not have.
    #[error("variable {variable} has no fuzzy set `{word}`")]
    Word {
        /// The variable.
        variable: String,
        /// The name of the fuzzy set.
        word: String,
    },
    /// A rule without exactly one condition for each input.
    #[error("a rule has {found} conditions for {wanted} inputs")]
    Conditions {
        /// Number of conditions.
        found: usize,
        /// Number of inputs.
        wanted: usize,
    },
    /// An output without fuzzy sets.
    #[error("the output has no fuzzy sets")]
    NoOutput,
}

impl Inference {
    /// Returns an inference. A rule has the name of a set for each input, in the order of the
    /// inputs, and the name of the output's set that it concludes.
    pub fn new<'a>(
        inputs: Vec<Variable>,
        output: Variable,
        rules: impl IntoIterator<Item = (Vec<&'a str>, &'a str)>,
    ) -> Result<Self, FuzzyError> {
        for variable in inputs.iter().chain([&output]) {
            if let Some((word, _)) = variable.sets.iter().find(|(_, set)| !set.is_sound()) {
                let (variable, word) = (variable.name.to_owned(), (*word).to_owned());
                return Err(FuzzyError::Set { variable, word });
            }
        }
        if output.sets.is_empty() {
            return Err(FuzzyError::NoOutput);
        }
        if let Some((word, _)) = output.sets.iter().find(|(_, set)| set.place_of(0.0).is_none()) {
            return Err(FuzzyError::Output((*word).to_owned()));
        }
        let rule = |(conditions, conclusion): (Vec<&str>, &str)| {
            if conditions.len() != inputs.len() {
                let (found, wanted) = (conditions.len(), inputs.len());
                return Err(FuzzyError::Conditions { found, wanted });
            }
            let words = inputs.iter().zip(conditions).map(|(input, word)| input.word(word));
            Ok(Rule {
                conditions: words.collect::<Result<_, _>>()?,
                conclusion: output.word(conclusion)?,
            })
        };
        let rules = rules.into_iter().map(rule).collect::<Result<_, _>>()?;
        Ok(Self { inputs, output, rules })
    }

    /// Infers the output from a number for each input.
    ///
    /// # Panics
    ///
    /// If there is not exactly one number for each input, or one of them is NaN.
    #[must_use]
    pub fn infer(&self, numbers: &[f64]) -> Inferred {
        assert_eq!(numbers.len(), self.inputs.len(), "one number for each input");
        assert!(numbers.iter().all(|number| !number.is_nan()), "inputs are not NaN");
        let memberships: Vec<Vec<f64>> =
            self.inputs.iter().zip(numbers).map(|(input, &x)| input.degrees(x)).collect();
        let holds = |rule: &Rule| {
            let degrees =
                rule.conditions.iter().zip(&memberships).map(|(&word, input)| input[word]);
            degrees.fold(1.0, f64::min)
        };
        let rules: Vec<f64> = self.rules.iter().map(holds).collect();
        let mut degrees = vec![0.0; self.output.sets.len()];
        for (rule, &degree) in self.rules.iter().zip(&rules) {
            degrees[rule.conclusion] = f64::max(degrees[rule.conclusion], degree);
        }
        let places = self.output.sets.iter().zip(&degrees);
        let sum: f64 = places.filter_map(|((_, set), &degree)| set.place_of(degree)).sum();
        let value = sum / degrees.len() as f64;
        Inferred { memberships, rules, degrees, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn sets_have_their_shapes() {
        let falling = Membership::Falling { from: 2.0, to: 6.0 };
        let rising = Membership::Rising { from: 2.0, to: 6.0 };
        for (x, degree) in
            [(-1e300, 1.0), (2.0, 1.0), (3.0, 0.75), (5.0, 0.25), (6.0, 0.0), (9.0, 0.0)]
        {
            close(falling.degree(x), degree);
            close(rising.degree(x), 1.0 - degree);
        }
        let triangle = Membership::Triangle { left: 0.0, peak: 1.0, right: 5.0 };
        for (x, degree) in
            [(-0.1, 0.0), (0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (2.0, 0.75), (5.1, 0.0)]
        {
            close(triangle.degree(x), degree);
        }
        let upright = Membership::Triangle { left: 1.0, peak: 1.0, right: 3.0 };
        close(upright.degree(1.0), 1.0);
        close(upright.degree(2.0), 0.5);
        // exp(-1/2) one deviation away, exp(-2) two.
        let bell = Membership::FallingBell { middle: 1.0, deviation: 2.0 };
        for (x, degree) in [
            (-5.0, 1.0),
            (1.0, 1.0),
            (3.0, 0.606_530_659_712_633_4),
            (5.0, 0.135_335_283_236_612_7),
        ] {
            close(bell.degree(x), degree);
            close(Membership::RisingBell { middle: -1.0, deviation: 2.0 }.degree(-x), degree);
        }
    }

    fn heat() -> Variable {
        let low = Membership::Falling { from: 10.0, to: 30.0 };
        let high = Membership::Rising { from: 10.0, to: 30.0 };
        Variable::new("heat", [("low", low), ("high", high)])
    }

    fn damp() -> Variable {
        let dry = Membership::Triangle { left: 0.0, peak: 0.0, right: 1.0 };
        let wet = Membership::Triangle { left: 0.0, peak: 1.0, right: 1.0 };
        Variable::new("damp", [("dry", dry), ("wet", wet)])
    }

    fn fan() -> Variable {
        let slow = Membership::Falling { from: 0.0, to: 100.0 };
        let fast = Membership::Rising { from: 0.0, to: 100.0 };
        Variable::new("fan", [("slow", slow), ("fast", fast)])
    }

    /// At 25 and 0.4: low 0.25, high 0.75, dry 0.6, wet 0.4. Rules: high and wet 0.4, high and dry
    /// 0.6, low and dry 0.25. So fast max(0.4, 0.6) = 0.6 and slow 0.25: (60 + 75) / 2.
    #[test]
    fn a_rule_holds_to_its_least_condition_and_a_conclusion_to_its_greatest_rule() {
        let rules = [
            (vec!["high", "wet"], "fast"),
            (vec!["high", "dry"], "fast"),
            (vec!["low", "dry"], "slow"),
        ];
        let inferred =
            Inference::new(vec![heat(), damp()], fan(), rules).unwrap().infer(&[25.0, 0.4]);
        for (found, expected) in inferred.rules.iter().zip([0.4, 0.6, 0.25]) {
            close(*found, expected);
        }
        close(inferred.degrees[0], 0.25);
        close(inferred.degrees[1], 0.6);
        close(inferred.value, 67.5);
    }

    #[test]
    fn a_conclusion_without_rules_has_no_degree() {
        let inference = Inference::new(vec![heat()], fan(), [(vec!["low"], "slow")]).unwrap();
        let inferred = inference.infer(&[10.0]);
        assert_eq!(inferred.degrees, [1.0, 0.0]);
        close(inferred.value, 0.0);
    }

    #[test]
    fn invalid_rules_are_refused() {
        let refused =
            |inputs, output, rule| Inference::new(inputs, output, [rule]).unwrap_err().to_string();
        assert_eq!(
            refused(vec![heat()], fan(), (vec!["mild"], "slow")),
            "variable heat has no fuzzy set `mild`"
        );
        assert_eq!(
            refused(vec![heat()], fan(), (vec![], "slow")),
            "a rule has 0 conditions for 1 inputs"
        );
        assert_eq!(
            refused(vec![heat()], damp(), (vec!["low"], "dry")),
            "the fuzzy set `dry` of the output must fall or rise in a straight line"
        );
        let empty = Variable::new("nothing", []);
        assert_eq!(
            refused(vec![heat()], empty, (vec!["low"], "x")),
            "the output has no fuzzy sets"
        );
        for set in [
            Membership::Falling { from: 3.0, to: 3.0 },
            Membership::Rising { from: f64::NAN, to: 3.0 },
            Membership::Triangle { left: 2.0, peak: 1.0, right: 3.0 },
            Membership::FallingBell { middle: 0.0, deviation: 0.0 },
            Membership::RisingBell { middle: f64::INFINITY, deviation: 1.0 },
        ] {
            let odd = Variable::new("odd", [("set", set)]);
            let error = refused(vec![odd], fan(), (vec!["set"], "slow"));
            assert!(error.starts_with("the fuzzy set `set` of odd is invalid"), "{error}");
        }
    }
}
