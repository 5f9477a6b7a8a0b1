/**
 * @fileoverview Scenarios for calls in flight, run over every transport: messages before the reply, requests to the
 * client, and cancellation.
 * @module tests/support/contract/transport-live-scenarios
 */
import { expect } from "vitest";
import { META } from "tenon/protocol";
import type { TransportClient } from "./transport-client.js";
import { isLegacy, isModern, type Scenario, scenario, textOf, textResult } from "./transport-scenario.js";

/** Calls `chatter` with a log level for that request. Returns the log messages that it sends. */
async function logsOf(client: TransportClient, level?: string): Promise<readonly unknown[]> {
  const before = client.notifications.length;
  const _meta = level === undefined ? {} : { _meta: { [META.logLevel]: level } };
  await client.request("tools/call", { name: "chatter", arguments: {}, ..._meta });
  return client.notifications
    .slice(before)
    .filter(({ method }) => method === "notifications/message")
    .map(({ params }) => params);
}

const LOGS = [
  { level: "debug", data: "a detail" },
  { level: "info", data: { step: "a step" }, logger: "steps" },
  { level: "warning", data: "a doubt ✓" },
  { level: "error", data: "a fault" },
];

/** Waits until `count` calls have been aborted, then returns them. */
function abortedCalls(client: TransportClient, count: number): Promise<unknown> {
  return textOf(client.call("aborted", { count }));
}

/** Starts a call that never ends, and cancels it after its first progress notification. */
async function cancelOne(client: TransportClient, text: string): Promise<unknown> {
  const controller = new AbortController();
  const call = client.call(
    "wait",
    { text },
    { signal: controller.signal, onProgress: () => controller.abort(new Error(`${text} aborted`)) },
  );
  return call.then(
    () => "answered",
    (error: unknown) => (error as Error).message,
  );
}

/** Scenarios for messages before the reply, requests to the client, and cancellation. */
export const LIVE_SCENARIOS: readonly Scenario[] = [
  scenario(
    "progress arrives before the reply and only increases",
    async (client) => {
      const steps: unknown[] = [];
      const result = await client.call("count", {}, { onProgress: (step) => void steps.push(step) });
      return { steps, result };
    },
    ({ steps, result }, traits) => {
      const message = (text: string) => (traits.progressMessages ? { message: text } : {});
      expect(steps).toEqual([
        { progress: 1, total: 3, ...message("one") },
        { progress: 2, total: 3, ...message("two") },
        { progress: 3, total: 3 },
      ]);
      expect(result).toEqual(textResult("counted", traits));
    },
  ),
  scenario(
    "no progress is sent without a progress token",
    async (client) => {
      const before = client.notifications.length;
      await client.call("count");
      return client.notifications.slice(before);
    },
    (seen) => expect(seen).toEqual([]),
  ),
  scenario(
    "log messages below the connection's level are not sent",
    async (client) => {
      const first = await logsOf(client);
      await client.request("logging/setLevel", { level: "warning" });
      const fewer = await logsOf(client);
      await client.request("logging/setLevel", { level: "debug" });
      return { first, fewer, all: await logsOf(client) };
    },
    (seen) => expect(seen).toEqual({ first: LOGS.slice(1), fewer: LOGS.slice(2), all: LOGS }),
    isLegacy,
  ),
  scenario(
    "log messages below the request's level are not sent, and none are sent without a level",
    async (client) => ({
      none: await logsOf(client),
      some: await logsOf(client, "warning"),
      all: await logsOf(client, "debug"),
    }),
    (seen) => expect(seen).toEqual({ none: [], some: LOGS.slice(2), all: LOGS }),
    isModern,
  ),
  scenario(
    "a tool requests input from the user",
    (client) => textOf(client.call("ask")),
    (text, { formElicitation }) => {
      expect(text).toBe(formElicitation ? "Hello, Ada" : "The client does not support elicitation.");
    },
  ),
  scenario(
    "a user can decline a request for input",
    (client) => textOf(client.call("ask", { message: "May I?" })),
    (text, { formElicitation }) => {
      expect(text).toBe(formElicitation ? "decline" : "The client does not support elicitation.");
    },
  ),
  scenario(
    "a tool requests sampling from the client",
    async (client) => JSON.parse(String(await textOf(client.call("think")))) as unknown,
    (seen) => {
      expect(seen).toEqual({
        role: "assistant",
        model: "parrot",
        content: { type: "text", text: "Thought: Think" },
      });
    },
  ),
  scenario(
    "a tool requests the roots",
    (client) => textOf(client.call("places")),
    (text) => expect(text).toBe("file:///home/ada file:///tmp"),
  ),
  scenario(
    "a tool sends multiple requests to the client concurrently",
    (client) => textOf(client.call("ask_all")),
    (text, { formElicitation }) => {
      expect(text).toBe(
        formElicitation ? "Hello, Ada, parrot, 2" : "The client does not support elicitation.",
      );
    },
  ),
  scenario(
    "concurrent calls each receive their own reply",
    (client) =>
      Promise.all([
        textOf(client.call("ask")),
        ...Array.from({ length: 20 }, (_, index) => textOf(client.call("echo", { text: `call ${index}` }))),
        textOf(client.call("places")),
      ]),
    (texts) => {
      expect(texts.slice(1, -1)).toEqual(Array.from({ length: 20 }, (_, index) => `call ${index}`));
    },
  ),
  scenario(
    "a cancelled call is aborted and receives no reply",
    async (client) => ({
      first: await cancelOne(client, "first"),
      second: await cancelOne(client, "second"),
      aborted: await abortedCalls(client, 2),
    }),
    (seen) => {
      expect(seen).toEqual({ first: "first aborted", second: "second aborted", aborted: "first second" });
    },
  ),
];
