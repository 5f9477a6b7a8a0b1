import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.js";
import { FAINT, NAMELESS, OVERHANG } from "./audit.js";
import { launch, openChat, startTestAgent } from "./browser.js";
import { createStage, PAUSE } from "./stage.js";

const found = await findChromium();
if (found.path === undefined) {
  process.stderr.write(`Skipped the agent's page in a real browser: ${found.reason}\n`);
}

const HOSTILE = `<img src=x onerror="document.title='owned'">`;
/** The page's content security policy blocks the browser driver's polling, so the tests poll themselves. */
const POLL = { timeout: 20_000 };
const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

const ANSWERS = {
  "Tell me": `The first half of it,${PAUSE} and the second half.`,
  "Note it": `<think>Better to write it down.</think>I will.
<write_note><title>Oak joints</title><text>Mark the shoulders with a knife.${PAUSE}
A third of the thickness is a good tongue.${PAUSE}
Try it dry, then glue.</text></write_note>`,
  Wait: "<count_down><from>60</from><interval>5000</interval></count_down>",
  Wrong: "<calculate><left>1</left><operator>/</operator><right>0</right></calculate>",
  Hostile: `Look: ${HOSTILE}\n<write_note><title>${HOSTILE}</title><text>**${HOSTILE}**</text></write_note>`,
  Wide: `${"W".repeat(400)}\n\n\`\`\`\nconst wide = "${"x".repeat(300)}";\n\`\`\`\n<write_note><title>${"T".repeat(200)}</title><text>${"y".repeat(500)}</text></write_note>`,
  Long: `${"A line of many.\n\n".repeat(60)}${PAUSE}${"And one more.\n\n".repeat(40)}The end.`,
  "Continue where you left off.": `I continue.${PAUSE} Now it is complete.`,
};

