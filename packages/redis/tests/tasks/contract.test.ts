import type { TaskEngine } from "tenon/tasks";
import { loadContracts } from "tenon/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import { noRedis } from "../support/fixture.js";
import { createPrefix, openNode, type TestNode } from "../support/tasks/engines.js";

let server: RedisServer | undefined;
const nodes = new Map<TaskEngine, TestNode>();

beforeAll(async () => {
  if (noRedis === undefined) server = await startRedis();
}, REDIS_INSTALL_MS + 60_000);

afterAll(async () => {
  for (const node of nodes.values()) await node.close();
  await server?.stop();
});

async function open(options: Omit<TestNode["options"], "url">): Promise<TaskEngine> {
  const node = await openNode({ url: server?.url ?? "", ...options });
  nodes.set(node.engine, node);
  return node.engine;
}

function optionsOf(engine: TaskEngine): TestNode["options"] {
  const node = nodes.get(engine);
  if (node === undefined) throw new Error("Unknown engine.");
  return node.options;
}

const contracts = await loadContracts();

describe.skipIf(noRedis !== undefined)("the task engine on Redis", () => {
  const cases = contracts.taskEngine({
    createEngine: (limits) => open({ prefix: createPrefix(), limits }),
    createPeer: (engine) => open(optionsOf(engine)),
    async reopen(engine) {
      await nodes.get(engine)?.kill();
      return open(optionsOf(engine));
    },
    limits: ["concurrency", "concurrencyPerPrincipal", "maxTasks", "maxTasksPerPrincipal", "maxTotalBytes"],
    timeoutMs: 30_000,
    quietMs: 200,
  });
  for (const { title, run } of cases) test(title, run);
});
