//! Tries what an agent could be, and says what it is.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::time::Duration;

use ananke::agents::{
    Action, AgentPlace, CandidatePlace, Ended, FirstLook, Limits, ProbeQuestion, ProposalOptions,
    ProposalPlace, Sink, Stop, TargetCandidate, TargetError, Wire, candidates, is_answer_of,
    looked_at, proposing,
};
use ananke::context::{At, Context};
use ananke::message::{DeclaredTool, UserContent};
use ananke::process::ENDED;
use ananke::text::{duration, escape, truncate};
use ananke::{agents::http::HttpTransport, redact::Redactor, run::Stopper, trace::Change};
use serde_json::{Value, json};

use super::super::agent_project::AgentProject;
use super::proposed::{self, MaskingConsole, ProposalSetting};
use super::{FoundAgent, PlaceOptions, ProposalWishes, found::written};
use crate::cli::frame::{Colour, Exit, Failed, say};

/// The longest time in which a server may answer one request.
const SERVER_PATIENCE: Duration = Duration::from_secs(15);

/// The longest time in which a program may start and answer.
const PROGRAM_PATIENCE: Duration = Duration::from_mins(1);

/// The longest time in which a program may answer that has printed something else: it may load a model meanwhile.
const AFTER_NOISE: Duration = Duration::from_secs(15);

/// The longest time in which an API of its own may answer a greeting, to the end of its answer.
const ANSWER_PATIENCE: Duration = Duration::from_mins(1);

/// The most characters of the keys of an answer that are shown.
const UNREAD_SHOWN: usize = 600;

/// The most characters of an answer that are shown.
const SHOWN: usize = 70;

/// The remedy for a program that ended.
const ENDED_HELP: &str = "what it printed to stderr is above; a program that is an agent or a server reads its stdin until that ends";

/// The target that answers at `place`. What is sent is printed first. With `wishes`, a target is proposed for an API that speaks no
/// known protocol.
///
/// # Errors
/// If nothing answers as a protocol promises, or several targets do; or a signal came.
pub(crate) async fn probe(
    place: &AgentPlace,
    options: &PlaceOptions,
    wishes: Option<&ProposalWishes>,
    context: &Context,
    stopper: &Stopper,
) -> Result<FoundAgent, Failed> {
    let prober = AgentProber {
        place,
        options,
        wishes,
        context: &options.context(context),
        stopper,
        transport: HttpTransport::new(context.clock.clone()),
        redactor: Redactor::default(),
    };
    prober
        .redactor
        .add(options.headers.iter().map(|header| header.value.as_str()));
    prober.find().await
}

/// The answer of a candidate.
enum CandidateAnswer {
    /// It is this one.
    Found(Box<FoundAgent>),
    /// It is one that no `type` of targets speaks.
    Unsupported(&'static str),
    /// It has several agents or models, and none was named.
    Several(Vec<String>),
    /// It is another one.
    Other(TargetError),
}

/// Whether the URL refused a POST before a target is proposed for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PostState {
    Open,
    Refused,
}

/// What the errors of candidates that are none show together.
#[derive(Default)]
struct Refusals {
    /// Whether one asked who asks.
    asks_who: bool,
    /// Whether the last was that the program ended.
    last_ended: bool,
    /// The last one in words.
    last: String,
    /// The error of the first candidate whose protocol is spoken, but not as ananke needs it.
    near: Option<Failed>,
    /// The remedy of a proposal that could not be made.
    help: Option<String>,
}

struct AgentProber<'a> {
    place: &'a AgentPlace,
    options: &'a PlaceOptions,
    wishes: Option<&'a ProposalWishes>,
    context: &'a Context,
    stopper: &'a Stopper,
    transport: HttpTransport,
    redactor: Redactor,
}

