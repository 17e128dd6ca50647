// The transcript: what was sent, said and called, each finding below the event that it rests on.

/** The whole of a story: what is wrong in short, the timeline, and turn by turn what happened. */
function story(told, prefix, width) {
  const numbers = numbered(told);
  const place = (event) => `${prefix}-event-${event}`;
  const show = (event) => reveal(document.getElementById(place(event)));
  const parts = [];
  if (numbers.all.length > 0) parts.push(contents(numbers, prefix, told, show));
  if (told.warnings) parts.push(warnings(told.warnings));
  if (told.silenced) parts.push(notes("silenced by known ", told.silenced));
  if (told.skip_reason) parts.push(make("p", { class: "note" }, "Skipped: ", message(told.skip_reason)));
  if (told.problem) parts.push(problem(told.problem));
  if (told.not_shown) parts.push(notShown(told.not_shown));
  if (told.checkpoints) parts.push(checkpoints(told.checkpoints));
  parts.push(timeline(told, numbers, width, show));
  const shownTurn = (turn) => {
    const element = turnOf(turn, told, numbers, prefix, place);
    return { element, isWrong: element.querySelector(".finding, .cited") !== null };
  };
  const made = new Map(told.turns.map((turn) => [turn, shownTurn(turn)]));
  const turns = foldedTurns(told.turns, (turn) => made.get(turn));
  parts.push(foldButtons(turns), ...turns);
  const whole = told.findings ?? [];
  const shown = new Set(told.turns.flatMap((turn) => turn.lines.map((line) => line.event)));
  const left = whole.filter((found) => !(found.events ?? []).some((event) => shown.has(event)));
  if (left.length > 0 || told.passed) {
    const found = left.map((one) => finding(one, numbers.number(one), `${prefix}-finding-${numbers.number(one)}`));
    parts.push(make("section", { class: "turn" }, make("h3", {}, "The test as a whole"), ...found, passed(told.passed)));
  }
  if (told.turns_not_run) parts.push(make("p", { class: "note" }, `${counted(told.turns_not_run, "turn")} not run`));
  return parts.filter(Boolean);
}

/** The findings in short, each leading to its place and to the last event that it rests on. */
function contents(numbers, prefix, told, show) {
  const shown = new Set(told.turns.flatMap((turn) => turn.lines.map((line) => line.event)));
  const items = numbers.all.map((found) => {
    const button = make("button", { type: "button", class: "reason" }, badge(numbers.number(found)), message(found.message));
    button.addEventListener("click", () => reveal(document.getElementById(`${prefix}-finding-${numbers.number(found)}`)));
    const event = (found.events ?? []).findLast((one) => shown.has(one));
    if (event === undefined) return make("li", {}, button);
    const [turn, number] = event.split("-");
    const name = told.turns.length > 1 ? `#${number} of turn ${turn}` : `#${number}`;
    const jump = make("button", { type: "button", class: "jump", "aria-label": `Show event ${name} in the transcript` }, `→ ${name}`);
    jump.addEventListener("click", () => show(event));
    return make("li", {}, button, jump);
  });
  return make("ol", { class: "contents" }, ...items);
}

function turnOf(turn, told, numbers, prefix, place) {
  if (turn.not_needed !== undefined) return notNeeded(turn);
  const times = [turn.status === "passed" ? undefined : turn.status, took(turn.duration_ms)];
  if (turn.speaker) times.push(turn.speaker);
  if (turn.tokens) times.push(turn.tokens);
  const heading = make("header", {}, titleOf(turn), make("span", { class: "facts" }, times.filter(Boolean).join(" · ")));
  const events = make("ol", { class: "events" });
  if (turn.input && turn.input_of) events.append(row("user", turn.input_of, block(said(turn.input, "span"), "Input")));
  const open = findingsByLine(turn, told);
  const rows = turn.lines.flatMap((one) => [eventOf(one, numbers, place), ...(open.get(one) ?? []).map((found) => beside(found, numbers, prefix))]);
  events.append(...folded(rows, (row) => row !== undefined && (row.classList.contains("cited") || row.classList.contains("beside"))));
  if (turn.end) events.append(...ends(turn.end));
  for (const found of open.get(undefined) ?? []) events.append(beside(found, numbers, prefix));
  if (turn.problem) events.append(make("li", { class: "beside" }, problem(turn.problem)));
  const parts = [heading, events];
  if (turn.warnings) parts.push(warnings(turn.warnings));
  parts.push(passed(turn.passed));
  return make("section", { class: `turn ${turn.status}` }, ...parts);
}

/** A turn that was not sent, and why. */
function notNeeded(turn) {
  const heading = make("header", {}, titleOf(turn), make("span", { class: "facts" }, turn.status));
  return make("section", { class: "turn" }, heading, make("p", { class: "note" }, said(turn.not_needed)));
}

function titleOf(turn) {
  return make("h3", {}, `Turn ${turn.number}`, turn.id ? said(` ${turn.id}`, "bdi", { class: "name" }) : undefined);
}

