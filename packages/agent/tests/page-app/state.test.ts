import { signal } from "@preact/signals";
import type { AgentState, TaskPage, TaskSummary } from "@tenon/agent/client";
import type { ListOptions } from "../../src/client/types.js";
import { describe, expect, test } from "vitest";
import { addFiles, describeFiles, fileCapacity, toMediaType } from "../../page/state/attachments.js";
import { Conversations } from "../../page/state/conversations.js";
import { formatTime, groupByDay } from "../../page/state/dates.js";
import { lastSent, nextStepOf } from "../../page/state/endings.js";
import { readPageConfig } from "../../page/state/page-config.js";
import { describeUsage, formatTokens, usageRows } from "../../page/state/usage.js";
import { formatRoute, parseRoute } from "../../page/routes/route.js";
import { createTask, message } from "../support/page-app/samples.js";

const MEBIBYTE = 1_048_576;

function file(name: string, size: number, type = "image/png") {
  return { name, type, size, arrayBuffer: async () => new ArrayBuffer(size) };
}

describe("attachments", () => {
  const room = { present: [], maxMessageBytes: 2 * MEBIBYTE };

  test("a file becomes base64 with its type and its name", async () => {
    const { attachments, problems } = await addFiles([file("a.png", 3)], room);
    expect(problems).toEqual([]);
    expect(attachments).toEqual([
      { id: 1, name: "a.png", bytes: 3, file: { mediaType: "image/png", data: "AAAA", name: "a.png" } },
    ]);
    expect(describeFiles(attachments)).toBe("Attached: a.png");
  });

  test("a file that is too large is rejected with its size and the limit", async () => {
    const { attachments, problems } = await addFiles([file("big.png", 3 * MEBIBYTE)], room);
    expect(attachments).toEqual([]);
    expect(problems).toEqual(["“big.png” is too large: 3 MiB (limit: 1.5 MiB)."]);
  });

  test("the limits count all files of a message together", async () => {
    const first = await addFiles([file("a", MEBIBYTE)], room);
    const second = await addFiles([file("b", MEBIBYTE), file("c", 10)], {
      ...room,
      present: first.attachments,
    });
    expect(second.problems).toEqual([
      "“b” was not added: the files of a message are too large together (limit: 1.5 MiB).",
    ]);
    expect(second.attachments.map(({ id, name }) => [id, name])).toEqual([[2, "c"]]);
    const many = await addFiles(
      Array.from({ length: 17 }, (_, index) => file(`f${index}`, 1)),
      room,
    );
    expect(many.attachments.length).toBe(16);
    expect(many.problems).toEqual(["“f16” was not added: a message can have 16 files."]);
  });

  test("an empty file and one that cannot be read are reported", async () => {
    const broken = { ...file("gone.txt", 5), arrayBuffer: () => Promise.reject(new Error("gone")) };
    const { attachments, problems } = await addFiles([file("empty", 0), broken], room);
    expect(attachments).toEqual([]);
    expect(problems).toEqual(["“empty” is empty.", "“gone.txt” could not be read."]);
  });

  test("the base64 of all files fits into a message", () => {
    for (const limit of [1_000, MEBIBYTE, 8 * MEBIBYTE])
      expect(Math.ceil(fileCapacity(limit) / 3) * 4).toBeLessThan(limit);
  });

  test.each([
    ["image/JPG", "image/jpeg"],
    ["text/html; charset=utf-8", "text/html"],
    ["", "application/octet-stream"],
    ["a b/c", "application/octet-stream"],
  ])("the type %j is sent as %s", (given, sent) => {
    expect(toMediaType(given)).toBe(sent);
  });

  test("a long name keeps its extension", async () => {
    const { attachments } = await addFiles([file(`${"x".repeat(300)}.jpeg`, 1)], room);
    expect(attachments[0]?.name).toBe(`${"x".repeat(195)}.jpeg`);
  });
});

