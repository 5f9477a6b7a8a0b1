import { describe, expect, test } from "vitest";
import type { ClientCapabilities } from "../../../src/protocol/definitions.js";
import {
  type ClientFeature,
  missingCapability,
  serverCapabilities,
  type ServerFeatures,
} from "../../../src/protocol/revisions/capabilities.js";
import { META, readEnvelope } from "../../../src/protocol/revisions/envelope.js";
import { type Revision, REVISIONS, TRAITS } from "../../../src/protocol/revisions/revision.js";

const ALL: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: {},
};

/** Capability of each feature, and the first revision that has it. */
const FEATURES: readonly (readonly [ClientFeature, ClientCapabilities, Revision])[] = [
  ["form", { elicitation: { form: {} } }, "2025-06-18"],
  ["url", { elicitation: { url: {} } }, "2025-11-25"],
  ["sampling", { sampling: {} }, "2024-11-05"],
  ["sampling-tools", { sampling: { tools: {} } }, "2025-11-25"],
  ["roots", { roots: {} }, "2024-11-05"],
];

describe.each(FEATURES)("a client that supports %s", (feature, needed, since) => {
  test.each(REVISIONS)("has declared it, in %s", (revision) => {
    expect(missingCapability(feature, {}, TRAITS[revision])).toEqual(needed);
  });

  test.each(REVISIONS)(`uses a revision that has it (since ${since}), in %s`, (revision) => {
    const expected = revision >= since ? undefined : needed;
    expect(missingCapability(feature, ALL, TRAITS[revision])).toEqual(expected);
    expect(missingCapability(feature, needed, TRAITS[revision])).toEqual(expected);
  });
});

describe("a declaration of", () => {
  const modern = TRAITS["2026-07-28"];

  test.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)(
    "elicitation alone means forms, in %s",
    (revision) => {
      expect(missingCapability("form", { elicitation: {} }, TRAITS[revision])).toBeUndefined();
    },
  );

  test("elicitation alone does not mean links", () => {
    expect(missingCapability("url", { elicitation: {} }, modern)).toEqual({ elicitation: { url: {} } });
  });

  test("links alone does not mean forms", () => {
    expect(missingCapability("form", { elicitation: { url: {} } }, modern)).toEqual({
      elicitation: { form: {} },
    });
  });

  test("sampling does not mean sampling with tools", () => {
    expect(missingCapability("sampling-tools", { sampling: {} }, modern)).toEqual({
      sampling: { tools: {} },
    });
  });

  test.each(FEATURES)("a value that is not an object is ignored: %s", (feature, needed) => {
    for (const nonsense of [null, false, "yes", 1]) {
      const envelope = readEnvelope({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          _meta: {
            [META.protocolVersion]: "2026-07-28",
            [META.clientCapabilities]: { elicitation: nonsense, sampling: nonsense, roots: nonsense },
          },
        },
      });
      if ("error" in envelope) throw new Error(envelope.reason);
      expect(missingCapability(feature, envelope.capabilities, modern)).toEqual(needed);
    }
  });
});

describe("a server declares", () => {
  const nothing: ServerFeatures = {
    tools: false,
    resources: false,
    prompts: false,
    completions: false,
    logging: false,
    extensions: {},
    experimental: {},
  };
  const everything: ServerFeatures = {
    tools: true,
    resources: true,
    prompts: true,
    completions: true,
    logging: true,
    extensions: { "io.modelcontextprotocol/tasks": {} },
    experimental: { mine: { level: 1 } },
  };
  const shared = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    experimental: { mine: { level: 1 } },
  };

  test.each(REVISIONS)("no capabilities without features, in %s", (revision) => {
    expect(serverCapabilities(nothing, TRAITS[revision], true)).toEqual({});
  });

  test.each<[Revision, object]>([
    ["2024-11-05", shared],
    ["2025-03-26", { ...shared, completions: {} }],
    ["2025-06-18", { ...shared, completions: {} }],
    ["2025-11-25", { ...shared, completions: {} }],
    ["2026-07-28", { ...shared, completions: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }],
  ])("all capabilities that %s supports", (revision, expected) => {
    expect(serverCapabilities(everything, TRAITS[revision], true)).toEqual(expected);
  });

  test("no list changes and no subscriptions if it cannot send notifications", () => {
    expect(serverCapabilities(everything, TRAITS["2025-11-25"], false)).toEqual({
      ...shared,
      tools: {},
      resources: {},
      prompts: {},
      completions: {},
    });
  });
});
