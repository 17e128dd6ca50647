// Folds: what is long and not wrong stays collapsed until a reader wants it.

/** How many turns that passed are shown one by one. */
const FEW_TURNS = 4;

/** How many lines of a turn are shown without a fold. */
const FEW_LINES = 30;

/** How many lines stay at both ends of a list that is folded. */
const ENDS = 5;

/** A fold takes as much room as so many lines. */
const ROOM_OF_FOLD = 2;

/** `nodes` collapsed under a line. */
function fold(name, summary, nodes) {
  return make("details", { class: `fold ${name}` }, make("summary", {}, ...[summary].flat()), ...nodes);
}

/** Opens every fold around an element and goes there. */
function reveal(element, block = "center") {
  if (!element) return;
  for (let around = element.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  element.scrollIntoView({ block });
  element.focus({ preventScroll: true });
}

/** Rows of a list, with each long stretch in which nothing is wrong in a fold. */
function folded(rows, isWrong) {
  if (rows.length <= FEW_LINES) return rows;
  const shown = rows.map((row, index) => index < ENDS || index >= rows.length - ENDS || isWrong(row) || isWrong(rows[index + 1]) || isWrong(rows[index - 1]));
  const list = [];
  for (let from = 0; from < rows.length; ) {
    let end = from;
    while (end < rows.length && shown[end] === shown[from]) end += 1;
    const part = rows.slice(from, end);
    if (shown[from] || part.length <= ROOM_OF_FOLD) list.push(...part);
    else list.push(make("li", {}, fold("lines", `${counted(part.length, "more line")}`, [make("ol", { class: "events" }, ...part)])));
    from = end;
  }
  return list;
}

/** The turns of a story: those that passed collapsed if there are many, long stretches of them as one. */
function foldedTurns(turns, shown) {
  const isFolded = (turn) => turns.length > FEW_TURNS && turn.status === "passed" && !shown(turn).isWrong;
  const list = [];
  for (let from = 0; from < turns.length; ) {
    let end = from;
    while (end < turns.length && isFolded(turns[end])) end += 1;
    const part = turns.slice(from, end).map((turn) => fold("turn-fold", [`Turn ${turn.number}`, make("span", { class: "facts" }, ` ${line(turn.input).slice(0, 120)}${turn.duration_ms === undefined ? "" : ` · ${took(turn.duration_ms)}`}`)], [shown(turn).element]));
    if (part.length > FEW_TURNS) list.push(fold("turns", `${part.length} turns passed (${turns[from].number} to ${turns[end - 1].number})`, part));
    else list.push(...part);
    if (end < turns.length) list.push(shown(turns[end]).element);
    from = end + 1;
  }
  return list;
}

/** Buttons that open and close every fold of a story. */
function foldButtons(parts) {
  const folds = parts.flatMap((part) => [...(part.matches?.("details") ? [part] : []), ...(part.querySelectorAll?.("details") ?? [])]);
  if (folds.length === 0) return undefined;
  const button = (words, isOpen) => {
    const element = make("button", { type: "button" }, words);
    element.addEventListener("click", () => folds.forEach((one) => (one.open = isOpen)));
    return element;
  };
  return make("p", { class: "fold-buttons" }, button("Expand all", true), button("Collapse all", false));
}

/** Opens the folds that contain one of these words. */
function openMatching(element, words) {
  for (const details of element.querySelectorAll("details.fold")) {
    const text = details.textContent.toLowerCase();
    if (words.some((word) => text.includes(word))) details.open = true;
  }
}
