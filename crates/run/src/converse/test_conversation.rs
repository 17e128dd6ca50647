//! The conversation of one attempt: what its plan says is handed over, and what comes of it is the outcome.

use std::mem::take;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::observe::observe;
use crate::attempt::{Attempt, snapshots};
use crate::context::{
    AttemptPurpose, Case, ConversationBeginning, ConversationEnd, ConversationLocks,
    ConversationStart, Follower, RequestPace, TestStep, UnwrittenInput, turn_count,
};
use crate::input::{
    AwaitedInput, DriverInput, Helpers, HostedTools, Judges, Mocks, ScriptOracle, SimulatedInput,
    Simulator, TestInputs, TestOracle, WalkInput, WrittenTurns,
};
use ananke_agents::{Limits, Session, SessionOptions, Target};
use ananke_base::context::lock;
use ananke_base::message::Lane;
use ananke_conversation::{
    Budget, Checkpoints, ConversationParts, ConversationResult, DeclineRequests, InputSource,
    converse, history,
};
use ananke_plan::compile::CompiledClientTool;
use ananke_plan::project::DEFAULT_TURN_TIMEOUT;
use ananke_plan::{Preparation, Prepared};
use ananke_rules::{Evaluator, Inherited, Measure, TurnCondition};
use ananke_trace::outcome::{ErrorKind, Halt, Outcome, Problem, RuleResult, Status};

/// The number of rules that are named of those that a skipped test has not evaluated.
const LISTED_RULES: usize = 5;

/// The problem of a pattern that compiles to more than is allowed.
fn too_large(error: &regex::Error) -> Problem {
    Problem::new(ErrorKind::Setup, error.to_string())
}

/// The longest limit of the duration of any turn.
fn longest_duration(rules: &Inherited) -> Duration {
    let turns = rules.turns.iter();
    let limits = turns.filter_map(|turn| turn.limits.get(Measure::Duration));
    let most = limits.map(|limit| limit.most).max();
    Duration::from_millis(most.unwrap_or_default())
}

/// The reason that a test is skipped whose agent waits for input: with the rules that nothing decided, and what to do.
fn why_skipped(why: &str, open_rules: &[String]) -> String {
    let listed = open_rules.len().min(LISTED_RULES);
    let named = open_rules[..listed].join(", ");
    let unchecked = match open_rules.len() - listed {
        0 if listed == 0 => String::new(),
        0 => format!("; not checked: {named}"),
        more => format!("; not checked: {named} and {more} more"),
    };
    format!(
        "{why}{unchecked}; add a turn that answers, `simulate` or `interactive`, or `on_missing_input: end`"
    )
}