describe("list of conversations", () => {
  const summary = (taskId: string): TaskSummary => ({ taskId, title: taskId, updatedAt: "" });

  function setUp(pages: Readonly<Record<string, TaskPage>>) {
    const asked: ListOptions[] = [];
    const timers: (() => void)[] = [];
    const state = signal<AgentState>({ connection: "open", tasks: [summary("a")], open: new Map() });
    const list = new Conversations({
      state,
      client: () => ({
        list: async (options: ListOptions = {}) => {
          asked.push(options);
          const page = pages[`${options.search ?? ""}:${options.cursor ?? ""}`];
          if (page === undefined) throw new Error("Not found.");
          return page;
        },
      }),
      later: (_, run) => {
        timers.push(run);
        return () => timers.splice(timers.indexOf(run), 1);
      },
    });
    const settle = async () => {
      for (const run of timers.splice(0)) run();
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
    };
    return { list, asked, settle };
  }

  test("shows the tasks of the state, and loads more pages", async () => {
    const { list, asked, settle } = setUp({
      ":": { tasks: [summary("a")], nextCursor: "1" },
      ":1": { tasks: [summary("b")] },
    });
    list.refresh();
    await settle();
    expect(list.tasks.value.map(({ taskId }) => taskId)).toEqual(["a"]);
    expect(list.hasMore.value).toBe(true);
    list.more();
    await settle();
    expect(list.hasMore.value).toBe(false);
    expect(asked).toEqual([{ limit: 50 }, { limit: 50, cursor: "1" }]);
  });

  test("a search waits for the last key, and goes on through empty pages", async () => {
    const { list, asked, settle } = setUp({
      "oak:": { tasks: [], nextCursor: "1" },
      "oak:1": { tasks: [], nextCursor: "2" },
      "oak:2": { tasks: [summary("o")] },
    });
    list.find("o");
    list.find("oak ");
    expect(list.isLoading.value).toBe(true);
    await settle();
    await settle();
    expect(asked.map(({ search, cursor }) => [search, cursor])).toEqual([
      ["oak", undefined],
      ["oak", "1"],
      ["oak", "2"],
    ]);
    expect(list.tasks.value.map(({ taskId }) => taskId)).toEqual(["o"]);
    list.rename("o", "New");
    expect(list.tasks.value[0]?.title).toBe("New");
    list.remove("o");
    expect(list.tasks.value).toEqual([]);
    expect(list.isLoading.value).toBe(false);
  });

  test("a late response of an earlier search is ignored, and a failure is shown", async () => {
    const { list, settle } = setUp({ "a:": { tasks: [summary("a")] } });
    list.find("a");
    const first = settle();
    list.find("nothing");
    await first;
    expect(list.isLoading.value).toBe(true);
    await settle();
    expect(list.failure.value).toBe("Not found.");
  });

  test("a reset forgets the search, its results, and a response that is still under way", async () => {
    const { list, settle } = setUp({ "oak:": { tasks: [summary("o")] } });
    list.find("oak");
    await settle();
    expect(list.tasks.value.map(({ taskId }) => taskId)).toEqual(["o"]);
    list.refresh();
    list.reset();
    await settle();
    expect([list.search.value, list.isLoading.value]).toEqual(["", false]);
    list.find("o");
    expect(list.tasks.value).toEqual([]);
  });
});

describe("days", () => {
  const now = new Date(2026, 2, 10, 12);
  const at = (...parts: [number, number, number, number]): TaskSummary => ({
    taskId: parts.join("-"),
    title: "",
    updatedAt: new Date(...parts).toISOString(),
  });

  test("conversations are grouped by the day of their last change", () => {
    const tasks = [
      at(2026, 2, 10, 0),
      at(2026, 2, 9, 23),
      at(2026, 2, 5, 1),
      at(2026, 1, 20, 1),
      at(2020, 1, 1, 1),
      { taskId: "x", title: "", updatedAt: "not a time" },
    ];
    expect(groupByDay(tasks, now).map(({ title, tasks: { length } }) => [title, length])).toEqual([
      ["Today", 1],
      ["Yesterday", 1],
      ["Previous 7 days", 1],
      ["Previous 30 days", 1],
      ["Older", 2],
    ]);
  });

  test("a time in the future is today, and empty groups are left out", () => {
    expect(groupByDay([at(2027, 0, 1, 1)], now).map(({ title }) => title)).toEqual(["Today"]);
  });

  test("times are shown with two digits", () => {
    expect(formatTime(new Date(2026, 0, 1, 9, 5).getTime())).toBe("09:05");
    expect(formatTime(undefined)).toBe("");
    expect(formatTime(1e300)).toBe("");
  });
});

