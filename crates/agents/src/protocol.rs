//! The parts of a protocol: the one thing that a new protocol implements and registers.
//!
//! **Why:** A protocol is the type of its keys. The schema, the reader, the checks and the agent itself all begin with these
//! keys, so a protocol that is registered cannot lack one of them, and nothing else has to be kept in step with it.

use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::capabilities::{Capabilities, Capability};
use super::model_api::ModelWire;
use super::protocol_turn::{ProtocolTurnType, ToolTurns};
use super::{
    candidate::ProbedProtocol, proposal::ProposingProtocol, served::ServedProtocol, target::Target,
};
use ananke_base::diagnostic::{Diagnostic, SourceFile, Span, Spanned};
use ananke_base::source::FreeMap;
use ananke_model::model::{Text, Turn, TurnType};
use ananke_model::variables::{Interpolation, Leaf};
use ananke_trace::outcome::AgentHost;

/// The keys of a target that are its protocol's own, as they are written.
pub trait ProtocolConfig: Debug + Send + Sync {
    /// The agent in words, with its article: `an agent of AG-UI 0.x`.
    fn describe(&self) -> &'static str;

    /// The capabilities of such a target.
    fn capabilities(&self) -> Capabilities;

    /// The way in which a target gets a capability that it lacks, if a key of it says so.
    fn how_to_get(&self, _lacking: Capability) -> Option<&'static str> {
        None
    }

    /// The way to see calls, for a target on which a test without client tools may see none whatever the agent does; `None` if the
    /// protocol shows every call.
    fn how_to_see_calls(&self) -> Option<&'static str> {
        None
    }

    /// The place where the agent is.
    fn host(&self) -> AgentHost {
        AgentHost::Network
    }

    /// The agent that is asked at its endpoint, as written, if the protocol names it.
    fn agent_id(&self) -> Option<&Text> {
        None
    }

    /// The place of the agent's address, if the protocol has a key of its own for it.
    fn address(&self) -> Option<Span> {
        None
    }

    /// The name of the model that is asked, as written, if the protocol names one.
    fn model(&self) -> Option<&Text> {
        None
    }

    /// The HTTP headers as written, if the protocol has them. A variable in one of them is a secret.
    fn headers(&self) -> Option<&FreeMap<Text>> {
        None
    }

    /// The keys that are missing if that depends on others, and what to do.
    fn missing(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Further texts as written whose variables are secrets.
    fn credentials(&self) -> Vec<&Text> {
        Vec::new()
    }

    /// Checks every leaf and fills it.
    ///
    /// # Errors
    /// If something is known later or was reported.
    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>>;

    /// The oddities of the turns of a test of such a target; `source` is the test's file.
    fn check_turns(
        &self,
        _turns: &[Spanned<Turn>],
        _source: &Arc<SourceFile>,
    ) -> Option<Diagnostic> {
        None
    }
}

/// A protocol, as the type of its keys. A line in the registry makes it a `type` of targets.
///
/// Its doc comment describes the `type` in the schema and in editors.
pub trait Protocol: ProtocolConfig + DeserializeOwned + JsonSchema + 'static {
    /// The value of `type`.
    const TYPE: &'static str;

    /// The schema version that has it first.
    const SINCE: &'static str;

    /// The most that one of its targets can do; [`ProtocolConfig::capabilities`] is what this one can.
    const ABILITIES: Capabilities;

    /// Descriptions of keys of every target that mean something special here: key and description.
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[];

    /// Keys of every target that are wrong here, so that no editor offers them. They are known, since a message says why.
    const IDLE_KEYS: &'static [&'static str] = &[];

    /// The names of turns that other protocols may have too: a replay of the thread, an answer to an interrupt.
    const TURN_TYPES: &'static [TurnType] = &[];

    /// The turns that no other protocol knows, whose keys it reads itself.
    const OWN_TURNS: &'static [ProtocolTurnType] = &[];

    /// The turns among these by which a test lists and calls its tools.
    const TOOL_TURNS: Option<ToolTurns> = None;

    /// By what its answers are known, and those of no other protocol: texts near their start, without spaces. An error of a target
    /// of another protocol that gets such an answer says so.
    const SIGNS: &'static [&'static str] = &[];

    /// The other side of it, if it can be served.
    const SERVED: Option<&'static dyn ServedProtocol> = None;

    /// The provider's side of it, if it is an API of models.
    const MODEL_WIRE: Option<&'static dyn ModelWire> = None;

    /// The way in which its targets are found, if they can be.
    const PROBED: Option<&'static dyn ProbedProtocol> = None;

    /// The way in which a target is proposed for an agent that speaks no known protocol, if it can be.
    const PROPOSING: Option<&'static dyn ProposingProtocol> = None;
}
