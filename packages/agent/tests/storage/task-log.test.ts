import {
  appendFileSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LogFile, openLogFile } from "../../src/storage/log-file.js";
import { readLog } from "../../src/storage/read-log.js";
import { StorageError } from "../../src/storage/storage-error.js";
import type { TaskEntry } from "../../src/storage/task-entry.js";
import { Sequence } from "../../src/storage/list/sequence.js";
import { TaskLog } from "../../src/storage/task-log.js";
import { makeFolder, openStore, openTask, said, textsOf } from "../support/storage/folders.js";

/** Creates a task with one entry on disk. */
async function makeTaskFile(): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = makeFolder();
  const { store } = openStore(folder);
  const log = await store.create({ taskId: "task", title: "t" });
  await log.append(said("first"));
  await store.release(log);
  return { folder, path: join(folder, "task", "log.jsonl") };
}

const lineOf = (entry: TaskEntry) => `${JSON.stringify(entry)}\n`;

/** Lists the open files of this process below a folder. */
function openFilesIn(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd")
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ""; // closed since the folder was listed
      }
    })
    .filter((path) => path.startsWith(folder));
}

describe("appending", () => {
  test("entries are restored in call order after a restart", async () => {
    const { folder, path } = await makeTaskFile();
    const { store } = openStore(folder);
    const log = await openTask(store, "task");
    const texts = Array.from({ length: 500 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((text) => log.append(said(text))));
    expect(textsOf(log.entries)).toEqual(["first", ...texts]);
    expect(log.bytes).toBe(statSync(path).size);
    const again = await openTask(openStore(folder).store, "task");
    expect(again.entries).toEqual(log.entries);
  });

  test("the starts of parallel calls are written with one flush", async () => {
    const { folder, path } = await makeTaskFile();
    const contents = await readLog({ folder, maxBytes: 1_000_000, largeReads: new Sequence() }, "task");
    if (typeof contents === "string") throw new Error(contents);
    let flushes = 0;
    const openFile = async (): Promise<LogFile> => {
      const file = await openLogFile(path);
      return {
        ...file,
        async sync() {
          flushes++;
          await file.sync();
        },
      };
    };
    const log = new TaskLog(contents, { path, maxBytes: 1_000_000, openFile });
    const ids = Array.from({ length: 32 }, (_, index) => `call-${index}`);
    await Promise.all(
      ids.map((callId) => log.append({ callBegan: { toolName: "t", callId }, status: "tool_executing" })),
    );
    expect(flushes).toBe(1);
    await log.close();
    const again = await openTask(openStore(folder).store, "task");
    expect(again.entries.slice(1).map(({ callBegan }) => callBegan?.callId)).toEqual(ids);
  });

  test("an entry is stored as it was when it was passed", async () => {
    const { folder } = await makeTaskFile();
    const log = await openTask(openStore(folder).store, "task");
    const data: Record<string, unknown> = { message: "before" };
    const appended = log.append({ shown: { type: "message", data } });
    data["message"] = "after";
    await appended;
    expect(textsOf(log.entries)).toEqual(["first", "before"]);
  });

  test("keys that could pollute a prototype are removed, before and after a restart", async () => {
    const { folder } = await makeTaskFile();
    const log = await openTask(openStore(folder).store, "task");
    const data = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}},"b":2}') as {};
    await log.append({ shown: { type: "message", data } });
    const again = await openTask(openStore(folder).store, "task");
    for (const { entries } of [log, again]) {
      expect(Object.keys(entries[1]?.shown?.data ?? {})).toEqual(["b"]);
    }
  });

  test.each<[string, unknown]>([
    ["a circular reference", circle()],
    ["a big integer", { shown: { type: "message", data: { n: 1n } } }],
    ["endless nesting", { shown: { type: "message", data: { deep: nested(10_000) } } }],
    ["nesting that is too deep to be read", { shown: { type: "message", data: { deep: nested(127) } } }],
    ["a message with an unknown role", { model: { role: "god", content: "" } }],
    ["an empty entry", {}],
    ["undefined", undefined],
    ["a function", () => undefined],
    [
      "a member that throws",
      {
        get status() {
          throw new Error("no");
        },
      },
    ],
  ])("%s is rejected, and other entries are stored", async (_what, unfit) => {
    const { folder } = await makeTaskFile();
    const log = await openTask(openStore(folder).store, "task");
    const results = await Promise.allSettled([
      log.append(said("a")),
      log.append(unfit as TaskEntry),
      log.append(said("b")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({
      reason: new StorageError(
        "Could not save this message: it is not valid JSON, or is nested deeper than 128 levels.",
      ),
    });
    expect(textsOf((await openTask(openStore(folder).store, "task")).entries)).toEqual(["first", "a", "b"]);
  });

  test("a full task rejects entries that exceed the limit by one byte, and accepts entries that fit", async () => {
    const { folder, path } = await makeTaskFile();
    const room = 3 * lineOf(said("12345")).length;
    const maxTaskBytes = statSync(path).size + room;
    const log = await openTask(openStore(folder, { maxTaskBytes }).store, "task");
    await log.append(said("12345"));
    const results = await Promise.allSettled([
      log.append(said("12345")),
      log.append(said("123456")),
      log.append(said("12345")),
      log.append(said("")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
    expect(results[3]).toMatchObject({
      reason: new StorageError(`The task is too large (limit: ${maxTaskBytes} bytes). Start a new task.`),
    });
    expect(statSync(path).size).toBe(maxTaskBytes);
  });
});

describe("the file", () => {
  test.runIf(process.platform === "linux")(
    "is open from the first append until it is closed, and again from the next append",
    async () => {
      const { folder } = await makeTaskFile();
      const { store } = openStore(folder);
      const log = await openTask(store, "task");
      expect(openFilesIn(folder)).toEqual([]);
      await log.append(said("a"));
      expect(openFilesIn(folder)).toHaveLength(1);
      const last = log.append(said("b"));
      await log.close();
      await last;
      expect(openFilesIn(folder)).toEqual([]);
      await log.append(said("c"));
      expect(openFilesIn(folder)).toHaveLength(1);
      await openTask(store, "task");
      await store.release(log);
      expect(openFilesIn(folder)).toHaveLength(1);
      await store.release(log);
      expect(openFilesIn(folder)).toEqual([]);
      expect(textsOf(log.entries)).toEqual(["first", "a", "b", "c"]);
    },
  );

  test.runIf(process.platform !== "win32")("is accessible to its owner only", async () => {
    const { folder, path } = await makeTaskFile();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "task")).mode & 0o777).toBe(0o700);
  });

  test.each<[string, string | Uint8Array]>([
    ["an incomplete line", '{"status":"idle"'],
    ["a line without a newline", '{"status":"idle"}'],
    ["zeros", new Uint8Array(5000)],
    ["an incomplete character", new Uint8Array([0x22, 0xe2, 0x82])],
  ])("that ends in %s loses only the incomplete part, at the next append", async (_what, tail) => {
    const { folder, path } = await makeTaskFile();
    const { size } = statSync(path);
    appendFileSync(path, tail);
    const { store, warnings } = openStore(folder);
    const log = await openTask(store, "task");
    const torn = statSync(path).size - size;
    expect(warnings).toEqual([`agent: storage: task "task": dropped an incomplete write (${torn} bytes).`]);
    expect(textsOf(log.entries)).toEqual(["first"]);
    await log.append(said("next"));
    const text = readFileSync(path, "utf8");
    expect(text.slice(size)).toBe(lineOf(said("next")));
  });

  test("with unreadable lines returns the other lines and counts the unreadable lines", async () => {
    const { folder, path } = await makeTaskFile();
    const junk = ["", "nonsense", "[1]", '{"later":1}', "\0\0\0", "[".repeat(1000)].join("\n");
    appendFileSync(path, `${junk}\n`);
    appendFileSync(path, new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
    appendFileSync(path, lineOf(said("last")));
    const before = readFileSync(path, "latin1");
    const { store, warnings } = openStore(folder);
    const log = await openTask(store, "task");
    expect(textsOf(log.entries)).toEqual(["first", "last"]);
    expect(warnings).toEqual(['agent: storage: task "task": skipped 7 unreadable lines.']);
    await log.append(said("more"));
    expect(readFileSync(path, "latin1")).toBe(before + lineOf(said("more")));
  });

  test("that another program changed rejects further appends", async () => {
    const { folder, path } = await makeTaskFile();
    const { store } = openStore(folder);
    const log = await openTask(store, "task");
    await log.append(said("mine"));
    appendFileSync(path, lineOf(said("theirs")));
    const changed = new StorageError("Another program changed this task. Load the task again.");
    await expect(log.append(said("lost"))).rejects.toThrow(changed);
    await expect(log.append(said("lost too"))).rejects.toThrow(changed);
    await store.release(log);
    const again = await openTask(store, "task");
    await again.append(said("mine again"));
    expect(textsOf(again.entries)).toEqual(["first", "mine", "theirs", "mine again"]);
  });

  test("that was deleted causes an error without its path, and is not created again", async () => {
    const { folder, path } = await makeTaskFile();
    const log = await openTask(openStore(folder).store, "task");
    rmSync(path);
    const failure = await log.append(said("lost")).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageError);
    expect(failure).toMatchObject({
      message: "Could not save this message. Try again later.",
      cause: { cause: { code: "ENOENT" } },
    });
    expect(readdirSync(join(folder, "task"))).toEqual([]);
  });

  test("that is too large is not read", async () => {
    const { folder, path } = await makeTaskFile();
    writeFileSync(path, new Uint8Array(1024 * 1024 + 2001));
    const { store } = openStore(folder, { maxTaskBytes: 2000 });
    await expect(store.open("task")).rejects.toThrow(
      new StorageError("This task is too large to open: 1050577 bytes (limit: 1050576). Start a new task."),
    );
  });
});

describe("a failing disk", () => {
  test("queued appends are written with one write and one sync", async () => {
    const { log, calls } = await openWatched();
    const first = log.append(said("a"));
    while (!calls.includes("write")) await new Promise(setImmediate);
    const rest = Array.from({ length: 99 }, (_, index) => log.append(said(`${index}`)));
    await Promise.all([first, ...rest]);
    expect(calls.filter((call) => call !== "size")).toEqual(["write", "sync", "write", "sync"]);
    expect(log.entries).toHaveLength(101);
  });

  test("an append resolves after the sync, and its entry is not listed earlier", async () => {
    const { log, hold } = await openWatched();
    const letGo = hold("sync");
    let isDone = false;
    const append = log.append(said("a")).then(() => (isDone = true));
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect([isDone, textsOf(log.entries)]).toEqual([false, ["first"]]);
    letGo();
    await append;
    expect(textsOf(log.entries)).toEqual(["first", "a"]);
  });

  test.each(["write", "sync"] as const)(
    "a failed %s is rolled back, and the next append works",
    async (what) => {
      const { log, path, faults } = await openWatched();
      const before = readFileSync(path, "utf8");
      faults.add(what);
      const results = await Promise.allSettled([log.append(said("a")), log.append(said("b"))]);
      for (const result of results) {
        expect(result).toMatchObject({
          status: "rejected",
          reason: new StorageError("Could not save this message. Try again later."),
        });
      }
      expect(readFileSync(path, "utf8")).toBe(before);
      expect(log.bytes).toBe(before.length);
      await log.append(said("c"));
      expect(readFileSync(path, "utf8")).toBe(before + lineOf(said("c")));
      expect(textsOf(log.entries)).toEqual(["first", "c"]);
    },
  );

  test("if the rollback fails, later appends are rejected", async () => {
    const { log, path, faults, calls } = await openWatched();
    faults.add("write").add("truncate");
    await expect(log.append(said("a"))).rejects.toThrow(StorageError);
    const remains = readFileSync(path, "utf8");
    calls.length = 0;
    await expect(log.append(said("b"))).rejects.toThrow("Could not save this message. Try again later.");
    await log.close();
    await expect(log.append(said("c"))).rejects.toThrow(StorageError);
    expect(calls).toEqual(["close"]);
    expect(readFileSync(path, "utf8")).toBe(remains);
    expect(textsOf(log.entries)).toEqual(["first"]);
  });

  test("if an incomplete line cannot be removed, a later append removes it", async () => {
    const { log, path, faults } = await openWatched("torn");
    faults.add("truncate");
    await expect(log.append(said("a"))).rejects.toThrow(StorageError);
    await log.append(said("b"));
    expect(readFileSync(path, "utf8").split("\n").slice(2)).toEqual([JSON.stringify(said("b")), ""]);
  });

  test("an error when closing the file is ignored", async () => {
    const { log, faults } = await openWatched();
    await log.append(said("a"));
    faults.add("close");
    await log.close();
    await log.append(said("b"));
    expect(textsOf(log.entries)).toEqual(["first", "a", "b"]);
  });
});

/**
 * Opens a log on a real file. Its operations are recorded, and fail once on request, because a real disk cannot be made
 * to fail at a chosen moment. A failed write has written half of its bytes.
 */
async function openWatched(tail = "") {
  const { folder, path } = await makeTaskFile();
  appendFileSync(path, tail);
  const faults = new Set<keyof LogFile>();
  const calls: (keyof LogFile)[] = [];
  const held = new Map<keyof LogFile, Promise<void>>();
  /** Delays an operation until the returned function is called. */
  const hold = (what: keyof LogFile): (() => void) => {
    let letGo = () => {};
    held.set(what, new Promise((resolve) => (letGo = resolve)));
    return () => letGo();
  };
  const note = (what: keyof LogFile) => {
    calls.push(what);
    if (faults.delete(what)) throw Object.assign(new Error("broken"), { code: "EIO" });
  };
  const openFile = async (name: string): Promise<LogFile> => {
    const file = await openLogFile(name);
    return {
      size: async () => (note("size"), file.size()),
      async write(bytes, position) {
        if (faults.has("write")) await file.write(bytes.subarray(0, bytes.length / 2), position);
        note("write");
        await file.write(bytes, position);
      },
      async sync() {
        note("sync");
        await file.sync();
        await held.get("sync");
      },
      truncate: async (length) => (note("truncate"), file.truncate(length)),
      close: async () => {
        await file.close();
        note("close");
      },
    };
  };
  const contents = await readLog({ folder, maxBytes: 1_000_000, largeReads: new Sequence() }, "task");
  if (typeof contents === "string") throw new Error(contents);
  const log = new TaskLog(contents, { path, maxBytes: 1_000_000, openFile });
  onTestFinished(() => log.close());
  return { log, path, faults, calls, hold };
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function circle(): unknown {
  const data: Record<string, unknown> = {};
  data["self"] = data;
  return { shown: { type: "message", data } };
}
