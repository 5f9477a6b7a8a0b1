import { IncomingMessage, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import type { JsonObject } from "@tenon/internal/json";
import { DirectRequest, supportsDirectRequests } from "../../../src/transport/node/direct-request.js";
import { listen, SERVED, STREAMED } from "../../../../../tests/support/http-faces.js";
import { exchange, openSocket, rawPost } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

const server = defineServer({ name: "direct", version: "1.0.0" })
  .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
  .build();
const HEADERS = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "echo" };

function echo(said: string, id: number): string {
  return rawPost(
    JSON.stringify(modernRequest("tools/call", { name: "echo", arguments: { text: said } }, id)),
    HEADERS,
  );
}

function saidIn(body: string): unknown {
  const { id, result } = JSON.parse(Buffer.from(body, "latin1").toString()) as JsonObject & { id: number };
  return [id, (result as { content: [{ text: string }] }).content[0].text];
}

const serve = (listener: RequestListener) => listen(listener, { IncomingMessage: DirectRequest });

describe.each([SERVED, STREAMED])("a body on $name", (face) => {
  test("is the same regardless of how it is split, and replies are sent in call order (property)", async () => {
    const { port } = await face.open(server);
    const socket = await openSocket(port);
    const calls = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(calls, fc.array(fc.nat(), { maxLength: 6 }), async (said, cuts) => {
      const bytes = Buffer.from(said.map(echo).join(""));
      const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b);
      const replies = exchange(socket, bytes.subarray(0, places[0]), said.length);
      for (const [index, place] of places.entries()) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        socket.write(bytes.subarray(place, places[index + 1]));
      }
      expect((await replies).map(({ body }) => saidIn(body))).toEqual(said.map((one, id) => [id, one]));
    });
    await fc.assert(property, { numRuns: 50 });
  });

  test("is read as a stream if authentication was asynchronous", async () => {
    const { port } = await face.open(server, {
      authenticate: () =>
        new Promise((resolve) => {
          setTimeout(() => resolve({}), 5);
        }),
    });
    const socket = await openSocket(port);
    const replies = await exchange(socket, echo("one", 1) + echo("two", 2), 2);
    expect(replies.map(({ body }) => saidIn(body))).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });
});

describe("runtime detection", () => {
  /** Serves with `DirectRequest`, and reports if the body could be taken directly. */
  const takesBodies = async (prepare: (request: IncomingMessage) => void = () => {}) => {
    const port = await serve((request, response) => {
      prepare(request);
      const isTaken = request instanceof DirectRequest && request.takeBody(() => {});
      response.writeHead(200, { "content-length": 5 }).end(String(isTaken).padEnd(5));
    });
    const [reply] = await exchange(await openSocket(port), rawPost("hello"));
    return reply?.body.trim();
  };

  test("supports direct bodies on this Node.js version", async () => {
    expect(supportsDirectRequests()).toBe(true);
    expect(await takesBodies()).toBe("true");
  });

  test.each(["push", "resume", "readableEnded"])(
    "detects a request whose %s differs from a stream's",
    (name) => {
      const { prototype } = IncomingMessage;
      expect(Object.hasOwn(prototype, name)).toBe(false);
      onTestFinished(() => void Reflect.deleteProperty(prototype, name));
      Object.defineProperty(prototype, name, { configurable: true, value: () => true });
      expect(supportsDirectRequests()).toBe(false);
    },
  );

  test.each([
    ["no parser", undefined],
    ["a parser that reads a different request", { incoming: null }],
  ])("reads a request as a stream on a socket with %s", async (_what, parser) => {
    const replaced = (request: IncomingMessage) =>
      Object.defineProperty(request, "socket", {
        value: Object.create(request.socket, { parser: { value: parser } }),
      });
    expect(await takesBodies(replaced)).toBe("false");
  });
});

describe("a DirectRequest", () => {
  test("can be read as an ordinary stream", async () => {
    const port = await serve((request, response) => {
      void text(request).then((body) => response.end(`${body}, ${request.readableEnded}`));
    });
    const [reply] = await exchange(await openSocket(port), rawPost("hello"));
    expect(reply?.body).toContain("hello, true");
  });

  test("does not pass its body directly once part of it was read", async () => {
    const port = await serve((request, response) => {
      request.once("data", () => {
        const taken = request instanceof DirectRequest && request.takeBody(() => {});
        request.on("end", () => response.end(String(taken)));
        request.resume();
      });
    });
    const [reply] = await exchange(await openSocket(port), rawPost("hello"));
    expect(reply?.body).toContain("false");
  });

  test("that is not read blocks neither its reply nor the next request on its connection", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 2 }).end("ok");
    });
    const socket = await openSocket(port);
    const replies = await exchange(socket, rawPost("x".repeat(100_000)) + rawPost("y"), 2);
    expect(replies.map(({ body }) => body)).toEqual(["ok", "ok"]);
  });

  test("whose body was taken has ended and does not keep it", async () => {
    const held: unknown[] = [];
    const port = await serve((request, response) => {
      const taker = (chunk: Uint8Array | null) => {
        if (chunk !== null) return;
        held.push(request.readableEnded, Object.values(request).includes(taker));
        response.writeHead(200, { "content-length": 2 }).end("ok");
      };
      if (request instanceof DirectRequest && request.takeBody(taker)) {
        held.push(request.readableEnded, Object.values(request).includes(taker));
      }
    });
    await exchange(await openSocket(port), rawPost("x".repeat(300_000)));
    expect(held).toEqual([false, true, true, false]);
  });

  test("whose body was taken leaves the connection usable for the next request", async () => {
    const port = await serve((request, response) => {
      let size = 0;
      const isTaken =
        request instanceof DirectRequest &&
        request.takeBody((chunk) => {
          if (chunk === null) response.writeHead(200, { "content-length": 6 }).end(String(size));
          else size += chunk.length;
        });
      if (!isTaken) response.writeHead(500).end();
    });
    const socket = await openSocket(port);
    for (let round = 0; round < 3; round++) {
      const [reply] = await exchange(socket, rawPost("x".repeat(300_000)));
      expect(reply?.body).toBe("300000");
    }
  });
});
