import { expect, test } from "vitest";
import { NotStoredError } from "../../src/core/wire/changes.js";
import type { LogEntry } from "../../src/core/wire/log.js";
import { defineServer } from "../../src/core/define-server.js";
import { createClock } from "../../../../tests/support/http-clock.js";
import { replyTo, request } from "../../../../tests/support/requests.js";

test("a handler that waited for the store fails after an outage without beginning another one in the log", async () => {
  const clock = createClock();
  const events: LogEntry["event"][] = [];
  const log = ({ event }: LogEntry) => void events.push(event);
  const server = defineServer({ name: "outage", version: "1.0.0", ports: clock.ports, log })
    .tool("wait", {
      handler: () => {
        throw new NotStoredError("The update is not stored yet.");
      },
    })
    .build();
  const call = () => replyTo(server, request("tools/call", { name: "wait", arguments: {} }));
  await call();
  await call();
  expect(events).toEqual(["store-failed"]);
  server.operations.warn("store-restored", "The store works again.");
  await call();
  expect(server.operations.beginsOutage()).toBe(true);
  server.operations.warn("store-restored", "The store works again.");
  clock.advance(40_000);
  await call();
  expect(events).toEqual(["store-failed", "store-restored", "store-restored", "store-failed"]);
});
