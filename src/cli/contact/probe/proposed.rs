//! The proposal of a target for an API that speaks no known protocol, as a user sees it.

use ananke::agents::{
    NamedSecret, ProposalConsole, ProposalOptions, ProposedTurn, TargetProposal,
    http::HttpTransport,
};
use ananke::context::Context;
use ananke::redact::Redactor;
use ananke::text::{escape, truncate};

use super::PlaceOptions;
use crate::cli::frame::say;

/// The most characters of a text or of arguments that are shown.
const SHOWN: usize = 200;

/// The most texts and calls of a turn that are shown.
const LISTED: usize = 10;

/// What a user says about the target that may be proposed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProposalWishes {
    /// The body of a request as JSON, with `${INPUT}`.
    pub(crate) body: Option<String>,
    /// The message of a second turn.
    pub(crate) second: Option<String>,
}

/// Shows what is sent on standard error, without secrets.
pub(super) struct MaskingConsole<'a> {
    pub(super) redactor: &'a Redactor,
}

impl ProposalConsole for MaskingConsole<'_> {
    fn say(&self, line: &str) {
        say(&self.redactor.text(line));
    }

    fn hide(&self, secret: &str) {
        self.redactor.add([secret]);
    }
}

/// The surroundings of a proposal.
pub(super) struct ProposalSetting<'a> {
    pub(super) wishes: &'a ProposalWishes,
    pub(super) place: &'a PlaceOptions,
    pub(super) transport: &'a HttpTransport,
    pub(super) context: &'a Context,
    pub(super) console: &'a MaskingConsole<'a>,
}

impl<'a> ProposalSetting<'a> {
    /// The options of a proposal whose requests have these limits.
    pub(super) fn options(&self, limits: ananke::agents::Limits) -> ProposalOptions<'a> {
        let headers = self.place.headers.iter().map(|header| NamedSecret {
            name: header.name.clone(),
            variable: header.variable(),
            value: header.value.clone(),
        });
        ProposalOptions {
            headers: headers.collect(),
            body: self.wishes.body.as_deref(),
            is_refused: false,
            second: self.wishes.second.as_deref(),
            transport: self.transport,
            limits,
            ids: &*self.context.ids,
            console: self.console,
        }
    }
}

/// Shows a proposal, and what it reads in the responses that came.
pub(super) fn show(proposal: &TargetProposal, console: &MaskingConsole<'_>) {
    console.say("Proposed:");
    let lines = proposal.target.lines();
    for line in lines.filter(|line| !line.trim_start().starts_with('#')) {
        console.say(&escape::line(line));
    }
    console.say("It reads the response so:");
    for turn in &proposal.turns {
        for line in turn_lines(turn) {
            console.say(&line);
        }
    }
}

/// A turn in lines.
fn turn_lines(turn: &ProposedTurn) -> Vec<String> {
    let shown = |text: &str| escape::line(&truncate::chars(text, SHOWN)).into_owned();
    let mut lines = vec![format!("  user:  {}", shown(&turn.user))];
    let calls = turn.calls.iter().take(LISTED);
    for (name, args) in calls {
        lines.push(format!(
            "  call:  {} {}",
            shown(name),
            shown(&args.to_string())
        ));
    }
    for text in turn.texts.iter().take(LISTED) {
        lines.push(format!("  text:  {}", shown(text)));
    }
    let hidden = turn.calls.len().saturating_sub(LISTED) + turn.texts.len().saturating_sub(LISTED);
    if hidden > 0 {
        lines.push(format!("  and {hidden} more"));
    }
    if turn.calls.is_empty() {
        lines.push("  calls: none".to_owned());
    }
    if turn.unread > 0 {
        lines.push(format!(
            "  {} that may be calls are not read: correct `calls`",
            turn.unread
        ));
    }
    lines
}
