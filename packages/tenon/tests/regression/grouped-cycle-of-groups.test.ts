import { expect, test } from "vitest";
import { Group } from "../../src/model/index.js";

// A group nested below itself made every walk to the root endless. A moved group also stayed in its old parent.
test("F2, F9: a group cannot be nested below itself, at any depth", () => {
  const [top, middle, leaf] = [new Group("top"), new Group("middle"), new Group("leaf")];
  top.addChildGroup(middle);
  middle.addChildGroup(leaf);
  for (const below of [top, middle, leaf]) expect(() => below.addChildGroup(top)).toThrow(/top/);
  expect(leaf.getFullyQualifiedName()).toBe("top.middle.leaf");
  expect(top.parent).toBeUndefined();
});

test("F2, F9: a moved group is removed from its old parent", () => {
  const [before, after, moving] = [new Group("before"), new Group("after"), new Group("moving")];
  before.addChildGroup(moving);
  after.addChildGroup(moving);
  expect(before.childGroups).toEqual([]);
  expect(after.childGroups).toEqual([moving]);
  expect(moving.getFullyQualifiedName()).toBe("after.moving");
});
