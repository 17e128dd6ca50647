//! `snapshot`: what the agent did in its home is what a golden file says.
//!
//! What is kept comes with the rule, what was captured leaves with its judgement: nothing here reads or writes a file.

use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Told};
use crate::diagnostic::{Code, Difference, Spanned};
use crate::golden::{self, Golden, Part, States, Story, Volatile};
use crate::model::{SnapshotOf, SnapshotRule, Text};
use crate::variables::{Filling, Piece, scan};

/// A conversation, or a turn of it, that must go as it went before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The name of its file, where the rule gives one.
    pub name: Option<String>,
    /// What of it is masked.
    pub volatile: Vec<Volatile>,
    /// Of a test: the turns that it says nothing of, counted from 0.
    pub left_out: Vec<usize>,
    /// Where it is kept; a plan says so.
    pub golden: Option<Golden>,
}

/// What was captured and is not what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Where it belongs, and what is there.
    pub golden: Golden,
    /// What it says.
    pub text: String,
}

/// Which snapshots a run may write, so that they count as kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// One that is not there.
    pub missing: bool,
    /// One that says something else.
    pub changed: bool,
    /// Whether one that no rule refers to is deleted.
    pub obsolete: bool,
}

impl Snapshot {
    /// Checks a snapshot that is not switched off.
    pub(super) fn compile(written: &Spanned<SnapshotRule>, filling: &mut Filling<'_>) -> Option<Self> {
        let of = match &written.value {
            SnapshotRule::Off => return None,
            SnapshotRule::On => SnapshotOf { name: None, volatile: None },
            SnapshotRule::Named(name) => {
                let name = Spanned { value: name.clone(), span: written.span };
                SnapshotOf { name: Some(name), volatile: None }
            }
            SnapshotRule::Of(of) => of.clone(),
        };
        let name = match &of.name {
            Some(text) => literal(text, filling).map(Some),
            None => Some(None),
        };
        let volatile: Vec<Option<Volatile>> =
            of.volatile.iter().flatten().map(|text| volatile(text, filling)).collect();
        // A path that is known later shows nothing before, and is checked then.
        Some(Self { name: name?, volatile: volatile.into_iter().flatten().collect(), ..Self::default() })
    }

    /// Takes over what outer levels leave out, before its own.
    pub(super) fn inherit(&mut self, outer: &[Volatile]) {
        let mut volatile = outer.to_vec();
        volatile.extend(self.volatile.drain(..).filter(|own| !outer.contains(own)));
        self.volatile = volatile;
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let golden = self.golden.as_ref().map(|golden| format!(" `{}`", golden.shown)).unwrap_or_default();
        let mut words = vec![format!("the snapshot{golden}")];
        let turns: Vec<String> = self.left_out.iter().map(|turn| (turn + 1).to_string()).collect();
        if !turns.is_empty() {
            let plural = if turns.len() == 1 { "" } else { "s" };
            words.push(format!("without turn{plural} {}", turns.join(", ")));
        }
        let paths: Vec<String> = self.volatile.iter().map(|path| format!("`{}`", path.as_str())).collect();
        if !paths.is_empty() {
            words.push(format!("apart from {}", paths.join(", ")));
        }
        words.join(", ")
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        format!("settled at the end of {}", home.words())
    }

    pub(super) fn start(&self) -> Monitor {
        Monitor { snapshot: self.clone(), states: States::default() }
    }
}

/// A name that is known before anything runs, since what is kept is found by it (SPEC 1, Identity).
fn literal(text: &Text, filling: &mut Filling<'_>) -> Option<String> {
    let refers = |pieces: Vec<Piece<'_>>| pieces.iter().any(|piece| matches!(piece, Piece::Reference(_)));
    if scan(text).is_ok_and(refers) {
        let help = "write the name out, or leave it away: the file is then named after the test";
        let message = "the name of a snapshot holds a variable, and it is to be the same in every run";
        filling.report(Code::BadValue, text.span, message, Some(help.to_owned()));
        return None;
    }
    let name = filling.text(text).ready()?;
    if name.trim().is_empty() {
        // That there is no text at all, the schema says.
        if !name.is_empty() {
            filling.report(Code::EmptyValue, text.span, "the name of a snapshot cannot be blank", None);
        }
        return None;
    }
    Some(name)
}

fn volatile(text: &Text, filling: &mut Filling<'_>) -> Option<Volatile> {
    let path = filling.text(text).ready()?;
    if filling.waits(text) {
        return None;
    }
    let help = "name a tool and its `args` or `result` (`search.args.when`, `*.result.id`), `state` \
                (`state.updated_at`), `custom` and an event (`custom.progress.at`), or `text`";
    let report = |error| filling.report(Code::BadValue, text.span, error, Some(help.to_owned()));
    Volatile::parse(&path).map_err(report).ok()
}

/// Notes the states of the turns; the rest is told by the trace when its home is over.
#[derive(Debug)]
pub struct Monitor {
    snapshot: Snapshot,
    states: States,
}

impl Monitor {
    pub(super) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        let Snapshot { volatile, left_out, golden, .. } = &self.snapshot;
        let trace = scope.trace;
        let running = trace.turns.len().saturating_sub(1);
        match moment {
            Moment::Touched(_) => return Judgement::Open,
            Moment::TurnEnd => {
                let of_test = scope.home == Home::Test;
                let replays = trace.turns.last().is_some_and(|turn| turn.input.is_replay);
                if !(of_test && (replays || left_out.contains(&running))) {
                    self.states.note(running, trace.state.value(), volatile);
                }
                return Judgement::Open;
            }
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let part = match scope.home {
            Home::Turn(turn) => Part::Turn(turn),
            Home::Test => Part::Test { left_out },
        };
        let story = Story { trace, states: &self.states, part, volatile, redactor: scope.redactor };
        let text = story.write();
        let golden = golden.clone().unwrap_or_default();
        match &golden.text {
            Some(kept) if !golden::differs(kept, &text) => Judgement::Holds,
            _ => Judgement::Differs(Box::new(Captured { golden, text })),
        }
    }
}

impl Captured {
    /// Whether nothing was kept before.
    pub fn is_new(&self) -> bool {
        self.golden.text.is_none()
    }

    pub(super) fn is_taken(&self, writing: Writing) -> bool {
        if self.is_new() { writing.missing } else { writing.changed }
    }

    pub(super) fn told(&self) -> Told {
        let shown = &self.golden.shown;
        let told = |message: String, difference, help: &str| Told {
            finding: Finding { message, expected: String::new(), seen: Vec::new(), events: Vec::new() },
            difference,
            help: Some(help.to_owned()),
        };
        let Some(kept) = &self.golden.text else {
            let message = format!("there is no snapshot `{shown}` to compare with");
            return told(message, None, "run the test on your own machine, which writes it, and commit it");
        };
        if let Some(format) = golden::other_format(kept) {
            let message =
                format!("the snapshot `{shown}` has the format {format}, which this version does not know");
            let help = "use the version of ananke that wrote it, or write it anew with `--update-snapshots`";
            return told(message, None, help);
        }
        told(
            format!("the conversation differs from the snapshot `{shown}`"),
            Some(Difference::between(kept, &self.text)),
            "if it is right as it is now, `--update-snapshots` writes it so",
        )
    }
}
