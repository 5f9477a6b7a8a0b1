import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML_PAYLOADS, URL_PAYLOADS } from "../../tools/attack/corpora/page-payloads.js";
import { describeInBrowser, NO_ATTACKS } from "../support/browser-page.js";
import { type DevPage, openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

const INERT = { ...NO_ATTACKS, scripts: ["/_dev/app.js"] };

describeInBrowser("a corpus of hostile texts on the development page", () => {
  let server: DevServer;

  beforeAll(async () => {
    server = await DevServer.start("xss-server");
  });

  afterAll(async () => {
    await server.close();
  });

  const open = () => openDevPage(server.pageUrl);

  const expectInert = async (dev: DevPage, place: string) => {
    await dev.settle();
    expect(await dev.attacks(), place).toEqual(INERT);
    expect(dev.foreignRequests(server.origin), place).toEqual([]);
    expect(dev.complaints, place).toEqual([]);
  };

  /** Selects each item of the list after the one with the focus. Lists render only the items that are visible. */
  const visitAll = async (dev: DevPage, least: number) => {
    const places = new Set<string>();
    // Enter opens or closes a group of tools, which has no place of its own.
    for (let misses = 0; misses < 3;) {
      const before = places.size;
      await dev.page.keyboard.press("ArrowDown");
      await dev.page.keyboard.press("Enter");
      const place = await dev.page.evaluate<string>("location.hash");
      places.add(place);
      misses = places.size > before ? 0 : misses + 1;
      await expectInert(dev, place);
    }
    expect(places.size).toBeGreaterThanOrEqual(least);
  };

  test("is inert in names, descriptions, and schemas of tools", async () => {
    const dev = await open();
    const items = dev.page.getByRole("tree", { name: "Tools" }).getByRole("treeitem");
    await items.first().waitFor();
    await items.first().click();
    await dev.page.getByRole("tab", { name: "What the model sees" }).waitFor();
    await visitAll(dev, HTML_PAYLOADS.length);
    await dev.page.getByRole("tab", { name: "What the model sees" }).click();
    await expectInert(dev, "model");
  });

  test("is inert in results and errors, in every view", async () => {
    const dev = await open();
    for (const name of ["result", "failed", "error", "log"]) {
      await dev.call(name);
      await dev.page.locator(".p-history__item").first().waitFor();
      await dev.page.locator(".p-running").waitFor({ state: "detached" });
      await expectInert(dev, name);
      for (const view of ["Markdown", "Text", "JSON", "Table"]) {
        await dev.page.evaluate(
          `[...document.querySelectorAll(".p-call__result label, .p-call__result button")]
            .filter((element) => element.textContent.trim() === ${JSON.stringify(view)})
            .forEach((element) => element.click())`,
        );
        await expectInert(dev, `${name} as ${view}`);
      }
    }
    for (const area of ["Calls", "Log"]) {
      await dev.area(area);
      await expectInert(dev, area);
    }
    expect(await dev.page.evaluate(`({}).owned ?? null`)).toBeNull();
  });

  test("is inert in questions of the server", async () => {
    const dev = await open();
    const panel = dev.page.getByRole("complementary", { name: "Question of the server" });
    const names = ["ask", "sample", ...URL_PAYLOADS.map((_, index) => `open_${index}`)];
    let asked = 0;
    for (const name of names) {
      await dev.call(name);
      const answer = dev.result.getByText(`done ${name}`).first();
      await panel.or(answer).first().waitFor();
      await expectInert(dev, name);
      if ((await panel.count()) === 0) continue;
      asked++;
      await panel
        .getByRole("button", { name: /^(?:Decline|Cancel|Reject)/ })
        .first()
        .click();
      await answer.waitFor();
    }
    expect(asked).toBeGreaterThan(2);
  });

  test("is inert in resources and prompts", async () => {
    const dev = await open();
    await dev.area("Resources");
    const resources = dev.page.getByRole("listbox", { name: "Resources" }).getByRole("option");
    await resources.first().click();
    await visitAll(dev, URL_PAYLOADS.length);
    await resources.first().click();
    await dev.button("Read").click();
    await dev.button("Read again").waitFor();
    await expectInert(dev, "contents");
    await dev.area("Prompts");
    await dev.button("Get prompt").click();
    await dev.page.locator(".p-message").first().waitFor();
    await expectInert(dev, "prompt");
  });

  test("is inert in the address", async () => {
    const dev = await open();
    for (const payload of [...HTML_PAYLOADS.slice(0, 12), ...URL_PAYLOADS]) {
      for (const area of ["", "tools/", "calls/"]) await dev.goTo(`#/${area}${payload}`);
      await dev.goTo(`#/resources/${encodeURIComponent(payload)}`);
    }
    await expectInert(dev, "address");
  });

  test("meets a policy that blocks scripts, styles, and requests of other origins", async () => {
    const dev = await open();
    await dev.expectPolicy();
  });
});
