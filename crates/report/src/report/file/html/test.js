// One test: its line in the list, and what it shows when it is opened.

const SIGNS = { passed: "✓", failed: "✗", error: "!", timeout: "◷", skipped: "–", undecided: "?", not_shown: "?" };

/** The element of a test. Its story is read and shown when it is opened for the first time. */
function testOf(row, number) {
  const verdict = wordsOfKind(row.status);
  const look = row.kind;
  const word = look === "quarantined" ? `quarantined, ${verdict}` : wordsOfKind(look);
  const status = make("span", { class: "status" }, make("span", { "aria-hidden": "true" }, SIGNS[row.status]), make("span", { class: "hidden" }, `${word}: `));
  const tags = (row.tags ?? []).map((tag) => said(tag, "bdi", { class: "tag" }));
  const button = make(
    "button",
    { type: "button", class: "open", "aria-expanded": "false", "aria-controls": `test-${number}-story` },
    status,
    said(row.name, "bdi", { class: "title" }),
    row.runs ? said(row.runs, "bdi", { class: "word" }) : undefined,
    row.change ? make("span", { class: "word" }, row.change) : undefined,
    look === row.status ? undefined : make("span", { class: "word", "aria-hidden": "true" }, word),
    ...tags,
    said(row.line ? `${row.file}:${row.line}` : row.file, "bdi", { class: "place" }),
    make("span", { class: "took" }, took(row.duration_ms)),
  );
  const body = make("div", { class: "story", id: `test-${number}-story`, hidden: true });
  const headline = row.headline && row.status !== "passed" ? make("p", { class: "headline" }, message(row.headline)) : undefined;
  const element = make("article", { class: `test ${look}` }, make("h2", {}, button), headline, body);
  const test = { row, number, element, button, body, isShown: false };
  button.addEventListener("click", () => toggle(test));
  return test;
}

function isBad(row) {
  return row.status === "failed" || row.status === "error" || row.status === "timeout" || row.status === "undecided" ||
    row.status === "not_shown";
}

/** The test that is open; one at a time, so that its reason and its end are never far. */
let opened;

/** Opens or closes a test. */
function toggle(test, isOpen = test.body.hidden) {
  if (isOpen && opened && opened !== test) {
    const before = test.button.getBoundingClientRect().top;
    toggle(opened, false);
    // What closes above must not move the heading that the reader pressed.
    if (test.element.isConnected) scrollBy(0, test.button.getBoundingClientRect().top - before);
  }
  if (isOpen) opened = test;
  else if (opened === test) opened = undefined;
  if (isOpen && !test.isShown) {
    test.isShown = true;
    test.body.hidden = false;
    read(test);
  }
  test.body.hidden = !isOpen;
  if (isOpen) unfoldFound(test);
  test.button.setAttribute("aria-expanded", String(isOpen));
  test.element.classList.toggle("opened", isOpen);
}

/** Shows the story; where the browser has not come so far in the file yet, once it has. */
function read(test) {
  const id = `test-${test.number}`;
  if (document.getElementById(id)) fill(test, data(id));
  else document.addEventListener("DOMContentLoaded", () => fill(test, data(id)), { once: true });
}

function fill({ row, number, body }, test) {
  const width = body.clientWidth;
  const parts = [];
  if (test.description) parts.push(said(test.description, "p", { class: "description" }));
  if (test.quarantine) parts.push(said(test.quarantine, "p", { class: "quarantine" }));
  for (const line of test.runs ?? []) parts.push(make("p", { class: "runs" }, message(line)));
  (test.other_attempts ?? []).forEach((attempt, index) => {
    const words = [[`${attempt.name} ${attempt.status}`, took(attempt.duration_ms)].filter(Boolean).join(", ")];
    if (attempt.headline) words.push(": ", message(attempt.headline));
    const details = make("details", { class: "attempt" }, make("summary", {}, ...words));
    const open = () => details.append(...story(attempt, `test-${number}-${index + 1}`, width - 40));
    details.addEventListener("toggle", open, { once: true });
    parts.push(details);
  });
  parts.push(...story(test, `test-${number}`, width));
  const about = make("dl", { class: "about" });
  const facts = { id: row.id, target: row.target, agent: test.agent, thread: test.thread_id, started: test.started, recording: test.recording };
  for (const [name, text] of Object.entries(facts)) {
    if (text) about.append(make("div", {}, make("dt", {}, name), make("dd", {}, said(text))));
  }
  body.append(...parts, about);
  unfoldFound({ row, body });
}

/** Opens what is collapsed and contains a word that is searched for; what names the test needs no unfolding. */
function unfoldFound({ row, body }) {
  const words = wordsOf(choice.words).filter((word) => !haystack(row).includes(word));
  if (words.length > 0) openMatching(body, words);
}
