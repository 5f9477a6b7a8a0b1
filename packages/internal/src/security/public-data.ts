/**
 * @fileoverview Copies an error's data for clients.
 * @module internal/security/public-data
 */

/**
 * Copies data as plain JSON, without `stack` members, which some libraries add to an error's data. Returns `undefined`
 * if the data cannot be serialized.
 */
export function toPublicData(data: unknown): unknown {
  try {
    const text = JSON.stringify(data, (key, value: unknown) => (key === "stack" ? undefined : value));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
