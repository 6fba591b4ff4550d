//! A small bandit: chooses between several ways to pick a link by what each has found lately.

use serde::{Deserialize, Serialize};

/// Settings of a bandit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BanditSettings {
    /// The weight of trying ways that were rarely chosen.
    pub curiosity: f64,
    /// The part of an earlier reward that is left after each further one.
    pub memory: f64,
    /// The reward of the first way, and of the others, before any was tried.
    pub start: [f64; 2],
    /// The number of rewards that these count for.
    pub weight: f64,
    /// Another way is chosen only if its bound is this many times that of the first.
    pub lead: f64,
}

impl Default for BanditSettings {
    fn default() -> Self {
        Self { curiosity: 0.1, memory: 0.99, start: [1.0, 0.5], weight: 1.5, lead: 1.0 }
    }
}

/// Chooses between ways, called arms, by an upper confidence bound on the mean of their rewards
/// (Auer, Cesa-Bianchi and Fischer 2002), in which old rewards fade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bandit {
    settings: BanditSettings,
    /// Sum of rewards and number of choices of each arm, faded.
    arms: Vec<(f64, f64)>,
}

impl Bandit {
    /// Returns a bandit with this many arms. It expects most of the first.
    #[must_use]
    pub fn new(settings: BanditSettings, arms: usize) -> Self {
        let arm = |number: usize| {
            let mean = settings.start[usize::from(number > 0)];
            (mean * settings.weight, settings.weight)
        };
        Self { settings, arms: (0..arms).map(arm).collect() }
    }

    /// Returns the arms, the best first. Of equal arms the lower number comes first.
    #[must_use]
    pub fn ranked(&self) -> Vec<usize> {
        let total: f64 = self.arms.iter().map(|(_, count)| count).sum();
        let spread = libm::log(total.max(1.0));
        let bound = |arm: usize| {
            let (reward, count) = self.arms[arm];
            let count = count.max(1e-9);
            let lead = if arm == 0 { self.settings.lead } else { 1.0 };
            lead * (reward / count + self.settings.curiosity * (spread / count).sqrt())
        };
        let mut arms: Vec<usize> = (0..self.arms.len()).collect();
        arms.sort_by(|a, b| bound(*b).total_cmp(&bound(*a)));
        arms
    }

    /// Credits an arm with a reward from 0 to 1.
    pub fn reward(&mut self, arm: usize, reward: f64) {
        for (sum, count) in &mut self.arms {
            *sum *= self.settings.memory;
            *count *= self.settings.memory;
        }
        if let Some((sum, count)) = self.arms.get_mut(arm) {
            *sum += reward;
            *count += 1.0;
        }
    }

    /// Returns the mean reward of each arm and the number of choices that it counts, faded.
    #[must_use]
    pub fn means(&self) -> Vec<(f64, f64)> {
        self.arms.iter().map(|(sum, count)| (sum / count.max(1e-9), *count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arm_that_finds_most_is_chosen() {
        let mut bandit = Bandit::new(BanditSettings::default(), 3);
        assert_eq!(bandit.ranked()[0], 0);
        let mut chosen = [0; 3];
        for _ in 0..300 {
            let arm = bandit.ranked()[0];
            chosen[arm] += 1;
            bandit.reward(arm, [0.1, 0.6, 0.3][arm]);
        }
        assert!(chosen[1] > 200, "{chosen:?}");
        assert!(bandit.means()[1].0 > bandit.means()[0].0);
    }

    /// Means 0.5 and 0.4 with 2 and 1 rewards: ln 3 = 1.098612, so the bounds are 0.5 + 0.1 ·
    /// 0.741152 = 0.574115 and 0.4 + 0.1 · 1.048147 = 0.504815.
    #[test]
    fn bounds_are_as_worked_out_by_hand() {
        let settings = BanditSettings::default();
        let bandit = Bandit { settings, arms: vec![(1.0, 2.0), (0.4, 1.0)] };
        assert_eq!(bandit.ranked(), [0, 1]);
        let settings = BanditSettings { curiosity: 0.4, ..settings };
        let curious = Bandit { settings, arms: vec![(1.0, 2.0), (0.4, 1.0)] };
        // 0.5 + 0.296461 = 0.796461 against 0.4 + 0.419259 = 0.819259.
        assert_eq!(curious.ranked(), [1, 0]);
        // 1.03 · 0.796461 = 0.820355.
        let settings = BanditSettings { lead: 1.03, ..curious.settings };
        assert_eq!(Bandit { settings, ..curious }.ranked(), [0, 1]);
    }
}
