/**
 * @fileoverview The only module that imports the official SDK's types. Either version of it may be missing. This is a
 * declaration file, because the compiler would write each import on its own line, and the comment applies to one line.
 * @module sdk/official-packages
 */
/* oxlint-disable typescript/ban-ts-comment */
/** @ts-ignore A package that is not installed has the type `any`. `IfInstalled` then selects our own types. */
import type * as v1 from "@modelcontextprotocol/sdk/server/mcp.js"; import type * as v1Server from "@modelcontextprotocol/sdk/server/index.js"; import type * as v1Protocol from "@modelcontextprotocol/sdk/shared/protocol.js"; import type * as v1Types from "@modelcontextprotocol/sdk/types.js"; import type * as v2 from "@modelcontextprotocol/server"; import type * as v2Stdio from "@modelcontextprotocol/server/stdio";

export type { v1, v1Protocol, v1Server, v1Types, v2, v2Stdio };

/**
 * Returns `Installed` if `Probe` is an object type of an installed package, or `Fallback` if that package is missing.
 * The test is on the keys: TypeScript does not evaluate conditions on the type of a failed import itself.
 */
export type IfInstalled<Probe, Installed, Fallback> = string extends keyof Probe ? Fallback : Installed;
