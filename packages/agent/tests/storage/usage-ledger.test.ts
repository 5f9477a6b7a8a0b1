import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TaskStore } from "../../src/storage/task-store.js";
import { UsageLedger } from "../../src/storage/usage-ledger.js";
import { makeFolder } from "../support/storage/folders.js";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 31, 23, 59);

/** Opens a ledger with a clock that tests can set, and records its errors. */
function openLedger(folder: string, maxUsers?: number) {
  const errors: string[] = [];
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: (text: string) => void errors.push(text) };
  const clock = { time: START };
  const ledger = new UsageLedger({ folder, logger, now: () => clock.time, maxUsers });
  return { ledger, errors, clock };
}

const fileOf = (folder: string, day = "2026-01-31") => join(folder, ".usage", `${day}.jsonl`);

test("tokens are counted by user and survive a restart", async () => {
  const folder = makeFolder();
  const { ledger, errors } = openLedger(folder);
  expect(await ledger.today("ann")).toBe(0);
  expect(existsSync(join(folder, ".usage"))).toBe(false);
  await Promise.all([
    ledger.add("ann", 5),
    ledger.add("bob", 7),
    ledger.add(undefined, 11),
    ledger.add("ann", 1),
  ]);
  for (const each of [ledger, openLedger(folder).ledger]) {
    expect(await each.today("ann")).toBe(6);
    expect(await each.today("bob")).toBe(7);
    expect(await each.today(undefined)).toBe(11);
    expect(await each.today("")).toBe(0);
  }
  expect(errors).toEqual([]);
  expect(statSync(join(folder, ".usage")).mode & 0o777).toBe(0o700);
  expect(statSync(fileOf(folder)).mode & 0o777).toBe(0o600);
});

test("counts start again at midnight UTC, and a clock that goes back finds the old ones", async () => {
  const { ledger, clock } = openLedger(makeFolder());
  const first = ledger.add("ann", 5);
  clock.time += 60_000;
  expect(await ledger.today("ann")).toBe(0);
  await ledger.add("ann", 3);
  clock.time -= 60_000;
  expect(await ledger.today("ann")).toBe(5);
  await first;
});

test.each([0, -1, NaN, -Infinity])("%d tokens are not counted", async (tokens) => {
  const folder = makeFolder();
  const { ledger } = openLedger(folder);
  await ledger.add("ann", tokens);
  expect(await ledger.today("ann")).toBe(0);
  expect(existsSync(fileOf(folder))).toBe(false);
});

test("fractions are rounded up, and very large counts stay safe integers", async () => {
  const folder = makeFolder();
  const { ledger } = openLedger(folder);
  await ledger.add("ann", 0.1);
  expect(await ledger.today("ann")).toBe(1);
  await ledger.add("ann", Infinity);
  await ledger.add("ann", Number.MAX_SAFE_INTEGER);
  expect(await ledger.today("ann")).toBe(Number.MAX_SAFE_INTEGER);
  expect(await openLedger(folder).ledger.today("ann")).toBe(Number.MAX_SAFE_INTEGER);
});

test("no user ID can change the file's lines, and different IDs are never mixed up", async () => {
  const folder = makeFolder();
  const { ledger } = openLedger(folder);
  const users = [
    "a\nb",
    '","tokens":9}\n',
    "../../x",
    "__proto__",
    "\ud800",
    "\udfff",
    "\ufffd",
    "x".repeat(100_000),
    "",
  ];
  for (const [index, user] of users.entries()) await ledger.add(user, index + 1);
  const again = openLedger(folder).ledger;
  for (const [index, user] of users.entries()) expect(await again.today(user)).toBe(index + 1);
  const lines = readFileSync(fileOf(folder), "utf8").split("\n");
  expect(lines).toHaveLength(users.length + 1);
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/^\{"user":"[\w-]{43}","tokens":\d+\}$/);
  expect(readdirSync(folder)).toEqual([".usage"]);
});

test.each([
  ["an incomplete line", '{"user":"x","tok'],
  ["zeros", "\0\0\0"],
  ["a long line", "x".repeat(200_000)],
])("%s at the end of the file is ignored and removed", async (_what, rest) => {
  const folder = makeFolder();
  await openLedger(folder).ledger.add("ann", 5);
  const before = readFileSync(fileOf(folder), "utf8");
  appendFileSync(fileOf(folder), rest);
  const { ledger, errors } = openLedger(folder);
  expect(await ledger.today("ann")).toBe(5);
  await ledger.add("ann", 6);
  expect(await openLedger(folder).ledger.today("ann")).toBe(11);
  expect(readFileSync(fileOf(folder), "utf8")).toBe(before + before.replace("5}", "6}"));
  expect(errors).toEqual([]);
});

test.each([
  "",
  "[]",
  '{"user":1,"tokens":1}',
  '{"user":"x"}',
  '{"user":"x","tokens":-1}',
  "\xff\xfe",
  "y".repeat(70_000),
])("the unreadable line %j is skipped", async (line) => {
  const folder = makeFolder();
  await openLedger(folder).ledger.add("ann", 5);
  appendFileSync(fileOf(folder), Buffer.from(`${line}\n`, "latin1"));
  await openLedger(folder).ledger.add("ann", 6);
  expect(await openLedger(folder).ledger.today("ann")).toBe(11);
});

