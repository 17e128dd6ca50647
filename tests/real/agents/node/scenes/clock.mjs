// Events that tell when they came about.

import { calls, event, finished, result, says, started } from "../events.mjs";

/** The first event of each of these scenes came about then. */
const BEGUN = 1795292437000;

const at = (milliseconds, ...events) => events.map((made) => ({ ...made, timestamp: BEGUN + milliseconds }));

const [opened, ...made] = calls("t1", "look", '{"q":1}');

export const clock = {
  // As through a proxy that passes on the first event and holds the others back until the run is over.
  "events that were held back": (input) => [
    ...at(0, started(input)),
    { wait: 1500 },
    ...at(100, opened),
    ...at(110, ...made),
    ...at(500, result("t1", "seen")),
    ...at(510, ...says("m1", "Looked.")),
    ...at(600, finished(input)),
  ],

  "a clock that goes back": (input) => [
    ...at(10, started(input)),
    ...at(20, ...says("m1", "Tick.")),
    ...at(15, finished(input)),
  ],

  "a clock that stops": (input) => [...at(0, started(input)), ...says("m1", "Tick."), ...at(5, finished(input))],

  "a clock of seconds": (input) =>
    [started(input), ...says("m1", "Tick."), finished(input)].map((tick) => ({ ...tick, timestamp: BEGUN / 1000 })),
};
