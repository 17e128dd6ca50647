// The page as a whole: the bar with search and filters, the list, which grows as it is read, and the keys.

/** How many tests come into the list at once. */
const PORTION = 150;

/** Tests as the list knows them: the element of each is made when it is needed. */
const tests = data("tests").map((row, number) => ({ row, number, words: haystack(row), made: undefined }));
const choice = choiceOf(location.hash);
let shown = [];
let inList = 0;

const main = document.getElementById("main");
const list = make("div", { class: "list", id: "list" });
const told = make("p", { class: "told", role: "status" });
const more = make("button", { type: "button", class: "more", hidden: true }, "Show more");

function made(test) {
  test.made ??= testOf(test.row, test.number);
  return test.made;
}

/** Puts the tests into the list up to `count`. */
function grow(count) {
  const next = shown.slice(inList, count);
  list.append(...next.map((test) => made(test).element));
  inList += next.length;
  more.hidden = inList >= shown.length;
}

function refresh() {
  shown = chosen(tests, choice);
  inList = 0;
  list.replaceChildren();
  grow(PORTION);
  told.textContent =
    shown.length === tests.length ? counted(tests.length, "test") : `${shown.length.toLocaleString("en")} of ${counted(tests.length, "test")}`;
  if (shown.length === 0 && tests.length > 0) list.append(make("p", { class: "nothing" }, "No test fits. Press Escape in the search field to see all."));
  remember();
}

/** Keeps the view in the address; with `isNew` the one before can be gone back to. */
function remember(isNew = false) {
  const address = `#${addressOf(choice)}`;
  try {
    if (isNew && address !== location.hash) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch {
    // Some browsers keep no history for files; then there is no address to link to.
  }
}

/** A list to choose one from; nothing where there is no choice: there are fewer values than `least`. */
function select(name, label, values, first, least = 2) {
  if (values.length < least) return undefined;
  const options = values.map((value) => make("option", { value, selected: choice[name] === value }, line(value)));
  const every = first === undefined ? [] : [make("option", { value: "" }, first)];
  const element = make("select", { "aria-label": label, "data-name": name }, ...every, ...options);
  element.addEventListener("change", () => {
    choice[name] = element.value;
    refresh();
  });
  return element;
}

function distinct(values) {
  return [...new Set(values)].sort();
}

/** The counts of the head become the filter by status. */
function filterByStatus() {
  const group = make("div", { class: "counts", role: "group", "aria-label": "Filter by status" });
  for (const kind of KINDS) {
    const count = tests.filter(({ row }) => row.kind === kind).length;
    if (count === 0) continue;
    const button = make("button", { type: "button", class: kind, "data-kind": kind }, make("b", {}, count.toLocaleString("en")), ` ${wordsOfKind(kind)}`);
    button.addEventListener("click", () => {
      if (!choice.kinds.delete(kind)) choice.kinds.add(kind);
      controls.show();
      refresh();
    });
    group.append(button);
  }
  document.getElementById("counts").replaceWith(group);
  return group;
}

function tools(statuses) {
  const field = make("input", { type: "search", placeholder: "Search names, texts, arguments, results", "aria-label": "Search", "aria-keyshortcuts": "/", autocomplete: "off", spellcheck: "false" });
  let waiting;
  const stop = () => {
    clearTimeout(waiting);
    waiting = undefined;
  };
  const search = () => {
    stop();
    choice.words = field.value;
    refresh();
  };
  field.addEventListener("input", () => {
    stop();
    waiting = setTimeout(search, tests.length > 2000 ? 120 : 0);
  });
  const order = make("select", { "aria-label": "Order" }, ...Object.entries(ORDERS).map(([value, [words]]) => make("option", { value, selected: choice.order === value }, words)));
  order.addEventListener("change", () => {
    choice.order = order.value;
    refresh();
  });
  const lists = [
    // Most tests have no change, so that one is a choice.
    select("change", "Change", distinct(tests.flatMap(({ row }) => row.change ?? [])), "changed or not", 1),
    select("tag", "Tag", distinct(tests.flatMap(({ row }) => row.tags ?? [])), "every tag"),
    select("file", "File", distinct(tests.map(({ row }) => row.file)), "every file"),
    select("target", "Target", distinct(tests.map(({ row }) => row.target)), "every target"),
  ];
  field.addEventListener("keydown", (event) => {
    // What was typed last counts before the keyboard goes on to the list.
    if (waiting !== undefined && ["Enter", "ArrowDown"].includes(event.key)) search();
    if (event.key !== "Escape") return;
    stop();
    Object.assign(choice, choiceOf(""), { order: choice.order });
    show();
    refresh();
    field.blur();
    event.preventDefault();
  });
  /** Shows the choice in every control. */
  const show = () => {
    field.value = choice.words;
    order.value = choice.order;
    for (const button of statuses.children) button.setAttribute("aria-pressed", String(choice.kinds.has(button.dataset.kind)));
    for (const element of lists.filter(Boolean)) element.value = choice[element.dataset.name];
  };
  const element = make("search", { class: "tools" }, field, ...lists, order, told);
  return { element, field, show };
}

/** The place in the list of the test that has the keyboard; -1 where none has. */
function focused() {
  const element = document.activeElement?.closest?.(".test");
  return element ? shown.findIndex((test) => test.made?.element === element) : -1;
}

function go(place) {
  if (place < 0 || place >= shown.length) return;
  if (place >= inList) grow(place + PORTION);
  const { button } = made(shown[place]);
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

function keys(field) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      if (event.target === field && (event.key === "ArrowDown" || event.key === "Enter")) {
        event.preventDefault();
        go(0);
      }
      return;
    }
    const isOnTest = event.target.classList?.contains("open");
    const moves = { j: 1, k: -1, ...(isOnTest ? { ArrowDown: 1, ArrowUp: -1 } : {}) };
    const at = focused();
    if (event.key === "/") field.focus();
    else if (event.key in moves) go(at < 0 ? 0 : at + moves[event.key]);
    else if (isOnTest && event.key === "Home") go(0);
    else if (isOnTest && event.key === "End") go(shown.length - 1);
    else if (event.key === "Escape" && at >= 0) {
      toggle(shown[at].made, false);
      go(at);
    } else return;
    event.preventDefault();
  });
}