test("a file that is longer than one read is counted completely", async () => {
  const folder = makeFolder();
  await openLedger(folder).ledger.add("ann", 1);
  const line = readFileSync(fileOf(folder), "utf8");
  appendFileSync(fileOf(folder), line.repeat(4_999));
  expect(await openLedger(folder).ledger.today("ann")).toBe(5_000);
});

test("files that are older than 32 days are deleted, and other files are kept", async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, ".usage"));
  const kept = ["2025-12-30.jsonl", "2026-01-30.jsonl", "notes.txt", "2020-01-01.jsonl.bak"];
  for (const name of [...kept, "2025-12-29.jsonl", "2020-01-01.jsonl"])
    writeFileSync(join(folder, ".usage", name), "");
  const { ledger, clock } = openLedger(folder);
  await ledger.today("ann");
  expect(readdirSync(join(folder, ".usage")).toSorted()).toEqual(kept.toSorted());
  clock.time += DAY;
  await ledger.add("ann", 1);
  expect(readdirSync(join(folder, ".usage"))).not.toContain("2025-12-30.jsonl");
});

test("a file or folder that is a link is not followed, and the tokens are counted in memory", async () => {
  const outside = makeFolder();
  writeFileSync(join(outside, "file"), "mine");
  const linkedFolder = makeFolder();
  symlinkSync(outside, join(linkedFolder, ".usage"));
  const linkedFile = makeFolder();
  mkdirSync(join(linkedFile, ".usage"));
  symlinkSync(join(outside, "file"), fileOf(linkedFile));
  for (const folder of [linkedFolder, linkedFile]) {
    const { ledger, errors } = openLedger(folder);
    await ledger.add("ann", 5);
    await ledger.add("ann", 6);
    expect(await ledger.today("ann")).toBe(11);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.join()).not.toContain(folder);
  }
  expect(readdirSync(outside)).toEqual(["file"]);
  expect(readFileSync(join(outside, "file"), "utf8")).toBe("mine");
});

test("if the disk fails, tokens are counted in memory, logged once, and stored when the disk works again", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, ".usage"), "not a folder");
  const { ledger, errors } = openLedger(folder, 2);
  await ledger.add("ann", 5);
  await ledger.add("bob", 2);
  await ledger.add("ann", 6);
  expect(await ledger.today("ann")).toBe(11);
  expect(errors).toEqual([
    "agent: usage: could not read or store token counts (EEXIST). They are kept in memory until the disk works.",
  ]);
  rmSync(join(folder, ".usage"));
  await ledger.add("ann", 1);
  expect(await ledger.today("ann")).toBe(12);
  const again = openLedger(folder).ledger;
  expect(await again.today("ann")).toBe(12);
  expect(await again.today("bob")).toBe(2);
});

test("a logger that throws does not affect a run", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, ".usage"), "not a folder");
  const fail = () => {
    throw new Error("no log");
  };
  const ledger = new UsageLedger({ folder, logger: { debug: fail, info: fail, warn: fail, error: fail } });
  await ledger.add("ann", 5);
  expect(await ledger.today("ann")).toBe(5);
});

test("a file that the operator removed starts again", async () => {
  const folder = makeFolder();
  const { ledger } = openLedger(folder);
  await ledger.add("ann", 5);
  rmSync(fileOf(folder));
  await ledger.add("ann", 6);
  expect(await openLedger(folder).ledger.today("ann")).toBe(6);
});

test("the counts are no task, and no task can replace them", async () => {
  const folder = makeFolder();
  await openLedger(folder).ledger.add("ann", 5);
  const store = new TaskStore({ folder });
  expect(await store.list(9)).toEqual([]);
  expect(await store.delete(".usage")).toBe(false);
  await expect(store.create({ taskId: ".usage", title: "" })).rejects.toThrow("A task ID must be");
  expect(await openLedger(folder).ledger.today("ann")).toBe(5);
});

test("after any sequence of additions, restarts, torn writes, and days, every count is right", async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        add: fc.array(fc.tuple(fc.nat({ max: 6 }), fc.integer({ min: 1, max: 99 })), { maxLength: 6 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ ask: fc.nat({ max: 6 }) }) },
    { weight: 1, arbitrary: fc.constantFrom("restart" as const, "tear" as const, "tomorrow" as const) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.integer({ min: 1, max: 8 }),
      async (steps, maxUsers) => {
        const folder = makeFolder();
        let { ledger, clock } = openLedger(folder, maxUsers);
        let counts = new Map<number, number>();
        const check = async (user: number) =>
          expect(await ledger.today(`${user}`)).toBe(counts.get(user) ?? 0);
        for (const each of steps) {
          if (each === "tomorrow") {
            clock.time += DAY;
            counts = new Map();
          } else if (typeof each === "string") {
            const { time } = clock;
            const path = fileOf(folder, new Date(time).toISOString().slice(0, 10));
            if (each === "tear" && existsSync(path)) appendFileSync(path, '{"user":"');
            ({ ledger, clock } = openLedger(folder, maxUsers));
            clock.time = time;
          } else if ("ask" in each) {
            await check(each.ask);
          } else {
            for (const [user, tokens] of each.add) counts.set(user, (counts.get(user) ?? 0) + tokens);
            const added = each.add.map(([user, tokens]) => ledger.add(`${user}`, tokens));
            // A count includes tokens whose addition has not ended yet.
            for (const [user] of each.add) await check(user);
            await Promise.all(added);
          }
        }
        for (let user = 0; user <= 6; user++) await check(user);
        rmSync(folder, { recursive: true });
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);
