import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createFileTokenStore } from "@tenon/oauth";
import { expect, test } from "vitest";
import { mountDisk } from "../../../tests/support/small-disk.js";

const key = new Uint8Array(32).fill(1);
/** More than a page of the file system. */
const LARGE = "x".repeat(20_000);

test("on a full disk, changes name the file and the reason, and tokens can still be read", async (context) => {
  const disk = await mountDisk(context);
  const path = join(disk.path, "folder", "tokens");
  const store = createFileTokenStore({ path, key });
  await store.set("ada", "token");
  for (const [freeBytes, reason] of [
    [0, `Could not create the lock file "${path}.lock": the disk is full.`],
    [8_192, `Could not write the token file "${path}": the disk is full.`],
  ] as const) {
    disk.fill(freeBytes);
    for (const _attempt of [1, 2]) await expect(store.set("bob", LARGE)).rejects.toThrow(reason);
    expect(await store.get("ada")).toBe("token");
    expect(readdirSync(join(path, ".."))).toEqual(["tokens"]);
    disk.empty();
  }
  disk.fill();
  await expect(store.lock?.("bob", async () => "signed in")).rejects.toThrow(
    /^Could not create the lock file ".+": the disk is full\.$/,
  );
  disk.empty();
  await store.set("bob", LARGE);
  expect([await store.get("ada"), await store.get("bob")]).toEqual(["token", LARGE]);
});

test("on a read-only file system, changes name the file and the reason, and tokens can still be read", async (context) => {
  const disk = await mountDisk(context);
  const path = join(disk.path, "tokens");
  await createFileTokenStore({ path, key }).set("ada", "token");
  await disk.setReadOnly(true);
  const store = createFileTokenStore({ path, key });
  expect(await store.get("ada")).toBe("token");
  await expect(store.set("bob", LARGE)).rejects.toThrow(
    `Could not create the lock file "${path}.lock": the file system is read-only.`,
  );
  const missing = join(disk.path, "missing", "tokens");
  const empty = createFileTokenStore({ path: missing, key });
  expect(await empty.get("ada")).toBeUndefined();
  await expect(empty.set("ada", "token")).rejects.toThrow(
    `Could not create the lock file "${missing}.lock": the file system is read-only.`,
  );
  expect(existsSync(join(missing, ".."))).toBe(false);
});
