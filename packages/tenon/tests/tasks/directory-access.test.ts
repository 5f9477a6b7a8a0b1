import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { JsonObject } from "@tenon/internal/json";
import { form } from "tenon";
import { createTaskEngine, type EngineOptions, type TaskEngine, type TaskRecord } from "tenon/tasks";
import { createTaskRecord } from "../../src/tasks/contract/records.js";
import { makeFolder } from "../support/tasks/engine-harnesses.js";
import { accept, connect, createErrorLog, taskServer, textOf } from "../support/tasks/task-client.js";

/** Whoever could write to a task directory could act as any caller, and one odd record disabled all tasks. */

const engines: TaskEngine[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** Keys of a server. */
const KEYS = { keys: ["1".repeat(32)] };

const NAME = form({ message: "Who?", schema: z.object({ name: z.string() }) });

const newDirectory = () => join(makeFolder(), "tasks");

function openEngine(directory: string, options: EngineOptions = {}) {
  const engine = createTaskEngine({ directory, sync: false, ...options });
  const reports: string[] = [];
  engines.push(engine);
  engine.work({
    run: async () => undefined,
    serves: () => false,
    report: (error) => reports.push(String(error)),
  });
  return { engine, reports };
}

const newRecord = (taskId: string, members: Partial<TaskRecord> = {}) =>
  createTaskRecord(Date.now(), { taskId, status: "input_required", ...members });

/** Creates a directory with the tasks `a` and `b`. */
async function createDirectory(options: EngineOptions = {}): Promise<string> {
  const directory = newDirectory();
  const { engine } = openEngine(directory, options);
  for (const taskId of ["a", "b"]) await engine.create(newRecord(taskId, { principal: "ada" }));
  await engine.close();
  return directory;
}

/** Creates a log as earlier versions wrote it, without encryption. */
function createPlainDirectory(records: readonly (JsonObject | TaskRecord)[]): string {
  const directory = newDirectory();
  mkdirSync(directory, { mode: 0o700 });
  const lines = records.map((record, index) => JSON.stringify({ version: index + 1, record }));
  writeFileSync(join(directory, "tasks.log"), ['{"format":1}', ...lines, ""].join("\n"), { mode: 0o600 });
  return directory;
}

const isFound = async (engine: TaskEngine, taskId: string) => (await engine.read(taskId)) !== undefined;

describe("the files of a directory", () => {
  test("contain neither arguments nor identities, and only their owner can read the secret", async () => {
    const directory = newDirectory();
    const { engine } = openEngine(directory);
    await engine.create(newRecord("secret-task", { principal: "ada@example.com", tool: "transfer_money" }));
    await engine.close();
    for (const name of readdirSync(directory)) {
      const text = readFileSync(join(directory, name), "latin1");
      for (const word of ["secret-task", "ada@example.com", "transfer_money"])
        expect(text).not.toContain(word);
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(directory).toSorted()).toEqual(["key", "tasks.log"]);
  });

  test.each([
    ["a line that somebody wrote", JSON.stringify({ version: 9, record: newRecord("forged") })],
    ["garbage", "garbage"],
  ])("%s is skipped with one report, and the other tasks are read", async (_what, line) => {
    const directory = await createDirectory();
    appendFileSync(join(directory, "tasks.log"), `${line}\n${line}\n`);
    const { engine, reports } = openEngine(directory);
    expect(await Promise.all(["a", "b", "forged"].map((taskId) => isFound(engine, taskId)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(reports).toEqual([expect.stringContaining("2 of 4 lines of the task log")]);
  });

  test("a line cannot be moved to the log of a server with other keys", async () => {
    const [one, other] = [
      await createDirectory({ keys: ["1".repeat(32)] }),
      await createDirectory({ keys: ["2".repeat(32)] }),
    ];
    const [, line = ""] = readFileSync(join(one, "tasks.log"), "utf8").split("\n");
    rmSync(join(other, "tasks.log"));
    writeFileSync(join(other, "tasks.log"), `{"format":2}\n${line}\n`, { mode: 0o600 });
    const { engine } = openEngine(other, { keys: ["2".repeat(32)] });
    await expect(engine.read("a")).rejects.toThrow("cannot be decrypted");
  });

  test("keys can be replaced, because a start writes all records with the first one", async () => {
    const [old, fresh] = ["1".repeat(32), "2".repeat(32)];
    const directory = await createDirectory({ keys: [old] });
    for (const keys of [[fresh, old], [fresh]]) {
      const { engine } = openEngine(directory, { keys });
      expect(await isFound(engine, "a")).toBe(true);
      await engine.close();
    }
    // The secret in the file can be one of the keys, too.
    const other = await createDirectory();
    const secret = readFileSync(join(other, "key"), "utf8").trim();
    const { engine } = openEngine(other, { keys: [fresh, secret] });
    expect(await isFound(engine, "b")).toBe(true);
  });
});

describe.skipIf(process.getuid === undefined)("access to a directory", () => {
  test.each(["777", "770", "702"])("a directory with the mode %s is rejected", async (mode) => {
    const directory = await createDirectory();
    chmodSync(directory, Number.parseInt(mode, 8));
    const { engine, reports } = openEngine(directory);
    const message = `The task directory "${directory}" is open to other users (mode ${mode})`;
    await expect(engine.read("a")).rejects.toThrow(message);
    expect(reports).toEqual([expect.stringContaining("Set its mode to 700 with `chmod`.")]);
    chmodSync(directory, 0o755);
    expect(await isFound(openEngine(directory).engine, "a")).toBe(true);
  });

  /** Makes a file belong to a different user. Only the superuser can change it, so others pretend to be another. */
  const giveAway = (path: string) => {
    if (process.getuid?.() === 0) chownSync(path, OTHER_USER, OTHER_USER);
    else vi.spyOn(process, "getuid").mockReturnValue(OTHER_USER);
  };
  const OTHER_USER = 65_534;
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    ["directory", ""],
    ["log", "tasks.log"],
    ["secret", "key"],
  ])("a %s that belongs to a different user is rejected", async (_what, name) => {
    const directory = await createDirectory();
    giveAway(join(directory, name));
    const { engine, reports } = openEngine(directory);
    await expect(engine.read("a")).rejects.toThrow(
      /^The (task directory|file) ".*" belongs to a different user \(ID \d+\), who could change tasks\. Use a directory/,
    );
    expect(reports).toHaveLength(1);
  });

  test("a directory in a folder that others can write to is used, but not one that they put in its place", async () => {
    const directory = await createDirectory();
    chmodSync(join(directory, ".."), 0o777);
    const first = openEngine(directory);
    expect(await isFound(first.engine, "a")).toBe(true);
    await first.engine.close();
    renameSync(directory, `${directory}-away`);
    cpSync(`${directory}-away`, directory, { recursive: true });
    giveAway(directory);
    await expect(openEngine(directory).engine.read("a")).rejects.toThrow("belongs to a different user");
  });

  test.each([
    ["tasks.log", "666"],
    ["key", "644"],
  ])("the file %s with the mode %s is rejected", async (name, mode) => {
    const directory = await createDirectory();
    chmodSync(join(directory, name), Number.parseInt(mode, 8));
    await expect(openEngine(directory).engine.read("a")).rejects.toThrow(
      `"${join(directory, name)}" is open to other users`,
    );
  });

  test.each(["tasks.log", "key"])(
    "a symbolic link %s is not followed, also if it has no target",
    async (name) => {
      for (const hasTarget of [true, false]) {
        const directory = await createDirectory();
        const target = join(makeFolder(), "target");
        if (hasTarget) renameSync(join(directory, name), target);
        else rmSync(join(directory, name));
        symlinkSync(target, join(directory, name));
        await expect(openEngine(directory).engine.create(newRecord("new"))).rejects.toThrow(
          "is a symbolic link",
        );
        expect(existsSync(target)).toBe(hasTarget);
      }
    },
  );

  test("a symbolic link to a directory is rejected", async () => {
    const directory = await createDirectory();
    const link = newDirectory();
    symlinkSync(directory, link);
    await expect(openEngine(link).engine.read("a")).rejects.toThrow(
      `The task directory "${link}" is a symbolic link. Set \`directory\` to the target of the link.`,
    );
  });
});

describe("a directory of an earlier version", () => {
  test("is encrypted when it is opened, and its tasks continue", async () => {
    const { scopes: _, ...old } = newRecord("old", { principal: "ada" });
    const directory = createPlainDirectory([old]);
    const { engine, reports } = openEngine(directory);
    expect((await engine.read("old"))?.record).toEqual(old);
    expect(reports).toEqual([
      expect.stringContaining("is from an earlier version of Tenon, and has been encrypted now."),
    ]);
    await engine.close();
    expect(readFileSync(join(directory, "tasks.log"), "utf8")).not.toContain("ada");
    const next = openEngine(directory);
    expect(await isFound(next.engine, "old")).toBe(true);
    expect(next.reports).toEqual([]);
  });

  test.each([
    ["a directory with an encrypted log", {}, {}, false],
    ["a directory of a server with keys", KEYS, KEYS, false],
    ["a directory of a server with keys, if `key` is deleted", KEYS, KEYS, true],
    ["a directory with a secret, if `key` is deleted and the server now has keys", {}, KEYS, true],
  ])("is rejected as %s", async (_what, before, now, isKeyDeleted) => {
    const directory = await createDirectory(before);
    if (isKeyDeleted) rmSync(join(directory, "key"), { force: true });
    const forged = createPlainDirectory([newRecord("forged", { principal: "ada" })]);
    cpSync(join(forged, "tasks.log"), join(directory, "tasks.log"));
    const { engine } = openEngine(directory, now);
    for (const _attempt of [1, 2])
      await expect(engine.read("forged")).rejects.toThrow(
        `The task log "${join(directory, "tasks.log")}" is not encrypted, so somebody may have replaced it.`,
      );
    // The log is kept for its operator.
    expect(readFileSync(join(directory, "tasks.log"), "utf8")).toContain("forged");
  });

  test("is accepted without keys and without `key`, because whoever can delete `key` can also replace it", async () => {
    const directory = await createDirectory();
    const log = readFileSync(join(directory, "tasks.log"));
    rmSync(join(directory, "key"));
    await expect(openEngine(directory).engine.read("a")).rejects.toThrow("cannot be decrypted");
    rmSync(join(directory, "tasks.log"));
    const plain = createPlainDirectory([newRecord("plain")]);
    cpSync(join(plain, "tasks.log"), join(directory, "tasks.log"));
    const { engine, reports } = openEngine(directory);
    expect(await isFound(engine, "plain")).toBe(true);
    expect(reports).toEqual([expect.stringContaining("was not encrypted")]);
    await engine.close();
    writeFileSync(join(directory, "tasks.log"), log, { mode: 0o600 });
    await expect(openEngine(directory).engine.read("a")).rejects.toThrow("cannot be decrypted");
  });

  test("of commit 22f11a4 continues: opened once without keys, then with the file `key` as the last one", async () => {
    const directory = newDirectory();
    mkdirSync(directory, { mode: 0o700 });
    cpSync(join(import.meta.dirname, "fixtures/tasks-22f11a4.jsonl"), join(directory, "tasks.log"));
    const { engine } = openEngine(directory);
    await engine.read("any");
    await engine.close();
    const secret = readFileSync(join(directory, "key"), "utf8").trim();
    const keys = [KEYS.keys[0] ?? "", secret];
    const server = taskServer({ directory }, { name: "shop", state: { keys } })
      .tool("greet", {
        task: "required",
        input: z.object({ to: z.string() }),
        handler: async ({ to }, call) => {
          const day = await call.once("day", () => "another day");
          const answer = await call.input("name", NAME);
          return `${day} ${to} ${answer.action === "accept" ? answer.content.name : ""}`;
        },
      })
      .build();
    const { get, answer, settled } = await connect(server, { auth: { principal: "ada", scopes: [] } });
    expect(textOf((await get("5Lv3naQFCnhnlsu_kdiMrtpL")).result)).toBe("done at once");
    await answer("IH_cZX6n9DgtuYH-m58bWJhm", { name: accept({ name: "Ada" }) });
    expect(textOf((await settled("IH_cZX6n9DgtuYH-m58bWJhm")).result)).toBe("Monday world Ada");
  });

  test("that was being encrypted when the process stopped can be opened again", async () => {
    const directory = createPlainDirectory([newRecord("old")]);
    const stopped = await createDirectory();
    // The new secret was written, and the log was not replaced.
    cpSync(join(stopped, "key"), join(directory, "key.next"));
    expect(await isFound(openEngine(directory).engine, "old")).toBe(true);
    // The log was replaced, and the secret was not renamed.
    renameSync(join(stopped, "key"), join(stopped, "key.next"));
    expect(await isFound(openEngine(stopped).engine, "a")).toBe(true);
    expect(existsSync(join(stopped, "key"))).toBe(true);
  });

  test.each([
    ["a size that is not a number", { bytes: "many" }],
    ["a size below zero", { bytes: -1 }],
    ["a size beyond all limits", { bytes: 1e15 }],
    ["no size", { bytes: undefined }],
    ["a time that is not a number", { deleteAt: "soon" }],
    ["an unknown status", { status: "sleeping" }],
    ["a journal without steps", { journal: { answers: {} } }],
    ["a principal that is not a text", { principal: { toString: "ada" } }],
  ])("a record with %s is skipped with one report, and the others are read", async (_what, members) => {
    const records = [newRecord("a"), { ...newRecord("odd"), ...members }, newRecord("b")];
    const { engine, reports } = openEngine(createPlainDirectory(records));
    expect(await Promise.all(["a", "odd", "b"].map((taskId) => isFound(engine, taskId)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(reports.filter((report) => report.includes("have invalid records"))).toHaveLength(1);
    await engine.create(newRecord("c"));
  });
});

test.each([[[]], [["short"]], ["a text of at least 32 bytes, not an array"]])(
  "the keys %j are rejected, and the message does not contain them",
  (keys) => {
    const create = () => createTaskEngine({ keys: keys as readonly string[] });
    expect(create).toThrow("createTaskEngine: `keys` must be an array of secrets of at least 32 bytes; got");
    expect(create).not.toThrow(/short|a text of/);
  },
);

test("tasks of a server with `state.keys` continue after a restart, and their directory is useless without them", async () => {
  const directory = newDirectory();
  const start = (keys: readonly string[]) => {
    const { errors, log } = createErrorLog();
    const server = taskServer({ directory }, { log, state: { keys } })
      .tool("echo", { task: "required", handler: () => "done" })
      .build();
    return { server, errors };
  };
  const first = start(["1".repeat(32)]);
  const { run } = await connect(first.server);
  const { taskId } = await run("echo");
  first.server.close();
  await first.server.idle();
  const second = start(["1".repeat(32)]);
  expect(textOf((await (await connect(second.server)).get(taskId)).result)).toBe("done");
  second.server.close();
  await second.server.idle();
  const third = start(["2".repeat(32)]);
  await expect((await connect(third.server)).get(taskId)).rejects.toThrow("Internal error");
  expect(String(third.errors[0])).toContain("cannot be decrypted. Restore the keys");
});
