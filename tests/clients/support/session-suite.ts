/**
 * @fileoverview Test suite for an official client's HTTP session: termination and reconnection.
 * @module tests/clients/support/session-suite
 */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OfficialClient } from "../../../tools/official-clients/official-client.js";
import { textOf } from "./official-suite.js";
import { type HttpServing, RETRY_MS, serveHttp } from "./serving.js";

/** The members of a client's HTTP transport that the suite uses. */
export interface SessionTransport {
  readonly sessionId?: string | undefined;
  terminateSession(): Promise<void>;
}

/** Connects a client whose transport sends every request with `send`. */
export type ConnectSession = (
  endpoint: URL,
  send: typeof fetch,
) => Promise<{ readonly client: OfficialClient; readonly transport: SessionTransport }>;

/** Runs the suite with a client. */
export function describeSession(title: string, connect: ConnectSession): void {
  describe(title, { timeout: 60_000 }, () => {
    let serving: HttpServing;
    let transport: SessionTransport;
    let client: OfficialClient;
    /** `Last-Event-ID` header of every stream that the client opened. */
    let resumedFrom: (string | null)[];

    beforeEach(async () => {
      serving = await serveHttp();
      resumedFrom = [];
      ({ client, transport } = await connect(serving.endpoint, (url, init) => {
        const { method, headers } = new Request(url, init);
        if (method === "GET") resumedFrom.push(headers.get("last-event-id"));
        return fetch(url, init);
      }));
    });

    afterEach(async () => {
      await client.close();
      await serving.close();
    });

    test("T49: is not found after the client has terminated it", async () => {
      const { sessionId = "" } = transport;
      expect(sessionId).toMatch(/^[\w-]{20,}$/);
      const ping = () =>
        fetch(serving.endpoint, {
          method: "POST",
          headers: { "content-type": "application/json", "mcp-session-id": sessionId },
          body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        });
      expect(await (await ping()).json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
      await transport.terminateSession();
      expect(transport.sessionId).toBeUndefined();
      expect((await ping()).status).toBe(404);
    });

    test("T49: a call survives a broken stream and sends its result on the next one", async () => {
      const steps: unknown[] = [];
      const call = client.callTool("slow", {}, { onprogress: (step) => void steps.push(step) });
      await vi.waitFor(() => expect(steps).toEqual([{ progress: 1, total: 2 }]), WAIT);
      serving.httpServer?.closeAllConnections();
      // One is the GET stream, and the other belongs to the call.
      await vi.waitFor(() => expect(resumedFrom.filter((id) => id !== null)).toHaveLength(2), WAIT);
      await client.callTool("give_word");
      expect(await textOf(call)).toBe("ended at last");
      expect(steps).toEqual([
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ]);
    });

    test("T49: a call that closes its stream is resumed without loss or duplicates", async () => {
      const steps: unknown[] = [];
      const call = client.callTool("hang_up", {}, { onprogress: (step) => void steps.push(step) });
      expect(await textOf(call)).toBe("the rest");
      expect(steps).toEqual([
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ]);
      expect(resumedFrom.filter((id) => id !== null)).toHaveLength(1);
    });

    test("T49: a client does not reconnect forever after it cancels a call", async () => {
      const controller = new AbortController();
      const options = { signal: controller.signal, onprogress: () => controller.abort("enough") };
      await expect(client.callTool("wait", { text: "for-ever" }, options)).rejects.toThrow("enough");
      // Long enough for many reconnects with the server's retry delay.
      await delay(20 * RETRY_MS);
      expect(resumedFrom.length).toBeLessThanOrEqual(2);
      await client.callTool("grow");
      await delay(10 * RETRY_MS);
      expect(client.notifications.map(({ method }) => method)).toEqual([
        "notifications/tools/list_changed",
        "notifications/resources/list_changed",
        "notifications/prompts/list_changed",
      ]);
    });

    test("T49: the GET stream is reopened after a disconnect and sends missed events", async () => {
      const heard = () => client.notifications.map(({ method }) => method);
      serving.server.update((editor) => editor.prompt("first", { handler: () => "first" }));
      await vi.waitFor(() => expect(heard()).toEqual(["notifications/prompts/list_changed"]), WAIT);
      serving.httpServer?.closeAllConnections();
      serving.server.update((editor) => editor.tool("second", { handler: () => "second" }));
      await vi.waitFor(() => expect(heard()).toHaveLength(2), WAIT);
      expect(heard()).toEqual(["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
      expect(resumedFrom).toEqual([null, expect.any(String)]);
    });
  });
}

const WAIT = { timeout: 60_000, interval: 5 };
