import { describe, expect, test } from "vitest";
import type { AiSdkVersion } from "../../src/models/ai-sdk/ai-sdk-model.js";
import { fromAiSdk } from "../../src/models/ai-sdk/from-ai-sdk.js";
import type { ModelMessage } from "../../src/models/model-port.js";
import { collect, conversation } from "../support/models/model-server.js";
import { fakeModel, finishPart, textParts } from "../support/models/ai-sdk-fakes.js";

const never = new AbortController().signal;

describe.each<AiSdkVersion>(["v2", "v3", "v4"])("the data of a provider of version %s", (version) => {
  const signed = { fake: { signature: "s1" } };
  const call = { id: "c1", name: "find", arguments: "{}" };
  const metadata = {
    provider: "fake",
    parts: [
      { type: "reasoning", text: "hm", options: signed },
      { type: "text", chars: 7 },
      { type: "text", chars: 4 },
      { type: "call", index: 0, options: { fake: { id: "x" } } },
    ],
  };
  const parts = [
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    { type: "reasoning-delta", id: "0", delta: "", providerMetadata: signed },
    { type: "reasoning-end", id: "0" },
    ...textParts("1", "Let", " me "),
    ...textParts("1", "see."),
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "find",
      input: "{}",
      providerMetadata: { fake: { id: "x" } },
    },
    finishPart(version, "tool-calls"),
  ];

  /** Returns the assistant message that a model receives. */
  async function send(assistant: object, last: readonly ModelMessage[] = []) {
    const model = fakeModel(version, [finishPart(version, "stop")]);
    const messages: readonly ModelMessage[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Let me see.", calls: [call], ...assistant },
      { role: "tool", toolName: "find", callId: "c1", content: "3" },
      ...last,
    ];
    await collect(fromAiSdk(model)(conversation(messages), never));
    return model.calls[0]?.prompt[1];
  }

  const callPart = { type: "tool-call", toolCallId: "c1", toolName: "find", input: {} };
  const plain = { role: "assistant", content: [{ type: "text", text: "Let me see." }, callPart] };
  const signedParts = (...texts: readonly string[]) => ({
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: signed },
      ...texts.map((text) => ({ type: "text", text })),
      { ...callPart, providerOptions: { fake: { id: "x" } } },
    ],
  });

  test("is in the last piece, without the text and the calls", async () => {
    const { pieces } = await collect(fromAiSdk(fakeModel(version, parts))(conversation(), never));
    expect(pieces.at(-1)).toEqual({ finish: { reason: "tool-calls", metadata } });
  });

  test("is sent back with the calls of the response", async () => {
    expect(await send({ metadata })).toEqual(signedParts("Let me ", "see."));
  });

  test("is sent back if the text was changed", async () => {
    expect(await send({ metadata, content: "Changed" })).toEqual(signedParts("Changed"));
    expect(await send({ metadata, content: "" })).toEqual(signedParts());
  });

  test.each<[string, object]>([
    ["of a different provider", { ...metadata, provider: "other" }],
    ["without parts", { provider: "fake" }],
    ["with parts that are not objects", { ...metadata, parts: ["a"] }],
    ["without the call", { ...metadata, parts: metadata.parts.slice(0, 3) }],
    ["with a different call", { ...metadata, parts: [{ type: "call", index: 1 }] }],
  ])("%s is ignored", async (_name, other) => {
    expect(await send({ metadata: other })).toEqual(plain);
  });

  test("is not sent back after the next user message", async () => {
    expect(await send({ metadata }, [{ role: "user", content: "Thanks" }])).toEqual(plain);
  });

  test.each<[string, readonly unknown[]]>([
    ["there are no calls", parts.filter((part) => !("toolCallId" in part))],
    [
      "the provider runs calls itself",
      [{ ...callPart, toolCallId: "s1", input: "{}", providerExecuted: true }, ...parts],
    ],
    [
      "it is too large",
      [{ type: "text-start", id: "9", providerMetadata: { fake: { a: "x".repeat(262_144) } } }, ...parts],
    ],
    [
      "it is nested too deeply",
      [
        {
          type: "text-start",
          id: "9",
          providerMetadata: { fake: JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`) as unknown },
        },
        ...parts,
      ],
    ],
    ["it is not JSON", [{ type: "text-start", id: "9", providerMetadata: { fake: { a: 1n } } }, ...parts]],
  ])("is missing if %s", async (_name, streamed) => {
    const { pieces } = await collect(fromAiSdk(fakeModel(version, streamed))(conversation(), never));
    expect(pieces.at(-1)).toEqual({ finish: { reason: expect.any(String) } });
  });
});
