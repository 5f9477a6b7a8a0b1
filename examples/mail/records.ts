/**
 * @fileoverview In-memory storage for the authorization server.
 * @module examples/mail/records
 */
import type { Adapter, AdapterPayload } from "oidc-provider";

/** Creates a function that returns the storage for a kind of record. All storage starts empty. */
export function createRecords(): (kind: string) => Adapter {
  const kinds = new Map<string, Map<string, AdapterPayload>>();
  return (kind) => {
    const records = kinds.get(kind) ?? new Map<string, AdapterPayload>();
    kinds.set(kind, records);
    const findBy = async (matches: (record: AdapterPayload) => boolean) =>
      [...records.values()].find(matches);
    return {
      async upsert(id, payload) {
        records.set(id, payload);
      },
      find: async (id) => records.get(id),
      findByUid: (uid) => findBy((record) => record.uid === uid),
      findByUserCode: (code) => findBy((record) => record.userCode === code),
      async consume(id) {
        const record = records.get(id);
        if (record !== undefined) record["consumed"] = Math.floor(Date.now() / 1_000);
      },
      async destroy(id) {
        records.delete(id);
      },
      async revokeByGrantId(grantId) {
        for (const [id, record] of records) if (record.grantId === grantId) records.delete(id);
      },
    };
  };
}
