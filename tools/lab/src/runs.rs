//! The runs of an experiment: made on all cores, kept as they come, and not made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use ontrail_artifact::{Checksum, write_atomically};
use ontrail_cli::{LiveLine, Printer, count, stop_flag};
use ontrail_lab::{Comparison, Contender, Outcome, Setting, Speed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::blocks::{Asked, Block, Models, RunArgs};

/// What a change of makes old runs useless.
const FORMAT: u32 = 1;

/// A run as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// What it depends on, in one checksum.
    key: Checksum,
    outcome: Outcome,
}

/// Makes all runs. None if it was stopped.
pub(crate) fn make(
    blocks: &[Block],
    asked: &[Asked],
    args: &RunArgs,
    printer: &mut Printer,
) -> Result<Option<(Comparison, Speed)>> {
    let stop = stop_flag().context("signals cannot be listened to")?;
    let runs = Runs {
        folder: args.output.as_ref().map(|output| output.join("runs")),
        stop,
        line: printer.live_line(),
        done: AtomicU64::new(0),
        pages: AtomicU64::new(0),
        nanoseconds: AtomicU64::new(0),
        kept: AtomicU64::new(0),
        start: Instant::now(),
    };
    if let Some(folder) = &runs.folder {
        fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    let names = asked.iter().map(|it| it.name.clone()).collect();
    let mut comparison = Comparison { names, budget: args.budget, ..Comparison::default() };
    for block in blocks {
        let Some(made) = runs.block(block, asked, args)? else { return Ok(None) };
        comparison.blocks.push(block.name.clone());
        comparison.runs.push(made);
    }
    let (pages, core_seconds) =
        (runs.pages.load(Ordering::Relaxed), runs.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9);
    let speed = Speed {
        pages,
        core_seconds,
        pages_per_core_second: pages as f64 / core_seconds.max(1e-9),
        seconds: runs.start.elapsed().as_secs_f64(),
        kept_runs: runs.kept.load(Ordering::Relaxed),
    };
    Ok(Some((comparison, speed)))
}

struct Runs {
    folder: Option<PathBuf>,
    stop: Arc<AtomicBool>,
    line: LiveLine,
    done: AtomicU64,
    pages: AtomicU64,
    nanoseconds: AtomicU64,
    kept: AtomicU64,
    start: Instant,
}

/// What is needed to run a block, read only if a run is missing.
struct Ready {
    setting: Setting,
    contenders: Vec<Contender>,
}

impl Runs {
    /// The runs of one block: the first of every crawler, and then the repeats of those that leave anything to chance.
    fn block(
        &self,
        block: &Block,
        asked: &[Asked],
        args: &RunArgs,
    ) -> Result<Option<Vec<Vec<Outcome>>>> {
        let ready = std::sync::OnceLock::new();
        let first: Vec<(usize, u64)> = (0..asked.len()).map(|at| (at, 0)).collect();
        let Some(first) = self.all(&first, block, asked, args, &ready)? else { return Ok(None) };
        let mut runs: Vec<Vec<Outcome>> = first.into_iter().map(|outcome| vec![outcome]).collect();
        let again: Vec<(usize, u64)> = (1..args.repeats)
            .flat_map(|repeat| (0..asked.len()).map(move |at| (at, repeat)))
            .filter(|(at, _)| runs[*at][0].has_drawn)
            .collect();
        let Some(made) = self.all(&again, block, asked, args, &ready)? else { return Ok(None) };
        again.into_iter().zip(made).for_each(|((at, _), outcome)| runs[at].push(outcome));
        Ok(Some(runs))
    }

    fn all(
        &self,
        wanted: &[(usize, u64)],
        block: &Block,
        asked: &[Asked],
        args: &RunArgs,
        ready: &std::sync::OnceLock<Ready>,
    ) -> Result<Option<Vec<Outcome>>> {
        let kept: Vec<Option<Outcome>> = wanted
            .iter()
            .map(|(at, repeat)| self.kept(block, &asked[*at], *repeat, args))
            .collect();
        self.kept.fetch_add(kept.iter().flatten().count() as u64, Ordering::Relaxed);
        if kept.iter().any(Option::is_none) && ready.get().is_none() {
            self.line.set(format!("{}: reading the web", block.name));
            let web = block.load()?;
            let models = Models::read(&block.files)?;
            let contenders = models.contenders(asked, &web)?;
            let setting = block.setting(args.budget, args.seed, web)?;
            // There is one thread here.
            let _ = ready.set(Ready { setting, contenders });
        }
        let made: Result<Vec<Option<Outcome>>> = wanted
            .par_iter()
            .zip(kept)
            .map(|((at, repeat), kept)| match (kept, ready.get()) {
                (Some(outcome), _) => Ok(Some(outcome)),
                (None, Some(ready)) => self.run(block, &asked[*at], *repeat, args, ready, *at),
                (None, None) => Ok(None),
            })
            .collect();
        Ok(made?.into_iter().collect())
    }

    fn run(
        &self,
        block: &Block,
        asked: &Asked,
        repeat: u64,
        args: &RunArgs,
        ready: &Ready,
        at: usize,
    ) -> Result<Option<Outcome>> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let made = ontrail_lab::run(&ready.setting, &ready.contenders[at], repeat, &self.stop);
        let made = made.with_context(|| format!("{}: recipe {}", block.name, asked.name))?;
        let Some(outcome) = made else { return Ok(None) };
        self.keep(block, asked, repeat, args, &outcome)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "less than centuries"
        )]
        self.nanoseconds.fetch_add((outcome.seconds * 1e9) as u64, Ordering::Relaxed);
        let pages = self.pages.fetch_add(outcome.pages, Ordering::Relaxed) + outcome.pages;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let rate = pages as f64 / self.start.elapsed().as_secs_f64();
        self.line.set(format!(
            "{}: {} {} · {} runs, {} pages, {rate:.0}/s",
            block.name,
            asked.name,
            repeat + 1,
            count(done),
            count(pages)
        ));
        Ok(Some(outcome))
    }

    /// The file of a run: names for people, cut to what a file system takes, and the start of its key.
    fn path(&self, block: &Block, asked: &Asked, repeat: u64, key: &Checksum) -> Option<PathBuf> {
        let plain = |name: &str| -> String {
            let is_plain = |letter: char| letter.is_alphanumeric() || "-_.=".contains(letter);
            name.chars()
                .take(30)
                .map(|letter| if is_plain(letter) { letter } else { '-' })
                .collect()
        };
        let (block, recipe, key) = (plain(&block.name), plain(&asked.name), key.to_string());
        let name = format!("{block}--{recipe}--{repeat}--{}.json", &key[..12]);
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// A run that was made before with the same web, models, recipe and settings.
    fn kept(&self, block: &Block, asked: &Asked, repeat: u64, args: &RunArgs) -> Option<Outcome> {
        let key = key(block, asked, repeat, args);
        let bytes = fs::read(self.path(block, asked, repeat, &key)?).ok()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        (kept.key == key).then_some(kept.outcome)
    }

    fn keep(
        &self,
        block: &Block,
        asked: &Asked,
        repeat: u64,
        args: &RunArgs,
        outcome: &Outcome,
    ) -> Result<()> {
        let key = key(block, asked, repeat, args);
        let Some(path) = self.path(block, asked, repeat, &key) else { return Ok(()) };
        let text = serde_json::to_vec(&Kept { key, outcome: outcome.clone() })?;
        Ok(write_atomically(&path, |out| out.write_all(&text))?)
    }
}

/// What a run depends on, in one checksum.
fn key(block: &Block, asked: &Asked, repeat: u64, args: &RunArgs) -> Checksum {
    let recipe = toml::to_string(&asked.recipe).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let text = format!(
        "{FORMAT} {version} {} {} {}\n{recipe}",
        block.checksum,
        args.budget,
        args.seed.wrapping_add(repeat)
    );
    Checksum::of(text.as_bytes())
}

/// Writes a file of an experiment's folder.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    Ok(write_atomically(&folder.join(name), |out| out.write_all(text.as_bytes()))?)
}
