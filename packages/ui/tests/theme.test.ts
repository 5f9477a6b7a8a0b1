import { describe, expect, test } from "vitest";
import { createTheme, type ThemeStorage } from "../src/theme.js";

function createStorage(initial: Readonly<Record<string, string>> = {}) {
  const values = new Map(Object.entries(initial));
  const storage: ThemeStorage = {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
  };
  return { values, storage };
}

describe("createTheme", () => {
  test("follows the system at first", () => {
    const root = { dataset: {} as { theme?: string } };
    expect(createTheme({ root, storage: createStorage().storage }).preference.value).toBe("system");
    expect(root.dataset).toEqual({});
  });

  test("applies a stored theme, and ignores other texts", () => {
    const root = { dataset: {} as { theme?: string } };
    createTheme({ root, storage: createStorage({ "tenon-theme": "dark" }).storage });
    expect(root.dataset.theme).toBe("dark");
    expect(
      createTheme({ root, storage: createStorage({ "tenon-theme": "<b>" }).storage }).preference.value,
    ).toBe("system");
    expect(root.dataset.theme).toBeUndefined();
  });

  test("stores the selected theme", () => {
    const root = { dataset: {} as { theme?: string } };
    const { values, storage } = createStorage();
    const theme = createTheme({ root, storage, key: "k" });
    const seen = [theme.preference.value];
    for (let count = 0; count < 3; count++) {
      theme.toggle();
      seen.push(theme.preference.value);
    }
    expect(seen).toEqual(["system", "light", "dark", "system"]);
    theme.select("light");
    expect([values.get("k"), root.dataset.theme]).toEqual(["light", "light"]);
  });

  test("works without a storage", () => {
    const broken: ThemeStorage = {
      getItem() {
        throw new Error("denied");
      },
      setItem() {
        throw new Error("denied");
      },
    };
    const root = { dataset: {} as { theme?: string } };
    const theme = createTheme({ root, storage: broken });
    theme.select("dark");
    expect(root.dataset.theme).toBe("dark");
  });
});
