// Mocks in a replay: nothing calls them there, so they get the calls of the recording.

/** @import { Interrupt, PendingAnswer, RunEvent, ToolCallContext } from "./types.js" */
/** @import { AgentSession } from "./agent-session.js" */

/**
 * A call of a recording.
 * @typedef {Extract<RunEvent, { type: "function_call" }>} RecordedCall
 */

/**
 * The result of a call in a recording; undefined if there is none.
 * @typedef {Extract<RunEvent, { type: "function_call_output" }> | undefined} RecordedOutput
 */

/** The mocks of one session that is replayed. */
export class ReplayedMocks {
  #agent;
  /** The calls that wait for an answer, by their ids: they are executed in a later turn. @type {Map<string, { call: RecordedCall, interrupt: Interrupt }>} */
  #waiting = new Map();

  /** @param {AgentSession} agent */
  constructor(agent) {
    this.#agent = agent;
  }

  /**
   * Takes the answers to interrupts: a call that is denied is not executed.
   * @param {readonly PendingAnswer[]} answers
   */
  answer(answers) {
    for (const [id, { call, interrupt }] of [...this.#waiting]) {
      const answer = answers.find((given) => (given?.id ?? interrupt.id) === interrupt.id && (given?.tool ?? call.name) === call.name);
      if (answer !== undefined && isDenied(interrupt, answer)) this.#waiting.delete(id);
    }
  }

  /**
   * Adds the calls of a turn to their mocks. The functions of the mocks are not executed.
   * @param {readonly RunEvent[]} events
   * @param {readonly Interrupt[]} [interrupts]
   */
  take(events, interrupts = []) {
    const outputs = new Map(events.map((event) => (event.type === "function_call_output" ? [event.toolCallId, event] : [undefined, undefined])));
    for (const event of events) {
      const id = event.type === "message" ? undefined : event.toolCallId;
      if (event.type === "function_call") {
        const output = id === undefined ? undefined : outputs.get(id);
        const interrupt = interrupts.find(({ toolCallId }) => toolCallId !== undefined && toolCallId === id);
        if (interrupt !== undefined && id !== undefined && output === undefined) this.#waiting.set(id, { call: event, interrupt });
        else this.#add(event, output);
      } else if (event.type === "function_call_output" && id !== undefined) {
        const waited = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (waited !== undefined) this.#add(waited.call, event);
      }
    }
  }

  /**
   * @param {RecordedCall} call
   * @param {RecordedOutput} output
   */
  #add(call, output) {
    this.#agent.mockOf(call.name)?.replay(call, output);
  }
}

/**
 * Whether the agent does not execute the call that waits.
 * @param {Interrupt} interrupt
 * @param {PendingAnswer} answer
 */
function isDenied({ reason }, { cancelled, payload }) {
  const isApproved = payload === true || /** @type {any} */ (payload)?.approved === true;
  return cancelled === true || (reason === "approval" && !isApproved);
}

/**
 * Calls a mock function of vitest or of `node:test` once, with the recorded result instead of what it does. Another function is not called,
 * because it has no record of its calls.
 * @param {any} mock
 * @param {RecordedOutput} output
 * @param {unknown} args
 * @param {ToolCallContext} context
 */
export function count(mock, output, args, context) {
  const result = () => {
    if (output?.isError) throw new Error(String(/** @type {any} */ (output.output)?.error ?? "the recorded call failed"));
    return output?.output;
  };
  const called = () => {
    try {
      mock(args, context);
    } catch {
      // The mock has the error in its record.
    }
  };
  if (typeof mock.withImplementation === "function") mock.withImplementation(result, called);
  else if (typeof mock.mock?.mockImplementationOnce === "function") {
    mock.mock.mockImplementationOnce(result);
    called();
  }
}
