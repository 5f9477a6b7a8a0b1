import { describe, expect, test } from "vitest";
import { defineServer, Server } from "tenon";
import { createServerParts } from "tenon/host";
import type { ToolDraft } from "../../src/core/definitions/tool.js";
import { draftTool } from "../../src/core/definitions/tool.js";

const INFO = { name: "a", version: "1" };

/** Returns a draft, and the number of times that it was compiled. */
function countedDraft(name: string, parts: Partial<ToolDraft> = {}) {
  const draft = draftTool(name, { handler: () => name });
  const counted = { compiled: 0 };
  const compile: ToolDraft["compile"] = (settings) => {
    counted.compiled++;
    return draft.compile(settings);
  };
  return { draft: { ...draft, isChecked: true, compile, ...parts }, counted };
}

function serverOf(drafts: readonly ToolDraft[], isOnDemand: boolean): Server {
  const source = { toolDrafts: () => drafts };
  if (!isOnDemand) return defineServer(INFO).tools(source).build();
  return new Server(...createServerParts(INFO)).update((editor) => editor.tools(source));
}

async function ask(server: Server, method: string, params?: object) {
  const message = { jsonrpc: "2.0", id: 1, method, ...(params && { params }) } as const;
  const response = await server.handle(message, undefined);
  return (JSON.parse(response.toText()) as { readonly result: unknown }).result;
}

describe("a server on demand", () => {
  test("compiles a checked tool on its first call, and only once", async () => {
    const [first, second] = [countedDraft("first"), countedDraft("second")];
    const server = serverOf([first.draft, second.draft], true);
    expect([first.counted.compiled, second.counted.compiled]).toEqual([0, 0]);
    for (let count = 0; count < 2; count++) {
      expect(await ask(server, "tools/call", { name: "first" })).toEqual({
        content: [{ type: "text", text: "first" }],
      });
    }
    expect([first.counted.compiled, second.counted.compiled]).toEqual([1, 0]);
  });

  test("responds like any other server", async () => {
    const drafts = ["one", "two", "three"].map((name) => countedDraft(name).draft);
    const [onDemand, prepared] = [serverOf(drafts, true), serverOf(drafts, false)];
    for (const method of ["initialize", "tools/list", "resources/list", "prompts/list"]) {
      expect(await ask(onDemand, method, {})).toEqual(await ask(prepared, method, {}));
    }
    expect(onDemand.describe()).toEqual(prepared.describe());
    const filter = { exclude: ["hidden"] };
    expect(onDemand.view(filter).describe()).toEqual(prepared.view(filter).describe());
  });

  test("rejects two tools with one name, and tools that were not checked and do not compile", () => {
    const { draft } = countedDraft("same");
    expect(() => serverOf([draft, countedDraft("same").draft], true)).toThrow(
      'Tool "same" is already defined. Names must be unique.',
    );
    const compile = () => {
      throw new Error("broken");
    };
    const broken = countedDraft("broken", { isChecked: false, compile });
    expect(() => serverOf([broken.draft], true)).toThrow("broken");
  });

  test("any other server compiles checked tools when it is built", () => {
    const { draft, counted } = countedDraft("first");
    serverOf([draft], false);
    expect(counted.compiled).toBe(1);
  });
});

test("an update that changes nothing keeps the definitions and notifies nobody", () => {
  const changes: unknown[] = [];
  const server = serverOf([countedDraft("first").draft], false);
  server.onChange((change) => changes.push(change));
  server.update(() => {});
  expect(changes).toEqual([]);
  server.update((editor) => editor.removeTool("first"));
  expect(changes).toHaveLength(1);
});
