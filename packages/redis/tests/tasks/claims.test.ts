import { createTaskRecord } from "tenon/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { REDIS_INSTALL_MS, type RedisServer, startRedis } from "../../../../tools/redis-server.js";
import { RedisCalls } from "../../src/tasks/redis-calls.js";
import { type CreateArguments, TaskScripts } from "../../src/tasks/task-scripts.js";
import { noRedis } from "../support/fixture.js";
import { createPrefix, LIMITS, openNode, type TestNode } from "../support/tasks/engines.js";

let server: RedisServer | undefined;
let node: TestNode | undefined;
let root = "";

beforeAll(async () => {
  if (noRedis !== undefined) return;
  server = await startRedis();
  node = await openNode({ url: server.url, prefix: createPrefix() });
}, REDIS_INSTALL_MS + 60_000);
beforeEach(() => {
  root = `{${createPrefix()}}`;
});
afterAll(async () => {
  await node?.close();
  await server?.stop();
});

function createScripts(limits: Partial<typeof LIMITS> = {}): TaskScripts {
  if (node === undefined) throw new Error("Redis is not running.");
  return new TaskScripts(new RedisCalls(node.link), root, { ...LIMITS, ...limits });
}

function createTask(taskId: string, members: Partial<CreateArguments> = {}): CreateArguments {
  const { bytes, deleteAt } = createTaskRecord(Date.now());
  const version = `version of ${taskId}`;
  return {
    taskId,
    bytes,
    deleteAt,
    version,
    sealed: "sealed",
    owner: "",
    job: `job-of-${taskId}`,
    patienceMs: "",
    ...members,
  };
}

/** Claim of a job by a node. */
function by(nodeName: string, job = "job-of-task", taskId = "task") {
  return { taskId, job, node: nodeName, holder: `${nodeName} 1` };
}

const beat = (scripts: TaskScripts, name: string) => scripts.tick({ node: name, cursor: "0", added: [] });

describe.skipIf(noRedis !== undefined)("a claim", () => {
  test("belongs to its node while that sends heartbeats, and to the next one after it left", async () => {
    const scripts = createScripts();
    await scripts.create(createTask("task"));
    for (const name of ["a", "b", "c"]) await beat(scripts, name);
    expect(await scripts.claim(by("a"))).toEqual({
      kind: "run",
      version: "version of task",
      sealed: "sealed",
    });
    await beat(scripts, "a");
    expect(await scripts.claim(by("b"))).toMatchObject({ kind: "busy" });
    expect(await scripts.claim(by("a"))).toMatchObject({ kind: "run" });
    await scripts.leave("a");
    expect(await scripts.claim(by("b"))).toMatchObject({ kind: "run" });
    await beat(scripts, "b");
    expect(await scripts.claim(by("c"))).toMatchObject({ kind: "busy" });
  });

  test("of a silent node is taken over only by a node whose own heartbeats have arrived for as long", async () => {
    const scripts = createScripts();
    await scripts.create(createTask("task"));
    for (const name of ["a", "b"]) await beat(scripts, name);
    await scripts.claim(by("a"));
    const setHeartbeats = async (name: string, lastAgo: number, sinceAgo: number) => {
      const now = Date.now();
      await node?.link.client.hset(`${root}:nodes`, name, `${now - lastAgo} ${now - sinceAgo}`);
    };
    await setHeartbeats("a", 60_000, 90_000);
    // As after an outage of Redis, in which no heartbeat arrived.
    await setHeartbeats("b", 0, 100);
    expect(await scripts.claim(by("b"))).toMatchObject({ kind: "busy" });
    // As before the first heartbeat after an outage.
    await setHeartbeats("b", 1_900, 60_000);
    expect(await scripts.claim(by("b"))).toMatchObject({ kind: "busy" });
    await setHeartbeats("b", 0, 60_000);
    expect(await scripts.claim(by("b"))).toMatchObject({ kind: "run" });
  });

  test("of a silent node is kept as long as the task asks for, and not longer", async () => {
    const scripts = createScripts();
    await scripts.create(createTask("task", { patienceMs: 30_000 }));
    for (const name of ["a", "b"]) await beat(scripts, name);
    await scripts.claim(by("a"));
    for (const [silentMs, kind] of [
      [3_000, "busy"],
      [29_000, "busy"],
      [31_000, "run"],
    ] as const) {
      const now = Date.now();
      await node?.link.client.hset(`${root}:nodes`, "a", `${now - silentMs} ${now - 90_000}`);
      await node?.link.client.hset(`${root}:nodes`, "b", `${now} ${now - 90_000}`);
      expect(await scripts.claim(by("b"))).toMatchObject(
        kind === "busy" ? { kind, isPatient: true } : { kind },
      );
    }
  });

  test("is not ended by a node that lost it", async () => {
    const scripts = createScripts();
    await scripts.create(createTask("task"));
    for (const name of ["a", "b", "c"]) await beat(scripts, name);
    await scripts.claim(by("a"));
    await scripts.leave("a");
    await scripts.claim(by("b"));
    for (const end of ["done", "again", "later"] as const)
      expect(await scripts.finish(by("a"), end, "stale")).toEqual([]);
    await beat(scripts, "b");
    expect(await scripts.claim(by("c"))).toMatchObject({ kind: "busy" });
    expect(await scripts.finish(by("b"), "again", "next")).toEqual([{ job: "next", taskId: "task" }]);
    expect(await scripts.claim(by("c"))).toEqual({ kind: "drop" });
    expect(await scripts.claim(by("c", "next"))).toMatchObject({ kind: "run" });
    expect(await scripts.finish(by("c", "next"), "done", "unused")).toEqual([]);
    expect(await scripts.claim(by("b", "next"))).toEqual({ kind: "drop" });
  });

  test("that ends gives its slot to one waiting task of the same owner, also if the command is repeated", async () => {
    const scripts = createScripts({ concurrencyPerPrincipal: 1 });
    await beat(scripts, "a");
    const outcomes = [];
    for (const taskId of ["task", "second", "third"])
      outcomes.push(await scripts.create(createTask(taskId, { owner: "ada" })));
    expect(outcomes).toEqual(["added", "held", "held"]);
    await scripts.claim(by("a"));
    const next = { job: "job-of-second", taskId: "second" };
    expect(await scripts.finish(by("a"), "done", "unused")).toEqual([next]);
    expect(await scripts.finish(by("a"), "done", "unused")).toEqual([]);
    expect(await scripts.count()).toEqual({ stored: 3, held: 1 });
  });
});

test.skipIf(noRedis !== undefined)("commands that arrive twice take effect once", async () => {
  const scripts = createScripts({ maxTotalBytes: 40_000, concurrencyPerPrincipal: 1 });
  const first = createTask("task", { bytes: 3_000, owner: "ada" });
  const second = createTask("second", { bytes: 2_000, owner: "ada" });
  expect([await scripts.create(first), await scripts.create(first)]).toEqual(["added", "added"]);
  expect([await scripts.create(second), await scripts.create(second)]).toEqual(["held", "held"]);
  expect(await scripts.create({ ...first, version: "another" })).toBe("exists");
  const { version: expectedVersion } = first;
  const write = { ...first, expectedVersion, version: "next", bytes: 4_000, job: "", channel: "channel" };
  expect([await scripts.write(write), await scripts.write(write)]).toEqual(["written", "written"]);
  expect(await scripts.write({ ...write, version: "other" })).toBe("stale");
  expect(await scripts.create(createTask("third", { bytes: 34_001 }))).toBe("bytes");
  expect(await scripts.create(createTask("third", { bytes: 34_000 }))).toBe("added");
});
