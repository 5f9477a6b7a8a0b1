import { encodeUtf8 } from "@tenon/internal/utf8";
import { systemPorts } from "@tenon/internal/ports";
import { describe, expect, test } from "vitest";
import { KeyRing } from "../../src/core/call/key-ring.js";
import { createRecordSealer } from "../../src/core/call/record-sealer.js";
import type { SecretSource } from "../../src/core/wire/cluster-link.js";

const secret = (letter: string) => letter.repeat(32);
const BINDING = encodeUtf8("here");
const PLAIN = encodeUtf8("text");

/** Creates a ring with secrets of a store. */
const createRing = (source: SecretSource, own?: readonly string[]) => {
  const ring = new KeyRing(systemPorts, own);
  ring.useSource(source);
  return ring;
};
const seal = (ring: KeyRing) => ring.seal(PLAIN, BINDING);
const open = async (ring: KeyRing, sealed: string) => {
  const plain = await ring.open(sealed, BINDING);
  return plain === undefined ? undefined : new TextDecoder().decode(plain);
};

describe("a key ring with the secrets of a store", () => {
  test("decrypts what other nodes encrypted, and random keys do not", async () => {
    const [a, b] = [createRing(async () => [secret("a")]), createRing(async () => [encodeUtf8(secret("a"))])];
    expect(await open(b, await seal(a))).toBe("text");
    expect(await open(new KeyRing(systemPorts), await seal(a))).toBeUndefined();
  });

  test("encrypts with the first secret and decrypts with all of them", async () => {
    const [old, both, recent] = [["a"], ["b", "a"], ["b"]].map((letters) =>
      createRing(async () => letters.map(secret)),
    );
    if (old === undefined || both === undefined || recent === undefined)
      throw new Error("Expected three rings.");
    expect(await open(both, await seal(old))).toBe("text");
    expect(await open(recent, await seal(both))).toBe("text");
    expect(await open(old, await seal(both))).toBeUndefined();
    expect(await open(recent, await seal(old))).toBeUndefined();
  });

  test("reads the secrets once", async () => {
    let reads = 0;
    const ring = createRing(async () => {
      reads++;
      return [secret("a")];
    });
    await Promise.all([seal(ring), seal(ring), open(ring, await seal(ring))]);
    expect(reads).toBe(1);
  });

  test("reads the secrets again after a failure", async () => {
    const failures = [new Error("down"), new Error("still down")];
    const ring = createRing(async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return [secret("a")];
    });
    await expect(seal(ring)).rejects.toThrow("down");
    await expect(open(ring, await seal(createRing(async () => [secret("a")])))).rejects.toThrow("still down");
    expect(await open(ring, await seal(ring))).toBe("text");
  });

  test.each([
    { secrets: ["short"], message: "Every key in the store must be at least 32 bytes long; got 5." },
    { secrets: [], message: "Could not encrypt: no key is configured. Set `state.keys`." },
  ])("rejects the secrets $secrets", async ({ secrets, message }) => {
    await expect(seal(createRing(async () => secrets))).rejects.toThrow(message);
  });

  test("prefers its own secrets, and the first source", async () => {
    const own = createRing(async () => [secret("a")], [secret("b")]);
    expect(own.hasOwnSecrets).toBe(true);
    expect(await open(new KeyRing(systemPorts, [secret("b")]), await seal(own))).toBe("text");
    const ring = createRing(async () => [secret("a")]);
    ring.useSource(async () => [secret("c")]);
    expect(ring.hasOwnSecrets).toBe(false);
    expect(
      await open(
        createRing(async () => [secret("a")]),
        await seal(ring),
      ),
    ).toBe("text");
  });

  test("replaces the random key of a ring that was used before", async () => {
    const ring = new KeyRing(systemPorts);
    await seal(ring);
    ring.useSource(async () => [secret("a")]);
    expect(
      await open(
        createRing(async () => [secret("a")]),
        await seal(ring),
      ),
    ).toBe("text");
  });
});

describe("a sealed record", () => {
  const sealer = createRecordSealer(new KeyRing(systemPorts, [secret("a")]));

  test.each(["", "text", "\u{1f600} ü", "x".repeat(100_000)])("opens in its place (%#)", async (value) => {
    const sealed = await sealer.seal(value, "session/1");
    expect(await sealer.open(sealed, "session/1")).toBe(value);
    expect(sealed).toMatch(/^[\w-]+$/);
  });

  test("does not open in a different place, or as the state of a call", async () => {
    const ring = new KeyRing(systemPorts, [secret("a")]);
    const record = await createRecordSealer(ring).seal("text", "session/1");
    for (const place of ["session/2", "session/1 ", "", "session"])
      expect(await sealer.open(record, place)).toBeUndefined();
    expect(await ring.open(record, encodeUtf8("session/1"))).toBeUndefined();
  });

  test("does not open after any change of a character", async () => {
    const sealed = await sealer.seal("text", "here");
    for (let place = 0; place < sealed.length; place++) {
      const other = sealed[place] === "A" ? "B" : "A";
      expect(
        await sealer.open(sealed.slice(0, place) + other + sealed.slice(place + 1), "here"),
      ).toBeUndefined();
    }
    for (const text of ["", "AQ", sealed.slice(0, -1), `${sealed}A`, `${sealed}=`, "\u{1f600}"])
      expect(await sealer.open(text, "here")).toBeUndefined();
  });
});
