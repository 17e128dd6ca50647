// When things happened, drawn to scale: a lane a turn, all of them from their own start and on one scale.

/** With more turns than this, the lanes of those that passed are collapsed. */
const FEW_LANES = 8;

/** A round distance between ticks, so that few of them fit into `most`. */
function step(most) {
  const size = 10 ** Math.floor(Math.log10(most / 4));
  return [1, 2, 5, 10].map((times) => times * size).find((distance) => most / distance <= 6);
}

/** The timeline of a story; nothing where it took no time. `width` is what it has on the page, in pixels. */
function timeline(story, numbers, width, show) {
  const most = Math.max(...story.turns.map((turn) => turn.duration_ms ?? 0), 0);
  if (!(most > 0)) return undefined;
  const end = most * 1.02;
  const track = Math.max(width - 215, 200);
  const scale = { at: (ms) => `${((100 * Math.min(Math.max(ms, 0), end)) / end).toFixed(3)}%`, end, track };
  const lanes = story.turns.filter((turn) => turn.duration_ms !== undefined && (turn.duration_ms > 0 || turn.lines.length > 0));
  const axis = make("div", { class: "axis", "aria-hidden": "true" });
  const distance = step(most);
  for (let tick = 0; tick <= most * 1.001; tick += distance) {
    const mark = make("span", {}, tick === 0 ? "0" : took(tick));
    mark.style.left = scale.at(tick);
    axis.append(mark);
  }
  const caption = make("figcaption", {}, make("h3", {}, "Timeline"), legend(lanes));
  const list = (turns) => make("ol", { class: "lanes" }, ...turns.map((turn) => lane(turn, numbers, scale, show, distance)));
  const few = lanes.length > FEW_LANES ? lanes.filter((turn) => turn.status !== "passed" || isLate(turn)).slice(-FEW_LANES) : lanes;
  const others = lanes.filter((turn) => !few.includes(turn));
  const all = others.length > 0 ? fold("lanes-fold", `${counted(others.length, "more turn")} in the timeline`, [list(others)]) : undefined;
  return make("figure", { class: "timeline" }, caption, few.length > 0 ? list(few) : undefined, axis, all);
}

function legend(lanes) {
  const has = (what) => lanes.some(what);
  const entries = [
    ["call", "tool call", has((turn) => turn.lines.some((line) => line.kind === "calls"))],
    ["first", "first text", has((turn) => turn.first_text_ms !== undefined)],
    ["idle", "no call in progress", has((turn) => (turn.gaps ?? []).length > 0)],
    ["over", "longer than allowed", has((turn) => isLate(turn))],
  ];
  const shown = entries.filter(([, , there]) => there);
  return make("ul", { class: "legend" }, ...shown.map(([name, words]) => make("li", { class: name }, words)));
}

function isLate(turn) {
  const { idle, first_text: first, duration: whole } = turn.limits;
  return (
    (turn.gaps ?? []).some(([from, to]) => to - from > idle) ||
    (turn.first_text_ms ?? turn.duration_ms) > first ||
    turn.duration_ms > whole
  );
}

function lane(turn, numbers, scale, show, distance) {
  const track = make("div", { class: "track" });
  for (let tick = distance; tick <= scale.end; tick += distance) track.append(placed("grid", tick, tick, scale));
  track.append(placed("whole", 0, turn.duration_ms, scale));
  for (const [from, to] of turn.gaps ?? []) track.append(...gap(from, to, turn.limits.idle, scale));
  if (turn.limits.duration < scale.end) {
    const isOver = turn.duration_ms > turn.limits.duration;
    const limit = placed(isOver ? "limit over" : "limit", turn.limits.duration, turn.limits.duration, scale);
    limit.title = `the turn may take ${took(turn.limits.duration)}`;
    track.append(limit);
  }
  if (turn.first_text_ms !== undefined) {
    const isOver = turn.first_text_ms > turn.limits.first_text;
    const first = placed(isOver ? "first over" : "first", turn.first_text_ms, turn.first_text_ms, scale);
    first.title = `first text after ${took(turn.first_text_ms)}`;
    track.append(first);
  }
  const rows = stack(bars(turn, numbers), turn, numbers, scale, show);
  const drawn = make("ul", { class: "bars" }, ...rows.bars);
  drawn.style.height = `${rows.depth * 22 + 8}px`;
  track.append(drawn);
  const name = make("span", { class: "turn" }, `Turn ${turn.number}`, turn.id ? said(` ${turn.id}`) : undefined);
  const label = make("div", { class: "label" }, name, ...facts(turn));
  return make("li", { class: "lane" }, label, track);
}

