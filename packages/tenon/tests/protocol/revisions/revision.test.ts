import { describe, expect, test } from "vitest";
import {
  byRevision,
  type Era,
  isRevisionOf,
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  negotiate,
  PROTOCOL_VERSION,
  type Revision,
  REVISIONS,
  type Traits,
  TRAITS,
} from "../../../src/protocol/revisions/revision.js";

type Feature = Exclude<keyof Traits, "revision" | "era">;

const SINCE_2025_03: readonly Feature[] = [
  "toolAnnotations",
  "audioContent",
  "progressMessages",
  "completionsCapability",
];
const SINCE_2025_06: readonly Feature[] = [
  "structuredOutput",
  "titles",
  "definitionMeta",
  "resourceLinks",
  "formElicitation",
  "versionHeader",
];
const SINCE_2025_11: readonly Feature[] = [
  "icons",
  "implementationDetails",
  "urlElicitation",
  "samplingTools",
  "samplingBlocks",
  "streamPolling",
];
const SINCE_2026_07: readonly Feature[] = [
  "stateless",
  "anyOutputType",
  "inputByRetry",
  "paramHeaders",
  "cacheHints",
  "extensionsCapability",
];

describe("the revisions", () => {
  test("are five in two eras, oldest first", () => {
    expect(REVISIONS).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    expect(LEGACY_REVISIONS).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]);
    expect(MODERN_REVISIONS).toEqual(["2026-07-28"]);
  });

  test("R42: PROTOCOL_VERSION is 2025-03-26", () => {
    expect(PROTOCOL_VERSION).toBe("2025-03-26");
  });

  test("the latest legacy one is 2025-11-25", () => {
    expect(LATEST_LEGACY).toBe("2025-11-25");
    expect(LEGACY_REVISIONS.at(-1)).toBe(LATEST_LEGACY);
  });
});

describe("the traits of", () => {
  test.each<[Revision, Era, readonly Feature[]]>([
    ["2024-11-05", "legacy", []],
    ["2025-03-26", "legacy", ["batches", ...SINCE_2025_03]],
    ["2025-06-18", "legacy", [...SINCE_2025_03, ...SINCE_2025_06]],
    [
      "2025-11-25",
      "legacy",
      ["elicitationIds", "toolExecution", ...SINCE_2025_03, ...SINCE_2025_06, ...SINCE_2025_11],
    ],
    ["2026-07-28", "modern", [...SINCE_2025_03, ...SINCE_2025_06, ...SINCE_2025_11, ...SINCE_2026_07]],
  ])("%s (%s) extend those of earlier revisions", (revision, era, expected) => {
    const { revision: name, era: ofEra, ...features } = TRAITS[revision];
    expect([name, ofEra]).toEqual([revision, era]);
    const present = Object.entries(features).flatMap(([feature, has]) => (has ? feature : []));
    expect(present.toSorted()).toEqual(expected.toSorted());
  });
});

describe("negotiation", () => {
  test.each(LEGACY_REVISIONS)("returns the supported revision %s", (revision) => {
    expect(negotiate(revision)).toBe(revision);
  });

  test.each([
    ["an older revision", "2024-10-07"],
    ["a later one", "2099-01-01"],
    ["the stateless revision, which does not have initialize", "2026-07-28"],
    ["a revision in other letters", "2025-06-18 "],
    ["empty text", ""],
    ["a number", 20250618],
    ["null", null],
    ["an object", {}],
    ["an inherited member's name", "constructor"],
  ])("returns the latest legacy revision to a client that requests %s", (_case, requested) => {
    expect(negotiate(requested)).toBe("2025-11-25");
  });

  test("R42: PROTOCOL_VERSION is the default", () => {
    expect(negotiate(undefined)).toBe(PROTOCOL_VERSION);
  });
});

describe("isRevisionOf", () => {
  test.each<[Era, unknown, boolean]>([
    ["legacy", "2024-11-05", true],
    ["legacy", "2025-11-25", true],
    ["legacy", "2026-07-28", false],
    ["modern", "2026-07-28", true],
    ["modern", "2025-11-25", false],
    ["modern", "2027-01-01", false],
    ["modern", undefined, false],
    ["modern", ["2026-07-28"], false],
  ])("%s, %j: %s", (era, value, expected) => {
    expect(isRevisionOf(era, value)).toBe(expected);
  });
});

test("byRevision creates one value for each revision", () => {
  expect(byRevision((revision) => revision.slice(0, 4))).toEqual({
    "2024-11-05": "2024",
    "2025-03-26": "2025",
    "2025-06-18": "2025",
    "2025-11-25": "2025",
    "2026-07-28": "2026",
  });
});
