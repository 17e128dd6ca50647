// What must hold of the reports: each check gets the page, a list for what does not hold, and the address of the file.

/** How long 10,000 tests may take until they can be read, in milliseconds; far more than they do. */
const OPENED_WITHIN = 5000;

function holds(problems, is, what) {
  if (!is) problems.push(`does not hold: ${what}`);
}

function same(problems, what, got, expected) {
  if (JSON.stringify(got) !== JSON.stringify(expected)) {
    problems.push(`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  }
}

const titles = (page) => page.locator(".test .title").allTextContents();
const told = (page) => page.locator(".told").textContent();
const hasFocus = (page) => page.evaluate(() => document.activeElement.querySelector?.(".title")?.textContent ?? document.activeElement.tagName);

/** Types words into the search field, and waits until the list shows what they find. */
async function search(page, words) {
  await page.fill("input[type=search]", words);
  await page.waitForFunction((typed) => choice.words === typed, words);
}

/** Opens every test of a short report. */
export async function openAll(page) {
  await page.evaluate(() => {
    for (const button of document.querySelectorAll('.open[aria-expanded="false"]')) button.click();
    for (const details of document.querySelectorAll("details")) details.open = true;
    // Of what is far away the browser draws nothing until somebody goes there.
    for (const test of document.querySelectorAll(".test")) test.style.contentVisibility = "visible";
  });
  await page.waitForTimeout(100);
}

/** Nothing makes the page scroll sideways. */
export async function fits(page, problems) {
  const [wide, there] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  holds(problems, wide <= there, `the page of ${wide} pixels fits into ${there}`);
}

async function passing(page, problems) {
  same(problems, "heading", await page.locator("h1").textContent(), "No test failed");
  same(problems, "open tests", await page.locator('.open[aria-expanded="true"]').count(), 0);
  const count = await page.locator(".test").count();
  same(problems, "told", await told(page), `${count} tests`);
}

async function failing(page, problems) {
  holds(problems, (await page.locator("h1").textContent()).endsWith("tests did not pass"), "the heading says so");
  same(problems, "open tests", await page.locator('.open[aria-expanded="true"]').count(), 1);
  // One test is open at a time.
  await page.locator(".open").nth(2).click();
  same(problems, "open tests after a click", await page.locator('.open[aria-expanded="true"]').count(), 1);
  // The finding stands below the call that it rests on, with its lines.
  await search(page, "an order is never deleted");
  await page.click(".open");
  const test = page.locator(".test.opened");
  holds(problems, await test.locator(".contents .reason").isVisible(), "the reason is on top");
  await test.locator(".contents .jump").click();
  same(problems, "the event that it leads to", await page.locator(":focus .tool").textContent(), "delete_order");
  const finding = test.locator(".finding");
  holds(problems, (await finding.locator(".message").textContent()).includes("delete_order was called"), "the finding is told");
  const before = finding.locator("xpath=../preceding-sibling::li[1]");
  same(problems, "the call above it", await before.locator(".tool").textContent(), "delete_order");
  holds(problems, (await finding.locator(".source .meant").textContent()).includes("delete_order"), "its line is shown");
}

async function timeline(page, problems) {
  await search(page, "count_shelf keeps counting");
  await page.click(".open");
  const box = (of) => page.locator(of).boundingBox();
  const [track, over] = [await box(".track"), await box(".track > .over")];
  // 4.2 s of which 1.6 s to 4.1 s are too long.
  const scale = track.width / (4200 * 1.02);
  holds(problems, Math.abs(over.x - track.x - 1600 * scale) < 2, "what is too long begins where the limit ends");
  holds(problems, Math.abs(over.width - 2500 * scale) < 2, "it is as long as it took");
  await page.locator(".bar button").last().click();
  same(problems, "shown by its bar", await page.locator(":focus .facts").textContent(), "at 4.1 s, took 100 ms");
}

async function filters(page, problems, file) {
  same(problems, "at first", (await titles(page)).length, 4);
  await page.click(".counts .error");
  same(problems, "errors", await titles(page), ["survives a crash"]);
  await page.click(".counts .failed");
  same(problems, "errors and failures", await titles(page), ["pays once, and quickly", "survives a crash"]);
  await page.click(".counts .error");
  await page.click(".counts .failed");
  await page.selectOption("select[aria-label=Tag]", "slow");
  same(problems, "by tag", await titles(page), ["pays once, and quickly", "survives a crash"]);
  await page.selectOption("select[aria-label=File]", "checkout.test.yaml");
  same(problems, "by tag and file", await told(page), "1 of 4 tests");
  await search(page, "nothing like this");
  same(problems, "nothing", await titles(page), []);
  await page.press("input[type=search]", "Escape");
  same(problems, "all again", await told(page), "4 tests");
  await search(page, "CHARGE_CARD pays");
  same(problems, "by tool and name", await titles(page), ["pays once, and quickly"]);
  const hash = new URL(page.url()).hash;
  same(problems, "address", hash, "#search=CHARGE_CARD+pays");
  await page.goto("about:blank");
  await page.goto(`${file}#status=skipped`);
  same(problems, "by address", await titles(page), ["is skipped for now"]);
  // What is said and called is found, not only names.
  await page.press("input[type=search]", "Escape");
  for (const words of ["charge_card 89.5", "can sell"]) {
    await search(page, words);
    holds(problems, (await titles(page)).length > 0, `found by what is said and called: ${words}`);
  }
  await page.press("input[type=search]", "Escape");
  await page.selectOption("select[aria-label=Order]", "run");
  same(problems, "as run", (await titles(page))[0], "pays once, and quickly");
}

async function addresses(page, problems, file) {
  const id = await page.evaluate(() => tests.at(-1).row.id);
  const isAtTop = async () => {
    const box = await page.locator(".test.opened > h2").boundingBox();
    return box !== null && box.y >= 0 && box.y < 450;
  };
  // What is said is found by the words of an address, too.
  await page.goto("about:blank");
  await page.goto(`${file}#search=charge_card 89.5`);
  holds(problems, (await titles(page)).length > 0, "found by the words of an address");
  // A cause leads to its first test.
  await page.goto("about:blank");
  await page.goto(file);
  const cause = page.locator(".causes a").first();
  const first = decodeURIComponent((await cause.getAttribute("href")).replace("#test=", ""));
  await cause.click();
  await page.waitForTimeout(100);
  same(problems, "the test of a cause", await page.evaluate(() => choice.test), first);
  await page.goto("about:blank");
  await page.goto(`${file}#${new URLSearchParams({ test: id })}`);
  const name = () => page.locator(".test.opened .title").allTextContents();
  same(problems, "opened by its address", (await name()).length, 1);
  holds(problems, await isAtTop(), "its heading is seen");
  const linked = (await name())[0];
  await page.locator(".open").first().click();
  holds(problems, (await name())[0] !== linked, "another one is opened");
  await page.goBack();
  same(problems, "back", await name(), [linked]);
  await page.evaluate((hash) => (location.hash = hash), new URLSearchParams({ test: await page.evaluate(() => tests[0].row.id) }).toString());
  await page.waitForTimeout(100);
  same(problems, "by an address that changes", await name(), [await page.evaluate(() => tests[0].row.name)]);
}

/** 200 turns and 500 calls stay within three screens, and unfold. */
async function long(page, problems) {
  // The causes above the list grow with the run, and not with a test.
  const height = () => page.evaluate(() => document.documentElement.scrollHeight - (document.querySelector(".causes")?.offsetHeight ?? 0));
  // Three screens, and the head with what the run was made with.
  const limit = 3 * 900 + 200;
  for (const words of ["many turns", "many calls", "many candidates"]) {
    await search(page, words);
    const button = page.getByRole("button", { name: words });
    if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
    holds(problems, (await height()) <= limit, `${words}: ${await height()} pixels are at most ${limit}`);
    await page.getByRole("button", { name: "Expand all" }).click();
    holds(problems, (await height()) > limit, `${words}: expanded`);
    await page.getByRole("button", { name: "Collapse all" }).click();
    holds(problems, (await height()) <= limit, `${words}: collapsed again`);
  }
  // What was said in a turn that is collapsed is found, and shown.
  await search(page, "parcel-137");
  await page.click(".open");
  holds(problems, await page.getByText("parcel-137", { exact: false }).last().isVisible(), "what was searched for is unfolded");
}

async function keyboard(page, problems) {
  await page.keyboard.press("/");
  same(problems, "slash", await hasFocus(page), "INPUT");
  await page.keyboard.type("is skipped");
  await page.keyboard.press("Enter");
  same(problems, "enter", await hasFocus(page), "is skipped for now");
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  // The cursor has left the field.
  await page.keyboard.press("j");
  same(problems, "first", await hasFocus(page), "pays once, and quickly");
  await page.keyboard.press("j");
  same(problems, "j", await hasFocus(page), "survives a crash");
  await page.keyboard.press("ArrowDown");
  same(problems, "down again", await hasFocus(page), "says hello");
  await page.keyboard.press("Enter");
  same(problems, "opened", await page.locator(":focus").getAttribute("aria-expanded"), "true");
  await page.keyboard.press("Escape");
  same(problems, "closed", await page.locator(":focus").getAttribute("aria-expanded"), "false");
  await page.keyboard.press("k");
  same(problems, "k", await hasFocus(page), "survives a crash");
  await page.keyboard.press("End");
  same(problems, "end", await hasFocus(page), "is skipped for now");
  await page.keyboard.press("Home");
  same(problems, "home", await hasFocus(page), "pays once, and quickly");
}

async function screenReader(page, problems) {
  const roles = { banner: 1, main: 1, search: 1, status: 1 };
  for (const [role, count] of Object.entries(roles)) same(problems, role, await page.getByRole(role).count(), count);
  const levels = await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
  same(problems, "first heading", levels[0], 1);
  const button = page.getByRole("button", { name: /^failed: pays once, and quickly/ });
  same(problems, "a test by its name", await button.count(), 1);
  same(problems, "what it controls", await page.locator(`#${await button.getAttribute("aria-controls")}`).count(), 1);
  holds(problems, (await page.getByRole("group", { name: "Finding 1" }).count()) >= 1, "findings have names");
}

async function hostile(page, problems) {
  await openAll(page);
  const text = await page.locator("main").innerText();
  holds(problems, text.includes("</system-out>") && text.includes("]]>"), "its tags are text");
  const signs = await page.locator(".sign").allTextContents();
  for (const sign of ["U+001B", "U+0000", "U+202E", "U+2066", "U+200B", "U+FFFE"]) {
    holds(problems, signs.includes(sign), `${sign} is shown as a mark`);
  }
  const strange = await page.evaluate(() => {
    const own = new Set(["SCRIPT", "NOSCRIPT"]);
    const texts = [...document.body.querySelectorAll("*")].filter((one) => !own.has(one.tagName));
    const shown = texts.flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data));
    const attributes = texts.flatMap((one) => [...one.attributes].map(({ value }) => value));
    return [...shown, ...attributes].filter((text) => /[\u0000-\u0008\u000e-\u001f\u202a-\u202e\u2066-\u2069]/.test(text));
  });
  same(problems, "signs that steer", strange, []);
  same(problems, "testcase elements", await page.locator("testcase, system-out").count(), 0);
}

