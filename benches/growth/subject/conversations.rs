//! Tests and agents with many turns, calls, messages and events.

use super::rules::causes;
use super::{Files, call, event, lines, remote, scripted, shop, test};

pub(super) fn turns(count: usize) -> Files {
    let turn = |number| {
        format!("  - {{ user: \"turn {number}\", assert: {{ text: {{ contains: \"O-7\" }} }} }}")
    };
    let turns = lines(count, turn);
    vec![
        shop(),
        test(&format!(
            "turns:\n{turns}assert: {{ tools: {{ require: [{{ name: find_order }}] }} }}\n"
        )),
    ]
}

const CALLED: &str = "turns: [{ user: hello }]\nassert:\n  tools: { require: [{ name: find, args_match: { id: \"^7$\" } }], forbid: [drop], forbid_calls: [{ name: find, result_match: nothing }] }\n";

/// One call after the other.
pub(super) fn calls(count: usize) -> Files {
    vec![
        remote(&lines(count * 4, |number| {
            event(&call(number / 4)[number % 4])
        })),
        test(CALLED),
    ]
}

/// All calls are open at the same time.
pub(super) fn parallel_calls(count: usize) -> Files {
    vec![
        remote(&lines(count * 4, |number| {
            event(&call(number % count)[number / count])
        })),
        test(CALLED),
    ]
}

pub(super) const SAID: &str = "turns: [{ user: hello }]\nassert: { text: { contains: \"word 7\", must_not_match: \"^error\" } }\n";

pub(super) fn messages(count: usize) -> Files {
    let message = |number| {
        event(&format!(
            "{{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m{number}\",\"role\":\"assistant\",\"delta\":\"word {number}\"}}"
        ))
    };
    vec![remote(&lines(count, message)), test(SAID)]
}

/// One message in many events.
pub(super) fn pieces(count: usize) -> Files {
    let piece = |number| {
        event(&format!(
            "{{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\" word {number}\"}}"
        ))
    };
    vec![remote(&lines(count, piece)), test(SAID)]
}

/// Messages before the first turn, and all of them sent with it.
pub(super) fn history(count: usize) -> Files {
    let message = |number| {
        format!(
            "  - {{ role: {}, content: \"message {number}\" }}",
            ["user", "assistant"][number % 2]
        )
    };
    let messages = lines(count, message);
    let turns = "turns: [{ user: hello, assert: { text: { contains: \"O-7\" } } }]\n";
    vec![shop(), test(&format!("messages:\n{messages}{turns}"))]
}

pub(super) fn client_tools(count: usize) -> Files {
    let tools = lines(count, |number| {
        format!(
            "  - {{ name: tool_{number}, description: \"Tool {number}\", mock: {{ result: {number} }} }}"
        )
    });
    let actions = lines(count, |number| {
        format!("        - call: {{ tool: tool_{number}, args: {{}} }}")
    });
    vec![
        scripted(&actions),
        test(&format!(
            "client_tools:\n{tools}turns: [{{ user: hello }}]\nassert: {{ tools: {{ require: [{{ name: tool_1 }}] }} }}\n"
        )),
    ]
}

/// Every step adds a key to the state.
pub(super) fn state_steps(count: usize) -> Files {
    let actions = lines(count, |number| {
        format!("        - state: {{ key_{number}: \"value {number}\" }}")
    });
    vec![scripted(&actions), test(STATE)]
}

const STATE: &str =
    "turns: [{ user: hello }]\nassert: { state: [{ path: key_1, equals: \"value 1\" }] }\n";

pub(super) fn state_patches(count: usize) -> Files {
    let patch = |number| {
        event(&format!(
            "{{\"type\":\"STATE_DELTA\",\"delta\":[{{\"op\":\"add\",\"path\":\"/key_{number}\",\"value\":\"value {number}\"}}]}}"
        ))
    };
    let events =
        event("{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{}}") + "\n" + &lines(count, patch);
    vec![remote(&events), test(STATE)]
}

/// Every message breaks the order of the protocol.
pub(super) fn violations(count: usize) -> Files {
    let message = |number| {
        event(&format!(
            "{{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m{number}\"}}"
        ))
    };
    let events = event(
        "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"word 7\"}",
    );
    vec![
        remote(&(events + "\n" + &lines(count, message))),
        test(SAID),
    ]
}

/// Every argument is looked for in what came before it.
pub(super) fn origins(count: usize) -> Files {
    let mut files = causes(count);
    let rule = "turns: [{ user: hello }]\nassert: { provenance: [{ of: { call: find }, not_from: [results] }] }\n";
    files[1] = test(rule);
    files[1].1 = files[1].1.replace("1.3", "1.4");
    files
}

/// Tools that the agent is offered with every request, of which it calls one.
pub(super) fn declared_tools(count: usize) -> Files {
    let mut files = client_tools(count);
    files[0] = scripted("        - call: { tool: tool_1, args: {} }\n");
    files
}

/// One interrupt after the other, each answered by a turn.
pub(super) fn interrupts(count: usize) -> Files {
    let asked = lines(count, |number| {
        format!("        - interrupt: {{ id: \"i{number}\", reason: input_required }}")
    });
    let answers = lines(count, |number| {
        format!(
            "  - {{ type: \"agui:resume\", resume: [{{ id: \"i{number}\", status: resolved, payload: yes }}] }}"
        )
    });
    vec![
        scripted(&(asked + "        - say: done\n")),
        test(&format!(
            "turns:\n  - user: hello\n{answers}assert: {{ outcome: finished }}\n"
        )),
    ]
}

/// Checkpoints that the first turn reaches.
pub(super) fn checkpoints(count: usize) -> Files {
    let (name, config) = shop();
    let customer = "targets:\n  customer: { type: scripted, rules: [{ do: [{ say: bye }] }] }\n";
    let reached = lines(count, |number| {
        format!("    - {{ id: c{number}, assert: {{ text: {{ contains: \"O-7\" }} }} }}")
    });
    vec![
        (name, config + customer),
        test(&format!(
            "simulate:\n  agent: customer\n  goal: an order\n  max_turns: 1\n  checkpoints:\n{reached}"
        )),
    ]
}

/// The steps of one walk.
pub(super) fn walk_steps(count: usize) -> Files {
    vec![
        shop(),
        test(&format!(
            "walk:\n  actions:\n    ask: {{ user: \"Where is my order?\" }}\n    wait: {{ user: \"And now?\" }}\n  steps: {count}\n  walks: 1\n  seed: 7\nassert: {{ text: {{ contains: \"O-7\" }} }}\n"
        )),
    ]
}
