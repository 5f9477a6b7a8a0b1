import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AgentServerBuilder } from "../../src/builder.js";
import type { MessagesOf } from "../../src/client/messages-of.js";
import { defineMessage } from "../../src/messages/define-message.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { hangAfter, startAgent } from "../support/conversation/agents.js";
import { temporaryFolder } from "../support/socket/clients.js";
import { compileProgram } from "../../../../tools/compile-program.js";
import { joinAs, openProxy, outline, taskIn, until, untilOver } from "../support/client/clients.js";

const CHILD = fileURLToPath(new URL("../support/client/agent-child.ts", import.meta.url));

describe("conversations", () => {
  test("a message is sent, and the answer streams into the state", async () => {
    const { url } = await startAgent({ answers: [["Hello, ", "Ada", "!"]] });
    const client = await joinAs(url);
    const texts: string[] = [];
    client.subscribe(({ open }) => {
      const last = [...open.values()].at(-1)?.messages.at(-1);
      if (last?.type === "message") texts.push(last.data.message);
    });
    const { taskId, updateTime } = await client.send("Hi, I am Ada");
    const task = await untilOver(client, taskId);
    expect(outline(task)).toEqual(["userSendMessage: Hi, I am Ada", "message: Hello, Ada!"]);
    expect(task.messages[0]).toMatchObject({ data: { updateTime } });
    expect(task).toMatchObject({ status: "idle", lastReason: "answered", title: "Hi, I am Ada" });
    expect(texts[0]?.length).toBeLessThan("Hello, Ada!".length);
    expect(client.state.tasks).toMatchObject([{ taskId, title: "Hi, I am Ada" }]);
  });

  test("tool calls are shown", async () => {
    const shout = defineTool({
      name: "shout",
      description: "Shouts",
      whenToUse: "Always",
      params: [{ name: "text", optional: false, description: "" }],
      useExamples: [],
      approval: "auto",
      invoke: ({ params }) => Promise.resolve({ message: "Shouted", toolResult: params.text.toUpperCase() }),
    });
    const { url } = await startAgent({
      answers: [["<shout><text>hi</text></shout>"], ["Done"]],
      tools: [shout],
    });
    const client = await joinAs(url);
    const { taskId } = await client.send("Shout hi");
    const { messages } = await untilOver(client, taskId);
    expect(messages.find(({ type }) => type === "tool")).toMatchObject({
      data: { toolName: "shout", params: { text: "hi" }, toolResult: "HI", status: "done" },
    });
  });

  test("a run is interrupted and resumed", async () => {
    const { url } = await startAgent({ answers: [hangAfter("One, "), ["two"]] });
    const client = await joinAs(url);
    const { taskId } = await client.send("Count");
    await until(client, ({ open }) => open.get(taskId)?.messages.length === 2);
    await client.interrupt(taskId);
    expect(await untilOver(client, taskId)).toMatchObject({ status: "aborted", lastReason: "interrupted" });
    await expect(client.interrupt(taskId)).rejects.toMatchObject({
      code: "rejected",
      message: /not running/,
    });
    expect(outline(taskIn(client, taskId)).some((line) => line.startsWith("error"))).toBe(false);
    await client.resume(taskId);
    expect(taskIn(client, taskId).isRunning).toBe(true);
    expect(outline(await untilOver(client, taskId)).at(-1)).toBe("message: two");
  });

  test("two clients watch one task and see the same", async () => {
    const { url } = await startAgent({ answers: [["First"], hangAfter("Sec", "ond")] });
    const [ada, bob] = [await joinAs(url), await joinAs(url)];
    const { taskId } = await ada.send("One");
    await untilOver(ada, taskId);
    expect(outline(await bob.open(taskId))).toEqual(["userSendMessage: One", "message: First"]);
    await bob.send("Two", { taskId });
    const isSecond = ({ open }: (typeof ada)["state"]) => {
      const last = open.get(taskId)?.messages.at(-1);
      return last?.type === "message" && last.data.message === "Second";
    };
    await Promise.all([until(ada, isSecond), until(bob, isSecond)]);
    expect(outline(taskIn(ada, taskId))).toEqual(outline(taskIn(bob, taskId)));
    await ada.interrupt(taskId);
    expect(outline(await untilOver(bob, taskId))).toEqual(outline(await untilOver(ada, taskId)));
  });

  test("tasks are listed, searched, renamed, and deleted", async () => {
    const { url } = await startAgent({ answers: [["Meow"], ["Woof"]] });
    const client = await joinAs(url);
    const cats = await client.send("About cats");
    await untilOver(client, cats.taskId);
    const dogs = await client.send("About dogs");
    await untilOver(client, dogs.taskId);
    const first = await client.list({ limit: 1 });
    expect(first.tasks).toMatchObject([{ taskId: dogs.taskId }]);
    const second = await client.list({ limit: 1, cursor: first.nextCursor });
    expect(second.tasks).toMatchObject([{ taskId: cats.taskId }]);
    expect((await client.list({ search: "meow" })).tasks.map(({ taskId }) => taskId)).toEqual([cats.taskId]);
    await expect(client.list({ cursor: "nonsense" })).rejects.toMatchObject({ code: "rejected" });
    await expect(client.list({ limit: 0 })).rejects.toMatchObject({ code: "rejected" });
    await client.rename(cats.taskId, "Felines");
    expect(taskIn(client, cats.taskId).title).toBe("Felines");
    await client.delete(cats.taskId);
    expect([...client.state.open.keys()]).toEqual([dogs.taskId]);
    await until(client, ({ tasks }) => tasks.length === 1);
    await expect(client.open(cats.taskId)).rejects.toMatchObject({
      code: "rejected",
      message: /does not exist/,
    });
    expect([...client.state.open.keys()]).toEqual([dogs.taskId]);
  });

  test("registered messages have the types of the server", async () => {
    const note = defineMessage({
      type: "note",
      dataSchema: z.object({ text: z.string() }),
      handler: ({ text }, reply) => reply({ type: "note", data: { text: text.toUpperCase() } }),
    });
    const server = new AgentServerBuilder().storagePath(temporaryFolder()).registerMessage(note).build();
    const { url } = await server.start({ port: 0 });
    onTestFinished(() => server.stop());
    const client = await joinAs<MessagesOf<typeof server>>(url);
    const answered = new Promise<string>((resolve) => {
      client.on("note", ({ text }) => resolve(text));
    });
    expect(client.post("note", { text: "hello" })).toBe(true);
    expect(await answered).toBe("HELLO");
  });

  test("a message that is too large is rejected, and the client stays usable", async () => {
    const { url } = await startAgent({ answers: [["ok"]] });
    const client = await joinAs(url);
    const data = Buffer.alloc(2_000_000).toString("base64");
    const files = [{ mediaType: "image/png", data }];
    await expect(client.send("See", { files })).rejects.toMatchObject({
      code: "rejected",
      message: /larger/,
    });
    const { taskId } = await client.send("Hi");
    expect(outline(await untilOver(client, taskId)).at(-1)).toBe("message: ok");
  });
});