impl AgentProber<'_> {
    async fn find(&self) -> Result<FoundAgent, Failed> {
        if let Some(proposed) = self.of_command().await {
            return proposed;
        }
        let candidates = candidates(self.place, self.options.agent.as_deref());
        let shown = self.place.shown();
        say(&format!("Asking {shown} what it speaks. This is sent:"));
        let mut look = self.first_look(&candidates).await;
        if self.stopper.reason().is_some() {
            return Err(Failed::Ended(Exit::Interrupted));
        }
        if let Some(error) = look.unreachable() {
            return Err(self.unreachable(error));
        }
        let mut usual: Vec<FoundAgent> = Vec::new();
        let mut refusals = Refusals::default();
        for candidate in candidates {
            if !look.allows(&candidate) {
                continue;
            }
            say(&format!("  {}: {}", candidate.speaks, candidate.sends));
            match self.ask(&candidate).await {
                _ if self.stopper.reason().is_some() => {
                    return Err(Failed::Ended(Exit::Interrupted));
                }
                CandidateAnswer::Found(found) if candidate.place == CandidatePlace::Given => {
                    return Ok(*found);
                }
                CandidateAnswer::Found(found) => usual.push(*found),
                CandidateAnswer::Unsupported(speaks) => {
                    let message = format!(
                        "{shown} speaks {speaks}, which ananke has no `type` for yet: nothing was written"
                    );
                    return Err(Failed::new(message).help("if it has chat completions too, name their URL; or wrap the agent in a program: `ananke init --for python`"));
                }
                CandidateAnswer::Several(names) => return Err(several(&shown, &names)),
                CandidateAnswer::Other(error) if error.is_unreachable() => {
                    return Err(self.unreachable(&error));
                }
                CandidateAnswer::Other(error) => {
                    look.answered(&candidate, &error);
                    self.refuse(&candidate, error, &mut refusals);
                }
            }
        }
        if let Some(only) = self.only_one(usual) {
            return only;
        }
        if refusals.near.is_none()
            && let Some(proposed) = self.of_url(&look, &mut refusals).await
        {
            return proposed;
        }
        Err(self.nothing(&shown, &look, refusals))
    }

    /// The target for the request that the words of a program send; `None` if they are no such program.
    async fn of_command(&self) -> Option<Result<FoundAgent, Failed>> {
        let place = ProposalPlace::Command(self.place.program()?);
        self.wishes?;
        proposing(place)?;
        say("Reading the request of the command, which is not started.");
        let error = match self.propose(place, PostState::Open).await? {
            Ok(found) => return Some(Ok(found)),
            Err(_) if self.stopper.reason().is_some() => {
                return Some(Err(Failed::Ended(Exit::Interrupted)));
            }
            Err(error) => error,
        };
        let failed = Failed::new(format!("{}: nothing was written", quoted(&error)));
        let failed = match error.help {
            Some(help) => failed.help(help),
            None => failed,
        };
        Some(Err(failed.masked(&self.redactor)))
    }

    /// The target that is proposed for a URL at which nothing speaks a known protocol; `None` if none can be.
    async fn of_url(
        &self,
        look: &FirstLook,
        refusals: &mut Refusals,
    ) -> Option<Result<FoundAgent, Failed>> {
        let url = self.place.url()?;
        let has_body = self.wishes?.body.is_some();
        // Without credentials, every request would be refused.
        if refusals.asks_who && !has_body {
            return None;
        }
        let state = if look.refuses(url) && !has_body {
            PostState::Refused
        } else {
            PostState::Open
        };
        match self.propose(ProposalPlace::Url(url), state).await? {
            Ok(found) => Some(Ok(found)),
            Err(_) if self.stopper.reason().is_some() => {
                Some(Err(Failed::Ended(Exit::Interrupted)))
            }
            Err(error) => {
                refusals.asks_who |= matches!(error.received.status, Some(401 | 403));
                let why = quoted(&error);
                let why = self.redactor.text(&why);
                say(&format!(
                    "      no: {}",
                    truncate::chars(&why, UNREAD_SHOWN)
                ));
                refusals.help = error.help;
                None
            }
        }
    }

    /// Has a protocol propose a target, and shows it; `None` if no protocol can.
    async fn propose(
        &self,
        place: ProposalPlace<'_>,
        state: PostState,
    ) -> Option<Result<FoundAgent, TargetError>> {
        let proposing = proposing(place)?;
        let console = MaskingConsole {
            redactor: &self.redactor,
        };
        let setting = ProposalSetting {
            wishes: self.wishes?,
            place: self.options,
            transport: &self.transport,
            context: self.context,
            console: &console,
        };
        let limits = Limits::new(ANSWER_PATIENCE, self.stopper.token().clone());
        let options = ProposalOptions {
            is_refused: state == PostState::Refused,
            ..setting.options(limits)
        };
        Some(match proposing.propose(place, &options).await {
            Ok(proposal) => {
                proposed::show(&proposal, &console);
                Ok(FoundAgent::proposed(proposal))
            }
            Err(error) => Err(error),
        })
    }

    /// Says why a candidate is none, and notes what that shows.
    fn refuse(&self, candidate: &TargetCandidate, error: TargetError, refusals: &mut Refusals) {
        refusals.asks_who |= matches!(error.received.status, Some(401 | 403));
        refusals.last_ended = error.message.contains(ENDED);
        let why = self.why_not(&error);
        // An error of several lines, such as a traceback, is printed once.
        if why == refusals.last && why.contains('\n') {
            say("      no: the same");
        } else {
            let indented = why.trim_end().replace('\n', "\n        ");
            say(&format!("      no: {indented}"));
        }
        refusals.last = why;
        if refusals.near.is_none() && is_near(candidate, &error) {
            refusals.near = Some(self.near(candidate, error));
        }
    }

    /// The agent below the URL, if there is one and no other; `None` if there is none.
    fn only_one(&self, found: Vec<FoundAgent>) -> Option<Result<FoundAgent, Failed>> {
        let mut others = found.into_iter();
        let first = others.next()?;
        Some(match others.next() {
            None => Ok(first),
            Some(second) => {
                let all: Vec<FoundAgent> = [first, second].into_iter().chain(others).collect();
                Err(several_agents(&self.place.shown(), &all))
            }
        })
    }

    /// Sends the GETs of all candidates, of an agent with a URL.
    async fn first_look(&self, candidates: &[TargetCandidate]) -> FirstLook {
        let urls = looked_at(self.place, candidates);
        if urls.is_empty() {
            return FirstLook::default();
        }
        let paths: Vec<_> = urls.iter().map(|url| escape::line(url.path())).collect();
        say(&format!("  GET, side by side: {}", paths.join(", ")));
        let limits = Limits::new(SERVER_PATIENCE, self.stopper.token().clone());
        FirstLook::at(urls, &self.options.pairs(), &self.transport, &limits).await
    }

    fn unreachable(&self, error: &TargetError) -> Failed {
        let message = format!("{}: nothing was written", error.message);
        let failed = Failed::new(message).help("start the agent, and try again");
        failed.masked(&self.redactor)
    }

    async fn ask(&self, candidate: &TargetCandidate) -> CandidateAnswer {
        let mut target = candidate.target.clone();
        if let Some(lookup) = &candidate.lookup {
            let headers = self.options.pairs();
            let limits = Limits::new(SERVER_PATIENCE, self.stopper.token().clone());
            let names = match lookup.names(&headers, &self.transport, &limits).await {
                Ok(names) => names,
                Err(error) => return CandidateAnswer::Other(error),
            };
            if let (Some(target), Some(key)) = (&mut target, lookup.key) {
                let chosen = self.options.agent.clone();
                let name = match (chosen, names.as_slice()) {
                    (Some(chosen), _) => chosen,
                    (None, [only]) => only.clone(),
                    (None, []) => return CandidateAnswer::Other(TargetError::new("it lists none")),
                    (None, _) => return CandidateAnswer::Several(names),
                };
                target.insert(key.to_owned(), json!(name));
            }
        }
        let Some(target) = target else {
            return CandidateAnswer::Unsupported(candidate.speaks);
        };
        let mut found = FoundAgent {
            speaks: candidate.speaks,
            at: candidate.at.clone(),
            turns: candidate.turns,
            target: written(target, &self.options.headers),
            tools: None,
            proposal: None,
        };
        match self.question(candidate.question, &found).await {
            Ok(tools) => {
                found.tools = tools;
                CandidateAnswer::Found(Box::new(found))
            }
            Err(error) => CandidateAnswer::Other(error),
        }
    }

    /// Asks a target; its tools, if it declares them.
    async fn question(
        &self,
        question: ProbeQuestion,
        found: &FoundAgent,
    ) -> Result<Option<Vec<DeclaredTool>>, TargetError> {
        let unusable = |failed: Failed| {
            failed.report(Colour::Auto, self.context);
            TargetError::new("it cannot be a target")
        };
        let agent =
            AgentProject::written(&found.config(), found.turns, self.context).map_err(unusable)?;
        let target = agent.target().map_err(unusable)?.target;
        let helpers = agent.helpers(self.stopper);
        let limits = Limits {
            after_noise: Some(AFTER_NOISE),
            ..helpers.limits(match self.place {
                AgentPlace::Url(_) => SERVER_PATIENCE,
                AgentPlace::Program(_) => PROGRAM_PATIENCE,
            })
        };
        let options = helpers.session_options();
        if question == ProbeQuestion::Tools {
            return target.declared_tools(options, &limits).await;
        }
        let greeting = Action::User {
            message_id: self.context.ids.next("message"),
            name: None,
            content: UserContent::Text("Hello".into()),
        };
        let mut sink = FirstSign::default();
        let mut session = target.open(options).await?;
        let ended = session.exchange(greeting.into(), &limits, &mut sink).await;
        session.close().await;
        match ended {
            _ if sink.is_seen => Ok(None),
            Err(error) => Err(error),
            Ok(Ended::Timeout) => Err(TargetError::new(format!(
                "no answer in {}",
                duration::chosen(limits.timeout)
            ))),
            Ok(Ended::Terminal | Ended::Cancelled) => Err(TargetError::new("it says nothing")),
        }
    }

    /// The reason why a candidate is not there, in a few words if it has a URL.
    fn why_not(&self, error: &TargetError) -> String {
        match self.place {
            AgentPlace::Url(_) => self.in_short(error),
            AgentPlace::Program(_) => {
                let mut why = error.to_string();
                if let Some(help) = &error.help {
                    why.push_str("\nhelp: ");
                    why.push_str(help);
                }
                self.redactor.text(&why).into_owned()
            }
        }
    }

    /// An answer in a few words.
    fn in_short(&self, error: &TargetError) -> String {
        let received = &error.received;
        let text = match received.status {
            Some(status) if status >= 300 && !received.first_bytes.is_empty() => {
                format!("HTTP {status}, `{}`", received.first_bytes)
            }
            Some(status) if status >= 300 => format!("HTTP {status}"),
            // Without the places that were asked: they were printed.
            _ => match error.message.split_once(": nothing is at ") {
                Some((what, _)) => what.to_owned(),
                None => error.message.clone(),
            },
        };
        truncate::chars(&self.redactor.text(&text), SHOWN).to_string()
    }

    /// The error if the protocol of a candidate is spoken, but not as ananke needs it.
    fn near(&self, candidate: &TargetCandidate, error: TargetError) -> Failed {
        let message = format!(
            "{} speaks {}, but {}; nothing was written",
            candidate.at.shown(),
            candidate.speaks,
            error.message
        );
        let failed = Failed::new(message);
        let failed = match error.help {
            Some(help) => failed.help(help),
            None => failed,
        };
        failed.masked(&self.redactor)
    }

    /// The error if nothing was recognised.
    fn nothing(&self, shown: &str, look: &FirstLook, refusals: Refusals) -> Failed {
        if let Some(near) = refusals.near {
            return near;
        }
        if refusals.last_ended {
            let message = format!("{shown} ended before it answered: nothing was written");
            return Failed::new(message).help(ENDED_HELP);
        }
        let seems = look.seems(self.place);
        let message = match seems {
            Some(seems) => format!(
                "{shown} seems to be {seems}, and speaks no protocol that ananke knows: nothing was written"
            ),
            None => format!("{shown} speaks no protocol that ananke knows: nothing was written"),
        };
        if let Some(help) = refusals.help
            && !refusals.asks_who
        {
            return Failed::new(message).help(help);
        }
        let help = match self.place {
            _ if refusals.asks_who => {
                "it asks who you are: pass a header, as in `-H \"authorization: Bearer $TOKEN\"`"
            }
            AgentPlace::Url(_) => {
                "name the URL that clients of the agent use; for an API of its own, describe its request and its response in a target with `type: http`"
            }
            AgentPlace::Program(_) => {
                "if the program serves HTTP, start it, and name its URL; else let it read and print JSON lines: `ananke init --for python`"
            }
        };
        Failed::new(message).help(help)
    }
}

