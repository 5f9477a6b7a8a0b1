import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CLIENTS, type OpenedClient, WIRES } from "./support/sdk-clients.js";
import { SDK_SERVERS } from "./support/sdk-servers.js";
import { NEWS, SDK_INFO } from "./support/sdk-tools.js";

const cases = Object.entries(SDK_SERVERS).flatMap(([server, make]) =>
  Object.entries(WIRES).flatMap(([wire, open]) =>
    Object.entries(CLIENTS).map(([client, kind]) => ({ server, wire, client, make, open, kind })),
  ),
);

describe.each(cases)("Z11, Z12: $server on $wire, $client", ({ make, open, kind }) => {
  let opened: OpenedClient;
  const call = (name: string, args = {}, options = {}) => opened.client.callTool(name, args, options);
  const heard = (method: string) => opened.client.notifications.filter((one) => one["method"] === method);

  beforeAll(async () => {
    opened = await open(make, kind);
  });

  afterAll(async () => {
    await opened.client.close();
    await opened.stop();
    expect(opened.made.map(({ closed }) => closed())).toEqual([true]);
  });

  test("starts with initialize", () => {
    expect(opened.client.revision).toBe("2025-11-25");
    expect(opened.client.serverVersion).toEqual(SDK_INFO);
    expect(opened.client.capabilities).toMatchObject({ tools: { listChanged: true }, logging: {} });
  });

  test("tools return structured content that the client validates", async () => {
    await opened.client.toolPages();
    expect(await call("add", { a: 2, b: 3 })).toEqual({
      content: [{ type: "text", text: '{"sum":5}' }],
      structuredContent: { sum: 5 },
    });
    expect(opened.client.validations).toEqual([true]);
  });

  test("an error keeps its code", async () => {
    await expect(opened.client.getPrompt("nothing", {})).rejects.toMatchObject({ code: -32601 });
  });

  test("a tool asks the user and the client's model", async () => {
    const [asked, thought] = await Promise.all([call("ask"), call("think")]);
    expect(asked).toMatchObject({ content: [{ text: '{"action":"accept","content":{"name":"Ada"}}' }] });
    expect(thought).toMatchObject({ content: [{ text: "parrot" }] });
  });

  test("sends progress before the response", async () => {
    const steps: unknown[] = [];
    expect(await call("count", {}, { onprogress: (step: unknown) => steps.push(step) })).toMatchObject({
      content: [{ text: "counted" }],
    });
    expect(steps).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });

  test("sends log messages and change notifications", async () => {
    await opened.client.setLoggingLevel("debug");
    await call("chatter");
    await opened.client.watch(NEWS);
    await call("touch");
    await call("grow");
    await vi.waitFor(() => {
      expect(heard("notifications/message")).toMatchObject([{ params: { level: "info", data: "a step" } }]);
      expect(heard("notifications/resources/updated")).toMatchObject([{ params: { uri: NEWS } }]);
      expect(heard("notifications/tools/list_changed")).toHaveLength(1);
    });
    expect(await call("grown")).toMatchObject({ content: [{ text: "here" }] });
  });

  test("a cancelled call stops", async () => {
    const controller = new AbortController();
    const waiting = call("wait", {}, { signal: controller.signal, onprogress: () => controller.abort() });
    await expect(waiting).rejects.toThrow();
    expect(await call("aborted")).toMatchObject({ content: [{ text: "one" }] });
  });

  test("has its session ID", async () => {
    const { content } = (await call("who")) as unknown as { content: [{ text: string }] };
    expect(JSON.parse(content[0].text)).toMatchObject({ session: true });
  });

  test("the client reports no errors", () => {
    expect(opened.client.errors).toEqual([]);
  });
});
