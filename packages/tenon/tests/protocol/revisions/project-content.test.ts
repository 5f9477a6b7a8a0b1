import { describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import type { ContentBlock, PromptResult, ToolResult } from "../../../src/protocol/content.js";
import {
  projectClientRequest,
  projectPromptResult,
  projectToolResult,
} from "../../../src/protocol/revisions/project-content.js";
import { type Revision, REVISIONS, TRAITS } from "../../../src/protocol/revisions/revision.js";

const text: ContentBlock = { type: "text", text: "t", annotations: { priority: 1 }, _meta: { a: 1 } };
const image: ContentBlock = { type: "image", data: "AAAA", mimeType: "image/png" };
const embedded: ContentBlock = { type: "resource", resource: { uri: "test://r", text: "r" } };
const audio: ContentBlock = { type: "audio", data: "AAAAAAAA", mimeType: "audio/wav" };
const link: ContentBlock = { type: "resource_link", uri: "test://r", name: "r" };
const titled: ContentBlock = { ...link, title: "Report", description: "d" };

const audioText = { type: "text", text: "[audio audio/wav, 8 base64 characters]" };
const linkText = { type: "text", text: "r: test://r" };
const titledText = { type: "text", text: "Report: test://r" };

const blocks = [text, image, embedded, audio, link, titled];
const BLOCKS: readonly (readonly [Revision, readonly unknown[]])[] = [
  ["2024-11-05", [text, image, embedded, audioText, linkText, titledText]],
  ["2025-03-26", [text, image, embedded, audio, linkText, titledText]],
  ["2025-06-18", blocks],
  ["2025-11-25", blocks],
  ["2026-07-28", blocks],
];

describe("unsupported content becomes text", () => {
  test.each(BLOCKS)("in tool results of %s", (revision, expected) => {
    const result: ToolResult = { content: blocks, isError: true, _meta: { a: 1 } };
    expect(projectToolResult(result, TRAITS[revision], false)).toEqual({ ...result, content: expected });
  });

  test.each(BLOCKS)("with structured content, in %s", (revision, expected) => {
    const result: ToolResult = { content: blocks, structuredContent: { a: 1 } };
    expect(projectToolResult(result, TRAITS[revision], false).content).toEqual(expected);
  });

  test.each(BLOCKS)("in prompts of %s", (revision, expected) => {
    const result: PromptResult = {
      description: "d",
      messages: blocks.map((content) => ({ role: "user", content })),
      _meta: { a: 1 },
    };
    expect(projectPromptResult(result, TRAITS[revision])).toEqual({
      ...result,
      messages: expected.map((content) => ({ role: "user", content })),
    });
  });

  test.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)("is not copied in %s", (revision) => {
    const result: ToolResult = { content: blocks, structuredContent: { a: 1 } };
    const prompt: PromptResult = { messages: [{ role: "user", content: link }] };
    expect(projectToolResult(result, TRAITS[revision], false)).toBe(result);
    expect(projectToolResult({ content: blocks }, TRAITS[revision], false).content).toBe(blocks);
    expect(projectPromptResult(prompt, TRAITS[revision])).toBe(prompt);
  });
});

