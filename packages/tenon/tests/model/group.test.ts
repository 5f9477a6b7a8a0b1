import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Group, Prompt, Resource, Tool } from "../../src/model/index.js";

const name = fc.string({ minLength: 1 });

/** Creates a chain of groups, the root first. */
function chain(names: readonly string[]): Group[] {
  const groups = names.map((name) => new Group(name));
  groups.forEach((group, index) => groups[index - 1]?.addChildGroup(group));
  return groups;
}

/** Trees of groups: each group except the first is below an earlier one. */
const trees = fc.array(fc.tuple(name, fc.nat()), { minLength: 1, maxLength: 30 }).map((rows) => {
  const nodes: { group: Group; path: readonly string[] }[] = [];
  for (const [name, pick] of rows) {
    const above = nodes[pick % Math.max(nodes.length, 1)];
    const group = new Group(name);
    above?.group.addChildGroup(group);
    nodes.push({ group, path: [...(above?.path ?? []), name] });
  }
  return nodes;
});

/** Returns the groups above one, nearest first. Fails on a cycle. */
function ancestors(group: Group): Group[] {
  const found: Group[] = [];
  for (let above = group.parent; above !== undefined; above = above.parent) {
    if (found.length > 1000) throw new Error("a cycle");
    found.push(above);
  }
  return found;
}

describe("a group's name", () => {
  test("F9: is the path from its root, joined with dots", () => {
    const [platform, users, management] = chain(["platform", "users", "management"]);
    expect(management?.getFullyQualifiedName()).toBe("platform.users.management");
    expect(users?.getFullyQualifiedName()).toBe("platform.users");
    expect(platform?.getFullyQualifiedName()).toBe("platform");
  });

  test("F9: is joined with a different separator on request", () => {
    const management = chain(["platform", "users", "management"]).at(-1);
    expect(management?.getFullyQualifiedName("/")).toBe("platform/users/management");
    expect(management?.getFullyQualifiedName("")).toBe("platformusersmanagement");
  });

  test("F9: is the joined path in any tree, with any separator", () => {
    fc.assert(
      fc.property(trees, fc.string(), (nodes, separator) => {
        for (const { group, path } of nodes) {
          expect(group.getFullyQualifiedName()).toBe(path.join("."));
          expect(group.getFullyQualifiedName(separator)).toBe(path.join(separator));
          expect(group.getRoot()).toBe(nodes[0]?.group);
        }
      }),
    );
  });

  test("F9: is found in a tree deeper than the stack", () => {
    // Builds from the leaf upward. Each new root does not have ancestors yet, so building takes one step per level.
    const leaf = new Group("a");
    let root = leaf;
    for (let depth = 1; depth < 20_000; depth++) {
      const above = new Group("a");
      above.addChildGroup(root);
      root = above;
    }
    expect(leaf.getRoot()).toBe(root);
    expect(leaf.getFullyQualifiedName()).toBe(Array.from({ length: 20_000 }, () => "a").join("."));
  });

  test("F9: follows the group when it moves", () => {
    const [, users, management] = chain(["platform", "users", "management"]);
    const admin = new Group("admin");
    if (users !== undefined) admin.addChildGroup(users);
    expect(management?.getFullyQualifiedName()).toBe("admin.users.management");
  });
});

