// Mocks of vitest in a replay: they count the recorded calls, and do nothing else.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { TestSession, tool } from "ananke-test/testing";
import { expect, test, vi } from "vitest";

test("mocks of vitest have the recorded calls", async () => {
  const directory = mkdtempSync(join(tmpdir(), "ananke-vitest-"));
  const pay = tool("pay", ({ amount }) => `paid ${amount}`);
  const agent = () => `${pay({ amount: 1 })}, ${pay({ amount: 2 })}`;
  const executed = [];
  for (const mode of ["record", "replay"]) {
    const once = vi.fn(({ amount }) => executed.push([mode, amount])).mockImplementationOnce(() => executed.push([mode, "once"]));
    const session = await TestSession.open({ agent, [mode]: directory, id: "mocks" });
    await session.mockTools({ pay: once });
    await session.run("Pay");
    expect(once).toHaveBeenCalledTimes(2);
    expect(once.mock.calls.map(([args]) => args)).toEqual([{ amount: 1 }, { amount: 2 }]);
    expect(once).toHaveReturnedWith(2);
    await session.close();
  }
  expect(executed).toEqual([["record", "once"], ["record", 2]]);
  rmSync(directory, { recursive: true, force: true });
});
