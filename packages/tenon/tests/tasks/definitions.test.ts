import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/index.js";
import { createTaskEngine, tasks, type TasksOptions } from "../../src/tasks/index.js";

const INFO = { name: "tasks", version: "1.0.0" };
const handler = () => "";

/** Options that only a program without types can pass. */
const wrong = (value: unknown) => value as never;

describe("the `task` option", () => {
  test("needs the extension", () => {
    const builder = defineServer(INFO).tool("report", { task: "optional", handler });
    expect(() => builder.build()).toThrow(
      new Error(
        'Tool "report" has a `task` option, but the server cannot run tasks. ' +
          'Add `.extension(tasks())`, with `tasks` from "tenon/tasks".',
      ),
    );
    expect(() => builder.extension(tasks()).build()).not.toThrow();
  });

  test("cannot be added by an update if the extension is missing", () => {
    const server = defineServer(INFO).tool("plain", { handler }).build();
    expect(() => server.update((editor) => editor.tool("report", { task: "required", handler }))).toThrow(
      'Tool "report" has a `task` option, but the server cannot run tasks.',
    );
    expect(server.describe().tools.map(({ definition }) => definition.name)).toEqual(["plain"]);
  });

  test.each<[string, unknown, string]>([
    [
      "another word",
      "always",
      '`task` must be "optional", "required", or an object with one of them as `mode`; got a string.',
    ],
    [
      "a boolean",
      true,
      '`task` must be "optional", "required", or an object with one of them as `mode`; got a boolean.',
    ],
    [
      "null",
      null,
      '`task` must be "optional", "required", or an object with one of them as `mode`; got null.',
    ],
    ["an object without a mode", {}, '`task.mode` is required. Set it to "optional" or "required".'],
    ["a wrong mode", { mode: 1 }, '`task.mode` must be "optional" or "required"; got 1.'],
  ])("rejects %s", (_what, task, message) => {
    expect(() => defineServer(INFO).tool("report", { task: wrong(task), handler })).toThrow(
      new TypeError(`Tool "report": ${message}`),
    );
  });

  test.each<[string, object, string]>([
    ["ttlMs", { ttlMs: 0 }, "`task.ttlMs` must be a positive integer (milliseconds) or null; got 0."],
    ["ttlMs", { ttlMs: 1.5 }, "`task.ttlMs` must be a positive integer (milliseconds) or null; got 1.5."],
    ["ttlMs", { ttlMs: "5m" }, '`task.ttlMs` must be a positive integer (milliseconds) or null; got "5m".'],
    [
      "pollIntervalMs",
      { pollIntervalMs: -1 },
      "`task.pollIntervalMs` must be a positive integer (milliseconds); got -1.",
    ],
    [
      "onLostWorker",
      { onLostWorker: "ignore" },
      '`task.onLostWorker` must be "fail" or "retry"; got "ignore".',
    ],
    ["maxLostWorkers", { maxLostWorkers: 0 }, "`task.maxLostWorkers` must be a positive integer; got 0."],
    ["prepare", { prepare: "ask" }, '`task.prepare` must be a function; got "ask".'],
    ["an alias", { ttl: 5 }, "`task`: unknown option `ttl`. Did you mean `ttlMs`?"],
    [
      "an alias",
      { pollInterval: 5 },
      "`task`: unknown option `pollInterval`. Did you mean `pollIntervalMs`?",
    ],
    [
      "a misspelled option",
      { maxLostWorker: 5 },
      "`task`: unknown option `maxLostWorker`. Did you mean `maxLostWorkers`?",
    ],
  ])("rejects a wrong %s: %o", (_name, options, message) => {
    const task = wrong({ mode: "optional", ...options });
    expect(() => defineServer(INFO).tool("report", { task, handler })).toThrow(
      new TypeError(`Tool "report": ${message}`),
    );
  });

  test.each(["tasks", "taskSupport", "execution", "onLostWorker"])("is suggested for `%s`", (name) => {
    expect(() => defineServer(INFO).tool("report", wrong({ [name]: "optional", handler }))).toThrow(
      `Tool "report": unknown option \`${name}\`. Did you mean \`task\`?`,
    );
  });

  test("accepts every option", () => {
    const task = {
      mode: "required",
      ttlMs: null,
      pollIntervalMs: 1,
      onLostWorker: "retry",
      maxLostWorkers: 1,
      prepare: () => undefined,
    } as const;
    expect(() =>
      defineServer(INFO).extension(tasks()).tool("report", { task, handler }).build(),
    ).not.toThrow();
  });

  test("is not part of the tool's definition for clients", () => {
    const server = defineServer(INFO)
      .extension(tasks())
      .tool("report", { task: "required", handler })
      .build();
    expect(server.describe().tools[0]?.definition).toEqual({
      name: "report",
      inputSchema: { type: "object", properties: {} },
    });
  });
});

