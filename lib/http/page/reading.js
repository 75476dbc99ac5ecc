/**
 * The view of a document, with what can be done to it.
 *
 * The server sends the source of this function to the browser, so nothing from outside of it may be used in it.
 */
export function makeReading(
  { call, getJson, button, day, element, once, say, show, tagList, route },
) {
  const { document, URL } = globalThis;

  async function showDocument(id, chunk, isWanted) {
    const one = await getJson(`documents/${id}`);
    if (!isWanted()) return;
    say("");
    const tags = one.tags.filter((tag) => !tag.startsWith("collection:"));
    const known = new Set();
    const list = element("div");
    const more = element("p");
    show(
      one.title,
      element("h1", { textContent: one.title || one.docid }),
      element("p", {
        className: "place",
        textContent: [
          one.source_path ?? one.docid,
          one.doc_type,
          `in ${one.collection}`,
          day(one.updated_at ?? one.created_at),
        ].join(" · "),
      }),
      element("p", {}, tagList(tags), toTagForm(id, tags)),
      one.warnings.map((text) =>
        element("p", { className: "warning", textContent: text })
      ),
      element(
        "p",
        {},
        one.has_file ? button("Download", () => download(id)) : null,
        " ",
        button("Remove", () => remove(id, one.title || one.docid)),
      ),
      list,
      more,
    );
    function load(parts, from) {
      list.append(...parts.map((part) => toPart(part, chunk, known)));
      const next = from + parts.length;
      const isAll = parts.length === 0 || next >= one.chunk_count;
      more.replaceChildren(
        ...(isAll ? [] : [
          `${next} of ${one.chunk_count} parts `,
          button("More", () => loadFrom(next)),
        ]),
      );
      return isAll ? undefined : next;
    }
    async function loadFrom(from) {
      const { chunks } = await getJson(`documents/${id}?chunk_offset=${from}`);
      return load(chunks, from);
    }
    let next = load(one.chunks, 0);
    const find = () => document.querySelector(`#chunk-${chunk}`);
    while (chunk !== undefined && next !== undefined && find() === null) {
      next = await loadFrom(next);
      if (!isWanted()) return;
    }
    find()?.scrollIntoView();
  }

  /** A part of a document, under its heading if that is a new one. */
  function toPart(part, chunk, known) {
    const isNew = part.heading_path.length > 0 && !known.has(part.kbid);
    known.add(part.kbid);
    return element(
      "section",
      {
        id: `chunk-${part.chunk_id}`,
        className: String(part.chunk_id) === chunk ? "found" : "",
      },
      isNew
        ? element("h2", { textContent: part.heading_path.join(" › ") })
        : null,
      element("p", {
        className: "place",
        textContent: part.page === null
          ? `lines ${part.line_start} to ${part.line_end}`
          : `page ${part.page}`,
      }),
      element("pre", { textContent: part.text }),
    );
  }

  function toTagForm(id, tags) {
    const input = element("input", {
      placeholder: "tag, or -tag to take it off",
      ariaLabel: "Tag",
      maxLength: 100,
    });
    const form = element("form", { className: "inline" }, input);
    form.onsubmit = once(async () => {
      const text = input.value.trim();
      if (text === "") return;
      const takesOff = text.startsWith("-") && tags.includes(text.slice(1));
      await call(
        "PUT",
        `documents/${id}/tags`,
        takesOff ? { remove: [text.slice(1)] } : { add: [text] },
      );
      await route();
    });
    return form;
  }

  async function download(id) {
    const response = await call("GET", `documents/${id}/file`);
    const disposition = response.headers.get("Content-Disposition") ?? "";
    const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
    const link = element("a", {
      href: URL.createObjectURL(await response.blob()),
      download: encoded === undefined
        ? /filename="([^"]*)"/.exec(disposition)?.[1] ?? `document-${id}`
        : decodeURIComponent(encoded),
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async function remove(id, title) {
    if (!globalThis.confirm(`Remove "${title}" from the base?`)) return;
    await call("DELETE", `documents/${id}`);
    globalThis.history.replaceState(null, "", "#");
    await route();
    say(`Removed ${title}.`);
  }

  return { showDocument };
}
