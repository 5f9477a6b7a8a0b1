import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import express, { type Router } from "express";
import { defineServer } from "tenon";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFileServingRouter, createHttpMcpRouter } from "../../src/index.js";
import { listenOn } from "../support/mounted-apps.js";

/** The routers were plain functions, although document 003 declares them as Express's `Router`. */

function fileRouter() {
  const folder = mkdtempSync(join(tmpdir(), "router-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "abc.txt"), "content");
  return createFileServingRouter({ routePrefix: "/", resourceStoreUri: pathToFileURL(folder).href });
}

async function start(router: Router, mount = "/exports"): Promise<string> {
  const app = express();
  app.use(mount, router);
  const { origin, close } = await listenOn(app);
  onTestFinished(close);
  return `${origin}${mount}`;
}

const text = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return `${response.status} ${await response.text()}`;
};

describe("first-run-d4: kit's routers are Express routers", () => {
  test("has every method of Express's router", () => {
    const members = Object.keys(express.Router()).concat(
      Object.keys(Object.getPrototypeOf(express.Router())),
    );
    const router: object = fileRouter();
    for (const name of ["all", "get", "post", "delete", "m-search", "use", "param", "route", "stack"]) {
      expect(router).toHaveProperty([name]);
    }
    expect(members.length).toBeGreaterThan(0);
  });

  test("runs added handlers before the files, so that a check protects them", async () => {
    const router = fileRouter();
    router.use((request, response, next) => {
      if (request.headers.authorization === "Bearer ada") next();
      else response.writeHead(401).end("log in");
    });
    const url = await start(router);
    expect(await text(`${url}/abc`)).toBe("401 log in");
    expect(await text(`${url}/abc`, { headers: { authorization: "Bearer ada" } })).toBe("200 content");
  });

  test("serves added routes, parameters, and routes with multiple methods", async () => {
    const router: Router = fileRouter();
    router
      .param("name", (_request, response, next, name: string) => {
        response.setHeader("x-name", name);
        next();
      })
      .get("/hello/:name", (request, response) => void response.send(`hello ${request.params["name"]}`));
    router
      .route("/both")
      .get((_request, response) => void response.send("got"))
      .post((_request, response) => void response.send("posted"));
    const url = await start(router);
    expect(await text(`${url}/hello/ada`)).toBe("200 hello ada");
    expect(await text(`${url}/both`)).toBe("200 got");
    expect(await text(`${url}/both`, { method: "POST" })).toBe("200 posted");
    expect(await text(`${url}/abc`)).toBe("200 content");
    expect(router.stack).toHaveLength(2);
  });

  test("works for the MCP endpoint, which still closes", async () => {
    const router = createHttpMcpRouter({ mcpServer: defineServer({ name: "a", version: "1" }) });
    router.get("/health", (_request, response) => void response.end("ok"));
    const url = await start(router, "/mcp");
    expect(await text(`${url}/health`)).toBe("200 ok");
    expect((await fetch(url, { method: "PUT" })).status).toBe(405);
    await router.close(0);
    expect((await fetch(url, { method: "POST" })).status).toBe(503);
  });

  test("fails closed if a handler could not be added", async () => {
    const router = fileRouter();
    router.get("/:", () => {}); // not a valid path
    expect((await fetch(`${await start(router)}/abc`)).status).toBe(500);
    const { origin, close } = await listenOn(router);
    onTestFinished(close);
    expect((await fetch(`${origin}/abc`)).status).toBe(500);
  });

  test("rejects a missing handler immediately", () => {
    expect(() => fileRouter().get("/x")).toThrow(
      "`router.get` requires at least one handler function; got a string.",
    );
    expect(() => fileRouter().use()).toThrow(
      "`router.use` requires at least one handler function; got nothing.",
    );
  });
});
