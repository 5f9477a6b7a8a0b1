/**
 * @fileoverview URI templates (RFC 6570): lists their variables, and replaces them with values.
 * @module cli/page-app/state/catalog/expand-template
 */

interface Variable {
  readonly name: string;
  /** Number of characters that are used, or `undefined` for all of them. */
  readonly maxLength: number | undefined;
  readonly isExploded: boolean;
}

interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly isNamed: boolean;
  /** Text after the name of a variable whose value is empty. */
  readonly ifEmpty: string;
  /** True if characters such as `/` are kept. */
  readonly isReserved: boolean;
}

const SIMPLE: Operator = { first: "", separator: ",", isNamed: false, ifEmpty: "", isReserved: false };
const OPERATORS: Readonly<Record<string, Operator>> = {
  "+": { ...SIMPLE, isReserved: true },
  "#": { ...SIMPLE, first: "#", isReserved: true },
  ".": { ...SIMPLE, first: ".", separator: "." },
  "/": { ...SIMPLE, first: "/", separator: "/" },
  ";": { ...SIMPLE, first: ";", separator: ";", isNamed: true },
  "?": { ...SIMPLE, first: "?", separator: "&", isNamed: true, ifEmpty: "=" },
  "&": { ...SIMPLE, first: "&", separator: "&", isNamed: true, ifEmpty: "=" },
};

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

/** Returns the names of a template's variables in order, each one once. */
export function templateVariables(template: string): readonly string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) =>
    readVariables(list).map(({ name }) => name),
  );
  return [...new Set(names)];
}

/**
 * Replaces the variables of a template with texts. Variables without a text are left out. The text of an exploded
 * variable, such as `{/path*}`, is a list whose separator is the one of the expression.
 */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(EXPRESSION, (_, sign: string, list: string) => {
    const operator = OPERATORS[sign] ?? SIMPLE;
    const parts = readVariables(list).flatMap((variable) => {
      const text = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
      return text === undefined || text === "" ? [] : [expandVariable(variable, text, operator)];
    });
    return parts.length === 0 ? "" : operator.first + parts.join(operator.separator);
  });
}

function readVariables(list: string): readonly Variable[] {
  return list
    .split(",")
    .map((text) => {
      const [, name = "", length, star] = /^([^:*]*)(?::(\d{1,4}))?(\*)?$/.exec(text.trim()) ?? [];
      return { name, maxLength: length === undefined ? undefined : Number(length), isExploded: star === "*" };
    })
    .filter(({ name }) => name !== "");
}

function expandVariable({ name, maxLength, isExploded }: Variable, text: string, operator: Operator): string {
  const { separator, isNamed, ifEmpty, isReserved } = operator;
  const encode = (part: string) => (isReserved ? encodeReserved(part) : encodePart(part));
  const parts = isExploded
    ? text.split(separator)
    : [maxLength === undefined ? text : Array.from(text).slice(0, maxLength).join("")];
  return parts
    .map((part) => {
      if (!isNamed) return encode(part);
      return part === "" ? `${name}${ifEmpty}` : `${name}=${encode(part)}`;
    })
    .join(separator);
}

function encodePart(text: string): string {
  return encodeURIComponent(toWellFormed(text)).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function encodeReserved(text: string): string {
  // `encodeURI` encodes square brackets, which templates keep, and percent signs of text that is encoded already.
  return encodeURI(toWellFormed(text))
    .replaceAll("%5B", "[")
    .replaceAll("%5D", "]")
    .replaceAll(/%25([0-9A-F]{2})/gi, "%$1");
}

/** Replaces lone surrogates, which cannot be encoded. */
function toWellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