impl Attempt<'_> {
    /// Holds the conversation and takes over what came of it.
    pub(super) async fn converse(
        &mut self,
        preparation: &Mutex<Preparation>,
        mut prepared: Prepared,
    ) -> Result<(), Halt> {
        self.case.watchdog.limit(prepared.whole_timeout);
        self.lock(&prepared).await?;

        // A trace or a program can change what the plan says of the conversation.
        self.observe(&mut prepared).await?;
        self.note_history(&mut prepared);
        self.hand_to_driver(&mut prepared);

        // Add-ons see the conversation as it begins, before its parts are moved to where they are needed.
        let start = ConversationStart::of(&prepared);
        let followers = self.followers(preparation, &prepared, &start);
        // A conversation knows much: its future is put aside once, and not moved with every task.
        let talked = self.talk_through(preparation, prepared, &start, &followers);
        let result = Box::pin(talked).await?;

        // A test that has ended without this thread notes nothing any more.
        self.case
            .watchdog
            .begin(TestStep::Evaluate, Duration::ZERO)?;
        self.note_end(&result, &followers);
        self.take(result)
    }

    /// Waits for the thread or the process of the agent, if another test may have it, and for a place at the agent.
    async fn lock(&mut self, prepared: &Prepared) -> Result<(), Halt> {
        let Case {
            shared, watchdog, ..
        } = self.case;
        // Tests share a thread only if its id is written down, and a process only if the target says so. No agent runs or is
        // busy for a replay.
        let is_live = self.environment.is_live();
        let endpoint = if prepared.thread_is_fixed {
            prepared.target.endpoint()
        } else {
            None
        };
        let concurrency = if is_live {
            prepared.pace.concurrency
        } else {
            None
        };
        let program = match prepared.target.program() {
            Some(program) if program.sharing.is_some() && is_live => Some(program),
            _ => None,
        };
        if endpoint.is_none() && concurrency.is_none() && program.is_none() {
            return Ok(());
        }

        // A test that has a slot never waits for a thread or a process: so no two tests wait for each other.
        let locks = async {
            let mut locks = ConversationLocks::default();
            if let Some(endpoint) = endpoint {
                let lock = shared.thread_locks.lock(endpoint, &prepared.thread_id);
                locks.thread = Some(lock.await);
            }
            if let Some(program) = program {
                let address = program.address();
                locks.process = Some(shared.thread_locks.lock(&address, "").await);
            }
            if let Some(concurrency) = concurrency {
                locks.slot = shared.target_limits.slot(concurrency).await;
            }
            locks
        };
        self.environment.wait(watchdog.wait_for(locks).await?);
        Ok(())
    }

    /// Takes the conversation that another program held, if the rules are evaluated on one.
    async fn observe(&mut self, prepared: &mut Prepared) -> Result<(), Halt> {
        let Some(observed) = self.case.shared.conversations.observed() else {
            return Ok(());
        };
        let conversation = observed.conversation(&self.key.test).await?;
        self.shown = conversation.shown;
        let outcome = &mut self.outcome;
        outcome.verdict.rules = observe(prepared, conversation)?;
        prepared.target.agent().clone_into(&mut outcome.test.agent);
        outcome.transcript.thread_id.clone_from(&prepared.thread_id);
        outcome.verdict.warnings.clone_from(&prepared.warnings);
        Ok(())
    }

    /// Takes over the messages before the first turn, each with an id.
    fn note_history(&mut self, prepared: &mut Prepared) {
        for message in &mut prepared.history {
            message
                .id
                .get_or_insert_with(|| self.environment.context.ids.next("message"));
        }
        let transcript = &mut self.outcome.transcript;
        transcript.time = prepared.target.time();
        transcript.history = history(&prepared.history);
        transcript.messages_count = prepared.history.len();
    }

    /// Begins the conversation of a program, if one holds it: it brings its own rules, and may instruct the agent.
    fn hand_to_driver(&self, prepared: &mut Prepared) {
        let Some(driver) = self.case.shared.conversations.driver() else {
            return;
        };
        prepared.rules = Inherited::default();
        if let Some(instructions) = driver.instructions()
            && let Some(instructed) = prepared.target.prompted(instructions, None)
        {
            prepared.target = Arc::from(instructed);
        }
        let tools = prepared.client_tools.iter();
        let tools = tools.map(|tool| tool.declaration.name.clone()).collect();
        driver.begins(&prepared.thread_id, tools, &self.case.redactor);
    }

    /// The add-ons that follow the conversation.
    fn followers(
        &self,
        preparation: &Mutex<Preparation>,
        prepared: &Prepared,
        start: &ConversationStart,
    ) -> Vec<Box<dyn Follower>> {
        // Most runs have no add-ons, and copy no tools for them.
        let taps = &self.case.shared.taps;
        if taps.is_empty() {
            return Vec::new();
        }
        let scripts = self.scripts(preparation);
        let client_tools = CompiledClientTool::declarations(&prepared.client_tools);
        let beginning = ConversationBeginning {
            purpose: self.purpose,
            start,
            rules: &prepared.rules,
            client_tools: &client_tools,
            variables: &|| scripts.preparation().own_variables(),
            redactor: &self.case.redactor,
        };
        let followers = taps.iter().filter_map(|tap| tap.follow(&beginning));
        followers.collect()
    }

    /// Opens a session and holds the conversation.
    async fn talk_through(
        &self,
        preparation: &Mutex<Preparation>,
        mut prepared: Prepared,
        start: &ConversationStart,
        followers: &[Box<dyn Follower>],
    ) -> Result<ConversationResult, Problem> {
        // Rules and tools are looked at first, since later steps move them out of `prepared`.
        self.name_tools(&prepared, &lock(preparation).conditions());
        let shared = &self.case.shared;
        let target = Arc::clone(&prepared.target);
        let pace = self.pace();
        let budget = self.budget(&prepared, &pace);
        let session_options = self.session_options(&mut prepared);
        let written = self.written(preparation, &mut prepared);

        // A pattern that is too large is a problem before the agent is asked anything.
        let evaluator = self.evaluator(take(&mut prepared.rules))?;
        let scripts = self.scripts(preparation);
        let mocks = Mocks::start(take(&mut prepared.client_tools), scripts)
            .map_err(|error| too_large(&error))?;
        let mut tools = HostedTools::new(shared, mocks);
        let session = self.open(&*target, session_options).await?;
        let checkpoints = self.checkpoints(&prepared)?;

        // Other agents and scripts: they simulate the user, and answer what rules ask.
        let helpers = Helpers {
            scripts,
            limits: budget.turn.clone(),
            pace: &pace,
        };
        let oracle = TestOracle {
            scripts,
            judges: Judges {
                helpers,
                tested: &*target,
            },
        };

        // Add-ons may change what the user says, and see all that is sent and received.
        let mut inputs = self.inputs(prepared, written, &oracle);
        for follower in followers {
            inputs = follower.inputs(inputs);
        }
        let mut observers = self.observers(&Lane::Agent);
        observers.extend(followers.iter().filter_map(|follower| follower.observer()));
        let parts = ConversationParts {
            lane: Lane::Agent,
            session,
            trace: start.trace(),
            evaluator,
            checkpoints,
            tools: &mut tools,
            oracle: &oracle,
            requests: &mut DeclineRequests,
            ids: self.environment.context.ids.clone(),
            observers,
            budget,
            settings: &shared.options.settings,
        };
        Ok(Box::pin(converse(parts, &mut *inputs)).await)
    }

    /// Asks the scripts of the test.
    fn scripts<'a>(&'a self, preparation: &'a Mutex<Preparation>) -> ScriptOracle<'a> {
        ScriptOracle {
            attempt: self,
            preparation,
        }
    }

    /// The pace of requests, but for the limits of their agents.
    fn pace(&self) -> RequestPace {
        let recorder = self.environment.recorder().cloned();
        RequestPace::new(Arc::clone(&self.case.watchdog), recorder)
    }

    /// The time that the conversation may take, and the pace of its requests.
    fn budget(&self, prepared: &Prepared, pace: &RequestPace) -> Budget {
        let limits = [self.case.timeout(), prepared.whole_timeout];
        let whole = limits.into_iter().flatten().min();
        let timeout = prepared.timeout.unwrap_or(DEFAULT_TURN_TIMEOUT);
        let stop = self.case.shared.stopper.token().clone();
        Budget {
            turn: Limits {
                deadline: whole.map(|whole| self.environment.started().plus(whole)),
                pacer: self.pacer(pace, &prepared.pace),
                ..Limits::new(timeout, stop)
            },
            is_default_timeout: prepared.timeout.is_none(),
            whole,
        }
    }

    /// The options of the session; the messages before it are moved to them.
    fn session_options(&self, prepared: &mut Prepared) -> SessionOptions {
        SessionOptions {
            history: take(&mut prepared.history),
            client_tools: CompiledClientTool::declarations(&prepared.client_tools).into(),
            declares_tools: prepared.rules.look_at_declared_tools(),
            undeclared: self.case.shared.undeclared_calls(),
            offered: take(&mut prepared.offered).into(),
            ..self
                .environment
                .session_options(self.key.clone(), prepared.thread_id.clone())
        }
    }

    /// The written turns, which are moved out of the test.
    fn written<'a>(
        &'a self,
        preparation: &'a Mutex<Preparation>,
        prepared: &mut Prepared,
    ) -> WrittenTurns<'a> {
        // A rule about a longer duration than the default could not be evaluated if the turn timed out before.
        let timeout = match prepared.timeout {
            Some(timeout) => timeout,
            None => DEFAULT_TURN_TIMEOUT.max(longest_duration(&prepared.rules)),
        };
        let turns = take(&mut prepared.turns);
        WrittenTurns::new(self, preparation, turns, timeout)
            .waiting(prepared.target.longest_wait())
            .with_confirmation_tools(prepared.confirmation_tools.clone())
    }

    fn evaluator(&self, rules: Inherited) -> Result<Evaluator, Problem> {
        let evaluator = Evaluator::start(rules, self.case.redactor.clone());
        Ok(evaluator
            .map_err(|error| too_large(&error))?
            .writing(self.case.shared.options.writing)
            .with_time(self.case.watchdog.judging.clone())
            .withholding())
    }

    /// The checkpoints of the simulation, and the conditions of the actions.
    fn checkpoints(&self, prepared: &Prepared) -> Result<Checkpoints, Problem> {
        let watched = match &prepared.simulation {
            Some(simulation) => simulation.checkpoints.clone(),
            None => Vec::new(),
        };
        let actions = prepared.actions.iter();
        let conditions = actions.filter_map(|action| action.needs.clone());
        let Case {
            redactor, watchdog, ..
        } = self.case;
        Checkpoints::start(watched, conditions.collect(), redactor, &watchdog.judging)
            .map_err(|error| too_large(&error))
    }

    /// The inputs of the conversation: the written turns, and what follows them.
    fn inputs<'a>(
        &'a self,
        prepared: Prepared,
        written: WrittenTurns<'a>,
        oracle: &'a TestOracle<'a>,
    ) -> Box<dyn InputSource + 'a> {
        Box::new(TestInputs {
            attempt: self,
            begins_with_input: prepared.begins_with_input,
            defaults: Arc::clone(&prepared.defaults),
            written,
            unwritten: self.unwritten(prepared, oracle),
        })
    }

    /// Opens a session with the agent.
    async fn open(
        &self,
        target: &dyn Target,
        options: SessionOptions,
    ) -> Result<Box<dyn Session>, Problem> {
        match target.open(options).await {
            Ok(session) => Ok(session),
            Err(error) => {
                // An agent that cannot even be reached is one that does not answer.
                if self.is_sent() {
                    self.contact.failed(&error);
                }
                Err(Problem {
                    kind: ErrorKind::Protocol,
                    message: error.to_string(),
                    help: error.help,
                })
            }
        }
    }

    /// Notes the tools that the rules name, and those that exist before the agent calls one.
    fn name_tools(&self, prepared: &Prepared, conditions: &[TurnCondition]) {
        let Case {
            shared, redactor, ..
        } = &self.case;
        // At the end of the run, a name that no agent called and that is nearly one of a tool is a warning.
        let names = &shared.tool_names;
        names.name(prepared.rules.named_tools(), redactor);
        if let Some(simulation) = &prepared.simulation {
            for checkpoint in &simulation.checkpoints {
                names.name(checkpoint.rules.named_tools(), redactor);
            }
        }
        for condition in conditions {
            names.name(condition.named_tools(), redactor);
        }

        // The tools of the history and of the client exist, also if the agent calls none.
        let mut existing: Vec<&str> = Vec::new();
        for message in &prepared.history {
            existing.extend(message.calls.iter().map(|call| &*call.name));
        }
        for tool in &prepared.client_tools {
            existing.push(&tool.declaration.name);
            names.declared(&tool.declaration, redactor);
        }
        names.exist(existing, redactor);
    }

    /// The source of unwritten input: a program, a walk, a simulator, or a person.
    fn unwritten<'a>(
        &'a self,
        prepared: Prepared,
        oracle: &'a TestOracle<'a>,
    ) -> Option<Box<dyn UnwrittenInput + 'a>> {
        // A conversation that was held before goes on with nothing.
        let conversations = &self.case.shared.conversations;
        if conversations.observed().is_some() {
            return None;
        }

        // A program says all that follows, whatever the test says of it.
        let helpers = oracle.judges.helpers.clone();
        let pace = helpers.pace;
        if let Some(driver) = conversations.driver().cloned() {
            return Some(Box::new(DriverInput {
                attempt: self,
                pace,
                driver,
                oracle,
            }));
        }
        if let Some(walk) = &self.case.entry.test.walk {
            let walk = WalkInput::new(self, oracle.scripts, walk, prepared.actions);
            return Some(Box::new(walk));
        }
        if let Some(simulation) = prepared.simulation {
            let simulator = Simulator {
                helpers,
                simulation,
                thread_id: prepared.thread_id,
            };
            let tools = prepared.confirmation_tools;
            return Some(Box::new(SimulatedInput::new(self, simulator, tools)));
        }

        // Without any of these a person goes on, if the agent waits for one.
        let tools = prepared.confirmation_tools;
        let awaited = AwaitedInput::of(self, pace, prepared.interaction, tools)?;
        Some(Box::new(awaited))
    }

    /// Notes the tools that the agent called, and the end of the conversation for those that follow it.
    fn note_end(&self, result: &ConversationResult, followers: &[Box<dyn Follower>]) {
        let trace = &result.trace;
        let names = &self.case.shared.tool_names;
        names.seen_in(trace, &self.case.redactor);
        let end = ConversationEnd {
            trace,
            has_passed: result.halt.is_none() && !result.rules.iter().any(RuleResult::has_failed),
            marked: &|text| self.environment.marked(text),
        };
        for follower in followers {
            follower.ended(&end);
        }
    }

    /// Takes over what came of the conversation.
    fn take(&mut self, result: ConversationResult) -> Result<(), Halt> {
        let ConversationResult {
            turns,
            turns_not_run,
            rules,
            not_asked,
            halt,
            open_rules,
            trace,
            snapshots,
            checkpoints,
            messages_count,
            state,
            warnings,
            denied_warnings,
            duration_us,
        } = result;
        // Rules, warnings and messages come to those that were there before the conversation; the rest is its own.
        let Outcome {
            transcript,
            verdict,
            ..
        } = &mut self.outcome;
        transcript.peer = trace.peer;
        transcript.turns = turns;
        for turn in &mut transcript.turns {
            turn.keep_shown(self.shown);
        }
        transcript.checkpoints = checkpoints;
        transcript.turns_not_run = turn_count(turns_not_run);
        transcript.messages_count += messages_count;
        transcript.state = state;
        transcript.duration_us = duration_us;
        verdict.rules.extend(rules);
        verdict.silenced = trace.ledger.silenced().map(silenced).collect();
        verdict.judges_not_asked = turn_count(not_asked.len());
        verdict.warnings.extend(not_asked);
        verdict.warnings.extend(warnings);
        verdict.denied_warnings = turn_count(denied_warnings);

        // A conversation that broke off need not have used all of its recording.
        let is_whole = halt.is_none()
            && turns_not_run == 0
            && transcript.turns.iter().all(|turn| turn.problem().is_none());
        let of_recording = self.environment.warnings(|| is_whole);
        verdict.warnings.extend(of_recording);

        // A turn that the agent was never asked ends the attempt, unless something else has.
        let unasked = self.remove_unasked_turn();
        if let Some(halt) = halt.or(unasked.map(Halt::Broken)) {
            return Err(match halt {
                Halt::Skipped(cause, why) => Halt::Skipped(cause, why_skipped(&why, &open_rules)),
                halt => halt,
            });
        }
        // A turn is skipped only if the run stopped during it.
        if self.outcome.status() == Status::Skipped {
            return Err(Halt::Stopped);
        }
        if self.purpose == AttemptPurpose::Verify {
            return Ok(());
        }
        Ok(snapshots::keep(snapshots, &mut self.outcome)?)
    }

    /// Removes the last turn if the kept answers of an earlier run lack one to it: the agent was never asked, so the
    /// attempt ends before it. Returns the problem of the replay.
    fn remove_unasked_turn(&mut self) -> Option<Problem> {
        if !self.case.shared.answers.are_of_earlier_run() {
            return None;
        }
        let transcript = &mut self.outcome.transcript;
        let problem = transcript.turns.last()?.problem()?.clone();
        if problem.kind != ErrorKind::Recording {
            return None;
        }
        transcript.turns.pop();
        transcript.turns_not_run += 1;
        Some(problem)
    }
}

/// A name that the target knows, and how often it came.
fn silenced((name, count): (&str, u64)) -> String {
    let times = if count == 1 { "time" } else { "times" };
    format!("`{name}`, {count} {times}")
}
