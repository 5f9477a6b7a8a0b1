/**
 * @fileoverview Callbacks that ask for input behave as in the official SDK, version 2: in 2026-07-28 the client repeats
 * its request, and in 2025-11-25 the server asks the client.
 * @module tests/sdk/v2/input-required
 */
import type { ServerContext } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  type Behavior,
  bothSides,
  compare,
  ERAS,
  plain,
  type Register,
  type SideOptions,
  text,
} from "../support/v2/both-sides.js";

const call =
  (name: string, extra: object = {}): Behavior["ask"] =>
  async ({ client }) =>
    client.callTool({ name, ...extra });

/** A client that fills forms, samples, lists roots, and opens pages. */
const able = (answer: object = { action: "accept", content: { name: "Ann" } }): SideOptions => ({
  client: { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } },
  prepare(client) {
    client.setRequestHandler("elicitation/create", ({ params }) =>
      params.mode === "url" ? { action: "accept" as const } : (answer as { action: "accept" }),
    );
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant" as const,
      model: "m",
      content: { type: "text" as const, text: "sampled" },
    }));
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///a", name: "a" }] }));
  },
});

const form = {
  type: "object" as const,
  properties: { name: { type: "string" as const } },
  required: ["name"],
};

/** Asks for a name, then greets. */
const greet: Register = (server, sdk) =>
  server.registerTool("greet", {}, ({ mcpReq }) => {
    const answer = sdk.inputResponse(mcpReq.inputResponses, "who");
    if (answer.kind === "missing") {
      return sdk.inputRequired({
        inputRequests: { who: sdk.inputRequired.elicit({ message: "Name?", requestedSchema: form }) },
        requestState: "step-1",
      });
    }
    return text(
      JSON.stringify([answer, mcpReq.requestState(), sdk.acceptedContent(mcpReq.inputResponses, "who")]),
    );
  });

