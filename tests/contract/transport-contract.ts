/**
 * @fileoverview What every transport owes its clients: in each revision the same calls give the same results as in
 * memory, and every message fits the specification.
 * @module tests/contract/transport-contract
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REVISIONS, type Traits, TRAITS } from "tenon/protocol";
import { CHANGE_SCENARIOS } from "./transport-change-scenarios.js";
import type { OpenClient, OpenOptions, People, TransportClient } from "./transport-client.js";
import { LIVE_SCENARIOS } from "./transport-live-scenarios.js";
import { PLAIN_SCENARIOS } from "./transport-plain-scenarios.js";
import { openReference } from "./transport-reference.js";

/** A scenario that is only compared with the reference. */
export interface ComparedOnly {
  readonly title: string;
  /** Why what is seen is not what our own server would show. */
  readonly reason: string;
  /** The revisions where it is so; all of them unless given. */
  readonly only?: (traits: Traits) => boolean;
}

/** What is different where it is not our server that is behind a transport. */
export interface TransportContractOptions {
  /** Opens what the transport is compared with; the testing client in memory, with our server, unless given. */
  readonly reference?: OpenClient;
  /** The revisions to try; all of them unless given. */
  readonly only?: (traits: Traits) => boolean;
  readonly comparedOnly?: readonly ComparedOnly[];
}

/** Tries a transport with every scenario, in every revision. */
export function describeTransport(
  name: string,
  open: OpenClient,
  options: TransportContractOptions = {},
): void {
  const { reference: openOther = openReference, only: ofRevision, comparedOnly = [] } = options;
  const unknown = comparedOnly.find(({ title }) => SCENARIOS.every((one) => one.title !== title));
  if (unknown !== undefined) throw new Error(`There is no scenario "${unknown.title}"`);
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

    // The last words of the server count too.
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
        if (exception === undefined) check(seen as never, traits); // what its own first half gave
        expect(seen).toEqual(await run(reference));
        const problems = client.problems.slice(checked);
        checked = client.problems.length;
        expect(problems).toEqual([]);
      });
    }
  });
}

/** A child process may take long to start and to end on a busy machine. */
const HOOK_TIMEOUT_MS = 60_000;

const SCENARIOS = [...PLAIN_SCENARIOS, ...LIVE_SCENARIOS, ...CHANGE_SCENARIOS];

/** The same people behind every client. */
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
