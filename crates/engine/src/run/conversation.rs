//! The conversation of one attempt: what its plan says is handed to the engine, and what comes of it is the outcome.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::activity_log::ActivityLog;
use super::agent_contact::ContactObserver;
use super::attempt::Attempt;
use super::awaited_input::AwaitedInput;
use super::case::Case;
use super::conversation_start::ConversationStart;
use super::driver_input::{DriverInput, HostedTools};
use super::exchange_log::ExchangeLog;
use super::helpers::Helpers;
use super::judges::{Judges, TestOracle};
use super::mocks::Mocks;
use super::observe::observe;
use super::options::{ActivityReports, ExchangeReports};
use super::outcomes::turn_count;
use super::request_pace::RequestPace;
use super::script_oracle::ScriptOracle;
use super::simulated_input::SimulatedInput;
use super::simulator::Simulator;
use super::snapshots;
use super::tap::{AttemptPurpose, ConversationBeginning, ConversationEnd, Follower};
use super::test_inputs::TestInputs;
use super::unwritten_input::UnwrittenInput;
use super::walk_input::WalkInput;
use super::watchdog::{ConversationLocks, TestStep};
use super::written_turns::WrittenTurns;
use crate::compile::{CompiledAction, CompiledInteraction, CompiledSimulation};
use crate::engine::{
    self, Budget, Checkpoints, ConversationParts, ConversationResult, DeclineRequests, InputSource,
    Observer,
};
use crate::plan::{Preparation, Prepared};
use crate::project::DEFAULT_TURN_TIMEOUT;
use ananke_agents::{Limits, Pacer, Session, SessionOptions, Target};
use ananke_base::message::Lane;
use ananke_rules::{Evaluator, Inherited, Measure};
use ananke_trace::outcome::{ErrorKind, Halt, Problem, RuleResult, Status, TestEnd};
use ananke_trace::trace::AgentTime;

/// The number of rules that are named of those that a skipped test has not evaluated.
const LISTED_RULES: usize = 5;

fn setup(message: String) -> Problem {
    Problem {
        kind: ErrorKind::Setup,
        message,
        help: None,
    }
}

/// The longest limit of the duration of any turn.
fn longest_duration(rules: &Inherited) -> Duration {
    let limits = rules
        .turns
        .iter()
        .filter_map(|turn| turn.limits.get(Measure::Duration));
    Duration::from_millis(limits.map(|bound| bound.most).max().unwrap_or_default())
}

