import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentServerBuilder } from "../../src/builder.js";
import {
  type ModelConversation,
  ModelError,
  type ModelPiece,
  type ModelPort,
} from "../../src/models/model-port.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { temporaryFolder } from "../support/socket/clients.js";

const write = defineTool({
  name: "write",
  description: "Writes",
  whenToUse: "Always",
  params: [],
  useExamples: [],
  approval: "ask",
  invoke: () => Promise.resolve({ message: "Written", toolResult: null }),
});

function create(answers: readonly (readonly ModelPiece[] | ModelPort)[], toolCalls?: "native") {
  const asked: ModelConversation[] = [];
  const model: ModelPort = async function* (conversation, signal) {
    const answer = answers[asked.length] ?? [];
    asked.push(conversation);
    if (typeof answer === "function") yield* answer(conversation, signal);
    else yield* answer;
  };
  const server = new AgentServerBuilder()
    .storagePath(temporaryFolder())
    .model(Object.assign(model, { toolCalls }))
    .registerTool(write)
    .build();
  return { server, asked };
}

const hang: ModelPort = async function* (_conversation, signal) {
  yield "Some ";
  await new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
};

describe("running an agent in the same process", () => {
  test("returns the text, the usage, and the reason, and reports every message", async () => {
    const usage = { inputTokens: 7, outputTokens: 2 };
    const { server } = create([["The answer ", "is 42.", { finish: { reason: "stop", usage } }]]);
    const types: string[] = [];
    const result = await server.run("What is it?", { onEvent: ({ type }) => types.push(type) });
    expect(result).toEqual({
      taskId: expect.stringMatching(/^[\da-f-]{36}$/),
      reason: "answered",
      text: "The answer is 42.",
      value: undefined,
      usage,
      approvals: [],
      problem: undefined,
    });
    expect(types.slice(-3)).toEqual(["message", "usage", "conversationOver"]);
  });

  test("continues a task, and the model receives the conversation", async () => {
    const { server, asked } = create([["One."], ["Two."]]);
    const { taskId } = await server.run("First");
    expect((await server.run("Second", { taskId })).text).toBe("Two.");
    expect(asked[1]?.messages.slice(1).map(({ content }) => content)).toEqual(["First", "One.", "Second"]);
  });

  test("a signal interrupts the run, and `resume` continues it", async () => {
    const { server } = create([hang, ["Resumed."]]);
    const controller = new AbortController();
    const running = server.run("Go", {
      signal: controller.signal,
      onEvent: ({ type }) => type === "message" && controller.abort(),
    });
    const { reason, taskId } = await running;
    expect(reason).toBe("interrupted");
    expect(await server.resume(taskId)).toMatchObject({ reason: "answered", text: "Resumed." });
  });

  test("a signal that is already aborted interrupts the run", async () => {
    const { server } = create([hang]);
    expect((await server.run("Go", { signal: AbortSignal.abort() })).reason).toBe("interrupted");
  });

  test("files reach the model", async () => {
    const { server, asked } = create([["A cat."]]);
    await server.run({ message: "What is this?", files: [{ mediaType: "image/png", data: "AAAA" }] });
    expect(asked[0]?.messages.at(-1)).toEqual({
      role: "user",
      content: "What is this?",
      parts: [{ type: "image", mediaType: "image/png", data: "AAAA" }],
    });
  });

  test("an exception in `onEvent` does not end the run", async () => {
    const { server } = create([["Fine."]]);
    const onEvent = () => {
      throw new Error("application bug");
    };
    expect((await server.run("Go", { onEvent })).text).toBe("Fine.");
  });

  test("a run that fails says why", async () => {
    const { server } = create([[]]);
    expect(await server.run("Go")).toMatchObject({
      reason: "error",
      text: "",
      problem: "The model returned an empty response.",
    });
  });

  test("a warning of a run that ended well is not a problem", async () => {
    let requests = 0;
    const lost: ModelPort = async function* () {
      requests++;
      yield "Half";
      throw new ModelError("The connection was lost.", { isTransient: true });
    };
    const { server } = create([lost, ["Whole."]]);
    expect(await server.run("Go")).toMatchObject({ text: "Whole.", problem: undefined });
    expect(requests).toBe(1);
  });

  test("a task cannot run twice at the same time, and one that does not exist cannot be resumed", async () => {
    const { server } = create([hang]);
    const controller = new AbortController();
    const running = server.run("Go", { taskId: "t", signal: controller.signal });
    await expect(server.run("Again", { taskId: "t" })).rejects.toThrow("already running");
    controller.abort();
    await running;
    await expect(server.resume("missing")).rejects.toThrow('Task "missing" does not exist.');
  });
});

