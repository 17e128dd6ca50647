//! The lanes of a server, and the one that a request belongs to.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, OwnedMutexGuard};
use tokio::time::Instant;

use indexmap::IndexMap;

use crate::compiled_script::CompiledModelScript;
use crate::mint::letters_of;
use crate::model_lane::{LaneSource, ModelLane};
use crate::offered::quoted;
use crate::problem::{ModelProblem, ModelProblemKind};
use ananke_base::context::lock;
use ananke_model::model::ModelIsolation;

/// The name of the lane of requests that no test causes.
const BACKGROUND: &str = "background";

/// The most lanes that requests open. Agents make up their names.
const MOST_LANES: usize = 10_000;

/// The key of the model of lanes that requests open.
const MODEL: &str = "model";

/// The most lanes that a message lists.
const MOST_NAMES: usize = 10;

/// The lanes of a server, by their names.
#[derive(Default)]
pub struct ModelLanes {
    open: Mutex<IndexMap<String, Arc<ModelLane>>>,
    /// The lane of requests that no test causes, such as those for titles. It answers all of them alike.
    background: Option<Arc<ModelLane>>,
    /// The signal for those that wait for the turn of another lane.
    turn_ended: Notify,
    /// The turns that have waited for another.
    waits: Mutex<TurnWaits>,
    /// The opener of the lanes that requests name.
    opener: Option<LaneOpener>,
    /// The lanes that have got another script since, if something was wrong in them.
    replaced: Mutex<Vec<Arc<ModelLane>>>,
    /// The lock of the one lane that may be open, if they are opened one after the other.
    one_at_a_time: Option<Arc<tokio::sync::Mutex<()>>>,
}

/// The source of the answers of a lane that a request names and that is not open.
pub type LaneOpener = Box<dyn Fn(&str) -> LaneSource + Send + Sync>;

/// The right to be the one open lane, where lanes are opened one after the other.
pub type LanePermit = OwnedMutexGuard<()>;

/// The marks of a request, best first.
pub(crate) struct LaneEvidence {
    /// The lane that the path names.
    pub(crate) of_path: Option<String>,
    /// The lane that the header `baggage` names.
    pub(crate) of_baggage: Option<String>,
    /// The letters of lanes that ids in the conversation name.
    pub(crate) letters: Vec<String>,
    /// The last message of the user; empty if it is not known.
    pub(crate) user_text: String,
}

/// The turns that have waited until that of another lane was over, because the text of a request could belong to both.
#[derive(Clone, Debug, Default)]
pub struct TurnWaits {
    /// The number of turns.
    pub turns: usize,
    /// The time that they have waited, all together.
    pub time: Duration,
    /// The lane of the last one, and the lane that it waited for.
    pub last: (String, String),
}

impl ModelLanes {
    /// Lanes of which one alone is open at a time if their `isolation` is serial. Requests that a rule of `background` matches are
    /// in no lane.
    ///
    /// # Errors
    /// If a pattern of the rules cannot be compiled.
    pub fn new(
        model: &str,
        background: CompiledModelScript,
        isolation: ModelIsolation,
    ) -> Result<Self, regex::Error> {
        let mut lanes = Self::default();
        if !background.rules.is_empty() {
            let letters = letters_of(BACKGROUND, 0);
            let lane = ModelLane::new(BACKGROUND, model, letters, background)?;
            lanes.background = Some(Arc::new(lane));
        }
        if isolation == ModelIsolation::Serial {
            lanes.one_at_a_time = Some(Arc::default());
        }
        Ok(lanes)
    }

    /// Lanes that requests open by naming them. A request that names none belongs to [`Self::DEFAULT`].
    pub fn on_demand(opener: LaneOpener) -> Self {
        Self {
            opener: Some(opener),
            ..Self::default()
        }
    }

    /// The name of the lane of requests that name none.
    pub const DEFAULT: &'static str = "default";

    /// Waits until another lane may be opened; `None` if any number may be open.
    pub async fn permit(&self) -> Option<LanePermit> {
        let lock = self.one_at_a_time.clone()?;
        Some(lock.lock_owned().await)
    }

    /// The lane of requests that no test causes.
    pub(crate) fn background(&self) -> Option<&Arc<ModelLane>> {
        self.background.as_ref()
    }

    /// Begins a turn in which the user says `text`, once no other lane has a turn with a text that contains it or is contained in
    /// it: the text of a request then names one lane.
    pub async fn begin_turn(&self, lane: &ModelLane, text: &str) {
        let begun = Instant::now();
        let mut waited_for = None;
        loop {
            // The wait is registered before the lanes are looked at, so that the end of a turn in between wakes it.
            let ended = self.turn_ended.notified();
            let Err(other) = self.try_begin_turn(lane, text) else {
                break;
            };
            waited_for = Some(other);
            ended.await;
        }
        if let Some(other) = waited_for {
            let mut waits = lock(&self.waits);
            waits.turns += 1;
            waits.time += begun.elapsed();
            waits.last = (lane.name().to_owned(), other);
        }
    }