describe.skipIf(found.path === undefined)("the agent's page in a real browser", { timeout: 60_000 }, () => {
  let browser: Browser;
  const open = async (options = {}) => {
    const stage = createStage(ANSWERS);
    const agent = await startTestAgent(stage);
    const chat = await openChat(browser, agent.url, options);
    return { agent, chat, stage };
  };

  beforeAll(async () => {
    browser = await launch(found.path ?? "");
  }, 60_000);

  afterAll(async () => {
    await browser.close();
  });

  test("a response streams in, and a reload restores it, both while it streams and afterward", async () => {
    const { chat, stage } = await open();
    await chat.screenshot("desktop-welcome-light");
    await chat.say("Tell me");
    await chat.sees("The first half of it,");
    expect(await chat.page.locator(".message.streaming").count()).toBe(1);
    expect(await chat.said()).not.toContain("second");
    await chat.screenshots("desktop-streaming");
    await chat.box.fill("Too early");
    await chat.box.press("Enter");
    expect(await chat.box.inputValue()).toBe("Too early");
    await chat.page.reload();
    await chat.sees("The first half of it,");
    stage.proceed();
    await chat.sees("The first half of it, and the second half.");
    await chat.rests();
    const said = await chat.said();
    expect(said.split("\n").filter((line) => line !== "")).toEqual([
      "You:",
      "Tell me",
      "Agent:",
      "The first half of it, and the second half.",
    ]);
    await chat.page.reload();
    await chat.sees("The first half of it, and the second half.");
    expect(await chat.said()).toBe(said);
    expect(await chat.page.getByRole("heading", { level: 1 }).textContent()).toBe("Tell me");
    expect(await chat.page.locator("#tasks a[aria-current=page]").innerText()).toContain("Tell me");
    expect(chat.complaints).toEqual([]);
  });

  test("a tool card fills while the model writes the call, then shows the result", async () => {
    const { chat, stage } = await open();
    await chat.say("Note it");
    const card = chat.page.locator(".tool");
    const text = card.locator("dd").nth(1);
    await card.getByText("Mark the shoulders").waitFor();
    expect(await card.getAttribute("data-status")).toBe("writing");
    expect(await card.locator("dt").allTextContents()).toEqual(["title", "text"]);
    expect(await text.textContent()).not.toContain("A third");
    await chat.screenshots("desktop-tool-card");
    stage.proceed();
    await text.getByText("A third").waitFor();
    stage.proceed();
    await chat.page.locator(".completion").waitFor();
    await chat.rests();
    expect(await card.getAttribute("aria-label")).toBe("Tool write_note: Done");
    expect(await card.locator(".progress").textContent()).toBe('Saved "Oak joints"');
    expect(await card.locator(".outcome").textContent()).toBe('{"title":"Oak joints","words":20}');
    const thought = chat.page.locator("details.think");
    expect(await thought.locator(".rich").isVisible()).toBe(false);
    await thought.getByText("Thought").click();
    expect(await thought.locator(".rich").innerText()).toBe("Better to write it down.");
    await chat.say("Wrong");
    await chat.page.locator(".tool[data-status=failed] .trouble").getByText("Division by zero").waitFor();
    await chat.screenshots("desktop-finished");
    expect(chat.complaints).toEqual([]);
  });

  test("Escape stops a tool immediately, both clients see it stop, and either can resume", async () => {
    const { agent, chat, stage } = await open();
    await chat.say("Wait");
    await chat.page.locator(".tool .progress").getByText("60…").waitFor();
    const other = await openChat(browser, chat.page.url());
    await other.page.locator(".tool .progress").getByText("60…").waitFor();
    await other.box.press("Escape");
    for (const client of [chat, other]) {
      await client.page.locator(".tool[data-status=interrupted]").waitFor();
      await client.sees("Stopped.");
      await client.button("Resume").waitFor();
    }
    await chat.screenshot("desktop-stopped-light");
    await chat.say("Tell me");
    await other.sees("The first half of it,");
    await chat.button("Stop").click();
    await other.button("Resume").click();
    await chat.sees("I continue.");
    stage.proceed();
    for (const client of [chat, other]) {
      await client.sees("I continue. Now it is complete.");
      await client.rests();
    }
    expect(await other.said()).toBe(await chat.said());
    const late = await openChat(browser, chat.page.url());
    await late.sees("Now it is complete.");
    expect(await late.said()).toBe(await chat.said());
    expect(agent.url).toBe(new URL(chat.page.url()).origin);
    expect([...chat.complaints, ...other.complaints, ...late.complaints]).toEqual([]);
  });

  test("clicking a suggestion answers a question, and the suggestions disappear", async () => {
    const { chat } = await open({ colorScheme: "dark" });
    await chat.button("Ask me a question").click();
    await chat.page.getByRole("group", { name: "Suggested answers" }).waitFor();
    expect(await chat.box.getAttribute("placeholder")).toBe("Write your answer…");
    await chat.screenshot("desktop-question-dark");
    await chat.button("Ash").click();
    await chat.sees("I will use Ash");
    await chat.rests();
    expect(await chat.button("Ash").count()).toBe(0);
    expect(await chat.page.evaluate(FAINT)).toEqual([]);
    expect(await chat.page.evaluate(NAMELESS)).toEqual([]);
    expect(chat.complaints).toEqual([]);
  });

  test("subtasks are listed and link to their conversations and back", async () => {
    const { chat } = await open();
    await chat.say("In parts, please");
    const parts = chat.page.getByRole("region", { name: "Parts of the task" });
    await parts.getByText("Done").nth(2).waitFor();
    await chat.page.locator(".completion").waitFor();
    await chat.rests();
    await chat.screenshot("desktop-parts-light");
    await parts.getByRole("link", { name: "Write a note about mortises" }).click();
    await chat.page.locator(".tool").getByText("write_note").waitFor();
    await chat.page.getByRole("link", { name: "Back to the main task" }).click();
    await parts.waitFor();
    await chat.page.reload();
    await parts.getByText("Done").nth(2).waitFor();
    const kinds = "[...document.getElementById('items').children].map((item) => item.className)";
    expect(await chat.page.evaluate(kinds)).toEqual([
      "user",
      "message",
      "card tool",
      "card parts",
      "card completion",
    ]);
    expect(chat.complaints).toEqual([]);
  });

  test("hostile text stays text in messages, cards, and titles", async () => {
    const { chat } = await open();
    await chat.say("Hostile");
    await chat.page.locator(".completion").waitFor();
    await chat.rests();
    await chat.say(HOSTILE);
    await chat.rests();
    expect(await chat.said()).toContain(`Look: ${HOSTILE}`);
    expect(await chat.page.locator(".tool dd").allTextContents()).toEqual([HOSTILE, `**${HOSTILE}**`]);
    expect(await chat.page.locator("img, script:not([src])").count()).toBe(0);
    expect(await chat.page.title()).toBe("Hostile · Tenon agent");
    expect(chat.complaints).toEqual([]);
  });

  test("nothing overflows on a phone, and the list is a drawer", async () => {
    const { chat, stage } = await open(PHONE);
    await chat.screenshot("phone-welcome-light");
    await chat.say("Wide");
    await chat.page.locator(".completion").waitFor();
    await chat.rests();
    expect(await chat.page.evaluate(OVERHANG)).toBeLessThanOrEqual(0);
    await chat.say("Note it");
    await chat.page.locator(".tool").nth(1).getByText("Mark the shoulders").waitFor();
    await chat.screenshot("phone-tool-card-light");
    stage.proceed();
    stage.proceed();
    await chat.page.locator(".completion").nth(1).waitFor();
    await chat.rests();
    expect(await chat.page.evaluate(OVERHANG)).toBeLessThanOrEqual(0);
    await chat.screenshot("phone-finished-light");
    expect(await chat.page.locator("#sidebar").getAttribute("inert")).toBe("");
    await chat.button("Conversations").click();
    await chat.page.getByRole("link", { name: /^Wide/ }).waitFor();
    await chat.screenshot("phone-drawer-light");
    await chat.page.keyboard.press("Escape");
    expect(await chat.button("Conversations").getAttribute("aria-expanded")).toBe("false");
    expect(await chat.page.evaluate(NAMELESS)).toEqual([]);
    expect(await chat.page.evaluate(FAINT)).toEqual([]);
    expect(chat.complaints).toEqual([]);
  });

  test("scrolling up stops automatic scrolling", async () => {
    const { chat, stage } = await open();
    const top = () => chat.page.evaluate<number>("document.getElementById('scroller').scrollTop");
    await chat.say("Long");
    await expect.poll(top, POLL).toBeGreaterThan(1_000);
    await chat.page.locator("#scroller").hover();
    await chat.page.mouse.wheel(0, -100_000);
    await chat.button("Latest").waitFor();
    await expect.poll(top, POLL).toBe(0);
    stage.proceed();
    await chat.page.locator("#items").getByText("The end.").waitFor();
    await chat.rests();
    expect(await top()).toBe(0);
    await chat.button("Latest").click();
    await chat.button("Latest").waitFor({ state: "hidden" });
    expect(await top()).toBeGreaterThan(1_000);
    expect(chat.complaints).toEqual([]);
  });

  test("a lost connection loses neither the conversation nor the draft", async () => {
    const { agent, chat, stage } = await open();
    stage.proceed();
    await chat.say("Tell me");
    await chat.sees("and the second half.");
    await chat.rests();
    await chat.box.fill("Typed before");
    await agent.stop();
    await chat.page.getByText("Reconnecting…").waitFor();
    await chat.box.press("Enter");
    expect(await chat.box.inputValue()).toBe("Typed before");
    expect(await chat.page.locator(".user").count()).toBe(1);
    await chat.screenshot("desktop-reconnecting-light");
    await agent.restart();
    await chat.connected();
    await chat.sees("and the second half.");
    await chat.page.reload();
    await chat.sees("and the second half.");
    expect(await chat.box.inputValue()).toBe("Typed before");
    await chat.box.press("Enter");
    await chat.sees("Typed before");
    await chat.rests();
    expect(await chat.box.inputValue()).toBe("");
    expect(chat.complaints.filter((text) => !/WebSocket connection to/.test(text))).toEqual([]);
  });

  test("each conversation has its own draft, which is restored when the user returns", async () => {
    const { chat, stage } = await open({ colorScheme: "dark" });
    stage.proceed();
    await chat.say("Tell me");
    await chat.sees("and the second half.");
    await chat.rests();
    await chat.box.fill("two\nlines");
    await chat.button("New conversation").click();
    await chat.page.getByRole("heading", { name: "How can I help?" }).waitFor();
    await chat.screenshot("desktop-welcome-dark");
    expect(await chat.box.inputValue()).toBe("");
    await chat.box.pressSequentially("one");
    await chat.box.press("Shift+Enter");
    await chat.box.pressSequentially("two");
    expect(await chat.box.inputValue()).toBe("one\ntwo");
    await chat.page.goBack();
    await chat.sees("and the second half.");
    expect(await chat.box.inputValue()).toBe("two\nlines");
    await chat.page.goto(`${new URL(chat.page.url()).origin}/#nobody-knows-it`);
    await chat.sees('Task "nobody-knows-it" does not exist.');
    expect(chat.complaints).toEqual([]);
  });
});
