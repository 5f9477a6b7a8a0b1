import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

const PAGE = fileURLToPath(new URL("../../packages/cli/dist/page/", import.meta.url));

/** Times since the navigation in milliseconds: of the first contentful paint, and of the first paint with tools. */
const PAINTS = `[performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1, window.toolsPaint ?? -1]`;

/** Notes the time of the first frame after the tools were rendered. */
const WATCH_TOOLS = `new MutationObserver((_, observer) => {
  if (document.querySelector("[role=treeitem]") === null) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.toolsPaint = performance.now(); }));
}).observe(document, { childList: true, subtree: true });`;

/** Enters a text, and returns the time in milliseconds until the list has changed and is painted. */
const TIME_SEARCH = `(text) => new Promise((resolve) => {
  const input = document.querySelector(".p-list-search input");
  const start = performance.now();
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
})`;

test("the page is at most 150 kB gzipped", () => {
  const size = readdirSync(PAGE)
    .map((name) => gzipSync(readFileSync(`${PAGE}${name}`), { level: 9 }).length)
    .reduce((sum, one) => sum + one, 0);
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThanOrEqual(150_000);
});

describeInBrowser("1,000 tools on the development page", () => {
  let server: DevServer;

  beforeAll(async () => {
    server = await DevServer.start("large-server");
  });

  afterAll(async () => {
    await server.close();
  });

  test("the first paint, and the first paint with tools, take less than a second", async () => {
    const dev = await openDevPage(server.pageUrl);
    await dev.page.getByText(/^1,000 tools, [\d,]+ tokens$/).waitFor();
    await dev.page.addInitScript(WATCH_TOOLS);
    let best = { paint: Number.POSITIVE_INFINITY, tools: Number.POSITIVE_INFINITY };
    for (let load = 0; load < 5 && best.tools >= 1_000; load++) {
      await dev.page.reload();
      await dev.page.getByRole("treeitem").first().waitFor();
      await expect
        .poll(async () => Math.min(...(await dev.page.evaluate<number[]>(PAINTS))))
        .toBeGreaterThan(0);
      const [paint = 0, tools = 0] = await dev.page.evaluate<number[]>(PAINTS);
      if (tools < best.tools) best = { paint, tools };
    }
    expect(best.paint).toBeLessThan(1_000);
    expect(best.tools).toBeLessThan(1_000);
    expect(dev.complaints).toEqual([]);
  });

  test("the list is windowed, and the search has no lag", async () => {
    const dev = await openDevPage(server.pageUrl);
    const rows = dev.page.getByRole("treeitem");
    await rows.first().waitFor();
    const tree = dev.page.getByRole("tree", { name: "Tools" });
    const nodes = () => dev.page.evaluate<number>("document.querySelectorAll('*').length");
    expect(await nodes()).toBeLessThan(1_500);
    await tree.press("End");
    await rows.filter({ hasText: /\d/ }).last().waitFor();
    expect(await rows.count()).toBeLessThan(150);

    const times: number[] = [];
    for (const text of ["t", "to", "tool", "tool9", "tool99", "tool999", "tool", "number 5", "zzz", ""])
      times.push(await dev.page.evaluate<number>(`(${TIME_SEARCH})(${JSON.stringify(text)})`));
    // Half of the inputs must be faster: a busy machine can delay some of them.
    const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
    expect(median).toBeLessThan(250);

    await dev.page.getByLabel("Search tools").fill("tool999");
    await dev.page.getByText("1 tool found").waitFor();
    await rows.filter({ hasText: "tool999" }).last().click();
    await dev.page.getByRole("textbox", { name: /^id/ }).fill("x");
    await dev.button("Call tool").click();
    await dev.result.getByText("999 x").waitFor();
    expect(await nodes()).toBeLessThan(1_500);
    expect(dev.complaints).toEqual([]);
  });
});