/** Every test has one kind, and the filter of a kind selects as many tests as it says. */
async function countsAddUp(page, problems) {
  const chips = page.locator(".counts button");
  let sum = 0;
  for (let index = 0; index < (await chips.count()); index += 1) {
    const chip = chips.nth(index);
    const count = Number(await chip.locator("b").textContent());
    await chip.click();
    same(problems, `tests of the kind ${await chip.getAttribute("data-kind")}`, (await titles(page)).length, count);
    await chip.click();
    sum += count;
  }
  same(problems, "the sum of the counts", sum, (await titles(page)).length);
}

async function attempts(page, problems) {
  await openAll(page);
  holds(problems, (await page.locator("details.attempt").count()) > 0, "earlier attempts are told");
  holds(problems, (await page.locator("details.attempt .event").count()) > 0, "with what was said");
}

async function themes(page, problems) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.click(".theme");
  const dark = await paper();
  holds(problems, light !== dark, "the theme can be changed");
  await page.emulateMedia({ media: "print" });
  same(problems, "printed", await paper(), light);
}

async function plain(page, problems) {
  holds(problems, await page.locator("h1").isVisible(), "the verdict is there");
  const text = await page.locator("noscript").innerText();
  holds(problems, text.includes("charge_card") && text.includes("checkout.test.yaml"), "what failed is there");
}

