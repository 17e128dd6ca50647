//! The actions of the user after the written turns of a walk: those that are possible, one after the other.

use futures_util::future::BoxFuture;

use super::script_oracle::ScriptOracle;
use crate::attempt::Attempt;
use crate::context::{UnwrittenInput, UnwrittenRequest, UnwrittenTurn, WalkRoute, turn_count};
use crate::series::WalkRandom;
use ananke_base::context::lock;
use ananke_conversation::{ConversationSoFar, can_send};
use ananke_plan::LateTurn;
use ananke_plan::compile::{CompiledAction, WalkPlan};
use ananke_trace::outcome::{ErrorKind, Halt, InputOrigin, Problem};

/// The walk of one attempt.
pub(crate) struct WalkInput<'a> {
    attempt: &'a Attempt<'a>,
    scripts: ScriptOracle<'a>,
    plan: &'a WalkPlan,
    actions: Vec<CompiledAction>,
    route: WalkRoute,
    random: WalkRandom,
    /// The number of actions that were taken.
    taken: usize,
}

impl<'a> WalkInput<'a> {
    /// The walk of `attempt` over `actions`, on the route that its series of attempts has chosen.
    pub(crate) fn new(
        attempt: &'a Attempt<'a>,
        scripts: ScriptOracle<'a>,
        plan: &'a WalkPlan,
        actions: Vec<CompiledAction>,
    ) -> Self {
        let route = lock(&attempt.case.walk).route.clone();
        let number = match route {
            WalkRoute::Explore(number) => number,
            // The random numbers are not used on a given route, so any number will do.
            WalkRoute::Given(_) => 0,
        };
        let random = WalkRandom::of_walk(plan.seed, number);
        Self {
            attempt,
            scripts,
            plan,
            actions,
            route,
            random,
            taken: 0,
        }
    }

    /// Takes the next action, and returns its turn; `None` if the walk is over.
    ///
    /// # Errors
    /// If an action cannot be filled, or none was possible from the beginning.
    fn action(&mut self, so_far: ConversationSoFar<'_>) -> Result<Option<UnwrittenTurn>, Halt> {
        if self.steps_left() == 0 {
            return Ok(None);
        }
        // Reports show for each action how often it was possible, taken or not.
        let mut possible = self.possible(so_far)?;
        let mut walk = lock(&self.attempt.case.walk);
        for (name, _turn) in &possible {
            *walk.possible.entry(name.clone()).or_default() += 1;
        }

        // A walk that explores takes any possible action. One that is shrunk or repeated takes the next action of its route,
        // which may not be possible any more.
        let chosen_index = match &self.route {
            WalkRoute::Explore(_) if possible.is_empty() => None,
            WalkRoute::Explore(_) => Some(self.random.below(possible.len())),
            WalkRoute::Given(names) => {
                let wanted = names.get(self.taken);
                possible
                    .iter()
                    .position(|(name, _turn)| wanted == Some(name))
            }
        };
        let Some(chosen_index) = chosen_index else {
            // The result of a walk that leaves its given route is that of another walk, so the search for a shorter one ignores
            // it. For a walk that explores, nothing reads this.
            walk.has_left_route = true;
            drop(walk);
            // Later, a walk ends if nothing is possible any more. A walk that could never begin is a mistake in the test.
            if self.taken == 0 && possible.is_empty() {
                return Err(self.stuck(so_far));
            }
            return Ok(None);
        };
        let (name, filled) = possible.swap_remove(chosen_index);
        walk.taken.push(name.clone());
        drop(walk);
        self.taken += 1;

        // The recording keeps the names of the actions, so that a replay takes the same ones.
        let environment = &self.attempt.environment;
        environment.add_secrets(&filled.secrets);
        if let Some(recorder) = environment.recorder() {
            recorder.add_action(&name);
        }
        Ok(Some(UnwrittenTurn {
            sends: UnwrittenRequest::Prepared(Box::new((filled.turn, filled.rules))),
            origin: InputOrigin::Walk,
            time_left: None,
        }))
    }

    /// The actions that are possible now, in the order of the test, each with its turn.
    fn possible(&self, so_far: ConversationSoFar<'_>) -> Result<Vec<(String, LateTurn)>, Halt> {
        let mut possible = Vec::new();
        for CompiledAction { name, needs } in &self.actions {
            // The condition of an action, if it has one, is a checkpoint with its name.
            if needs.is_some() && !so_far.checkpoints.is_met(name) {
                continue;
            }
            // An action that uses a value which no turn has captured so far cannot be filled, and is not possible. Nor is one
            // that cannot be sent now, such as a message while an interrupt is open.
            let filled = self.scripts.preparation().action(name);
            let filled = filled.map_err(|error| self.attempt.case.unprepared(error))?;
            if let Some(late) = filled
                && can_send(so_far.trace, &late.turn.request.input)
            {
                possible.push((name.clone(), late));
            }
        }
        Ok(possible)
    }

    /// Nothing can be done from the beginning.
    fn stuck(&self, so_far: ConversationSoFar<'_>) -> Halt {
        let mut reasons = Vec::new();
        for CompiledAction { name, .. } in &self.actions {
            let unmet = so_far.checkpoints.unmet(name);
            let why = unmet.unwrap_or("it waits for something else");
            reasons.push(format!("`{name}`: {why}"));
        }
        let message = "no action of the walk is possible after the written turns".to_owned();
        let problem = Problem::new(ErrorKind::Setup, message);
        problem.help(reasons.join("\n")).into()
    }

    /// The number of further actions that are allowed.
    fn steps_left(&self) -> usize {
        let most = match &self.route {
            WalkRoute::Explore(_) => self.plan.steps,
            WalkRoute::Given(names) => names.len(),
        };
        most.saturating_sub(self.taken)
    }
}

impl UnwrittenInput for WalkInput<'_> {
    fn next<'a>(
        &'a mut self,
        number: usize,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<UnwrittenTurn>, Halt>> {
        Box::pin(async move {
            self.attempt.environment.begin_turn(turn_count(number));
            self.action(so_far)
        })
    }
}
