//! Takes the sources of values as they become known: messages, results, ids of calls, and states.

use std::collections::HashSet;

use super::super::source::ProvenanceSource;
use super::super::source_texts::{Brought, SourceText, SourceTexts, texts};
use super::super::traced_value::{TracedValue, scalars};
use super::{Era, ProvenanceMonitor};
use crate::describe::short;
use ananke_trace::trace::{Args, MessageKind, Origin, ToolCall, ToolResult, Trace, TraceItem};

/// The most values that are kept of those that results repeat.
const MOST_ECHOES: usize = 1000;

impl ProvenanceMonitor {
    /// The place of a source; one that began before values that were looked at has them looked at once more.
    fn brought(&mut self, order: u64, event: Option<u32>, era: Era) -> Brought {
        if era == Era::Before {
            return Brought::default();
        }
        self.has_late_source |= order < self.newest;
        Brought { order, event }
    }

    pub(super) fn take_said(&mut self, trace: &Trace, index: usize, era: Era) {
        let message = &trace.messages[index];
        let is_history = era == Era::Before || message.origin == Origin::History;
        let is_user = message.role == MessageKind::User && !is_history;
        let brought = self.brought(message.order, Some(message.opened), era);
        let wanted = |source: &ProvenanceSource| match source {
            ProvenanceSource::User => is_user,
            ProvenanceSource::History => is_history,
            ProvenanceSource::State
            | ProvenanceSource::Results { .. }
            | ProvenanceSource::Literal(_) => false,
        };
        let without = HashSet::new();
        let of = SourceText {
            normaliser: &self.tracing.normaliser,
            brought,
            without: &without,
        };
        if self.tracing.from.iter().any(wanted) {
            self.from.add(&message.text, of);
        }
        if self.tracing.not_from.iter().any(wanted) {
            self.not_from.add(&message.text, of);
        }
    }

    /// Takes a result; what it repeats of its call's arguments does not count.
    pub(super) fn take_result(&mut self, trace: &Trace, item: TraceItem, era: Era) {
        let Some((call, result)) = item.call().zip(item.result(trace)) else {
            return;
        };
        let call = &trace.calls[call];
        let is_history = era == Era::Before || call.origin == Origin::History;
        let brought = self.brought(result.order, Some(result.event), era);
        let mut own = Vec::new();
        if let Args::Json(args) = call.args() {
            scalars(args, "", &mut own);
        }
        let values = own
            .into_iter()
            .filter_map(|(_, value)| TracedValue::of_scalar(value, &self.tracing.normaliser));
        let without: HashSet<String> = values
            .flat_map(|value| [Some(value.text), value.number])
            .flatten()
            .collect();
        self.note_echoes(call, result, &without);
        let nothing = HashSet::new();
        let sides = [
            (&self.tracing.from, &mut self.from, &without),
            (&self.tracing.not_from, &mut self.not_from, &nothing),
        ];
        for (sources, texts, without) in sides {
            let of = SourceText {
                normaliser: &self.tracing.normaliser,
                brought,
                without,
            };
            for source in sources {
                match source {
                    ProvenanceSource::Results { tool, path }
                        if !is_history
                            && tool.as_ref().is_none_or(|tool| tool.matches(&call.name)) =>
                    {
                        match (path, result.structured()) {
                            (None, Some(value)) => texts.add_value(value, of),
                            (None, None) => texts.add(&result.text, of),
                            (Some(path), Some(value)) => {
                                path.find(value)
                                    .into_iter()
                                    .for_each(|value| texts.add_value(value, of));
                            }
                            (Some(_), None) => {}
                        }
                    }
                    ProvenanceSource::History if is_history => texts.add(&result.text, of),
                    _ => {}
                }
            }
        }
    }

    /// Notes the values of a result that are among the arguments of its call, which a failure of them names.
    fn note_echoes(&mut self, call: &ToolCall, result: &ToolResult, args: &HashSet<String>) {
        let Some(whole) = result.structured() else {
            return;
        };
        let mut found = Vec::new();
        scalars(whole, "", &mut found);
        for (path, value) in found {
            let Some(value) = TracedValue::of_scalar(value, &self.tracing.normaliser) else {
                continue;
            };
            for key in value.keys().filter(|key| args.contains(*key)) {
                if self.echoes.len() < MOST_ECHOES && !self.echoes.contains_key(key) {
                    let place = format!(
                        "`{}` in the result of `{}`",
                        short(&path),
                        short(&call.name)
                    );
                    self.echoes.insert(key.to_owned(), place);
                }
            }
        }
    }

    /// Takes the id of a call, if results are a source: a call that asks for approval names the call that it is about.
    pub(super) fn take_id(&mut self, call: &ToolCall) {
        let results = ProvenanceSource::Results {
            tool: None,
            path: None,
        };
        if !self.tracing.from.contains(&results) {
            return;
        }
        let brought = self.brought(call.order, Some(call.first_event), Era::Now);
        let without = HashSet::new();
        self.from.add(
            &call.wire_id,
            SourceText {
                normaliser: &self.tracing.normaliser,
                brought,
                without: &without,
            },
        );
    }

    /// Takes what the state contains since a place in the order, and did not contain before.
    pub(super) fn take_state(&mut self, trace: &Trace, order: u64) {
        let sides = [
            (&self.tracing.from, &mut self.from),
            (&self.tracing.not_from, &mut self.not_from),
        ];
        let sides = sides
            .into_iter()
            .filter(|(sources, _)| sources.contains(&ProvenanceSource::State));
        let mut wanting: Vec<&mut SourceTexts> = sides.map(|(_, texts)| texts).collect();
        if wanting.is_empty() {
            return;
        }
        let without = HashSet::new();
        let of = SourceText {
            normaliser: &self.tracing.normaliser,
            brought: Brought { order, event: None },
            without: &without,
        };
        let mut found = Vec::new();
        texts(trace.state.value(), &mut found);
        for text in found {
            if !self.texts_of_states.contains(text.as_ref()) {
                for texts in &mut wanting {
                    texts.add(&text, of);
                }
                self.texts_of_states.insert(text.into_owned());
            }
        }
    }
}
