import type { WebSocket } from "ws";
import { expect, test } from "vitest";
import { Outbox } from "../../src/socket/outbox.js";
import { QueuedBytes } from "../../src/socket/queued-bytes.js";

test("the pieces of a large frame do not keep it in memory until the client takes the last one", () => {
  const sent: Uint8Array[] = [];
  // A stand-in for ws, because a real socket does not show which buffer it holds.
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send(bytes: Uint8Array, _options: unknown, done: () => void) {
      sent.push(bytes);
      queueMicrotask(done);
    },
  } as unknown as WebSocket; // Safe: the queue uses no other members
  const onOverflow = () => expect.unreachable();
  const outbox = new Outbox({
    socket,
    maxBytes: 1_000_000,
    total: new QueuedBytes(1_000_000_000),
    onOverflow,
  });
  outbox.send(new Uint8Array(1_000_000));
  expect(sent.length).toBeGreaterThan(10);
  for (const { buffer, byteLength } of sent) expect(buffer.byteLength).toBe(byteLength);
  expect(sent.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(1_000_000);
});
