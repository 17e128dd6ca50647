//! The conversation of one attempt: what its plan says is handed over, and what comes of it is the outcome.

use std::mem::take;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::attempt_models::{end_models, too_large};
use super::observe::observe;
use crate::attempt::Attempt;
use crate::context::{
    Case, ConversationBeginning, ConversationEnd, ConversationLocks, ConversationStart, Follower,
    RequestPace, TestStep, UnwrittenInput,
};
use crate::input::{
    AwaitedInput, DriverInput, Helpers, HostedTools, Judges, Mocks, OpenedTools, ScriptOracle,
    ServerAccess, SimulatedInput, Simulator, TestInputs, TestOracle, ToolServers, WalkInput,
    WrittenTurns,
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
use ananke_trace::outcome::{ErrorKind, Halt, Problem, RuleResult};

/// The lane of the server of tools with this number, counted from 1.
fn tool_server_lane(number: u32) -> Lane {
    Lane::Helper {
        role: "server".to_owned(),
        number,
    }
}

/// The longest limit of the duration of any turn.
fn longest_duration(rules: &Inherited) -> Duration {
    let turns = rules.turns.iter();
    let limits = turns.filter_map(|turn| turn.limits.get(Measure::Duration));
    let most = limits.map(|limit| limit.most).max();
    Duration::from_millis(most.unwrap_or_default())
}

impl Attempt<'_> {
    /// Holds the conversation that was `prepared`, and puts its result into the outcome of the attempt.
    ///
    /// # Errors
    /// If the conversation cannot begin, or is halted. The problem of a turn is part of its result.
    pub(super) async fn converse(
        &mut self,
        preparation: &Mutex<Preparation>,
        mut prepared: Prepared,
    ) -> Result<(), Halt> {
        // The timeout of the test itself is known only now that the test is prepared.
        self.case.watchdog.limit(prepared.whole_timeout);
        self.lock_agent(&prepared).await?;

        // A conversation that was held before, or a program that holds it, replaces parts of what the test says.
        self.take_observed(&mut prepared).await?;
        self.note_history(&mut prepared);

        // The tools of servers are known once these have listed them: from here on they are tools as if they were written.
        let pace = self.pace();
        let scripts = self.scripts(preparation);
        let access = ServerAccess {
            scripts,
            limits: &self.budget(&prepared, &pace).turn,
            pace: &pace,
        };
        let tools = take(&mut prepared.client_tools);
        let opened = OpenedTools::open(tools, access, tool_server_lane).await?;
        prepared.client_tools.written = opened.declared;
        self.hand_to_driver(&mut prepared);

        // Followers are add-ons. They see how the conversation begins before `prepared` is moved into it.
        let start = ConversationStart::of(&prepared);
        let followers = self.followers(preparation, &prepared, &start);
        // The future of a conversation is large, so it is put aside (boxed) instead of moved with that of each caller.
        let conversation =
            self.hold_conversation(preparation, prepared, opened.servers, &start, &followers);
        let result = Box::pin(conversation).await?;

        // `begin` fails if this thread took so long that its test ended without it: then nothing may be noted any more.
        self.case
            .watchdog
            .begin(TestStep::Evaluate, Duration::ZERO)?;
        self.note_end(&result, &followers);
        self.note_picks(opened.offered, &result);
        self.take_result(result)
    }

    /// Waits for the agent, as long as other tests use the same thread, process or place: each lock is needed only if tests share
    /// such a thing. The watchdog keeps the locks until the conversation is over.
    async fn lock_agent(&mut self, prepared: &Prepared) -> Result<(), Halt> {
        let Case {
            shared, watchdog, ..
        } = self.case;
        // Tests share a thread only if its id is written in the test, and a process only if the target says so. A place (a slot)
        // is one of the conversations that the target may have at once. A replay needs no process and no place.
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

        // The order is the same in all tests, with the slot last: a test that has a slot waits for nothing else, so no two tests
        // wait for each other.
        let locks = async {
            let mut locks = ConversationLocks::default();
            if let Some(endpoint) = endpoint {
                let lock = shared.thread_locks.lock(endpoint, &prepared.thread_id);
                locks.thread = Some(lock.await);
            }
            if let Some(program) = program {
                // The lock of a process is that of its address, without a thread.
                let address = program.address();
                locks.process = Some(shared.thread_locks.lock(&address, "").await);
            }
            if let Some(concurrency) = concurrency {
                locks.slot = shared.target_limits.slot(concurrency).await;
            }
            locks
        };
        // The wait is no time of the attempt.
        let waited = watchdog.wait_for(locks).await?;
        self.environment.wait(waited);
        Ok(())
    }

    /// Replaces what `prepared` would send by the conversation that another program held, if the rules are evaluated on one.
    async fn take_observed(&mut self, prepared: &mut Prepared) -> Result<(), Halt> {
        let Some(observed) = self.case.shared.conversations.observed() else {
            return Ok(());
        };
        let conversation = observed.conversation(&self.key.test).await?;
        self.shown = conversation.shown;
        // `observe` changes `prepared`, and returns the rules that the conversation cannot decide. Agent, thread and warnings
        // were noted in the outcome before, so they are noted again.
        let outcome = &mut self.outcome;
        outcome.verdict.rules = observe(prepared, conversation)?;
        prepared.target.agent().clone_into(&mut outcome.test.agent);
        outcome.transcript.thread_id.clone_from(&prepared.thread_id);
        outcome.verdict.warnings.clone_from(&prepared.warnings);
        Ok(())
    }

    /// Notes the messages before the first turn in the outcome. A message without an id gets one.
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

    /// Reports the beginning of the conversation to the driver, the program that holds it, if there is one.
    fn hand_to_driver(&self, prepared: &mut Prepared) {
        let Some(driver) = self.case.shared.conversations.driver() else {
            return;
        };
        // The driver brings its own rules with each turn.
        prepared.rules = Inherited::default();
        // Instructions are for a bare model. An agent has its own, so `prompted` is `None` for it.
        if let Some(instructions) = driver.instructions()
            && let Some(instructed) = prepared.target.prompted(instructions, None)
        {
            prepared.target = Arc::from(instructed);
        }
        let tools = prepared.client_tools.written.iter();
        let tool_names = tools.map(|tool| tool.declaration.name.clone()).collect();
        driver.begins(&prepared.thread_id, tool_names, &self.case.redactor);
    }

    /// The followers of the conversation: one of each add-on (tap) that wants to follow it.
    fn followers(
        &self,
        preparation: &Mutex<Preparation>,
        prepared: &Prepared,
        start: &ConversationStart,
    ) -> Vec<Box<dyn Follower>> {
        // Most runs have no add-ons, so they need not copy the declarations of tools.
        let taps = &self.case.shared.taps;
        if taps.is_empty() {
            return Vec::new();
        }
        let scripts = self.scripts(preparation);
        let client_tools = CompiledClientTool::declarations(&prepared.client_tools.written);
        let beginning = ConversationBeginning {
            purpose: self.purpose,
            start,
            rules: &prepared.rules,
            client_tools: &client_tools,
            // The variables are computed only for a follower that asks for them.
            variables: &|| scripts.preparation().own_variables(),
            redactor: &self.case.redactor,
        };
        let followers = taps.iter().filter_map(|tap| tap.follow(&beginning));
        followers.collect()
    }

    /// Opens a session with the agent and holds the conversation, from the parts of `prepared`. It begins as `start` says, and the
    /// `servers` execute some of its tools.
    async fn hold_conversation(
        &self,
        preparation: &Mutex<Preparation>,
        mut prepared: Prepared,
        servers: ToolServers,
        start: &ConversationStart,
        followers: &[Box<dyn Follower>],
    ) -> Result<ConversationResult, Problem> {
        // The names of tools are noted first, since the later steps move rules, tools, history and turns out of `prepared`.
        self.note_tool_names(&prepared, &lock(preparation).conditions());
        let shared = &self.case.shared;
        let target = Arc::clone(&prepared.target);
        let pace = self.pace();
        let budget = self.budget(&prepared, &pace);
        let mut session_options = self.session_options(&mut prepared);
        let written_turns = self.written_turns(preparation, &mut prepared);

        // Rules and mocks are compiled before the session opens: a pattern that is too large then ends the test before the agent
        // is asked anything.
        let evaluator = self.evaluator(take(&mut prepared.rules))?;
        let scripts = self.scripts(preparation);
        let mocks = Mocks::start(take(&mut prepared.client_tools.written), scripts)
            .map_err(|error| too_large(&error))?;
        let driver = shared.conversations.driver().cloned();
        let mut tools = HostedTools::new(driver, servers, mocks, self);
        let models = self.models(&prepared, &pace).await?;
        let written_turns = written_turns.asking(&models);
        self.point_programs_at(&models, &mut session_options);
        let session = self.open(&*target, session_options).await?;
        let session = self.with_models(session, &models, &pace);
        let checkpoints = self.checkpoints(&prepared)?;

        // Helpers are other agents: a simulator that writes what the user says, and judges. The oracle answers what rules ask,
        // with judges and scripts.
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

        // Followers may change what the user says, and observe all that is sent and received.
        let mut inputs = self.inputs(prepared, written_turns, &oracle);
        for follower in followers {
            inputs = follower.inputs(inputs);
        }
        let mut observers = self.observers(&Lane::Agent);
        observers.extend(followers.iter().filter_map(|follower| follower.observer()));
        let parts = ConversationParts {
            lane: Lane::Agent,
            session,
            trace: models.trace(start),
            evaluator,
            checkpoints,
            tools: &mut tools,
            oracle: &oracle,
            // What a server asks back is declined, unless the turn has an answer to it.
            requests: &mut DeclineRequests,
            ids: self.environment.context.ids.clone(),
            observers,
            budget,
            settings: &shared.options.settings,
        };
        let mut result = Box::pin(converse(parts, &mut *inputs)).await;
        drop(inputs);
        end_models(&models, &mut result);
        self.close_servers(tools.servers(), &result).await;
        Ok(result)
    }

    /// Ends the servers of tools, with a warning for each call that one of them was not sent.
    async fn close_servers(&self, servers: &mut ToolServers, result: &ConversationResult) {
        for call in &result.trace.calls {
            self.case
                .warn(servers.why_withheld(&call.name).into_iter().collect());
        }
        servers.close().await;
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

    /// The limits of each turn and the time of the whole conversation, with the `pace` of its requests.
    fn budget(&self, prepared: &Prepared, pace: &RequestPace) -> Budget {
        // The timeout of the run and that of the test limit the whole test: the shorter one counts.
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
            client_tools: CompiledClientTool::declarations(&prepared.client_tools.written).into(),
            declares_tools: prepared.rules.look_at_declared_tools(),
            undeclared: self.case.shared.undeclared_calls(),
            offered: take(&mut prepared.offered).into(),
            ..self
                .environment
                .session_options(self.key.clone(), prepared.thread_id.clone())
        }
    }

    /// The source of the written turns, moved out of `prepared`. A session itself may be `waiting` for some time in each.
    fn written_turns<'a>(
        &'a self,
        preparation: &'a Mutex<Preparation>,
        prepared: &mut Prepared,
    ) -> WrittenTurns<'a> {
        // A rule may allow a longer duration than the default timeout, which would end such a turn before the rule decides.
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

    /// The checkpoints of the simulated conversation, and the conditions under which a walk may take its actions.
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
        // All rules of a test share one computing time, `judging`.
        Checkpoints::start(watched, conditions.collect(), redactor, &watchdog.judging)
            .map_err(|error| too_large(&error))
    }

    /// The inputs of the conversation: first the `written_turns`, then those of a program, a walk, a simulator or a person, if
    /// the test has one.
    fn inputs<'a>(
        &'a self,
        prepared: Prepared,
        written_turns: WrittenTurns<'a>,
        oracle: &'a TestOracle<'a>,
    ) -> Box<dyn InputSource + 'a> {
        Box::new(TestInputs {
            attempt: self,
            begins_with_input: prepared.begins_with_input,
            defaults: Arc::clone(&prepared.defaults),
            written: written_turns,
            unwritten: self.unwritten_input(prepared, oracle),
        })
    }

    /// Opens a session with the agent. An error is noted for other tests of the same target, and returned.
    async fn open(
        &self,
        target: &dyn Target,
        options: SessionOptions,
    ) -> Result<Box<dyn Session>, Problem> {
        match target.open(options).await {
            Ok(session) => Ok(session),
            Err(error) => {
                // An agent that cannot even be reached does not answer either. A replay shows nothing of the agent.
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

    /// Notes the tools that rules and conditions name, and the tools that exist before the agent calls one. At the end of the
    /// run, a name that is nearly that of an existing tool, and that no agent called, is a warning.
    fn note_tool_names(&self, prepared: &Prepared, conditions: &[TurnCondition]) {
        let Case {
            shared, redactor, ..
        } = &self.case;
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

        // Calls in the history and declarations of client-side tools show tools that exist, even if the agent calls none of them.
        let mut existing: Vec<&str> = Vec::new();
        for message in &prepared.history {
            existing.extend(message.calls.iter().map(|call| &*call.name));
        }
        for tool in &prepared.client_tools.written {
            existing.push(&tool.declaration.name);
            names.declared(&tool.declaration, redactor);
        }
        names.exist(existing, redactor);
    }

    /// The source of the input after the written turns: a program, a walk, a simulator, or a person. `None` if the conversation
    /// ends with the written turns.
    fn unwritten_input<'a>(
        &'a self,
        prepared: Prepared,
        oracle: &'a TestOracle<'a>,
    ) -> Option<Box<dyn UnwrittenInput + 'a>> {
        // A conversation that was held before has all its turns already.
        let conversations = &self.case.shared.conversations;
        if conversations.observed().is_some() {
            return None;
        }

        // A program that holds the conversation takes precedence over what the test says about its input.
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

        // Without any of these, a person may answer an agent that waits for input. `AwaitedInput::of` is `None` if the test does
        // not look for that.
        let tools = prepared.confirmation_tools;
        let awaited = AwaitedInput::of(self, pace, prepared.interaction, tools)?;
        Some(Box::new(awaited))
    }

    /// Notes the tools that the agent called, for the warnings at the end of the run, and reports the end of the conversation to
    /// its followers.
    fn note_end(&self, result: &ConversationResult, followers: &[Box<dyn Follower>]) {
        let trace = &result.trace;
        let names = &self.case.shared.tool_names;
        names.seen_in(trace, &self.case.redactor);
        let end = ConversationEnd {
            trace,
            has_passed: result.halt.is_none() && !result.rules.iter().any(RuleResult::has_failed),
            // A follower that writes a text puts markers instead of secrets, as the recording does.
            marked: &|text| self.environment.marked(text),
        };
        for follower in followers {
            follower.ended(&end);
        }
    }
}
