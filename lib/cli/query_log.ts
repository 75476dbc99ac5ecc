import { override } from "../core/mod.ts";
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
  return override<Engine>(kb, {
    search: (...args: Parameters<Kb["search"]>) => {
      tell(args[0]);
      return kb.search(...args);
    },
    searchStats: (...args: Parameters<Kb["searchStats"]>) => {
      tell(args[0]);
      return kb.searchStats(...args);
    },
  });
}
