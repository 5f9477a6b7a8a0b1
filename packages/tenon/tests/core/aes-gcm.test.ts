import type { Bytes } from "@tenon/internal/bytes";
import { systemPorts } from "@tenon/internal/ports";
import { describe, expect, test } from "vitest";
import { createAesGcm } from "../../src/core/call/aes-gcm.js";

const bytes = (length: number, seed: number): Bytes =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + seed) % 256);
const KEY = bytes(32, 1);
const PARTS = { iv: bytes(12, 2), binding: bytes(30, 3) };

/** A replaced port, which is used for everything. */
const webPorts = {
  ...systemPorts,
  subtle: new Proxy(systemPorts.subtle, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  }),
};

const PAIRS = [
  ["Node.js", "Node.js"],
  ["Node.js", "Web Crypto"],
  ["Web Crypto", "Node.js"],
] as const;

const create = (name: string, key = KEY) => createAesGcm(name === "Node.js" ? systemPorts : webPorts, key);

describe.each(PAIRS)("encrypted with %s and decrypted with %s", (from, to) => {
  test.each([0, 1, 1_000, 65_535, 65_536, 65_537, 200_000])("%d bytes are the same", async (length) => {
    const plain = bytes(length, 4);
    const sealed = await (await create(from)).encrypt(plain, PARTS);
    expect(sealed).toHaveLength(length + 16);
    const opened = await (await create(to)).decrypt(new Uint8Array(sealed), PARTS);
    expect(opened && Buffer.from(opened).equals(plain)).toBe(true);
  });

  test("altered bytes, other bindings, and other keys give undefined", async () => {
    const sealed = new Uint8Array(await (await create(from)).encrypt(bytes(40, 5), PARTS));
    const cipher = await create(to);
    for (let index = 0; index < sealed.length; index++) {
      const altered = sealed.map((byte, at) => (at === index ? byte ^ 1 : byte));
      expect(await cipher.decrypt(altered, PARTS)).toBeUndefined();
    }
    expect(await cipher.decrypt(sealed, { ...PARTS, binding: bytes(30, 9) })).toBeUndefined();
    expect(await cipher.decrypt(sealed, { ...PARTS, iv: bytes(12, 9) })).toBeUndefined();
    expect(await (await create(to, bytes(32, 9))).decrypt(sealed, PARTS)).toBeUndefined();
    expect(await cipher.decrypt(sealed.slice(0, 15), PARTS)).toBeUndefined();
    expect(await cipher.decrypt(sealed.slice(0, 39), PARTS)).toBeUndefined();
  });
});

test("small records are encrypted in this thread", async () => {
  const cipher = await create("Node.js");
  expect(cipher.encrypt(bytes(10, 1), PARTS)).toBeInstanceOf(Uint8Array);
  expect(cipher.encrypt(bytes(70_000, 1), PARTS)).toBeInstanceOf(Promise);
});
