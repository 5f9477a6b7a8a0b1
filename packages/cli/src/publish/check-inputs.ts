/**
 * @fileoverview Checks the inputs in `server.json` that a user fills in: environment variables, headers, arguments, and
 * variables of URLs.
 * @module cli/publish/check-inputs
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { checkChoice, checkList } from "./check-values.js";

/** Checks environment variables or headers: inputs with a name. */
export function checkNamedInputs(path: string, value: unknown): readonly string[] {
  const names = new Set<unknown>();
  return checkList(path, value, (at, input) => {
    const { name } = input;
    if (typeof name !== "string" || name === "") return [`${at}.name must be a non-empty string.`];
    const isRepeated = names.has(name);
    names.add(name);
    return [...(isRepeated ? [`${at}.name is used more than once: ${name}.`] : []), ...checkInput(at, input)];
  });
}

/** Checks command-line arguments. */
export function checkArguments(path: string, value: unknown): readonly string[] {
  return checkList(path, value, (at, input) => {
    const { type, value: fixed, valueHint } = input;
    const kind = checkChoice(`${at}.type`, type, ["positional", "named"]);
    const lacksValue = type === "positional" && fixed === undefined && valueHint === undefined;
    return [
      ...kind,
      ...(type === "named" ? checkArgumentName(at, input) : []),
      ...(lacksValue ? [`${at} must have a value or a valueHint, because it is positional.`] : []),
      ...checkType(`${at}.valueHint`, valueHint, "string"),
      ...checkType(`${at}.isRepeated`, input["isRepeated"], "boolean"),
      ...checkInput(at, input),
    ];
  });
}

/** Checks the variables of a URL template. */
export function checkVariables(path: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return [`${path} must be an object; got ${kindOf(value)}.`];
  return Object.entries(value).flatMap(([name, input]) =>
    isJsonObject(input)
      ? checkInput(`${path}.${name}`, input)
      : [`${path}.${name} must be an object; got ${kindOf(input)}.`],
  );
}

function checkInput(path: string, input: JsonObject): readonly string[] {
  const { choices, format } = input;
  const areTexts = Array.isArray(choices) && choices.every((one) => typeof one === "string");
  return [
    ...["description", "default", "value", "placeholder"].flatMap((member) =>
      checkType(`${path}.${member}`, input[member], "string"),
    ),
    ...["isRequired", "isSecret"].flatMap((member) =>
      checkType(`${path}.${member}`, input[member], "boolean"),
    ),
    ...(choices === undefined || areTexts ? [] : [`${path}.choices must be an array of strings.`]),
    ...(format === undefined ? [] : checkChoice(`${path}.format`, format, FORMATS)),
    ...checkVariables(`${path}.variables`, input["variables"]),
  ];
}

const FORMATS = ["string", "number", "boolean", "filepath"];

function checkArgumentName(path: string, { name, value, default: byDefault }: JsonObject): readonly string[] {
  if (typeof name !== "string" || name === "") return [`${path}.name is required for a named argument.`];
  if (/[<>$\s]/.test(name)) return [`${path}.name must be only the flag, such as --port, without its value.`];
  return [["value", value] as const, ["default", byDefault] as const].flatMap(([member, text]) =>
    typeof text === "string" && text.startsWith(name)
      ? [`${path}.${member} must not start with the argument's name, because clients add it.`]
      : [],
  );
}

function checkType(path: string, value: unknown, type: "string" | "boolean"): readonly string[] {
  return value === undefined || typeof value === type
    ? []
    : [`${path} must be a ${type}; got ${kindOf(value)}.`];
}
