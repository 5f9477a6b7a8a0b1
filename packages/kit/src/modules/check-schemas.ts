/**
 * @fileoverview Rejects tool modules whose schemas are missing or in the wrong form, before anything is registered.
 * @module kit/modules/check-schemas
 */
import { kindOf } from "@tenon/internal/kind-of";
import { read } from "@tenon/internal/security/safe-text";
import { isStandardSchema } from "tenon/host";

/** Asserts that a tool module has an input schema, and that its schemas are not raw fields. */
export function assertToolSchemas(module: { readonly name: string; readonly handler: unknown }): void {
  const label = `Tool "${module.name}"`;
  const input = read(module, "inputSchema");
  if (input === undefined) {
    const other = OTHER_NAMES.find((name) => read(module, name) !== undefined);
    const fix =
      other === undefined
        ? "For a tool without arguments, use `z.object({})`."
        : `Rename \`${other}\` to \`inputSchema\`.`;
    throw new Error(`${label}: \`inputSchema\` is missing. ${fix}`);
  }
  assertSchema(`${label}: \`inputSchema\``, input);
  const output = read(module, "outputSchema");
  if (output !== undefined) assertSchema(`${label}: \`outputSchema\``, output);
}

/** Names that other APIs use for the input schema. */
const OTHER_NAMES: readonly string[] = ["input", "schema", "parameters", "args", "argsSchema"];

function assertSchema(label: string, schema: unknown): void {
  if (isStandardSchema(schema)) return;
  if (typeof schema !== "object" || schema === null)
    throw new Error(`${label} must be a schema; got ${kindOf(schema)}.`);
  if (Object.values(schema).some(isStandardSchema))
    throw new Error(`${label} must be a schema; got an object of fields. Wrap it in \`z.object({ … })\`.`);
}
