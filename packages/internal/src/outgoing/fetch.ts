/**
 * @fileoverview Type of the functions that send outgoing requests.
 * @module internal/outgoing/fetch
 */

/** Subset of the `fetch` API that the packages use. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
