//! The run that one or several documents are of (SPEC 17): a document, or the shards of one selection, as the events of the run
//! that has all their tests.
//!
//! Every document is read twice: first what it says of the run, and which tests it has; then its results, one at a time.
//! **Invariant:** shards that overlap, that are not all there, or that are of other test files are refused; memory does not
//! grow with what a test did.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::{io, thread};

use super::reader::{ResultId, outcome, read_results};
use super::{ResultLine, RunHead};
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::text::any_of;
use ananke_trace::outcome::{Outcome, RunClose, RunEvent, Shard, Verdict};

/// The number of results that are read ahead of each shard.
const AHEAD: usize = 8;

/// The stack of a thread that reads a document, in bytes.
const STACK: usize = 2 << 20;

/// The remedy for shards that do not have every test once.
const SPLIT_ALIKE: &str = "these shards were split by different histories: give every machine the same `.ananke/history.jsonl`";

/// The most names that a message lists.
const LISTED: usize = 5;

/// The run that some documents are of.
#[derive(Debug)]
pub struct MergedRun {
    parts: Vec<RunPart>,
    /// For each test in the order of the run, the part that has it.
    order: Vec<u32>,
}

/// A document, and what it says of the run.
#[derive(Debug)]
struct RunPart {
    path: PathBuf,
    /// The file as messages name it.
    name: String,
    head: RunHead,
}

impl MergedRun {
    /// Reads the documents, each a path and its name in messages.
    ///
    /// # Errors
    /// Everything that is wrong with any of them; or, if nothing is, what keeps them from being one run.
    pub fn open(files: Vec<(PathBuf, String)>) -> Result<Self, Vec<Diagnostic>> {
        let (mut parts, mut problems) = (Vec::new(), Vec::new());
        let mut tests = HashMap::new();
        let mut shared = None;
        for (path, name) in files {
            let number = parts.len();
            let head = read_results(&path, &name, &mut |ResultId { id }| {
                if let Some(other) = tests.insert(id.clone(), number) {
                    shared.get_or_insert((id, other, number));
                }
                Ok(())
            });
            match head {
                Ok(head) => parts.push(RunPart { path, name, head }),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            problems.extend(wrong_parts(&parts));
        }
        // Only parts that fit have tests to compare.
        if let (true, Some((id, one, other))) = (problems.is_empty(), shared) {
            let message = format!(
                "the test `{id}` is in `{}` and in `{}`",
                parts[one].name, parts[other].name
            );
            problems.push(error(message, SPLIT_ALIKE));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        // The run is the same, whatever part is named first.
        parts.sort_by_key(|part| part.head.facts.shard.as_ref().map(|shard| shard.index));
        let order = order(&parts).map_err(|problem| vec![problem])?;
        Ok(Self { parts, order })
    }

    /// Whether it is put together of several documents.
    pub fn is_merged(&self) -> bool {
        self.parts.len() > 1
    }

    /// Hands the events of the run to `take`: its beginning, the outcome of each test in the order of the run, and its end.
    ///
    /// # Errors
    /// The errors of `take`, and if a document is not as it was when it was opened.
    pub fn events(&self, take: &mut dyn FnMut(RunEvent) -> io::Result<()>) -> io::Result<()> {
        self.head().events(|take| self.outcomes(take), take)
    }

    /// The run that all parts are of: the facts of the first, as a run of all shards has them.
    fn head(&self) -> RunHead {
        let heads = || self.parts.iter().map(|part| &part.head);
        let mut merged = self.parts[0].head.clone();
        if merged.facts.shard.take().is_some() {
            merged.facts.command = without_shard(merged.facts.command);
        }
        merged.selected = heads().map(|head| head.selected).sum();
        merged.total = heads().map(|head| head.total).sum();
        let started = heads().map(|head| head.started_unix_ms).min();
        merged.started_unix_ms = started.unwrap_or_default();
        merged.close = closed(heads());
        merged
    }

    fn outcomes(&self, take: &mut dyn FnMut(Outcome) -> io::Result<()>) -> io::Result<()> {
        thread::scope(|scope| {
            let mut results = Vec::new();
            for part in &self.parts {
                let (sender, receiver) = sync_channel(AHEAD);
                let read = move || {
                    let found =
                        read_results(&part.path, &part.name, &mut |line: ResultLine<'_>| {
                            let gone = "nothing more is read";
                            sender.send(Ok(outcome(line)?)).map_err(|_| gone.to_owned())
                        });
                    if let Err(problem) = found {
                        // Nothing is read any more after another error.
                        let _is_gone = sender.send(Err(io::Error::other(problem.message)));
                    }
                };
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, read)?;
                results.push(receiver);
            }
            let order = self.order.iter();
            order.copied().try_for_each(|part| {
                take(next(&results[part as usize], &self.parts[part as usize])?)
            })
        })
    }
}

