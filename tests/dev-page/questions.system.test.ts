import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-page.js";
import { openDevPage } from "./support/dev-page.js";
import { DevServer } from "./support/dev-server.js";

const ERAS = ["Modern", "Legacy"] as const;

describeInBrowser("questions, tasks, and figures on the development page", () => {
  let server: DevServer;
  const open = (hash = "") => openDevPage(server.pageUrl, { hash });

  beforeAll(async () => {
    server = await DevServer.start("workshop-server");
  });

  afterAll(async () => {
    await server.close();
  });

  test.each(ERAS)("elicitation, sampling, and roots are answered by hand in the %s era", async (era) => {
    const dev = await open();
    const panel = dev.page.getByRole("complementary", { name: "Question of the server" });
    await dev.selectEra(era);

    await dev.call("ask_color");
    await panel.getByText("Which color?").waitFor();
    await dev.screenshot(`question-${era.toLowerCase()}`);
    await panel.getByRole("button", { name: "Accept" }).click();
    // The answer is checked before it is sent.
    await panel
      .getByText(/problem/)
      .first()
      .waitFor();
    await panel
      .getByLabel(/^color/)
      .first()
      .selectOption({ label: "green" });
    await panel.getByRole("textbox", { name: /^coats/ }).fill("2");
    await panel.getByRole("button", { name: "Accept" }).click();
    await dev.result.getByText("2 × green").waitFor();
    await expect.poll(() => panel.count()).toBe(0);

    await dev.call("ask_color");
    await panel.getByRole("button", { name: "Later" }).click();
    await panel.getByRole("button", { name: "Answer", exact: true }).click();
    await panel.getByRole("button", { name: "Decline" }).click();
    await dev.result.getByText("decline", { exact: true }).waitFor();

    await dev.call("ask_payment");
    const link = panel.getByRole("link", { name: /Open pay\.example\.com/ });
    expect(await link.getAttribute("href")).toBe("https://pay.example.com/7");
    await panel.getByRole("button", { name: "Accept" }).click();
    await dev.result.getByText("accept", { exact: true }).waitFor();

    await dev.call("ask_model");
    await panel.getByText("You sell chairs.").waitFor();
    await panel.getByText("Write a slogan.").waitFor();
    await panel.getByRole("textbox", { name: "Response" }).fill("Sit well.");
    await panel.getByRole("button", { name: "Send the response" }).click();
    await dev.result.getByText("Sit well.").first().waitFor();

    await dev.call("ask_roots");
    await panel.getByText("Roots are folders").waitFor();
    if ((await panel.getByRole("textbox", { name: "URI of root 1" }).count()) === 0)
      await panel.getByRole("button", { name: "Add a root" }).click();
    await panel.getByRole("textbox", { name: "URI of root 1" }).fill("file:///home/ada");
    await panel.getByRole("button", { name: "Send the list" }).click();
    await dev.result.getByText("file:///home/ada").first().waitFor();
    expect(dev.requests.filter((url) => url.includes("example.com"))).toEqual([]);
    expect(dev.complaints).toEqual([]);
  });

  test("several questions are in their own area, each with its call", async () => {
    const dev = await open();
    await dev.call("ask_color");
    await dev.page.getByText("Which color?").first().waitFor();
    await dev.call("ask_payment");
    await dev.page.getByText("2 open questions").first().waitFor();
    expect(await dev.page.title()).toMatch(/^\(2\) /);
    await dev.area("Questions");
    const cards = dev.page.getByRole("article");
    await expect.poll(() => cards.count()).toBe(2);
    await cards.getByRole("link", { name: "Call of ask_color" }).waitFor();
    await cards.filter({ hasText: "Which color?" }).getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => cards.count()).toBe(1);
    await cards.getByRole("button", { name: "Decline" }).click();
    await dev.page.getByText("No open questions").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("a task shows its state and its question, and ends with the answer or a cancellation", async () => {
    const dev = await open();
    await dev.call("glue");
    await dev.page.getByText("Which clamp?").first().waitFor();
    await dev.area("Activity");
    const tasks = dev.page.getByRole("article", { name: /^Task / });
    await tasks.getByText("Needs an answer").waitFor();
    await tasks.getByText("glue", { exact: true }).waitFor();
    await tasks.getByRole("link", { name: "Answer the question" }).click();
    const card = dev.page.getByRole("article").filter({ hasText: "Which clamp?" });
    await card.getByRole("textbox", { name: /^clamp/ }).fill("bar clamp");
    await card.getByRole("button", { name: "Accept" }).click();
    await dev.area("Activity");
    await tasks.getByText("Completed").waitFor();
    await tasks.getByRole("link", { name: "Open the call" }).click();
    await dev.page.getByText("Held by bar clamp").first().waitFor();

    await dev.call("glue");
    await dev.page.getByText("Which clamp?").first().waitFor();
    await dev.area("Activity");
    await tasks.getByRole("button", { name: "Cancel" }).click();
    await tasks.getByText("Cancelled").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("sessions, streams, and limits are live", async () => {
    const dev = await open("#/activity");
    const figures = dev.page.getByRole("region", { name: "Figures" });
    const sessions = figures.getByRole("group", { name: "Connected clients" });
    await sessions.getByRole("row").nth(1).waitFor();
    expect((await sessions.innerText()).toLowerCase()).toContain("legacy");
    await figures.getByRole("group", { name: "Open streams" }).getByText("Modern").first().waitFor();
    await figures.getByText("Memory", { exact: false }).first().waitFor();
    const gauges = figures.locator(".p-gauge");
    expect(await gauges.count()).toBeGreaterThan(3);
    await expect.poll(() => figures.locator(".p-gauge svg").count()).toBeGreaterThan(0);

    // A client that connects appears, and leaves when it closes its session.
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "visitor", version: "1" },
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const response = await fetch(server.endpoint, { method: "POST", headers, body });
    await response.text();
    await sessions.getByText("visitor").waitFor();
    const id = response.headers.get("mcp-session-id") ?? "";
    await fetch(server.endpoint, { method: "DELETE", headers: { ...headers, "mcp-session-id": id } });
    await expect.poll(() => sessions.getByText("visitor").count()).toBe(0);
    await dev.screenshot("activity");
    expect(dev.complaints).toEqual([]);
  });

  test("the log has the output of the code and the messages of the server, with filters", async () => {
    const dev = await open("#/log");
    const level = dev.page.getByLabel("Level that the server sends");
    await level.selectOption({ label: "Server sends debug" });
    await dev.call("talk");
    await dev.result.getByText("done").waitFor();
    await dev.area("Log");
    const log = dev.page.getByRole("listbox", { name: "Log" });
    for (const line of ["printed line", "quiet line", "info line", "error line"])
      await log.getByText(line).first().waitFor();
    // The level is kept while another area is shown.
    expect(await level.locator("option:checked").innerText()).toBe("Server sends debug");
    await dev.page.getByLabel("Least severe level").selectOption({ label: "error or worse" });
    await expect.poll(() => log.getByText("info line").count()).toBe(0);
    await log.getByText("error line").first().click();
    await dev.page.getByRole("region", { name: "Selected line" }).getByText("error line").waitFor();
    await dev.page.getByLabel("Least severe level").selectOption({ label: "All levels" });
    await dev.page.getByLabel("Search the log").fill("printed");
    await expect.poll(() => log.getByText("error line").count()).toBe(0);
    await log.getByText("printed line").first().waitFor();
    const [download] = await Promise.all([dev.page.waitForEvent("download"), dev.button("Save").click()]);
    expect(download.suggestedFilename()).toBe("log.txt");
    await dev.page.getByLabel("Search the log").fill("");
    await dev.screenshot("log");
    expect(dev.complaints).toEqual([]);
  });

  test("resources are read, subscribed to, and completed", async () => {
    const dev = await open("#/resources");
    const list = dev.page.getByRole("listbox", { name: "Resources" });
    await list.getByRole("option", { name: /guide/ }).click();
    await dev.button("Read").click();
    await dev.page.getByRole("heading", { name: "Joints" }).waitFor();

    await list.getByRole("option", { name: /stock/ }).click();
    await dev.button("Read").click();
    const contents = dev.page.locator(".p-detail__body");
    const before = await contents.getByText(/^Stock: \d+$/).innerText();
    await dev.page.getByRole("switch", { name: "Tell me about changes" }).click();
    await expect
      .poll(() => dev.page.getByRole("switch", { name: "Tell me about changes" }).isChecked())
      .toBe(true);
    await dev.call("use_stock");
    await dev.result.getByText("OK").first().waitFor();
    await dev.area("Resources");
    await list.getByRole("option", { name: /stock/ }).getByText("updated").waitFor();
    await list.getByRole("option", { name: /stock/ }).click();
    await dev.page.getByText(/^The resource was updated at/).waitFor();
    await dev.button("Read again").click();
    await expect.poll(() => contents.getByText(/^Stock: \d+$/).innerText()).not.toBe(before);
    await expect.poll(() => dev.page.getByText(/^The resource was updated at/).count()).toBe(0);

    await list.getByRole("option", { name: /wood/ }).click();
    const box = dev.page.getByRole("combobox", { name: /^name/ });
    await box.fill("t");
    await dev.page.getByRole("option", { name: "teak" }).click();
    expect(await box.inputValue()).toBe("teak");
    await dev.page.getByText("workshop://wood/teak").first().waitFor();
    await dev.button("Read").click();
    await contents.getByText("4.7").first().waitFor();
    await dev.page.getByLabel("Search resources").fill("guide");
    await dev.page.getByText("1 resource found").waitFor();
    expect(dev.complaints).toEqual([]);
  });

  test("prompts have completed arguments, and their messages are rendered", async () => {
    const dev = await open("#/prompts/advise");
    await dev.button("Get prompt").click();
    await dev.page.getByText("A value is required.").waitFor();
    const box = dev.page.getByRole("combobox", { name: /^wood/ });
    await box.fill("a");
    await dev.page.getByRole("option", { name: "ash" }).waitFor();
    await box.press("ArrowDown");
    await box.press("Enter");
    expect(await box.inputValue()).toBe("ash");
    await dev.button("Get prompt").click();
    const messages = dev.page.locator(".p-message");
    await expect.poll(() => messages.count()).toBe(2);
    expect(await messages.locator(".p-message__role").allInnerTexts()).toEqual(["user", "assistant"]);
    // The text is Markdown.
    await messages.first().locator("strong").getByText("ash").waitFor();
    await dev.screenshot("prompt");
    expect(dev.complaints).toEqual([]);
  });
});