describe("a tool that asks for input", () => {
  compare([
    {
      title: "receives an accepted form and its state",
      register: greet,
      ask: call("greet"),
      shows: {
        answer: text(
          '[{"kind":"elicit","action":"accept","content":{"name":"Ann"}},"step-1",{"name":"Ann"}]',
        ),
      },
      options: able(),
    },
    {
      title: "receives a declined form",
      register: greet,
      ask: call("greet"),
      shows: { answer: { content: [{ text: expect.stringContaining('"action":"decline"') }] } },
      options: able({ action: "decline" }),
    },
    {
      title: "receives all responses of one round",
      register: (server, sdk) =>
        server.registerTool("all", {}, ({ mcpReq }) => {
          if (mcpReq.inputResponses !== undefined) {
            const { inputResponses } = mcpReq;
            return text(
              JSON.stringify(["a", "b", "c", "d"].map((key) => sdk.inputResponse(inputResponses, key))),
            );
          }
          return sdk.inputRequired({
            inputRequests: {
              a: sdk.inputRequired.elicitUrl({ message: "Open", url: "https://example.com/" }),
              b: sdk.inputRequired.createMessage({
                messages: [{ role: "user", content: { type: "text", text: "?" } }],
                maxTokens: 5,
              }),
              c: sdk.inputRequired.listRoots(),
            },
          });
        }),
      ask: call("all"),
      shows: {
        answer: { content: [{ text: expect.stringContaining('"roots":[{"uri":"file:///a","name":"a"}]') }] },
      },
      options: able(),
    },
    {
      title: "asks in several rounds, each with its own responses",
      register: (server, sdk) =>
        server.registerTool("steps", {}, ({ mcpReq }) => {
          const step = Number(mcpReq.requestState<string>() ?? "0");
          const keys = Object.keys(mcpReq.inputResponses ?? {});
          if (step === 3) return text(`after ${step} ${keys.join()}`);
          return sdk.inputRequired({
            inputRequests: {
              [`q${step}`]: sdk.inputRequired.elicit({ message: `Step ${step}`, requestedSchema: form }),
            },
            requestState: String(step + 1),
          });
        }),
      ask: call("steps"),
      shows: { answer: text("after 3 q2") },
      options: able(),
    },
    {
      title: "may return only a state",
      register: (server, sdk) =>
        server.registerTool("state", {}, ({ mcpReq }) =>
          mcpReq.requestState() === undefined ? sdk.inputRequired({ requestState: "again" }) : text("done"),
        ),
      ask: call("state"),
      shows: { answer: text("done") },
      options: able(),
    },
    {
      title: "with an output schema validates only the last result",
      register: (server, sdk) =>
        server.registerTool("out", { outputSchema: z.object({ n: z.number() }) }, ({ mcpReq }) =>
          mcpReq.inputResponses === undefined
            ? sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } })
            : { content: [], structuredContent: { n: 1 } },
        ),
      ask: call("out"),
      shows: { answer: { structuredContent: { n: 1 } } },
      options: able(),
    },
    {
      title: "may throw after the response",
      register: (server, sdk) =>
        server.registerTool("late", {}, ({ mcpReq }) => {
          if (mcpReq.inputResponses === undefined)
            return sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } });
          throw new Error("too late");
        }),
      ask: call("late"),
      shows: { answer: { ...text("too late"), isError: true } },
      options: able(),
    },
    {
      title: "in 2025 fails if the client lacks the capability",
      register: greet,
      ask: call("greet"),
      shows: { answer: { isError: true } },
      eras: ["2025"],
    },
    {
      title: "in 2025 fails without the shim",
      register: greet,
      ask: async (side) => call("greet")(side).catch((error: { code: number }) => ({ code: error.code })),
      shows: { answer: { code: -32603 } },
      options: { ...able(), server: { inputRequired: { legacyShim: false } } },
      eras: ["2025"],
    },
    {
      title: "in 2025 fails after too many rounds",
      register: (server, sdk) =>
        server.registerTool("loop", {}, () =>
          sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } }),
        ),
      ask: call("loop"),
      shows: {
        answer: {
          isError: true,
          content: [
            {
              text: "Multi-round-trip request 'tools/call' still required input after 2 rounds (inputRequired.maxRounds)",
            },
          ],
        },
      },
      options: { ...able(), server: { inputRequired: { maxRounds: 2 } } },
      eras: ["2025"],
    },
    {
      title: "in 2025 reports an error of the client",
      register: greet,
      ask: call("greet"),
      shows: {
        answer: {
          isError: true,
          content: [{ text: expect.stringContaining("Fulfilling input required by 'tools/call' failed: ") }],
        },
      },
      options: {
        ...able(),
        prepare: (client) =>
          client.setRequestHandler("elicitation/create", () => {
            throw new Error("no screen");
          }),
      },
      eras: ["2025"],
    },
  ]);

  test("in 2026 is rejected with -32021 if the client lacks the capability", async () => {
    const [wanted, given] = await answersOf(greet, call("greet"), { era: "2026" });
    expect(JSON.stringify(wanted)).toContain("-32021");
    expect(plain(given)).toEqual(plain(wanted));
  });

  test.each([
    ["nothing", {}],
    ["an unknown request", { inputRequests: { a: { method: "example/unknown" } } }],
    ["a request that is not an object", { inputRequests: { a: 1 } }],
  ])("that asks for %s fails with -32603", async (_title, spec) => {
    const register: Register = (server) =>
      server.registerTool("bad", {}, () => ({ resultType: "input_required", ...spec }) as never);
    for (const era of ERAS) {
      const outcomes = await answersOf(register, call("bad"), { ...able(), era });
      for (const outcome of outcomes) expect(outcome).toMatchObject({ refused: { code: -32603 } });
    }
  });

  test("is sent as it is to a client that handles it itself", async () => {
    const register: Register = (server) =>
      server.registerTool(
        "raw",
        {},
        () =>
          ({
            resultType: "input_required",
            inputRequests: { a: { method: "roots/list" } },
            requestState: "s",
            _meta: { "example.com/x": 1 },
          }) as never,
      );
    const [wanted, given] = await answersOf(
      register,
      async ({ client }) => client.callTool({ name: "raw" }, { allowInputRequired: true }),
      { ...able(), era: "2026" },
    );
    expect(wanted).toMatchObject({
      answer: { resultType: "input_required", requestState: "s", _meta: { "example.com/x": 1 } },
    });
    expect(plain(given)).toEqual(plain(wanted));
  });
});

describe("prompts and resources that ask for input", () => {
  const both: Register = (server, sdk) => {
    server.registerPrompt("p", {}, ({ mcpReq }) =>
      mcpReq.inputResponses === undefined
        ? sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } })
        : {
            messages: [
              { role: "user", content: { type: "text", text: Object.keys(mcpReq.inputResponses).join() } },
            ],
          },
    );
    server.registerResource("r", "a://r", {}, (uri, { mcpReq }) =>
      mcpReq.inputResponses === undefined
        ? sdk.inputRequired({ inputRequests: { r: sdk.inputRequired.listRoots() } })
        : { contents: [{ uri: uri.href, text: "read" }] },
    );
  };
  const prompt: Behavior["ask"] = async ({ client }) => client.getPrompt({ name: "p" });
  const resource: Behavior["ask"] = async ({ client }) => client.readResource({ uri: "a://r" });
  compare([
    {
      title: "receive responses: prompt",
      register: both,
      ask: prompt,
      shows: { answer: { messages: [{ content: { text: "r" } }] } },
      options: able(),
    },
    {
      title: "receive responses: resource",
      register: both,
      ask: resource,
      shows: { answer: { contents: [{ text: "read" }] } },
      options: able(),
    },
    {
      title: "in 2025 fail with an error if the client lacks the capability",
      register: both,
      ask: prompt,
      shows: { refused: { code: -32603 } },
      eras: ["2025"],
      options: { client: { capabilities: { sampling: {} } } },
    },
  ]);

  test.each(ERAS)("%s: other methods may not ask", async (era) => {
    const register: Register = (server, sdk) =>
      server.registerResource(
        "t",
        new sdk.ResourceTemplate("t://{a}", {
          list: () => ({ resultType: "input_required", requestState: "x", resources: [] }),
        }),
        {},
        (uri) => ({ contents: [{ uri: uri.href, text: "" }] }),
      );
    for (const outcome of await answersOf(register, async ({ client }) => client.listResources(), { era })) {
      // The result of a list callback is merged, so that its own members are not sent.
      expect(outcome).toMatchObject({ answer: { resources: [] } });
    }
  });
});

