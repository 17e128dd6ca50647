// The state, whole and in patches. What became of it the client tells with its next request.

import { event, run, says, started } from "../events.mjs";

const snapshot = (value) => event("STATE_SNAPSHOT", { snapshot: value });
const patch = (...delta) => event("STATE_DELTA", { delta });

export const state = {
  "the state in patches": (input) =>
    run(input, [
      snapshot({ items: ["a"], count: 1, "od/d~": 0 }),
      patch({ op: "add", path: "/items/-", value: "c" }, { op: "add", path: "/items/1", value: "b" }),
      patch({ op: "test", path: "/count", value: 1 }, { op: "replace", path: "/count", value: 2 }),
      patch({ op: "copy", from: "/count", path: "/copied" }, { op: "move", from: "/copied", path: "/moved" }),
      patch({ op: "add", path: "/nothing", value: null }, { op: "replace", path: "/od~1d~0", value: true }),
      patch({ op: "remove", path: "/items/0" }),
      ...says("m1", "Kept."),
    ]),

  // On what the client sent; one patch does not apply and one is refused by its test: neither changes anything.
  "patches of the client's state": (input) =>
    run(input, [
      patch({ op: "replace", path: "/seen", value: "first" }),
      patch({ op: "replace", path: "/seen", value: "half" }, { op: "replace", path: "/missing/x", value: 1 }),
      patch({ op: "replace", path: "/seen", value: "refused" }, { op: "test", path: "/n", value: 7 }),
      patch({ op: "add", path: "/n", value: 8 }),
    ]),

  "a state that is no object": (input) =>
    run(input, [
      snapshot(7),
      patch({ op: "replace", path: "", value: ["x"] }),
      patch({ op: "add", path: "/-", value: "y" }),
    ]),

  // The run fails after it: what the agent kept is what counts.
  "a state before an error": (input) => [
    started(input),
    snapshot({ step: "paid" }),
    event("RUN_ERROR", { message: "the printer is on fire" }),
  ],
};
