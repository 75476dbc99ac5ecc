import type { Engine, Kb } from "../kb/mod.ts";

/**
 * Has an engine tell each query that is searched for, whichever way it came.
 *
 * @param kb The engine, which does all the work.
 * @param tell Takes the query as it was asked.
 */
export function tellingQueries(
  kb: Engine,
  tell: (query: string) => void,
): Engine {
  const telling = {
    search: (...args: Parameters<Kb["search"]>) => {
      tell(args[0]);
      return kb.search(...args);
    },
    searchStats: (...args: Parameters<Kb["searchStats"]>) => {
      tell(args[0]);
      return kb.searchStats(...args);
    },
  } satisfies Partial<Engine>;
  return new Proxy(kb, {
    get(kb, name): unknown {
      if (Object.hasOwn(telling, name)) return Reflect.get(telling, name);
      const value: unknown = Reflect.get(kb, name, kb);
      return typeof value === "function" ? value.bind(kb) : value;
    },
  });
}
