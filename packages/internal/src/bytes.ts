/**
 * @fileoverview Type for byte arrays that Web Crypto and `Response` accept.
 * @module internal/bytes
 */

/**
 * `Uint8Array<ArrayBuffer>`, written without its type argument. Before TypeScript 5.7, `Uint8Array` is not generic, so
 * declarations with the argument would not compile in projects that use an older version.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;
