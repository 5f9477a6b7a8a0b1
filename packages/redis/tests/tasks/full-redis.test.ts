import { Redis } from "ioredis";
import { TaskEngineError } from "tenon/tasks";
import { expect, onTestFinished, test } from "vitest";
import { REDIS_INSTALL_MS, startRedis } from "../../../../tools/redis-server.js";
import { noRedis } from "../support/fixture.js";
import { createPrefix, openNode } from "../support/tasks/engines.js";

test.skipIf(noRedis !== undefined)(
  "errors of the queue on a full Redis are reported as an outage, which is logged once",
  { timeout: REDIS_INSTALL_MS + 60_000 },
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const node = await openNode({ url: server.url, prefix: createPrefix() });
    const administrator = new Redis(server.url);
    const reports: unknown[] = [];
    const stop = node.engine.work({
      run: async () => undefined,
      report: (error) => void reports.push(error),
    });
    await administrator.config("SET", "maxmemory", "1");
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    await administrator.config("SET", "maxmemory", "0");
    administrator.disconnect();
    await stop();
    await node.close();
    for (const report of reports) {
      expect(report).toBeInstanceOf(TaskEngineError);
      expect(report).toMatchObject({ code: "unavailable", cause: expect.any(Error) });
    }
  },
);