describe("a tree of groups", () => {
  test("F2: a group has a parent, and children in the order of adding", () => {
    const root = new Group("root");
    const [a, b] = [new Group("a"), new Group("b")];
    expect(root.addChildGroup(a)).toBe(true);
    expect(root.addChildGroup(b)).toBe(true);
    expect(root.childGroups).toEqual([a, b]);
    expect([a.parent, b.parent, root.parent]).toEqual([root, root, undefined]);
  });

  test("F2: a group is added once and removed once", () => {
    const root = new Group("root");
    const child = new Group("child");
    expect(root.removeChildGroup(child)).toBe(false);
    expect(root.addChildGroup(child)).toBe(true);
    expect(root.addChildGroup(child)).toBe(false);
    expect(root.childGroups).toEqual([child]);
    expect(root.removeChildGroup(child)).toBe(true);
    expect(root.removeChildGroup(child)).toBe(false);
    expect(root.childGroups).toEqual([]);
    expect(child.parent).toBeUndefined();
  });

  test("F2: a group that is added elsewhere is removed from its old parent", () => {
    const [before, after, child] = [new Group("before"), new Group("after"), new Group("child")];
    before.addChildGroup(child);
    expect(after.addChildGroup(child)).toBe(true);
    expect(before.childGroups).toEqual([]);
    expect(after.childGroups).toEqual([child]);
    expect(child.parent).toBe(after);
    expect(before.removeChildGroup(child)).toBe(false);
    expect(child.parent).toBe(after);
  });

  test("F2: a cycle is rejected with both names, and nothing changes", () => {
    const [root, middle, leaf] = chain(["root", "middle", "leaf"]) as [Group, Group, Group];
    expect(() => leaf.addChildGroup(root)).toThrow(
      'Group "root" cannot be added to "root.middle.leaf": it would become its own ancestor.',
    );
    expect(() => leaf.addChildGroup(middle)).toThrow("its own ancestor");
    expect(() => root.addChildGroup(root)).toThrow(
      'Group "root" cannot be added to "root": it would become its own ancestor.',
    );
    expect(leaf.getFullyQualifiedName()).toBe("root.middle.leaf");
    expect(leaf.childGroups).toEqual([]);
  });

  test("F2: adding and removing never makes a group its own ancestor and keeps both ends of every link consistent", () => {
    const step = fc.record({ add: fc.boolean(), above: fc.nat(7), below: fc.nat(7) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const groups = Array.from({ length: 8 }, (_, index) => new Group(`g${String(index)}`));
        for (const { add, above, below } of steps) {
          const [parent, child] = [groups[above], groups[below]];
          if (parent === undefined || child === undefined) continue;
          const wouldTurn = parent === child || ancestors(parent).includes(child);
          const held = parent.childGroups.includes(child);
          if (!add) expect(parent.removeChildGroup(child)).toBe(held);
          else if (wouldTurn) expect(() => parent.addChildGroup(child)).toThrow("its own ancestor");
          else expect(parent.addChildGroup(child)).toBe(!held);
          for (const group of groups) {
            expect(ancestors(group).includes(group)).toBe(false);
            expect(group.childGroups.every((one) => one.parent === group)).toBe(true);
            expect(group.parent?.childGroups.includes(group) ?? true).toBe(true);
          }
        }
      }),
    );
  });
});

