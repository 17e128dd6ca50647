// Everything else that an agent may tell: steps, activities, subagents, and what it makes up itself.

import { calls, event, result, run, says } from "../events.mjs";

export const others = {
  "steps and activities": (input) =>
    run(input, [
      event("STEP_STARTED", { stepName: "plan" }),
      event("STEP_STARTED", { stepName: "look" }),
      event("ACTIVITY_SNAPSHOT", { messageId: "act1", activityType: "plan", content: { steps: ["a"] } }),
      event("ACTIVITY_DELTA", {
        messageId: "act1",
        activityType: "plan",
        patch: [{ op: "add", path: "/steps/-", value: "b" }],
      }),
      event("ACTIVITY_SNAPSHOT", { messageId: "act1", activityType: "plan", content: { steps: [] }, replace: false }),
      event("STEP_FINISHED", { stepName: "look" }),
      ...says("m1", "Planned."),
      event("STEP_FINISHED", { stepName: "plan" }),
    ]),

  "custom and raw events": (input) =>
    run(input, [
      event("RAW", { event: { any: [1, null] }, source: "provider" }),
      event("CUSTOM", { name: "progress", value: 0.5 }),
      event("CUSTOM", { name: "nothing", value: null }),
      event("CUSTOM", {
        name: "TOOL_CALL_START",
        value: { type: "TOOL_CALL_START", toolCallId: "x", toolCallName: "no" },
      }),
      ...says("m1", "That was all."),
    ]),

  "metadata everywhere": (input) => {
    const more = {
      metadata: { trace: { type: "RUN_ERROR" } },
      rawEvent: { type: "TOOL_CALL_START", delta: "no" },
      timestamp: 1795292437212,
    };
    const events = [...says("m1", "Read ", "me."), ...calls("t1", "look", "{}"), result("t1", "seen")];
    return run(
      input,
      events.map((made) => ({ ...made, ...more })),
    );
  },

  // One does its work and says so, one inside it waits, one fails: none of them is the agent, and no run ends.
  subagents: (input) => {
    const work = [...calls("s1-t", "find_flights", '{"to":"LIS"}'), result("s1-t", "TP 123")];
    return run(input, [
      ...says("m1", "I ask my colleagues."),
      ...calls("ask-1", "ask_colleague", '{"about":"flights"}'),
      event("SUBAGENT_STARTED", {
        subagentRunId: "s1",
        name: "flights",
        parentToolCallId: "ask-1",
        description: "knows flights",
      }),
      event("SUBAGENT_STARTED", { subagentRunId: "s2", name: "fares", parentSubagentRunId: "s1" }),
      event("TEXT_MESSAGE_CHUNK", { messageId: "s1-m", delta: "I look ", subagentRunId: "s1" }),
      event("TEXT_MESSAGE_CHUNK", { messageId: "s2-m", delta: "A fare is ", subagentRunId: "s2" }),
      event("TEXT_MESSAGE_CHUNK", { delta: "for flights.", subagentRunId: "s1" }),
      event("TEXT_MESSAGE_CHUNK", { delta: "95.", subagentRunId: "s2" }),
      ...work.map((made) => ({ ...made, subagentRunId: "s1" })),
      event("SUBAGENT_FINISHED", { subagentRunId: "s2", outcome: { type: "suspended", interruptIds: ["i1"] } }),
      event("SUBAGENT_FINISHED", { subagentRunId: "s1", result: { flight: "TP 123" }, outcome: { type: "success" } }),
      result("ask-1", "TP 123"),
      event("SUBAGENT_STARTED", { subagentRunId: "s3", name: "hotels" }),
      event("SUBAGENT_ERROR", { subagentRunId: "s3", message: "no hotel answers", code: "NONE" }),
      ...says("m2", "TP 123, and no hotel."),
    ]);
  },
};
