/**
 * @fileoverview Request of a client, and its headers.
 * @module cli/dev/proxy/client-request
 */
import type { JsonRpcRequest, RequestId } from "tenon/protocol";

/** Request headers by lowercase name. `undefined` over stdio. */
export type RequestHeaders = Readonly<Record<string, string>> | undefined;

/** Request with its ID. */
export type ClientRequest = JsonRpcRequest & { readonly id: RequestId };