/** The times of a turn in words, which is what there is to hear of its lane. */
function facts(turn) {
  const gaps = (turn.gaps ?? []).map(([from, to]) => to - from);
  const longest = Math.max(...gaps, 0);
  const allowed = (limit) => (limit === undefined ? "" : ` of ${took(limit)}`);
  const parts = [took(turn.duration_ms) + allowed(turn.limits.duration)];
  if (turn.first_text_ms !== undefined || turn.limits.first_text !== undefined) {
    const first = turn.first_text_ms === undefined ? "none" : took(turn.first_text_ms);
    parts.push(`first text ${first}${allowed(turn.limits.first_text)}`);
  }
  if (gaps.length > 0 || turn.limits.idle !== undefined) {
    parts.push(`idle ${took(longest)}${allowed(turn.limits.idle)}`);
  }
  return parts.map((part) => make("span", { class: "facts" }, part));
}

function placed(name, from, to, scale) {
  const element = make("span", { class: name });
  element.style.left = scale.at(from);
  element.style.width = to > from ? `calc(${scale.at(to)} - ${scale.at(from)})` : "";
  return element;
}

/** A stretch without a call: what is allowed of it, and what is too much. */
function gap(from, to, limit, scale) {
  const isOver = to - from > limit;
  const idle = placed("idle", from, isOver ? from + limit : to, scale);
  idle.title = `idle for ${took(to - from)}` + (limit === undefined ? "" : `, the limit is ${took(limit)}`);
  if (!isOver) return [idle];
  const over = placed("over", from + limit, to, scale);
  over.title = idle.title;
  return [idle, over];
}

/** What a lane has bars for: calls, those of earlier turns that were still open, and messages that a finding is about. */
function bars(turn, numbers) {
  return turn.lines.flatMap((line) => {
    if (line.kind === "says") {
      const isCited = numbers.of(line.event).length > 0;
      return isCited && line.said_ms !== undefined ? [{ line: { ...line, name: `“${line.text}”` }, from: line.said_ms, to: line.said_ms, isSaid: true }] : [];
    }
    if (line.kind === "calls") {
      if (line.started_ms === undefined) return [];
      const end = line.duration_ms === undefined ? turn.duration_ms : line.started_ms + line.duration_ms;
      return [{ line, from: line.started_ms, to: Math.max(end, line.started_ms), isOpen: line.duration_ms === undefined }];
    }
    return line.kind === "answered" && line.arrived_ms !== undefined ? [{ line, from: 0, to: line.arrived_ms, isLate: true }] : [];
  });
}

/** Rows of bars that show their names. What does not fit goes into one more row, without names. */
const MOST_ROWS = 12;

/** Bars one below the other where they or their names would overlap. */
function stack(bars, turn, numbers, scale, show) {
  const ends = [];
  const items = bars.map((bar) => {
    const name = line(bar.line.name);
    const words = ((Math.min(name.length, 40) * 7 + 14) * scale.end) / scale.track;
    const fromRight = bar.from + words > scale.end && bar.to > scale.end / 2;
    const from = fromRight ? Math.min(bar.from, bar.to - words) : bar.from;
    let row = ends.findIndex((end) => end <= from);
    if (row < 0) row = Math.min(ends.push(0) - 1, MOST_ROWS);
    const isCrowded = row === MOST_ROWS;
    ends.length = Math.min(ends.length, MOST_ROWS + 1);
    ends[row] = isCrowded ? Infinity : fromRight ? bar.to : Math.max(bar.to, bar.from + words);
    const cited = numbers.of(bar.line.event).length > 0;
    const isOver = bar.to - bar.from > turn.limits.tool;
    const names = ["bar", bar.isLate && "late", bar.isOpen && "open", bar.line.failure && "failure"];
    names.push((cited || isOver) && "cited", fromRight && "right", isCrowded && "crowded");
    const item = placed(names.filter(Boolean).join(" "), bar.from, bar.to, scale);
    item.style.top = `${row * 22 + 4}px`;
    const lasted = bar.isOpen ? ", no result" : `, ${took(bar.to - bar.from)}`;
    const title = `${name} at ${took(bar.from)}${bar.isSaid ? "" : lasted}`;
    const button = make("button", { type: "button", title, "aria-label": `${title}: show it in the transcript` }, name);
    button.addEventListener("click", () => show(bar.line.event));
    item.append(button);
    return make("li", {}, item);
  });
  return { bars: items, depth: ends.length };
}
