import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { allEvents, allMessages } from "../../../../tests/support/http-events.js";
import {
  type Endpoint,
  FACES,
  NODE,
  post,
  read,
  SERVED,
  until,
} from "../../../../tests/support/http-faces.js";
import { initializeBody, openSession } from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";

/** Cancelled calls reset the connection, and requests for unknown sessions, streams, and versions were accepted. */

const setUp = () => {
  const seen = { started: 0, aborted: 0 };
  const server = defineServer({ name: "sessions", version: "1.0.0" })
    .tool("hi", { handler: () => "hi" })
    .tool("count", {
      handler: async (_args, call) => {
        await call.log("info", 1);
        return "done";
      },
    })
    .tool("wait", {
      handler: (_args, call) =>
        new Promise<string>((_resolve, reject) => {
          seen.started++;
          call.signal.addEventListener("abort", () => {
            seen.aborted++;
            reject(call.signal.reason);
          });
        }),
    })
    .build();
  return { server, seen };
};

const CANCELLED = {
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: 7, reason: "no" },
};
const refusal = (message: string, code = -32600) => ({ jsonrpc: "2.0", id: null, error: { code, message } });
const SESSION_ENDED = refusal("The session has ended. Send `initialize` to open a new session.");

describe.each(FACES)("first-run-b6: a legacy call on $name that", (face) => {
  test("is cancelled before it has a response ends with an empty event stream", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server));
    const calling = client.call("wait", {}, 7);
    await until(() => seen.started === 1);
    expect((await client.post(CANCELLED)).status).toBe(202);
    const response = await calling;
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await allEvents(response)).toEqual([]);
    expect(seen.aborted).toBe(1);
    expect((await client.call("hi")).status).toBe(200);
  });

  test("is in flight when its session is deleted gets 404", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server));
    const calling = client.call("wait", {}, 7);
    await until(() => seen.started === 1);
    expect((await client.end()).status).toBe(204);
    expect(await read(await calling)).toEqual({ status: 404, body: SESSION_ENDED });
    expect(seen.aborted).toBe(1);
  });

  test("has opened its stream when its session is deleted ends the stream", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server, { streamAfterMs: 1 }));
    const calling = await client.call("wait", {}, 7);
    await until(() => seen.started === 1);
    expect((await client.end()).status).toBe(204);
    expect(await allMessages(calling)).toEqual([]);
  });
});

describe.each([NODE, SERVED])("first-run-b6: the TCP connection on $name", (face) => {
  test.each(["cancelled", "deleted"] as const)("stays usable when a call is %s", async (how) => {
    const { server, seen } = setUp();
    const endpoint = await face.open(server);
    const client = await openSession(endpoint);
    const problems: unknown[] = [];
    const done = new Promise<string | undefined>((resolve) => {
      const sent = httpRequest(
        {
          port: endpoint.port,
          host: "127.0.0.1",
          path: "/mcp",
          method: "POST",
          headers: { ...client.headers, "content-type": "application/json", connection: "keep-alive" },
        },
        (response) => response.resume().on("end", () => resolve(response.headers.connection)),
      );
      sent.on("error", (error) => {
        problems.push(error);
        resolve("failed");
      });
      sent.end(JSON.stringify(request("tools/call", { name: "wait" }, 7)));
    });
    await until(() => seen.started === 1);
    await (how === "cancelled" ? client.post(CANCELLED) : client.end());
    expect(await done).toBe("keep-alive");
    expect(problems).toEqual([]);
  });
});

describe.each(FACES)("first-run-b6: initialize on $name", (face) => {
  const send = async (endpoint: Endpoint, headers: Record<string, string>) =>
    endpoint.fetch(post(initializeBody(), headers));

  test("in an open session is rejected, and does not open a new one", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const client = await openSession(endpoint);
    const again = await send(endpoint, { "mcp-session-id": client.id });
    expect(again.headers.get("mcp-session-id")).toBeNull();
    expect(await read(again)).toEqual({
      status: 400,
      body: {
        ...refusal(
          "This session is already initialized. Omit the Mcp-Session-Id header to open a new session.",
        ),
        id: "init",
      },
    });
    expect((await client.call("hi")).status).toBe(200);
  });

  test("with an unknown session is 404", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    expect(await read(await send(endpoint, { "mcp-session-id": "unknown" }))).toEqual({
      status: 404,
      body: refusal(
        "Session not found. Send `initialize` without the Mcp-Session-Id header to open a new session.",
      ),
    });
    const client = await openSession(endpoint);
    await client.end();
    expect((await send(endpoint, { "mcp-session-id": client.id })).status).toBe(404);
    expect((await send(endpoint, {})).status).toBe(200);
  });

  test("ignores the header in stateless mode", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server, { legacy: "stateless" });
    expect((await send(endpoint, { "mcp-session-id": "any" })).status).toBe(200);
  });
});

describe.each(FACES)("first-run-b6: Last-Event-ID on $name", (face) => {
  test.each([
    "nonsense",
    "1",
    "1_",
    "_1",
    "main_",
    "main_-1",
    "main_1e3",
    "__proto___1",
    "main_1_1",
    `main_${"9".repeat(40)}`,
    "main_01",
    "01_0",
    "0_0",
    // Valid IDs that this session never issued.
    "main_99",
    "99_0",
    "1_99",
  ])("%j is 400, because the session never issued it", async (id) => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    await allEvents(await client.call("count"));
    expect(await read(await client.get(id))).toEqual({
      status: 400,
      body: refusal(
        `Last-Event-ID "${id.length > 40 ? `${id.slice(0, 40)}...` : id}" was not issued in this session. ` +
          "Send the ID of the last event that you received, or omit the header.",
      ),
    });
  });

  test("of a different session is 400", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const [ada, eve] = [await openSession(endpoint), await openSession(endpoint)];
    await allEvents(await ada.call("count"));
    expect((await eve.get("1_1")).status).toBe(400);
  });

  test("of a call whose events were dropped is 204: nothing follows", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    for (let id = 1; id <= 18; id++) await allEvents(await client.call("count", {}, id));
    expect((await client.get("1_1")).status).toBe(204);
    expect((await client.get("18_2")).status).toBe(204);
  });

  test("of server messages that were dropped continues with the oldest kept message", async () => {
    const { server } = setUp();
    const streams = { maxEvents: 1, maxLength: 10_000 };
    const client = await openSession(await face.open(server, { sessions: { streams } }));
    for (const name of ["a", "b", "c"]) server.update((editor) => editor.tool(name, { handler: () => "" }));
    const response = await client.get("main_0");
    expect(response.status).toBe(200);
    const reading = allEvents(response);
    await client.end();
    expect((await reading).map(({ id }) => id)).toEqual(["main_2", "main_3"]);
  });
});

describe.each(FACES)("first-run-b6: an unsupported version header on $name", (face) => {
  test.each(["POST", "GET", "DELETE"])("%s lists the supported versions", async (method) => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const { headers } = await openSession(endpoint);
    const wrong = { ...headers, accept: "text/event-stream", "mcp-protocol-version": "2099-01-01" };
    const sent = method === "POST" ? post(request("ping"), wrong) : { method, headers: wrong };
    expect(await read(await endpoint.fetch(sent))).toEqual({
      status: 400,
      body: {
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32602,
          message: `Unsupported protocol version "2099-01-01". Supported versions: ${REVISIONS.join(", ")}.`,
          data: { supported: [...REVISIONS], requested: "2099-01-01" },
        },
      },
    });
  });
});
