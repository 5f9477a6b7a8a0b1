/**
 * @fileoverview Checks package names, and suggests a valid name for an invalid one.
 * @module create-tenon/package-name
 */
import { builtinModules } from "node:module";
import { trimEndOf } from "@tenon/internal/text";

/** Outcome of a name check. An invalid name has a reason and, if possible, a suggestion. */
export type NameCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly suggested: string | undefined };

/** Checks a package name, with or without a scope, against npm's rules. */
export function checkPackageName(name: string): NameCheck {
  const reason = findFault(name);
  if (reason === undefined) return { ok: true };
  const suggested = toPackageName(name);
  return { ok: false, reason, suggested: findFault(suggested) === undefined ? suggested : undefined };
}

/** Converts text to a package name. The result may still be invalid, for example empty or reserved. */
export function toPackageName(text: string): string {
  const [, scope, name] = /^@([^/]+)\/(.+)$/.exec(text) ?? [undefined, undefined, text];
  const plain = toPlain(name ?? text);
  return scope === undefined || toPlain(scope) === "" ? plain : `@${toPlain(scope)}/${plain}`;
}

/** Converts a package name to a name that Cloudflare accepts for a Worker, which is part of a host name. */
export function toWorkerName(name: string): string {
  const plain = name.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "");
  return trimEndOf(plain.slice(0, 63), "-");
}

function toPlain(text: string): string {
  const plain = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[-._~]+/, "");
  return trimEndOf(plain, "-._~").slice(0, 100);
}

const RESERVED = new Set(["node_modules", "favicon.ico", "tenon", ...builtinModules]);

function findFault(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > 214) return "it is too long (limit: 214 characters)";
  const parts = /^(?:@([^/]+)\/)?([^/]+)$/.exec(name);
  if (parts === null) return "it does not have the form name or @scope/name";
  for (const part of parts.slice(1)) {
    if (part === undefined) continue;
    if (part !== part.toLowerCase()) return "it contains uppercase letters";
    if (/^[._]/.test(part)) return "it starts with a dot or an underscore";
    if (!/^[a-z0-9._~-]+$/.test(part)) return "it contains characters that are not allowed in a URL";
  }
  return RESERVED.has(name) ? "it is reserved by Node.js or npm" : undefined;
}
