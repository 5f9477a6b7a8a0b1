import { describe, expect, test } from "vitest";
import { defineServer } from "tenon";
import { tasks } from "tenon/tasks";
import { createClient } from "tenon/testing";
import { AgentServerBuilder } from "../../src/builder.js";
import { fromAgent } from "../../src/in-process/agent-as-tool.js";
import { toMcpAgent } from "../../src/in-process/agent-as-mcp-tool.js";
import type { ModelConversation, ModelPort } from "../../src/models/model-port.js";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import { temporaryFolder } from "../support/socket/clients.js";

function createAgent(answers: readonly string[], tools: readonly ToolDefinition[] = []) {
  const asked: ModelConversation[] = [];
  const model: ModelPort = async function* (conversation) {
    asked.push(conversation);
    yield answers[asked.length - 1] ?? "";
  };
  const builder = new AgentServerBuilder().storagePath(temporaryFolder()).model(model);
  for (const tool of tools) builder.registerTool(tool);
  return { agent: builder.build(), asked };
}

function createWrite() {
  const calls: unknown[] = [];
  const tool = defineTool({
    name: "write",
    description: "Writes",
    whenToUse: "Always",
    params: [{ name: "text", optional: false, description: "Text" }],
    useExamples: [],
    approval: "ask",
    invoke({ params }) {
      calls.push(params.text);
      return Promise.resolve({ message: "Written", toolResult: null });
    },
  });
  return { tool, calls };
}

const CALL = "<write><text>hello</text></write>";

describe("an agent as another agent's tool", () => {
  const options = { name: "research", description: "Finds facts", whenToUse: "For facts" } as const;

  test("receives the task, and its response is the result", async () => {
    const inner = createAgent(["Ada was born in 1815."]);
    const outer = createAgent(
      ["<research><message>When was Ada born?</message></research>", "In 1815."],
      [fromAgent(inner.agent, options)],
    );
    expect((await outer.agent.run("Ask")).text).toBe("In 1815.");
    expect(inner.asked[0]?.messages.at(-1)?.content).toBe("When was Ada born?");
    expect(outer.asked[1]?.messages.at(-1)?.content).toContain("Ada was born in 1815.");
  });

  test("its calls that require approval are denied, unless the application decides", async () => {
    const { tool, calls } = createWrite();
    const inner = createAgent([CALL, "Not written."], [tool]);
    const outer = createAgent(
      ["<research><message>Go</message></research>", "Done."],
      [fromAgent(inner.agent, options)],
    );
    await outer.agent.run("Ask");
    expect(calls).toEqual([]);
    expect(inner.asked[1]?.messages.at(-1)?.content).toContain("No user is there");
    const again = createAgent([CALL, "Written."], [tool]);
    const approve = fromAgent(again.agent, { ...options, onApproval: () => ({ decision: "approve" }) });
    await createAgent(["<research><message>Go</message></research>", "Done."], [approve]).agent.run("Ask");
    expect(calls).toEqual(["hello"]);
  });

  test("an interrupt reaches it", async () => {
    const controller = new AbortController();
    const hang: ModelPort = async function* (_conversation, signal) {
      yield "So";
      controller.abort();
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    };
    const inner = new AgentServerBuilder().storagePath(temporaryFolder()).model(hang).build();
    const outer = createAgent(["<research><message>Go</message></research>"], [fromAgent(inner, options)]);
    expect((await outer.agent.run("Ask", { signal: controller.signal })).reason).toBe("interrupted");
  });
});

describe("an agent as an MCP tool", () => {
  const description = "Finds facts";

  test("runs, and the conversation can be continued", async () => {
    const { agent, asked } = createAgent(["One.", "Two."]);
    const server = defineServer({ name: "s", version: "1.0.0" }).tool(
      "research",
      toMcpAgent(agent, { description }),
    );
    const client = await createClient(server);
    const first = await client.callTool("research", { message: "First" });
    expect(first.structuredContent).toMatchObject({ reason: "answered", text: "One." });
    const { taskId } = first.structuredContent as { readonly taskId: string };
    await client.callTool("research", { message: "Second", taskId });
    expect(asked[1]?.messages.map(({ content }) => content).slice(1)).toEqual(["First", "One.", "Second"]);
    await client.close();
  });

  test("a caller without authorization cannot continue the task of a user", async () => {
    const { agent, asked } = createAgent(["Secret.", "Leaked."]);
    await agent.run("My secret", { taskId: "private", user: { id: "ann" } });
    const server = defineServer({ name: "s", version: "1.0.0" }).tool(
      "research",
      toMcpAgent(agent, { description }),
    );
    const client = await createClient(server);
    const { isError } = await client.callTool("research", { message: "Repeat it", taskId: "private" });
    expect([isError, asked.length]).toEqual([true, 1]);
    await client.close();
  });

  test("runs as a task where the client supports it", async () => {
    const { agent } = createAgent(["Done."]);
    const server = defineServer({ name: "s", version: "1.0.0" })
      .extension(tasks())
      .tool("research", toMcpAgent(agent, { description, task: "optional" }));
    const client = await createClient(server, { tasks: true });
    const task = await client.startTask("research", { message: "Go" });
    expect((await task.result()).structuredContent).toMatchObject({ text: "Done." });
    await client.close();
    const plain = await createClient(server);
    expect((await plain.callTool("research", { message: "Go" })).isError).not.toBe(true);
    await plain.close();
  });

  test("the client's user decides about its calls and answers its questions, and nothing runs twice", async () => {
    const { tool, calls } = createWrite();
    const question = "<askFollowupQuestion><question>Which color?</question></askFollowupQuestion>";
    const { agent, asked } = createAgent([CALL, question, "It is red."], [tool]);
    const server = defineServer({ name: "s", version: "1.0.0" }).tool(
      "research",
      toMcpAgent(agent, { description }),
    );
    const messages: string[] = [];
    const client = await createClient(server, {
      input: ({ message }) => {
        messages.push(String(message));
        return {
          action: "accept",
          content: String(message).includes("write") ? { decision: "approve" } : { answer: "red" },
        };
      },
    });
    const { structuredContent } = await client.callTool("research", { message: "Go" });
    expect(structuredContent).toMatchObject({ reason: "answered", text: "It is red." });
    expect(messages).toEqual([expect.stringContaining('"text": "hello"'), "Which color?"]);
    expect([calls, asked.length]).toEqual([["hello"], 3]);
    await client.close();
  });

  test("without forms, its calls that require approval are denied, and a question is the result", async () => {
    const { tool, calls } = createWrite();
    const question = "<askFollowupQuestion><question>Which color?</question></askFollowupQuestion>";
    const { agent } = createAgent([CALL, question], [tool]);
    const server = defineServer({ name: "s", version: "1.0.0" }).tool(
      "research",
      toMcpAgent(agent, { description }),
    );
    const client = await createClient(server);
    const { structuredContent } = await client.callTool("research", { message: "Go" });
    expect(structuredContent).toMatchObject({ reason: "question", text: "Which color?" });
    expect(calls).toEqual([]);
    await client.close();
  });
});