    /// So many turns have waited so far, and why.
    pub fn waits(&self) -> TurnWaits {
        lock(&self.waits).clone()
    }

    /// Ends the turn of a lane.
    pub fn end_turn(&self, lane: &ModelLane) {
        lane.set_turn(None);
        self.turn_ended.notify_waiters();
    }

    /// Begins a turn unless that of another lane, whose name is returned then, could be taken for it.
    fn try_begin_turn(&self, lane: &ModelLane, text: &str) -> Result<(), String> {
        // The lock makes one step of the look at the others and the beginning.
        let lanes = self.lanes();
        for other in lanes.values() {
            if let Some(said) = other.turn_text()
                && other.name() != lane.name()
                && !said.is_empty()
                && !text.is_empty()
                && (said.contains(text) || text.contains(&said))
            {
                return Err(other.name().to_owned());
            }
        }
        lane.set_turn(Some(text.to_owned()));
        Ok(())
    }

    /// Adds a problem to every lane that it may be of: those with a turn, or all if none has one.
    pub(crate) fn add_to_candidates(&self, problem: &ModelProblem) -> bool {
        let lanes = self.lanes();
        let has_turns = lanes.values().any(|lane| lane.turn_text().is_some());
        for lane in lanes.values() {
            if !has_turns || lane.turn_text().is_some() {
                lane.add_problem(problem.clone());
            }
        }
        !lanes.is_empty()
    }

    /// Opens a lane of the model `model`. One of the same name is replaced.
    ///
    /// # Errors
    /// If a pattern of the script cannot be compiled.
    pub fn open(
        &self,
        name: &str,
        model: &str,
        source: impl Into<LaneSource>,
    ) -> Result<Arc<ModelLane>, regex::Error> {
        let mut lanes = self.lanes();
        lanes.shift_remove(name);
        open_in(&mut lanes, name, model, source.into())
    }

    /// Closes a lane: no request belongs to it any more.
    pub fn close(&self, lane: &ModelLane) {
        self.lanes().shift_remove(lane.name());
        self.end_turn(lane);
    }

    /// The open lane that a URL or a header names.
    pub fn get(&self, name: &str) -> Option<Arc<ModelLane>> {
        self.lanes().get(name).cloned()
    }

    /// Every lane, in the order in which they were opened, after those that were replaced.
    pub fn all(&self) -> Vec<Arc<ModelLane>> {
        let replaced = lock(&self.replaced);
        let mut all = replaced.clone();
        all.extend(self.lanes().values().cloned());
        all
    }

    /// Whether an open lane has recordings instead of a script.
    pub(crate) fn have_recordings(&self) -> bool {
        self.lanes().values().any(|lane| lane.has_recordings())
    }

    /// Gives a lane another script, or opens one with it. What was not used of its script so far is a problem.
    ///
    /// # Errors
    /// If a pattern of the script cannot be compiled, or there are too many lanes.
    pub(crate) fn replace(&self, name: &str, script: CompiledModelScript) -> Result<(), String> {
        let mut lanes = self.lanes();
        if lanes.len() >= MOST_LANES && !lanes.contains_key(name) {
            return Err(format!("there are {MOST_LANES} lanes, and no more"));
        }
        let earlier = lanes.shift_remove(name);
        let opened = open_in(&mut lanes, name, MODEL, script.into());
        if let Err(error) = opened {
            // A lane stays as it is if its next script cannot be used.
            if let Some(earlier) = earlier {
                lanes.insert(name.to_owned(), earlier);
            }
            return Err(format!("a pattern cannot be used: {error}"));
        }
        drop(lanes);
        if let Some(earlier) = earlier {
            earlier.finish();
            let mut replaced = lock(&self.replaced);
            if earlier.has_problem() && replaced.len() < MOST_LANES {
                replaced.push(earlier);
            }
        }
        Ok(())
    }

