//! Lists of messages as OpenAI's APIs have them: each list is a conversation.

mod message_lists;
mod openai_format;

pub(in crate::verify) use openai_format::OpenAiFormat;
