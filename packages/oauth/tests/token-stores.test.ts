import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createFileTokenStore, createMemoryTokenStore, type TokenStore } from "../src/index.js";
import type { FileTokenStoreOptions } from "../src/tokens/file-token-store.js";
import { accountKey, readToken, serviceKey } from "../src/tokens/token-store.js";
import { createClock } from "./support/fixture.js";
import { systemPorts } from "@tenon/internal/ports";

const folder = mkdtempSync(join(tmpdir(), "tenon-tokens-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KEY = new Uint8Array(32).fill(7);
let files = 0;
const freshPath = () => join(folder, `${++files}`, "deep", "tokens");
const token = { accessToken: "a", refreshToken: "r", expiresAt: 1, scope: "s" };

const STORES: Readonly<Record<string, (ports: typeof systemPorts) => TokenStore>> = {
  memory: (ports) => createMemoryTokenStore(ports),
  file: (ports) => createFileTokenStore({ path: freshPath(), key: KEY, ports }),
};

describe.each(Object.entries(STORES))("Z16: the %s store", (_name, create) => {
  const open = () => create(systemPorts);

  test("returns a value until it is deleted", async () => {
    const store = open();
    expect(await store.get("a:mail:token")).toBeUndefined();
    await store.set("a:mail:token", token);
    await store.set("mail:linked", ["a", "b"]);
    expect(await store.get("a:mail:token")).toEqual(token);
    expect(await store.get("mail:linked")).toEqual(["a", "b"]);
    expect(await store.delete("a:mail:token")).toBe(true);
    expect(await store.delete("a:mail:token")).toBe(false);
    expect(await store.get("a:mail:token")).toBeUndefined();
  });

  test("stores a copy that the caller cannot change", async () => {
    const store = open();
    const value = { accessToken: "a", list: [1] };
    await store.set("key", value);
    value.list.push(2);
    expect(await store.get("key")).toEqual({ accessToken: "a", list: [1] });
  });

  test("expires a value after its TTL", async () => {
    const clock = createClock();
    const store = create({ ...systemPorts, ...clock.ports });
    await store.set("key", 1, 600_000);
    await store.set("other", 2);
    clock.advance(300_000);
    expect(await store.get("key")).toBe(1);
    clock.advance(300_001);
    expect(await store.get("key")).toBeUndefined();
    expect(await store.get("other")).toBe(2);
  });

  test("keeps all concurrent writes", async () => {
    const store = open();
    await Promise.all(Array.from({ length: 40 }, (_, index) => store.set(`key-${index}`, index)));
    const values = await Promise.all(Array.from({ length: 40 }, (_, index) => store.get(`key-${index}`)));
    expect(values).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  test("does not confuse keys with object member names", async () => {
    const store = open();
    for (const key of ["constructor", "toString", "hasOwnProperty"])
      expect(await store.get(key)).toBeUndefined();
  });
});

describe("the file store", () => {
  test("is readable by a later process with the same key, as bytes or as base64", async () => {
    const path = freshPath();
    await createFileTokenStore({ path, key: KEY }).set("key", token);
    for (const key of [Buffer.from(KEY).toString("base64"), Buffer.from(KEY).toString("base64url")]) {
      expect(await createFileTokenStore({ path, key }).get("key")).toEqual(token);
    }
  });

  test("reveals nothing about its contents, and writes different bytes each time", async () => {
    const path = freshPath();
    const store = createFileTokenStore({ path, key: KEY });
    await store.set("ada@example.com:mail:token", { accessToken: "canary-token" });
    const first = readFileSync(path);
    expect(first.toString("latin1")).not.toMatch(/canary|ada|mail/);
    await store.set("ada@example.com:mail:token", { accessToken: "canary-token" });
    expect(readFileSync(path).equals(first)).toBe(false);
  });

  test("is accessible only to its owner, like the folders it creates, and leaves no temporary file", async () => {
    const path = freshPath();
    const store = createFileTokenStore({ path, key: KEY });
    await store.set("key", token);
    chmodSync(path, 0o644);
    await store.set("key", token);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "../..")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(path, ".."))).toEqual(["tokens"]);
  });

  test("encrypted with a different key is rejected and not changed", async () => {
    const path = freshPath();
    await createFileTokenStore({ path, key: KEY }).set("key", token);
    const bytes = readFileSync(path);
    const other = createFileTokenStore({ path, key: new Uint8Array(32).fill(8) });
    const text =
      `Could not decrypt token file "${path}". The file is damaged or was encrypted with a different key. It was left unchanged. ` +
      "Use the original key, or delete the file and sign in again.";
    await expect(other.get("key")).rejects.toThrow(text);
    await expect(other.set("key", token)).rejects.toThrow(text);
    await expect(other.delete("key")).rejects.toThrow(text);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("damaged at any byte is rejected and not changed", async () => {
    const path = freshPath();
    const store = createFileTokenStore({ path, key: KEY });
    await store.set("key", token);
    const whole = readFileSync(path);
    const at = fc.nat({ max: whole.length - 1 });
    const damages = fc.oneof(
      at.map((length) => whole.subarray(0, length)),
      fc.tuple(at, fc.integer({ min: 1, max: 255 })).map(([index, bits]) => {
        const copy = Buffer.from(whole);
        copy[index] = (copy[index] ?? 0) ^ bits;
        return copy;
      }),
    );
    await fc.assert(
      fc.asyncProperty(damages, async (bytes) => {
        writeFileSync(path, bytes);
        await expect(store.get("key")).rejects.toThrow("Could not decrypt token file");
        await expect(store.set("key", token)).rejects.toThrow("Could not decrypt token file");
        expect(readFileSync(path).equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
    writeFileSync(path, whole);
    expect(await store.get("key")).toEqual(token);
  });

  test("fails the call while it is not writable, and recovers afterward", async () => {
    const path = join(folder, "blocked", "tokens");
    writeFileSync(join(folder, "blocked"), "a file where the folder should be");
    const store = createFileTokenStore({ path, key: KEY });
    await expect(store.set("key", token)).rejects.toThrow();
    rmSync(join(folder, "blocked"));
    await store.set("key", token);
    expect(await store.get("key")).toEqual(token);
  });

  test.each([
    ["", "0 bytes"],
    ["password", "6 bytes"],
    ["not base64!", "a string"],
    [new Uint8Array(16), "16 bytes"],
  ])("rejects the key %j", (key, got) => {
    expect(() => createFileTokenStore({ path: "tokens", key })).toThrow(
      `\`key\` must be 32 bytes, raw or base64-encoded; got ${got}. Create one with: openssl rand -base64 32`,
    );
  });

  test("requires a key", () => {
    expect(() => createFileTokenStore({ path: "tokens" } as FileTokenStoreOptions)).toThrow(
      "`key` is required. Set it to 32 bytes, raw or base64-encoded. Create one with: openssl rand -base64 32",
    );
  });

  test("requires a path", () => {
    expect(() => createFileTokenStore({ path: "", key: KEY })).toThrow(
      '`path` must be a non-empty string, such as "./tokens"; got "".',
    );
  });
});

describe("stored records", () => {
  test("have keys that no account or service can forge", () => {
    expect(accountKey("a@b.c", "mail", "token")).toBe("a@b.c:mail:token");
    expect(serviceKey("mail", "active")).toBe("mail:active");
    expect(() => accountKey("a:b", "mail", "token")).toThrow(
      '`accountId` must not contain a colon; got "a:b".',
    );
    expect(() => accountKey("a", "mail:x", "token")).toThrow(
      '`service` must not contain a colon; got "mail:x".',
    );
    expect(() => serviceKey("", "linked")).toThrow("`service` must not be empty.");
  });

  test.each([undefined, null, "text", [], {}, { accessToken: 7 }, { accessToken: "" }])(
    "are not a token if they are %j",
    (value) => {
      expect(readToken(value)).toBeUndefined();
    },
  );
});
