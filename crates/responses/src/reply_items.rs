//! The part of a reply that the session keeps: its items, and the calls that wait for a result or for an approval.

use std::borrow::Cow;

use serde_json::Value;

use super::call_item::arguments_of;
use super::event::text_of;
use super::item_kind::tool_name;
use ananke_trace::trace::is_same_json;

/// The part of a complete reply that the session keeps.
pub(super) struct ReplyItems {
    /// The id of the response, by which a later request names it.
    pub(super) id: Option<String>,
    /// The items as the next request has them.
    pub(super) items: Vec<Value>,
    /// The calls that the client executes.
    pub(super) calls: Vec<OpenItemCall>,
    /// The calls that wait for an approval.
    pub(super) approvals: Vec<ApprovedCall>,
}

/// A call that the client executes.
#[derive(Debug)]
pub(super) struct OpenItemCall {
    /// The key of the call in reports and answers.
    pub(super) key: String,
    /// The id by which the server knows it.
    pub(super) call_id: String,
    pub(super) tool: String,
    /// The type of its item, which decides the form of its result.
    pub(super) item_type: String,
    /// Whether it is of a function that the client must have declared.
    pub(super) is_function: bool,
}

/// A call that waits for an approval, or has got it.
#[derive(Clone, Debug)]
pub(super) struct ApprovedCall {
    /// The id of the request for the approval.
    pub(super) request: String,
    /// The key of the call in reports.
    pub(super) key: String,
    pub(super) tool: String,
    /// The arguments as the request for the approval has them.
    pub(super) arguments: String,
}

impl ApprovedCall {
    /// Whether an item is this call, which the server has executed since: it names the request, else its tool and its arguments are
    /// the same.
    pub(super) fn is_executed_by(&self, item: &Value) -> bool {
        if let Some(request) = text_of(item, "approval_request_id") {
            return request == self.request;
        }
        let arguments = arguments_of(item).unwrap_or(Cow::Borrowed(""));
        self.may_be(item) && is_same_text(&self.arguments, &arguments)
    }

    /// Whether an item that is not complete may be this call.
    pub(super) fn may_be(&self, item: &Value) -> bool {
        tool_name(item).as_deref() == Some(self.tool.as_str())
    }
}

/// Whether two texts of arguments mean the same.
fn is_same_text(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (Ok(one), Ok(other)) = (
        serde_json::from_str::<Value>(one),
        serde_json::from_str::<Value>(other),
    ) else {
        return false;
    };
    is_same_json(&one, &other)
}
