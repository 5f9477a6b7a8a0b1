import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, test } from "vitest";
import {
  answersOf,
  bothSides,
  type Register,
  settle,
  type Side,
  type SideOptions,
} from "./support/both-sides.js";

const text = (said: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(said) }] });
const call = ({ client }: Side) => client.callTool({ name: "run" });
const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hi" } }];
const requestedSchema = { type: "object" as const, properties: {} };

/** Describes an error as a callback sees it. */
const seen = (error: unknown) => {
  const { name, code, message, data } = error as McpError;
  return { isMcpError: error instanceof McpError, name, code, message, data };
};

/** Registers a tool that runs `task` and returns its result, or the error that it caught. */
const running =
  (task: (server: Parameters<Register>[0], extra: Extra) => Promise<unknown>): Register =>
  (server) =>
    server.registerTool("run", {}, async (extra) => {
      try {
        return text({ answer: await task(server, extra) });
      } catch (error) {
        return text({ caught: seen(error) });
      }
    });
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Client that reports progress before it responds, unless the message says otherwise. */
const CLIENT: SideOptions = {
  capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  prepare(client: Client) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { sendNotification, _meta, signal }) => {
      const progressToken = _meta?.progressToken;
      if (params.message === "fail") throw new McpError(ErrorCode.InvalidRequest, "no", { why: "mood" });
      if (params.message === "hang") {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      }
      for (const progress of progressToken === undefined ? [] : [1, 2, 3]) {
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken: progressToken ?? 0, progress, total: 3, message: `step ${progress}` },
        });
        if (params.message === "slow") await new Promise((resolve) => setTimeout(resolve, 120));
      }
      return { action: "accept", content: {} };
    });
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
  },
};

const ask = (message: string) => ({
  method: "elicitation/create" as const,
  params: { message, requestedSchema },
});

