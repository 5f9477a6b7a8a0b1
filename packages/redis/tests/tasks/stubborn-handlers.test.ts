import { systemPorts } from "@tenon/internal/ports";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SharedStore } from "tenon/stores";
import { FETCH } from "../../../../tests/support/http-faces.js";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import {
  connect,
  createErrorLog,
  createGate,
  taskServer,
} from "../../../tenon/tests/support/tasks/task-client.js";
import { noRedis, openTestStore } from "../support/fixture.js";

const GRACE_MS = 10_000;
const WAIT = { timeout: 30_000, interval: 5 };
const AUTH = { auth: { principal: "ada", scopes: [] } };

/** Ports whose timers of ten seconds fire when the test says so. */
function createGracePorts() {
  const timers = new Set<() => void>();
  const startTimer: typeof systemPorts.startTimer = (task, ms, isBackground) => {
    if (ms !== GRACE_MS) return systemPorts.startTimer(task, ms, isBackground);
    timers.add(task);
    return () => timers.delete(task);
  };
  return { ports: { startTimer }, endGrace: () => timers.forEach((task) => task()), timers };
}

/** Starts a node with handlers that do not stop before the gate opens. */
async function startNode(store: SharedStore, gate: Promise<void>) {
  const { ports, endGrace, timers } = createGracePorts();
  const { errors, log } = createErrorLog();
  const counts = { running: 0, quick: 0 };
  const limits = { concurrency: 2, concurrencyPerPrincipal: 2 };
  const server = taskServer({ ...limits, ttlMs: 3_600_000 }, { ports, log })
    .tool("stubborn", {
      task: "required",
      handler: async () => {
        counts.running++;
        await gate;
        counts.running--;
        return "done";
      },
    })
    .tool("quick", { task: "required", handler: () => `quick ${++counts.quick}` })
    .build();
  await FETCH.open(server, { store });
  return { client: await connect(server, AUTH), counts, errors, endGrace, timers };
}

describe.skipIf(noRedis !== undefined)(
  "a cancelled task whose handler ignores its signal",
  { timeout: 60_000 },
  () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    }, REDIS_INSTALL_MS);
    afterAll(() => redis.stop());

    test("ends after a grace period, and its place on the node and in its principal's share is free", async () => {
      const gate = createGate();
      const open = () => openTestStore({ url: redis.url, prefix: "stubborn" });
      const nodes = [
        await startNode(await open(), gate.promise),
        await startNode(await open(), gate.promise),
      ] as const;
      onTestFinished(() => gate.open());
      const count = (of: "running" | "quick" | "timers") =>
        nodes.reduce((sum, { counts, timers }) => sum + (of === "timers" ? timers.size : counts[of]), 0);
      const [create, { get, cancel, settled }] = [nodes[0].client.create, nodes[1].client];
      const ids = [await create("stubborn"), await create("stubborn")];
      await expect.poll(() => count("running"), WAIT).toBe(2);
      const waiting = await create("quick");
      for (const taskId of ids) await cancel(taskId);
      await expect.poll(() => count("timers"), WAIT).toBe(2);
      for (const taskId of ids) expect((await get(taskId)).status).toBe("working");
      expect(count("quick")).toBe(0);
      for (const { endGrace } of nodes) endGrace();
      for (const taskId of ids) expect((await settled(taskId)).status).toBe("cancelled");
      expect((await settled(waiting)).status).toBe("completed");
      expect(count("running")).toBe(2);
      for (const { counts, errors } of nodes)
        expect(errors.map(String)).toEqual(
          counts.running === 0 ? [] : [expect.stringContaining("did not stop. It no longer counts")],
        );
      gate.open();
      await expect.poll(() => count("running"), WAIT).toBe(0);
      for (const taskId of ids) expect((await get(taskId)).status).toBe("cancelled");
    });
  },
);
