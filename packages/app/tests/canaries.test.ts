import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { SignJWT } from "jose";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import {
  clientSink,
  createErrorHandler,
  createLogger,
  createRateLimiter,
  defineToolHandler,
  limiterGuard,
  loadAppConfig,
  loadTelemetry,
  requestContextService,
  standard,
  toAuthorization,
  toCoreLog,
} from "../src/index.js";
import { defineServer } from "../../tenon/src/core/define-server.js";
import { toFetch } from "../../tenon/src/transport/fetch/fetch-handler.js";
import { post } from "../../../tests/support/http-faces.js";
import { initializeBody, modernCall, modernPost } from "../../../tests/support/http-messages.js";

// One marker per source of secrets, so that a leak shows where it started.
const CANARIES = {
  argument: "canary-argument-3b91",
  header: "canary-header-77c2",
  environment: "canary-environment-0d5e-and-32-letters",
  error: "canary-error-e4f0",
  token: "canary-token-19aa",
};

const env = {
  MCP_AUTH_MODE: "jwt",
  MCP_TRANSPORT_TYPE: "http",
  MCP_AUTH_SECRET_KEY: CANARIES.environment,
  NODE_ENV: "test",
};
const config = loadAppConfig(env);
const lines: string[] = [];
const replies: string[] = [];
const spans = new InMemorySpanExporter();
let fetch: ReturnType<typeof toFetch>;
let authorization = "";

beforeAll(async () => {
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  const logger = await createLogger({
    level: "debug",
    destination: { write: (line) => lines.push(line) },
    redact: { secrets: [CANARIES.environment] },
    sinks: [clientSink()],
  });
  const errorHandler = createErrorHandler({ logger });
  const limiter = limiterGuard({ limiter: createRateLimiter({ limit: 1_000 }) });
  const input = z.object({ password: z.string().max(64), note: z.string().optional() });
  const server = defineServer({ name: "canary", version: "1.0.0", log: toCoreLog(logger) })
    .use(standard({ logger, limiter, telemetry: await loadTelemetry() }))
    .tool("log", {
      input,
      handler(args, call) {
        logger.info("Called", requestContextService.current(), {
          args,
          env,
          headers: { authorization: call.header("authorization"), cookie: call.header("cookie") },
        });
        return "logged";
      },
    })
    .tool("throw", {
      input,
      handler(args) {
        throw new Error(`cannot reach https://ada:${CANARIES.error}@db.local`, {
          cause: Object.assign(new Error(`password=${CANARIES.error}`), { args, env }),
        });
      },
    })
    .tool("handled", {
      input,
      handler: defineToolHandler({
        toolName: "handled",
        errorHandler,
        logic() {
          throw new TypeError(`Bearer ${CANARIES.error} was refused for ${CANARIES.environment}`);
        },
      }),
    })
    .tool("vault", { scopes: ["vault"], handler: () => "never" })
    .build();
  fetch = toFetch(server, { authorization: toAuthorization(config), allowedHosts: ["localhost"] });
  const token = await new SignJWT({ cid: "ada", scope: "read", api_key: CANARIES.token })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(new TextEncoder().encode(CANARIES.environment));
  authorization = `Bearer ${token}`;
});

afterAll(async () => {
  await fetch.close();
  api.trace.disable();
  api.context.disable();
});

async function send(init: RequestInit): Promise<void> {
  const response = await fetch(new Request("http://localhost/mcp", init));
  replies.push(JSON.stringify([response.status, [...response.headers], await response.text()]));
}

test("T4, T40, T57: no secret reaches a log line, a span, an error, or a response", async () => {
  const headers = () => ({
    authorization,
    cookie: `session=${CANARIES.header}`,
    "x-api-key": CANARIES.header,
  });
  const args = { password: CANARIES.argument, note: `api_key=${CANARIES.argument}` };
  for (const name of ["log", "throw", "handled"]) await send(modernCall(name, args, { headers: headers() }));
  await send(modernCall("log", { ...args, password: 7 }, { headers: headers() }));
  await send(modernCall("vault", {}, { headers: headers() }));
  await send(modernCall("log", args, { headers: { authorization: `Bearer ${CANARIES.token}` } }));
  await send(modernPost("tools/list", {}, { headers: headers() }));
  await send(post(initializeBody(), headers()));
  const refused = (): unknown => loadAppConfig({ ...env, MCP_HTTP_PORT: "none", OAUTH_ISSUER_URL: "x" });
  expect(refused).toThrow("MCP_HTTP_PORT");
  try {
    refused();
  } catch (error) {
    replies.push(inspect(error, { depth: 9, showHidden: true }));
  }

  // Confirms that each code path ran and could have leaked.
  expect(lines.filter((line) => line.includes("Called"))).toHaveLength(1);
  expect(lines.join("")).toContain("[REDACTED]");
  expect(lines.join("")).toContain("tools/call throw failed");
  expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(
    expect.arrayContaining(["tools/call log", "tools/call throw", "tools/call handled"]),
  );
  expect(replies.map((reply) => reply.slice(1, 4))).toEqual(expect.arrayContaining(["200", "401", "403"]));

  const shown = {
    log: lines.join(""),
    spans: inspect(
      spans
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => [name, attributes, events, status]),
      { depth: 9 },
    ),
    replies: replies.join("\n"),
    config: inspect(config, { depth: 9, showHidden: true }) + JSON.stringify(config),
  };
  for (const [place, text] of Object.entries(shown)) {
    for (const [origin, canary] of Object.entries(CANARIES)) {
      expect([place, origin, text.includes(canary)]).toEqual([place, origin, false]);
    }
    expect([place, text.includes(authorization.slice(-20))]).toEqual([place, false]);
  }
});
