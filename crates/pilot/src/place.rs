//! The order of links in a queue: higher priorities first, then older links.

/// The place of a link in a queue. Smaller places are fetched first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The priority, mapped so that a higher priority gives a smaller number.
    order: u64,
    /// Number of links that were queued earlier.
    pub age: u64,
}

impl Place {
    /// The place before all others.
    pub const FIRST: Self = Self { order: 0, age: 0 };
    /// The place behind all others.
    pub const LAST: Self = Self { order: u64::MAX, age: u64::MAX };

    /// Returns the place of a link with this priority and age. NaN comes last.
    #[must_use]
    pub fn new(priority: f64, age: u64) -> Self {
        // Adding 0 turns -0 into 0.
        let bits = if priority.is_nan() { f64::NEG_INFINITY } else { priority + 0.0 }.to_bits();
        let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        Self { order: !ascending, age }
    }

    /// Returns the priority.
    #[must_use]
    pub fn priority(self) -> f64 {
        let ascending = !self.order;
        f64::from_bits(if ascending >> 63 == 1 { ascending & !(1 << 63) } else { !ascending })
    }

    /// Returns sixteen bytes that sort as places do.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.order.to_be_bytes());
        bytes[8..].copy_from_slice(&self.age.to_be_bytes());
        bytes
    }

    /// Reads the bytes that [`Place::to_bytes`] wrote.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let bits = u128::from_be_bytes(bytes);
        let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).unwrap_or(u64::MAX);
        Self { order: half(bits >> 64), age: half(bits) }
    }

    /// Returns the place right behind this one.
    #[must_use]
    pub fn behind(self) -> Self {
        match self.age.checked_add(1) {
            Some(age) => Self { age, ..self },
            None => Self { order: self.order.saturating_add(1), age: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Bytes sort like places: by falling priority, then by rising age.
        #[test]
        fn places_sort_by_priority_and_age(a: f64, b: f64, ages: (u64, u64)) {
            let (x, y) = (Place::new(a, ages.0), Place::new(b, ages.1));
            prop_assert_eq!(x.cmp(&y), x.to_bytes().cmp(&y.to_bytes()));
            if a > b { prop_assert!(x < y); }
            prop_assert_eq!(
                Place::new(a, ages.0).cmp(&Place::new(a, ages.1)),
                ages.0.cmp(&ages.1)
            );
            prop_assert_eq!(Place::from_bytes(x.to_bytes()), x);
            prop_assert_eq!(Place::new(x.priority(), ages.0), x);
        }
    }

    #[test]
    fn nan_comes_last() {
        assert!(Place::new(f64::NAN, 0) > Place::new(-1e300, 9));
        assert_eq!(Place::new(-0.0, 3), Place::new(0.0, 3));
        assert!(Place::new(0.5, 3) < Place::new(0.5, 3).behind());
    }
}