/// The reason that a test is skipped whose agent waits for input: with the rules that nothing decided, and what to do.
fn why_skipped(why: &str, open_rules: &[String]) -> String {
    let named = open_rules
        .iter()
        .take(LISTED_RULES)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let more = match open_rules.len().saturating_sub(LISTED_RULES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let unchecked = if named.is_empty() {
        named
    } else {
        format!("; not checked: {named}{more}")
    };
    format!(
        "{why}{unchecked}; add a turn that answers, `simulate` or `interactive`, or `on_missing_input: end`"
    )
}

/// The sources of a test's unwritten input.
struct UnwrittenSources {
    thread_id: String,
    simulation: Option<CompiledSimulation>,
    interaction: CompiledInteraction,
    confirmation_tools: Vec<String>,
    actions: Vec<CompiledAction>,
}

impl Attempt<'_> {
    /// Holds the conversation and takes over what came of it.
    pub(super) async fn converse(
        &mut self,
        preparation: &Mutex<Preparation>,
        mut prepared: Prepared,
    ) -> Result<(), Halt> {
        let Case {
            shared, watchdog, ..
        } = self.case;
        watchdog.limit(prepared.whole_timeout);
        let endpoint = prepared
            .target
            .endpoint()
            .filter(|_| prepared.thread_is_fixed);
        let concurrency = prepared
            .pace
            .concurrency
            .filter(|_| self.environment.is_live());
        if endpoint.is_some() || concurrency.is_some() {
            // A test that has a slot never waits for a thread: so no two tests wait for each other.
            let locks = async {
                let mut locks = ConversationLocks::default();
                if let Some(endpoint) = endpoint {
                    locks.thread = Some(
                        shared
                            .thread_locks
                            .lock(endpoint, &prepared.thread_id)
                            .await,
                    );
                }
                if let Some(concurrency) = concurrency {
                    locks.slot = shared.target_limits.slot(concurrency).await;
                }
                locks
            };
            self.environment.wait(watchdog.wait_for(locks).await?);
        }
        if let Some(observed) = shared.conversations.observed() {
            let conversation = observed.conversation(&self.key.test).await?;
            self.shown = conversation.shown;
            self.outcome.verdict.rules = observe(&mut prepared, conversation)?;
            prepared
                .target
                .agent()
                .clone_into(&mut self.outcome.test.agent);
            self.outcome
                .transcript
                .thread_id
                .clone_from(&prepared.thread_id);
            self.outcome.verdict.warnings.clone_from(&prepared.warnings);
        }
        self.outcome.transcript.time = prepared.target.time();
        for message in &mut prepared.history {
            message
                .id
                .get_or_insert_with(|| self.environment.context.ids.next("message"));
        }
        self.outcome.transcript.history = engine::history(&prepared.history);
        self.outcome.transcript.messages_count = prepared.history.len();
        // What a conversation knows is large: it is put aside once, and not moved with every task.
        if let Some(driver) = shared.conversations.driver() {
            prepared.rules = Inherited::default();
            let instructed = driver
                .instructions()
                .and_then(|said| prepared.target.prompted(said, None));
            if let Some(instructed) = instructed {
                prepared.target = Arc::from(instructed);
            }
            let tools = prepared.client_tools.iter();
            let tools = tools.map(|tool| tool.declaration.name.clone()).collect();
            driver.begins(&prepared.thread_id, tools, &self.case.redactor);
        }
        let start = ConversationStart::of(&prepared);
        let followers = self.followers(preparation, &prepared, &start);
        let talked = self.talk_through(preparation, prepared, &start, &followers);
        let result = Box::pin(talked).await?;
        watchdog.begin(TestStep::Evaluate, Duration::ZERO)?;
        self.take(result, &followers)
    }

    /// The add-ons that follow the conversation.
    fn followers(
        &self,
        preparation: &Mutex<Preparation>,
        prepared: &Prepared,
        start: &ConversationStart,
    ) -> Vec<Box<dyn Follower>> {
        let taps = &self.case.shared.taps;
        if taps.is_empty() {
            return Vec::new();
        }
        let scripts = ScriptOracle {
            attempt: self,
            preparation,
        };
        let tools = prepared.client_tools.iter();
        let client_tools: Vec<_> = tools.map(|tool| tool.declaration.clone()).collect();
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

    /// Opens a session and has the engine hold the conversation.
    async fn talk_through(
        &self,
        preparation: &Mutex<Preparation>,
        prepared: Prepared,
        start: &ConversationStart,
        followers: &[Box<dyn Follower>],
    ) -> Result<ConversationResult, Problem> {
        self.name_tools(&prepared);
        let Self {
            case:
                Case {
                    shared,
                    redactor,
                    watchdog,
                    ..
                },
            environment,
            ..
        } = self;
        let Prepared {
            history,
            turns,
            begins_with_input,
            defaults,
            rules,
            target,
            client_tools,
            thread_id,
            timeout,
            whole_timeout,
            pace,
            simulation,
            interaction,
            confirmation_tools,
            actions,
            offered,
            ..
        } = prepared;
        let options = shared.options;
        let whole = [self.case.timeout(), whole_timeout]
            .into_iter()
            .flatten()
            .min();
        let longest = timeout.unwrap_or_else(|| DEFAULT_TURN_TIMEOUT.max(longest_duration(&rules)));
        let declares_tools = rules.look_at_declared_tools();
        let evaluator = Evaluator::start(rules, redactor.clone())
            .map_err(|error| setup(error.to_string()))?
            .writing(options.writing)
            .with_time(self.case.watchdog.judging.clone())
            .withholding();
        let scripts = ScriptOracle {
            attempt: self,
            preparation,
        };
        let declared: Vec<_> = client_tools
            .iter()
            .map(|tool| tool.declaration.clone())
            .collect();
        let mocks =
            Mocks::start(client_tools, scripts).map_err(|error| setup(error.to_string()))?;
        let mut tools = HostedTools::new(shared, mocks);
        let watched = simulation
            .iter()
            .flat_map(|simulation| &simulation.checkpoints)
            .cloned()
            .collect();
        let conditions = actions
            .iter()
            .filter_map(|action| action.needs.clone())
            .collect();
        let session_options = SessionOptions {
            key: self.key.clone(),
            thread_id: thread_id.clone(),
            history,
            client_tools: declared.into(),
            declares_tools,
            undeclared: shared.undeclared_calls(),
            clock: environment.context.clock.clone(),
            ids: environment.context.ids.clone(),
            transport: environment.transport.clone(),
            programs: environment.programs.clone(),
            offered: offered.into(),
        };
        let session = self.open(&*target, session_options).await?;
        let attempt_pace = RequestPace::new(Arc::clone(watchdog), environment.recorder().cloned());
        let rate = pace.rate.map(|rate| shared.target_limits.rate(rate));
        let pacer = environment
            .is_live()
            .then(|| Arc::new(attempt_pace.with_limit(rate)) as Arc<dyn Pacer>);
        let limits = Limits {
            deadline: whole.map(|whole| environment.started().plus(whole)),
            pacer,
            ..Limits::new(
                timeout.unwrap_or(DEFAULT_TURN_TIMEOUT),
                shared.stopper.token().clone(),
            )
        };
        let helpers = Helpers {
            scripts,
            limits: limits.clone(),
            pace: &attempt_pace,
        };
        let oracle = TestOracle {
            scripts,
            judges: Judges {
                helpers,
                tested: &*target,
            },
        };
        let mut observers = self.observers(&Lane::Agent);
        observers.extend(followers.iter().filter_map(|follower| follower.observer()));
        let parts = ConversationParts {
            lane: Lane::Agent,
            session,
            trace: start.trace(),
            evaluator,
            checkpoints: Checkpoints::start(
                watched,
                conditions,
                redactor,
                &self.case.watchdog.judging,
            )
            .map_err(|error| setup(error.to_string()))?,
            tools: &mut tools,
            oracle: &oracle,
            requests: &mut DeclineRequests,
            ids: environment.context.ids.clone(),
            observers,
            budget: Budget {
                turn: limits,
                is_default_timeout: timeout.is_none(),
                whole,
            },
            at_failure: options.at_failure,
            at_violation: options.at_violation,
        };
        let written =
            WrittenTurns::new(self, preparation, turns, longest).waiting(target.longest_wait());
        let sources = UnwrittenSources {
            thread_id,
            simulation,
            interaction,
            confirmation_tools,
            actions,
        };
        let unwritten = self.unwritten(sources, &oracle);
        let mut inputs: Box<dyn InputSource + '_> = Box::new(TestInputs {
            attempt: self,
            begins_with_input,
            defaults,
            written,
            unwritten,
        });
        for follower in followers {
            inputs = follower.inputs(inputs);
        }
        Ok(engine::converse(parts, &mut *inputs).await)
    }

    /// Opens a session with the agent.
    async fn open(
        &self,
        target: &dyn Target,
        options: SessionOptions,
    ) -> Result<Box<dyn Session>, Problem> {
        target.open(options).await.map_err(|error| {
            if self.is_sent() {
                self.contact.failed(&error);
            }
            Problem {
                kind: ErrorKind::Protocol,
                message: error.to_string(),
                help: error.help,
            }
        })
    }

    /// Whether the agent itself is asked, and is not a part of this program.
    fn is_sent(&self) -> bool {
        let is_own = self.outcome.transcript.time == AgentTime::Virtual;
        let is_observed = self.case.shared.conversations.observed().is_some();
        self.environment.is_live() && !is_observed && !is_own
    }

    /// Notes the tools that the rules name, and those that exist before the agent calls one.
    fn name_tools(&self, prepared: &Prepared) {
        let Case {
            shared, redactor, ..
        } = &self.case;
        let checkpoints = prepared
            .simulation
            .iter()
            .flat_map(|simulation| &simulation.checkpoints)
            .flat_map(|checkpoint| checkpoint.rules.named_tools());
        let named = prepared.rules.named_tools().chain(checkpoints);
        shared.tool_names.name(named, redactor);
        let called_before = prepared
            .history
            .iter()
            .flat_map(|message| &message.calls)
            .map(|call| call.name.as_str());
        let own = prepared
            .client_tools
            .iter()
            .map(|tool| tool.declaration.name.as_str());
        shared.tool_names.exist(called_before.chain(own), redactor);
    }

    /// The source of unwritten input: a program, a walk, a simulator, or a person.
    fn unwritten<'a>(
        &'a self,
        sources: UnwrittenSources,
        oracle: &'a TestOracle<'a>,
    ) -> Option<Box<dyn UnwrittenInput + 'a>> {
        let UnwrittenSources {
            thread_id,
            simulation,
            interaction,
            confirmation_tools,
            actions,
        } = sources;
        let conversations = &self.case.shared.conversations;
        if conversations.observed().is_some() {
            return None;
        }
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
            return Some(Box::new(WalkInput::new(
                self,
                oracle.scripts,
                walk,
                actions,
            )));
        }
        if let Some(simulation) = simulation {
            let simulator = Simulator {
                helpers,
                simulation,
                thread_id,
            };
            return Some(Box::new(SimulatedInput::new(self, simulator)));
        }
        let awaited = AwaitedInput::of(self, pace, interaction, confirmation_tools)?;
        Some(Box::new(awaited))
    }

    /// Those that follow a conversation of `lane`: the recording, and what `--debug` prints.
    pub(super) fn observers(&self, lane: &Lane) -> Vec<Box<dyn Observer + '_>> {
        let recorder = self.environment.recorder().cloned();
        let exchanges = self.case.shared.options.exchanges;
        let is_logged = exchanges == ExchangeReports::On && self.purpose != AttemptPurpose::Verify;
        let log = is_logged
            .then(|| ExchangeLog::new(self.case, self.environment.started(), lane.clone()));
        let recorder = recorder.map(|recorder| Box::new(recorder) as Box<dyn Observer>);
        let conversations = &self.case.shared.conversations;
        let of_driver = conversations.driver().filter(|_| *lane == Lane::Agent);
        let contact = (*lane == Lane::Agent && self.is_sent()).then(|| {
            Box::new(ContactObserver {
                contact: &self.contact,
                answers: &self.case.shared.answered,
                target: &self.case.entry.test.target,
                has_answered: false,
            }) as Box<dyn Observer>
        });
        let is_followed = self.case.shared.options.activity == ActivityReports::On
            && self.purpose == AttemptPurpose::Report
            && *lane == Lane::Agent;
        let activity =
            is_followed.then(|| Box::new(ActivityLog::new(self.case)) as Box<dyn Observer>);
        let raw = self.raw.clone().filter(|_| *lane == Lane::Agent);
        recorder
            .into_iter()
            .chain(raw.map(|raw| Box::new(raw) as Box<dyn Observer>))
            .chain(contact)
            .chain(activity)
            .chain(log.map(|log| Box::new(log) as Box<dyn Observer>))
            .chain(of_driver.and_then(|driver| driver.observer()))
            .collect()
    }

    /// Takes over what came of the conversation.
    fn take(
        &mut self,
        result: ConversationResult,
        followers: &[Box<dyn Follower>],
    ) -> Result<(), Halt> {
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
            duration_us,
        } = result;
        let called = trace.calls.iter().map(|call| call.name.as_str());
        self.case
            .shared
            .tool_names
            .exist(called, &self.case.redactor);
        let end = ConversationEnd {
            trace: &trace,
            has_passed: halt.is_none() && !rules.iter().any(RuleResult::has_failed),
            marked: &|text| self.environment.marked(text),
        };
        for follower in followers {
            follower.ended(&end);
        }
        let outcome = &mut self.outcome;
        outcome.transcript.peer = trace.peer;
        outcome.transcript.turns = turns;
        for turn in &mut outcome.transcript.turns {
            turn.keep_shown(self.shown);
        }
        outcome.transcript.checkpoints = checkpoints;
        outcome.transcript.turns_not_run = turn_count(turns_not_run);
        outcome.verdict.rules.extend(rules);
        outcome.verdict.silenced = trace.ledger.silenced().map(silenced).collect();
        outcome.verdict.judges_not_asked = turn_count(not_asked.len());
        outcome.verdict.warnings.extend(not_asked);
        outcome.verdict.end = TestEnd::Evaluated;
        outcome.transcript.messages_count += messages_count;
        outcome.transcript.state = state;
        outcome.transcript.duration_us = duration_us;
        outcome.verdict.warnings.extend(warnings);
        let all_turns = &outcome.transcript.turns;
        let is_whole =
            || turns_not_run == 0 && all_turns.iter().all(|turn| turn.problem().is_none());
        let is_whole = || halt.is_none() && is_whole();
        outcome
            .verdict
            .warnings
            .extend(self.environment.warnings(is_whole));
        if let Some(halt) = halt {
            return Err(match halt {
                Halt::Skipped(cause, why) => Halt::Skipped(cause, why_skipped(&why, &open_rules)),
                halt => halt,
            });
        }
        if outcome.status() == Status::Skipped {
            return Err(Halt::Stopped);
        }
        if self.purpose == AttemptPurpose::Verify {
            return Ok(());
        }
        Ok(snapshots::keep(snapshots, outcome)?)
    }
}

/// A name that the target knows, and how often it came.
fn silenced((name, count): (&str, u64)) -> String {
    let times = if count == 1 { "time" } else { "times" };
    format!("`{name}`, {count} {times}")
}