fn next(results: &Receiver<io::Result<Outcome>>, part: &RunPart) -> io::Result<Outcome> {
    results.recv().unwrap_or_else(|_| {
        let message = format!("`{}` was changed while it was read", part.name);
        Err(io::Error::other(message))
    })
}

/// For each test in the order of the run, the part that has it; an error if a test is in no part.
fn order(parts: &[RunPart]) -> Result<Vec<u32>, Diagnostic> {
    let shards = parts.iter().map(|part| part.head.facts.shard.as_ref());
    let Some(shards) = shards.collect::<Option<Vec<_>>>() else {
        return Ok(vec![0; parts[0].head.total]);
    };
    let places = (0..).zip(&shards);
    let mut places: Vec<(u32, u32)> = places
        .flat_map(|(part, shard)| shard.places.iter().map(move |place| (*place, part)))
        .collect();
    places.sort_unstable();
    let tests = shards[0].tests;
    let is_whole = places.iter().map(|(place, _)| *place as usize).eq(0..tests);
    if !is_whole {
        let message = format!("these shards do not have each of the {tests} tests once");
        return Err(error(message, SPLIT_ALIKE));
    }
    Ok(places.into_iter().map(|(_, part)| part).collect())
}

/// An error of the documents.
fn error(message: String, help: &str) -> Diagnostic {
    Diagnostic::error(Code::BadReport, message).help(help)
}

/// Everything that keeps some documents from being one run, but for tests that are in several of them or in none.
fn wrong_parts(parts: &[RunPart]) -> Vec<Diagnostic> {
    let shards: Vec<(&RunPart, &Shard)> = parts
        .iter()
        .filter_map(|part| Some((part, part.head.facts.shard.as_ref()?)))
        .collect();
    if parts.len() == 1 && shards.is_empty() {
        return Vec::new();
    }
    let without_shard = parts.iter().filter(|part| part.head.facts.shard.is_none());
    let mut problems: Vec<Diagnostic> = without_shard
        .map(|part| {
            let message = format!("`{}` is not the report of a shard", part.name);
            error(message, "only the reports of `ananke run --shard` are one run together; `ananke compare` compares two runs")
        })
        .collect();
    let Some((first, others)) = shards.split_first().filter(|_| problems.is_empty()) else {
        return problems;
    };
    for other in others {
        problems.extend(other_split(*first, *other));
        problems.extend(other_files(first.0, other.0));
    }
    if problems.is_empty() {
        problems = wrong_shards(&shards, first.1.total);
    }
    problems
}

/// The error of two shards that are not of one split.
fn other_split(
    (first, one): (&RunPart, &Shard),
    (part, two): (&RunPart, &Shard),
) -> Option<Diagnostic> {
    let (first, part) = (&first.name, &part.name);
    if one.total != two.total {
        return Some(error(
            format!("`{first}` is shard {one} and `{part}` is shard {two}"),
            "reports of one run have the same number of shards",
        ));
    }
    ((one.by, one.tests) != (two.by, two.tests)).then(|| {
        let (one, two) = (one.tests, two.tests);
        error(
            format!("`{first}` and `{part}` are shards of different tests: of {one} and of {two}"),
            "every machine must select the same tests with the same options",
        )
    })
}