describe("requestState", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const counted: Register = (server, sdk) => {
    const codec = sdk.createRequestStateCodec<{ n: number }>({ key });
    server.registerTool("count", {}, async ({ mcpReq }) => {
      const state = mcpReq.requestState<{ n: number }>();
      if (state !== undefined && state.n > 1) return text(`verified ${state.n}`);
      return sdk.inputRequired({
        inputRequests: { r: sdk.inputRequired.listRoots() },
        requestState: await codec.mint({ n: (state?.n ?? 0) + 1 }),
      });
    });
  };
  const verified: SideOptions = {
    ...able(),
    server: { requestState: { verify: (state, ctx) => verifyWith(state, ctx) } },
  };
  let verifyWith: (state: string, ctx: ServerContext) => unknown = () => undefined;

  test.each(ERAS)("%s: the verified payload is passed to the callback", async (era) => {
    const { createRequestStateCodec } = await import("@modelcontextprotocol/server");
    const codec = createRequestStateCodec<{ n: number }>({ key });
    verifyWith = (state, ctx) => codec.verify(state, ctx);
    const [wanted, given] = await answersOf(counted, call("count"), { ...verified, era });
    expect(wanted).toMatchObject({ answer: text("verified 2") });
    expect(plain(given)).toEqual(plain(wanted));
  });

  test.each(ERAS)("%s: a rejected state fails with -32602, and the reason is reported", async (era) => {
    verifyWith = () => {
      throw new Error("secret reason");
    };
    for (const side of await bothSides(counted, { ...verified, era })) {
      const outcome = await side.client.callTool({ name: "count" }).catch((error: unknown) => error);
      expect(outcome).toMatchObject({
        code: -32602,
        message: "Invalid or expired requestState",
        data: { reason: "invalid_request_state" },
      });
      expect(side.errors.map(({ message }) => message).join()).toContain("secret reason");
    }
  });

  test("a state that is not a string is rejected", async () => {
    const { handler } = (await bothSides(greet, { ...able(), era: "2026" }))[1];
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "greet",
        requestState: 5,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "greet",
    };
    const response = await handler?.fetch(
      new Request("http://localhost/", { method: "POST", headers, body: JSON.stringify(body) }),
    );
    expect(await response?.json()).toMatchObject({
      error: { code: -32602, message: "Invalid or expired requestState" },
    });
  });

  test("responses in a wrapped form are dropped, and their keys are listed", async () => {
    const register: Register = (server) =>
      server.registerTool("keys", {}, ({ mcpReq }) =>
        text(JSON.stringify([mcpReq.inputResponses, mcpReq.droppedInputResponseKeys])),
      );
    const params = {
      name: "keys",
      inputResponses: { a: { action: "accept" }, b: { method: "x", result: {} }, c: 1 },
    };
    const [wanted, given] = await answersOf(
      register,
      async ({ client }) => client.request({ method: "tools/call", params }),
      { era: "2026" },
    );
    expect(wanted).toMatchObject({ answer: text('[{"a":{"action":"accept"}},["b","c"]]') });
    expect(plain(given)).toEqual(plain(wanted));
  });
});

test("2026: URL elicitation cannot be thrown", async () => {
  const register: Register = (server, sdk) => {
    const fail = () => {
      throw new sdk.UrlElicitationRequiredError([
        { mode: "url", message: "m", url: "https://example.com", elicitationId: "1" },
      ]);
    };
    server.registerTool("url", {}, fail);
    server.registerPrompt("url", {}, fail);
  };
  const prompt: Behavior["ask"] = async ({ client }) => client.getPrompt({ name: "url" });
  for (const ask of [call("url"), prompt]) {
    for (const outcome of await answersOf(register, ask, { era: "2026" })) {
      expect(outcome).toMatchObject({
        refused: { code: -32603, message: expect.stringContaining("inputRequired") },
      });
    }
    const [wanted, given] = await answersOf(register, ask, { era: "2025" });
    expect(wanted).toMatchObject({ refused: { code: -32042 } });
    expect(plain(given)).toEqual(plain(wanted));
  }
});
