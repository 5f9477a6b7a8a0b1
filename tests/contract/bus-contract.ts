import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Bus } from "tenon/stores";
import {
  BAD_NAMES,
  type ContractOptions,
  openHarness,
  type StoreHarness,
  TRICKY_NAMES,
  TRICKY_TEXTS,
} from "./store-harness.js";

/** Runs the contract that every bus must pass, regardless of its engine. */
export function describeBusContract(
  name: string,
  create: () => Promise<StoreHarness<Bus>>,
  { runs = 100 }: ContractOptions = {},
): void {
  const open = () => openHarness(create);

  describe(`${name} delivers messages`, () => {
    test("a message reaches every listener on its channel, in every process", async () => {
      const { store, peer } = await open();
      const [one, two, far] = [
        await listen(store, "news"),
        await listen(store, "news"),
        await listen(peer, "news"),
      ];
      await store.publish("news", "a");
      await peer.publish("news", "b");
      for (const { heard } of [one, two, far]) {
        await vi.waitFor(() => expect(heard.toSorted()).toEqual(["a", "b"]));
      }
    });

    test("publishing without listeners works, and later listeners receive nothing", async () => {
      const { store } = await open();
      await store.publish("news", "missed");
      const { heard } = await listen(store, "news");
      await store.publish("news", "heard");
      await vi.waitFor(() => expect(heard).toEqual(["heard"]));
    });

    test("messages from one publisher arrive in order", async () => {
      const { store, peer } = await open();
      const messages = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 20 });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(messages, async (messages) => {
          const channel = `channel ${round++}`;
          const { heard, stop } = await listen(peer, channel);
          await Promise.all(messages.map((message) => store.publish(channel, message)));
          await vi.waitFor(() => expect(heard).toEqual(messages));
          await stop();
        }),
        { numRuns: runs },
      );
    });

    test("texts arrive unchanged", async () => {
      const { store, peer } = await open();
      const { heard } = await listen(peer, "news");
      for (const text of TRICKY_TEXTS) await store.publish("news", text);
      await vi.waitFor(() => expect(heard).toEqual(TRICKY_TEXTS));
    });

    test("similar or unusual channel names stay separate", async () => {
      const { store } = await open();
      const listeners = await Promise.all(TRICKY_NAMES.map((channel) => listen(store, channel)));
      for (const channel of TRICKY_NAMES) await store.publish(channel, `to ${channel}`);
      for (const [index, { heard }] of listeners.entries()) {
        await vi.waitFor(() => expect(heard).toEqual([`to ${TRICKY_NAMES[index]}`]));
      }
    });

    test.each(BAD_NAMES.map((text) => [text.length, text] as const))(
      "a channel name with %d characters is rejected",
      async (_length, channel) => {
        const { store } = await open();
        await expect(store.publish(channel, "a")).rejects.toThrow(RangeError);
        await expect(store.subscribe(channel, () => {})).rejects.toThrow(RangeError);
      },
    );
  });

  describe(`${name} calls its listeners`, () => {
    test("never inside publish", async () => {
      const { store } = await open();
      const { heard } = await listen(store, "news");
      const published = store.publish("news", "a");
      expect(heard).toEqual([]);
      await published;
      await vi.waitFor(() => expect(heard).toEqual(["a"]));
    });

    test("not after they have unsubscribed, while others continue", async () => {
      const { store } = await open();
      const [leaving, staying] = [await listen(store, "news"), await listen(store, "news")];
      await store.publish("news", "a");
      await vi.waitFor(() => expect([leaving.heard, staying.heard]).toEqual([["a"], ["a"]]));
      await leaving.stop();
      await leaving.stop();
      await store.publish("news", "b");
      await vi.waitFor(() => expect(staying.heard).toEqual(["a", "b"]));
      expect(leaving.heard).toEqual(["a"]);
    });

    test("twice if the same function subscribed twice", async () => {
      const { store } = await open();
      const heard: string[] = [];
      const listener = (message: string) => void heard.push(message);
      const stop = await store.subscribe("news", listener);
      await store.subscribe("news", listener);
      await store.publish("news", "a");
      await vi.waitFor(() => expect(heard).toEqual(["a", "a"]));
      await stop();
      await store.publish("news", "b");
      await vi.waitFor(() => expect(heard).toEqual(["a", "a", "b"]));
    });

    test("even if one of them throws or rejects, without an error for the publisher", async () => {
      const { store } = await open();
      await store.subscribe("news", () => {
        throw new Error("thrown by a listener");
      });
      await store.subscribe("news", () => Promise.reject(new Error("rejected by a listener")));
      const { heard } = await listen(store, "news");
      await store.publish("news", "a");
      await store.publish("news", "b");
      await vi.waitFor(() => expect(heard).toEqual(["a", "b"]));
    });

    test("with a listener's own message only after the message that it responds to", async () => {
      const { store } = await open();
      await store.subscribe("news", async (message) => {
        if (message === "ask") await store.publish("news", "answer");
      });
      const { heard } = await listen(store, "news");
      await store.publish("news", "ask");
      await vi.waitFor(() => expect(heard).toEqual(["ask", "answer"]));
    });
  });
}

async function listen(bus: Bus, channel: string) {
  const heard: string[] = [];
  const stop = await bus.subscribe(channel, (message) => void heard.push(message));
  return { heard, stop };
}
