import { searchAnswer, searchBody } from "../schemas.ts";
import { presentSearch } from "../present.ts";
import { type Route, route } from "../route.ts";

/** Searching. */
export const searchRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/v1/search",
    scope: "read",
    tag: "Search",
    summary: "Find passages by word and by meaning",
    body: searchBody,
    answer: { status: 200, schema: searchAnswer },
    async handle({ kb, body, raw, state }): Promise<Response> {
      const {
        query,
        top,
        offset,
        doc_type,
        fts_only,
        vec_only,
        explain,
        threshold = state.settings.threshold,
        ...given
      } = body;
      const { tags = [], ...filter } = given;
      // With `collection` too, the tag is left to be matched as any other.
      const named = filter.collection === undefined
        ? tags.find((tag) => tag.startsWith("collection:"))
        : undefined;
      const collection = filter.collection ??
        named?.slice("collection:".length);
      const answer = await kb.search(query, {
        limit: top,
        offset,
        explain,
        retriever: fts_only ? "fts" : vec_only ? "vector" : "hybrid",
        tags: tags.filter((tag) => tag !== named),
        ...(doc_type === undefined ? {} : { docType: doc_type }),
        ...(collection === undefined ? {} : { collection }),
        ...(filter.after === undefined ? {} : { after: filter.after }),
        ...(filter.before === undefined ? {} : { before: filter.before }),
        ...(threshold === undefined ? {} : { threshold }),
        signal: raw.signal,
      });
      return Response.json(presentSearch(answer));
    },
  }),
];
