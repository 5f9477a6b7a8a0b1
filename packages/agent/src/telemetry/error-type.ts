/**
 * @fileoverview Classifies thrown values for telemetry. Messages are never recorded, because they can contain anything.
 * @module agent/telemetry/error-type
 */
import { read } from "@tenon/internal/security/safe-text";
import { isInstance } from "@tenon/internal/thrown";
import { toPublicError } from "tenon/host";
import { ModelError } from "../models/model-port.js";

/** Value of `error.type` for an error without a usable type. */
export const OTHER_ERROR = "_OTHER";

/**
 * Creates a function that returns the value of `error.type`: the kind of a `ModelError`, the code of an `McpError`, or
 * the name of another error. The number of different values is limited, because metrics are grouped by them.
 */
export function createErrorTypes(): (error: unknown) => string {
  const known = new Set<string>();
  return (error) => {
    const type = typeOf(error);
    if (known.has(type)) return type;
    if (known.size >= MAX_TYPES) return OTHER_ERROR;
    known.add(type);
    return type;
  };
}

function typeOf(error: unknown): string {
  if (isInstance(error, ModelError)) return error.kind ?? error.name;
  const code = toPublicError(error)?.code;
  if (code !== undefined) return code;
  const name = isInstance(error, Error) ? read(error, "name") : undefined;
  return typeof name === "string" && ONE_WORD.test(name) ? name : OTHER_ERROR;
}

const MAX_TYPES = 100;
const ONE_WORD = /^[A-Za-z][\w.-]{0,63}$/;
