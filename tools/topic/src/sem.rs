//! The settings of Sem on the command line.

use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ontrail_artifact::Provenance;
use ontrail_taxonomy::{
    CoincidenceMode, DepthMode, Sem, SemError, SemSettings, Taxonomy, TaxonomyBuilder,
};

use crate::five::Five;

/// The settings of Sem (eq. 1 of fcits-oh).
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of Sem")]
pub(crate) struct SemArgs {
    /// Weights of distance, density, depth, coincidence and relationship, which add up to 1
    #[arg(
        short,
        long,
        value_name = "K1,…,K5",
        default_value_t = Five([0.2; 5]),
        allow_hyphen_values = true
    )]
    k: Five,
    /// Constant x of the distance factor x / (x + distance²), greater than 0
    #[arg(short, long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    x: f64,
    /// Form of the depth factor
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    dep_mode: DepMode,
    /// Form of the coincidence factor
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    coi_mode: CoiMode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum DepMode {
    /// The deeper both classes lie, the more similar they are
    #[default]
    Sum,
    /// The smaller the difference of their depths, the more similar they are
    Diff,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum CoiMode {
    /// Common ancestors divided by all ancestors of both classes
    #[default]
    Union,
    /// Common ancestors divided by the ancestors of the class that has more
    Max,
}

impl SemArgs {
    /// Checks the settings before anything is read.
    pub(crate) fn check(&self) -> Result<()> {
        self.over(&Arc::new(TaxonomyBuilder::new().finish()?))?;
        Ok(())
    }

    /// Creates Sem with these settings for a taxonomy.
    pub(crate) fn over(&self, taxonomy: &Arc<Taxonomy>) -> Result<Sem> {
        let mut settings = SemSettings::default();
        (settings.k, settings.x) = (self.k.0, self.x);
        settings.depth = match self.dep_mode {
            DepMode::Sum => DepthMode::Sum,
            DepMode::Diff => DepthMode::Difference,
        };
        settings.coincidence = match self.coi_mode {
            CoiMode::Union => CoincidenceMode::Union,
            CoiMode::Max => CoincidenceMode::Max,
        };
        Sem::new(Arc::clone(taxonomy), settings).map_err(|error| match error {
            SemError::Distance(_) => anyhow::anyhow!("--x: {error}"),
            error => anyhow::anyhow!("--k: {error}"),
        })
    }

    /// Records the settings as parameters.
    pub(crate) fn record(&self, provenance: Provenance) -> Provenance {
        provenance
            .with_parameter("k", self.k)
            .with_parameter("x", self.x)
            .with_parameter("dep_mode", self.dep_mode)
            .with_parameter("coi_mode", self.coi_mode)
    }
}
