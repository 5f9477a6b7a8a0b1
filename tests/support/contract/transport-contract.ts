/**
 * @fileoverview The contract for every transport: in each revision, calls give the same results as in memory, and every
 * message matches the specification.
 * @module tests/support/contract/transport-contract
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REVISIONS, type Traits, TRAITS } from "tenon/protocol";
import { CHANGE_SCENARIOS } from "./transport-change-scenarios.js";
import type { OpenClient, OpenOptions, People, TransportClient } from "./transport-client.js";
import { LIVE_SCENARIOS } from "./transport-live-scenarios.js";
import { PLAIN_SCENARIOS } from "./transport-plain-scenarios.js";
import { openReference } from "./transport-reference.js";

/** Scenario that is only compared with the reference, not checked against expected values. */
export interface ComparedOnly {
  readonly title: string;
  /** Reason the result differs from a Tenon server's result. */
  readonly reason: string;
  /** Revisions with this difference. @default all */
  readonly only?: (traits: Traits) => boolean;
}

/** Options for a transport with a server from a third party. */
export interface TransportContractOptions {
  /** Opens the reference client. @default the in-memory test client on a Tenon server */
  readonly reference?: OpenClient;
  /** Revisions to test. @default all */
  readonly only?: (traits: Traits) => boolean;
  readonly comparedOnly?: readonly ComparedOnly[];
}

/** Runs every scenario over a transport, in every revision. */
export function describeTransport(
  name: string,
  open: OpenClient,
  options: TransportContractOptions = {},
): void {
  const { reference: openOther = openReference, only: ofRevision, comparedOnly = [] } = options;
  const unknown = comparedOnly.find(({ title }) => SCENARIOS.every((one) => one.title !== title));
  if (unknown !== undefined) throw new Error(`Unknown scenario "${unknown.title}".`);
  const revisions = REVISIONS.filter((revision) => ofRevision?.(TRAITS[revision]) !== false);
  describe.each(revisions.toReversed())(`${name}, %s`, (revision) => {
    const traits = TRAITS[revision];
    let client: TransportClient;
    let reference: TransportClient;
    let checked = 0;

    beforeAll(async () => {
      const options: OpenOptions = { revision, people: PEOPLE };
      [client, reference] = await Promise.all([open(options), openOther(options)]);
    }, HOOK_TIMEOUT_MS);

    // Messages sent while closing are checked too.
    afterAll(async () => {
      await Promise.all([client.close(), reference.close()]);
      expect(client.problems.slice(checked)).toEqual([]);
    }, HOOK_TIMEOUT_MS);

    for (const { title, run, check, only } of SCENARIOS) {
      if (only?.(traits) === false) continue;
      const exception = comparedOnly.find((one) => one.title === title && one.only?.(traits) !== false);
      const note = exception === undefined ? "" : ` (compared only: ${exception.reason})`;
      test(`T49: ${title}${note}`, async () => {
        const seen = await run(client);
        if (exception === undefined) check(seen as never, traits); // `run` of the same scenario returned it
        expect(seen).toEqual(await run(reference));
        const problems = client.problems.slice(checked);
        checked = client.problems.length;
        expect(problems).toEqual([]);
      });
    }
  });
}

/** Maximum time in milliseconds for a child process to start and exit on a busy machine. */
const HOOK_TIMEOUT_MS = 60_000;

const SCENARIOS = [...PLAIN_SCENARIOS, ...LIVE_SCENARIOS, ...CHANGE_SCENARIOS];

/** Responses that every client sends. */
const PEOPLE: People = {
  input: ({ message }) =>
    message === "Who are you?" ? { action: "accept", content: { name: "Ada" } } : { action: "decline" },
  sample: ({ messages }) => {
    const [{ content }] = messages as [{ content: { text: string } }];
    return {
      role: "assistant",
      model: "parrot",
      content: { type: "text", text: `Thought: ${content.text}` },
    };
  },
  roots: [{ uri: "file:///home/ada" }, { uri: "file:///tmp", name: "tmp" }],
};
