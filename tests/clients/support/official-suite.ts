/**
 * @fileoverview Test suite that runs with every official client, over any transport.
 * @module tests/clients/support/official-suite
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { META, type Revision, TRAITS } from "tenon/protocol";
import { NEWS } from "../../support/contract/transport-server.js";
import type { OfficialClient } from "../../../tools/official-clients/official-client.js";

/** Connected client, and a function that stops its server. */
export interface Opened {
  readonly client: OfficialClient;
  readonly stop?: () => Promise<unknown>;
}

/** Runs the suite with a client. The client must negotiate the given revision. */
export function describeOfficialClient(title: string, revision: Revision, open: () => Promise<Opened>): void {
  describe(title, { timeout: 60_000 }, () => {
    const { stateless } = TRAITS[revision];
    let opened: Opened;
    let client: OfficialClient;

    beforeAll(async () => {
      opened = await open();
      ({ client } = opened);
    }, 20_000);

    afterAll(async () => {
      await client.close();
      await opened.stop?.();
    });

    test(`T49: negotiates ${revision} and reads the server's description`, () => {
      expect(client.revision).toBe(revision);
      expect(client.serverVersion).toEqual({ name: "contract", version: "1.2.3" });
      expect(client.instructions).toBe("Call what you like.");
      expect(client.capabilities).toEqual({
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      });
    });

    test("T49: lists tools page by page", async () => {
      expect(await client.toolPages()).toEqual([
        ["echo", "add", "squares", "refuse", "crash"],
        ["count", "chatter", "ask", "think", "places"],
        ["ask_all", "wait", "aborted", "grow", "touch"],
        ["end_subscriptions", "deploy", "steps", "slow", "give_word"],
        ["hang_up"],
      ]);
    });

    test("T49: lists and reads resources", async () => {
      expect(await client.resources()).toEqual([NEWS, "contract://dot"]);
      expect(await client.templates()).toEqual(["contract://weather/{city}{?unit}"]);
      expect(await client.readResource(NEWS)).toEqual([
        { uri: NEWS, mimeType: "text/plain", text: "Nothing new ✓" },
      ]);
      expect(await client.readResource("contract://weather/Oslo")).toEqual([
        { uri: "contract://weather/Oslo", text: "Oslo: 21 C" },
      ]);
      await expect(client.readResource("contract://nowhere")).rejects.toMatchObject({
        code: stateless ? -32602 : client.notFoundCode,
      });
    });

    test("T49: gets and completes prompts", async () => {
      expect(await client.prompts()).toEqual(["pack", "plain"]);
      expect(await client.getPrompt("pack", { city: "Riga", days: "3" })).toEqual([
        { role: "user", content: { type: "text", text: "What do I pack for 3 days in Riga?" } },
      ]);
      expect(await client.complete("pack", "city", "R")).toEqual(["Riga", "Rome"]);
    });

    test("T49: calls tools and receives their errors", async () => {
      expect(await textOf(client.callTool("echo", { text: "Grüße 🌍" }))).toBe("Grüße 🌍");
      expect(await client.callTool("refuse")).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "Not found" }],
      });
      expect(await client.callTool("echo", { text: 1 })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Validation failed: text: /) }],
      });
      await expect(client.callTool("nothing")).rejects.toMatchObject({ code: stateless ? -32602 : -32601 });
    });

    test("T49: validates structured output without errors", async () => {
      await client.toolPages();
      const before = client.validations.length;
      expect(await client.callTool("add", { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } });
      expect(await client.callTool("squares", { upTo: 3 })).toMatchObject({
        structuredContent: stateless ? [1, 4, 9] : { result: [1, 4, 9] },
      });
      expect(client.validations.slice(before)).toEqual([true, true]);
    });

    test("T49: responds to requests for input, sampling, and roots", async () => {
      expect(await textOf(client.callTool("ask"))).toBe("Hello, Ada");
      expect(JSON.parse(String(await textOf(client.callTool("think"))))).toEqual({
        role: "assistant",
        model: "parrot",
        content: { type: "text", text: "a thought" },
      });
      expect(await textOf(client.callTool("places"))).toBe("file:///home/ada");
      expect(await textOf(client.callTool("ask_all"))).toBe("Hello, Ada, parrot, 1");
    });

    test("T49: receives progress", async () => {
      const steps: unknown[] = [];
      const onprogress = (step: unknown) => {
        steps.push(step);
        void client.callTool("give_word");
      };
      expect(await textOf(client.callTool("steps", {}, { onprogress }))).toBe("stepped");
      expect(steps).toEqual([
        { progress: 1, total: 3, message: "one" },
        { progress: 2, total: 3, message: "two" },
        { progress: 3, total: 3, message: "three" },
      ]);
    });

    test("T49: cancels a call, which aborts the handler", async () => {
      const controller = new AbortController();
      const call = client.callTool(
        "wait",
        { text: "for-ever" },
        { signal: controller.signal, onprogress: () => controller.abort("enough") },
      );
      await expect(call).rejects.toThrow("enough");
      expect(await textOf(client.callTool("aborted", { count: 1 }))).toBe("for-ever");
    });

    test("T49: receives log messages at or above the level that it set", async () => {
      const levels = async (level: "debug" | "warning") => {
        const before = client.notifications.length;
        if (!stateless) await client.setLoggingLevel(level);
        await client.callTool("chatter", {}, stateless ? { meta: { [META.logLevel]: level } } : {});
        const heard = () => client.notifications.slice(before).map(({ params }) => params);
        const count = level === "debug" ? 4 : 2;
        await vi.waitFor(() => expect(heard()).toHaveLength(count), WAIT);
        return heard().map((params) => (params as { level: string }).level);
      };
      expect(await levels("warning")).toEqual(["warning", "error"]);
      expect(await levels("debug")).toEqual(["debug", "info", "warning", "error"]);
    });

    test("T49: receives change notifications until it unsubscribes", async () => {
      const heard = (method: string) => client.notifications.filter((one) => one["method"] === method);
      const updates = () => heard("notifications/resources/updated");
      const stop = await client.watch(NEWS);
      await client.callTool("touch", { uri: NEWS });
      await vi.waitFor(() => expect(updates()).toMatchObject([{ params: { uri: NEWS } }]), WAIT);
      await client.callTool("grow");
      await vi.waitFor(() => expect(heard("notifications/tools/list_changed")).toHaveLength(1), WAIT);
      expect(await textOf(client.callTool("grown"))).toBe("here I am");
      await stop();
      await client.callTool("touch", { uri: NEWS });
      await client.callTool("echo", { text: "still there" });
      expect(updates()).toHaveLength(1);
    });

    test("T49: reports no errors", () => {
      expect(client.errors).toEqual([]);
    });
  });
}

const WAIT = { timeout: 60_000, interval: 5 };

/** Returns the text of a call's result. */
export async function textOf(call: Promise<object>): Promise<unknown> {
  const { content } = (await call) as { readonly content: readonly { readonly text?: string }[] };
  return content[0]?.text;
}