describe("the options of `tasks()`", () => {
  const positive = [
    "resultTtlMs",
    "pollIntervalMs",
    "maxResultBytes",
    "maxTaskBytes",
  ] as const satisfies readonly (keyof TasksOptions)[];
  const unitOf = (name: string) => (name.endsWith("Bytes") ? "bytes" : "milliseconds");

  test.each(positive.flatMap((name) => [0, -1, 1.5, Number.NaN].map((value) => [name, value] as const)))(
    "`%s` is not %d",
    (name, value) => {
      expect(() => tasks({ [name]: value })).toThrow(
        new TypeError(`tasks: \`${name}\` must be a positive integer (${unitOf(name)}); got ${value}.`),
      );
    },
  );

  test.each(["progressIntervalMs", "closeGraceMs"] as const)("`%s` can be 0, but not negative", (name) => {
    expect(() => tasks({ [name]: 0 })).not.toThrow();
    expect(() => tasks({ [name]: -1 })).toThrow(
      new TypeError(`tasks: \`${name}\` must be a non-negative integer (milliseconds); got -1.`),
    );
  });

  const limits = [
    "concurrency",
    "concurrencyPerPrincipal",
    "maxTasks",
    "maxTasksPerPrincipal",
    "maxTotalBytes",
  ] as const satisfies readonly (keyof TasksOptions)[];

  test.each(limits)("`%s` must be a positive integer, also for an engine of its own", (name) => {
    for (const value of [0, -1, 0.5, "many"]) {
      const got = typeof value === "string" ? '"many"' : String(value);
      const unit = name === "maxTotalBytes" ? " (bytes)" : "";
      const message = `\`${name}\` must be a positive integer${unit}; got ${got}.`;
      expect(() => tasks(wrong({ [name]: value }))).toThrow(message);
      expect(() => createTaskEngine(wrong({ [name]: value }))).toThrow(
        new TypeError(`createTaskEngine: ${message}`),
      );
    }
  });

  test.each<[string, unknown, string]>([
    ["ttlMs", 0, "tasks: `ttlMs` must be a positive integer (milliseconds) or null; got 0."],
    ["ttlMs", "1h", 'tasks: `ttlMs` must be a positive integer (milliseconds) or null; got "1h".'],
    ["context", {}, "tasks: `context` must be a function; got an object."],
    ["sync", "yes", 'tasks: `sync` must be true or false; got "yes".'],
    ["sync", null, "tasks: `sync` must be true or false; got null."],
    ["engine", "redis", "tasks: `engine` must be a task engine; got a string."],
    ["ttl", 5, "tasks: unknown option `ttl`. Did you mean `ttlMs`?"],
    ["store", {}, "tasks: unknown option `store`. Did you mean `engine`?"],
    ["dir", "data", "tasks: unknown option `dir`. Did you mean `directory`?"],
    ["workers", 4, "tasks: unknown option `workers`. Did you mean `concurrency`?"],
  ])("rejects `%s: %o`", (name, value, message) => {
    expect(() => tasks(wrong({ [name]: value }))).toThrow(new TypeError(message));
  });

  test("rejects `ports`, because the server has the clock", () => {
    expect(() => tasks(wrong({ ports: {} }))).toThrow("tasks: unknown option `ports`.");
  });

  test("`ttlMs: null` means no limit", () => {
    expect(() => tasks({ ttlMs: null })).not.toThrow();
  });

  test("rejects options of the embedded engine if an engine is given", () => {
    const engine = createTaskEngine();
    expect(() => tasks({ engine, maxTasks: 5 })).toThrow(
      new TypeError(
        "tasks: `maxTasks` is an option of the embedded engine. Pass it to the engine that you set as `engine`.",
      ),
    );
    expect(() => tasks({ engine, ttlMs: 5 })).not.toThrow();
  });

  test.each(["create", "read", "write", "watch", "work", "close"] as const)(
    "names `%s` if the engine does not have it",
    (name) => {
      const never = () => Promise.reject(new Error("not called"));
      const methods = {
        create: never,
        read: never,
        write: never,
        watch: never,
        work: () => never,
        close: never,
      };
      expect(() => tasks({ engine: methods })).not.toThrow();
      expect(() => tasks({ engine: wrong({ ...methods, [name]: undefined }) })).toThrow(
        new TypeError(
          `tasks: \`engine\` must be a task engine; got an object without the method \`${name}\`.`,
        ),
      );
    },
  );

  test("ignores options that are `undefined`", () => {
    const engine = createTaskEngine();
    expect(() => tasks(wrong({ engine, directory: undefined, maxTasks: undefined }))).not.toThrow();
    expect(() => tasks(wrong({ engine: undefined, sync: undefined, ttlMs: undefined }))).not.toThrow();
  });

  test.each<[unknown, string]>([
    ["", '""'],
    [5, "5"],
    [null, "null"],
  ])("rejects the directory %o, also for an engine of its own", (directory, got) => {
    const message = `\`directory\` must be a path; got ${got}.`;
    expect(() => tasks(wrong({ directory }))).toThrow(new TypeError(`tasks: ${message}`));
    expect(() => createTaskEngine(wrong({ directory }))).toThrow(
      new TypeError(`createTaskEngine: ${message}`),
    );
  });
});
