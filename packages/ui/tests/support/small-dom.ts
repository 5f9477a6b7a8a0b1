/**
 * Small document for tests of components. It has only what Preact needs to render, and events that bubble. Layout,
 * focus, and styles are left to the tests in a browser.
 */
import { type ComponentChild, render } from "preact";
import { onTestFinished, vi } from "vitest";

export class SmallNode {
  parentNode: SmallElement | null = null;
  constructor(readonly nodeType: number) {}

  get nextSibling(): SmallNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  remove(): void {
    const siblings = this.parentNode?.childNodes ?? [];
    const index = siblings.indexOf(this);
    if (index !== -1) siblings.splice(index, 1);
    this.parentNode = null;
  }
}

export class SmallText extends SmallNode {
  constructor(public data: string) {
    super(3);
  }
}

export interface SmallEvent {
  readonly type: string;
  readonly target: SmallElement;
  currentTarget: SmallElement;
  isPrevented: boolean;
  isStopped: boolean;
}

type Listener = (this: SmallElement, event: SmallEvent) => void;

export class SmallElement extends SmallNode {
  readonly childNodes: SmallNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, unknown> = { setProperty: () => {} };
  readonly #listeners = new Map<string, Set<Listener>>();
  scrollTop = 0;
  clientHeight = 300;
  constructor(
    readonly localName: string,
    readonly namespaceURI: string | null,
  ) {
    super(1);
  }

  get firstChild(): SmallNode | null {
    return this.childNodes[0] ?? null;
  }

  insertBefore(node: SmallNode, before: SmallNode | null): void {
    node.remove();
    const index = before === null ? -1 : this.childNodes.indexOf(before);
    this.childNodes.splice(index === -1 ? this.childNodes.length : index, 0, node);
    node.parentNode = this;
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Sends an event to the element and those around it. Returns the event. */
  send(type: string, facts: Readonly<Record<string, unknown>> = {}): SmallEvent {
    const event = {
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      shiftKey: false,
      timeStamp: 0,
      ...facts,
      type,
      target: this,
      currentTarget: this as SmallElement,
      isPrevented: false,
      isStopped: false,
      preventDefault() {
        this.isPrevented = true;
      },
      stopPropagation() {
        this.isStopped = true;
      },
    };
    for (const element of fromInside(this)) {
      if (event.isStopped) break;
      event.currentTarget = element;
      for (const listener of element.#listeners.get(type) ?? []) listener.call(element, event);
    }
    return event;
  }

  /** Returns the elements inside, in document order. */
  all(matches: (element: SmallElement) => boolean = () => true): readonly SmallElement[] {
    return this.childNodes.flatMap((child) =>
      child instanceof SmallElement ? [...(matches(child) ? [child] : []), ...child.all(matches)] : [],
    );
  }

  /** Supports only selectors for a role, such as `[role=menuitem]`. */
  querySelectorAll(selector: string): readonly SmallElement[] {
    const role = /^\[role=(\w+)\]$/.exec(selector)?.[1];
    if (role === undefined) throw new Error(`The selector ${selector} is not supported.`);
    return this.byRole(role);
  }

  focus(): void {
    vi.stubGlobal("document", { activeElement: this });
  }

  /** Returns the elements inside with a role. */
  byRole(role: string): readonly SmallElement[] {
    return this.all((element) => element.attributes.get("role") === role);
  }

  get text(): string {
    return this.childNodes
      .map((child) =>
        child instanceof SmallText ? child.data : child instanceof SmallElement ? child.text : "",
      )
      .join("");
  }
}

/** Returns an element and those around it. */
function fromInside(element: SmallElement): readonly SmallElement[] {
  return element.parentNode === null ? [element] : [element, ...fromInside(element.parentNode)];
}

/**
 * Renders into a new document, until the test ends. `update` renders again, and `settle` waits until changes of the
 * state are rendered.
 */
export function mount(content: ComponentChild) {
  const ownerDocument = {
    createElementNS: (namespace: string, name: string) => own(new SmallElement(name, namespace)),
    createTextNode: (data: string) => own(new SmallText(data)),
  };
  function own<N extends SmallNode>(node: N): N {
    return Object.assign(node, { ownerDocument });
  }
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  const root = own(new SmallElement("div", "http://www.w3.org/1999/xhtml"));
  // Safe: the class has every member that Preact uses.
  const update = (next: ComponentChild) => render(next, root as unknown as Element);
  update(content);
  onTestFinished(() => {
    update(null);
    vi.unstubAllGlobals();
  });
  return {
    root,
    update,
    settle: () => new Promise<void>((resolve) => setTimeout(resolve)),
  };
}
