/**
 * Puts methods of its own before an object, which does all else.
 *
 * @param target What does all else.
 * @param methods What is done instead.
 * @returns An object that looks like `target`; its methods may be taken off it.
 */
export function override<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(target, name): unknown {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