    /// The lane that the evidence names: the first that names one decides.
    ///
    /// # Errors
    /// If nothing names a lane for certain, or two marks name different ones.
    pub(crate) fn find(&self, evidence: &LaneEvidence) -> Result<Arc<ModelLane>, ModelProblem> {
        let mut lanes = self.lanes();
        let mut found: Option<Arc<ModelLane>> = None;
        for (mark, name) in [
            ("URL", &evidence.of_path),
            ("header `baggage`", &evidence.of_baggage),
        ] {
            let Some(name) = name else { continue };
            self.open_named(name, &mut lanes);
            let Some(lane) = lanes.get(name) else {
                let message = format!(
                    "the {mark} of a request names the lane `{name}`, which does not exist"
                );
                return Err(unattributed(message, &lanes));
            };
            agree(&mut found, lane)?;
        }
        for letters in &evidence.letters {
            // Unknown letters decide nothing, because ids of an earlier conversation name a lane that is closed.
            if let Some(lane) = lanes.values().find(|lane| lane.letters() == letters) {
                agree(&mut found, lane)?;
            }
        }
        if !evidence.user_text.is_empty() {
            for lane in lanes.values() {
                if let Some(said) = lane.turn_text()
                    && !said.is_empty()
                    && evidence.user_text.contains(&said)
                {
                    agree(&mut found, lane)?;
                }
            }
        }
        match found {
            Some(lane) => Ok(lane),
            None if self.opener.is_some() => {
                self.open_named(Self::DEFAULT, &mut lanes);
                match lanes.get(Self::DEFAULT) {
                    Some(lane) => Ok(Arc::clone(lane)),
                    None => Err(unattributed("there are too many lanes".to_owned(), &lanes)),
                }
            }
            // With one lane, every request is of it.
            None if lanes.len() == 1 => Ok(Arc::clone(&lanes[0])),
            None => {
                let message = "a request to the model belongs to no lane for certain".to_owned();
                Err(unattributed(message, &lanes))
            }
        }
    }

    /// Opens the lane of this name if requests open lanes and it is not open.
    fn open_named(&self, name: &str, lanes: &mut IndexMap<String, Arc<ModelLane>>) {
        let Some(opener) = &self.opener else { return };
        if lanes.contains_key(name) || lanes.len() >= MOST_LANES {
            return;
        }
        // Patterns alone can be wrong in a lane, and one that is opened so has none.
        let _opened = open_in(lanes, name, MODEL, opener(name));
    }

    fn lanes(&self) -> MutexGuard<'_, IndexMap<String, Arc<ModelLane>>> {
        lock(&self.open)
    }
}

/// Opens a lane whose letters no other has.
fn open_in(
    lanes: &mut IndexMap<String, Arc<ModelLane>>,
    name: &str,
    model: &str,
    source: LaneSource,
) -> Result<Arc<ModelLane>, regex::Error> {
    // Letters are made from the name, so that recordings do not change. Another lane may have the same by chance.
    let mut attempt = 0;
    let mut letters = letters_of(name, attempt);
    while lanes.values().any(|lane| lane.letters() == letters) {
        attempt += 1;
        letters = letters_of(name, attempt);
    }
    let lane = Arc::new(ModelLane::new(name, model, letters, source)?);
    lanes.insert(name.to_owned(), Arc::clone(&lane));
    Ok(lane)
}

/// Takes another mark for `lane` into account.
fn agree(found: &mut Option<Arc<ModelLane>>, lane: &Arc<ModelLane>) -> Result<(), ModelProblem> {
    match found {
        Some(known) if !Arc::ptr_eq(known, lane) => {
            let message = format!(
                "a request to the model names the lane `{}` and also the lane `{}`",
                known.name(),
                lane.name()
            );
            Err(
                ModelProblem::new(ModelProblemKind::Unattributed, message).help(
                    "let each conversation of the agent have its own messages and its own client",
                ),
            )
        }
        _ => {
            *found = Some(Arc::clone(lane));
            Ok(())
        }
    }
}

fn unattributed(message: String, lanes: &IndexMap<String, Arc<ModelLane>>) -> ModelProblem {
    let mut names = Vec::new();
    for name in lanes.keys().take(MOST_NAMES) {
        names.push(name.as_str());
    }
    let problem = ModelProblem::new(ModelProblemKind::Unattributed, message);
    let problem = if names.is_empty() {
        problem.fact("no lane is open")
    } else {
        problem.fact(format!("the lanes are {}", quoted(&names)))
    };
    problem.help(
        "let the base URL of the agent name its lane (`URL/t/NAME/v1`), or pass the header `baggage: ananke.test=NAME` on",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_waits_for_another_is_counted_with_its_time() {
        let lanes = ModelLanes::default();
        let open = |name| {
            let script = CompiledModelScript::default();
            lanes.open(name, "main", script).unwrap()
        };
        let (first, second, third) = (open("a"), open("b"), open("c"));
        lanes.begin_turn(&first, "Pay my cart.").await;
        lanes.begin_turn(&third, "Show it.").await;
        assert_eq!(lanes.waits().turns, 0);
        let ending = async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            lanes.end_turn(&first);
        };
        tokio::join!(lanes.begin_turn(&second, "Pay my"), ending);
        let waits = lanes.waits();
        assert_eq!((waits.turns, waits.time), (1, Duration::from_secs(3)));
        assert_eq!(waits.last, ("b".to_owned(), "a".to_owned()));
    }
}