describe("structured content", () => {
  const result = (structuredContent: unknown, isError?: boolean): ToolResult => ({
    content: [text],
    structuredContent,
    ...(isError === undefined ? {} : { isError }),
  });
  const project = (one: ToolResult, revision: Revision, wraps: boolean) =>
    projectToolResult(one, TRAITS[revision], wraps);

  test.each(["2024-11-05", "2025-03-26"] as const)("in %s is omitted if there is text", (revision) => {
    expect(project(result({ a: 1 }), revision, false)).toEqual({ content: [text] });
    expect(project(result([1]), revision, true)).toEqual({ content: [text] });
  });

  test.each(["2024-11-05", "2025-03-26"] as const)("in %s becomes text if there is none", (revision) => {
    expect(project({ content: [], structuredContent: { a: 1 } }, revision, false)).toEqual({
      content: [{ type: "text", text: '{"a":1}' }],
    });
  });

  describe.each(["2025-06-18", "2025-11-25"] as const)("in %s", (revision) => {
    test("stays an object if the tool's schema is an object", () => {
      expect(project(result({ a: 1 }), revision, false)).toEqual(result({ a: 1 }));
    });

    test.each([[[1, 2]], ["text"], [7], [false], [null]])("is wrapped if it is %j", (value) => {
      expect(project(result(value), revision, true)).toEqual(result({ result: value }));
      expect(project(result(value), revision, false)).toEqual(result({ result: value }));
    });

    test("is wrapped if the tool's schema is wrapped", () => {
      expect(project(result({ a: 1 }), revision, true)).toEqual(result({ result: { a: 1 } }));
      expect(project(result({ a: 1 }, false), revision, true)).toEqual(result({ result: { a: 1 } }, false));
    });

    test("of an error follows no schema and is unchanged", () => {
      expect(project(result({ why: "no" }, true), revision, true)).toEqual(result({ why: "no" }, true));
    });

    test("of an error is wrapped if it is not an object, which the revision requires", () => {
      expect(project(result(["no"], true), revision, true)).toEqual(result({ result: ["no"] }, true));
    });
  });

  test.each([[{ a: 1 }], [[1]], ["text"], [null]])("in 2026-07-28 stays %j", (value) => {
    const one = result(value);
    expect(project(one, "2026-07-28", true)).toBe(one);
  });
});

describe("a request to the client", () => {
  const form = { mode: "form", message: "m", requestedSchema: { type: "object", properties: {} } };
  const url = { mode: "url", message: "m", url: "https://example.com", elicitationId: "e1" };
  const { mode: _mode, ...plainForm } = form;
  const { elicitationId: _id, ...plainUrl } = url;

  test.each<[Revision, JsonObject]>([
    ["2025-06-18", plainForm],
    ["2025-11-25", form],
    ["2026-07-28", form],
  ])("with a form, in %s", (revision, expected) => {
    expect(projectClientRequest("elicitation/create", form, TRAITS[revision])).toEqual(expected);
  });

  test.each<[Revision, JsonObject]>([
    ["2025-11-25", url],
    ["2026-07-28", plainUrl],
  ])("with a link, in %s", (revision, expected) => {
    expect(projectClientRequest("elicitation/create", url, TRAITS[revision])).toEqual(expected);
  });

  const one = { role: "user", content: [{ type: "text", text: "hi" }] };
  const flat = { role: "user", content: { type: "text", text: "hi" } };
  const several = { role: "user", content: [{ type: "text", text: "a" }, image] };

  test.each<[Revision, readonly unknown[]]>([
    ["2024-11-05", [flat, flat, several]],
    ["2025-03-26", [flat, flat, several]],
    ["2025-06-18", [flat, flat, several]],
    ["2025-11-25", [one, flat, several]],
    ["2026-07-28", [one, flat, several]],
  ])("for sampling has unwrapped single blocks, in %s", (revision, messages) => {
    const params = { messages: [one, flat, several], maxTokens: 10 };
    expect(projectClientRequest("sampling/createMessage", params, TRAITS[revision])).toEqual({
      messages,
      maxTokens: 10,
    });
  });

  test.each(REVISIONS)("for sampling keeps malformed messages, in %s", (revision) => {
    const params = { messages: ["odd", null, { role: "user" }] };
    expect(projectClientRequest("sampling/createMessage", params, TRAITS[revision])).toEqual(params);
    expect(projectClientRequest("sampling/createMessage", {}, TRAITS[revision])).toEqual({});
  });

  test.each(REVISIONS)("for roots is the same in every revision: %s", (revision) => {
    const params = {};
    expect(projectClientRequest("roots/list", params, TRAITS[revision])).toBe(params);
  });
});