describe("approvals in the same process", () => {
  const call = ["<write></write>"];

  test("end the run, and the program decides and resumes", async () => {
    const { server } = create([call, ["Done."]]);
    const { taskId, reason, approvals } = await server.run("Go");
    expect([reason, approvals.map(({ toolName }) => toolName)]).toEqual(["approval", ["write"]]);
    await expect(server.resume(taskId)).rejects.toThrow("waits for approvals");
    const [{ approvalId } = { approvalId: "" }] = approvals;
    await server.decide({ taskId, approvalId }, { decision: "approve" });
    await expect(server.decide({ taskId, approvalId }, { decision: "deny" })).rejects.toThrow("already");
    expect(await server.resume(taskId)).toMatchObject({ reason: "answered", text: "Done." });
  });

  test("are decided by the callback", async () => {
    const { server, asked } = create([call, call, ["Done."]]);
    const decisions = ["approve", "deny"] as const;
    let index = 0;
    const { reason } = await server.run("Go", {
      onApproval: () => ({ decision: decisions[index++] ?? "deny", reason: "no" }),
    });
    expect(reason).toBe("answered");
    const results = asked[2]?.messages.flatMap((message) =>
      message.role === "tool" ? [message.content] : [],
    );
    expect(results).toEqual(["Written", "The user denied this call: no"]);
  });
});

describe("approvals of subtasks in the same process", () => {
  const assign = ["<assignTasks><tasklist><task>Write</task></tasklist></assignTasks>"];
  const call = ["<write></write>"];

  test("are decided by the callback while the run goes on", async () => {
    const { server } = create([assign, call, ["Sub done."], ["Done."]]);
    const decided: string[] = [];
    const { reason } = await server.run("Go", {
      onApproval({ toolName }) {
        decided.push(toolName);
        return { decision: "approve" };
      },
    });
    expect([reason, decided]).toEqual(["answered", ["write"]]);
  });

  test("are denied without a callback, so that the run does not wait forever", async () => {
    const { server, asked } = create([assign, call, ["Not written."], ["Done."]]);
    expect((await server.run("Go")).reason).toBe("answered");
    expect(asked[2]?.messages.at(-1)?.content).toContain("No user is there");
  });
});

test("a model that calls a tool again after every decision is stopped", async () => {
  const { server, asked } = create(Array.from({ length: 100 }, () => ["<write></write>"]));
  const { reason } = await server.run("Go", { onApproval: () => ({ decision: "deny" }) });
  expect(reason).toBe("approval");
  expect(asked.length).toBeLessThan(30);
});

describe("structured output", () => {
  const schema = z.object({ city: z.string(), degrees: z.number().int() });

  test("is validated and typed", async () => {
    const { server, asked } = create([['```json\n{"city":"Rome","degrees":31}\n```']]);
    const { value } = await server.run("Weather?", { schema });
    expect(value?.degrees.toFixed()).toBe("31");
    expect(asked[0]?.responseSchema).toMatchObject({ type: "object", required: ["city", "degrees"] });
    expect(asked[0]?.messages.at(-1)?.content).toContain("JSON Schema");
  });

  test("a response that does not match is corrected once", async () => {
    const { server, asked } = create([['{"city":"Rome"}'], ['{"city":"Rome","degrees":31}']]);
    expect((await server.run("Weather?", { schema })).value).toEqual({ city: "Rome", degrees: 31 });
    expect(asked[1]?.messages.at(-1)?.content).toContain("degrees");
  });

  test("a response that never matches is an error", async () => {
    const { server } = create([["no"], ["still no"]]);
    await expect(server.run("Weather?", { schema })).rejects.toThrow("The response is not valid JSON.");
  });

  test("models with native calls receive the schema only in their own format", async () => {
    const { server, asked } = create([['{"city":"Rome","degrees":31}']], "native");
    await server.run("Weather?", { schema });
    expect(asked[0]?.messages.at(-1)?.content).toBe("Weather?");
  });
});

describe("streams", () => {
  test("yield the messages in order, and the result", async () => {
    const { server } = create([["One ", "two."]]);
    const stream = server.stream("Go");
    const texts: unknown[] = [];
    for await (const { type, data } of stream) {
      if (type === "message") texts.push((data as { readonly message: string }).message);
    }
    expect(texts.at(-1)).toBe("One two.");
    expect((await stream.result).reason).toBe("answered");
  });

  test("stopping the iteration interrupts the run", async () => {
    const { server } = create([hang]);
    const stream = server.stream("Go");
    for await (const { type } of stream) if (type === "message") break;
    expect((await stream.result).reason).toBe("interrupted");
  });

  test("an error before the run ends the iteration", async () => {
    const server = new AgentServerBuilder().storagePath(temporaryFolder()).build();
    const read = async () => {
      for await (const event of server.stream("Go")) void event;
    };
    await expect(read()).rejects.toThrow("No model is configured");
  });
});
