/**
 * @fileoverview Parses one call: converts tags to parameters according to the tool's plan, and records an issue for
 * everything else. Parameter text is literal up to the parameter's own closing tag.
 * @module agent/xml/call-reader
 */
import type { ParamIssue } from "../shared/errors.js";
import { decodeReferences } from "./entities.js";
import { LeafText } from "./leaf-text.js";
import { type ArrayPlan, convertLeaf, type LeafPlan, type ObjectPlan, type Plan } from "./plan.js";
import type { Place } from "./scanner.js";

/** Path to a parameter: property names and array positions. */
export type ParamPath = readonly (string | number)[];

/** Limits for one call. */
export interface CallLimits {
  /** Maximum number of tags. @default 10_000 */
  readonly maxTags: number;
  /** Maximum number of characters in all parameters together. @default 1_000_000 */
  readonly maxLength: number;
}

/** Text that was added to a parameter. */
interface ParamDelta {
  readonly path: ParamPath;
  readonly delta: string;
}

type Values = Record<string, unknown>;

interface ContainerFrame {
  readonly kind: "container";
  readonly plan: ObjectPlan | ArrayPlan;
  readonly value: Values | unknown[];
  readonly path: ParamPath;
  /** Names of the parameters that have appeared so far. */
  readonly seen: Set<string>;
  readonly isDiscarded: boolean;
  hasStrayText: boolean;
}

interface LeafFrame {
  readonly kind: "leaf";
  readonly plan: LeafPlan;
  readonly parent: ContainerFrame;
  readonly path: ParamPath;
  readonly text: LeafText;
  readonly isDiscarded: boolean;
  /** Number of open tags with the leaf's own name, including the leaf itself. */
  depth: number;
}

/** An undeclared tag. Its content is skipped. */
interface UnknownFrame {
  readonly kind: "unknown";
  readonly name: string;
  depth: number;
}

/** Parser for one call. Starts after the opening tag. */
export class CallReader {
  readonly #limits: CallLimits;
  readonly #root: ContainerFrame;
  readonly #containers: ContainerFrame[];
  readonly #deltas: ParamDelta[] = [];
  readonly #issues: ParamIssue[] = [];
  /** The open leaf or undeclared tag in the innermost container. */
  #inner: LeafFrame | UnknownFrame | undefined;
  #tags = 1;
  #length = 0;
  #state: "open" | "closed" | "overflowed" = "open";

  constructor(plan: ObjectPlan, limits: CallLimits) {
    this.#limits = limits;
    this.#root = createContainer(plan, [], false);
    this.#containers = [this.#root];
  }

  get state(): "open" | "closed" | "overflowed" {
    return this.#state;
  }

  get place(): Place {
    return this.#inner === undefined ? "between" : "text";
  }

  get issues(): readonly ParamIssue[] {
    return this.#issues;
  }

  /** Complete parameters, and the text so far if a string parameter is open. */
  get params(): Values {
    const params = this.#root.value as Values; // Safe: the root's plan is an object
    const leaf = this.#inner;
    if (leaf?.kind !== "leaf" || leaf.isDiscarded || leaf.plan.kind !== "string") return params;
    return withValue(params, leaf.path, leaf.text.soFar) as Values; // Safe: a copy of an object is an object
  }

  /** True if a declared parameter of the tool has appeared. */
  get hasParams(): boolean {
    return this.#root.seen.size > 0;
  }

  /** Returns true if a parameter of the tool has appeared. */
  hasParam(name: string): boolean {
    return this.#root.seen.has(name);
  }

