//! A file of OTLP JSON: its spans are found once, and read again conversation by conversation. This is `--from otel`.
//!
//! **Invariant:** of the file only the places of its spans are in memory, and the conversation that is read.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;

use super::observed_span::{NO_ID, ObservedSpan, PlacedSpan};
use super::otlp_scanner::{ObjectKind, OtlpScanner};
use super::otlp_span::OtlpSpan;
use super::spans_of_conversation::conversation;
use crate::conventions::{Conventions, SpanKind};
use crate::trace_file::{add_oddities, unreadable, utf16};
use crate::{TraceContext, TraceError, TraceFile, TraceFormat};
use ananke_base::{source::reason, source::received_json::JsonError, text::escape};
use ananke_conversation::observed::ObservedConversation;
use ananke_trace::outcome::Problem;

/// The number of attributes that are named if none is known.
const NAMED: usize = 6;

/// The place of a span or a log record.
#[derive(Clone, Copy, Debug)]
struct SpanPlace {
    id: u64,
    /// The span of a log record.
    kind: Option<SpanKind>,
    offset: u64,
    length: u32,
}

/// The places of one conversation, or of one trace.
#[derive(Debug, Default)]
struct Group {
    id: String,
    spans: Vec<SpanPlace>,
    logs: Vec<SpanPlace>,
}

impl Group {
    fn of(id: String) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }
}

/// A file of spans.
#[derive(Debug)]
pub(super) struct OtelFile {
    path: PathBuf,
    shown: String,
    groups: Vec<Group>,
    /// The parent of each span, and its kind.
    parents: HashMap<u64, (u64, Option<SpanKind>)>,
    pub(super) notes: Vec<String>,
}

/// The index that is built while a file is read for the first time.
#[derive(Default)]
struct Index {
    /// The conversations, in the order of their first spans, and where each is.
    groups: Vec<Group>,
    by_key: HashMap<String, usize>,
    /// The conversation of a trace, by the trace.
    conversations: HashMap<u64, String>,
    /// The spans by their traces, until it is known which conversation each trace is of.
    traces: Vec<(u64, Group)>,
    by_trace: HashMap<u64, usize>,
    parents: HashMap<u64, (u64, Option<SpanKind>)>,
    spans: usize,
    without_trace: usize,
    attributes: HashSet<String>,
}

fn hash(trace: &str, span: Option<&str>) -> u64 {
    let Some(span) = span.filter(|span| !span.is_empty()) else {
        return NO_ID;
    };
    let mut hasher = DefaultHasher::new();
    (trace, span).hash(&mut hasher);
    hasher.finish().max(1)
}

