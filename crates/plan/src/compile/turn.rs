//! The turns of a test, with their variables filled.

use serde_json::{Map, Value};

use super::attachment::{self, AttachmentFiles};
use super::compiled_capture::CompiledCapture;
use super::request_context::{request_additions, request_context};
use ananke_agents::{describe_own_turn, fill_own_turn};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::message::{
    AnswerTo, MessageId, PendingAnswer, RequestAdditions, RequestContext, ServerAnswers, TurnInput,
    TurnRequest,
};
use ananke_model::model::{
    ElicitationAnswer, Respond, Resume, ResumeStatus, SentByTurn, ServerRoot, Turn, TurnSettings,
};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, fill_all};

/// A turn that is ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedTurn {
    /// The request that it sends.
    pub request: TurnRequest,
    /// Values that later turns can use.
    pub captures: Vec<CompiledCapture>,
}

impl PreparedTurn {
    /// Checks and fills a turn.
    pub(crate) fn fill(
        turn: &Turn,
        files: AttachmentFiles<'_>,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<Self> {
        let TurnSettings {
            id,
            timeout_ms,
            props,
            options,
            request,
            capture,
            respond,
            ..
        } = &turn.settings;
        // Every key is filled before the first `?` returns, so that one run reports the problems of all keys.
        let id = id.fill(interpolation);
        let timeout = timeout_ms.fill(interpolation);
        let context = request_context(props.as_ref(), options.as_ref(), None, interpolation);
        // Most turns send the request of their target as it is.
        let additions = match request {
            Some(request) => request_additions(request, interpolation),
            None => Ok(RequestAdditions::default()),
        };
        let captures = fill_all(capture.iter().flatten(), |(name, written)| {
            CompiledCapture::fill(name, written, interpolation)
        });
        let answers = server_answers(respond.as_ref(), interpolation);
        let input = fill_input(turn, files, interpolation);
        let request = TurnRequest {
            id: id?,
            input: input?,
            message: MessageId::default(),
            timeout: timeout?,
            context: RequestContext {
                request: additions?,
                ..context?
            },
            answers: answers?,
        };
        Ok(Self {
            request,
            captures: captures?,
        })
    }
}

/// Checks and fills what a turn sends.
fn fill_input(
    turn: &Turn,
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<TurnInput> {
    match &turn.sent {
        SentByTurn::User(turn) => {
            let attachments = turn.attachments.as_deref().unwrap_or_default();
            attachment::user_content(&turn.user, attachments, files, interpolation)
                .map(TurnInput::User)
        }
        SentByTurn::Connect => Ok(TurnInput::Connect),
        SentByTurn::Continue => Ok(TurnInput::Continue),
        SentByTurn::Own(kind, written) => {
            fill_own_turn(kind, written, interpolation).map(TurnInput::Own)
        }
        SentByTurn::Resume(turn) => {
            let count = turn.resume.len();
            fill_all(&turn.resume, |written| {
                answer(written, count, interpolation)
            })
            .map(TurnInput::Resume)
        }
    }
}

/// A turn in words as it is written, if something of it is known later.
pub(crate) fn describe_written(turn: &Turn) -> String {
    match &turn.sent {
        SentByTurn::User(turn) => turn.user.written(),
        SentByTurn::Connect => TurnInput::CONNECT.to_owned(),
        SentByTurn::Continue => TurnInput::CONTINUE.to_owned(),
        SentByTurn::Own(kind, written) => describe_own_turn(kind, written),
        SentByTurn::Resume(_) => TurnInput::RESUME.to_owned(),
    }
}

fn answer(
    written: &Spanned<Resume>,
    count: usize,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<PendingAnswer> {
    let Resume {
        id,
        tool,
        status,
        payload,
    } = &written.value;
    let payload = payload.fill(interpolation);
    let to = match (id, tool) {
        (Some(id), None) => interpolation.text(id).map(AnswerTo::Id),
        (None, Some(tool)) => interpolation.text(tool).map(AnswerTo::Tool),
        (None, None) if count == 1 => Ok(AnswerTo::TheOnlyOne),
        (None, None) => {
            let message = "several answers, and this one does not say what it answers";
            let help = "give it the interrupt's `id`, or the `tool` whose call waits";
            Err(interpolation.report(
                Code::MissingKey,
                written.span,
                message,
                Some(help.to_owned()),
            ))
        }
        (Some(_), Some(tool)) => {
            let message = "`id` and `tool` both say what is answered";
            Err(interpolation.report(
                Code::Contradiction,
                tool.span,
                message,
                Some("keep one of them".to_owned()),
            ))
        }
    };
    Ok(PendingAnswer {
        to: to?,
        is_resolved: *status == ResumeStatus::Resolved,
        payload: payload?,
    })
}

/// Checks and fills what a turn answers.
pub(super) fn server_answers(
    respond: Option<&Respond>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ServerAnswers> {
    let Some(Respond {
        elicitation,
        sampling,
        roots,
    }) = respond
    else {
        return Ok(ServerAnswers::default());
    };
    let elicitation = elicitation
        .as_ref()
        .map(|answer| fill_elicitation(answer, interpolation));
    let sampling = sampling.fill(interpolation);
    let roots = roots
        .as_ref()
        .map(|roots| fill_all(roots, |root| fill_root(root, interpolation)).map(Value::Array));
    Ok(ServerAnswers {
        elicitation: elicitation.transpose()?,
        sampling: sampling?,
        roots: roots.transpose()?,
    })
}

fn fill_elicitation(
    answer: &ElicitationAnswer,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Value> {
    let content: Option<Value> = answer.content.fill(interpolation)?;
    let action = ("action".to_owned(), answer.action.as_str().into());
    Ok(std::iter::once(action)
        .chain(content.map(|content| ("content".to_owned(), content)))
        .collect())
}

fn fill_root(root: &ServerRoot, interpolation: &mut Interpolation<'_>) -> Leaf<Value> {
    let uri = interpolation.sent_text(&root.uri);
    let name = root
        .name
        .as_ref()
        .map(|name| interpolation.sent_text(name))
        .transpose();
    let mut filled = Map::from_iter([("uri".to_owned(), Value::from(uri?))]);
    filled.extend(name?.map(|name| ("name".to_owned(), name.into())));
    Ok(Value::Object(filled))
}
