import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { AgentServerBuilder, defineMessage } from "../../src/index.js";

/** A paused socket still delivers data that it has already read, so one large write used to exceed the limit. */
test("messages that arrive in one write do not exceed the limit of messages in flight", async () => {
  let inFlight = 0;
  let most = 0;
  let done = 0;
  const message = defineMessage({
    type: "work",
    dataSchema: z.object({}),
    async handler() {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inFlight--;
      done++;
    },
  });
  const server = new AgentServerBuilder().registerMessage(message).build();
  const { url } = await server.start({ port: 0, maxInFlight: 2 });
  const client = new WebSocket(url);
  onTestFinished(async () => {
    client.terminate();
    await server.stop();
  });
  await once(client, "open");
  const socket = (client as unknown as { readonly _socket: { cork(): void; uncork(): void } })._socket;
  socket.cork();
  for (let index = 0; index < 500; index++) client.send('{"type":"work","data":{}}');
  socket.uncork();
  await expect.poll(() => done, { timeout: 60_000 }).toBe(500);
  expect(most).toBe(2);
});
