import type { JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import { describe, expect, test, vi } from "vitest";
import { readEvents } from "../../../../tests/support/http-events.js";
import { modernCall, modernPost, openSession } from "../../../../tests/support/http-messages.js";
import { lastMessage, serveDev, SIGNALS, textOf } from "../support/dev/dev-run.js";

const asking = (version: number) => `
import { defineServer, form } from "tenon";
import { z } from "zod";
export default defineServer({ name: "asking", version: "1.0.0" }).tool("ask", {
  handler: async (_args, call) => {
    const answer = await call.input("name", form({ message: "Name? ${version}", schema: z.object({ name: z.string() }) }));
    return answer.action === "accept" ? answer.content.name + " ${version}" : answer.action;
  },
});`;

const accept = (name: string) => ({ action: "accept", content: { name } });

describe("across a reload", () => {
  test("answers in a session go to the code that asked", async () => {
    const { endpoint, save } = await serveDev({ "server.ts": asking(1) });
    const client = await openSession(endpoint, { capabilities: { elicitation: {} } });
    const old = readEvents(await client.call("ask", {}, "old"));
    const first = await old.message();
    expect(first).toMatchObject({ method: "elicitation/create", params: { message: "Name? 1" } });
    await save(asking(2));
    const next = readEvents(await client.call("ask", {}, "next"));
    const second = await next.message();
    expect(second).toMatchObject({ method: "elicitation/create", params: { message: "Name? 2" } });
    expect(second["id"]).not.toBe(first["id"]);
    const answer = async (question: JsonObject, result: JsonObject) =>
      (await client.post({ jsonrpc: "2.0", id: question["id"], result })).text();
    await answer(second, accept("Bob"));
    expect(await next.message()).toMatchObject({ id: "next", result: { content: [{ text: "Bob 2" }] } });
    await answer(first, accept("Ann"));
    expect(await old.message()).toMatchObject({ id: "old", result: { content: [{ text: "Ann 1" }] } });
  });

  test("an error response of the client reaches the code that asked", async () => {
    const { endpoint, save, program } = await serveDev({ "server.ts": asking(1) });
    const client = await openSession(endpoint, { capabilities: { elicitation: {} } });
    const old = readEvents(await client.call("ask", {}, "old"));
    const question = await old.message();
    await save(asking(2));
    const error = { code: -32_000, message: "no user" };
    await (await client.post({ jsonrpc: "2.0", id: question["id"], error })).text();
    expect(await old.message()).toMatchObject({
      id: "old",
      result: { isError: true, content: [{ text: "The client rejected the request." }] },
    });
    await vi.waitFor(() => expect(program.calls.at(-1)).toMatchObject({ outcome: "tool-error" }));
  });

  test("a stateless call that waits for input continues on the new code", async () => {
    const { endpoint, save } = await serveDev({ "server.ts": asking(1) });
    const capabilities = { elicitation: { form: {} } };
    const { result } = (await lastMessage(endpoint.fetch(modernCall("ask", {}, { capabilities })))) as {
      readonly result: { readonly requestState: string; readonly inputRequests: JsonObject };
    };
    expect(result.inputRequests).toHaveProperty("name");
    await save(asking(2));
    const params = {
      name: "ask",
      arguments: {},
      requestState: result.requestState,
      inputResponses: { name: accept("Ann") },
    };
    expect(await textOf(endpoint.fetch(modernPost("tools/call", params, { capabilities })))).toBe("Ann 2");
  });

  const cancellable = (version: number) => `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "cancellable", version: "1.0.${version}" }).tool("wait", {
  handler: (_args, call) => new Promise((resolve) => {
    signal("waiting");
    call.signal.addEventListener("abort", () => { signal("aborted"); resolve("aborted"); });
  }),
});`;

  test("a cancellation in a session reaches the old code", async () => {
    const { endpoint, save, signalled, program } = await serveDev({ "server.ts": cancellable(1) });
    const client = await openSession(endpoint);
    const response = client.call("wait", {}, "slow");
    await signalled("waiting");
    await save(cancellable(2));
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow" } };
    await (await client.post(cancelled)).text();
    await signalled("aborted");
    expect(await (await response).text()).not.toContain("result");
    await vi.waitFor(() =>
      expect(program.calls.at(-1)).toMatchObject({ name: "wait", outcome: "cancelled" }),
    );
  });

  test("a stateless client that disconnects cancels its call on the old code", async () => {
    const { endpoint, save, signalled } = await serveDev({ "server.ts": cancellable(1) });
    const controller = new AbortController();
    const response = endpoint.fetch(modernCall("wait", {}, { signal: controller.signal }));
    await signalled("waiting");
    await save(cancellable(2));
    controller.abort();
    await expect(response).rejects.toThrow();
    await signalled("aborted");
  });
});

describe("subscriptions/listen", () => {
  const source = (version: number, more = "") => `
import { defineServer } from "tenon";
const server = defineServer({ name: "listened", version: "1.0.0" })
  .resource("news", { uri: "text://news", handler: () => "news ${version}" })
  .tool("touch", { handler: () => { server.resourceUpdated("text://news"); return "touched ${version}"; } })
  ${more}
  .build();
export default server;`;

  test("continues over reloads and a crash, with one acknowledgement", async () => {
    const { endpoint, save, program } = await serveDev({ "server.ts": source(1) });
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["text://news"] };
    const stream = readEvents(
      await endpoint.fetch(modernPost("subscriptions/listen", { notifications }, { id: "sub" })),
    );
    const marked = { _meta: { [META.subscriptionId]: "sub" } };
    expect(await stream.message()).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: marked,
    });
    await save(source(2, `.tool("second", { handler: () => "2" })`));
    const listChanged = { method: "notifications/tools/list_changed", params: marked };
    const updated = { method: "notifications/resources/updated", params: { uri: "text://news", ...marked } };
    expect(await stream.message()).toMatchObject(listChanged);
    expect(await stream.message()).toMatchObject(updated);
    expect(await textOf(endpoint.fetch(modernCall("touch")))).toBe("touched 2");
    expect(await stream.message()).toMatchObject(updated);

    await save(source(3, `.tool("crash", { handler: () => process.exit(7) })`));
    expect(await stream.message()).toMatchObject(listChanged);
    expect(await stream.message()).toMatchObject(updated);
    expect(await textOf(endpoint.fetch(modernCall("crash")))).toContain("exited with code 7");
    await program.next("crashed");
    expect(await textOf(endpoint.fetch(modernCall("touch")))).toBe("touched 3");
    expect(await stream.message()).toMatchObject(updated);

    await program.stop();
    expect(await stream.message()).toMatchObject({ id: "sub", result: {} });
  });
});
