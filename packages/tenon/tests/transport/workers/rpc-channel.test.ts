import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { StoreError } from "tenon/stores";
import { TaskEngineError } from "tenon/tasks";
import {
  RpcChannel,
  type RpcLimits,
  type TextPort,
} from "../../../src/transport/node/workers/rpc-channel.js";
import { toTextPort } from "../../support/transport/workers/linked.js";

/** Opens two connected channels. */
function connect(limits: RpcLimits = {}) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  return {
    near: new RpcChannel(toTextPort(port1), limits),
    far: new RpcChannel(toTextPort(port2), limits),
    nearPort: port1,
  };
}

/** Port whose texts are collected. They count as sent when the test says so. */
class ManualPort implements TextPort {
  readonly texts: string[] = [];
  readonly #sent: (() => void)[] = [];
  #onText: (text: string) => void = () => undefined;
  #onClose: () => void = () => undefined;

  send(text: string, onSent: () => void): void {
    this.texts.push(text);
    this.#sent.push(onSent);
  }
  onText(listener: (text: string) => void): void {
    this.#onText = listener;
  }
  onClose(listener: () => void): void {
    this.#onClose = listener;
  }
  receive(message: unknown): void {
    this.#onText(typeof message === "string" ? message : JSON.stringify(message));
  }
  close(): void {
    this.#onClose();
  }
  flush(): void {
    for (const onSent of this.#sent.splice(0)) onSent();
  }
}

test("a call returns the result of the method in the other process", async () => {
  const { near, far } = connect();
  far.handle({ add: ([a, b]) => Number(a) + Number(b), nothing: () => undefined });
  expect(await near.call("add", [1, 2])).toBe(3);
  expect(await near.call("nothing")).toBeNull();
});

test.each([
  [new StoreError("full", "The store is full."), StoreError, "full"],
  [new StoreError("too-large", "Too large."), StoreError, "too-large"],
  [new TaskEngineError("full", "Too many tasks."), TaskEngineError, "full"],
  [new TaskEngineError("unavailable", "Closed."), TaskEngineError, "unavailable"],
  [new RangeError("Out of range."), RangeError, undefined],
  [new Error("Failed."), Error, undefined],
])("the error %s keeps its class, message, and code", async (thrown, type, code) => {
  const { near, far } = connect();
  far.handle({
    fail: () => {
      throw thrown;
    },
  });
  const error: unknown = await near.call("fail").catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject({ message: thrown.message, ...(code === undefined ? {} : { code }) });
});

test("a call is rejected when the other process ends, before or after the call", async () => {
  const { near, far, nearPort } = connect();
  far.handle({ wait: () => new Promise(() => undefined) });
  const call = near.call("wait");
  nearPort.close();
  await expect(call).rejects.toThrow("The connection to the other process was closed.");
  await expect(near.call("wait")).rejects.toThrow("The connection to the other process was closed.");
  expect(near.isClosed).toBe(true);
});

test("a call beyond `maxInFlight` is rejected, and one more is possible after a reply", async () => {
  const port = new ManualPort();
  const channel = new RpcChannel(port, { maxInFlight: 2 });
  const calls = [channel.call("a"), channel.call("b")];
  await expect(channel.call("c")).rejects.toThrow("Too many store operations are in progress (limit: 2)");
  port.receive([1, 1, "done"]);
  expect(await calls[0]).toBe("done");
  const next = channel.call("d");
  port.receive([1, 3, "next"]);
  expect(await next).toBe("next");
});

test("calls of the other process beyond `maxInFlight` are rejected", async () => {
  const port = new ManualPort();
  const channel = new RpcChannel(port, { maxInFlight: 1 });
  channel.handle({ wait: () => new Promise(() => undefined) });
  port.receive([0, 1, "wait", []]);
  port.receive([0, 2, "wait", []]);
  await expect.poll(() => port.texts.length).toBe(1);
  expect(JSON.parse(port.texts[0] ?? "")).toMatchObject([2, 2, { name: "Error" }]);
});

test("a message beyond `maxLength` is rejected, and so is a reply", async () => {
  const { near, far } = connect({ maxLength: 200 });
  far.handle({ echo: ([text]) => text, large: () => "x".repeat(200) });
  await expect(near.call("echo", ["x".repeat(200)])).rejects.toThrow(RangeError);
  await expect(near.call("large")).rejects.toThrow(RangeError);
  expect(await near.call("echo", ["short"])).toBe("short");
});

test.each([
  "",
  "{",
  "null",
  "[]",
  "{}",
  "[0]",
  '[0,"1","echo",[]]',
  "[0,1,2,3]",
  '[1,99,"unknown"]',
  '[2,99,{"name":"StoreError"}]',
  '[3,"unknown",[]]',
  '[3,"echo",{}]',
  '[3,"fail",[]]',
  '[9,1,"echo",[]]',
  `["${"x".repeat(100)}`,
])("the message %j of the other process has no effect", async (text) => {
  const port = new ManualPort();
  const channel = new RpcChannel(port, { maxLength: 100 });
  channel.handle({
    echo: ([value]) => value,
    fail: () => {
      throw new Error("no reply");
    },
  });
  port.receive(text);
  port.receive([0, 7, "echo", ["still here"]]);
  await expect.poll(() => port.texts).toEqual(['[1,7,"still here"]']);
});

test.each([
  [[0, 1, "toString", []], "unknown method"],
  [[0, 1, "echo", "text"], "arguments that are not a list"],
])("the call %j gets an error as its reply: %s", async (message) => {
  const port = new ManualPort();
  new RpcChannel(port).handle({ echo: ([value]) => value });
  port.receive(message);
  await expect.poll(() => port.texts).toHaveLength(1);
  expect(JSON.parse(port.texts[0] ?? "")).toMatchObject([2, 1, { name: "RangeError" }]);
});

test("notifications are dropped while too much is unsent, and `onDrain` tells when they can be sent again", () => {
  const port = new ManualPort();
  const channel = new RpcChannel(port, { maxQueued: 20 });
  let drained = 0;
  channel.onDrain(() => drained++);
  expect(channel.offer("a", ["0123456789"])).toBe(true);
  expect(channel.offer("b", [])).toBe(false);
  expect(drained).toBe(0);
  port.flush();
  expect(drained).toBe(1);
  expect(channel.offer("c", [])).toBe(true);
  expect(port.texts).toEqual(['[3,"a",["0123456789"]]', '[3,"c",[]]']);
});

test("`onDrain` does not wait until nothing is unsent, which may never happen", () => {
  const sent: (() => void)[] = [];
  const port = { send: (_text: string, onSent: () => void) => void sent.push(onSent) };
  const channel = new RpcChannel(
    { ...port, onText: () => undefined, onClose: () => undefined },
    { maxQueued: 40 },
  );
  let drained = 0;
  channel.onDrain(() => drained++);
  for (const method of ["a", "b", "c", "d"]) channel.notify(method, ["01234"]);
  expect(channel.offer("e", [])).toBe(false);
  sent[0]?.();
  sent[1]?.();
  expect(drained).toBe(0);
  sent[2]?.();
  expect(drained).toBe(1);
});
