/**
 * @fileoverview `tenon/fetch`: for runtimes that speak web standards.
 * @module fetch
 */
export type { Authenticated, HttpOptions, RequestInfo } from "../http/options.js";
export { type FetchHandler, toFetch } from "./fetch-handler.js";
