import { describe, expect, onTestFinished, test } from "vitest";
import { defineServer } from "../../../src/core/define-server.js";
import { serve } from "../../../src/transport/node/serve.js";
import { until } from "../../../../../tests/support/http-faces.js";
import { collectReplies, exchange, openSocket, rawPost } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

const rawCall = (name: string) =>
  rawPost(JSON.stringify(modernRequest("tools/call", { name, arguments: {} })), {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": name,
  });

const [ECHO, WAIT] = [rawCall("echo"), rawCall("wait")];

async function start() {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const state = { waiting: 0, release };
  const server = defineServer({ name: "drain", version: "1.0.0" })
    .tool("echo", { handler: () => "hi" })
    .tool("wait", {
      handler: async () => {
        state.waiting++;
        await released;
        return "waited";
      },
    })
    .build();
  const running = await serve(server, { port: 0, drainMs: 60_000, signals: false, banner: false });
  onTestFinished(async () => {
    release();
    await running.close();
  });
  return { running, state, port: Number(new URL(running.url ?? "").port) };
}

describe("a connection to a server that drains", () => {
  test("closes with its next response, so that a balancer of connections chooses another server", async () => {
    const { running, port } = await start();
    const socket = await openSocket(port);
    const [before] = await exchange(socket, ECHO);
    expect([before?.status, before?.headers["connection"]]).toEqual([200, "keep-alive"]);
    // A signal to the whole process group reaches a worker twice.
    for (let count = 0; count < 2; count++) void running.drain();
    const { ended } = collectReplies(socket);
    socket.write(ECHO);
    expect(await ended).toMatchObject([{ status: 200, headers: { connection: "close" } }]);
  });

  test.each(["a call that has ended", "a call in flight"])(
    "closes only after requests that were sent behind %s",
    async (place) => {
      const { running, state, port } = await start();
      void running.drain();
      const socket = await openSocket(port);
      const { ended } = collectReplies(socket);
      const isInFlight = place === "a call in flight";
      socket.write(`${isInFlight ? WAIT : ECHO}${ECHO}`);
      if (isInFlight) {
        await until(() => state.waiting === 1, "the call");
        socket.write(ECHO);
        state.release();
      } else socket.write(ECHO);
      const statuses = (await ended).map(({ status }) => status);
      expect(statuses.slice(0, 2)).toEqual([200, 200]);
      expect(new Set(statuses)).toEqual(new Set([200]));
    },
  );
});