describe("ends of runs", () => {
  test.each([
    [{ lastReason: "interrupted" }, "resume"],
    [{ lastReason: "error" }, "resume"],
    [{ lastReason: "stepLimit" }, "resume"],
    [{ lastReason: "length" }, "resume"],
    [{ lastReason: "budget" }, "resume"],
    [{ lastReason: "filtered" }, "again"],
    [{ lastReason: "blocked" }, "again"],
    [{ lastReason: "answered" }, undefined],
    [{ lastReason: "question" }, undefined],
    [{ status: "aborted" }, "resume"],
    [{ status: "error" }, "resume"],
    [{ status: "completed" }, undefined],
    [{ status: "aborted", isRunning: true }, undefined],
  ] as const)("%j offers %s", (state, action) => {
    expect(nextStepOf(createTask(state))?.action).toBe(action);
  });

  test("the last message that was stored can be sent again", () => {
    const stored = message("userSendMessage", { message: "Hi" });
    expect(lastSent(createTask({ messages: [stored, message("message")] }))?.message).toBe("Hi");
    expect(lastSent(createTask())).toBeUndefined();
    const failed = { ...stored, delivery: "failed" } as typeof stored;
    expect(lastSent(createTask({ messages: [failed] }))).toBeUndefined();
  });
});

describe("tokens", () => {
  test.each([
    [0, "0"],
    [999, "999"],
    [1_234, "1.2k"],
    [99_960, "100k"],
    [128_000, "128k"],
    [999_600, "1M"],
    [3_450_000, "3.5M"],
  ])("%d is shown as %s", (count, text) => {
    expect(formatTokens(count)).toBe(text);
  });

  test("only known counts are shown", () => {
    expect(describeUsage({ inputTokens: 1_200, outputTokens: 34 })).toBe("1.2k tokens in, 34 out");
    expect(describeUsage({})).toBe("");
    expect(usageRows({ outputTokens: 1_000, cachedInputTokens: 0 })).toEqual([
      ["Input from the cache", "0"],
      ["Output", "1,000"],
    ]);
  });
});

describe("routes", () => {
  test.each([
    ["", undefined],
    ["#/", undefined],
    ["#/abc-1_2", "abc-1_2"],
    ["#main", undefined],
    ["#/../x", undefined],
    [`#/${"x".repeat(200)}`, undefined],
  ])("the hash %j shows %s", (hash, taskId) => {
    expect(parseRoute(hash).taskId).toBe(taskId);
  });

  test("a place has one hash", () => {
    expect(formatRoute({})).toBe("#/");
    expect(formatRoute(parseRoute("#/abc"))).toBe("#/abc");
  });
});

describe("configuration in the document", () => {
  const read = (content: string | null) =>
    readPageConfig({ querySelector: () => (content === null ? null : { getAttribute: () => content }) });

  test("is read, and has defaults for missing and invalid members", () => {
    const given = {
      title: "T",
      greeting: "G",
      suggestions: ["a", 1],
      maxMessageBytes: 5,
      needsToken: true,
      hasUsers: true,
      signInUrl: "/login",
    };
    expect(read(JSON.stringify(given))).toEqual({ ...given, suggestions: ["a"] });
    const defaults = read(null);
    expect(defaults).toMatchObject({ title: "Agent", suggestions: [], needsToken: false, hasUsers: false });
    expect(read("not JSON")).toEqual(defaults);
    const invalid = { title: 1, suggestions: "x", maxMessageBytes: "1", signInUrl: "javascript:alert(1)" };
    expect(read(JSON.stringify(invalid))).toEqual(defaults);
  });
});