describe("progress of requests to the client", () => {
  test.each(["sendRequest", "elicitInput", "request"] as const)(
    "%s passes it to `onprogress`",
    async (how) => {
      const register = running(async ({ server }, extra) => {
        const steps: unknown[] = [];
        const options = { onprogress: (progress: unknown) => void steps.push(progress) };
        if (how === "elicitInput") await server.elicitInput(ask("go").params, options);
        else if (how === "request") await server.request(ask("go"), ElicitResultSchema, options);
        else await extra.sendRequest(ask("go"), ElicitResultSchema, options);
        return steps;
      });
      const [wanted, given] = await answersOf(register, call, CLIENT);
      expect(given).toEqual(wanted);
      expect(JSON.stringify(given)).toContain("step 3");
    },
  );

  test("no token is sent without a listener", async () => {
    const tokens: unknown[] = [];
    const prepare = (client: Client) =>
      client.setRequestHandler(ElicitRequestSchema, (_, { _meta }) => {
        tokens.push(_meta?.progressToken);
        return { action: "cancel" };
      });
    await answersOf(
      running(({ server }) => server.elicitInput(ask("go").params)),
      call,
      { ...CLIENT, prepare },
    );
    expect(tokens).toEqual([undefined, undefined]);
  });

  test("progress for an unknown token is reported to `onerror`, with the message (drop-in B12)", async () => {
    const reports: string[][] = [];
    for (const side of await bothSides(() => undefined)) {
      const errors: string[] = [];
      side.server.server.onerror = (error) => void errors.push(error.message);
      const params = { progressToken: 99, other: 3, message: "half", progress: 1, _meta: { a: 1 } };
      await side.client.notification({ method: "notifications/progress", params });
      await settle();
      reports.push(errors);
    }
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[0]).toEqual([
      "Received a progress notification for an unknown token: " +
        '{"method":"notifications/progress","params":{"_meta":{"a":1},"progress":1,"message":"half","progressToken":99}}',
    ]);
  });

  test("progress restarts the timeout only if the options say so", async () => {
    for (const resetTimeoutOnProgress of [true, false]) {
      const options = { timeout: 250, resetTimeoutOnProgress, onprogress: () => undefined };
      const register = running(({ server }) => server.elicitInput(ask("slow").params, options));
      const [wanted, given] = await answersOf(register, call, CLIENT);
      expect(given).toEqual(wanted);
      expect(JSON.stringify(given)).toContain(resetTimeoutOnProgress ? "accept" : "Request timed out");
    }
  });

  test("the total timeout ends a request despite its progress", async () => {
    const options = {
      timeout: 10_000,
      maxTotalTimeout: 100,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
    };
    const register = running(({ server }) => server.elicitInput(ask("slow").params, options));
    const answers = await answersOf(register, call, CLIENT);
    const plain = answers.map((answer) => JSON.stringify(answer).replace(/totalElapsed\\?":\d+/, ""));
    expect(plain[1]).toBe(plain[0]);
    expect(plain[0]).toContain("Maximum total timeout exceeded");
  });
});

describe("errors of requests to the client", () => {
  test.each([
    ["the client's error", (s: Side["server"]["server"]) => s.elicitInput(ask("fail").params)],
    ["a timeout", (s: Side["server"]["server"]) => s.elicitInput(ask("hang").params, { timeout: 20 })],
    [
      "an aborted request",
      (s: Side["server"]["server"]) => s.elicitInput(ask("hang").params, { signal: AbortSignal.timeout(20) }),
    ],
    [
      "a missing handler in the client",
      (s: Side["server"]["server"]) => s.createMessage({ messages, maxTokens: 1 }),
    ],
  ])("%s is an `McpError` of the official SDK", async (_, task) => {
    const [wanted, given] = await answersOf(
      running(({ server }) => task(server)),
      call,
      CLIENT,
    );
    expect(given).toEqual(wanted);
    expect(JSON.stringify(given)).toContain('isMcpError\\":true');
  });

  test("a closed connection is an `McpError` with the code of the official SDK", async () => {
    const caught: unknown[] = [];
    for (const side of await bothSides(() => undefined, CLIENT)) {
      const asked = side.server.server.elicitInput(ask("hang").params).catch((error: unknown) => seen(error));
      await settle();
      await side.client.close();
      caught.push(await asked);
    }
    expect(caught[1]).toEqual(caught[0]);
    expect(caught[0]).toMatchObject({ isMcpError: true, code: -32000 });
  });

  test.each([
    ["sampling", (s: Side["server"]["server"]) => s.createMessage({ messages, maxTokens: 1 })],
    ["roots", (s: Side["server"]["server"]) => s.listRoots()],
    ["form elicitation", (s: Side["server"]["server"]) => s.elicitInput(ask("go").params)],
    [
      "URL elicitation",
      (s: Side["server"]["server"]) =>
        s.elicitInput({ mode: "url", message: "Go", url: "https://example.com", elicitationId: "1" }),
    ],
    [
      "tools in sampling",
      (s: Side["server"]["server"]) => s.createMessage({ messages, maxTokens: 1, tools: [] }),
    ],
  ])("a client without %s: the same error, strict or not", async (_, task) => {
    for (const enforceStrictCapabilities of [true, false]) {
      const [wanted, given] = await answersOf(
        running(({ server }) => task(server)),
        call,
        { server: { enforceStrictCapabilities } },
      );
      expect(given).toEqual(wanted);
      expect(JSON.stringify(given)).toContain("caught");
    }
  });

  test("a request that ends early is cancelled at the client", async () => {
    for (const options of [() => ({ timeout: 20 }), () => ({ signal: AbortSignal.timeout(20) })]) {
      const reasons: unknown[] = [];
      const prepare = (client: Client) =>
        client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          return new Promise(() => undefined);
        });
      await answersOf(
        running(async ({ server }) => {
          await server.ping(); // the official client does not cancel requests with ID 0
          return server.elicitInput(ask("hang").params, options());
        }),
        call,
        { ...CLIENT, prepare },
      );
      await expect.poll(() => reasons.length).toBe(2);
      expect(reasons[1]).toEqual(reasons[0]);
    }
  });

  test("a request on a closed server fails the same way", async () => {
    const caught: unknown[] = [];
    for (const { server } of await bothSides(() => undefined)) {
      await server.close();
      caught.push(seen(await server.server.ping().catch((error: unknown) => error)));
      caught.push(
        seen(
          await server.server
            .notification({ method: "notifications/tools/list_changed" })
            .catch((error: unknown) => error),
        ),
      );
    }
    expect(caught.slice(2)).toEqual(caught.slice(0, 2));
    expect(caught[0]).toMatchObject({ message: "Not connected" });
  });
});

