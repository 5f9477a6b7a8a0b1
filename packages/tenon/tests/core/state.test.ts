import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallState, createSealer, EMPTY_STATE, type StateBinding } from "../../src/core/call/state.js";
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import { readJson } from "@tenon/internal/json";
import { type Ports, systemPorts } from "@tenon/internal/ports";

const KEY = "a key that is at least 32 bytes long";
const OLD_KEY = "an older key, also at least 32 bytes";
const FOREIGN_KEY = "the key of somebody else: 32 bytes too";
const STATE: CallState = {
  answers: { user_name: { action: "accept", content: { name: "Ada" } } },
  once: { order: { value: { id: 7 } } },
};
const BINDING: StateBinding = {
  server: "travel",
  principal: "ada",
  method: "tools/call",
  name: "book",
  args: { city: "Riga", nights: 2, guests: [{ name: "Ada", age: 36 }] },
};

/** Opens many texts and returns the accepted ones. */
async function accepted(texts: readonly string[], ports: Ports = systemPorts): Promise<readonly string[]> {
  const sealer = createSealer(ports, { keys: [KEY] });
  const kept: string[] = [];
  for (let start = 0; start < texts.length; start += 500) {
    const batch = texts.slice(start, start + 500);
    const states = await Promise.all(batch.map((text) => sealer.open(text, BINDING)));
    kept.push(...batch.filter((_, index) => states[index] !== undefined));
  }
  return kept;
}

const sealOne = (state = STATE, binding = BINDING) =>
  createSealer(systemPorts, { keys: [KEY] }).seal(state, binding);

function bytesOf(sealed: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64Url(sealed);
  if (bytes === undefined) throw new Error("a sealed state is base64url");
  return bytes;
}

function flipBit(sealed: string, bit: number): string {
  const bytes = bytesOf(sealed);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return toBase64Url(bytes);
}