/** Below which line each finding stands: the last that it rests on; below none where it rests on none. */
function findingsByLine(turn, told) {
  const places = new Map();
  const last = (found) => turn.lines.findLast((line) => (found.events ?? []).includes(line.event));
  const later = told.turns.slice(told.turns.indexOf(turn) + 1).flatMap((other) => other.lines);
  const add = (at, found) => places.set(at, [...(places.get(at) ?? []), found]);
  for (const found of turn.findings ?? []) add(last(found), found);
  for (const found of told.findings ?? []) {
    const isLater = later.some((line) => (found.events ?? []).includes(line.event));
    if (last(found) && !isLater) add(last(found), found);
  }
  return places;
}

function beside(found, numbers, prefix) {
  const number = numbers.number(found);
  return make("li", { class: "beside" }, finding(found, number, `${prefix}-finding-${number}`));
}

/** One line of the transcript: who, and what. */
function row(name, who, ...content) {
  return make("li", { class: `event ${name}` }, make("span", { class: "who" }, who), make("div", { class: "what" }, ...content));
}

function eventOf(one, numbers, place) {
  const element = lineOf(one);
  if (one.event === undefined) return element;
  element.id = place(one.event);
  element.tabIndex = -1;
  const cited = numbers.of(one.event);
  if (cited.length > 0) {
    element.classList.add("cited");
    element.querySelector(".who").append(...cited.slice(0, 3).map(badge));
  }
  return element;
}

function lineOf(one) {
  switch (one.kind) {
    case "says":
      return row("says", one.by ?? "agent", said(one.text, "p"));
    case "thinks":
      return row("thinks", "thinks", said(one.text, "p"));
    case "custom":
      return row("custom", "event", said(one.name, "code", { class: "tool" }), block(value(one.value), "Value"));
    case "model":
      return model(one);
    case "calls":
      return call(one);
    case "answered": {
      const when = [`result of turn ${one.called_in}`];
      if (one.arrived_ms !== undefined) when.push(`at ${took(one.arrived_ms)}`);
      if (one.failure) when.push(one.failure);
      const head = make("p", { class: "head" }, said(one.name, "code", { class: "tool" }), make("span", { class: "facts" }, when.join(", ")));
      return row("call", "result", head, result(one));
    }
    default:
      return make("li", { class: "note" }, `… ${counted(one.lines, "line")} left out`);
  }
}

/** A call to a model: its newest message and its answer, with the whole of both behind them. */
function model(one) {
  const head = make("p", { class: "head" }, `${one.number} `, said(one.model, "code", { class: "tool" }), make("span", { class: "facts" }, one.facts));
  const words = make("p", {}, "← ", said(one.asked, "span"), " → ", said(one.answered, "span"));
  const whole = make("details", {}, make("summary", {}, "request and answer"), block(value(one.request), "Request"), block(value(one.answer), "Answer"));
  return row("custom", "model", head, words, whole);
}

function call(one) {
  const times = one.started_ms === undefined ? [] : [`at ${took(one.started_ms)}`];
  if (one.mocked) times.push("answered by the client");
  else if (one.duration_ms !== undefined) times.push(`took ${took(one.duration_ms)}`);
  if (one.failure) times.push(one.failure);
  if (one.result === undefined) times.push("no result");
  const head = make("p", { class: "head" }, said(one.name, "code", { class: "tool" }), make("span", { class: "facts" }, times.join(", ")));
  const args = one.args.trim() === "" || one.args.trim() === "{}" ? undefined : block(value(one.args), "Arguments");
  return row(one.failure ? "call failure" : "call", "call", head, args, result(one));
}

function result({ result: text }) {
  if (text === undefined) return undefined;
  return make("div", { class: "result" }, make("span", { class: "arrow" }, "→", make("span", { class: "hidden" }, " result ")), block(value(text), "Result"));
}

/** How a turn ended, where it is not simply over. */
function ends(end) {
  if (end.kind === "error") return [row("end", "error", said(end.message, "p"))];
  if (end.kind === "cancelled") return [row("end", "ends", `${end.by} cancelled the run`)];
  return end.interrupts.map(({ id, tool, asks }) => {
    const about = tool ? [" about ", said(tool, "code")] : [];
    return row("end", "waits", "for an answer to ", said(id, "code"), ...about, asks ? said(`: ${asks}`) : undefined);
  });
}

/** The checkpoints of a simulated conversation, with the turns that reached them. */
function checkpoints(all) {
  const item = ({ status, text, note }) => make("li", { class: status }, make("b", {}, message(text)), " ", message(note));
  return make("ul", { class: "checkpoints" }, ...all.map(item));
}

function warnings(texts) {
  return notes("warning ", texts);
}

function notes(label, texts) {
  return make("ul", { class: "warnings" }, ...texts.map((text) => make("li", {}, make("b", {}, label), message(text))));
}
