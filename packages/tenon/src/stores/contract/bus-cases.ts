/**
 * @fileoverview Contract cases for buses.
 * @module tenon/stores/contract/bus-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { Bus } from "../ports.js";
import { assertRangeErrors, defineNodeCases, type StoreCase, type StoreContext } from "./case-context.js";
import { BAD_NAMES, LARGE_TEXT, times, toLabel, TRICKY_NAMES, TRICKY_TEXTS } from "./samples.js";

type Case = StoreCase<Bus>;

/** Cases for delivery. */
const DELIVERY_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<Bus>({
    async "a message reaches every listener on its channel, on every node"([bus, peer], context) {
      const listeners = [
        await listen(bus, "news"),
        await listen(bus, "news"),
        await listen(peer, "news"),
        await listen(peer, "news"),
      ];
      await bus.publish("news", "a");
      await peer.publish("news", "b");
      for (const { heard } of listeners) {
        await context.until("every listener has both messages", () => heard.length >= 2);
        assertEqual("The messages", heard.toSorted(), ["a", "b"]);
      }
    },
    async "publishing without listeners works, and later listeners receive nothing"([bus, peer], context) {
      await bus.publish("news", "missed");
      const { heard } = await listen(peer, "news");
      await bus.publish("news", "heard");
      await hasHeard(context, heard, ["heard"]);
    },
    async "messages from one publisher arrive in order"([bus, peer], context) {
      await context.repeat(async (random, run) => {
        const messages = times(random.integer(0, 20), () => random.text(10));
        const { heard, stop } = await listen(peer, `channel ${run}`);
        await Promise.all(messages.map((message) => bus.publish(`channel ${run}`, message)));
        await hasHeard(context, heard, messages);
        await stop();
      });
    },
    async "500 messages from each of two nodes arrive complete and in their order"([bus, peer], context) {
      const listeners = [await listen(bus, "news"), await listen(peer, "news")];
      const publish = (node: Bus, name: string) => times(500, (n) => node.publish("news", `${name} ${n}`));
      await Promise.all([...publish(bus, "first"), ...publish(peer, "second")]);
      for (const { heard } of listeners) {
        await context.until("all messages arrive", () => heard.length >= 1_000);
        for (const name of ["first", "second"]) {
          const own = heard.filter((message) => message.startsWith(name));
          assertEqual(
            `The messages of the ${name} node`,
            own,
            times(500, (n) => `${name} ${n}`),
          );
        }
      }
    },
    async "texts arrive unchanged"([bus, peer], context) {
      const { heard } = await listen(peer, "news");
      const texts = [...TRICKY_TEXTS, LARGE_TEXT];
      for (const text of texts) await bus.publish("news", text);
      await hasHeard(context, heard, texts);
    },
    async "similar or unusual channel names stay separate"([bus, peer], context) {
      const listeners = await Promise.all(TRICKY_NAMES.map((channel) => listen(peer, channel)));
      for (const channel of TRICKY_NAMES) await bus.publish(channel, `to ${channel}`);
      for (const [index, { heard }] of listeners.entries()) {
        await context.until(`a message on ${toLabel(TRICKY_NAMES[index] ?? "")}`, () => heard.length > 0);
      }
      await context.quiet();
      const all = listeners.map(({ heard }) => heard);
      assertEqual(
        "The messages",
        all,
        TRICKY_NAMES.map((channel) => [`to ${channel}`]),
      );
    },
  }),
  ...BAD_NAMES.map((channel): Case => ({
    title: `a channel name with ${channel.length} characters is rejected`,
    async run(context) {
      const bus = await context.open({});
      await assertRangeErrors({
        publish: bus.publish(channel, "a"),
        subscribe: bus.subscribe(channel, () => undefined),
      });
    },
  })),
];

