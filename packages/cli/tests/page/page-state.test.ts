import { describe, expect, test, vi } from "vitest";
import { toNodeHandler } from "tenon/node";
import type { Era } from "tenon/protocol";
import { startDev } from "../support/dev/dev-run.js";
import { inspectAt, serveHttp } from "../support/page/inspected.js";
import { PageClient } from "../support/page/page-client.js";
import { createShop } from "../support/page/shop.js";

async function openShop() {
  const origin = await serveHttp(toNodeHandler(createShop()));
  const { client, page } = await inspectAt(`${origin}/mcp`);
  await client.connectedTwice();
  return { client, page };
}

const ERAS: readonly Era[] = ["legacy", "modern"];

describe("subscriptions", () => {
  test("are part of the state, also of a page that is opened later", async () => {
    const { client, page } = await openShop();
    await client.command("subscribe", { uri: "shop://menu", isOn: true });
    await client.command("subscribe", { uri: "shop://other", isOn: true });
    await client.command("subscribe", { uri: "shop://other", isOn: false });
    await vi.waitFor(() =>
      expect(client.all("subscriptions").map(({ uris }) => uris)).toEqual([
        ["shop://menu"],
        ["shop://menu", "shop://other"],
        ["shop://menu"],
      ]),
    );
    const later = await PageClient.open(page.urlAt(client.origin));
    expect(later.last("subscriptions")?.uris).toEqual(["shop://menu"]);
  });
});

describe("validation of an answer", () => {
  test.each(ERAS)("uses the schema of the question in the %s era", async (era) => {
    const { client } = await openShop();
    await client.command("call", { tool: "order", arguments: {}, era });
    const { id } = await client.question();
    const validate = (answer: Record<string, unknown>) =>
      client.command("validate", { question: id, answer });
    expect(await validate({ street: "Elm" })).toEqual({ problems: [] });
    expect(await validate({})).toEqual({ problems: [{ path: ["street"], message: "A value is required." }] });
    expect(await validate({ street: 1 })).toEqual({
      problems: [{ path: ["street"], message: "Must be a string." }],
    });
    await client.command("answer", { id, answer: { action: "decline" } });
    await expect(validate({})).rejects.toThrow("404 This question has been answered or cancelled.");
  });

  test("accepts every answer to a question without a schema", async () => {
    const { client } = await openShop();
    await client.command("call", { tool: "folders", arguments: {}, era: "modern" });
    const { id } = await client.question();
    expect(await client.command("validate", { question: id, answer: { roots: 1 } })).toEqual({
      problems: [],
    });
  });
});

describe("phases", () => {
  test("of a task show the time in which it has worked, and the time of the user", async () => {
    const { client } = await openShop();
    const { id } = await client.command("call", { tool: "render", arguments: {}, era: "modern" });
    const { id: question } = await client.question();
    await client.command("answer", {
      id: question,
      answer: { action: "accept", content: { paper: "A4" } },
    });
    const { phases, ms = 0 } = await client.call(id);
    const names = phases.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["handler", "user"]));
    for (const { start, end } of phases) expect([start >= 0, end <= ms]).toEqual([true, true]);
  });

  test.each(ERAS)("of a cancelled call of `tenon dev` show its handler in the %s era", async (era) => {
    const { program } = startDev({ "server.ts": WAITING });
    const page = await PageClient.open((await program.next("started")).page ?? "");
    await page.connectedTwice();
    const { id } = await page.command("call", { tool: "wait", arguments: {}, era });
    await page.until(() => page.all("log").find(({ entry }) => entry.text === "waiting"), "a line");
    await page.command("cancel", { id });
    // The process reports the phases after the call has ended.
    const { phases, ms = 0 } = await page.call(
      id,
      (call) => call.outcome === "cancelled" && call.phases.some(({ name }) => name === "handler"),
    );
    expect(phases.every(({ start, end }) => start >= 0 && end <= ms)).toBe(true);
    const length = (wanted: string) =>
      phases.filter(({ name }) => name === wanted).reduce((sum, { start, end }) => sum + end - start, 0);
    expect(length("handler")).toBeGreaterThan(length("queue"));
  });
});

const WAITING = `
import { defineServer } from "tenon";
export default defineServer({ name: "shop", version: "1.0.0" }).tool("wait", {
  handler: (_args, call) => {
    console.log("waiting");
    return new Promise((_resolve, reject) => call.signal.addEventListener("abort", () => reject(call.signal.reason)));
  },
});
`;