describe("results of the client are checked", () => {
  const cases: readonly (readonly [string, object, object])[] = [
    ["a number as text", { n: { type: "number" } }, { n: "x" }],
    ["a missing field", { n: { type: "string" } }, {}],
    ["a short text", { n: { type: "string", minLength: 3 } }, { n: "ab" }],
    ["a long text", { n: { type: "string", maxLength: 1 } }, { n: "ab" }],
    ["a small number", { n: { type: "number", minimum: 3 } }, { n: 2 }],
    ["a large number", { n: { type: "integer", maximum: 3 } }, { n: 4 }],
    ["a fraction", { n: { type: "integer" } }, { n: 1.5 }],
    ["an unknown choice", { n: { type: "string", enum: ["a", "b"] } }, { n: "c" }],
    ["an invalid email address", { n: { type: "string", format: "email" } }, { n: "ada" }],
    ["an invalid URI", { n: { type: "string", format: "uri" } }, { n: "not a uri" }],
    ["an invalid date", { n: { type: "string", format: "date" } }, { n: "2026-02-30" }],
    ["an invalid time", { n: { type: "string", format: "date-time" } }, { n: "tomorrow" }],
    ["two problems", { n: { type: "number" }, m: { type: "boolean" } }, { n: "x", m: "y" }],
    [
      "a valid form",
      { n: { type: "string", format: "email" }, m: { type: "integer", minimum: 1 } },
      { n: "a@b.co", m: 1 },
    ],
    ["a valid date", { n: { type: "string", format: "date" } }, { n: "2026-02-28" }],
    ["a valid choice", { n: { type: "string", enum: ["a", "b"] } }, { n: "a" }],
  ];
  test.each(cases)("a form with %s is handled as in the official SDK", async (_, properties, content) => {
    const schema = { type: "object", properties, required: ["n"] } as never;
    const [wanted, given] = await answersOf(
      running(({ server }) => server.elicitInput({ message: "?", requestedSchema: schema })),
      call,
      {
        ...CLIENT,
        prepare: (client) =>
          client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content })),
      },
    );
    expect(given).toEqual(wanted);
  });

  test("the option `jsonSchemaValidator` validates forms", async () => {
    const jsonSchemaValidator = {
      getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "never" }),
    };
    const [wanted, given] = await answersOf(
      running(({ server }) => server.elicitInput({ message: "?", requestedSchema })),
      call,
      { ...CLIENT, server: { jsonSchemaValidator } },
    );
    expect(given).toEqual(wanted);
    expect(JSON.stringify(given)).toContain("requested schema: never");
  });

  test("`includeContext` is passed on to every client (drop-in B12)", async () => {
    const sent: unknown[] = [];
    const prepare = (client: Client) =>
      client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
        sent.push(params.includeContext);
        return { role: "assistant", model: "m", content: { type: "text", text: "" } };
      });
    const register = running(({ server }) =>
      server.createMessage({ messages, maxTokens: 1, includeContext: "thisServer" }),
    );
    await answersOf(register, call, { capabilities: { sampling: { context: {} } }, prepare });
    expect(sent).toEqual(["thisServer", "thisServer"]);
    sent.length = 0;
    await answersOf(register, call, { capabilities: { sampling: {} }, prepare });
    expect(sent).toEqual(["thisServer", "thisServer"]);
  });

  test("tool results in sampling messages must match the tool calls", async () => {
    const use = { type: "tool_use" as const, id: "1", name: "t", input: {} };
    const result = { type: "tool_result" as const, toolUseId: "2", content: [] };
    for (const content of [[result], [result, { type: "text" as const, text: "x" }]]) {
      for (const before of [[use], [{ type: "text" as const, text: "x" }]]) {
        const list = [
          { role: "assistant" as const, content: before },
          { role: "user" as const, content },
        ];
        const [wanted, given] = await answersOf(
          running(({ server }) => server.createMessage({ messages: list, maxTokens: 1 })),
          call,
          { capabilities: { sampling: { tools: {} } } },
        );
        expect(given).toEqual(wanted);
      }
    }
  });
});
