import { describe, expect, test } from "vitest";
import { AgentServerBuilder } from "../../src/builder.js";
import type { AgentHooks } from "../../src/hooks/hooks.js";
import type { ModelConversation, ModelPort } from "../../src/models/model-port.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { temporaryFolder } from "../support/socket/clients.js";

/** Creates a server with hooks. Its model calls the tool once and then ends. */
function createServer(hooks: AgentHooks) {
  const asked: ModelConversation[] = [];
  const calls: unknown[] = [];
  const model: ModelPort = async function* (conversation) {
    asked.push(conversation);
    yield asked.length === 1 ? "<note><text>hello</text></note>" : "Done.";
  };
  const note = defineTool({
    name: "note",
    description: "Notes a text",
    whenToUse: "Always",
    params: [{ name: "text", optional: false, description: "Text" }],
    useExamples: [],
    invoke({ params }) {
      calls.push(params);
      return Promise.resolve({ message: "Noted: secret", toolResult: { password: "secret" } });
    },
  });
  const server = new AgentServerBuilder()
    .storagePath(temporaryFolder())
    .model(model)
    .hooks(hooks)
    .registerTool(note)
    .build();
  return { server, asked, calls };
}

/** Runs a task with hooks. */
async function run(hooks: AgentHooks) {
  const { server, asked, calls } = createServer(hooks);
  const events: unknown[] = [];
  const result = await server.run("Go", { onEvent: (event) => events.push(event) });
  return { ...result, asked, calls, events: JSON.stringify(events) };
}

describe("hooks", () => {
  test("see every call, in order", async () => {
    const seen: string[] = [];
    const { reason } = await run({
      beforeModel: ({ purpose, conversation }) =>
        void seen.push(`${purpose} ${conversation.messages.length}`),
      afterModel: ({ text, toolNames }) => void seen.push(`responded "${text}" ${toolNames.join()}`),
      beforeTool: ({ toolName, params }) => void seen.push(`${toolName} ${JSON.stringify(params)}`),
      afterTool: ({ message, isError }) => void seen.push(`${message} ${isError}`),
    });
    expect(reason).toBe("answered");
    expect(seen).toEqual([
      "respond 2",
      'responded "" note',
      'note {"text":"hello"}',
      "Noted: secret false",
      "respond 4",
      'responded "Done." ',
    ]);
  });

  test("can change the conversation, the parameters, and the result", async () => {
    const { asked, calls, events } = await run({
      beforeModel: ({ conversation }) => ({
        conversation: {
          ...conversation,
          messages: [...conversation.messages, { role: "user", content: "extra" }],
        },
      }),
      beforeTool: () => ({ params: { text: "changed" } }),
      afterTool: () => ({ message: "Noted", toolResult: null }),
    });
    expect(asked[0]?.messages.at(-1)?.content).toBe("extra");
    expect(calls).toEqual([{ text: "changed" }]);
    expect(asked[1]?.messages.at(-2)?.content).toBe("Noted");
    expect(events).not.toContain("secret");
  });

  test("can block a model call, which ends the run", async () => {
    const { reason, problem, asked } = await run({ beforeModel: () => ({ block: "Closed on Sundays." }) });
    expect([reason, problem, asked.length]).toEqual(["blocked", "Closed on Sundays.", 0]);
  });

  test("can end the run after a response", async () => {
    const { reason, calls } = await run({ afterModel: () => ({ block: "Enough." }) });
    expect([reason, calls.length]).toEqual(["blocked", 0]);
  });

  test("can block a tool call, and the model receives the reason", async () => {
    const { reason, calls, asked } = await run({ beforeTool: () => ({ block: "Not this one." }) });
    expect([reason, calls.length]).toEqual(["answered", 0]);
    expect(asked[1]?.messages.at(-1)?.content).toBe("Blocked: Not this one.");
  });

  test("parameters that a hook makes invalid are not passed to the tool", async () => {
    const { calls, asked } = await run({ beforeTool: () => ({ params: {} }) });
    expect(calls).toEqual([]);
    expect(asked[1]?.messages.at(-1)?.content).toContain("parameter validation failed");
  });

  test.each(["beforeTool", "afterTool"] as const)(
    "if `%s` throws, the call fails and nothing leaks",
    async (name) => {
      const { reason, events, asked } = await run({
        [name]: () => {
          throw new Error("internal detail");
        },
      });
      expect(reason).toBe("answered");
      expect(events).not.toMatch(/internal detail|secret/);
      expect(asked[1]?.messages.at(-1)?.content).toMatch(/hook failed/);
    },
  );

  test("if `beforeModel` throws, the run ends with an error that does not leak", async () => {
    const { reason, problem } = await run({
      beforeModel() {
        throw new Error("internal detail");
      },
    });
    expect([reason, problem]).toEqual(["error", "The model failed because of an internal error."]);
  });
});

describe("hooks and open calls", () => {
  test("a call whose response `afterModel` blocked is not run by `resume`", async () => {
    const { server, calls } = createServer({
      afterModel: ({ toolNames }) => (toolNames.length > 0 ? { block: "No." } : undefined),
    });
    const { taskId, reason } = await server.run("Go");
    expect(reason).toBe("blocked");
    expect((await server.resume(taskId)).reason).toBe("answered");
    expect(calls).toEqual([]);
  });

  test.each(["beforeModel", "afterModel", "beforeTool", "afterTool"] as const)(
    "an interrupt ends a run whose hook `%s` never responds",
    async (name) => {
      const controller = new AbortController();
      const { server } = createServer({
        [name]: () => {
          setTimeout(() => controller.abort(), 5);
          return new Promise(() => undefined);
        },
      });
      expect((await server.run("Go", { signal: controller.signal })).reason).toBe("interrupted");
    },
  );
});
