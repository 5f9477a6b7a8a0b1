/**
 * @fileoverview The contract server mounted on every kind of application, as documented.
 * @module tests/kit/support/mounted-apps
 */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { createAdaptorServer } from "@hono/node-server";
import connectApp from "connect";
import express from "express";
import Fastify, { type FastifyInstance } from "fastify";
import { Hono } from "hono";
import { createHttpMcpRouter } from "../../src/index.js";
import { toFetch } from "tenon/fetch";
import { toNodeHandler } from "tenon/node";
import { createContractServer } from "../../../../tests/support/contract/transport-server.js";
import type { Mounted } from "./official-wire.js";

/** Listens on a free loopback port. */
export async function listenOn(
  app: RequestListener,
): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const http = createServer(app).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo; // listening on a port
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

/** Express, with or without a body parser before the endpoint. */
export async function mountOnExpress(parser?: express.RequestHandler): Promise<Mounted> {
  const router = createHttpMcpRouter({ mcpServer: createContractServer() });
  const app = express();
  if (parser !== undefined) app.use(parser);
  app.use("/api/mcp", router);
  const { origin, close } = await listenOn(app);
  return { url: `${origin}/api/mcp`, close: () => router.close(1_000).then(close) };
}

/** Connect. */
export async function mountOnConnect(): Promise<Mounted> {
  const router = createHttpMcpRouter({ serverFactory: createContractServer });
  const app = connectApp();
  app.use("/mcp", router);
  const { origin, close } = await listenOn(app);
  return { url: `${origin}/mcp`, close: () => router.close(1_000).then(close) };
}

/** Fastify with its own body parser. The parsed body is passed on. */
export async function mountOnFastifyParsed(): Promise<Mounted> {
  const handler = toNodeHandler(createContractServer());
  const app = Fastify();
  app.all("/mcp", (request, reply) => {
    reply.hijack();
    handler(Object.assign(request.raw, { body: request.body }), reply.raw);
  });
  return listenFastify(app, handler);
}

/** Fastify without body parsing. */
export async function mountOnFastifyUnread(): Promise<Mounted> {
  const handler = toNodeHandler(createContractServer());
  const app = Fastify();
  await app.register(async (mcp) => {
    mcp.removeAllContentTypeParsers();
    mcp.addContentTypeParser("*", (_request, _payload, done) => done(null));
    mcp.all("/mcp", (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
  });
  return listenFastify(app, handler);
}

async function listenFastify(
  app: FastifyInstance,
  handler: ReturnType<typeof toNodeHandler>,
): Promise<Mounted> {
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    url: `${origin}/mcp`,
    async close() {
      await handler.close(1_000);
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

/** Hono, called directly. */
export async function mountOnHono(): Promise<Mounted> {
  const handler = toFetch(createContractServer());
  const app = new Hono().all("/mcp", (c) => handler(c.req.raw));
  return {
    url: "http://localhost/mcp",
    fetch: (request) => app.fetch(request),
    close: () => handler.close(1_000),
  };
}

/** Hono on a version of its Node server. */
export async function mountOnHonoServer(create: typeof createAdaptorServer): Promise<Mounted> {
  const handler = toFetch(createContractServer());
  const app = new Hono().all("/mcp", (c) => handler(c.req.raw, c.env));
  const http = create({ fetch: app.fetch }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo; // listening on a port
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await handler.close(1_000);
      if ("closeAllConnections" in http) http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
