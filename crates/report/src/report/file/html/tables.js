// The rows of tables and the entries of lists that are shown: those with every word of the search, of the chosen kinds. The address
// remembers both, so that a view can be linked to. The name of a row links to the other rows that have it.

/** As many rows are read without a search. */
const FEW_ROWS = 10;

/** The part of the page that has nothing to show if none of its rows is shown, with its heading. */
function partOf(row) {
  const part = row.closest(".table, ul");
  const before = part.previousElementSibling;
  return before?.tagName === "H2" ? [part, before] : [part];
}

/** Makes the names of rows that other rows have in a cell links to these. */
function linkNames() {
  const cells = new Set([...document.querySelectorAll("main tbody td")].map((cell) => cell.textContent));
  for (const name of document.querySelectorAll("main tbody th")) {
    if (!cells.has(name.textContent)) continue;
    const link = make("a", { href: `#${new URLSearchParams({ search: name.textContent })}` });
    link.append(...name.childNodes);
    name.append(link);
  }
}

function filterRows() {
  const rows = [...document.querySelectorAll("main tbody tr, main ul:not(.faint) > li")].map((element) => ({
    element,
    parts: partOf(element),
    words: element.textContent.toLowerCase(),
    kind: element.querySelector(".kind")?.textContent,
  }));
  if (rows.length < FEW_ROWS) return;
  linkNames();
  const counts = new Map();
  for (const { kind } of rows) if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const chosen = new Set();
  const search = make("input", { type: "search", "aria-label": "Search", placeholder: "Search" });
  const status = make("span", { role: "status", class: "faint" });
  const buttons = [...counts].map(([kind, count]) => {
    const button = make("button", { type: "button", class: "theme" }, `${count.toLocaleString("en")} ${kind}`);
    button.addEventListener("click", () => {
      if (!chosen.delete(kind)) chosen.add(kind);
      show();
    });
    return { kind, button };
  });
  const show = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isShown = ({ words, kind }) =>
      wanted.every((word) => words.includes(word)) && (!kind || chosen.size === 0 || chosen.has(kind));
    const shown = rows.filter(isShown);
    for (const { element, parts } of rows) for (const hidden of [element, ...parts]) hidden.hidden = true;
    for (const { element, parts } of shown) for (const visible of [element, ...parts]) visible.hidden = false;
    for (const { kind, button } of buttons) button.setAttribute("aria-pressed", String(chosen.has(kind)));
    status.textContent = shown.length === rows.length ? "" : `${shown.length.toLocaleString("en")} of ${counted(rows.length, "row")}`;
    const view = new URLSearchParams();
    if (search.value) view.set("search", search.value);
    if (chosen.size) view.set("kind", [...chosen].join(","));
    try {
      history.replaceState(null, "", `#${view}`);
    } catch {
      // Some browsers keep no history for files; then there is no address to link to.
    }
  };
  const read = () => {
    const view = new URLSearchParams(location.hash.replace(/^#/, ""));
    search.value = view.get("search") ?? "";
    chosen.clear();
    for (const kind of (view.get("kind") ?? "").split(",")) if (counts.has(kind)) chosen.add(kind);
    show();
  };
  addEventListener("hashchange", read);
  search.addEventListener("input", show);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && document.activeElement === search) {
      search.value = "";
      chosen.clear();
      show();
      search.blur();
    }
  });
  document.querySelector("main").prepend(make("div", { class: "filter" }, search, ...buttons.map(({ button }) => button), status));
  read();
}

filterRows();
