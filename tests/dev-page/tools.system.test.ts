import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

describeInBrowser("tools on the development page", () => {
  let server: DevServer;
  const open = (hash = "") => openDevPage(server.pageUrl, { hash });

  beforeAll(async () => {
    server = await DevServer.start("workshop-server");
  });

  afterAll(async () => {
    await server.close();
  });

  test("are a tree with a search, with tokens of each tool and each view", async () => {
    const dev = await open();
    const tree = dev.page.getByRole("tree", { name: "Tools" });
    const totals = dev.page.locator(".p-totals__text");
    await totals.getByText(/^18 tools, [\d,]+ tokens$/).waitFor();
    await tree.getByRole("treeitem", { name: /^order_create/ }).waitFor();
    // Tools with the same prefix are a group.
    const group = tree.getByRole("treeitem", { name: /^show_/ }).first();
    expect(await group.getAttribute("aria-expanded")).toBe("true");
    await group.click();
    expect(await group.getAttribute("aria-expanded")).toBe("false");
    await group.click();

    const all = Number(/([\d,]+) tokens/.exec(await totals.innerText())?.[1]?.replaceAll(",", ""));
    const view = dev.page.getByLabel("View of the tools");
    await view.selectOption({ label: (await optionOf(view, "tag show")) ?? "" });
    await totals.getByText(/^7 tools, /).waitFor();
    const some = Number(/([\d,]+) tokens/.exec(await totals.innerText())?.[1]?.replaceAll(",", ""));
    expect(some).toBeGreaterThan(100);
    expect(some).toBeLessThan(all);
    await view.selectOption({ index: 0 });

    const search = dev.page.getByLabel("Search tools");
    await search.fill("sound");
    await tree.getByRole("treeitem", { name: /media/ }).waitFor();
    await dev.page.getByText("1 tool found").waitFor();
    expect(await tree.getByRole("treeitem", { name: /order/ }).count()).toBe(0);
    const item = await tree.getByRole("treeitem", { name: /media/ }).innerText();
    expect(item).toMatch(/\d+/);
    await search.fill("nothing like this");
    await dev.page.getByText("No tool matches").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("have a form for each kind of value, which is also JSON", async () => {
    const dev = await open("#/tools/order_create");
    const form = dev.page.getByRole("form", { name: "Call order_create" });
    const field = (name: string): Locator => form.getByRole("textbox", { name, exact: true });
    await form.waitFor();
    // Defaults are set.
    expect(await field("count").inputValue()).toBe("3");
    expect(await field("tags 0").inputValue()).toBe("indoor");

    await form.getByLabel("wood", { exact: false }).first().selectOption({ label: "ash" });
    await field("title required").or(field("title")).first().fill("Chair");
    await form.getByRole("button", { name: "Add item" }).click();
    await field("tags 1").fill("garden");
    await form
      .getByRole("group", { name: /^customer/ })
      .getByRole("textbox", { name: /^name/ })
      .fill("Ada");
    const variant = form.getByLabel("Variant of payment");
    await variant.selectOption({ index: 1 });
    await form.getByRole("textbox", { name: /^company/ }).fill("Chairs Ltd");
    await form.getByRole("checkbox", { name: "Include plan" }).check();
    await form.locator("input[type=file]").setInputFiles({
      name: "plan.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("four legs"),
    });
    await form.getByText("plan.txt (9 B)").waitFor();
    await form.getByRole("switch", { name: "isUrgent" }).click();

    const order = {
      title: "Chair",
      count: 3,
      wood: "ash",
      tags: ["indoor", "garden"],
      customer: { name: "Ada" },
      payment: { kind: "invoice", company: "Chairs Ltd" },
      plan: Buffer.from("four legs").toString("base64"),
      isUrgent: true,
    };
    const asJson = form.getByRole("switch", { name: "Edit as JSON" });
    await asJson.click();
    const text = form.getByRole("textbox", { name: "Arguments of order_create as JSON" });
    expect(JSON.parse(await text.inputValue())).toEqual(order);
    await text.fill(JSON.stringify({ ...order, title: "Table", customer: { name: "Bob", city: "Oslo" } }));
    await asJson.click();
    expect(await form.getByRole("textbox", { name: /^title/ }).inputValue()).toBe("Table");
    expect(await form.getByRole("textbox", { name: /^city/ }).inputValue()).toBe("Oslo");

    // A text that is not JSON is kept, and can be corrected.
    await asJson.click();
    await text.fill('{ "title": ');
    await form.getByText(/JSON/).last().waitFor();
    await dev.button("Discard this text").click();
    await asJson.click();

    await dev.button("Call tool").click();
    await dev.result.getByText("Structured content").waitFor();
    await dev.result.getByRole("tree", { name: "Structured content" }).getByText("Oslo").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("are not called with invalid arguments: the messages are next to the fields", async () => {
    const dev = await open("#/tools/order_create");
    const form = dev.page.getByRole("form", { name: "Call order_create" });
    const count = form.getByRole("textbox", { name: /^count/ });
    const calls = dev.page.locator(".p-history__item");
    await form.waitFor();
    const before = await calls.count();
    await form.getByRole("textbox", { name: /^title/ }).fill("No");
    await count.fill("many");
    await form.getByText("Correct the marked values before the call.").waitFor();
    expect(await count.getAttribute("aria-invalid")).toBe("true");
    await count.fill("99");
    await dev.button("Call tool").click();
    const summary = form.getByText(/^\d+ problems$/);
    await summary.waitFor();
    const title = form.getByRole("textbox", { name: /^title/ });
    expect(await title.getAttribute("aria-invalid")).toBe("true");
    const describedBy = (await count.getAttribute("aria-describedby"))?.split(" ").at(-1) ?? "";
    expect(await dev.page.locator(`[id="${describedBy}"]`).innerText()).toContain("10");
    // A link of the summary goes to its field.
    await form.getByRole("button", { name: "count", exact: true }).click();
    await count.and(dev.page.locator(":focus")).waitFor();
    await count.fill("4");
    await expect.poll(() => count.getAttribute("aria-invalid")).toBeNull();
    expect(await calls.count()).toBe(before);
    // The server gives its own opinion if the user wants it.
    await dev.button("Call anyway").click();
    await expect.poll(() => calls.count()).toBe(before + 1);
    await dev.result.getByText(/title/).first().waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("show each kind of result", async () => {
    const dev = await open();
    const { result } = dev;
    await dev.tool("show_text");
    await dev.page.getByRole("textbox", { name: /^name/ }).fill("Grace");
    await dev.button("Call tool").click();
    await result.getByText("Hello, Grace.").waitFor();

    await dev.call("show_markdown");
    await result.getByRole("heading", { name: "Joints" }).waitFor();
    const link = result.getByRole("link", { name: "the docs" });
    expect(await link.getAttribute("href")).toBe("https://example.com/joints");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(await link.getAttribute("target")).toBe("_blank");
    await result.getByRole("group", { name: "View of Content 1" }).getByText("Text", { exact: true }).click();
    await result.getByText("A **tenon** fits").waitFor();

    await dev.call("show_json");
    const json = result.getByRole("tree", { name: "Structured content" });
    await json.getByText("oak").waitFor();

    await dev.call("show_table");
    const views = result.getByRole("group", { name: "View of Structured content" });
    await views.getByText("Table", { exact: true }).click();
    const table = result.getByRole("table");
    expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining("name"), expect.stringContaining("hardness")]),
    );
    await table.getByRole("cell", { name: "teak" }).waitFor();

    await dev.call("show_media");
    const image = result.getByRole("img", { name: "Image from the server (image/png)" });
    await image.waitFor();
    await expect
      .poll(() => image.evaluate(({ naturalWidth }: { naturalWidth?: number }) => naturalWidth))
      .toBe(1);
    const sound = result.locator("audio");
    await expect
      .poll(() => sound.evaluate(({ readyState = 0 }: { readyState?: number }) => readyState > 0))
      .toBe(true);
    expect(await sound.getAttribute("src")).toMatch(/^(?:data|blob):/);

    await dev.call("show_error");
    await result.getByText("The tool reports an error.").waitFor();
    await result.getByText("The saw is blunt.").waitFor();

    await dev.call("show_links");
    await result.getByText("Dry it for a week.").waitFor();
    await result.getByRole("button", { name: "Stock" }).click();
    await dev.page.getByRole("main", { name: "Resources" }).waitFor();
    await dev.page.getByRole("heading", { name: "stock" }).waitFor();
    expect(dev.foreignRequests(server.origin)).toEqual([]);
    expect(dev.complaints).toEqual([]);
  });

  test("are shown as a model sees them, with what the doctor found", async () => {
    const dev = await open("#/tools/bare/model");
    const pane = dev.page.getByRole("tabpanel");
    await pane.getByRole("group", { name: "Description", exact: true }).getByText("Bare").waitFor();
    const schema = await pane.getByRole("group", { name: "Input schema", exact: true }).innerText();
    expect(JSON.parse(schema)).toMatchObject({ type: "object", properties: { x: { type: "string" } } });
    const findings = pane.locator(".p-check");
    await expect.poll(() => findings.count()).toBeGreaterThan(0);
    expect(await findings.first().innerText()).toMatch(/descri/i);
    await dev.page
      .getByRole("treeitem", { name: /^bare/ })
      .getByText(/\d finding/)
      .waitFor();

    await dev.call("show_json");
    await dev.result.getByText("Structured content").waitFor();
    await dev.page.getByRole("tab", { name: "What the model sees" }).click();
    const content = dev.page.getByRole("region", { name: "content", exact: true });
    const structured = dev.page.getByRole("region", { name: "structuredContent", exact: true });
    await content.getByText("oak").first().waitFor();
    await structured.getByText("oak").first().waitFor();
    await dev.page.getByRole("group", { name: "Output schema", exact: true }).getByText('"sizes"').waitFor();
    await dev.page
      .getByText(/^\d+ of [\d,]+ tokens$/)
      .first()
      .waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("look good, light and dark", async () => {
    const dev = await open();
    await dev.tool("show_table");
    await dev.page.getByRole("textbox", { name: /^hardness/ }).fill("5.85");
    // An earlier test may have called the tool, and its result is shown until this call has ended.
    await dev.callAgain();
    const views = dev.result.getByRole("group", { name: "View of Structured content" });
    await views.getByText("Table", { exact: true }).click();
    await dev.result.getByRole("cell", { name: "oak" }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await dev.selectScheme(colorScheme);
      await dev.screenshot(`tools-${colorScheme}`);
    }
    await dev.goTo("#/tools/order_create");
    await dev.page.getByRole("form", { name: "Call order_create" }).waitFor();
    await dev.selectScheme("light");
    await dev.screenshot("tools-form");
    expect(await dev.overflow()).toEqual([]);
  });
});

async function optionOf(select: Locator, text: string): Promise<string | undefined> {
  return (await select.locator("option").allInnerTexts()).find((label) => label.includes(text));
}