describe("lost connections", () => {
  test("a client that loses its connection during a stream continues with the whole text", async () => {
    const gates = [1, 2, 3].map(createGate);
    const agent = await startAgent({
      answers: [
        async function* () {
          yield "part0 ";
          for (const [index, gate] of gates.entries()) {
            await gate.opened;
            yield `missed${index} `;
            yield `part${index + 1} `;
          }
          yield "end";
        },
      ],
    });
    const proxy = await openProxy(agent.port);
    const client = await joinAs(proxy.url);
    const states: string[] = [];
    client.subscribe(({ connection }) => void (states.at(-1) === connection || states.push(connection)));
    const { taskId } = await client.send("Go");
    for (const [index, gate] of gates.entries()) {
      const isSeen = ({ open }: typeof client.state) =>
        JSON.stringify(open.get(taskId)?.messages).includes(`part${index} `);
      await until(client, (state) => state.connection === "open" && isSeen(state));
      proxy.cut();
      await until(client, ({ connection }) => connection === "reconnecting");
      gate.open();
    }
    const text = "part0 missed0 part1 missed1 part2 missed2 part3 end";
    await until(
      client,
      ({ connection, open }) => connection === "open" && open.get(taskId)?.isRunning === false,
    );
    expect(outline(taskIn(client, taskId))).toEqual(["userSendMessage: Go", `message: ${text}`]);
    expect(states.filter((state) => state === "reconnecting").length).toBeGreaterThanOrEqual(3);
  });

  test("a server that is killed during a stream and restarted: the client continues, and the task is resumed", async () => {
    const storage = temporaryFolder();
    const start = async (port: string, answer: string) => {
      const child = spawn(process.execPath, [compileProgram(CHILD), storage, port, answer], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      const [line] = (await once(child.stdout, "data")) as [Buffer];
      return { child, url: line.toString().trim() };
    };
    const first = await start("0", "A long answer. ".repeat(5_000));
    const client = await joinAs(first.url);
    const { taskId } = await client.send("Go");
    await until(client, ({ open }) => open.get(taskId)?.messages.length === 2);
    const closed = once(first.child, "close");
    first.child.kill("SIGKILL");
    await closed;
    await until(client, ({ connection }) => connection === "reconnecting");
    await start(new URL(first.url).port, "Back again.");
    await until(
      client,
      ({ connection, open }) => connection === "open" && open.get(taskId)?.status === "aborted",
    );
    expect(taskIn(client, taskId).messages[0]).toMatchObject({
      type: "userSendMessage",
      data: { message: "Go" },
    });
    await client.resume(taskId);
    const task = await untilOver(client, taskId);
    expect(task.status).toBe("idle");
    expect(outline(task)).toEqual(["userSendMessage: Go", "message: Back again."]);
  });
});

/** Creates a promise that the test resolves. */
function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
