/**
 * @fileoverview What every transport owes its clients: in each revision the same calls give the same results as in
 * memory, and every message fits the specification.
 * @module tests/contract/transport-contract
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REVISIONS, TRAITS } from "../../src/protocol/index.js";
import { CHANGE_SCENARIOS } from "./transport-change-scenarios.js";
import type { OpenClient, OpenOptions, People, TransportClient } from "./transport-client.js";
import { LIVE_SCENARIOS } from "./transport-live-scenarios.js";
import { PLAIN_SCENARIOS } from "./transport-plain-scenarios.js";
import { openReference } from "./transport-reference.js";

/** Tries a transport with every scenario, in every revision. */
export function describeTransport(name: string, open: OpenClient): void {
  describe.each(REVISIONS.toReversed())(`${name}, %s`, (revision) => {
    const traits = TRAITS[revision];
    let client: TransportClient;
    let reference: TransportClient;
    let checked = 0;

    beforeAll(async () => {
      const options: OpenOptions = { revision, people: PEOPLE };
      [client, reference] = await Promise.all([open(options), openReference(options)]);
    });

    // The last words of the server count too.
    afterAll(async () => {
      await Promise.all([client.close(), reference.close()]);
      expect(client.problems.slice(checked)).toEqual([]);
    });

    const scenarios = [...PLAIN_SCENARIOS, ...LIVE_SCENARIOS, ...CHANGE_SCENARIOS];
    for (const { title, run, check, only } of scenarios) {
      if (only?.(traits) === false) continue;
      test(`T49: ${title}`, async () => {
        const seen = await run(client);
        check(seen as never, traits); // what its own first half gave
        expect(seen).toEqual(await run(reference));
        const problems = client.problems.slice(checked);
        checked = client.problems.length;
        expect(problems).toEqual([]);
      });
    }
  });
}

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
