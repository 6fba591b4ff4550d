//! Thresholds of a recipe: numbers, or `auto`.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A threshold of a recipe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Computed from the scores of pages, because a number means nothing on another topic.
    Auto,
    /// This number.
    At(f64),
}

impl Cut {
    /// Returns the number, or `auto` for a threshold that is computed.
    #[must_use]
    pub fn or(self, auto: f64) -> f64 {
        match self {
            Self::Auto => auto,
            Self::At(number) => number,
        }
    }

    /// Returns true if the threshold is computed.
    #[must_use]
    pub fn is_auto(self) -> bool {
        self == Self::Auto
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::At(number) => number.fmt(f),
        }
    }
}

impl Serialize for Cut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = match self {
            Self::Auto => None,
            Self::At(number) => Some(*number),
        };
        match number {
            None if serializer.is_human_readable() => serializer.serialize_str("auto"),
            Some(number) if serializer.is_human_readable() => serializer.serialize_f64(number),
            number => number.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Cut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(CutVisitor)
        } else {
            let number: Option<f64> = Deserialize::deserialize(deserializer)?;
            Ok(number.map_or(Self::Auto, Self::At))
        }
    }
}

struct CutVisitor;

impl Visitor<'_> for CutVisitor {
    type Value = Cut;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or \"auto\"")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Cut, E> {
        Ok(Cut::At(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Cut, E> {
        Ok(Cut::At(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Cut, E> {
        Ok(Cut::At(number as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cut, E> {
        match text {
            "auto" => Ok(Cut::Auto),
            other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        threshold: Cut,
    }

    #[test]
    fn a_cut_is_a_number_or_auto() {
        for (text, cut) in [
            ("threshold = \"auto\"\n", Cut::Auto),
            ("threshold = 0.62\n", Cut::At(0.62)),
            ("threshold = 1.0\n", Cut::At(1.0)),
        ] {
            let read: Holder = toml::from_str(text).unwrap();
            assert_eq!(read, Holder { threshold: cut });
            assert_eq!(toml::to_string(&read).unwrap(), text);
            let stored = postcard::to_stdvec(&read).unwrap();
            assert_eq!(postcard::from_bytes::<Holder>(&stored).unwrap(), read);
        }
        assert_eq!(toml::from_str::<Holder>("threshold = 1").unwrap().threshold, Cut::At(1.0));
        let error = toml::from_str::<Holder>("threshold = \"high\"").unwrap_err().to_string();
        assert!(error.contains("expected a number or \"auto\""), "{error}");
    }
}
