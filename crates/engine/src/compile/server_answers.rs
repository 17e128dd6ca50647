//! The answers of a turn to requests of a server, with its variables filled.

use serde_json::{Map, Value};

use ananke_base::message::ServerAnswers;
use ananke_model::model::{ElicitationAnswer, Respond, ServerRoot};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, fill_all};

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