describe("items of groups", () => {
  const kinds = [
    {
      kind: "tool",
      make: () => new Tool("x"),
      add: (group: Group, item: object) => group.addChildTool(item as Tool),
      remove: (group: Group, item: object) => group.removeChildTool(item as Tool),
      list: (group: Group) => group.childTools,
    },
    {
      kind: "prompt",
      make: () => new Prompt("x"),
      add: (group: Group, item: object) => group.addChildPrompt(item as Prompt),
      remove: (group: Group, item: object) => group.removeChildPrompt(item as Prompt),
      list: (group: Group) => group.childPrompts,
    },
    {
      kind: "resource",
      make: () => new Resource("x", { uri: "memo://x" }),
      add: (group: Group, item: object) => group.addChildResource(item as Resource),
      remove: (group: Group, item: object) => group.removeChildResource(item as Resource),
      list: (group: Group) => group.childResources,
    },
  ] as const;

  test.each(kinds)("F2, F3: a $kind is added once and removed once", ({ make, add, remove, list }) => {
    const group = new Group("group");
    const item = make();
    expect(remove(group, item)).toBe(false);
    expect(add(group, item)).toBe(true);
    expect(add(group, item)).toBe(false);
    expect(list(group)).toEqual([item]);
    expect(item.parentGroups).toEqual([group]);
    expect(remove(group, item)).toBe(true);
    expect(remove(group, item)).toBe(false);
    expect(list(group)).toEqual([]);
    expect(item.parentGroups).toEqual([]);
  });

  test.each(kinds)("F8: a $kind can belong to several groups", ({ make, add, remove, list }) => {
    const [userFacing, admin] = [new Group("user-facing"), new Group("admin")];
    const item = make();
    add(userFacing, item);
    add(admin, item);
    expect(item.parentGroups).toEqual([userFacing, admin]);
    expect(list(userFacing)[0]).toBe(list(admin)[0]);
    remove(userFacing, item);
    expect(item.parentGroups).toEqual([admin]);
    expect(list(admin)).toEqual([item]);
  });

  test("F3: an item returns each of its roots once", () => {
    const [platform, users] = chain(["platform", "users"]) as [Group, Group];
    const [backoffice, audit] = chain(["backoffice", "audit"]) as [Group, Group];
    const search = new Tool("search");
    expect(search.getRoots()).toEqual([]);
    for (const group of [users, platform, audit]) group.addChildTool(search);
    expect(search.getRoots()).toEqual([platform, backoffice]);
  });

  test("F3: an item's full name is its name in any group", () => {
    const search = new Tool("search");
    chain(["platform", "users"]).at(-1)?.addChildTool(search);
    expect(search.getFullyQualifiedName()).toBe("search");
    expect(search.getFullyQualifiedName("/")).toBe("search");
  });

  test("F3, F8: both ends of every link stay consistent after any sequence of additions and removals", () => {
    const step = fc.record({ add: fc.boolean(), group: fc.nat(3), item: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const groups = Array.from({ length: 4 }, (_, index) => new Group(String(index)));
        const tools = Array.from({ length: 4 }, (_, index) => new Tool(String(index)));
        const links = new Set<string>();
        for (const { add, group, item } of steps) {
          const link = `${String(group)}-${String(item)}`;
          const [holder, tool] = [groups[group], tools[item]];
          if (holder === undefined || tool === undefined) continue;
          if (add) expect(holder.addChildTool(tool)).toBe(!links.has(link));
          else expect(holder.removeChildTool(tool)).toBe(links.has(link));
          if (add) links.add(link);
          else links.delete(link);
        }
        const down = groups.flatMap((group) => group.childTools.map((tool) => `${group.name}-${tool.name}`));
        const up = tools.flatMap((tool) => tool.parentGroups.map((group) => `${group.name}-${tool.name}`));
        expect(down.toSorted()).toEqual([...links].toSorted());
        expect(up.toSorted()).toEqual([...links].toSorted());
      }),
    );
  });

  test("F2: a returned list does not change, and changing it does not change the group", () => {
    const group = new Group("group");
    const tool = new Tool("tool");
    const before = group.childTools;
    group.addChildTool(tool);
    expect(before).toEqual([]);
    (group.childTools as Tool[]).pop();
    (tool.parentGroups as Group[]).pop();
    expect(group.childTools).toEqual([tool]);
    expect(tool.parentGroups).toEqual([group]);
  });

  test("F2, F8: a group's children have their class's type, and other kinds are rejected", () => {
    const group = new Group("group");
    group.addChildTool(new Tool("tool", { outputSchema: { type: "object" } }));
    const tools: readonly Tool[] = group.childTools;
    const prompts: readonly Prompt[] = group.childPrompts;
    const resources: readonly Resource[] = group.childResources;
    expect([tools.length, prompts.length, resources.length]).toEqual([1, 0, 0]);
    expect(tools[0]).toBeInstanceOf(Tool);
    // @ts-expect-error a prompt has no input schema
    void ((prompt: Prompt) => group.addChildTool(prompt));
    // @ts-expect-error a tool has no URI
    void ((tool: Tool) => group.addChildResource(tool));
    // @ts-expect-error a resource has no arguments
    void ((resource: Resource) => group.addChildPrompt(resource));
  });
});
