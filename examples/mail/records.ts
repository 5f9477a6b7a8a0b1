/**
 * @fileoverview In-memory storage of the authorization server.
 * @module examples/mail/records
 */
import type { Adapter, AdapterPayload } from "oidc-provider";

/** Creates empty storage for every kind of record. */
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
