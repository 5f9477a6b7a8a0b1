/**
 * @fileoverview Records of sessions on Redis strings, limited in number for all owners together and for each owner. A
 * string consists of the version and the owner, which have fixed lengths, the label, and the value.
 * @module redis/stores/session-records
 */
import { Buffer } from "node:buffer";
import { parseName, parseWhole } from "@tenon/internal/names/store-arguments";
import type { OwnedRecord, SessionRecords } from "tenon/stores";
import { runScript } from "../connection/index.js";
import { createVersion, type KeyValueParts, parseTtl, toExpected, VERSION_LENGTH } from "./key-value.js";
import * as scripts from "./session-scripts.js";

/** Creates a store with a limit. In a Redis Cluster, each shard has an equal part of it. */
export function createSessionRecords({ link, keys, kind }: KeyValueParts, maxKeys: number): SessionRecords {
  const maxPerShard = Math.ceil(maxKeys / keys.shards);
  const place = (key: string) => {
    const { index, member, recordPrefix } = keys.toShardKeys(kind, parseName(key));
    return { record: recordPrefix + member, index, member };
  };
  /** Returns the keys and arguments of a write. */
  const toWrite = (key: string, expected: string, record: OwnedRecord) => {
    const { index, member, record: name } = place(key);
    const { owner, maxPerOwner } = parseOwner(record);
    const limits = [maxPerShard, keys.hash(owner), maxPerOwner];
    const args = [
      expected,
      createVersion(),
      record.value,
      parseTtl(record.ttlMs),
      member,
      encodeLabel(record.label),
    ];
    return { keys: [name, index], args: [...args, ...limits] };
  };
  return {
    async get(key) {
      const { record } = place(key);
      return toEntry(await link.run((client) => client.get(record), { repeatable: true }));
    },
    async set(key, value, { ttlMs } = {}) {
      const record = ttlMs === undefined ? { value } : { value, ttlMs };
      await runScript(link, scripts.SET, toWrite(key, "", record));
    },
    async compareAndSet(key, expectedVersion, { value, ttlMs }) {
      const record = ttlMs === undefined ? { value } : { value, ttlMs };
      const call = { ...toWrite(key, toExpected(expectedVersion), record), repeatable: true };
      return (await runScript(link, scripts.COMPARE_AND_SET, call)) === 1;
    },
    async create(key, record) {
      const call = { ...toWrite(key, "", record), repeatable: true };
      const outcome = await runScript(link, scripts.CREATE, call);
      const [created, ...displaced] = Array.isArray(outcome) ? outcome.map(String) : [];
      return { created: created === "1", displaced: displaced.map(decodeLabel) };
    },
    async delete(key) {
      const { record, index, member } = place(key);
      return (await runScript(link, scripts.DELETE, { keys: [record, index], args: [member] })) === 1;
    },
    async touch(key, ttlMs) {
      const { record, index, member } = place(key);
      const args = [member, parseWhole("ttlMs", ttlMs)];
      return (await runScript(link, scripts.TOUCH, { keys: [record, index], args, repeatable: true })) === 1;
    },
  };
}

/** Checks an owner and its limit. An empty owner stands for none, and zero for no limit. */
function parseOwner({ owner, maxPerOwner }: OwnedRecord): { owner: string; maxPerOwner: number } {
  const limit = maxPerOwner === undefined ? 0 : parseWhole("maxPerOwner", maxPerOwner);
  return owner === undefined
    ? { owner: "", maxPerOwner: 0 }
    : { owner: parseName(owner), maxPerOwner: limit };
}

/** Splits a string into version and value. */
function toEntry(text: string | null): { value: string; version: string } | undefined {
  if (text === null) return undefined;
  const length = Number(text.slice(scripts.LABEL_START - scripts.LENGTH_DIGITS, scripts.LABEL_START));
  return {
    value: text.slice(scripts.LABEL_START + length),
    version: text.slice(0, VERSION_LENGTH),
  };
}

/** Encodes a label in ASCII, after its length. No label has the length zero. */
function encodeLabel(label: string | undefined): string {
  const text = label === undefined ? "" : toAscii(parseName(label));
  return String(text.length).padStart(scripts.LENGTH_DIGITS, "0") + text;
}

function toAscii(label: string): string {
  return /^[\w-]+$/.test(label) ? `.${label}` : Buffer.from(label, "utf16le").toString("base64url");
}

/** Decodes a label without its length. */
function decodeLabel(text: string): string {
  return text.startsWith(".") ? text.slice(1) : Buffer.from(text, "base64url").toString("utf16le");
}