describe("a sealed state", () => {
  test.each([
    ["with answers and results", STATE],
    ["of nothing", EMPTY_STATE],
    ["with a result that is undefined", { answers: {}, once: { done: {} } }],
    ["with any text", { answers: { "ключ 🔑": "\u0000\u2028\ud83d\ude00" }, once: {} }],
  ])("opens to the same value: %s", async (_, state) => {
    const sealer = createSealer(systemPorts);
    expect(await sealer.open(await sealer.seal(state, BINDING), BINDING)).toEqual(state);
  });

  test("opens to the same value for any JSON", async () => {
    const sealer = createSealer(systemPorts);
    const key = fc.stringMatching(/^[a-z_]{1,12}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(key, fc.jsonValue()),
        fc.dictionary(key, fc.record({ value: fc.jsonValue() })),
        async (answers, once) => {
          // Parsed messages never have keys that change a prototype.
          const state = readJson(JSON.stringify({ answers, once })) as CallState;
          expect(await sealer.open(await sealer.seal(state, BINDING), BINDING)).toEqual(state);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("does not reveal its content", async () => {
    const sealed = await sealOne();
    expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(Buffer.from(sealed, "base64url").includes("Ada")).toBe(false);
  });

  test("is a different text each time", async () => {
    const sealed = await Promise.all(Array.from({ length: 100 }, () => sealOne()));
    expect(new Set(sealed).size).toBe(100);
  });
});

describe("an altered state", () => {
  test("requestState: none of 10,000 bit flips is accepted", async () => {
    const sealed = await sealOne();
    const bits = bytesOf(sealed).length * 8;
    const everyBit = Array.from({ length: bits }, (_, bit) => flipBit(sealed, bit));
    const several = fc
      .sample(fc.uniqueArray(fc.nat(bits - 1), { minLength: 1, maxLength: 8 }), {
        numRuns: 10_000 - bits,
        seed: 1,
      })
      .map((flips) => flips.reduce(flipBit, sealed));
    const altered = [...everyBit, ...several];
    expect(altered).toHaveLength(10_000);
    expect(altered).not.toContain(sealed);
    expect(await accepted(altered)).toEqual([]);
    expect(await accepted([sealed])).toEqual([sealed]);
  });

  test("requestState: none of 10,000 changed characters is accepted", async () => {
    const sealed = await sealOne();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\u0000é😀";
    const altered = fc
      .sample(fc.tuple(fc.nat(sealed.length - 1), fc.constantFrom(...Array.from(alphabet))), {
        numRuns: 12_000,
        seed: 2,
      })
      .filter(([at, character]) => sealed[at] !== character)
      .slice(0, 10_000)
      .map(([at, character]) => sealed.slice(0, at) + character + sealed.slice(at + 1));
    expect(altered).toHaveLength(10_000);
    expect(await accepted(altered)).toEqual([]);
  });

  test("requestState: a state that is cut at any length is rejected", async () => {
    const sealed = await sealOne();
    const cut = Array.from({ length: sealed.length }, (_, length) => sealed.slice(0, length));
    expect(await accepted(cut)).toEqual([]);
  });

  test("requestState: two states that are spliced at any byte are rejected", async () => {
    const [one, other] = [bytesOf(await sealOne()), bytesOf(await sealOne())];
    const spliced = Array.from({ length: one.length - 1 }, (_, at) =>
      toBase64Url(new Uint8Array([...one.subarray(0, at + 1), ...other.subarray(at + 1)])),
    );
    // Where the states have equal bytes, such as in the version and the key's ID, a splice can equal one of them.
    const originals = [toBase64Url(one), toBase64Url(other)];
    const altered = spliced.filter((state) => !originals.includes(state));
    expect(altered.length).toBeGreaterThan(one.length / 2);
    expect(await accepted(altered)).toEqual([]);
  });

  test.each<[string, (sealed: string) => string]>([
    ["nothing", () => ""],
    ["no base64url", () => "not base64url!"],
    ["a length that is not valid base64", () => "A"],
    ["padding", (sealed) => `${sealed}==`],
    ["white space around it", (sealed) => ` ${sealed} `],
    ["a line break inside", (sealed) => `${sealed.slice(0, 20)}\n${sealed.slice(20)}`],
    ["a byte more", (sealed) => `${sealed}AA`],
    ["the alphabet of plain base64", (sealed) => `${sealed.slice(0, -4)}+/+/`],
    ["the version only", () => toBase64Url(new Uint8Array([1]))],
    ["a head without a body", (sealed) => toBase64Url(bytesOf(sealed).subarray(0, 17))],
    ["a different version", (sealed) => toBase64Url(new Uint8Array([2, ...bytesOf(sealed).subarray(1)]))],
    ["JSON", () => JSON.stringify(STATE)],
  ])("is rejected: %s", async (_, alter) => {
    expect(await accepted([alter(await sealOne())])).toEqual([]);
  });

  test("is rejected in a non-canonical base64 form of the same bytes", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // With one byte past a multiple of three, four bits of the last character are unused.
    const state = { answers: { pad: "x".repeat(3) }, once: {} };
    const seals = await Promise.all(
      [0, 1, 2].map((more) => sealOne({ ...state, answers: { pad: "x".repeat(more) } })),
    );
    const loose = seals.filter((sealed) => sealed.length % 4 !== 0);
    expect(loose).toHaveLength(2);
    const respelled = loose.flatMap((sealed) => {
      const last = alphabet.indexOf(sealed.at(-1) ?? "");
      const spare = sealed.length % 4 === 2 ? 16 : 4;
      return Array.from({ length: spare - 1 }, (_, bits) => sealed.slice(0, -1) + alphabet[last + bits + 1]);
    });
    for (const text of respelled) {
      const original = loose.find((sealed) => sealed.slice(0, -1) === text.slice(0, -1)) ?? "";
      expect(Buffer.from(text, "base64url").equals(Buffer.from(original, "base64url"))).toBe(true);
    }
    expect(await accepted(respelled)).toEqual([]);
  });
});

describe("a replayed state", () => {
  test.each<[string, Partial<StateBinding>]>([
    ["a different principal", { principal: "eve" }],
    ["no principal", { principal: undefined }],
    ["an empty principal", { principal: "" }],
    ["a different method", { method: "prompts/get" }],
    ["a different name", { name: "cancel" }],
    ["a different argument", { args: { ...(BINDING.args as object), nights: 3 } }],
    ["an argument of a different type", { args: { ...(BINDING.args as object), nights: "2" } }],
    ["an argument less", { args: { city: "Riga", nights: 2 } }],
    ["an argument more", { args: { ...(BINDING.args as object), spa: true } }],
    ["no arguments", { args: {} }],
    ["absent arguments", { args: undefined }],
    ["a nested change", { args: { ...(BINDING.args as object), guests: [{ name: "Ada", age: 37 }] } }],
  ])("requestState: a replay with %s is rejected", async (_, other) => {
    const sealer = createSealer(systemPorts, { keys: [KEY] });
    const sealed = await sealer.seal(STATE, BINDING);
    expect(await sealer.open(sealed, { ...BINDING, ...other })).toBeUndefined();
  });

  test("a state without a principal does not open for a principal, even one named null", async () => {
    const sealer = createSealer(systemPorts);
    const nobody = { ...BINDING, principal: undefined };
    const sealed = await sealer.seal(STATE, nobody);
    expect(await sealer.open(sealed, nobody)).toEqual(STATE);
    for (const principal of ["ada", "", "null", "undefined"]) {
      expect(await sealer.open(sealed, { ...BINDING, principal })).toBeUndefined();
    }
  });

  test("text cannot move between the members of a binding", async () => {
    const sealer = createSealer(systemPorts);
    const sealed = await sealer.seal(STATE, { ...BINDING, method: "a", name: 'b","c' });
    expect(await sealer.open(sealed, { ...BINDING, method: 'a","b', name: "c" })).toBeUndefined();
  });

  test("the order of keys in the arguments does not matter", async () => {
    const sealer = createSealer(systemPorts);
    const sealed = await sealer.seal(STATE, BINDING);
    const args = { guests: [{ age: 36, name: "Ada" }], nights: 2, city: "Riga" };
    expect(await sealer.open(sealed, { ...BINDING, args })).toEqual(STATE);
  });

  test("the order of list items in the arguments matters", async () => {
    const sealer = createSealer(systemPorts);
    const sealed = await sealer.seal(STATE, { ...BINDING, args: { list: [1, 2] } });
    expect(await sealer.open(sealed, { ...BINDING, args: { list: [2, 1] } })).toBeUndefined();
  });
});

describe("the state lifetime", () => {
  test.each([
    ["ten minutes", {}, 600_000],
    ["the time that was set", { ttlMs: 1_000 }, 1_000],
  ])("is %s, to the millisecond", async (_, options, ttlMs) => {
    let now = 1_000_000;
    const sealer = createSealer({ ...systemPorts, now: () => now }, { keys: [KEY], ...options });
    const sealed = await sealer.seal(STATE, BINDING);
    now += ttlMs - 1;
    expect(await sealer.open(sealed, BINDING)).toEqual(STATE);
    now += 1;
    expect(await sealer.open(sealed, BINDING)).toBeUndefined();
  });
});

describe("state keys", () => {
  const open = async (sealed: string, keys: readonly (string | Uint8Array)[]) =>
    createSealer(systemPorts, { keys }).open(sealed, BINDING);

  test("can be rotated: a state opens only while its key is configured", async () => {
    const sealed = await createSealer(systemPorts, { keys: [OLD_KEY] }).seal(STATE, BINDING);
    expect(await open(sealed, [KEY, OLD_KEY])).toEqual(STATE);
    expect(await open(sealed, [KEY])).toBeUndefined();
  });

  test("seal with the first key", async () => {
    const sealed = await createSealer(systemPorts, { keys: [KEY, OLD_KEY] }).seal(STATE, BINDING);
    expect(await open(sealed, [KEY])).toEqual(STATE);
    expect(await open(sealed, [OLD_KEY])).toBeUndefined();
  });

  test("can be shared between nodes as text or bytes", async () => {
    const sealed = await createSealer(systemPorts, { keys: [KEY] }).seal(STATE, BINDING);
    expect(await open(sealed, [new TextEncoder().encode(KEY)])).toEqual(STATE);
  });

  test("an unknown key is rejected, even if it has a known key's ID", async () => {
    const foreign = await createSealer(systemPorts, { keys: [FOREIGN_KEY] }).seal(STATE, BINDING);
    expect(await open(foreign, [KEY])).toBeUndefined();
    const known = bytesOf(await sealOne());
    const forged = toBase64Url(new Uint8Array([...known.subarray(0, 5), ...bytesOf(foreign).subarray(5)]));
    expect(await open(forged, [KEY])).toBeUndefined();
  });

  test("are random for each process by default", async () => {
    const sealed = await createSealer(systemPorts).seal(STATE, BINDING);
    expect(await createSealer(systemPorts).open(sealed, BINDING)).toBeUndefined();
  });

  test("can be overwritten by the application after they were passed", async () => {
    const bytes = new TextEncoder().encode(KEY);
    const sealer = createSealer(systemPorts, { keys: [bytes] });
    bytes.fill(0);
    expect(await open(await sealer.seal(STATE, BINDING), [KEY])).toEqual(STATE);
  });

  test.each<[string | Uint8Array, number]>([
    ["too short", 9],
    ["", 0],
    ["x".repeat(31), 31],
    [new Uint8Array(16), 16],
  ])("must be at least 32 bytes long: %o", (key, length) => {
    expect(() => createSealer(systemPorts, { keys: [KEY, key] })).toThrow(
      new Error(`Every key in \`state.keys\` must be at least 32 bytes long; got ${length}.`),
    );
  });

  test("are counted in bytes, not in characters", () => {
    expect(() => createSealer(systemPorts, { keys: ["é".repeat(16)] })).not.toThrow();
  });

  test("an empty list is rejected immediately", () => {
    expect(() => createSealer(systemPorts, { keys: [] })).toThrow(
      "`state.keys` must contain at least one key; got an empty array.",
    );
  });
});

describe("the state size", () => {
  const large: CallState = { answers: { essay: "x".repeat(1_000) }, once: {} };

  test.each([
    ["the default", undefined, 65_536, { answers: { essay: "x".repeat(65_536) }, once: {} }],
    ["the one set", 1_000, 1_000, large],
  ])("has a limit, %s: a larger state is not sealed", async (_, maxLength, bound, state) => {
    const sealer = createSealer(systemPorts, maxLength === undefined ? {} : { maxLength });
    await expect(sealer.seal(state, BINDING)).rejects.toThrow(
      new RegExp(
        `^The call state is \\d+ characters long \\(limit: ${bound}\\)\\. ` +
          "Raise `state\\.maxLength` or return less from `call\\.once`\\.$",
      ),
    );
  });

  test("a larger text from the client is rejected before decryption", async () => {
    const sealed = await createSealer(systemPorts, { keys: [KEY] }).seal(large, BINDING);
    let decrypted = 0;
    const subtle = new Proxy(systemPorts.subtle, {
      get(target, name) {
        if (name === "decrypt") decrypted++;
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    const ports = { ...systemPorts, subtle };
    const bounded = createSealer(ports, { keys: [KEY], maxLength: sealed.length - 1 });
    expect(await bounded.open(sealed, BINDING)).toBeUndefined();
    expect(decrypted).toBe(0);
    const fitting = createSealer(ports, { keys: [KEY], maxLength: sealed.length });
    expect(await fitting.open(sealed, BINDING)).toEqual(large);
    expect(decrypted).toBe(1);
  });
});