async function many(page, problems, file) {
  await page.goto("about:blank");
  const before = Date.now();
  await page.goto(file, { waitUntil: "commit" });
  await page.locator(".test").first().waitFor();
  // A frame with the list has been drawn.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  const opened = Date.now() - before;
  await page.waitForLoadState();
  const whole = Date.now() - before;
  const searching = await page.evaluate(() => {
    const field = document.querySelector("input[type=search]");
    const start = performance.now();
    choice.words = field.value = "row-77] part 42";
    refresh();
    return performance.now() - start;
  });
  console.log(`     10,000 tests: opened in ${opened} ms, all of it in ${whole} ms, searched in ${Math.round(searching)} ms`);
  holds(problems, opened < OPENED_WITHIN, `10,000 tests open within ${OPENED_WITHIN} ms, not ${opened}`);
  same(problems, "found", await told(page), "1 of 10,000 tests");
  await page.press("input[type=search]", "Escape");
  same(problems, "all", await told(page), "10,000 tests");
  const rows = await page.locator(".test").count();
  holds(problems, rows <= 300, `only the beginning of the list is made, not ${rows} rows`);
  await page.locator(".open").first().focus();
  await page.keyboard.press("End");
  same(problems, "the last one", await page.locator(".test").count(), 10000);
  await page.keyboard.press("Enter");
  same(problems, "it opens", await page.locator(".test").last().locator(".event").count(), 4);
}

