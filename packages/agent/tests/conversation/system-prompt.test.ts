import { describe, expect, test } from "vitest";
import { toModelTools } from "../../src/conversation/context/model-tools.js";
import { createSystemPrompt } from "../../src/conversation/context/system-prompt.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { startAgent } from "../support/conversation/agents.js";

const file = defineTool({
  name: "files.write",
  description: "Writes a file",
  whenToUse: "When something is to be kept",
  params: [
    { name: "path", optional: false, description: "Where" },
    { name: "mode", optional: true, description: "Rights", type: "number" },
    {
      name: "tags",
      optional: true,
      description: "Words to find it by",
      type: "array",
      params: [{ name: "tag", optional: false, description: "One word" }],
    },
    {
      name: "owner",
      optional: true,
      description: "Whose it is",
      type: "object",
      params: [{ name: "name", optional: false, description: "The name", type: "string" }],
    },
  ],
  useExamples: ["<files.write><path>a.txt</path></files.write>"],
  invoke: async () => ({ message: "ok", toolResult: undefined }),
});

describe("the system prompt", () => {
  test("contains each tool's description, when to use it, its parameters, its form, and examples", () => {
    const prompt = createSystemPrompt({ tools: [file], instructions: "You are a clerk.", toolCalls: "xml" });
    expect(prompt.startsWith("You are a clerk.\n\n")).toBe(true);
    expect(prompt.slice(prompt.indexOf("## "))).toBe(
      [
        "## files.write",
        "Writes a file",
        "When to use it: When something is to be kept",
        "Parameters:",
        "- path (text, required): Where",
        "- mode (number, optional): Rights",
        "- tags (list, one tag for each element, optional): Words to find it by",
        "  - tag (text, required): One word",
        "- owner (object, optional): Whose it is",
        "  - name (text, required): The name",
        "Form:",
        "<files.write>",
        "  <path></path>",
        "  <mode>(number)</mode>",
        "  <tags>",
        "    <tag></tag>",
        "  </tags>",
        "  <owner>",
        "    <name>(text)</name>",
        "  </owner>",
        "</files.write>",
        "Example:",
        "<files.write><path>a.txt</path></files.write>",
      ].join("\n"),
    );
  });

  test("contains only examples that can be parsed", async () => {
    const { server } = await startAgent({ tools: [file] });
    const examples = [...server.systemPrompt.matchAll(/Example:\n(.+)/g)].map(([, example = ""]) => example);
    expect(examples).toHaveLength(5);
    for (const example of examples) expect(server.systemPrompt).toContain(example);
    const stream = new ToolCallStream([file]);
    const [found] = [...stream.feed(examples.at(-1) ?? ""), ...stream.finish()].filter(
      ({ type }) => type === "call",
    );
    expect(found).toEqual({ type: "call", call: { name: "files.write", params: { path: "a.txt" } } });
  });

  test("explains how to ask and how to complete only if the tools exist", () => {
    const none = createSystemPrompt({ tools: [], instructions: "", toolCalls: "xml" });
    expect(none).toBe(
      "You are an agent that works for a user. You answer questions, and you act by calling tools.\n\n" +
        "Work step by step, and check every result before the next step. If a question does not need a tool, just answer it.",
    );
  });

  test("with native calls, the tools are passed separately as JSON Schema", async () => {
    const agent = await startAgent({ tools: [file], toolCalls: "native" });
    expect(agent.server.systemPrompt).not.toContain("files.write");
    expect(agent.server.systemPrompt).toContain("call completionResult");
    const { tools, names } = toModelTools([file]);
    expect(tools).toEqual([
      {
        name: "files_write",
        description: "Writes a file\nWhen something is to be kept",
        parameters: expect.objectContaining({
          type: "object",
          required: ["path"],
          additionalProperties: false,
          properties: expect.objectContaining({
            path: { type: "string", description: "Where" },
            tags: {
              type: "array",
              description: "Words to find it by",
              items: { type: "string", description: "One word" },
            },
          }) as unknown,
        }) as unknown,
      },
    ]);
    expect(names.get("files_write")).toBe("files.write");
  });

  test("names that would collide after conversion stay distinct", () => {
    const long = "x".repeat(100);
    const tools = ["a.b", "a_b", long, `${long}y`].map((name) => ({ ...file, name }));
    const { names } = toModelTools(tools);
    expect([...names.values()]).toEqual(["a.b", "a_b", long, `${long}y`]);
    for (const name of names.keys()) expect(name).toMatch(/^[\w-]{1,64}$/);
  });
});
