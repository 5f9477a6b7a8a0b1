import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DevPage, found, launch, openPage } from "./support/browser.js";
import { DevServer } from "./support/dev-server.js";

/** The browser evaluates the text through the driver, which the content security policy of the page does not block. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The audits take a while on a busy machine. */
const LONG = { timeout: 240_000 };

/** Rules of each color scheme. The scheme changes only colors, so the second one needs no other rules. */
const RULES = { light: {}, dark: { runOnly: ["color-contrast", "link-in-text-block"] } } as const;

/** Returns the violations, with the elements that have them. */
async function audit(dev: DevPage, rules: object = {}): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ["violations"], ...rules });
  const { violations } = await dev.page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

describe.skipIf(found.path === undefined)("accessibility of the development page", LONG, () => {
  let browser: Browser;
  let server: DevServer;

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), DevServer.start("workshop-server")]);
  });

  afterAll(async () => {
    await Promise.all([browser.close(), server.close()]);
  });

  test("axe finds no violations in any area, light and dark", async () => {
    const dev = await openPage(browser, server.pageUrl);
    await dev.page.evaluate(AXE);
    const found: Record<string, readonly string[]> = {};
    const check = async (name: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await dev.selectScheme(colorScheme);
        found[`${name}, ${colorScheme}`] = await audit(dev, RULES[colorScheme]);
      }
    };
    await dev.tool("order_create");
    await check("form");
    await dev.button("Call tool").click();
    await dev.page.getByText(/^\d+ problems$/).waitFor();
    await check("form with problems");
    for (const name of [
      "show_markdown",
      "show_json",
      "show_table",
      "show_media",
      "show_links",
      "show_error",
    ]) {
      await dev.call(name);
      await dev.result.getByRole("region", { name: "Content", exact: true }).first().waitFor();
      await check(name);
    }
    await dev.go("#/tools/bare/model");
    await dev.page.getByRole("heading", { name: "Input schema" }).waitFor();
    await check("what the model sees");
    await dev.go("#/tools/show_text/wire");
    await dev.button("Call in both eras").click();
    await dev.page.getByRole("region", { name: "Modern era" }).getByText("mcp-method").first().waitFor();
    await check("wire");
    await dev.call("ask_color");
    await dev.page.getByText("Which color?").first().waitFor();
    await check("question in the panel");
    await dev.area("Questions");
    await check("questions");
    await dev.page.getByRole("button", { name: "Decline" }).click();
    await dev.area("Calls");
    await check("calls");
    await dev.page.getByRole("tab", { name: "Timing" }).click();
    await check("timing");
    await dev.button("Copy").click();
    await dev.page.getByRole("menuitem").first().waitFor();
    await check("menu");
    await dev.page.keyboard.press("Escape");
    await dev.go("#/resources/workshop%3A%2F%2Fguide");
    await dev.button("Read").click();
    await dev.page.getByRole("heading", { name: "Joints" }).waitFor();
    await check("resources");
    await dev.go("#/prompts/advise");
    await dev.page.getByRole("combobox", { name: /^wood/ }).fill("o");
    await dev.page.getByRole("option", { name: "oak" }).waitFor();
    await check("prompts");
    await dev.call("talk");
    await dev.result.getByText("done").waitFor();
    await dev.area("Log");
    await dev.page.getByText("printed line").first().click();
    await check("log");
    await dev.area("Activity");
    await dev.page.getByRole("table").first().waitFor();
    await check("activity");
    await dev.button("More actions").click();
    await dev.page.getByRole("menuitem", { name: "About the server" }).click();
    await dev.page.getByRole("dialog").getByText("Builds furniture.").waitFor();
    await check("dialog");
    const none = Object.fromEntries(Object.keys(found).map((name) => [name, []]));
    expect(found).toEqual(none);
    // The audit finds violations.
    await dev.page.evaluate(`void document.querySelector("dialog[open]").append(new Image())`);
    expect((await audit(dev)).join("\n")).toContain("image-alt");
  });
});
