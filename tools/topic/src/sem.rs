//! The settings of Sem on the command line.

use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ontrail_artifact::Provenance;
use ontrail_taxonomy::{
    CoincidenceMode, DepthMode, Sem, SemError, SemSettings, Taxonomy, TaxonomyBuilder,
};

use crate::five::Five;

/// How the five factors make up Sem (eq. 1 of fcits-oh).
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Sem")]
pub(crate) struct SemArgs {
    /// The weights k1 to k5 of distance, density, depth, coincidence and relationship; their sum is 1
    #[arg(short, long, value_name = "K1,…,K5", default_value_t = Five([0.2; 5]), allow_hyphen_values = true)]
    k: Five,
    /// x of the distance factor x / (x + distance²)
    #[arg(short, long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    x: f64,
    /// Whether the depth factor grows with the sum of the depths or shrinks with their difference
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    dep_mode: DepMode,
    /// Whether common ancestors are divided by all ancestors or by those of the concept that has more
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    coi_mode: CoiMode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum DepMode {
    #[default]
    Sum,
    Diff,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum CoiMode {
    #[default]
    Union,
    Max,
}

impl SemArgs {
    /// Refuses settings that make no sense, before anything is read.
    pub(crate) fn check(&self) -> Result<()> {
        self.over(&Arc::new(TaxonomyBuilder::new().finish()?))?;
        Ok(())
    }

    /// Sem with these settings over a taxonomy.
    pub(crate) fn over(&self, taxonomy: &Arc<Taxonomy>) -> Result<Sem> {
        let depth = match self.dep_mode {
            DepMode::Sum => DepthMode::Sum,
            DepMode::Diff => DepthMode::Difference,
        };
        let coincidence = match self.coi_mode {
            CoiMode::Union => CoincidenceMode::Union,
            CoiMode::Max => CoincidenceMode::Max,
        };
        let settings = SemSettings { k: self.k.0, x: self.x, depth, coincidence };
        Sem::new(Arc::clone(taxonomy), settings).map_err(|error| match error {
            SemError::Distance(_) => anyhow::anyhow!("--x: {error}"),
            error => anyhow::anyhow!("--k: {error}"),
        })
    }

    pub(crate) fn note(&self, provenance: Provenance) -> Provenance {
        provenance
            .with_parameter("k", self.k)
            .with_parameter("x", self.x)
            .with_parameter("dep_mode", self.dep_mode)
            .with_parameter("coi_mode", self.coi_mode)
    }
}