impl Index {
    /// Adds the objects of a file among which are spans that count.
    fn read(
        &mut self,
        mut scanner: OtlpScanner<&File>,
        shown: &str,
        counts: fn(&OtlpSpan<'_>) -> bool,
    ) -> Result<(), TraceError> {
        let names = Conventions::known();
        let mut object = Vec::new();
        loop {
            let found = scanner.next(&mut object).map_err(|error| TraceError {
                message: format!("{shown}:{}: {}", error.line, error.message),
                help: Some("a trace is JSON of OTLP: one document, or one per line".to_owned()),
            })?;
            let Some(found) = found else { return Ok(()) };
            let mut strict = String::new();
            let (span, _) = OtlpSpan::read(&object, &mut strict)
                .map_err(|error| strange(shown, found.line, &error))?;
            if counts(&span) {
                self.add(&span, found.kind, found.offset, object.len(), names);
            }
        }
    }

    fn add(
        &mut self,
        span: &OtlpSpan<'_>,
        kind: ObjectKind,
        offset: u64,
        length: usize,
        names: &Conventions,
    ) {
        let trace = span.trace_id.as_deref().unwrap_or_default();
        let id = hash(trace, span.span_id.as_deref());
        let attributes = span.attributes.as_deref().unwrap_or_default();
        let texts = attributes.iter().map(|attribute| {
            let value = attribute.value.as_ref();
            (
                &*attribute.key,
                value.and_then(|value| value.string_value.as_deref()),
            )
        });
        let found = names.kind(&texts);
        let is_log = kind == ObjectKind::LogRecord;
        if !is_log {
            self.spans += 1;
            if id != NO_ID {
                let parent = hash(trace, span.parent_span_id.as_deref());
                self.parents.insert(id, (parent, found));
            }
        }
        let is_known = match found {
            Some(kind) => kind != SpanKind::Silent,
            None => texts.clone().any(|(name, _)| names.is_of_convention(name)),
        };
        if !(is_known || is_log && id != NO_ID) {
            let room = NAMED.saturating_sub(self.attributes.len());
            let first = texts.take(room).map(|(name, _)| name.to_owned());
            self.attributes.extend(first);
            return;
        }
        let trace_hash = hash(trace, Some("trace"));
        self.without_trace += usize::from(trace.is_empty() && !is_log);
        if !is_log && let Some(name) = names.conversation(attributes) {
            self.conversations.entry(trace_hash).or_insert(name);
        }
        let place = SpanPlace {
            id,
            kind: found,
            offset,
            length: u32::try_from(length).unwrap_or(u32::MAX),
        };
        let group = self.trace(trace_hash, trace);
        if is_log {
            group.logs.push(place);
        } else {
            group.spans.push(place);
        }
    }

    /// The places of a trace.
    fn trace(&mut self, hash: u64, id: &str) -> &mut Group {
        let index = *self.by_trace.entry(hash).or_insert_with(|| {
            self.traces.push((hash, Group::of(id.to_owned())));
            self.traces.len() - 1
        });
        &mut self.traces[index].1
    }

    /// Puts traces of one conversation together.
    fn group(&mut self) {
        for (hash, trace) in std::mem::take(&mut self.traces) {
            if trace.spans.iter().all(|place| place.kind.is_none()) {
                continue;
            }
            let own = if trace.id.is_empty() {
                "no-trace-id".to_owned()
            } else {
                trace.id
            };
            let id = self.conversations.get(&hash).cloned().unwrap_or(own);
            let index = *self.by_key.entry(id.clone()).or_insert_with(|| {
                self.groups.push(Group::of(id));
                self.groups.len() - 1
            });
            self.groups[index].spans.extend(trace.spans);
            self.groups[index].logs.extend(trace.logs);
        }
    }
}

impl OtelFile {
    /// Finds the spans of the file at `path`, which messages call `shown`.
    ///
    /// # Errors
    /// If it cannot be read, is not OTLP JSON, or has no span of an agent.
    pub(super) fn open(path: &Path, shown: &str) -> Result<Self, TraceError> {
        let wrong = |error: std::io::Error| unreadable(shown, reason(&error));
        let mut file = File::open(path).map_err(wrong)?;
        let mut start = [0; 4];
        let length = file.read(&mut start).map_err(wrong)?;
        if let Some(error) = utf16(&start[..length], shown) {
            return Err(error);
        }
        let mut index = Index::default();
        file.rewind().map_err(wrong)?;
        index.read(OtlpScanner::new(&file), shown, |_| true)?;
        if index.spans == 0 {
            // The documents may be spans themselves. What is not of a shape that is known is not looked at.
            file.rewind().map_err(wrong)?;
            let scanner = OtlpScanner::of_documents(&file);
            index.read(scanner, shown, |span| span.shape.is_some())?;
        }
        index.group();
        if index.groups.is_empty() {
            return Err(nothing_known(shown, &index));
        }
        let mut notes = Vec::new();
        if index.without_trace > 0 {
            notes.push(format!(
                "{shown}: {} spans have no `traceId`: they are read as one conversation",
                index.without_trace
            ));
        }
        let Index {
            groups, parents, ..
        } = index;
        Ok(Self {
            path: path.to_owned(),
            shown: shown.to_owned(),
            groups,
            parents,
            notes,
        })
    }

    /// The conversation at this place among them.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    fn read(&self, index: usize) -> Result<ObservedConversation, Problem> {
        let group = &self.groups[index];
        let changed = |why: &str| unreadable(&self.shown, why).problem();
        let mut file = File::open(&self.path).map_err(|error| changed(reason(&error)))?;
        let mut bytes_of = |place: &SpanPlace| -> Result<Vec<u8>, Problem> {
            let mut bytes = vec![0; place.length as usize];
            let read = file
                .seek(SeekFrom::Start(place.offset))
                .and_then(|_| file.read_exact(&mut bytes));
            read.map_err(|error| changed(reason(&error)))
                .map(|()| bytes)
        };
        let mut logs: HashMap<u64, Vec<Vec<u8>>> = HashMap::new();
        for place in &group.logs {
            logs.entry(place.id).or_default().push(bytes_of(place)?);
        }
        let mut placed = Vec::with_capacity(group.spans.len());
        let (mut cyclic, mut oddities) = (0_usize, Vec::new());
        for place in &group.spans {
            let bytes = bytes_of(place)?;
            let mut strict = String::new();
            let (span, odd) =
                OtlpSpan::read(&bytes, &mut strict).map_err(|error| changed(&error.to_string()))?;
            let own = logs.get(&place.id).map_or(&[][..], Vec::as_slice);
            let mut texts = vec![String::new(); own.len()];
            let records: Vec<OtlpSpan<'_>> = own
                .iter()
                .zip(&mut texts)
                .filter_map(|(bytes, strict)| Some(OtlpSpan::read(bytes, strict).ok()?.0))
                .collect();
            if !oddities.contains(&odd) {
                oddities.push(odd);
            }
            let span = ObservedSpan::of(place.kind, &span, &records, Conventions::known());
            let (span, is_cyclic) = self.placed(place, span);
            cyclic += usize::from(is_cyclic);
            placed.push(span);
        }
        let mut read = conversation(&group.id, placed);
        for odd in oddities {
            add_oddities(&mut read, odd, &self.shown);
        }
        if cyclic > 0 {
            read.warnings.push(format!(
                "the parents of {cyclic} spans are cyclic: they are read as spans without a parent"
            ));
        }
        Ok(read)
    }