/// An error with the start of the response, if its status is none of success.
fn quoted(error: &TargetError) -> String {
    match error.received.status {
        Some(status) if status >= 300 && !error.received.first_bytes.is_empty() => {
            format!("{}, `{}`", error.message, error.received.first_bytes)
        }
        _ => error.message.clone(),
    }
}

/// The case of a candidate that answered in its protocol although it is no target.
fn is_near(candidate: &TargetCandidate, error: &TargetError) -> bool {
    let of_type = candidate
        .target
        .as_ref()
        .and_then(|target| target.get("type"));
    of_type
        .and_then(Value::as_str)
        .is_some_and(|of_type| is_answer_of(of_type, error))
}

/// The error if several agents or models are there.
fn several(shown: &str, names: &[String]) -> Failed {
    const LISTED: usize = 10;
    let listed: Vec<_> = names
        .iter()
        .take(LISTED)
        .map(|name| escape::line(name))
        .collect();
    let more = if names.len() > LISTED {
        format!(" and {} more", names.len() - LISTED)
    } else {
        String::new()
    };
    let first = listed.first().map_or("NAME", |name| name);
    let message = format!(
        "{shown} lists {} agents or models: {}{more}",
        names.len(),
        listed.join(", ")
    );
    Failed::new(message).help(format!("name one, as in `--agent {first}`"))
}

/// The error if there are several agents below a URL.
fn several_agents(shown: &str, found: &[FoundAgent]) -> Failed {
    let mut message = format!("several agents are below {shown}:");
    for found in found {
        let _ = write!(message, "\n  {}  speaks {}", found.at.shown(), found.speaks);
    }
    Failed::new(message).help("name the URL of one of them")
}

/// Notices the first sign of an answer, which ends the exchange.
#[derive(Default)]
struct FirstSign {
    is_seen: bool,
}

impl Sink for FirstSign {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change {
            Change::Warning(_)
            | Change::Violation { .. }
            | Change::Unread(_)
            | Change::Stamped(_) => ControlFlow::Continue(()),
            _ => {
                self.is_seen = true;
                ControlFlow::Break(Stop)
            }
        }
    }
}