/** Every check: what it is about, its report, and how the browser is set. */
/** The rows of a page of tables that are shown. */
const rows = (page) => page.locator("main tbody tr:visible").count();

async function tables(page, problems, file) {
  const whole = await rows(page);
  const survivors = page.locator("main tbody tr:visible:has(.kind)");
  const count = await survivors.count();
  same(problems, "survivors and the button", await page.locator(".filter button").allTextContents(), [`${count} survived`]);
  holds(problems, !(await page.locator("body").innerText()).includes("`"), "code has no backticks");
  // The name of a row finds the rows that have it.
  await page.click("th a:has-text('change_word')");
  await page.waitForFunction(() => document.querySelector("input[type=search]").value === "change_word");
  same(problems, "rows of an operator", await rows(page), 4);
  holds(problems, page.url().endsWith("#search=change_word"), "the view is in the address");
  same(problems, "headings", await page.locator("h2:visible").allTextContents(), ["By operator", "Changes that are not noticed"]);
  same(problems, "counted", await page.locator("[role=status]").textContent(), `4 of ${whole} rows`);
  // A link opens the view.
  await page.goto("about:blank");
  await page.goto(`${file}#search=pause&kind=survived`);
  same(problems, "survivors of a link", await survivors.count(), 1);
  same(problems, "chosen kinds", await page.locator('.filter button[aria-pressed="true"]').count(), 1);
  await page.keyboard.press("/");
  await page.keyboard.type("nowhere");
  same(problems, "rows without a hit", await rows(page), 0);
  same(problems, "tables without a hit", await page.locator("table:visible, h2:visible").count(), 0);
  await page.keyboard.press("Escape");
  same(problems, "rows after Escape", await rows(page), whole);
  await page.keyboard.press("/");
  same(problems, "the field has the focus again", await page.evaluate(() => document.activeElement.type), "search");
}

/** Without its script everything is shown. */
async function plainTables(page, problems) {
  holds(problems, (await rows(page)) > 20, "all rows are shown");
  same(problems, "controls", await page.locator("input, button, a").count(), 0);
}

export const all = [
  ["passing: nothing is open, and everything is there", "passing", passing],
  ["failing: failures are open, each finding beside its event", "failing", failing],
  ["failing: the timeline is to scale", "failing", timeline],
  ["mixed: filters, search, order and address", "mixed", filters],
  ["mixed: addresses, Back, and a changed address", "mixed", addresses],
  ["long: 200 turns and 500 calls", "long", long],
  ["mixed: everything by keyboard", "mixed", keyboard],
  ["mixed: a screen reader finds its way", "mixed", screenReader],
  ["mixed: light and dark, and light when printed", "mixed", themes, { colorScheme: "light" }],
  ["mixed: the summary and the failures without scripts", "mixed", plain, { javaScriptEnabled: false }],
  ["hostile: everything an agent says is text", "hostile", hostile],
  ["flaky: the counts add up", "flaky", countsAddUp],
  ["mixed: the counts add up", "mixed", countsAddUp],
  ["hostile: the counts add up", "hostile", countsAddUp],
  ["retried: attempts are told", "retried", attempts],
  ["mutate: a filter of rows, links and an address", "mutate", tables],
  ["mutate: everything without scripts", "mutate", plainTables, { javaScriptEnabled: false }],
  ["many: 10,000 tests", "many", many],
];