    /// A span with its place among the others, and whether its parents are cyclic.
    fn placed(&self, place: &SpanPlace, span: ObservedSpan) -> (PlacedSpan, bool) {
        let Ancestors {
            run,
            tool,
            within,
            depth,
            is_cyclic,
        } = self.ancestors(place);
        let agent = || span.agent.clone().unwrap_or_else(|| "subagent".to_owned());
        let subagent = tool.map(|_| agent());
        let placed = PlacedSpan {
            span,
            run,
            subagent,
            has_answer: false,
            id: place.id,
            depth,
            within,
        };
        (placed, is_cyclic)
    }

    fn ancestors(&self, place: &SpanPlace) -> Ancestors {
        let mut found = Ancestors {
            run: None,
            tool: None,
            within: None,
            depth: 0,
            is_cyclic: false,
        };
        if place.kind == Some(SpanKind::Agent) {
            found.run = Some(place.id);
        }
        let (mut seen, mut id) = (HashSet::from([place.id]), place.id);
        while let Some((parent, _)) = self.parents.get(&id).filter(|(parent, _)| *parent != NO_ID) {
            if !seen.insert(*parent) {
                return Ancestors {
                    run: found.run.filter(|run| *run == place.id),
                    tool: None,
                    within: None,
                    depth: 0,
                    is_cyclic: true,
                };
            }
            found.depth += 1;
            let kind = self.parents.get(parent).and_then(|(_, kind)| *kind);
            if kind.is_some_and(|kind| kind != SpanKind::Silent) {
                found.within = found.within.or(Some(*parent));
            }
            match self.parents.get(parent) {
                Some((_, Some(SpanKind::Agent))) => found.run = Some(*parent),
                Some((_, Some(SpanKind::Tool))) => found.tool = Some(*parent),
                _ => {}
            }
            id = *parent;
        }
        found
    }
}

/// The object that ends in this line is not what OTLP says.
fn strange(shown: &str, line: u64, error: &JsonError) -> TraceError {
    let error = error.to_string();
    // Its own place is counted from the beginning of the object.
    let why = error
        .rsplit_once(" at line ")
        .map_or(&*error, |(why, _)| why);
    TraceError {
        message: format!("{shown}:{line}: a span is not one of OTLP JSON: {why}"),
        help: None,
    }
}

/// The ancestors of a span.
struct Ancestors {
    /// The outermost run of an agent.
    run: Option<u64>,
    /// A tool.
    tool: Option<u64>,
    /// The innermost span of a model, a tool or an agent.
    within: Option<u64>,
    depth: usize,
    is_cyclic: bool,
}

fn nothing_known(shown: &str, index: &Index) -> TraceError {
    if index.spans == 0 {
        return TraceError {
            message: format!("{shown}: there are no spans in it"),
            help: Some(
                "a trace is JSON of OTLP: `{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": […]}]}]}`"
                    .to_owned(),
            ),
        };
    }
    let mut named: Vec<String> = index
        .attributes
        .iter()
        .map(|name| format!("`{}`", escape::line(name)))
        .collect();
    named.sort();
    let has = if named.is_empty() {
        "no attributes".to_owned()
    } else {
        format!("attributes such as {}", named.join(", "))
    };
    TraceError {
        message: format!("{shown}: none of its {} spans is of an agent, a model or a tool: they have {has}", index.spans),
        help: Some("the conventions that are known are those of GenAI, OpenInference, OpenLLMetry, pydantic-ai and the Vercel AI SDK".to_owned()),
    }
}

/// Traces of OpenTelemetry.
pub(crate) struct OtelFormat;

impl TraceFormat for OtelFormat {
    fn name(&self) -> &'static str {
        "otel"
    }

    fn open(
        &self,
        path: &Path,
        shown: &str,
        _: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError> {
        Ok(Box::new(OtelFile::open(path, shown)?))
    }
}

impl TraceFile for OtelFile {
    fn ids(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.id.clone()).collect()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn conversation(&self, index: usize) -> BoxFuture<'_, Result<ObservedConversation, Problem>> {
        Box::pin(std::future::ready(self.read(index)))
    }
}
