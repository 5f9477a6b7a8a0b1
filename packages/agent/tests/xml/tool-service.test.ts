import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/tools/define-tool.js";
import { ValidationError } from "../../src/shared/errors.js";
import { ToolRegistry } from "../../src/tools/tool-registry.js";
import { ToolService } from "../../src/tool-service.js";
import { McpError } from "tenon/protocol";

const SECRET = "hunter2-secret";
const text = (name: string, invoke: (value: string, signal?: AbortSignal) => Promise<unknown>) =>
  defineTool({
    name,
    description: name,
    whenToUse: "in tests",
    params: [{ name: "value", optional: false, description: "A text" }],
    useExamples: [],
    invoke: async ({ params, signal }) => ({
      message: `Did ${name}`,
      toolResult: await invoke(params.value, signal),
    }),
  });

const surroundings = defineTool({
  name: "surroundings",
  description: "Looks around",
  whenToUse: "in tests",
  params: [{ name: "count", optional: false, description: "A number", type: "number" }],
  useExamples: [],
  invoke: async ({ params, getCurrentTask, getToolFromName, signal, postMessage }) => {
    postMessage?.({ working: params.count });
    return {
      message: "Looked",
      toolResult: {
        task: getCurrentTask(),
        itself: getToolFromName("surroundings")?.name,
        other: getToolFromName("nobody"),
        hasSignal: signal !== undefined,
      },
    };
  },
});

const registry = new ToolRegistry()
  .register(text("shout", async (value) => value.toUpperCase()))
  .register(text("broken", () => Promise.reject(new Error(SECRET))))
  .register(text("told", () => Promise.reject(new McpError("NOT_FOUND", "There is no such note"))))
  .register(text("forever", () => new Promise(() => {})))
  .register(surroundings)
  .register({
    ...surroundings,
    name: "wordless",
    invoke: (async () => undefined) as never, // as untyped code may return
  })
  .register({
    ...surroundings,
    name: "thrower",
    invoke: (() => {
      throw new Error(SECRET);
    }) as never, // throws synchronously
  });
const service = new ToolService(registry);
const run = (xmlParams: string, more: object = {}) =>
  service.parseAndExecute({ xmlParams, getCurrentTask: () => "task-1", ...more });
const NAMES = "shout, broken, told, forever, surroundings, wordless, thrower";

describe("A2, A20: the tool service", () => {
  test("parses, validates, and runs a call", async () => {
    expect(await run("I shout:\n<shout><value>a&lt;b</value></shout>")).toEqual({
      message: "Did shout",
      params: { value: "a<b" },
      toolResult: "A<B",
    });
  });

  test("A7: passes the context to the tool", async () => {
    const posted: unknown[] = [];
    const signal = new AbortController().signal;
    const postMessage = (message: unknown) => posted.push(message);
    const xml = "<surroundings><count>2</count></surroundings>";
    expect((await run(xml, { signal, postMessage })).toolResult).toEqual({
      task: "task-1",
      itself: "surroundings",
      other: undefined,
      hasSignal: true,
    });
    expect(posted).toEqual([{ working: 2 }]);
    expect((await run(xml)).toolResult).toMatchObject({ hasSignal: false });
  });

  test("A35: reports invalid parameters", async () => {
    const { message, params, toolResult, error } = await run("<shout><volume>9</volume></shout>");
    expect(message).toBe(
      "Tool 'shout' parameter validation failed: <volume> is not a parameter; expected <value>; value: Required parameter is missing",
    );
    expect([params, toolResult]).toEqual([{}, undefined]);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error?.message).toBe(message);
  });

  test.each([
    ["<whisper><value>a</value></whisper>", `Tool 'whisper' does not exist. Available tools: ${NAMES}.`],
    ["just words", `The text contains no tool call. Available tools: ${NAMES}.`],
    ["", `The text contains no tool call. Available tools: ${NAMES}.`],
    ["a < b", `The text contains no tool call. Available tools: ${NAMES}.`],
    [
      "<shout><value>a</value></shout><told><value>b</value></told>",
      "The text contains 2 tool calls (shout, told). None were run. Write one call per response.",
    ],
    [
      "I could <shout><value>a</value></shout>",
      "The text mentions the tool 'shout' but does not call it. A call must be at the start of a line, outside code blocks and inline code.",
    ],
    ["<shout><value>a</value>", "Tool 'shout' parameter validation failed: <shout> is not closed"],
    ["<told><value>a</value></told>", "Tool 'told' failed: There is no such note"],
    ["<broken><value>a</value></broken>", "Tool 'broken' failed"],
    ["<thrower><count>1</count></thrower>", "Tool 'thrower' failed"],
    ["<wordless><count>1</count></wordless>", "Tool 'wordless' failed"],
  ])("responds to %j with a message", async (xml, message) => {
    const outcome = await run(xml);
    expect(outcome.message).toBe(message);
    expect(outcome.toolResult).toBeUndefined();
    expect(outcome.error?.message).toBe(message);
    expect(message).not.toContain(SECRET);
  });

  test("never rejects, regardless of the input", async () => {
    expect((await run(undefined as never)).message).toBe(
      `The text contains no tool call. Available tools: ${NAMES}.`,
    );
    const params = {
      get value(): string {
        throw new Error(SECRET);
      },
    };
    expect((await service.execute({ name: "shout", params, getCurrentTask: () => "" })).message).toBe(
      "Tool 'shout' parameter validation failed: Could not read the parameters",
    );
  });

  test("keeps the thrown error for the log", async () => {
    const { error } = await run("<broken><value>a</value></broken>");
    expect(error?.cause).toEqual(new Error(SECRET));
  });

  test("a cancelled call ends, even if the tool ignores the signal", async () => {
    const controller = new AbortController();
    const outcome = run("<forever><value>a</value></forever>", { signal: controller.signal });
    controller.abort();
    expect((await outcome).message).toBe("Tool 'forever' was cancelled");
    const again = await run("<shout><value>a</value></shout>", { signal: controller.signal });
    expect([again.message, again.toolResult]).toEqual(["Tool 'shout' was cancelled", undefined]);
  });

  test("an empty registry is reported", async () => {
    const { message } = await new ToolService(new ToolRegistry()).parseAndExecute({
      xmlParams: "<a/>",
      getCurrentTask: () => "",
    });
    expect(message).toBe("Tool 'a' does not exist. No tools are available.");
  });

  test("runs calls that a stream found", async () => {
    const stream = service.createStream();
    const events = [
      ...stream.feed("<shout><value>a</val"),
      ...stream.feed("ue></shout>"),
      ...stream.finish(),
    ];
    const [call] = events.flatMap((event) => (event.type === "call" ? event.call : []));
    const getCurrentTask = () => "task-1";
    expect(await service.execute({ name: "", params: {}, ...call, getCurrentTask })).toMatchObject({
      toolResult: "A",
    });
    expect((await service.execute({ name: "shout", params: { value: 1 }, getCurrentTask })).message).toBe(
      "Tool 'shout' parameter validation failed: value: Expected text; got 1",
    );
    expect((await service.execute({ name: "shout", params: null, getCurrentTask })).message).toBe(
      "Tool 'shout' parameter validation failed: Expected an object; got null",
    );
    expect(
      (await service.execute({ name: "shout", params: { value: "", x: 1 }, getCurrentTask })).message,
    ).toBe(`Tool 'shout' parameter validation failed: Unrecognized key: "x"`);
  });
});