  knowsTag(name: string, isClosing: boolean): boolean {
    const inner = this.#inner;
    if (inner === undefined) return true;
    if (inner.kind === "leaf") return inner.plan.name === name;
    return inner.name === name || (isClosing && this.#findContainer(name) !== -1);
  }

  openTag(name: string, raw: string, isEmpty: boolean): void {
    if (!this.#countTag()) return;
    const inner = this.#inner;
    if (inner === undefined) this.#openChild(name, isEmpty);
    else {
      if (!isEmpty) inner.depth++;
      if (inner.kind === "leaf") this.#addRaw(inner, decodeReferences(raw));
    }
  }

  closeTag(name: string, raw: string): void {
    if (!this.#countTag()) return;
    const inner = this.#inner;
    if (inner === undefined) return this.#closeContainer(name);
    if (inner.kind === "unknown" && inner.name !== name) {
      this.#inner = undefined;
      return this.#closeContainer(name);
    }
    if (--inner.depth > 0) {
      if (inner.kind === "leaf") this.#addRaw(inner, raw);
    } else if (inner.kind === "leaf") {
      this.#endLeaf(inner);
    } else {
      this.#inner = undefined;
    }
  }

  raw(text: string): void {
    const inner = this.#inner;
    if (inner === undefined) this.#strayText(text);
    else if (inner.kind === "leaf") this.#addRaw(inner, text);
  }

  exact(text: string): void {
    if (this.#inner?.kind === "leaf" && this.#countLength(text)) this.#inner.text.addExact(text);
  }

  openCdata(): void {
    if (this.#inner?.kind === "leaf") this.#inner.text.openCdata();
  }

  cdata(text: string): void {
    if (this.#inner === undefined) this.#strayText(text);
    else if (this.#inner.kind === "leaf" && this.#countLength(text)) this.#inner.text.addCdata(text);
  }

  closeCdata(): void {
    if (this.#inner?.kind === "leaf") this.#inner.text.closeCdata();
  }

  /** Returns the text that string parameters have gained since the last `takeDeltas`. */
  takeDeltas(): readonly ParamDelta[] {
    if (this.#inner?.kind === "leaf") this.#noteDelta(this.#inner);
    return this.#deltas.splice(0);
  }

  /** Ends the text. Records an issue for each tag that is still open. */
  finish(): void {
    if (this.#state !== "open") return;
    const inner = this.#inner;
    if (inner?.kind === "leaf") this.#issue(inner.path, `<${inner.plan.name}> is not closed`);
    if (inner?.kind === "unknown") this.#issue(this.#top.path, `<${inner.name}> is not closed`);
    for (const { path, plan } of this.#containers.toReversed()) {
      this.#issue(path, `<${plan.name}> is not closed`);
    }
  }

  get #top(): ContainerFrame {
    return this.#containers.at(-1) ?? this.#root;
  }

  #openChild(name: string, isEmpty: boolean): void {
    const parent = this.#top;
    const plan = parent.plan.members.get(name);
    if (plan === undefined) {
      this.#issue(parent.path, `<${name}> is not a parameter; expected ${listTags(parent.plan)}`);
      if (!isEmpty) this.#inner = { kind: "unknown", name, depth: 1 };
      return;
    }
    const isList = Array.isArray(parent.value);
    const path = [...parent.path, Array.isArray(parent.value) ? parent.value.length : name];
    const isRepeated = !isList && parent.seen.has(name);
    if (isRepeated) this.#issue(path, `<${name}> appears more than once`);
    parent.seen.add(name);
    this.#openPlanned(plan, path, { isEmpty, isDiscarded: isRepeated || parent.isDiscarded });
  }

  #openPlanned(
    plan: Plan,
    path: ParamPath,
    { isEmpty, isDiscarded }: { readonly isEmpty: boolean; readonly isDiscarded: boolean },
  ): void {
    const parent = this.#top;
    if (plan.kind === "object" || plan.kind === "array") {
      const frame = createContainer(plan, path, isDiscarded);
      attach(parent, plan.name, frame);
      if (!isEmpty) this.#containers.push(frame);
      return;
    }
    const text = new LeafText();
    const leaf: LeafFrame = { kind: "leaf", plan, parent, path, text, isDiscarded, depth: 1 };
    if (isEmpty) this.#endLeaf(leaf);
    else this.#inner = leaf;
  }

  #endLeaf(leaf: LeafFrame): void {
    const { plan, parent, text, isDiscarded } = leaf;
    const value = convertLeaf(plan.kind, text.end());
    this.#noteDelta(leaf);
    attach(parent, plan.name, { value, isDiscarded });
    this.#inner = undefined;
  }

  #closeContainer(name: string): void {
    const at = this.#findContainer(name);
    if (at === -1) {
      this.#issue(this.#top.path, `</${name}> does not match an open tag`);
      return;
    }
    for (const { path, plan } of this.#containers.splice(at).slice(1).toReversed()) {
      this.#issue(path, `<${plan.name}> is not closed`);
    }
    if (at === 0) this.#state = "closed";
  }

  #findContainer(name: string): number {
    return this.#containers.findLastIndex(({ plan }) => plan.name === name);
  }

  #strayText(text: string): void {
    const frame = this.#top;
    if (frame.hasStrayText || !/[^ \t\r\n]/.test(text)) return;
    frame.hasStrayText = true;
    this.#issue(frame.path, `Text outside a parameter tag; expected ${listTags(frame.plan)}`);
  }

  #addRaw(leaf: LeafFrame, text: string): void {
    if (this.#countLength(text)) leaf.text.addRaw(text);
  }

  #noteDelta({ plan, path, text, isDiscarded }: LeafFrame): void {
    const delta = text.takeFresh();
    if (delta !== "" && plan.kind === "string" && !isDiscarded) this.#deltas.push({ path, delta });
  }

  #countTag(): boolean {
    if (++this.#tags <= this.#limits.maxTags) return true;
    return this.#overflow(`The call has too many tags (limit: ${this.#limits.maxTags})`);
  }

  #countLength(text: string): boolean {
    this.#length += text.length;
    if (this.#length <= this.#limits.maxLength) return true;
    return this.#overflow(`The call is too long (limit: ${this.#limits.maxLength} characters)`);
  }

  #overflow(message: string): false {
    // Placed first, so that the issue limit cannot hide it.
    if (this.#state === "open") this.#issues.unshift({ path: [], message });
    this.#state = "overflowed";
    this.#inner = undefined;
    return false;
  }

  #issue(path: ParamPath, message: string): void {
    if (this.#issues.length < MAX_ISSUES) this.#issues.push({ path, message });
  }
}

const MAX_ISSUES = 20;
const MAX_LISTED = 20;

function createContainer(
  plan: ObjectPlan | ArrayPlan,
  path: ParamPath,
  isDiscarded: boolean,
): ContainerFrame {
  const value = plan.kind === "array" ? [] : {};
  return { kind: "container", plan, value, path, seen: new Set(), isDiscarded, hasStrayText: false };
}

function attach(
  { value }: ContainerFrame,
  name: string,
  child: { readonly value: unknown; readonly isDiscarded: boolean },
): void {
  if (child.isDiscarded) return;
  if (Array.isArray(value)) value.push(child.value);
  else value[name] = child.value;
}

function listTags({ members }: Plan & { readonly members: ReadonlyMap<string, Plan> }): string {
  const tags = [...members.keys()].map((name) => `<${name}>`);
  if (tags.length === 0) return "no tags";
  return tags.length > MAX_LISTED ? `${tags.slice(0, MAX_LISTED).join(", ")}, …` : tags.join(", ");
}

/** Copies a value and replaces the leaf at a path. Unchanged parts are shared with the original. */
function withValue(value: unknown, [key, ...rest]: ParamPath, leaf: string): unknown {
  if (key === undefined) return leaf;
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as readonly unknown[])];
    copy[Number(key)] = withValue(copy[Number(key)], rest, leaf);
    return copy;
  }
  const members = value as Values; // Safe: a path leads only through arrays and objects
  return { ...members, [key]: withValue(members[key], rest, leaf) };
}