/** Cases for listeners. */
const LISTENER_CASES = /* @__PURE__ */ defineNodeCases<Bus>({
  async "listeners are never called inside `publish`"([bus], context) {
    const { heard } = await listen(bus, "news");
    const published = bus.publish("news", "a");
    const inside = [...heard];
    await published;
    assertEqual("The messages inside `publish`", inside, []);
    await hasHeard(context, heard, ["a"]);
  },
  async "a listener gets nothing after it has unsubscribed, and the others continue"([bus, peer], context) {
    const [leaving, staying] = [await listen(bus, "news"), await listen(bus, "news")];
    await peer.publish("news", "a");
    for (const { heard } of [leaving, staying]) await hasHeard(context, heard, ["a"]);
    await leaving.stop();
    await leaving.stop();
    await peer.publish("news", "b");
    await hasHeard(context, staying.heard, ["a", "b"]);
    assertEqual("The messages after the end", leaving.heard, ["a"]);
  },
  async "a channel can be subscribed to again after its last listener has left"([bus, peer], context) {
    for (let round = 0; round < 5; round++) {
      const { heard, stop } = await listen(bus, "news");
      await peer.publish("news", `round ${round}`);
      await hasHeard(context, heard, [`round ${round}`]);
      await stop();
      await peer.publish("news", "missed");
    }
    // A subscription and the end of another one may overlap.
    const first = await listen(bus, "news");
    const [second] = await Promise.all([listen(bus, "news"), first.stop()]);
    await peer.publish("news", "last");
    await hasHeard(context, second.heard, ["last"]);
  },
  async "a function that subscribed twice is called twice"([bus], context) {
    const heard: string[] = [];
    const listener = (message: string) => void heard.push(message);
    const stop = await bus.subscribe("news", listener);
    await bus.subscribe("news", listener);
    await bus.publish("news", "a");
    await hasHeard(context, heard, ["a", "a"]);
    await stop();
    await bus.publish("news", "b");
    await hasHeard(context, heard, ["a", "a", "b"]);
  },
  async "a listener that throws or rejects affects neither the others nor the publisher"([bus], context) {
    await bus.subscribe("news", () => {
      throw new Error("thrown by a listener");
    });
    await bus.subscribe("news", () => Promise.reject(new Error("rejected by a listener")));
    const { heard } = await listen(bus, "news");
    await bus.publish("news", "a");
    await bus.publish("news", "b");
    await hasHeard(context, heard, ["a", "b"]);
  },
  async "a listener's own message arrives after the message that it responds to"([bus], context) {
    await bus.subscribe("news", async (message) => {
      if (message === "ask") await bus.publish("news", "answer");
    });
    const { heard } = await listen(bus, "news");
    await bus.publish("news", "ask");
    await hasHeard(context, heard, ["ask", "answer"]);
  },
});

/** Cases for lost connections. */
const GAP_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<Bus>({
    async "`onGap` is not called while the connection works"([bus, peer], context) {
      const { heard, gaps } = await listen(bus, "news");
      await listen(bus, "other");
      await peer.publish("news", "a");
      await hasHeard(context, heard, ["a"]);
      assertEqual("The calls of `onGap`", gaps(), 0);
    },
  }),
  {
    title: "after a lost connection, every listener's `onGap` is called, and later messages arrive",
    needs: "interrupt",
    async run(context) {
      const [bus, peer] = await context.openBoth({});
      const listeners = await Promise.all(["a", "a", "b", "c"].map((channel) => listen(bus, channel)));
      const left = await listen(bus, "a");
      await left.stop();
      for (let round = 1; round <= 3; round++) {
        await context.interrupt(bus);
        await context.until("every `onGap` is called", () => listeners.every(({ gaps }) => gaps() >= round));
        for (const channel of ["a", "b", "c"]) {
          const message = `${channel} ${round}`;
          await context.untilDone("a message is published", () => peer.publish(channel, message));
        }
        for (const { heard } of listeners) {
          await context.until("a message after the gap", () => heard.length >= round);
        }
      }
      const expected = ["a", "a", "b", "c"].map((channel) => [1, 2, 3].map((round) => `${channel} ${round}`));
      assertEqual(
        "The messages",
        listeners.map(({ heard }) => heard),
        expected,
      );
      assertEqual("The calls of `onGap` after the end", left.gaps(), 0);
    },
  },
  {
    title: "an error in `onGap` does not affect the other listeners",
    needs: "interrupt",
    async run(context) {
      const bus = await context.open({});
      const onGap = () => {
        throw new Error("thrown by `onGap`");
      };
      await bus.subscribe("news", () => undefined, { onGap });
      const other = await listen(bus, "news");
      await context.interrupt(bus);
      await context.until("the other `onGap` is called", () => other.gaps() > 0);
      await context.untilDone("a message is published", () => bus.publish("news", "later"));
      await context.until("the message arrives", () => other.heard.includes("later"));
    },
  },
];

/** Cases for buses. */
export const BUS_CASES: readonly Case[] = [...DELIVERY_CASES, ...LISTENER_CASES, ...GAP_CASES];

async function listen(bus: Bus, channel: string) {
  const heard: string[] = [];
  let gaps = 0;
  const listener = (message: string) => void heard.push(message);
  const stop = await bus.subscribe(channel, listener, { onGap: () => void (gaps += 1) });
  return { heard, gaps: () => gaps, stop };
}

/** Waits for messages and checks that no others arrive. */
async function hasHeard(
  context: StoreContext<Bus>,
  heard: readonly string[],
  expected: readonly string[],
): Promise<void> {
  await context.until("the messages arrive", () => heard.length >= expected.length);
  await context.quiet();
  assertEqual("The messages", heard, expected);
}