/** Opens the test that the address names, with its heading at the top; closes the open one if it names none. */
function openNamed() {
  const wanted = choice.test;
  let place = shown.findIndex(({ row }) => row.id === wanted);
  if (wanted && place < 0 && tests.some(({ row }) => row.id === wanted)) {
    Object.assign(choice, choiceOf(""), { test: wanted });
    controls.show();
    refresh();
    place = shown.findIndex(({ row }) => row.id === wanted);
  }
  if (place < 0) {
    if (opened) toggle(opened, false);
    return false;
  }
  go(place);
  const test = made(shown[place]);
  toggle(test, true);
  const scroll = () => test.element.scrollIntoView({ block: "start" });
  scroll();
  // Before its story is there, the page may be too short to scroll so far.
  if (!test.body.firstChild) document.addEventListener("DOMContentLoaded", scroll, { once: true });
  return true;
}

let controls;

function start() {
  controls = tools(filterByStatus());
  const { element, field } = controls;
  controls.show();
  const help = make("p", { class: "keys" });
  const all = [["j", "k", " move · "], ["Enter", " open · "], ["Esc", " close · "], ["/", " search"]];
  for (const entry of all) help.append(...entry.map((part, index) => (index < entry.length - 1 ? make("kbd", {}, part) : part)));
  main.append(element, list, more, help);
  more.addEventListener("click", () => grow(inList + PORTION));
  new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && grow(inList + PORTION), { rootMargin: "800px" }).observe(more);
  keys(field);
  list.addEventListener("click", (event) => {
    if (!event.target.closest(".open")) return;
    const test = shown[focused()];
    choice.test = test && !test.made.body.hidden ? test.row.id : "";
    remember(true);
  });
  // Back, forward, and an address that a reader changes by hand.
  addEventListener("hashchange", () => {
    Object.assign(choice, choiceOf(location.hash));
    controls.show();
    refresh();
    openNamed();
  });
  refresh();
  // What is said in tests can be searched for once all of the page is there.
  if (choice.words && document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", () => { refresh(); openNamed(); }, { once: true });
  }
  const [first] = shown;
  if (!openNamed() && first && choice.order === "worst" && isBad(first.row) && !first.row.quarantined) toggle(made(first), true);
}

start();
