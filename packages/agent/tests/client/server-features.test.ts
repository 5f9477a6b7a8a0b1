import { describe, expect, onTestFinished, test } from "vitest";
import { AgentServerBuilder } from "../../src/builder.js";
import { createScriptedModel } from "../../src/models/scripted-model.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { startAgent } from "../support/conversation/agents.js";
import { startServer } from "../support/socket/clients.js";
import { joinAs, openProxy, outline, taskIn, until, untilOver } from "../support/client/clients.js";

describe("messages that are sent twice", () => {
  test("a message whose ack was lost is stored once", async () => {
    const agent = await startAgent({ answers: [["Once"], ["Twice"]] });
    const proxy = await openProxy(agent.port);
    const client = await joinAs(proxy.url);
    proxy.isDeaf = true;
    const sent = client.send("Hello");
    await expect.poll(() => agent.asked.length).toBe(1);
    proxy.isDeaf = false;
    proxy.cut();
    const { taskId } = await sent;
    await until(client, ({ open }) => open.get(taskId)?.messages.length === 2);
    expect(outline(await untilOver(client, taskId))).toEqual(["userSendMessage: Hello", "message: Once"]);
    expect(agent.asked).toHaveLength(1);
  });
});

describe("tokens", () => {
  const token = "a-token-of-20-letters";

  test("the client sends its token first, and a wrong one is rejected", async () => {
    const { url } = await startServer(undefined, { token });
    const client = await joinAs(url, { token });
    expect((await client.list()).tasks).toEqual([]);
    await expect(joinAs(url, { token: "another-token-of-20" })).rejects.toMatchObject({
      code: "unauthorized",
    });
  });

  test("a token function yields a new token once", async () => {
    const { url } = await startServer(undefined, { token });
    const tokens = ["an-expired-token-of-20", token];
    const client = await joinAs(url, { token: () => tokens.shift() ?? "" });
    expect(client.state.connection).toBe("open");
  });

  test("users see their own tasks, and the state tells who is connected", async () => {
    const server = new AgentServerBuilder()
      .storagePath((await startAgent({})).storage)
      .model(createScriptedModel(["Hi"]))
      .build();
    const { url } = await server.start({
      port: 0,
      users: { identify: (given) => (given === undefined ? undefined : { id: given }) },
    });
    onTestFinished(() => server.stop());
    const [ada, bob] = [await joinAs(url, { token: "ada" }), await joinAs(url, { token: "bob" })];
    expect(ada.state.user).toEqual({ id: "ada", canWrite: true });
    const { taskId } = await ada.send("Secret");
    await untilOver(ada, taskId);
    await expect(bob.open(taskId)).rejects.toMatchObject({ message: `Task "${taskId}" does not exist.` });
    expect((await bob.list()).tasks).toEqual([]);
  });
});

describe("approvals and usage", () => {
  const erase = (runs: string[]) =>
    defineTool({
      name: "erase",
      description: "Erases a file",
      whenToUse: "To erase",
      params: [{ name: "path", optional: false, description: "" }],
      useExamples: [],
      approval: "ask",
      invoke: ({ params }) => {
        runs.push(params.path);
        return Promise.resolve({ message: "Erased", toolResult: "ok" });
      },
    });
  const call = ["<erase><path>a.txt</path></erase>"];

  test("a call waits for approval, which any client can give", async () => {
    const runs: string[] = [];
    const { url } = await startAgent({ answers: [call, ["Erased it"]], tools: [erase(runs)] });
    const [ada, bob] = [await joinAs(url), await joinAs(url)];
    const { taskId } = await ada.send("Erase a.txt");
    expect(await untilOver(ada, taskId)).toMatchObject({ status: "waiting", lastReason: "approval" });
    const { approvals } = await bob.open(taskId);
    expect(approvals).toMatchObject([{ toolName: "erase", params: { path: "a.txt" }, status: "waiting" }]);
    expect(runs).toEqual([]);
    const [approval] = approvals;
    if (approval === undefined) throw new Error("There is no approval.");
    await bob.decide(approval, "approve");
    await until(ada, ({ open }) => open.get(taskId)?.lastReason === "answered");
    expect(taskIn(ada, taskId).approvals).toEqual([]);
    expect(runs).toEqual(["a.txt"]);
    await expect(ada.decide(approval, "deny")).rejects.toMatchObject({ code: "rejected" });
  });

  test("a denied call does not run", async () => {
    const runs: string[] = [];
    const { url } = await startAgent({ answers: [call, ["Too bad"]], tools: [erase(runs)] });
    const client = await joinAs(url);
    const { taskId } = await client.send("Erase a.txt");
    await until(client, ({ open }) => open.get(taskId)?.approvals.length === 1);
    await untilOver(client, taskId);
    const [approval] = taskIn(client, taskId).approvals;
    if (approval !== undefined) await client.decide(approval, "deny", "Keep it");
    await until(client, ({ open }) => open.get(taskId)?.lastReason === "answered");
    expect(runs).toEqual([]);
    expect(taskIn(client, taskId).messages.find(({ type }) => type === "approval")).toMatchObject({
      data: { status: "denied", reason: "Keep it" },
    });
  });

  test("the usage of the task is known, also after it is loaded again", async () => {
    const usage = { inputTokens: 10, outputTokens: 5 };
    const { url } = await startAgent({ answers: [["Hi", { finish: { reason: "stop", usage } }]] });
    const client = await joinAs(url);
    const { taskId } = await client.send("Hello");
    expect((await untilOver(client, taskId)).usage).toMatchObject(usage);
    expect((await (await joinAs(url)).open(taskId)).usage).toMatchObject(usage);
  });
});