/// The errors of shards of one split that are there twice, did not come to their end, or are missing.
fn wrong_shards(shards: &[(&RunPart, &Shard)], total: u32) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut known: BTreeMap<u32, &RunPart> = BTreeMap::new();
    for (part, shard) in shards {
        if let Some(other) = known.insert(shard.index, *part) {
            let message = format!(
                "`{}` and `{}` are both shard {shard}",
                other.name, part.name
            );
            problems.push(error(message, "name each report once"));
        }
        if part.head.close.is_none() || part.head.total != shard.places.len() {
            let (total, tests) = (part.head.total, shard.places.len());
            let message = format!(
                "`{}` has {total} of the {tests} tests of shard {shard}",
                part.name
            );
            problems.push(error(
                message,
                "its run did not come to its end: run this shard again",
            ));
        }
    }
    let missing = (1..=total).filter(|index| !known.contains_key(index));
    let missing: Vec<String> = missing.map(|index| format!("{index}/{total}")).collect();
    if !missing.is_empty() {
        let shown = any_of(&missing[..missing.len().min(LISTED)]).replace(" or ", " and ");
        let (word, verb) = if missing.len() == 1 {
            ("shard", "is")
        } else {
            ("shards", "are")
        };
        let more = match missing.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        problems.push(error(
            format!("{word} {shown}{more} {verb} missing"),
            "name the reports of all shards: what is not there is not known to have passed",
        ));
    }
    problems
}

/// The error of test files that are not the same in two parts.
fn other_files(one: &RunPart, other: &RunPart) -> Option<Diagnostic> {
    let [mine, theirs] = [one, other].map(|part| &part.head.facts.files);
    let mut files = mine
        .keys()
        .chain(theirs.keys().filter(|file| !mine.contains_key(*file)));
    let file = files.find(|file| mine.get(*file) != theirs.get(*file))?;
    let message = format!(
        "`{file}` is another file in `{}` than in `{}`",
        other.name, one.name
    );
    Some(error(message, "every machine must run the same commit"))
}

/// The end of the run; `None` if one of the parts did not come to its end.
fn closed<'h>(heads: impl Iterator<Item = &'h RunHead>) -> Option<RunClose> {
    let closes = heads.map(|head| head.close.clone());
    let mut merged = closes.reduce(|one, other| {
        let (mut one, mut other) = (one?, other?);
        let found = &mut one.verdict.near_names.found;
        found.append(&mut other.verdict.near_names.found);
        // The tests that are gone are in no shard: each shard names them.
        let gone = other.verdict.gone.into_iter();
        let further = gone
            .filter(|id| !one.verdict.gone.contains(id))
            .collect::<Vec<_>>();
        one.verdict.gone.extend(further);
        Some(RunClose {
            verdict: Verdict {
                lost: one.verdict.lost.or(other.verdict.lost),
                ..one.verdict
            },
            elapsed_us: one.elapsed_us.max(other.elapsed_us),
            interrupted: one.interrupted || other.interrupted,
        })
    })??;
    let found = &mut merged.verdict.near_names.found;
    found.sort_unstable();
    found.dedup();
    Some(merged)
}

/// A command line without the options that select a shard. `--shard` and its value are one argument of it.
fn without_shard(command: Vec<String>) -> Vec<String> {
    let mut kept = Vec::with_capacity(command.len());
    let mut arguments = command.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.split('=').next() {
            Some("--shard") => {}
            Some("--shard-by") if argument.contains('=') => {}
            Some("--shard-by") => drop(arguments.next()),
            _ => kept.push(argument),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_merged_run_selects_no_shard() {
        for command in [
            "ananke run --shard=2/5 specs --shard-by time -o a.json",
            "ananke run specs --shard --shard-by=count -o a.json",
            "ananke run specs -o a.json",
        ] {
            let words = command.split(' ').map(str::to_owned).collect();
            assert_eq!(without_shard(words).join(" "), "ananke run specs -o a.json");
        }
    }
}
